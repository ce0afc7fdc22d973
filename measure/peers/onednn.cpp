// oneDNN's sgemm, by prototypes of our own, which hold for versions 2 and 3. The half types would
// need the matmul primitive, whose descriptors differ between the two.
#include <fmt/format.h>

#include <cstdint>

#include "measure/peers/dynamic_library.h"
#include "measure/peers/implementation.h"
#include "measure/peers/sgemm_peer.h"

namespace tilewright::measure {
namespace {

constexpr std::string_view kId = "onednn";

// Row-major, unlike a BLAS. Returns 0 on success.
using DnnlSgemm = int(char trans_a, char trans_b, std::int64_t m, std::int64_t n, std::int64_t k,
                      float alpha, const float* a, std::int64_t lda, const float* b,
                      std::int64_t ldb, float beta, float* c, std::int64_t ldc);

struct DnnlVersion {  // the first fields of dnnl_version_t, the same in versions 2 and 3
  int major, minor, patch;
  const char* hash;
};

struct OneDnn {
  DynamicLibrary library{{.candidates = {"libdnnl.so.3", "libdnnl.so.2"},
                          .variable = "TILEWRIGHT_ONEDNN",
                          .remedy = "install libdnnl2 or libdnnl3"}};
  DnnlSgemm* sgemm = library.require<DnnlSgemm>("dnnl_sgemm");
  const DnnlVersion* (*version)() = library.require<const DnnlVersion*()>("dnnl_version");
  int (*isa)() = library.require<int()>("dnnl_get_effective_cpu_isa");
  // Of the OpenMP that this oneDNN was linked with; null in a build with another threading.
  void (*set_threads)(int) = library.find<void(int)>("omp_set_num_threads");
};

class PreparedOneDnn : public PreparedSgemm {
 public:
  PreparedOneDnn(const GemmProblem& problem, const OneDnn& dnn, int threads)
      : PreparedSgemm(problem), dnn_(dnn), threads_(threads) {}

  std::string kernel_name() const override {
    return fmt::format("dnnl_sgemm for instruction set {:#x}", dnn_.isa());
  }

 private:
  Status multiply(const SgemmShape& shape, const Call& call) override {
    // OpenMP keeps this number for each calling thread, so it is set where it counts.
    if (dnn_.set_threads != nullptr) dnn_.set_threads(threads_);
    const int status =
        dnn_.sgemm(shape.transpose_left ? 'T' : 'N', shape.transpose_right ? 'T' : 'N', shape.m,
                   shape.n, shape.k, call.alpha, call.left, shape.ld_left, call.right,
                   shape.ld_right, call.beta, call.out, shape.ld_out);
    if (status == 0) return {};
    return Status::unsupported(fmt::format("dnnl_sgemm refused the call with status {}", status));
  }

  OneDnn dnn_;
  int threads_;
};

class OneDnnPeer : public Implementation {
 public:
  std::string_view id() const override { return kId; }
  std::string missing() const override { return dnn_.library.missing(); }

  Provenance provenance() const override {
    Provenance provenance{.version = "",
                          .path = dnn_.library.path(),
                          .policy =
                              "the library's own kernel for this CPU; a C apart from D is "
                              "copied to D in the timed call",
                          .workspace_limit_bytes = 0};
    if (missing().empty()) {
      const DnnlVersion* version = dnn_.version();
      provenance.version = fmt::format("{}.{}.{} ({})", version->major, version->minor,
                                       version->patch, version->hash);
    }
    return provenance;
  }

  Result<std::unique_ptr<PreparedGemm>> prepare(const GemmProblem& problem,
                                                const DeviceInfo& device,
                                                std::span<const GemmArgs>,
                                                Stream) override {
    if (const std::string why = missing(); !why.empty()) return Status::unsupported(why);
    if (Status status = check_sgemm(kId, problem, device); !status) return status;
    if (problem.k == 0) {
      return Status::unsupported(
          fmt::format("{} takes k from 1 up, not 0: dnnl_sgemm would leave D as it was", kId));
    }
    return std::unique_ptr<PreparedGemm>(
        std::make_unique<PreparedOneDnn>(problem, dnn_, device.cpu.cores));
  }

 private:
  OneDnn dnn_;
};

}  // namespace

std::unique_ptr<Implementation> make_onednn() {
  return std::make_unique<OneDnnPeer>();
}

}  // namespace tilewright::measure
