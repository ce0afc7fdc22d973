#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/tma.h"
#else
#include "hw/sim/tma.h"
#endif
