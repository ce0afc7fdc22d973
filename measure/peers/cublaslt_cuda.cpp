// cuBLASLt under two policies: its first heuristic, and the fastest by time of its first 16. The
// toolkit's header gives the types; the library itself is found at run time.
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "measure/peers/dynamic_library.h"
#include "measure/peers/fastest_launch.h"
#include "measure/peers/implementation.h"
#include "measure/peers/owned_memory.h"

namespace tilewright::measure {
namespace {

constexpr std::int64_t kWorkspaceBytes = std::int64_t{64} << 20;
constexpr int kMostHeuristics = 16;

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const char* folder : {"", TILEWRIGHT_CUDA_LIBRARY_DIR "/", "/usr/local/cuda/lib64/"}) {
    for (const char* soname : {"libcublasLt.so.13", "libcublasLt.so.12"}) {
      names.push_back(std::string(folder) + soname);
    }
  }
  return names;
}

struct CublasLt {
  DynamicLibrary library{{.candidates = library_names(),
                          .variable = "TILEWRIGHT_CUBLASLT",
                          .remedy = "install the CUDA toolkit's cuBLAS"}};
  template <class Function>
  Function* get(const char* name) {
    return library.require<Function>(name);
  }
  decltype(cublasLtCreate)* create = get<decltype(cublasLtCreate)>("cublasLtCreate");
  decltype(cublasLtDestroy)* destroy = get<decltype(cublasLtDestroy)>("cublasLtDestroy");
  decltype(cublasLtGetVersion)* version = get<decltype(cublasLtGetVersion)>("cublasLtGetVersion");
  decltype(cublasLtGetStatusName)* status_name =
      get<decltype(cublasLtGetStatusName)>("cublasLtGetStatusName");
  decltype(cublasLtMatmul)* matmul = get<decltype(cublasLtMatmul)>("cublasLtMatmul");
  decltype(cublasLtMatmulDescCreate)* operation_create =
      get<decltype(cublasLtMatmulDescCreate)>("cublasLtMatmulDescCreate");
  decltype(cublasLtMatmulDescDestroy)* operation_destroy =
      get<decltype(cublasLtMatmulDescDestroy)>("cublasLtMatmulDescDestroy");
  decltype(cublasLtMatmulDescSetAttribute)* operation_set =
      get<decltype(cublasLtMatmulDescSetAttribute)>("cublasLtMatmulDescSetAttribute");
  decltype(cublasLtMatrixLayoutCreate)* layout_create =
      get<decltype(cublasLtMatrixLayoutCreate)>("cublasLtMatrixLayoutCreate");
  decltype(cublasLtMatrixLayoutDestroy)* layout_destroy =
      get<decltype(cublasLtMatrixLayoutDestroy)>("cublasLtMatrixLayoutDestroy");
  decltype(cublasLtMatrixLayoutSetAttribute)* layout_set =
      get<decltype(cublasLtMatrixLayoutSetAttribute)>("cublasLtMatrixLayoutSetAttribute");
  decltype(cublasLtMatmulPreferenceCreate)* preference_create =
      get<decltype(cublasLtMatmulPreferenceCreate)>("cublasLtMatmulPreferenceCreate");
  decltype(cublasLtMatmulPreferenceDestroy)* preference_destroy =
      get<decltype(cublasLtMatmulPreferenceDestroy)>("cublasLtMatmulPreferenceDestroy");
  decltype(cublasLtMatmulPreferenceSetAttribute)* preference_set =
      get<decltype(cublasLtMatmulPreferenceSetAttribute)>("cublasLtMatmulPreferenceSetAttribute");
  decltype(cublasLtMatmulAlgoGetHeuristic)* heuristics =
      get<decltype(cublasLtMatmulAlgoGetHeuristic)>("cublasLtMatmulAlgoGetHeuristic");
  decltype(cublasLtMatmulAlgoConfigGetAttribute)* algorithm_get =
      get<decltype(cublasLtMatmulAlgoConfigGetAttribute)>("cublasLtMatmulAlgoConfigGetAttribute");

  Status refused(const char* call, cublasStatus_t status) const {
    const bool about_problem =
        status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE;
    return {about_problem ? StatusCode::kUnsupported : StatusCode::kDeviceError,
            fmt::format("{} answered {}", call, status_name(status))};
  }
};

