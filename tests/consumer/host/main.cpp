// SPDX-License-Identifier: Apache-2.0
// A host file needs no CUDA to know the version.
#include <tweed/version.cuh>

int main() { return TWEED_VERSION > 0 ? 0 : 1; }
