// How a function of the device vocabulary and a kernel are marked. A kernel is plain C++ over hw/;
// these two words are all that ties its text to a compiler.
#pragma once

#if defined(__CUDACC__)
#define TW_DEVICE __device__ __forceinline__
#define TW_KERNEL(threads, blocks_per_sm) __global__ void __launch_bounds__(threads, blocks_per_sm)
#else
#define TW_DEVICE inline
#define TW_KERNEL(threads, blocks_per_sm) inline void
#endif
