#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/launch.h"
#else
#include "hw/sim/launch.h"
#endif
