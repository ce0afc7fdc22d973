#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/index.h"
#else
#include "hw/sim/index.h"
#endif
