#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/global.h"
#else
#include "hw/sim/global.h"
#endif
