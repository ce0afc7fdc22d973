/* D = A * B^T through the C ABI, on the CPU: plan, run, check the numbers. */
#include <stdio.h>
#include <stdlib.h>

#include "tilewright/tilewright.h"

static void require(tw_status status) {
  if (status == TW_OK) return;
  fprintf(stderr, "%s\n", tw_last_error());
  exit(1);
}

int main(void) {
  enum { kM = 3, kN = 5, kK = 4 };
  float a[kM * kK], b[kN * kK], d[kM * kN];
  for (int i = 0; i < kM * kK; ++i) a[i] = (float)(i % 7 - 3);
  for (int i = 0; i < kN * kK; ++i) b[i] = (float)(i % 5 - 2);

  tw_device* device = NULL;
  require(tw_device_cpu(&device));

  /* A [M,K] and B [N,K], both row by row in memory; D [M,N]. */
  tw_gemm_problem problem = {.struct_size = sizeof problem};
  require(tw_gemm_problem_default(kM, kN, kK, TW_F32, TW_F32, &problem));
  problem.a.alignment_bytes = problem.b.alignment_bytes = problem.d.alignment_bytes = sizeof(float);

  tw_gemm_plan* plan = NULL;
  require(tw_gemm_plan_create(&problem, device, NULL, 0, &plan));
  const size_t workspace_bytes = tw_gemm_plan_workspace_bytes(plan);
  void* workspace = workspace_bytes > 0 ? malloc(workspace_bytes) : NULL;

  tw_gemm_args args = {.struct_size = sizeof args, .a = a, .b = b, .d = d, .alpha = 1.0f};
  require(tw_gemm_plan_run(plan, &args, workspace, workspace_bytes, NULL));
  printf("%s on %s\n", tw_gemm_plan_kernel_name(plan), tw_device_name(device));

  free(workspace);
  tw_gemm_plan_destroy(plan);
  tw_device_destroy(device);

  /* Small whole numbers: every kernel gives them exactly. */
  for (int i = 0; i < kM; ++i) {
    for (int j = 0; j < kN; ++j) {
      float expected = 0.0f;
      for (int k = 0; k < kK; ++k) expected += a[i * kK + k] * b[j * kK + k];
      if (d[i * kN + j] == expected) continue;
      fprintf(stderr, "d[%d][%d] = %g, expected %g\n", i, j, d[i * kN + j], expected);
      return 1;
    }
  }
  return 0;
}