template <class Opaque>
using Owned = std::unique_ptr<Opaque, cublasStatus_t (*)(Opaque*)>;
using Layout = Owned<cublasLtMatrixLayoutOpaque_t>;
using Context = std::remove_pointer_t<cublasLtHandle_t>;

Result<cudaDataType_t> cuda_type(DType type) {
  switch (type) {
    case DType::kF32:
      return CUDA_R_32F;
    case DType::kF16:
      return CUDA_R_16F;
    case DType::kBF16:
      return CUDA_R_16BF;
    default:
      return Status::unsupported(
          fmt::format("cublaslt takes f32, f16 and bf16 here, not {}", name_of(type)));
  }
}

// cuBLASLt's home is column-major. A row-major D is computed as D^T = B^T A^T, so that B is its
// first operand; an operand that lies in D's order is then taken as it is, another one transposed.
struct Roles {
  bool exchanged;
  const Operand &left, &right;
  std::int64_t rows, columns;  // of D as cuBLASLt sees it

  explicit Roles(const GemmProblem& problem)
      : exchanged(problem.d.order == Order::kRowMajor),
        left(exchanged ? problem.b : problem.a),
        right(exchanged ? problem.a : problem.b),
        rows(exchanged ? problem.n : problem.m),
        columns(exchanged ? problem.m : problem.n) {}
};

class PreparedCublasLt : public PreparedGemm {
 public:
  PreparedCublasLt(const CublasLt& lt, const GemmProblem& problem, bool reads_c)
      : lt_(lt), problem_(problem), exchanged_(Roles(problem).exchanged), reads_c_(reads_c) {}

  // Everything up to the choice of an algorithm; `found` are the heuristics that hold.
  Status open(const DeviceInfo& device, int most_heuristics) {
    if (Status status = make_operation(); !status) return status;
    if (Status status = make_layouts(); !status) return status;
    Result<OwnedMemory> workspace = allocate_workspace(device, kWorkspaceBytes);
    if (!workspace) return workspace.status();
    workspace_ = *std::move(workspace);
    cublasLtHandle_t handle = nullptr;
    if (const auto status = lt_.create(&handle)) return lt_.refused("cublasLtCreate", status);
    context_.reset(handle);
    return ask_heuristics(most_heuristics);
  }

  Status choose_fastest(const GemmArgs& sample) {
    std::vector<Launch> candidates;
    for (const auto& heuristic : heuristics_) {
      candidates.emplace_back([this, &heuristic, &sample](Stream stream) {
        return launch(heuristic.algo, sample, stream);
      });
    }
    Result<std::size_t> fastest = fastest_launch(candidates);
    if (!fastest) return fastest.status();
    chosen_ = *fastest;
    return {};
  }

  std::string kernel_name() const override {
    return fmt::format(
        "heuristic {} of {}: algo {} tile {} stages {} cluster {} split-k {} reduction {} "
        "swizzle {} custom {}",
        chosen_ + 1, heuristics_.size(), config<std::int32_t>(CUBLASLT_ALGO_CONFIG_ID),
        config<std::uint32_t>(CUBLASLT_ALGO_CONFIG_TILE_ID),
        config<std::uint32_t>(CUBLASLT_ALGO_CONFIG_STAGES_ID),
        config<std::uint16_t>(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID),
        config<std::int32_t>(CUBLASLT_ALGO_CONFIG_SPLITK_NUM),
        config<std::uint32_t>(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME),
        config<std::uint32_t>(CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING),
        config<std::uint32_t>(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION));
  }

  Status run(const GemmArgs& args, Stream stream) override {
    if (args.beta != 0 && !reads_c_) {
      return Status::invalid(
          fmt::format("prepared for beta 0 and run with beta {}; prepare for it", args.beta));
    }
    return launch(heuristics_[chosen_].algo, args, stream);
  }

 private:
  template <class T>
  T config(cublasLtMatmulAlgoConfigAttributes_t attribute) const {
    T value{};
    std::size_t written = 0;
    // An attribute that this version of the library does not know stays 0.
    (void)lt_.algorithm_get(&heuristics_[chosen_].algo, attribute, &value, sizeof value, &written);
    return value;
  }

