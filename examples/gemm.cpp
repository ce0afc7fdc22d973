// D = A * B in fp32 on this machine's CPU.
#include <iostream>
#include <vector>

#include "tilewright/gemm.h"

int main() {
  const std::int64_t m = 64, n = 32, k = 128;
  const std::vector<float> a(m * k, 0.5f), b(n * k, 2.0f);  // A [M,K], B [N,K]
  std::vector<float> d(m * n);                              // D [M,N]

  const auto problem =
      tilewright::default_gemm(m, n, k, tilewright::DType::kF32, tilewright::DType::kF32);
  const auto plan = tilewright::plan_gemm(problem, tilewright::cpu_device());
  const auto status =
      plan.ok() ? plan->run({.a = a.data(), .b = b.data(), .d = d.data()}) : plan.status();

  std::cout << (status.ok() ? plan->kernel_name() : status.message()) << "\n";
  return status.ok() && d.front() == 128.0f && d.back() == 128.0f ? 0 : 1;
}
