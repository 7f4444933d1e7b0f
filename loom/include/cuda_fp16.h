// SPDX-License-Identifier: Apache-2.0
/// The toolkit's header where there is one, else the loom's stand-in.
#pragma once
#if !defined(TWEED_LOOM_NO_TOOLKIT) && __has_include_next(<cuda_fp16.h>)
#pragma GCC system_header
#include_next <cuda_fp16.h>
#else
#include "tweed/loom/fallbackHalf.hpp"
using __half = tweed::loom::ShortFloat<5, 10>;
using half = __half;
inline __half __float2half(float x) { return x; }
inline float __half2float(__half x) { return x; }
#endif
