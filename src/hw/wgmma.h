#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/wgmma.h"
#else
#include "hw/sim/wgmma.h"
#endif
