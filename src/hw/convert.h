#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/convert.h"
#else
#include "hw/sim/convert.h"
#endif
