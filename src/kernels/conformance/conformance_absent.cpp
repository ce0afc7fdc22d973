// A build without CUDA has the simulator's side of the cases alone.
#include "kernels/conformance/case_info.h"

namespace tilewright::kernels {

template <>
std::vector<ConformanceRow> conformance_rows<Target::kCuda>() {
  return {};
}
template <>
std::vector<ConformanceRow> conformance_rows_sm90<Target::kCuda>() {
  return {};
}

}  // namespace tilewright::kernels
