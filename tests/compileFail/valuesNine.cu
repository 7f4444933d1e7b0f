// SPDX-License-Identifier: Apache-2.0
// expect: tweed::Values: holds 1 to 8 values
#include <tweed/core/values.cuh>

int nine() { return tweed::Values{1, 2, 3, 4, 5, 6, 7, 8, 9}.value0; }
