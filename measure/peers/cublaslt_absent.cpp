// cuBLASLt in a build without CUDA: known by name, and missing.
#include "measure/peers/implementation.h"

namespace tilewright::measure {
namespace {

class AbsentCublasLt : public Implementation {
 public:
  explicit AbsentCublasLt(bool best_of_16) : best_of_16_(best_of_16) {}

  std::string_view id() const override {
    return best_of_16_ ? "cublaslt-best16" : "cublaslt-first";
  }
  std::string missing() const override { return "this build has no CUDA"; }
  Provenance provenance() const override { return {}; }

  Result<std::unique_ptr<PreparedGemm>> prepare(const GemmProblem&, const DeviceInfo&,
                                                std::span<const GemmArgs>, Stream) override {
    return Status::unsupported(missing());
  }

 private:
  bool best_of_16_;
};

}  // namespace

std::unique_ptr<Implementation> make_cublaslt(bool best_of_16) {
  return std::make_unique<AbsentCublasLt>(best_of_16);
}

}  // namespace tilewright::measure
