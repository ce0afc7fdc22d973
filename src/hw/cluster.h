#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/cluster.h"
#else
#include "hw/sim/cluster.h"
#endif
