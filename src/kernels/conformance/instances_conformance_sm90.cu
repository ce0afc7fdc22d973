// Conformance cases of Hopper.
#include <utility>

#include "kernels/conformance/cases_bulk.cuh"
#include "kernels/conformance/cases_sm90.cuh"
#include "kernels/conformance/cases_tma.cuh"
#include "kernels/conformance/cases_wgmma.cuh"
#include "kernels/conformance/run_case.cuh"

namespace tilewright::kernels {
namespace {

struct TensorParams {
  GivenWords given;
  Words out;
  hw::TensorMap map;
};

template <class Case>
TW_KERNEL(Case::kInfo.threads, 1)
conformance_tensor_kernel(const TW_GRID_CONSTANT TensorParams p) {
  Case::run(p.given, p.out, p.map);
}

template <class Case>
Status run_tensor_case(const DeviceInfo& device, std::span<const std::uint32_t> given,
                       std::span<std::uint32_t> out) {
  return run_once(Case::kInfo, device, given, out,
                  [](const std::uint32_t* in, std::uint32_t* result, const hw::LaunchShape& shape,
                     const hw::LaunchContext& context) -> Status {
                    hw::TensorMapSpec spec = Case::kTensor.spec;
                    spec.base = Case::kLoads ? in : result;
                    const Result<hw::TensorMap> map = hw::encode_tensor_map(spec);
                    if (!map) return map.status();
                    return hw::launch(conformance_tensor_kernel<Case>,
                                      TensorParams{{in}, {result}, *map}, shape, context);
                  });
}

template <class... Cases>
void add_tensor_rows(std::vector<ConformanceRow>& rows) {
  (rows.push_back({id_of<Cases>(), Cases::kInfo, run_tensor_case<Cases>}), ...);
}

template <int... kCases>
void add_tma_rows(std::vector<ConformanceRow>& rows, std::integer_sequence<int, kCases...>) {
  add_tensor_rows<CaseTmaLoad<kCases>...>(rows);
  add_tensor_rows<CaseTmaStore<kCases, kCases % 2 ? Stores::kStoreHint : Stores::kStore>...>(rows);
}

template <class T, int... kNs>
void add_wgmma_rows(std::vector<ConformanceRow>& rows) {
  add_rows<CaseWgmma<T, kNs, WgmmaOptions{}>...>(rows);
  add_rows<CaseWgmma<T, kNs, WgmmaOptions{.a_in_registers = true}>...>(rows);
}
template <class T, int... kEighths>
void add_half_rows(std::vector<ConformanceRow>& rows, std::integer_sequence<int, kEighths...>) {
  add_wgmma_rows<T, (kEighths + 1) * 8 ...>(rows);
}

template <class T, hw::WgmmaSwizzle kSwizzle>
void add_major_rows(std::vector<ConformanceRow>& rows) {
  constexpr auto kK = hw::Major::kK, kMN = hw::Major::kMN;
  add_rows<CaseWgmma<T, 64, WgmmaOptions{.a = kK, .b = kK, .swizzle = kSwizzle}>,
           CaseWgmma<T, 64, WgmmaOptions{.a = kK, .b = kMN, .swizzle = kSwizzle}>,
           CaseWgmma<T, 128, WgmmaOptions{.a = kMN, .b = kK, .swizzle = kSwizzle}>,
           CaseWgmma<T, 128, WgmmaOptions{.a = kMN, .b = kMN, .swizzle = kSwizzle}>,
           CaseWgmma<T, 96, WgmmaOptions{.a_in_registers = true, .b = kMN, .swizzle = kSwizzle}>>(
      rows);
}
template <class T>
void add_all_major_rows(std::vector<ConformanceRow>& rows) {
  add_major_rows<T, hw::WgmmaSwizzle::kNone>(rows);
  add_major_rows<T, hw::WgmmaSwizzle::k32>(rows);
  add_major_rows<T, hw::WgmmaSwizzle::k64>(rows);
  add_major_rows<T, hw::WgmmaSwizzle::k128>(rows);
}

template <class... Ts>
void add_unit_rows(std::vector<ConformanceRow>& rows) {
  add_rows<CaseWgmma<Ts, 16, WgmmaOptions{.exact = false}>...>(rows);
  add_rows<CaseWgmma<Ts, 16, WgmmaOptions{.a_in_registers = true, .exact = false}>...>(rows);
}

}  // namespace

template <>
std::vector<ConformanceRow> conformance_rows_sm90<hw::kTarget>() {
  std::vector<ConformanceRow> rows;
  add_rows<CaseStmatrix, CaseSmallHopper, CaseMbarrier, CaseCluster, CaseBulkCopies,
           CaseBulkAdd<float>, CaseBulkAdd<std::uint32_t>, CaseBulkAdd<hw::F16>,
           CaseBulkAdd<hw::BF16>, CaseBulkCluster>(rows);
  constexpr int kCases = static_cast<int>(std::size(kTensorCases));
  add_tma_rows(rows, std::make_integer_sequence<int, kCases>());
  add_tensor_rows<CaseTmaStore<0, Stores::kAdd>, CaseTmaStore<1, Stores::kAdd>,
                  CaseTmaStore<3, Stores::kAdd>, CaseTmaStore<7, Stores::kAdd>,
                  CaseTmaStore<14, Stores::kAdd>, CaseTmaStore<16, Stores::kAdd>,
                  CaseTmaMulticast<false>, CaseTmaMulticast<true>>(rows);
  constexpr auto kAll = std::make_integer_sequence<int, 32>();
  add_half_rows<hw::F16>(rows, kAll);
  add_half_rows<hw::BF16>(rows, kAll);
  add_wgmma_rows<hw::TF32, 8, 16, 32, 64, 96, 128, 192, 256>(rows);
  add_wgmma_rows<hw::E4M3, 8, 16, 32, 64, 96, 128, 192, 256>(rows);
  add_wgmma_rows<hw::E5M2, 8, 16, 32, 64, 96, 128, 192, 256>(rows);
  add_wgmma_rows<std::int8_t, 8, 16, 32, 64, 96, 128, 192, 256>(rows);
  add_all_major_rows<hw::F16>(rows);
  add_all_major_rows<hw::BF16>(rows);
  add_unit_rows<hw::F16, hw::BF16, hw::TF32, hw::E4M3, hw::E5M2>(rows);
  return rows;
}

}  // namespace tilewright::kernels
