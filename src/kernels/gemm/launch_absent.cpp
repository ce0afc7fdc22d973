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

Status launch_gemm_v0(const GemmLaunch&) {
  return no_cuda();
}
Status launch_gemm_v1(const GemmLaunch&) {
  return no_cuda();
}
Status launch_gemm_v2(const GemmLaunch&) {
  return no_cuda();
}
Status launch_gemm_v3(const GemmLaunch&) {
  return no_cuda();
}
Status launch_gemm_v4(const GemmLaunch&) {
  return no_cuda();
}
Status launch_gemm_reference(const GemmLaunch&) {
  return no_cuda();
}

}  // namespace tilewright::kernels
