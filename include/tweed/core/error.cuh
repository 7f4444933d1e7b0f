// SPDX-License-Identifier: Apache-2.0
// tweed/core/error.cuh - what the host functions throw.
#pragma once

#include <tweed/core/config.cuh>

#if !defined(__CUDACC_RTC__)

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace tweed {

/// Thrown by every host function that launches or allocates, before anything is written. what() is
/// a sentence with what was asked and what is allowed.
class Error : public std::runtime_error {
 public:
  Error(cudaError_t code, std::string const& text) : std::runtime_error(text), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

namespace detail {

[[noreturn]] inline void fail(cudaError_t code, std::string const& text) {
  throw Error(code, text + " [" + cudaGetErrorName(code) + "]");
}

// Whether a code is a fault that a kernel met while it ran. It stays with the context, and every
// later call returns it, whatever that call does.
inline bool isKernelFault(cudaError_t code) {
  int const number = int(code);
  return number == cudaErrorIllegalAddress || number == cudaErrorLaunchTimeout ||
         number == cudaErrorAssert ||
         (number >= 714 && number <= cudaErrorLaunchFailure) ||  // stack, instruction, address, pc
         number == 214 || number == 220 || number == 226 ||      // memory or NVLink of the device
         number == 721;                                          // tensor memory not given back
}

[[noreturn]] inline void failCall(cudaError_t code, char const* call, char const* file, int line) {
  (void)cudaGetLastError();  // leave no error behind that a later call would be blamed for
  fail(code, std::string("tweed: ") + call +
                 (isKernelFault(code) ? " met a failure of earlier work at " : " failed at ") +
                 file + ":" + std::to_string(line) + ": " + cudaGetErrorString(code));
}

}  // namespace detail
}  // namespace tweed

/// Evaluates a call that returns cudaError_t; throws tweed::Error unless it is cudaSuccess.
#define TWEED_CHECK(call)                                                                          \
  do {                                                                                             \
    cudaError_t const tweedCode = (call);                                                          \
    if (tweedCode != cudaSuccess) ::tweed::detail::failCall(tweedCode, #call, __FILE__, __LINE__); \
  } while (false)

#endif  // !defined(__CUDACC_RTC__)
