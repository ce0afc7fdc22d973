#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/copy.h"
#else
#error "kernels are compiled by nvcc; the host side of hw/ is the simulator, which is not built yet"
#endif
