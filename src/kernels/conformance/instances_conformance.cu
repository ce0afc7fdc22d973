// Conformance cases of every card.
#include "kernels/conformance/cases_copy.cuh"
#include "kernels/conformance/cases_mma.cuh"
#include "kernels/conformance/cases_threads.cuh"
#include "kernels/conformance/run_case.cuh"

namespace tilewright::kernels {

template <>
std::vector<ConformanceRow> conformance_rows<hw::kTarget>() {
  std::vector<ConformanceRow> rows;
  add_rows<CaseIndex, CaseBarriers, CaseShuffles, CaseVotes, CaseAtomics, CaseConvert<hw::F16>,
           CaseConvert<hw::BF16>, CaseCopy16, CaseCopyAsync, CaseLdmatrix>(rows);
  add_rows<CaseMma16<hw::F16, true>, CaseMma16<hw::F16, false>, CaseMma16<hw::BF16, true>,
           CaseMma16<hw::BF16, false>, CaseMmaTf32<true>, CaseMmaTf32<false>, CaseMmaS8,
           CaseWmma<hw::F16>, CaseWmma<hw::BF16>>(rows);
  return rows;
}

}  // namespace tilewright::kernels
