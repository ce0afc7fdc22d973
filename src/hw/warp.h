#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/warp.h"
#else
#include "hw/sim/warp.h"
#endif
