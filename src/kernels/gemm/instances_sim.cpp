// Every kernel once more, compiled by the host's compiler for the simulator.
#include "kernels/gemm/instances_simt.cu"
#include "kernels/gemm/instances_sm90.cu"
#include "kernels/gemm/instances_tensor.cu"