  Status launch(const cublasLtMatmulAlgo_t& algorithm, const GemmArgs& args, Stream stream) const {
    const void* left = exchanged_ ? args.b : args.a;
    const void* right = exchanged_ ? args.a : args.b;
    const void* c = args.beta == 0 ? args.d : args.c;
    const auto status =
        lt_.matmul(context_.get(), operation_.get(), &args.alpha, left, left_.get(), right,
                   right_.get(), &args.beta, c, c_.get(), args.d, d_.get(), &algorithm,
                   workspace_.get(), kWorkspaceBytes, static_cast<cudaStream_t>(stream.handle));
    return status == CUBLAS_STATUS_SUCCESS ? Status{} : lt_.refused("cublasLtMatmul", status);
  }

  Status make_operation() {
    cublasLtMatmulDesc_t operation = nullptr;
    // Plain fp32 sums; for f32 operands plain fp32 products too, no TF32.
    auto status = lt_.operation_create(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    if (status) return lt_.refused("cublasLtMatmulDescCreate", status);
    operation_.reset(operation);
    const Roles roles(problem_);
    const auto transposed = [&](const Operand& operand) {
      return operand.order == problem_.d.order ? CUBLAS_OP_N : CUBLAS_OP_T;
    };
    const cublasOperation_t left = transposed(roles.left), right = transposed(roles.right);
    status = lt_.operation_set(operation, CUBLASLT_MATMUL_DESC_TRANSA, &left, sizeof left);
    if (!status) {
      status = lt_.operation_set(operation, CUBLASLT_MATMUL_DESC_TRANSB, &right, sizeof right);
    }
    return status ? lt_.refused("cublasLtMatmulDescSetAttribute", status) : Status{};
  }

  Status make_layouts() {
    const Roles roles(problem_);
    const auto as_it_is = [&](const Operand& operand) { return operand.order == problem_.d.order; };
    const bool left_as_is = as_it_is(roles.left), right_as_is = as_it_is(roles.right);
    Status status = make_layout(left_, roles.left, left_as_is ? roles.rows : problem_.k,
                                left_as_is ? problem_.k : roles.rows);
    if (status.ok()) {
      status = make_layout(right_, roles.right, right_as_is ? problem_.k : roles.columns,
                           right_as_is ? roles.columns : problem_.k);
    }
    if (status.ok()) status = make_layout(c_, read_as_c(), roles.rows, roles.columns);
    if (status.ok()) status = make_layout(d_, problem_.d, roles.rows, roles.columns);
    return status;
  }

  // With beta 0 the C argument is D itself, and nothing that the problem says of C counts.
  const Operand& read_as_c() const { return reads_c_ ? problem_.c : problem_.d; }

  Status make_layout(Layout& layout, const Operand& operand, std::int64_t rows,
                     std::int64_t columns) {
    const Result<cudaDataType_t> type = cuda_type(operand.type);
    if (!type) return type.status();
    cublasLtMatrixLayout_t made = nullptr;
    auto status = lt_.layout_create(&made, *type, static_cast<std::uint64_t>(rows),
                                    static_cast<std::uint64_t>(columns), operand.ld);
    if (status) return lt_.refused("cublasLtMatrixLayoutCreate", status);
    layout.reset(made);
    const auto batch = static_cast<std::int32_t>(problem_.batch);
    status = lt_.layout_set(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
    if (!status) {
      status = lt_.layout_set(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                              &operand.batch_stride, sizeof operand.batch_stride);
    }
    return status ? lt_.refused("cublasLtMatrixLayoutSetAttribute", status) : Status{};
  }

  Status ask_heuristics(int most) {
    cublasLtMatmulPreference_t made = nullptr;
    auto status = lt_.preference_create(&made);
    if (status) return lt_.refused("cublasLtMatmulPreferenceCreate", status);
    const Owned<cublasLtMatmulPreferenceOpaque_t> preference(made, lt_.preference_destroy);
    const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
      if (!status) status = lt_.preference_set(made, attribute, &value, sizeof value);
    };
    const auto alignment = [](const Operand& operand) {
      return static_cast<std::uint32_t>(operand.alignment_bytes);
    };
    const Roles roles(problem_);
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(kWorkspaceBytes));
    // Partial sums of a split K stay fp32 too: the other schemes would round them to D's type.
    if (problem_.d.type != DType::kF32) {
      set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
          static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    }
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(roles.left));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(roles.right));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(read_as_c()));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(problem_.d));
    if (status) return lt_.refused("cublasLtMatmulPreferenceSetAttribute", status);

    std::vector<cublasLtMatmulHeuristicResult_t> found(static_cast<std::size_t>(most));
    int count = 0;
    status = lt_.heuristics(context_.get(), operation_.get(), left_.get(), right_.get(), c_.get(),
                            d_.get(), made, most, found.data(), &count);
    if (status) return lt_.refused("cublasLtMatmulAlgoGetHeuristic", status);
    for (int i = 0; i < count; ++i) {
      if (found[i].state == CUBLAS_STATUS_SUCCESS) heuristics_.push_back(found[i]);
    }
    if (!heuristics_.empty()) return {};
    return Status::unsupported("cublasLtMatmulAlgoGetHeuristic found no algorithm that holds");
  }

  CublasLt lt_;
  GemmProblem problem_;
  bool exchanged_, reads_c_;
  Owned<Context> context_{nullptr, lt_.destroy};
  Owned<cublasLtMatmulDescOpaque_t> operation_{nullptr, lt_.operation_destroy};
  Layout left_{nullptr, lt_.layout_destroy}, right_{nullptr, lt_.layout_destroy};
  Layout c_{nullptr, lt_.layout_destroy}, d_{nullptr, lt_.layout_destroy};
  OwnedMemory workspace_{nullptr, nullptr};
  std::vector<cublasLtMatmulHeuristicResult_t> heuristics_;
  std::size_t chosen_ = 0;
};

