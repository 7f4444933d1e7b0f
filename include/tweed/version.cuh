// SPDX-License-Identifier: Apache-2.0
// tweed/version.cuh - the one place that holds the version; CMake reads it from here.
#pragma once

#define TWEED_VERSION_MAJOR 0
#define TWEED_VERSION_MINOR 1
#define TWEED_VERSION_PATCH 0
// Comparable: 1.2.3 is 1002003.
#define TWEED_VERSION \
  (TWEED_VERSION_MAJOR * 1000000 + TWEED_VERSION_MINOR * 1000 + TWEED_VERSION_PATCH)
