// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/tuner.cuh - the kernels that products are chosen from, and what they are worth.
#pragma once

#include <tweed/matmul/matmulOptions.cuh>
#include <tweed/matmul/mmaConfiguration.cuh>
#include <tweed/matmul/packedConfiguration.cuh>
#include <tweed/matmul/simtConfiguration.cuh>
#include <tweed/matmul/wgmmaConfiguration.cuh>

#if !defined(__CUDACC_RTC__)

namespace tweed {

namespace detail {

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

}  // namespace detail

namespace detail {
// Any type, layout, alignment and device.
using OfAnyType = SimtConfiguration<SimtConfig<TileShape<64, 64, 16>, 4, 4, 3>, 1, 80>;
// Of float, many tiles; and few, of long sums.
using PlainLittle = SimtConfig<TileShape<64, 64, 32>, 4, 4, 3>;
using ManyLittle = SimtConfiguration<PlainLittle, 1, 140>;
using FewLittle = SimtConfiguration<PlainLittle, balanced, 130>;
}  // namespace detail

// The last number of those of CUDA cores and of mma is what a multiprocessor reaches with it, in
// operations a clock, an add being one and a multiplication one, at 1.75 GHz: from runs on an H200,
// or where there is none yet (mma) from the share that the tile's loads leave of the peak (256 of
// float; of 16-bit floats 2048). What wgmma takes: wgmmaTuning.cuh.

/// All that are compiled for a product of items of T. Each is one kernel for each set of layouts
/// and epilogue that a program uses, so the list is short; `among` replaces it.
template <class T>
struct MatmulList {
  using Type = Configurations<detail::OfAnyType>;
};

template <>
struct MatmulList<float> {
 private:
  static constexpr auto loads = Loading::ByWarpgroup;
  using Large = SimtConfig<TileShape<128, 256, 32>, 16, 8, 3, loads>;
  using Middle = SimtConfig<TileShape<128, 128, 32>, 8, 8, 4, loads>;
  using Little = SimtConfig<TileShape<64, 64, 32>, 8, 8, 6, loads, 2>;
  using Least = SimtConfig<TileShape<32, 32, 64>, 2, 4, 4>;
  using Plain = SimtConfig<TileShape<128, 128, 32>, 8, 8, 3>;

