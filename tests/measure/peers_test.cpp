#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "measure/peers/dynamic_library.h"
#include "measure/peers/implementation.h"
#include "tests/measure/peer_problem.h"

namespace tilewright::measure {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

DeviceInfo two_cores() {
  DeviceInfo device;
  device.cpu.cores = 2;
  return device;
}

DeviceInfo some_gpu() {
  DeviceInfo device;
  device.backend = Backend::kCuda;
  return device;
}

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    const char* before = std::getenv(name);
    had_ = before != nullptr;
    if (had_) before_ = before;
    setenv(name, value, 1);
  }
  ~Variable() { had_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool had_ = false;
};

struct Scale {
  float alpha, beta;
  bool in_place;
};

class CpuPeer : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Implementation>> made = make_implementation(GetParam(), two_cores());
    ASSERT_TRUE(made.ok()) << made.status().message();
    peer_ = *std::move(made);
    if (!peer_->missing().empty()) GTEST_SKIP() << peer_->missing();
  }

  void solve(const PeerShape& shape, const OrderMix& mix, const Scale& scale) {
    PeerProblem one(shape, mix, DType::kF32, DType::kF32);
    GemmArgs args;
    args.a = one.a().data();
    args.b = one.b().data();
    args.alpha = scale.alpha;
    args.beta = scale.beta;
    if (scale.in_place) {
      one.put_c_in_d();
      args.c = one.d().data();
    } else {
      one.poison_d();
      args.c = scale.beta == 0 ? nullptr : one.c().data();
    }
    args.d = one.d().data();
    auto prepared = peer_->prepare(one.problem(), two_cores(), {&args, 1}, {});
    ASSERT_TRUE(prepared.ok()) << prepared.status().message();
    const Status status = (*prepared)->run(args, {});
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(one.d_is_right(scale.alpha, scale.beta))
        << letters_of(mix) << " " << shape.m << " " << shape.n << " " << shape.k << " batch "
        << shape.batch << " pad " << shape.pad << " alpha " << scale.alpha << " beta " << scale.beta
        << " by " << (*prepared)->kernel_name() << ", " << peer_->provenance().version;
  }

  std::unique_ptr<Implementation> peer_;
};

TEST_P(CpuPeer, SolvesEveryOrderMixAndShape) {
  for (const OrderMix& mix : all_order_mixes()) {
    for (const PeerShape& shape : {PeerShape{1, 1, 1, 1, 0}, PeerShape{37, 53, 41, 1, 0},
                                   PeerShape{1, 129, 67, 1, 3}, PeerShape{130, 1, 65, 1, 5},
                                   PeerShape{64, 48, 32, 3, 7}, PeerShape{257, 193, 301, 1, 1}}) {
      solve(shape, mix, {.alpha = 1, .beta = 0, .in_place = false});
    }
  }
}

TEST_P(CpuPeer, ScalesAndAddsC) {
  for (const OrderMix& mix : all_order_mixes()) {
    const PeerShape shape{33, 29, 40, 2, 3};
    solve(shape, mix, {.alpha = -0.5f, .beta = 0, .in_place = false});
    solve(shape, mix, {.alpha = 2, .beta = 0.75f, .in_place = false});
    solve(shape, mix, {.alpha = 2, .beta = 0.75f, .in_place = true});
    solve(shape, mix, {.alpha = 0, .beta = 1.5f, .in_place = false});
  }
}

TEST_P(CpuPeer, AddsCOfTheOtherOrder) {
  for (const OrderMix& mix : all_order_mixes()) {
    OrderMix other = mix;
    other.d = mix.d == Order::kRowMajor ? Order::kColMajor : Order::kRowMajor;
    const PeerShape shape{21, 34, 13, 2, 2};
    PeerProblem one(shape, mix, DType::kF32, DType::kF32);
    PeerProblem donor(shape, other, DType::kF32, DType::kF32);
    one.problem().c = donor.problem().c;
    one.c() = donor.c();
    one.poison_d();
    GemmArgs args;
    args.a = one.a().data();
    args.b = one.b().data();
    args.c = one.c().data();
    args.d = one.d().data();
    args.beta = -1;
    auto prepared = peer_->prepare(one.problem(), two_cores(), {&args, 1}, {});
    ASSERT_TRUE(prepared.ok()) << prepared.status().message();
    ASSERT_TRUE((*prepared)->run(args, {}).ok());
    EXPECT_TRUE(one.d_is_right(1, -1)) << letters_of(mix);
  }
}

