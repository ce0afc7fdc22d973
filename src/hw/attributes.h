// How a function of the device vocabulary and a kernel are marked. A kernel is plain C++ over hw/;
// these words are all that ties its text to a compiler: nvcc for a card, the host's for the
// simulator. Both forms are linked into one program, so each lives in an inline namespace of its
// own, TW_TARGET.
#pragma once

#include "core/target.h"

namespace tilewright::hw {

// Where the text that is being compiled will run. Internal linkage: it differs between units.
#if defined(__CUDACC__)
constexpr Target kTarget = Target::kCuda;
#define TW_TARGET on_card
#define TW_DEVICE __device__ __forceinline__
#define TW_KERNEL(threads, blocks_per_sm) __global__ void __launch_bounds__(threads, blocks_per_sm)
#define TW_GRID_CONSTANT __grid_constant__
#else
constexpr Target kTarget = Target::kSim;
#define TW_TARGET on_sim
#define TW_DEVICE inline
#define TW_KERNEL(threads, blocks_per_sm) inline void
#define TW_GRID_CONSTANT
#endif

}  // namespace tilewright::hw
