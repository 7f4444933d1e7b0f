// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/tuner.cuh - the kernels that products are chosen from, and what they are worth.
#pragma once

#include <tweed/matmul/matmulOptions.cuh>
#include <tweed/matmul/simtConfiguration.cuh>

#if !defined(__CUDACC_RTC__)

namespace tweed {

// The last number of each is what a multiprocessor reaches with it, in operations a clock, an add
// being one and a multiplication one. Measured on an H200 at 1.97 GHz: 128 x 256 with a warpgroup
// that loads, 53.7 TFLOP/s at 4096. The others by the share of multiply-adds in their loops, to be
// measured.

/// All that are compiled for a product of items of T. Each is one kernel for each set of layouts and
/// epilogue that a program uses, so the list is short; `among` replaces it.
template <class T>
struct MatmulList {
  using Type = Configurations<SimtConfiguration<SimtConfig<TileShape<64, 64, 16>, 4, 4, 3>, 1, 80>>;
};

template <>
struct MatmulList<float> {
 private:
  using Large = SimtConfig<TileShape<128, 256, 32>, 16, 8, 3, Loading::ByWarpgroup>;
  using Square = SimtConfig<TileShape<128, 128, 16>, 8, 8, 3>;
  using Wide = SimtConfig<TileShape<64, 128, 32>, 8, 4, 3>;
  using Small = SimtConfig<TileShape<64, 64, 32>, 4, 4, 3>;

 public:
  using Type = Configurations<SimtConfiguration<Large, 1, 206>,   // 1536 and more
                              SimtConfiguration<Large, 4, 206>,   // 1024
                              SimtConfiguration<Square, 1, 180>,  // also without sm_90a
                              SimtConfiguration<Wide, 4, 160>,    // 512
                              SimtConfiguration<Small, 8, 130>,   // 256
                              SimtConfiguration<Small, 1, 130>>;  // many little ones
};

namespace detail {

// Tensor cores take floats as TF32, which has to be asked for.
template <class Configuration, class Task>
inline constexpr bool roundsItems =
    Configuration::path != Path::Simt&& isSame<typename Task::A::Item, float const>;

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
  if constexpr (Options::allows(Configuration::path) &&
                (!roundsItems<Configuration, Task> || Options::isTf32)) {
    return Configuration::template takes<Task>;
  } else {
    return false;
  }
}

template <class List, class Task, class Options>
struct Candidates;
template <class... Configuration, class Task, class Options>
struct Candidates<Configurations<Configuration...>, Task, Options> {
  using Type = typename Joined<
      typename Conditional<isCandidate<Configuration, Task, Options>(),
                           Configurations<Configuration>, Configurations<>>::Type...>::Type;
};

template <class List, class T>
struct ListOr {
  using Type = List;
};
template <class T>
struct ListOr<void, T> {
  using Type = typename MatmulList<T>::Type;
};

/// Those that take a task's types and layouts, and that the options allow.
template <class Task, class Options>
using CandidatesOf = typename Candidates<
    typename ListOr<typename Options::List, RemoveConst<typename Task::A::Item>>::Type, Task,
    Options>::Type;

}  // namespace detail
}  // namespace tweed

#endif  // !defined(__CUDACC_RTC__)
