// A build without CUDA lists and explains the CUDA rows, and cannot launch them.
#include "kernels/gemm/registry.h"

namespace tilewright::kernels {
namespace {

Status no_cuda() {
  return {
      StatusCode::kNoDevice,
      "this build has no CUDA kernels; configure with -DTILEWRIGHT_CUDA=ON and a toolkit >= 12.9"};
}

}  // namespace

template <>
Status launch_gemm_v0<Target::kCuda>(const GemmLaunch&) {
  return no_cuda();
}
template <>
Status launch_gemm_v1<Target::kCuda>(const GemmLaunch&) {
  return no_cuda();
}
template <>
Status launch_gemm_v2<Target::kCuda>(const GemmLaunch&) {
  return no_cuda();
}
template <>
Status launch_gemm_v3<Target::kCuda>(const GemmLaunch&) {
  return no_cuda();
}
template <>
Status launch_gemm_v4<Target::kCuda>(const GemmLaunch&) {
  return no_cuda();
}
template <>
Status launch_gemm_sm90_ring<Target::kCuda>(const GemmLaunch&) {
  return no_cuda();
}
template <>
Status launch_gemm_reference<Target::kCuda>(const GemmLaunch&) {
  return no_cuda();
}

}  // namespace tilewright::kernels
