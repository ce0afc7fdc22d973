// wgmma: every type and N, both places of A, majors and swizzles. Shared memory holds arbitrary
// words; what matters is that both sides take the same ones.
#pragma once

#include "hw/element.h"
#include "hw/fence.h"
#include "hw/wgmma.h"
#include "kernels/conformance/case.h"

namespace tilewright::kernels::inline TW_TARGET {

template <class T>
struct WgmmaElement;
template <>
struct WgmmaElement<hw::F16> {
  static constexpr const char *kName = "wgmma.f16", *kUnitName = "wgmma.f16.unit";
  static constexpr Given kSmall = Given::kSmallF16, kUnit = Given::kUnitF16;
  static constexpr int kBits = 21;
  using Sum = float;
};
template <>
struct WgmmaElement<hw::BF16> {
  static constexpr const char *kName = "wgmma.bf16", *kUnitName = "wgmma.bf16.unit";
  static constexpr Given kSmall = Given::kSmallBF16, kUnit = Given::kUnitBF16;
  static constexpr int kBits = 21;
  using Sum = float;
};
template <>
struct WgmmaElement<hw::TF32> {
  static constexpr const char *kName = "wgmma.tf32", *kUnitName = "wgmma.tf32.unit";
  static constexpr Given kSmall = Given::kSmallTF32, kUnit = Given::kUnitTF32;
  static constexpr int kBits = 21;
  using Sum = float;
};
// Hopper sums products of 8-bit floats with about 14 bits.
template <>
struct WgmmaElement<hw::E4M3> {
  static constexpr const char *kName = "wgmma.e4m3", *kUnitName = "wgmma.e4m3.unit";
  static constexpr Given kSmall = Given::kSmallE4M3, kUnit = Given::kUnitE4M3;
  static constexpr int kBits = 12;
  using Sum = float;
};
template <>
struct WgmmaElement<hw::E5M2> {
  static constexpr const char *kName = "wgmma.e5m2", *kUnitName = "wgmma.e5m2.unit";
  static constexpr Given kSmall = Given::kSmallE5M2, kUnit = Given::kUnitE5M2;
  static constexpr int kBits = 12;
  using Sum = float;
};
template <>
struct WgmmaElement<std::int8_t> {
  static constexpr const char *kName = "wgmma.s8", *kUnitName = "wgmma.s8";
  static constexpr Given kSmall = Given::kSmallS8, kUnit = Given::kSmallS8;
  static constexpr int kBits = 0;
  using Sum = int;
};

struct WgmmaOptions {
  bool a_in_registers = false, exact = true;
  hw::Major a = hw::Major::kK, b = hw::Major::kK;
  hw::WgmmaSwizzle swizzle = hw::WgmmaSwizzle::k128;
};

inline constexpr int kWgmmaWords = 12288;  // A in the first 16 KiB, B behind it
inline constexpr int kWgmmaB = 16384;      // byte

// Offsets that keep every operand inside its part: rows of the swizzle's width, eight of them a
// core.
constexpr int stride_bytes(const WgmmaOptions& o, hw::Major major, bool is_b) {
  switch (o.swizzle) {
    case hw::WgmmaSwizzle::k128:
      return 1024;
    case hw::WgmmaSwizzle::k64:
      return 512;
    case hw::WgmmaSwizzle::k32:
      return 256;
    case hw::WgmmaSwizzle::kNone:
      break;
  }
  return major == hw::Major::kK ? 256 : (is_b ? 272 : 256);
}
constexpr int leading_bytes(const WgmmaOptions& o, hw::Major major) {
  if (o.swizzle == hw::WgmmaSwizzle::kNone) return major == hw::Major::kK ? 128 : 8192;
  return 2 * stride_bytes(o, major, false);  // MN-major: two cores along K a column of atoms
}

// Two products: one that forgets what the sums were, one that adds, from operands 32 bytes on.
template <class T, int kN, WgmmaOptions kOptions>
struct CaseWgmma {
  using Element = WgmmaElement<T>;
  using Sum = typename Element::Sum;
  static constexpr int kSums = kN / 2;
  static constexpr CaseInfo kInfo{
      .name = kOptions.exact ? Element::kName : Element::kUnitName,
      .functions = "wgmma wgmma_descriptor wgmma_fence wgmma_commit wgmma_wait wgmma_hold",
      .threads = 128,
      .outputs = 128 * kSums,
      .given = kOptions.exact ? Element::kSmall : Element::kUnit,
      .bound = kOptions.exact ? 0 : sum_bound(2 * 32 / static_cast<int>(sizeof(T)), Element::kBits),
      .shared_bytes = kWgmmaWords * 4};

  // "wgmma.f16.n64.rs.kk.128": N, where A is, the majors of A and B, the swizzle.
  static std::string id() {
    const auto major = [](hw::Major m) { return m == hw::Major::kK ? "k" : "m"; };
    constexpr const char* kSwizzles[] = {"none", "128", "64", "32"};
    return std::string(kInfo.name) + ".n" + std::to_string(kN) +
           (kOptions.a_in_registers ? ".rs." : ".ss.") + major(kOptions.a) + major(kOptions.b) +
           "." + kSwizzles[static_cast<int>(kOptions.swizzle)];
  }

  static TW_DEVICE void run(GivenWords given, Words out) {
    words_to_shared(hw::dynamic_shared<std::uint32_t>(), given, kWgmmaWords);
    hw::fence_proxy_async_shared();
    hw::sync_threads();
    const int thread = hw::thread_index();
    Sum d[kSums];
#pragma unroll
    for (int i = 0; i < kSums; ++i) d[i] = static_cast<Sum>(thread + i);
    std::uint32_t registers[2][4];
#pragma unroll
    for (int i = 0; i < 8; ++i) registers[i / 4][i % 4] = given[kWgmmaWords + thread * 8 + i];
    const auto a =
        hw::wgmma_descriptor(hw::dynamic_shared<T>(), leading_bytes(kOptions, kOptions.a),
                             stride_bytes(kOptions, kOptions.a, false), kOptions.swizzle);
    const auto b =
        hw::wgmma_descriptor(hw::dynamic_shared<T>(kWgmmaB), leading_bytes(kOptions, kOptions.b),
                             stride_bytes(kOptions, kOptions.b, true), kOptions.swizzle);
    hw::wgmma_fence();
    // Along K inside a row for K-major, else by two cores of eight lines.
    const auto next = [](hw::Major major, bool is_b) {
      if (kOptions.swizzle == hw::WgmmaSwizzle::kNone || kOptions.swizzle == hw::WgmmaSwizzle::k32)
        return 0;
      return major == hw::Major::kK ? 32 : 2 * stride_bytes(kOptions, major, is_b);
    };
#pragma unroll
    for (int step = 0; step < 2; ++step) {
      const auto b_now = b + step * next(kOptions.b, true);
      if constexpr (kOptions.a_in_registers) {
        hw::wgmma<T, kN, kOptions.b>(d, registers[step], b_now, step > 0);
      } else {
        hw::wgmma<T, kN, kOptions.a, kOptions.b>(d, a + step * next(kOptions.a, false), b_now,
                                                 step > 0);
      }
    }
    hw::wgmma_commit();
    hw::wgmma_wait<0>();
    hw::wgmma_hold(d);
#pragma unroll
    for (int i = 0; i < kSums; ++i) out[i * 128 + thread] = bits_of(d[i]);
  }
};

}  // namespace tilewright::kernels::inline TW_TARGET
