// SPDX-License-Identifier: Apache-2.0
// expect: tweed needs C++17: pass -std=c++17 or later
// flags: -std=c++14
#include <tweed/core/config.cuh>
