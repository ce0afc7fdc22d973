#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/fence.h"
#else
#include "hw/sim/fence.h"
#endif
