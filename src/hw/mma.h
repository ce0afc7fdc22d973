#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/mma.h"
#else
#include "hw/sim/mma.h"
#endif
