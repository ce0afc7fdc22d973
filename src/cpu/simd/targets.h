// Which instruction sets Highway compiles here; included before any of its headers.
//
// One level for each CpuIsa: SSSE3 (every x86-64 CPU made since 2011) is kBaseline, AVX2 with FMA
// and F16C, and AVX-512 F+BW+DQ+VL. Highway's own choice at run time is not used: the level comes
// from DeviceInfo, so that a lower one can be forced, and so no symbol of libhwy is needed.
#pragma once

#define HWY_BASELINE_TARGETS HWY_SSSE3
#define HWY_DISABLED_TARGETS (HWY_SCALAR | HWY_EMU128 | HWY_SSE4 | HWY_AVX3_DL)
