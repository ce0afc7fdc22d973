#pragma once

#if defined(__CUDACC__)
#include "hw/ptx/device_words.h"
#else
#include "hw/sim/device_words.h"
#endif
