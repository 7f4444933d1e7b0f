// SPDX-License-Identifier: Apache-2.0
// examples/canWrite.hpp - whether a file can be written, asked before the work it is for.
#pragma once

#include <unistd.h>

#include <cstdio>

namespace examples {

/// What is there stays, and what is not does not come to be.
inline bool canWrite(char const* path) {
  bool const isThere = access(path, F_OK) == 0;
  std::FILE* const file = std::fopen(path, "a");
  bool const isFine = file != nullptr && std::fclose(file) == 0;
  if (isFine && !isThere) std::remove(path);
  return isFine;
}

}  // namespace examples