 public:
  // Clusters of two, since only 30 of four have a multiprocessor for each block at once.
  using Type = Configurations<SimtConfiguration<Large, 1, 243>,         // 2048: 53.0 TFLOP/s
                              SimtConfiguration<Large, balanced, 242>,  // 4096 on: 54.5 to 55.3
                              SimtConfiguration<Middle, 2, 223>,        // 1024: 44.7
                              SimtConfiguration<Little, 2, 190>,        // 512: 25.2
                              SimtConfiguration<Least, 2, 60>,          // 256: 7.4
                              SimtConfiguration<Plain, 1, 215>,         // also without sm_90a: 49.0
                              detail::ManyLittle, detail::FewLittle>;
};

/// Those of floats as TF32. Of CUDA cores what needs no tensor core and what has few tiles of long
/// sums.
struct Tf32List {
  using Type =
      Configurations<detail::ManyLittle, detail::FewLittle,
                     MmaConfiguration<MmaConfig<TileShape<128, 128, 32>, 64, 32, 3>, 800>,
                     WgmmaConfiguration<WgmmaConfig<128, 256, 2, 4, 2>>,
                     WgmmaConfiguration<WgmmaConfig<128, 256, 2, 4>>,
                     WgmmaConfiguration<WgmmaConfig<128, 128, 2, 5>>,
                     WgmmaConfiguration<WgmmaConfig<128, 64, 2, 8>>,
                     WgmmaConfiguration<WgmmaConfig<64, 64, 1, 8>>,
                     PackedConfiguration<WgmmaConfiguration<WgmmaConfig<128, 256, 2, 4, 2>>>,
                     PackedConfiguration<WgmmaConfiguration<WgmmaConfig<128, 128, 2, 5>>>>;
};

namespace detail {
template <class... Config>
Configurations<WgmmaConfiguration<Config>...> configurationsOf(WgmmaConfigs<Config...>);

struct HalfList {
  using Wgmma = decltype(configurationsOf(WgmmaFastest{}));
  // Kernels of Wgmma again, for any alignment.
  using Packed =
      Configurations<PackedConfiguration<WgmmaConfiguration<WgmmaConfig<128, 256, 2, 4, 2>>>,
                     PackedConfiguration<WgmmaConfiguration<WgmmaConfig<128, 128, 2, 5>>>>;
  using Mma = Configurations<MmaConfiguration<MmaConfig<TileShape<128, 256, 64>, 64, 64, 3>, 1800>,
                             MmaConfiguration<MmaConfig<TileShape<128, 128, 64>, 64, 32, 3>, 1600>,
                             MmaConfiguration<MmaConfig<TileShape<64, 64, 64>, 32, 32, 3>, 1000>>;
  // The last for compute capability 7.5, and where CUDA cores are required.
  using Type = typename Joined<Wgmma, Packed, Mma, Configurations<OfAnyType>>::Type;
};
}  // namespace detail
template <>
struct MatmulList<__half> : detail::HalfList {};
template <>
struct MatmulList<__nv_bfloat16> : detail::HalfList {};

namespace detail {

// Tensor cores take floats as TF32, which has to be asked for.
template <class Configuration, class Task>
inline constexpr bool roundsItems =
    Configuration::path != Path::Simt&& isSame<typename Task::A::Item, float const>;

template <class Configuration, class Task, class Options>
inline constexpr bool isAllowed = Options::allows(Configuration::path) &&
                                  (!roundsItems<Configuration, Task> || Options::isTf32);
template <class Configuration, class Task>
inline constexpr bool takesAll = Configuration::template takes<Task> &&
                                 (Configuration::reduces ||
                                  !hasReductions<typename Task::Epilogue>);

// Of a list, those that the options allow: the ones that take the task, or the others.
template <class List, class Task, class Options, bool AreTaking>
struct Allowed;
template <class... Configuration, class Task, class Options, bool AreTaking>
struct Allowed<Configurations<Configuration...>, Task, Options, AreTaking> {
  using Type = typename Joined<typename Conditional<
      isAllowed<Configuration, Task, Options> && takesAll<Configuration, Task> == AreTaking,
      Configurations<Configuration>, Configurations<>>::Type...>::Type;
};

template <class List, class T, bool IsTf32>
struct ListOr {
  using Type = List;
};
template <class T, bool IsTf32>
struct ListOr<void, T, IsTf32> {
  using Type = typename MatmulList<T>::Type;
};
template <>
struct ListOr<void, float, true> {
  using Type = Tf32List::Type;
};

template <class Options>
inline constexpr bool asksForTf32 = Options::isTf32 &&
                                    (Options::allows(Path::Mma) || Options::allows(Path::Wgmma));

template <class Task, class Options, bool AreTaking>
using AllowedFor =
    typename Allowed<typename ListOr<typename Options::List, RemoveConst<typename Task::A::Item>,
                                     asksForTf32<Options>>::Type,
                     Task, Options, AreTaking>::Type;

/// Those that take a task's types, layouts and reductions, and that the options allow.
template <class Task, class Options>
using CandidatesOf = AllowedFor<Task, Options, true>;
/// Those that the options allow, but that do not take them.
template <class Task, class Options>
using ExcludedFrom = AllowedFor<Task, Options, false>;

// Whether one of a list would take a task that had no reductions.
template <class Task, class... Configuration>
constexpr bool takesTypes(Configurations<Configuration...>) {
  return (false || ... || Configuration::template takes<Task>);
}

}  // namespace detail
}  // namespace tweed

#endif  // !defined(__CUDACC_RTC__)
