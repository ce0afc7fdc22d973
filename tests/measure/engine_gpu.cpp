#include <gtest/gtest.h>

#include <utility>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "measure/protocol/compare.h"
#include "measure/protocol/device_cpu.h"
#include "measure/protocol/engine.h"
#include "measure/protocol/operands.h"
#include "measure/timers/timer.h"
#include "tilewright/device.h"

namespace tilewright::measure {
namespace {

class EngineGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<DeviceInfo> found = cuda_device();
    if (!found) GTEST_SKIP() << found.status().message();
    info_ = *found;
    Result<std::unique_ptr<Device>> made = make_device(info_);
    ASSERT_TRUE(made) << made.status().message();
    device_ = std::move(*made);
  }

  Buffer buffer(std::int64_t bytes) {
    Result<Buffer> made = Buffer::allocate(*device_, bytes);
    EXPECT_TRUE(made) << made.status().message();
    return std::move(*made);
  }

  std::vector<std::byte> bytes_of_buffer(const Buffer& from, std::int64_t count) {
    std::vector<std::byte> host(static_cast<std::size_t>(count));
    EXPECT_TRUE(device_->download(host.data(), from.data(), count));
    return host;
  }

  DeviceInfo info_;
  std::unique_ptr<Device> device_;
  CpuDevice host_{cpu_device()};
};

TEST_F(EngineGpu, FillAndChecksumAreTheHosts) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const Fill fill : {Fill::kUniform, Fill::kNormal, Fill::kInteger, Fill::kZero}) {
      // One of each beyond the largest grid, so that the loop over it is walked.
      const std::int64_t elements = fill == Fill::kUniform ? 3'000'001 : 100'003;
      const std::int64_t bytes = bytes_of(type, elements);
      const Buffer on_card = buffer(bytes);
      ASSERT_TRUE(device_->fill(on_card.data(), type, elements, {fill, 42}));
      std::vector<std::byte> on_host(static_cast<std::size_t>(bytes));
      ASSERT_TRUE(host_.fill(on_host.data(), type, elements, {fill, 42}));
      EXPECT_TRUE(bytes_of_buffer(on_card, bytes) == on_host) << name_of(type) << name_of(fill);

      const Result<std::uint64_t> card_sum = device_->checksum(on_card.data(), bytes);
      ASSERT_TRUE(card_sum);
      EXPECT_EQ(*card_sum, *host_.checksum(on_host.data(), bytes));
      const Result<std::uint64_t> shifted = device_->checksum(on_card.data() + 2, bytes - 5);
      ASSERT_TRUE(shifted);
      EXPECT_EQ(*shifted, *host_.checksum(on_host.data() + 2, bytes - 5));
    }
  }
  EXPECT_FALSE(device_->fill(buffer(16).data(), DType::kI8, 4, {}));
}

