// SPDX-License-Identifier: Apache-2.0
/// Stands before the toolkit's cuda_runtime.h on the include path, so that a kernel's source
/// compiles as plain C++ and runs on the loom. It wraps the real header and does not shadow it:
/// types, enumerations and runtime functions are the toolkit's, where there is a toolkit.
#pragma once
#if defined(__CUDACC__)
#error "tweed::loom is for plain C++ compilers: take loom/include off nvcc's include path"
#endif
#define TWEED_LOOM 1

// A thread_local inside a function is static, and each slot of resident blocks is one OS thread.
// The toolkit's host_defines.h leaves a definition alone that is there before it.
#undef __shared__
#define __shared__ thread_local

// The recorder takes the address of an access for the whole path to it, so kernels call nothing.
#if defined(TWEED_LOOM_TRACE)
#undef __global__
#define __global__ __attribute__((flatten))
#endif

#if !defined(TWEED_LOOM_NO_TOOLKIT) && __has_include_next(<cuda_runtime.h>)
#pragma GCC system_header
// The toolkit's template forgets the kernel's parameter types; launch.hpp has one that keeps them.
#define cudaLaunchKernelEx tweedLoomToolkitLaunchKernelEx
#include_next <cuda_runtime.h>
#undef cudaLaunchKernelEx
#undef __launch_bounds__  // the toolkit has it for nvcc alone
#define __launch_bounds__(...)
#else
#include "tweed/loom/fallbackRuntime.hpp"
#endif

#include "tweed/loom/atomics.hpp"
#include "tweed/loom/bits.hpp"
#include "tweed/loom/device.hpp"
#include "tweed/loom/executor.hpp"
#include "tweed/loom/intrinsics.hpp"
#include "tweed/loom/launch.hpp"
#include "tweed/loom/loom.hpp"
#include "tweed/loom/math.hpp"
