#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/ldmatrix.h"
#else
#include "hw/sim/ldmatrix.h"
#endif
