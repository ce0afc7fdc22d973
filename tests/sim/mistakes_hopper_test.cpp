// Mistakes with copies that tell mbarriers, products of warpgroups, proxies and clusters.
#include "hw/barrier.h"
#include "hw/cluster.h"
#include "hw/fence.h"
#include "hw/index.h"
#include "hw/mbarrier.h"
#include "hw/registers.h"
#include "hw/shared.h"
#include "hw/tma.h"
#include "hw/warp.h"
#include "hw/wgmma.h"
#include "tests/sim/mistakes_harness.h"

namespace tilewright::test {
namespace {

// One kernel with many places for a slip; each test names the one that it makes.
enum class Slip : std::uint8_t {
  kNone,
  kNoWait,
  kTooFewBytes,
  kTooManyBytes,
  kNoEmptyWait,
  kSamePhase,
  kNoInitFence,
  kNoBarrierAfterInit,
  kTwoArrivals,
  kOrdinaryStore,
};

hw::Shared<std::uint32_t> words(int offset_bytes) {
  return hw::dynamic_shared<std::uint32_t>(offset_bytes);
}
hw::Mbarrier full() {
  return hw::dynamic_shared<std::uint64_t>(0);
}
hw::Mbarrier empty() {
  return hw::dynamic_shared<std::uint64_t>(8);
}

// Warp 0 fetches 256 bytes three times into one stage, warp 1 reads them.
template <Slip kSlip>
void fetch(SmallParams p) {
  const auto stage = words(128);
  if (hw::thread_index() == 0) {
    hw::mbarrier_init(full(), 1);
    hw::mbarrier_init(empty(), 32);
    if (kSlip != Slip::kNoInitFence) hw::fence_mbarrier_init();
  }
  if (kSlip != Slip::kNoBarrierAfterInit) hw::sync_threads();
  for (int round = 0; round < 3; ++round) {
    const unsigned parity = static_cast<unsigned>(round) & 1;
    if (hw::thread_index() == 0) {
      if (kSlip != Slip::kNoEmptyWait) hw::mbarrier_wait(empty(), parity ^ 1);
      const int off = kSlip == Slip::kTooFewBytes ? -128 : kSlip == Slip::kTooManyBytes ? 128 : 0;
      hw::mbarrier_arrive_expect_tx(full(), 256 + off);
      hw::bulk_load(stage, p.given + round * 64, 128, full());
      hw::bulk_load(stage + 32, p.given + round * 64 + 32, 128, full());
      if (kSlip == Slip::kTwoArrivals) hw::mbarrier_arrive(full());
    }
    if (hw::warp_index() == 1) {
      if (kSlip != Slip::kNoWait) hw::mbarrier_wait(full(), kSlip == Slip::kSamePhase ? 0 : parity);
      p.out[round * 64 + hw::lane_index()] = stage[hw::lane_index() * 2];
      if (kSlip == Slip::kOrdinaryStore) words(0)[0] = 0u;
      hw::mbarrier_arrive(empty());
    }
  }
}
constexpr hw::LaunchShape kFetch = {.blocks = 1, .threads = 64, .shared_bytes = 384};

TEST(HopperMistakes, FetchingIsRight) {
  expect_passes(fetch<Slip::kNone>, kFetch);
}
TEST(HopperMistakes, AFetchedStageIsReadTooEarly) {
  expect_stopped(fetch<Slip::kNoWait>, kFetch, "(reads shared bytes|overwrites shared bytes|hang)");
}
TEST(HopperMistakes, ExpectTxDoesNotBalance) {
  expect_stopped(fetch<Slip::kTooFewBytes>, kFetch,
                 "(reads shared bytes|hang|unbalanced|overwrites)");
  expect_stopped(
      fetch<Slip::kTooManyBytes>, kFetch,
      "hang: nothing can go on(.|\n)*parity 0 of the mbarrier at shared byte 0 of block 0 "
      ".*phase 0, 0 of 1 arrivals missing, 128 bytes expected");
}
TEST(HopperMistakes, AStageIsOverwrittenWhileItIsRead) {
  expect_stopped(fetch<Slip::kNoEmptyWait>, kFetch,
                 "(overwrites shared bytes|reads shared bytes|one arrival too many)");
}
TEST(HopperMistakes, AWaitPassesOnAStalePhase) {
  expect_stopped(fetch<Slip::kSamePhase>, kFetch,
                 "(passes on a stale phase|hang: nothing can go on)");
}
TEST(HopperMistakes, AnMbarrierIsUsedBeforeItIsThere) {
  expect_stopped(fetch<Slip::kNoInitFence>, kFetch, "without fence.mbarrier_init");
  expect_stopped(
      fetch<Slip::kNoBarrierAfterInit>, kFetch,
      "(there is no mbarrier at shared byte|no synchronisation orders that after its making)");
}
TEST(HopperMistakes, ArrivalsAreCounted) {
  expect_stopped(fetch<Slip::kTwoArrivals>, kFetch,
                 "(one arrival too many|reads shared bytes|hang|unbalanced|overwrites)");
}
TEST(HopperMistakes, AnMbarrierIsNoPlainMemory) {
  expect_stopped(fetch<Slip::kOrdinaryStore>, kFetch, "which belong to the mbarrier made at");
}

enum class Way : std::uint8_t { kRight, kNoFence, kNoCommit, kNoWait, kReused };

// Stores a tile with the copy engine.
template <Way kWay>
void put(SmallParams p) {
  const auto tile = words(0);
  tile[hw::thread_index()] = p.given[hw::thread_index()];
  if (kWay != Way::kNoFence) hw::fence_proxy_async_shared();
  hw::sync_threads();
  if (hw::thread_index() == 0) {
    hw::bulk_store(p.out, tile, 128);
    if (kWay != Way::kNoCommit) hw::bulk_commit();
    if (kWay == Way::kRight) hw::bulk_wait_read<0>();
    if (kWay == Way::kReused) {
      tile[4] = 7u;
      hw::bulk_wait_read<0>();
    }
  }
}
TEST(HopperMistakes, BulkStoresReadTheirSourceLater) {
  const hw::LaunchShape shape = {.blocks = 1, .threads = 32, .shared_bytes = 128};
  expect_passes(put<Way::kRight>, shape);
  expect_stopped(put<Way::kNoFence>, shape,
                 "written by ordinary stores at .*, with no proxy fence");
  expect_stopped(put<Way::kNoCommit>, shape, "bulk store that belongs to no committed group");
  expect_stopped(put<Way::kNoWait>, shape, "may still be reading shared memory");
  expect_stopped(put<Way::kReused>, shape, "which an asynchronous operation .* is still reading");
}

enum class Product : std::uint8_t {
  kRight,
  kNoFence,
  kNoCommit,
  kNoWait,
  kTouched,
  kTouchedA,
  kNoProxyFence,
  kOverwritten,
  kOneWarpWaits,
};

template <Product kSlip>
void product(SmallParams p) {
  for (int i = hw::thread_index(); i < 1024; i += 128) words(0)[i] = 0u;
  if (kSlip != Product::kNoProxyFence) hw::fence_proxy_async_shared();
  hw::sync_threads();
  float d[4] = {};
  std::uint32_t a[4] = {};
  const auto b =
      hw::wgmma_descriptor(hw::dynamic_shared<hw::F16>(), 0, 1024, hw::WgmmaSwizzle::k128);
  if (kSlip != Product::kNoFence) hw::wgmma_fence();
  hw::wgmma<hw::F16, 8>(d, a, b, true);
  if (kSlip != Product::kNoCommit) hw::wgmma_commit();
  if (kSlip == Product::kTouched) d[1] = 1;
  if (kSlip == Product::kTouchedA) a[2] = 1;
  if (kSlip == Product::kOverwritten && hw::thread_index() == 77) words(0)[0] = 1u;
  const bool waits = kSlip != Product::kOneWarpWaits || hw::warp_index() == 0;
  if (kSlip != Product::kNoWait && waits) hw::wgmma_wait<0>();
  if (kSlip == Product::kOneWarpWaits) {
    hw::sync_threads();
    if (hw::thread_index() == 0) words(0)[0] = 1u;
  }
  p.out[hw::thread_index()] = d[0] == 0;
}
constexpr hw::LaunchShape kProduct = {.blocks = 1, .threads = 128, .shared_bytes = 4096};

TEST(HopperMistakes, ProductsAreAsynchronous) {
  expect_passes(product<Product::kRight>, kProduct);
  expect_stopped(product<Product::kNoFence>, kProduct, "has executed no wgmma.fence");
  expect_stopped(product<Product::kNoCommit>, kProduct,
                 "ends with a wgmma that nothing has waited for");
  expect_stopped(product<Product::kNoWait>, kProduct,
                 "ends with a wgmma that nothing has waited for");
  expect_stopped(product<Product::kNoProxyFence>, kProduct, "with no proxy fence on the way");
  expect_stopped(product<Product::kOverwritten>, kProduct,
                 "which an asynchronous operation .* reading");
  expect_stopped(product<Product::kOneWarpWaits>, kProduct,
                 "which an asynchronous operation .* reading");
  expect_stopped(product<Product::kTouched>, kProduct,
                 "an accumulator was written while a wgmma was under way");
}
// Seen where the product reads its registers late.
TEST(HopperMistakes, RegistersOfAStayAsTheyAre) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Memory memory;
    const Status status = run_small(product<Product::kTouchedA>, kProduct,
                                    {.seed = seed, .copies = SimCopies::kLate}, memory);
    EXPECT_THAT(status.message(), testing::HasSubstr("a register of operand A was written"));
  }
}

