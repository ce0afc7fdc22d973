#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/mbarrier.h"
#else
#include "hw/sim/mbarrier.h"
#endif
