// SPDX-License-Identifier: Apache-2.0
/// The toolkit's header where there is one, else the loom's stand-ins.
#pragma once
#if !defined(TWEED_LOOM_NO_TOOLKIT) && __has_include_next(<cuda_runtime_api.h>)
#pragma GCC system_header
#include_next <cuda_runtime_api.h>
#else
#include "cuda_runtime.h"
#endif
