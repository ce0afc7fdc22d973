#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/grid.h"
#else
#include "hw/sim/grid.h"
#endif
