#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/atomic.h"
#else
#include "hw/sim/atomic.h"
#endif