class CublasLtPeer : public Implementation {
 public:
  explicit CublasLtPeer(bool best_of_16) : best_of_16_(best_of_16) {}

  std::string_view id() const override {
    return best_of_16_ ? "cublaslt-best16" : "cublaslt-first";
  }
  std::string missing() const override { return lt_.library.missing(); }

  Provenance provenance() const override {
    Provenance provenance{.version = "",
                          .path = lt_.library.path(),
                          .policy = best_of_16_
                                        ? fmt::format("fastest of up to {} heuristics by time ({})",
                                                      kMostHeuristics, kTuningMethod)
                                        : "first heuristic",
                          .workspace_limit_bytes = kWorkspaceBytes};
    provenance.policy += "; fp32 sums, no TF32";
    if (missing().empty()) {
      const std::size_t version = lt_.version();  // 130100 is 13.1.0
      provenance.version =
          fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
    }
    return provenance;
  }

  Result<std::unique_ptr<PreparedGemm>> prepare(const GemmProblem& problem,
                                                const DeviceInfo& device,
                                                std::span<const GemmArgs> sets,
                                                Stream) override {
    const GemmArgs& sample = sets.front();
    if (const std::string why = missing(); !why.empty()) return Status::unsupported(why);
    if (Status status = check(problem, device, sample); !status) return status;
    if (const cudaError_t error = cudaSetDevice(device.index); error != cudaSuccess) {
      return Status(StatusCode::kNoDevice,
                    fmt::format("GPU {}: {}", device.index, cudaGetErrorString(error)));
    }
    auto prepared = std::make_unique<PreparedCublasLt>(lt_, problem, sample.beta != 0);
    Status status = prepared->open(device, best_of_16_ ? kMostHeuristics : 1);
    if (status.ok() && best_of_16_) status = prepared->choose_fastest(sample);
    if (!status) return Status(status.code(), fmt::format("{}: {}", id(), status.message()));
    return std::unique_ptr<PreparedGemm>(std::move(prepared));
  }

 private:
  Status check(const GemmProblem& problem, const DeviceInfo& device, const GemmArgs& sample) const {
    if (device.backend != Backend::kCuda) {
      return Status::unsupported(fmt::format("{} runs on cuda only, the device here is {}", id(),
                                             name_of(device.backend)));
    }
    for (const std::int64_t size : {problem.m, problem.n, problem.k, problem.batch}) {
      if (size < 1 || size > std::numeric_limits<std::int32_t>::max()) {
        return Status::unsupported(
            fmt::format("{} takes sizes from 1 to 2^31 - 1 here, not {}", id(), size));
      }
    }
    if (sample.beta != 0 && problem.c.order != problem.d.order) {
      return Status::unsupported(
          fmt::format("{} takes C in D's order only where beta is not 0", id()));
    }
    return {};
  }

  bool best_of_16_;
  CublasLt lt_;
};

}  // namespace

std::unique_ptr<Implementation> make_cublaslt(bool best_of_16) {
  return std::make_unique<CublasLtPeer>(best_of_16);
}

}  // namespace tilewright::measure