TEST_P(CpuPeer, AnEmptySumLeavesScaledCOrIsRefused) {
  const PeerShape shape{12, 19, 0, 2, 4};
  for (const OrderMix& mix : all_order_mixes()) {
    if (peer_->id() == "onednn") {
      PeerProblem one(shape, mix, DType::kF32, DType::kF32);
      EXPECT_EQ(peer_->prepare(one.problem(), two_cores(), kNoSets, {}).status().message(),
                "onednn takes k from 1 up, not 0: dnnl_sgemm would leave D as it was");
      continue;
    }
    solve(shape, mix, {.alpha = 1, .beta = 0, .in_place = false});
    solve(shape, mix, {.alpha = 1, .beta = 2, .in_place = false});
  }
}

TEST_P(CpuPeer, AnEmptyProductWritesNothing) {
  const OrderMix mix{Order::kRowMajor, Order::kColMajor, Order::kRowMajor};
  solve({0, 5, 7, 2, 4}, mix, {.alpha = 1, .beta = 0, .in_place = false});
  solve({5, 0, 7, 2, 4}, mix, {.alpha = 1, .beta = 0, .in_place = false});
  solve({5, 6, 7, 0, 4}, mix, {.alpha = 1, .beta = 0, .in_place = false});
}

TEST_P(CpuPeer, SaysWhatWasLoaded) {
  const Provenance provenance = peer_->provenance();
  EXPECT_THAT(provenance.version, ::testing::MatchesRegex(".*[0-9]+\\.[0-9]+\\.[0-9]+.*"));
  EXPECT_THAT(provenance.path, ::testing::StartsWith("/"));
  EXPECT_FALSE(provenance.policy.empty());
}

TEST_P(CpuPeer, RefusesHalfTypesInASentence) {
  for (const DType type : {DType::kF16, DType::kBF16}) {
    const auto prepared =
        peer_->prepare(default_gemm(8, 8, 8, type, DType::kF32), two_cores(), kNoSets, {});
    ASSERT_FALSE(prepared.ok());
    EXPECT_EQ(prepared.status().code(), StatusCode::kUnsupported);
    EXPECT_EQ(prepared.status().message(),
              std::string(GetParam()) + " takes f32 only here, not " + std::string(name_of(type)));
  }
}

TEST_P(CpuPeer, RefusesTheGpu) {
  const auto prepared =
      peer_->prepare(default_gemm(8, 8, 8, DType::kF32, DType::kF32), some_gpu(), kNoSets, {});
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.status().code(), StatusCode::kUnsupported);
}

