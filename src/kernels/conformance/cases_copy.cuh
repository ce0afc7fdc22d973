// Copies through registers and cp.async; ldmatrix.
#pragma once

#include "hw/copy.h"
#include "hw/element.h"
#include "hw/ldmatrix.h"
#include "kernels/conformance/case.h"

namespace tilewright::kernels::inline TW_TARGET {

template <class T>
TW_DEVICE hw::Global<const T> given_as(GivenWords given, int word) {
  return {reinterpret_cast<const T*>((given + word).data)};
}

struct CaseCopy16 {
  static constexpr CaseInfo kInfo{
      .name = "copy.registers",
      .functions = "load_16_or_zero store_16 load_16 load_eight store_8",
      .outputs = 32 * 4 + 32 * 8 + 32 * 2,
      .shared_bytes = 32 * 32};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const int lane = hw::lane_index();
    const auto shared = hw::dynamic_shared<std::uint32_t>();
    const auto v = hw::load_16_or_zero(given_as<hw::F16>(given, lane * 4), lane % 9 * 2);
    hw::store_16(shared + lane * 8, v);
    hw::store_16(shared + lane * 8 + 4, hw::load_16_or_zero(given_as<hw::F16>(given, 4), 16));
    hw::sync_warp();
    hw::store_16(out + lane * 4, hw::load_16(shared + (lane ^ 3) * 8));
    float eight[8];
    hw::load_eight(eight, hw::dynamic_shared<float>() + (lane ^ 9) * 8);
    for (int i = 0; i < 8; ++i) out[128 + lane * 8 + i] = bits_of(eight[i]);
    hw::store_8(hw::Global<float>{reinterpret_cast<float*>((out + (384 + lane * 2)).data)}, 1.5f,
                static_cast<float>(lane));
  }
};

struct CaseCopyAsync {
  static constexpr CaseInfo kInfo{
      .name = "copy.async",
      .functions = "cp_async_16 cp_async_16_if cp_async_commit cp_async_wait",
      .outputs = 3 * 128,
      .shared_bytes = 3 * 512};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const int lane = hw::lane_index();
    const auto shared = hw::dynamic_shared<hw::F16>();
    for (int part = 0; part < 2; ++part) {
      hw::cp_async_16(shared + part * 256 + lane * 8,
                      given_as<hw::F16>(given, part * 128 + lane * 4), (lane + part) % 17);
      hw::cp_async_commit();
    }
    hw::cp_async_16_if(shared + 512 + lane * 8, given_as<hw::F16>(given, 256 + lane * 4),
                       lane % 3 != 0);
    hw::cp_async_commit();
    const auto words = hw::dynamic_shared<std::uint32_t>();
    hw::cp_async_wait<2>();
    hw::sync_warp();
    for (int i = lane; i < 128; i += 32) out[i] = words[127 - i];
    hw::cp_async_wait<0>();
    hw::sync_warp();
    for (int i = 128 + lane; i < 384; i += 32) out[i] = words[511 - i];
  }
};

struct CaseLdmatrix {
  static constexpr CaseInfo kInfo{.name = "ldmatrix",
                                  .functions =
                                      "ldmatrix_x1 ldmatrix_x2 ldmatrix_x4 "
                                      "ldmatrix_x1_trans ldmatrix_x2_trans "
                                      "ldmatrix_x4_trans",
                                  .outputs = 14 * 32,
                                  .shared_bytes = 1024};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const int lane = hw::lane_index();
    words_to_shared(hw::dynamic_shared<std::uint32_t>(), given, 256);
    hw::sync_warp();
    const auto row = hw::dynamic_shared<hw::F16>() + (lane * 5 % 64) * 8;
    std::uint32_t r1[1], r2[2], r4[4];
    hw::ldmatrix_x1(r1, row);
    hw::ldmatrix_x2(r2, row);
    hw::ldmatrix_x4(r4, row);
    out[lane] = r1[0];
    for (int i = 0; i < 2; ++i) out[32 + i * 32 + lane] = r2[i];
    for (int i = 0; i < 4; ++i) out[96 + i * 32 + lane] = r4[i];
    hw::ldmatrix_x1_trans(r1, row);
    hw::ldmatrix_x2_trans(r2, row);
    hw::ldmatrix_x4_trans(r4, row);
    out[224 + lane] = r1[0];
    for (int i = 0; i < 2; ++i) out[256 + i * 32 + lane] = r2[i];
    for (int i = 0; i < 4; ++i) out[320 + i * 32 + lane] = r4[i];
  }
};

}  // namespace tilewright::kernels::inline TW_TARGET
