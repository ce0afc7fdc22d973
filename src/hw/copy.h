#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/copy.h"
#else
#include "hw/sim/copy.h"
#endif
