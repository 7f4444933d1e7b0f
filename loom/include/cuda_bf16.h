// SPDX-License-Identifier: Apache-2.0
/// The toolkit's header where there is one, else the loom's stand-in.
#pragma once
#if !defined(TWEED_LOOM_NO_TOOLKIT) && __has_include_next(<cuda_bf16.h>)
#pragma GCC system_header
#include_next <cuda_bf16.h>
#else
#include "tweed/loom/fallbackHalf.hpp"
using __nv_bfloat16 = tweed::loom::ShortFloat<8, 7>;
using nv_bfloat16 = __nv_bfloat16;
inline __nv_bfloat16 __float2bfloat16(float x) { return x; }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }
#endif
