#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/barrier.h"
#else
#include "hw/sim/barrier.h"
#endif