template <Slip kSlip>
void tell_the_other_block(SmallParams p) {
  if (hw::thread_index() == 0) {
    hw::mbarrier_init(full(), 32);
    hw::fence_mbarrier_init();
  }
  hw::cluster_sync();
  hw::mbarrier_arrive_remote(full(), hw::cluster_rank() ^ 1);
  if (kSlip != Slip::kNoWait) hw::mbarrier_wait(full(), 0);
  p.out[hw::thread_index()] = 1u;
}
TEST(HopperMistakes, ABlockMustNotEndBeforeOthersAreDoneWithIt) {
  const hw::LaunchShape shape = {.blocks = 2, .threads = 32, .shared_bytes = 16, .cluster = 2};
  expect_passes(tell_the_other_block<Slip::kNone>, shape);
  expect_stopped(tell_the_other_block<Slip::kNoWait>, shape,
                 "(has ended|may come after this block has ended)");
}

template <int kMore>
void take_registers(SmallParams) {
  hw::registers_decrease<24>();
  if (hw::warp_index() >= 4) hw::registers_increase<kMore>();
}
TEST(HopperMistakes, AnSmHasSoManyRegisters) {
  const hw::LaunchShape shape = {.blocks = 1, .threads = 384};
  expect_passes(take_registers<240>, shape);
  expect_stopped(take_registers<256>, shape, "an SM has 65536");
}

