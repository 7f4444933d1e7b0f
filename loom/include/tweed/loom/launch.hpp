// SPDX-License-Identifier: Apache-2.0
/// Starting kernels, and the runtime's functions that take a kernel by its type.
#pragma once
#include <tuple>
#include <utility>

#include "executor.hpp"

namespace tweed::loom::detail {
/// Whether the virtual device takes this configuration; sets the last error if not. Fills
/// `description` but for the kernel's parameters.
cudaError_t checkLaunch(cudaLaunchConfig_t const* config, void const* kernel,
                        LaunchDescription& description);
}  // namespace tweed::loom::detail

/// Runs the kernel to its end before it returns. An invalid configuration gives the runtime's error
/// code and runs nothing; a fault in the kernel throws tweed::loom::Fault.
template <typename... Parameters, typename... Arguments>
inline cudaError_t cudaLaunchKernelEx(cudaLaunchConfig_t const* config,
                                      void (*kernel)(Parameters...), Arguments&&... arguments) {
  struct Call {
    void (*kernel)(Parameters...);
    std::tuple<Parameters...> parameters;
  };
  tweed::loom::detail::LaunchDescription description{};
  cudaError_t const error =
      tweed::loom::detail::checkLaunch(config, reinterpret_cast<void const*>(kernel), description);
  if (error != cudaSuccess) return error;
  Call const call{kernel, std::tuple<Parameters...>(std::forward<Arguments>(arguments)...)};
  description.invoke = [](void const* p) {
    Call const& c = *static_cast<Call const*>(p);
    std::apply(c.kernel, c.parameters);  // by value: each thread has its own copy
  };
  description.context = &call;
  tweed::loom::detail::launch(description);
  return cudaSuccess;
}

// The toolkit declares these templates for nvcc alone.
template <typename T>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<void const*>(kernel));
}
template <typename T>
inline cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<void const*>(kernel), attribute, value);
}
