// SPDX-License-Identifier: Apache-2.0
// tests/codegen/wgmmaImage.cu - the probe that says whether there is code with wgmma.
#include <tweed/matmul/wgmmaImage.cuh>

bool ask() { return tweed::imageHasWgmma(); }