struct TensorParams {
  SmallParams small;
  hw::TensorMap map;
};
template <int kColumn>
void put_tensor(TensorParams p) {
  words(0)[hw::thread_index()] = p.small.given[hw::thread_index()];
  hw::fence_proxy_async_shared();
  hw::sync_threads();
  if (hw::thread_index() != 0) return;
  hw::tma_store(p.map, hw::TensorAt{kColumn, 0}, words(0));
  hw::bulk_commit();
  hw::bulk_wait<0>();
}
// A row of 6 floats with a pitch of 8: the engine writes whole 16 bytes, as an H200 does.
TEST(HopperMistakes, TensorStoresReachPastAnUnevenEdge) {
  Memory memory;
  hw::TensorMapSpec spec = {.type = hw::TensorType::kF32,
                            .rank = 2,
                            .base = memory.out,
                            .extents = {6, 4},
                            .strides_bytes = {32},
                            .box = {8, 4}};
  const auto run = [&](void (*kernel)(TensorParams), std::int64_t bytes) {
    const TensorParams params = {{{memory.given}, {memory.out}}, *hw::encode_tensor_map(spec)};
    return simulate(
        kernel, params, {.blocks = 1, .threads = 32, .shared_bytes = 128}, {},
        {{memory.given, sizeof(memory.given), false, "given"}, {memory.out, bytes, true, "out"}});
  };
  EXPECT_TRUE(run(put_tensor<0>, 4 * 32).ok());
  EXPECT_THAT(run(put_tensor<0>, 3 * 32 + 6 * 4).message(),
              testing::HasSubstr("writes 16 bytes at byte 112 of out, which has 120"));
  EXPECT_THAT(run(put_tensor<2>, 4 * 32).message(),
              testing::HasSubstr("multiples of 4 are accepted"));
  EXPECT_THAT(run(put_tensor<-4>, 4 * 32).message(), testing::HasSubstr("none below 0"));
}

}  // namespace
}  // namespace tilewright::test
