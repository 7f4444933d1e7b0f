// SPDX-License-Identifier: Apache-2.0
/// What the runtime's source files share.
#pragma once
#include <cuda_runtime.h>

namespace tweed::loom {

/// Notes an error as the calling thread's last one, and returns it.
cudaError_t fail(cudaError_t error);

/// Whether `stream` is one of the default streams or one that was created and not destroyed.
bool isStream(cudaStream_t stream);

}  // namespace tweed::loom
