// SPDX-License-Identifier: Apache-2.0
/// What the program's own symbol table tells: the names of kernels, the bounds of __shared__.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tweed::loom {

class Symbols {
 public:
  /// Reads the table of the running program at the first call.
  static Symbols const& get();

  /// The name of a function in the symbol table; null in a stripped program.
  char const* mangledNameOf(void const* function) const;
  /// The demangled name of a function, or "kernel" in a stripped program.
  std::string nameOf(void const* function) const;

  struct Span {
    std::uintptr_t offset;  ///< within the program's thread-local block
    std::size_t bytes;
  };
  /// Every __shared__ variable of the program.
  std::vector<Span> const& shared() const { return shared_; }
  /// The calling OS thread's copy of the program's thread-local block.
  static char* threadLocalBlock();

 private:
  Symbols();
  struct Function {
    std::uintptr_t address;
    std::string name;
  };
  void add(char const* image);
  std::vector<Function> functions_;
  std::vector<Span> shared_;
  std::uintptr_t base_ = 0;
};

}  // namespace tweed::loom
