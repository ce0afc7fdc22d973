#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "measure/peers/fastest_launch.h"
#include "measure/peers/implementation.h"
#include "tests/measure/peer_problem.h"

namespace tilewright::measure {
namespace {

using ::testing::HasSubstr;

class DeviceCopy {
 public:
  explicit DeviceCopy(const std::vector<std::byte>& host) : bytes_(host.size()) {
    EXPECT_EQ(cudaMalloc(&data_, bytes_), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, host.data(), bytes_, cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~DeviceCopy() { (void)cudaFree(data_); }
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;

  void* data() const { return data_; }
  void put(const std::vector<std::byte>& host) {
    EXPECT_EQ(cudaMemcpy(data_, host.data(), bytes_, cudaMemcpyHostToDevice), cudaSuccess);
  }
  void get(std::vector<std::byte>& host) const {
    EXPECT_EQ(cudaMemcpy(host.data(), data_, bytes_, cudaMemcpyDeviceToHost), cudaSuccess);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

struct TypePair {
  DType inputs, output;
};

constexpr TypePair kTypePairs[] = {{DType::kF16, DType::kF16},
                                   {DType::kF16, DType::kF32},
                                   {DType::kBF16, DType::kBF16},
                                   {DType::kBF16, DType::kF32},
                                   {DType::kF32, DType::kF32}};

class CublasLt : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    Result<DeviceInfo> device = cuda_device(0);
    if (!device.ok()) GTEST_SKIP() << device.status().message();
    device_ = *std::move(device);
    auto made = make_implementation(GetParam(), device_);
    ASSERT_TRUE(made.ok()) << made.status().message();
    peer_ = *std::move(made);
    ASSERT_EQ(peer_->missing(), "");
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
  }
  void TearDown() override {
    if (stream_ != nullptr) {
      EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    }
  }

  void launch(PreparedGemm& prepared, const GemmArgs& args, bool in_graph) {
    if (in_graph) {
      ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    }
    const Status status = prepared.run(args, {.handle = stream_});
    if (in_graph) {
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t exec = nullptr;
      ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
      ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
      ASSERT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
      ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
      (void)cudaGraphExecDestroy(exec);
      (void)cudaGraphDestroy(graph);
    }
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  }

  struct Way {
    float alpha = 1, beta = 0;
    bool in_place = false, in_graph = false;
    bool element_aligned = false;
  };

  void solve(const PeerShape& shape, const OrderMix& mix, const TypePair& types, const Way& way) {
    PeerProblem one(shape, mix, types.inputs, types.output);
    if (way.in_place) {
      one.put_c_in_d();
    } else {
      one.poison_d();
    }
    GemmProblem& problem = one.problem();
    for (Operand* operand : {&problem.a, &problem.b, &problem.c, &problem.d}) {
      if (way.element_aligned) operand->alignment_bytes = bits_of(operand->type) / 8;
    }
    const DeviceCopy a(one.a()), b(one.b()), c(one.c());
    DeviceCopy d(one.d());
    GemmArgs args;
    args.a = a.data();
    args.b = b.data();
    args.c = way.beta == 0 ? nullptr : way.in_place ? d.data() : c.data();
    args.d = d.data();
    args.alpha = way.alpha;
    args.beta = way.beta;
    SCOPED_TRACE(::testing::Message()
                 << letters_of(mix) << " " << shape.m << " " << shape.n << " " << shape.k
                 << " batch " << shape.batch << " pad " << shape.pad << " " << name_of(types.inputs)
                 << " to " << name_of(types.output) << " beta " << way.beta
                 << (way.in_place ? " in place" : ""));
    auto prepared = peer_->prepare(problem, device_, {&args, 1}, {.handle = stream_});
    ASSERT_TRUE(prepared.ok()) << prepared.status().message();
    d.put(one.d());  // tuning may have written to it
    launch(**prepared, args, way.in_graph);
    d.get(one.d());
    EXPECT_TRUE(one.d_is_right(way.alpha, way.beta)) << (*prepared)->kernel_name();
  }

  DeviceInfo device_;
  std::unique_ptr<Implementation> peer_;
  cudaStream_t stream_ = nullptr;
};

TEST_P(CublasLt, SolvesEveryOrderMixAndType) {
  for (const TypePair& types : kTypePairs) {
    for (const OrderMix& mix : all_order_mixes()) {
      solve({64, 48, 32, 1, 0}, mix, types, {});
      solve({136, 72, 264, 2, 8}, mix, types, {});
    }
  }
}

TEST_P(CublasLt, SolvesOddSizesAtElementAlignment) {
  for (const TypePair& types : kTypePairs) {
    for (const OrderMix& mix : all_order_mixes()) {
      solve({37, 53, 41, 1, 3}, mix, types, {.element_aligned = true});
    }
  }
}

TEST_P(CublasLt, ScalesAndAddsC) {
  for (const TypePair& types : kTypePairs) {
    for (const OrderMix& mix : all_order_mixes()) {
      solve({40, 56, 64, 2, 8}, mix, types, {.alpha = -2, .beta = 0.5f});
      // Tuning on C in place would feed D back into itself many times; the values stay finite.
      solve({40, 56, 64, 2, 8}, mix, types, {.alpha = 1, .beta = 0.5f, .in_place = true});
    }
  }
}

TEST_P(CublasLt, CanBeCaptured) {
  solve({128, 128, 64, 1, 0}, {Order::kRowMajor, Order::kColMajor, Order::kRowMajor}, kTypePairs[0],
        {.in_graph = true});
}

TEST_P(CublasLt, SaysWhatWasLoadedAndChosen) {
  EXPECT_THAT(peer_->provenance().version, ::testing::MatchesRegex("1[0-9]\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(peer_->provenance().path, HasSubstr("libcublasLt"));
  EXPECT_EQ(peer_->provenance().workspace_limit_bytes, 64 << 20);
  PeerProblem one({256, 256, 256, 1, 0}, {Order::kRowMajor, Order::kColMajor, Order::kRowMajor},
                  DType::kF16, DType::kF16);
  const DeviceCopy a(one.a()), b(one.b()), d(one.d());
  GemmArgs args;
  args.a = a.data();
  args.b = b.data();
  args.d = d.data();
  auto prepared = peer_->prepare(one.problem(), device_, {&args, 1}, {});
  ASSERT_TRUE(prepared.ok()) << prepared.status().message();
  const bool first = std::string(GetParam()) == "cublaslt-first";
  EXPECT_THAT((*prepared)->kernel_name(),
              HasSubstr(first ? "heuristic 1 of 1: algo" : "heuristic"));

  args.beta = 1;
  args.c = args.d;
  EXPECT_EQ((*prepared)->run(args, {}).code(), StatusCode::kInvalidArgument);
}

TEST_P(CublasLt, RefusesWhatItCannotDoWithItsOwnWords) {
  const auto mixed =
      peer_->prepare(default_gemm(64, 64, 64, DType::kF16, DType::kBF16), device_, kNoSets, {});
  ASSERT_FALSE(mixed.ok());
  EXPECT_EQ(mixed.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(mixed.status().message(), HasSubstr("CUBLAS_STATUS_"));

  EXPECT_THAT(peer_->prepare(default_gemm(64, 64, 64, DType::kE4M3, DType::kF32), device_, kNoSets, {})
                  .status()
                  .message(),
              HasSubstr("not e4m3"));

  GemmProblem other_order = default_gemm(64, 64, 64, DType::kF16, DType::kF16);
  other_order.c.order = Order::kColMajor;
  GemmArgs adds;
  adds.beta = 1;
  EXPECT_EQ(peer_->prepare(other_order, device_, {&adds, 1}, {}).status().code(),
            StatusCode::kUnsupported);
}

INSTANTIATE_TEST_SUITE_P(Policies, CublasLt, ::testing::Values("cublaslt-first", "cublaslt-best16"),
                         [](const auto& test) {
                           return std::string(test.param) == "cublaslt-first" ? "first" : "best16";
                         });

TEST(FastestLaunch, TakesTheFastestThatLaunches) {
  if (const auto device = cuda_device(0); !device.ok()) GTEST_SKIP() << device.status().message();
  constexpr std::size_t kMuch = std::size_t{256} << 20;
  const DeviceCopy memory{std::vector<std::byte>(kMuch)};
  const auto fill = [&](std::size_t bytes) {
    return [&memory, bytes](Stream stream) {
      return cudaMemsetAsync(memory.data(), 0, bytes, static_cast<cudaStream_t>(stream.handle)) ==
                     cudaSuccess
                 ? Status{}
                 : Status(StatusCode::kDeviceError, "memset");
    };
  };
  const auto refuse = [](Stream) { return Status::unsupported("not this one"); };
  const auto fastest = fastest_launch({refuse, fill(kMuch), fill(4096), fill(kMuch / 2)});
  ASSERT_TRUE(fastest.ok()) << fastest.status().message();
  EXPECT_EQ(*fastest, 2u);
  EXPECT_EQ(fastest_launch({refuse, refuse}).status().message(), "not this one");
  EXPECT_FALSE(fastest_launch({}).ok());
}

}  // namespace
}  // namespace tilewright::measure
