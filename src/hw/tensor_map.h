#pragma once

#include "hw/tensor_map_spec.h"

#if defined(__CUDACC__)
#include "hw/ptx/tensor_map.h"
#else
#include "hw/sim/tensor_map.h"
#endif