TEST_F(EngineGpu, PoisonCopyUploadAndFlush) {
  const Buffer one = buffer(1000), two = buffer(1000);
  ASSERT_TRUE(device_->poison(one.data(), 1000));
  EXPECT_EQ(bytes_of_buffer(one, 1000), std::vector<std::byte>(1000, std::byte{0xff}));
  const std::vector<std::byte> values(1000, std::byte{5});
  ASSERT_TRUE(device_->upload(one.data(), values.data(), 1000));
  ASSERT_TRUE(device_->copy(two.data(), one.data(), 1000));
  for (const Flush method : {Flush::kDiscard, Flush::kRead}) {
    ASSERT_TRUE(device_->flush_cache(method));
  }
  ASSERT_TRUE(device_->launch_nothing());
  ASSERT_TRUE(device_->delay(10'000));
  ASSERT_TRUE(device_->stream_bytes(one.data(), nullptr, 992));
  ASSERT_TRUE(device_->reserve_persisting_cache(1 << 20));
  ASSERT_TRUE(device_->reserve_persisting_cache(0));
  EXPECT_EQ(bytes_of_buffer(two, 1000), values);
  EXPECT_TRUE(device_->health());
  EXPECT_EQ(uuid_of(device_->info()), info_.gpu.uuid);
  EXPECT_GT(device_->cache_bytes(), 0);
  EXPECT_GT(device_->rotation_limit_bytes(), device_->cache_bytes());
}

TEST_F(EngineGpu, AnAllocationThatDoesNotFitIsRefusedAndForgotten) {
  const Result<Buffer> huge = Buffer::allocate(*device_, std::int64_t{1} << 50);
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.status().code(), StatusCode::kDeviceError);
  EXPECT_TRUE(device_->health());
  EXPECT_TRUE(Buffer::allocate(*device_, 1 << 20));
}

// Our own GEMM as the launch: samples are positive, longer for more launches, and everything that a
// sample should run was run.
TEST_F(EngineGpu, EventsTimeAGraphOfEveryLaunch) {
  const GemmProblem problem = default_gemm(512, 512, 512, DType::kF16, DType::kF16);
  Result<GemmPlan> plan = plan_gemm(problem, info_);
  if (!plan) GTEST_SKIP() << plan.status().message();
  Result<OperandSets> operands = OperandSets::allocate(*device_, problem, 4, false);
  ASSERT_TRUE(operands);
  ASSERT_TRUE(operands->fill({}, 1));
  const Buffer workspace = buffer(static_cast<std::int64_t>(plan->workspace_bytes()));
  const auto launch = [&](std::int64_t index) {
    return plan->run(operands->args(index % 4), {workspace.data(), plan->workspace_bytes()},
                     device_->stream());
  };
  Result<std::unique_ptr<Timer>> timer = make_events_timer(*device_);
  ASSERT_TRUE(timer);
  ASSERT_TRUE((*timer)->prepare(launch, 4));
  Result<std::vector<std::int64_t>> few = (*timer)->samples(5);
  ASSERT_TRUE(few) << few.status().message();
  EXPECT_TRUE(check_samples(*few, 5));
  std::vector<std::byte> image;
  for (std::int64_t set = 0; set < 4; ++set) {
    ASSERT_TRUE(operands->download_d(set, image));
    EXPECT_NE(image[OperandSets::kGuardBytes + 1], std::byte{0xff}) << "set " << set;
  }
}

TEST_F(EngineGpu, ACaptureWithoutAKernelLaunchesNothing) {
  Result<std::unique_ptr<Timer>> timer = make_events_timer(*device_);
  ASSERT_TRUE(timer);
  const Status nothing = (*timer)->prepare([](std::int64_t) { return Status{}; }, 3);
  EXPECT_NE(nothing.message().find("launches nothing"), std::string::npos) << nothing.message();
  // A copy is work, but no kernel.
  const Buffer memory = buffer(64);
  const auto copy = [&](std::int64_t) { return device_->poison(memory.data(), 64); };
  EXPECT_FALSE((*timer)->prepare(copy, 3));
  // A launch that fails leaves the stream usable.
  EXPECT_EQ((*timer)->prepare([](std::int64_t) { return Status::invalid("no"); }, 3).message(),
            "no");
  EXPECT_TRUE(device_->poison(memory.data(), 64));
  EXPECT_TRUE(device_->synchronize());
}

TEST_F(EngineGpu, CompareTimesAndChecksOurOwnKernels) {
  CompareSpec spec;
  spec.groups = {{{default_gemm(256, 256, 128, DType::kF16, DType::kF16)},
                  {"tilewright", "tilewright@again"}}};
  spec.device = info_;
  spec.protocol.first_warmup_ms = 10;
  spec.protocol.rounds = 2;
  spec.protocol.samples_per_round = 3;
  // CUPTI last, since its session stays for the life of the process.
  for (const auto& [regime, timer] :
       {std::pair{Regime::kSustained, "wall"}, std::pair{Regime::kSustained, "events"},
        std::pair{Regime::kIsolated, "events"}, std::pair{Regime::kIsolated, "cupti"},
        std::pair{Regime::kSustained, "cupti"}}) {
    SCOPED_TRACE(timer);
    spec.protocol.regime = regime;
    spec.protocol.timer = timer;
    Result<ComparedCells> done = compare(spec, {});
    ASSERT_TRUE(done) << done.status().message();
    EXPECT_EQ(done->ended_early, "");
    for (const Entry& entry : done->cells.at(0).entries) {
      EXPECT_EQ(entry.status, "ok") << entry.reason;
      EXPECT_FALSE(timer == std::string("cupti") && entry.facts.kernels.empty());
      EXPECT_TRUE(entry.check_after.passed) << entry.check_after.failure;
      EXPECT_GT(entry.time_ns, 0);
    }
  }
}

TEST_F(EngineGpu, VerifyReadsC) {
  const GemmProblem problem = default_gemm(100, 60, 40, DType::kF16, DType::kF16);
  Result<CheckRecord> record = verify("tilewright", problem, info_, 3, 0.5f, -2.0f);
  ASSERT_TRUE(record) << record.status().message();
  EXPECT_TRUE(record->passed) << record->failure;
  EXPECT_EQ(record->elements, 6000);
}

}  // namespace
}  // namespace tilewright::measure
