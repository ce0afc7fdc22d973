#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/wmma.h"
#else
#include "hw/sim/wmma.h"
#endif