INSTANTIATE_TEST_SUITE_P(Peers, CpuPeer, ::testing::Values("openblas", "onednn"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Peers, OpenBlasRefusesSizesBeyondItsIntegers) {
  const std::unique_ptr<Implementation> peer = make_openblas();
  if (!peer->missing().empty()) GTEST_SKIP() << peer->missing();
  const auto prepared = peer->prepare(
      default_gemm(std::int64_t{1} << 31, 1, 1, DType::kF32, DType::kF32), two_cores(), kNoSets, {});
  ASSERT_FALSE(prepared.ok());
  EXPECT_THAT(prepared.status().message(), HasSubstr("up to 2147483647, not 2147483648"));
}

TEST(Peers, AnAbsentLibraryIsMissingWithTheReason) {
  const Variable blas("TILEWRIGHT_OPENBLAS", "/nowhere/libopenblas.so.0");
  const Variable dnn("TILEWRIGHT_ONEDNN", "/nowhere/libdnnl.so.2");
  EXPECT_THAT(make_openblas()->missing(),
              AllOf(HasSubstr("TILEWRIGHT_OPENBLAS names a library that does not load"),
                    HasSubstr("/nowhere/libopenblas.so.0")));
  EXPECT_THAT(make_onednn()->missing(),
              AllOf(HasSubstr("TILEWRIGHT_ONEDNN"), HasSubstr("/nowhere/libdnnl.so.2")));
  EXPECT_EQ(make_openblas()->provenance().version, "");
  const auto prepared =
      make_onednn()->prepare(default_gemm(8, 8, 8, DType::kF32, DType::kF32), two_cores(), kNoSets, {});
  EXPECT_EQ(prepared.status().code(), StatusCode::kUnsupported);
}

TEST(Peers, AnotherLibraryUnderThatNameIsMissingToo) {
  const Variable blas("TILEWRIGHT_OPENBLAS", "libm.so.6");
  EXPECT_THAT(make_openblas()->missing(), HasSubstr("has no function cblas_sgemm"));
}

TEST(DynamicLibrary, NamesWhatWasTriedAndWhatHelps) {
  const DynamicLibrary library({.candidates = {"libtwnone.so.2", "/nowhere/libtwnone.so.1"},
                                .variable = "TILEWRIGHT_NONE",
                                .remedy = "install libtwnone2"});
  EXPECT_EQ(library.missing(),
            "libtwnone.so.2, /nowhere/libtwnone.so.1 not found; install libtwnone2 or name it in "
            "TILEWRIGHT_NONE");
  EXPECT_EQ(library.find<void()>("anything"), nullptr);
}

TEST(DynamicLibrary, TellsABrokenFileFromAnAbsentOne) {
  const DynamicLibrary library({.candidates = {TILEWRIGHT_SOURCE_DIR "/CMakeLists.txt"},
                                .variable = "TILEWRIGHT_NONE",
                                .remedy = "install libtwnone2"});
  EXPECT_THAT(library.missing(), AllOf(HasSubstr("does not load"), HasSubstr("ELF")));
}

TEST(DynamicLibrary, GivesTheResolvedPath) {
  const DynamicLibrary library(
      {.candidates = {"libm.so.6"}, .variable = "TILEWRIGHT_NONE", .remedy = ""});
  EXPECT_EQ(library.missing(), "");
  EXPECT_THAT(library.path(), AllOf(::testing::StartsWith("/"), HasSubstr("libm")));
}

TEST(Catalogue, DefaultsAreOursAndThePeersOfTheBackend) {
  EXPECT_THAT(default_ids(Backend::kCpu), ElementsAre("tilewright", "openblas", "onednn"));
  EXPECT_THAT(default_ids(Backend::kCuda),
              ElementsAre("tilewright", "cublaslt-first", "cublaslt-best16"));
}

TEST(Catalogue, EveryKnownIdIsMadeUnderItsName) {
  for (const DeviceInfo& device : {two_cores(), some_gpu()}) {
    for (const std::string& id : known_ids(device.backend)) {
      const auto made = make_implementation(id, device);
      ASSERT_TRUE(made.ok()) << made.status().message();
      EXPECT_EQ((*made)->id(), id);
    }
  }
}

TEST(Catalogue, KnowsTheRegistrysRowsOfTheBackend) {
  for (const KernelInfo& kernel : list_gemm()) {
    for (const Backend backend : {Backend::kCpu, Backend::kCuda}) {
      const auto contains = Contains(std::string(kernel.name));
      if (backend == kernel.backend) {
        EXPECT_THAT(known_ids(backend), contains);
      } else {
        EXPECT_THAT(known_ids(backend), Not(contains));
      }
    }
  }
}

TEST(Catalogue, SuggestsTheNearestIds) {
  const auto made = make_implementation("openblsa", two_cores());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(made.status().message(),
            "there is no implementation 'openblsa' for cpu; near it: openblas");
  EXPECT_THAT(make_implementation("cublaslt", some_gpu()).status().message(),
              HasSubstr("near it: cublaslt-first, cublaslt-best16"));
}

TEST(Catalogue, ListsAllWhereNothingIsNear) {
  EXPECT_THAT(
      make_implementation("zzzzzzzz", two_cores()).status().message(),
      AllOf(HasSubstr("'zzzzzzzz'"), HasSubstr("there are tilewright,"), HasSubstr("onednn")));
  EXPECT_THAT(make_implementation("", two_cores()).status().message(), HasSubstr("''"));
}

TEST(Catalogue, SaysWhereAnIdOfAnotherBackendRuns) {
  EXPECT_THAT(make_implementation("openblas", some_gpu()).status().message(),
              HasSubstr("openblas runs on cpu, not on cuda"));
}

}  // namespace
}  // namespace tilewright::measure
