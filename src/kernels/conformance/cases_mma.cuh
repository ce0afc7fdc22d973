// Tensor-core products of a warp. With whole numbers every sum is exact and bits are compared; with
// others the hardware cuts bits off, by no more than the bound.
#pragma once

#include "hw/element.h"
#include "hw/mma.h"
#include "hw/wmma.h"
#include "kernels/conformance/case.h"

namespace tilewright::kernels::inline TW_TARGET {

template <class T, bool kExact>
struct CaseMma16 {
  static constexpr bool kHalf = std::is_same_v<T, hw::F16>;
  static constexpr CaseInfo kInfo{.name = kHalf ? (kExact ? "mma.f16" : "mma.f16.unit")
                                                : (kExact ? "mma.bf16" : "mma.bf16.unit"),
                                  .functions = "mma_m16n8k16",
                                  .outputs = 128,
                                  .given = kHalf ? (kExact ? Given::kSmallF16 : Given::kUnitF16)
                                                 : (kExact ? Given::kSmallBF16 : Given::kUnitBF16),
                                  .bound = kExact ? 0 : sum_bound(16, 21)};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const int lane = hw::lane_index();
    std::uint32_t a[4];
    for (int i = 0; i < 4; ++i) a[i] = given[lane * 8 + i];
    float d[4];
    for (int i = 0; i < 4; ++i)
      d[i] = static_cast<float>(lane - i * 7) * (kExact ? 1.0f : 1 / 64.0f);
    hw::mma_m16n8k16<T>(d, a, given[lane * 8 + 4], given[lane * 8 + 5]);
    for (int i = 0; i < 4; ++i) out[lane * 4 + i] = bits_of(d[i]);
  }
};

template <bool kExact>
struct CaseMmaTf32 {
  static constexpr CaseInfo kInfo{.name = kExact ? "mma.tf32" : "mma.tf32.unit",
                                  .functions = "mma_m16n8k8_tf32",
                                  .outputs = 128,
                                  .given = kExact ? Given::kSmallTF32 : Given::kUnitTF32,
                                  .bound = kExact ? 0 : sum_bound(8, 21)};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const int lane = hw::lane_index();
    std::uint32_t a[4];
    for (int i = 0; i < 4; ++i) a[i] = given[lane * 8 + i];
    float d[4];
    for (int i = 0; i < 4; ++i) d[i] = static_cast<float>(lane + i) * (kExact ? 1.0f : 1 / 64.0f);
    hw::mma_m16n8k8_tf32(d, a, given[lane * 8 + 4], given[lane * 8 + 5]);
    for (int i = 0; i < 4; ++i) out[lane * 4 + i] = bits_of(d[i]);
  }
};

struct CaseMmaS8 {
  static constexpr CaseInfo kInfo{
      .name = "mma.s8", .functions = "mma_m16n8k32_s8", .outputs = 128, .given = Given::kBits};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const int lane = hw::lane_index();
    std::uint32_t a[4];
    for (int i = 0; i < 4; ++i) a[i] = given[lane * 8 + i];
    int d[4];
    for (int i = 0; i < 4; ++i) d[i] = static_cast<int>(given[300 + lane * 4 + i]);
    hw::mma_m16n8k32_s8(d, a, given[lane * 8 + 4], given[lane * 8 + 5]);
    for (int i = 0; i < 4; ++i) out[lane * 4 + i] = static_cast<std::uint32_t>(d[i]);
  }
};

template <class T>
struct CaseWmma {
  static constexpr bool kHalf = std::is_same_v<T, hw::F16>;
  static constexpr CaseInfo kInfo{.name = kHalf ? "wmma.f16" : "wmma.bf16",
                                  .functions = "wmma_zero wmma_load wmma_multiply wmma_store",
                                  .outputs = 256,
                                  .given = kHalf ? Given::kSmallF16 : Given::kSmallBF16,
                                  .shared_bytes = 4096};
  static TW_DEVICE void run(GivenWords given, Words out) {
    words_to_shared(hw::dynamic_shared<std::uint32_t>(), given, 512);
    hw::sync_warp();
    hw::WmmaA<T> a;
    hw::WmmaB<T> b;
    hw::WmmaAccumulator d;
    hw::wmma_zero(d);
    for (int step = 0; step < 2; ++step) {
      hw::wmma_load(a, hw::dynamic_shared<T>() + step * 16, 24);
      hw::wmma_load(b, hw::dynamic_shared<T>() + 400 + step * 16, 32);
      hw::wmma_multiply<T>(d, a, b);
    }
    const auto sums = hw::dynamic_shared<float>(2048);
    hw::wmma_store(sums, d, 20);
    hw::sync_warp();
    for (int i = hw::lane_index(); i < 256; i += 32)
      out[i] = bits_of<float>(sums[i / 16 * 20 + i % 16]);
  }
};

}  // namespace tilewright::kernels::inline TW_TARGET
