#include "cpu/simd/targets.h"
// The line above comes first.
#include <utility>

#include "cpu/simd/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/simd/kernels.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h includes this file once for each target.
#include "cpu/simd/finish-inl.h"
#include "cpu/simd/micro_kernel-inl.h"
#include "cpu/simd/pack-inl.h"
#include "cpu/simd/thin-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::simd::HWY_NAMESPACE {

template <class T, int... kColumns>
constexpr void fill_thin(SimdKernels& table, int type, std::integer_sequence<int, kColumns...>) {
  ((table.thin_dot[type][kColumns] = &thin_dot<T, kColumns + 1>,
    table.thin_axpy[type][kColumns] = &thin_axpy<T, kColumns + 1>),
   ...);
}

template <class T>
constexpr void fill_type(SimdKernels& table, int type) {
  table.pack[type] = &pack<T>;
  table.finish[type] = &finish<T>;
  table.thin_pack[type] = &thin_pack<T>;
  fill_thin<T>(table, type, std::make_integer_sequence<int, kMaxThinColumns>());
}

template <int... kRows>
constexpr void fill_micro(SimdKernels& table, std::integer_sequence<int, kRows...>) {
  ((table.micro[kRows][0] = &multiply_tile<kRows + 1, 1>,
    table.micro[kRows][1] = &multiply_tile<kRows + 1, 2>),
   ...);
}

constexpr SimdKernels make_table() {
  SimdKernels table{};
  table.lanes = kLanes;
  table.tile_rows = kTileRows;
  table.tile_cols = kTileCols;
  table.store_partial = &store_partial;
  fill_micro(table, std::make_integer_sequence<int, kTileRows>());
  fill_type<float>(table, 0);
  fill_type<F16>(table, 1);
  fill_type<BF16>(table, 2);
  return table;
}

constexpr SimdKernels kTable = make_table();

}  // namespace tilewright::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright::simd {

const SimdKernels& simd_kernels(CpuIsa isa) {
  switch (isa) {
    case CpuIsa::kAvx512:
      return N_AVX3::kTable;
    case CpuIsa::kAvx2:
      return N_AVX2::kTable;
    case CpuIsa::kBaseline:
      break;
  }
  return N_SSSE3::kTable;
}

}  // namespace tilewright::simd
#endif  // HWY_ONCE
