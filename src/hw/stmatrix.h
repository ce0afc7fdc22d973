#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/stmatrix.h"
#else
#include "hw/sim/stmatrix.h"
#endif
