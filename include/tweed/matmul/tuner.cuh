// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/tuner.cuh - the kernels that products are chosen from.
#pragma once

#include <tweed/matmul/matmulOptions.cuh>
#include <tweed/matmul/plainKernel.cuh>

#if !defined(__CUDACC_RTC__)

namespace tweed {

/// A list of configurations, which configuration.cuh says what they are.
template <class... Configuration>
struct Configurations {
  static constexpr int count = int(sizeof...(Configuration));
};

namespace detail {

template <class Configuration, class = void>
inline constexpr bool isOfTf32 = false;
template <class Configuration>
inline constexpr bool isOfTf32<Configuration, decltype(void(Configuration::isTf32))> =
    Configuration::isTf32;

// The members of lists, joined.
template <class... List>
struct Joined;
template <>
struct Joined<> {
  using Type = Configurations<>;
};
template <class... A>
struct Joined<Configurations<A...>> {
  using Type = Configurations<A...>;
};
template <class... A, class... B, class... Rest>
struct Joined<Configurations<A...>, Configurations<B...>, Rest...> {
  using Type = typename Joined<Configurations<A..., B...>, Rest...>::Type;
};

template <class Configuration, class Task, class Options>
constexpr bool isCandidate() {
  return Options::allows(Configuration::path) && (!isOfTf32<Configuration> || Options::isTf32) &&
         Configuration::template takes<Task>;
}

template <class List, class Task, class Options>
struct Candidates;
template <class... Configuration, class Task, class Options>
struct Candidates<Configurations<Configuration...>, Task, Options> {
  using Type = typename Joined<
      typename Conditional<isCandidate<Configuration, Task, Options>(),
                           Configurations<Configuration>, Configurations<>>::Type...>::Type;
};

}  // namespace detail

/// All that are compiled for a product of items of T. Each is one kernel for each set of layouts and
/// epilogue that a program uses, so the list is short.
template <class T>
struct MatmulList {
  using Type = Configurations<PlainConfiguration>;
};

namespace detail {
/// Those that take a task's types and layouts, and that the options allow.
template <class Task, class Options>
using CandidatesOf =
    typename Candidates<typename MatmulList<RemoveConst<typename Task::A::Item>>::Type, Task,
                        Options>::Type;
}  // namespace detail

}  // namespace tweed

#endif  // !defined(__CUDACC_RTC__)
