#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/shared.h"
#else
#include "hw/sim/shared.h"
#endif
