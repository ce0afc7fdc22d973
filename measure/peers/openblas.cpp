// OpenBLAS's sgemm, by prototypes of our own: cblas.h names the same functions in every BLAS, and
// no header is needed for five of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "measure/peers/dynamic_library.h"
#include "measure/peers/implementation.h"
#include "measure/peers/sgemm_peer.h"

namespace tilewright::measure {
namespace {

constexpr std::string_view kId = "openblas";

// CBLAS's values, and its 32-bit integer (a build with 64-bit ones is refused below).
using BlasInt = std::int32_t;
constexpr int kCblasRowMajor = 101, kCblasNoTrans = 111, kCblasTrans = 112;

using CblasSgemm = void(int order, int trans_a, int trans_b, BlasInt m, BlasInt n, BlasInt k,
                        float alpha, const float* a, BlasInt lda, const float* b, BlasInt ldb,
                        float beta, float* c, BlasInt ldc);

struct OpenBlas {
  DynamicLibrary library{{.candidates = {"libopenblas.so.0", "libopenblas.so"},
                          .variable = "TILEWRIGHT_OPENBLAS",
                          .remedy = "install libopenblas0"}};
  CblasSgemm* sgemm = library.require<CblasSgemm>("cblas_sgemm");
  char* (*config)() = library.require<char*()>("openblas_get_config");
  char* (*core_name)() = library.require<char*()>("openblas_get_corename");
  void (*set_threads)(int) = library.require<void(int)>("openblas_set_num_threads");
};

// An OpenBLAS that does not know a CPU falls back to a core of long ago: 0.3.21 takes an Emerald
// Rapids for a Prescott and runs several times slower. That is what it does as delivered, so that
// is timed; but a reader of the table must see it.
std::string core_note(std::string_view core, CpuIsa isa) {
  static constexpr std::string_view kAvx512Cores[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  static constexpr std::string_view kAvx2Cores[] = {"Haswell", "Zen", "Excavator"};
  const auto is_core = [&](std::string_view known) { return known == core; };
  if (isa == CpuIsa::kBaseline || std::ranges::any_of(kAvx512Cores, is_core)) return "";
  if (isa == CpuIsa::kAvx2 && std::ranges::any_of(kAvx2Cores, is_core)) return "";
  return fmt::format(", older than this CPU: OPENBLAS_CORETYPE={} would fit",
                     isa == CpuIsa::kAvx2 ? kAvx2Cores[0] : kAvx512Cores[0]);
}

class PreparedOpenBlas : public PreparedSgemm {
 public:
  PreparedOpenBlas(const GemmProblem& problem, const OpenBlas& blas, CpuIsa isa)
      : PreparedSgemm(problem), sgemm_(blas.sgemm), core_name_(blas.core_name()), isa_(isa) {}

  std::string kernel_name() const override {
    return fmt::format("cblas_sgemm for core {}{}", core_name_, core_note(core_name_, isa_));
  }

 private:
  Status multiply(const SgemmShape& shape, const Call& call) override {
    const auto as_int = [](std::int64_t value) { return static_cast<BlasInt>(value); };
    sgemm_(kCblasRowMajor, shape.transpose_left ? kCblasTrans : kCblasNoTrans,
           shape.transpose_right ? kCblasTrans : kCblasNoTrans, as_int(shape.m), as_int(shape.n),
           as_int(shape.k), call.alpha, call.left, as_int(shape.ld_left), call.right,
           as_int(shape.ld_right), call.beta, call.out, as_int(shape.ld_out));
    return {};
  }

  CblasSgemm* sgemm_;
  std::string core_name_;
  CpuIsa isa_;
};

class OpenBlasPeer : public Implementation {
 public:
  std::string_view id() const override { return kId; }

  std::string missing() const override {
    if (!blas_.library.missing().empty()) return blas_.library.missing();
    if (std::string_view(blas_.config()).find("USE64BITINT") != std::string_view::npos) {
      return fmt::format("{} takes 64-bit integers; the build with 32-bit ones is needed",
                         blas_.library.path());
    }
    return "";
  }

  Provenance provenance() const override {
    Provenance provenance{.version = "",
                          .path = blas_.library.path(),
                          .policy =
                              "the library's own kernel for this core; a C apart from D is "
                              "copied to D in the timed call",
                          .workspace_limit_bytes = 0};
    if (missing().empty()) provenance.version = blas_.config();
    return provenance;
  }

  Result<std::unique_ptr<PreparedGemm>> prepare(const GemmProblem& problem,
                                                const DeviceInfo& device,
                                                std::span<const GemmArgs>,
                                                Stream) override {
    if (const std::string why = missing(); !why.empty()) return Status::unsupported(why);
    if (Status status = check_sgemm(kId, problem, device); !status) return status;
    constexpr std::int64_t kMost = std::numeric_limits<BlasInt>::max();
    for (const std::int64_t size :
         {problem.m, problem.n, problem.k, problem.a.ld, problem.b.ld, problem.d.ld}) {
      if (size > kMost) {
        return Status::unsupported(fmt::format(
            "{} takes sizes and leading dimensions up to {}, not {}", kId, kMost, size));
      }
    }
    blas_.set_threads(device.cpu.cores);
    return std::unique_ptr<PreparedGemm>(
        std::make_unique<PreparedOpenBlas>(problem, blas_, device.cpu.isa));
  }

 private:
  OpenBlas blas_;
};

}  // namespace

std::unique_ptr<Implementation> make_openblas() {
  return std::make_unique<OpenBlasPeer>();
}

}  // namespace tilewright::measure
