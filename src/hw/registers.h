#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/registers.h"
#else
#include "hw/sim/registers.h"
#endif
