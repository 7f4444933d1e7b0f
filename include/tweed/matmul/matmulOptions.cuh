// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/matmulOptions.cuh - what a caller of matmul() asks beside the product.
#pragma once

#include <tweed/core/math.cuh>
#include <tweed/matmul/tileShape.cuh>

namespace tweed {

/// A list of configurations, which configuration.cuh says what they are. A type without data.
template <class... Configuration>
struct Configurations {
  static constexpr int count = int(sizeof...(Configuration));
};

/// Which paths may compute a product, whether floats may be rounded to TF32 for it, and which
/// kernels there are to choose from (void: tweed's). Joined by `|`:
/// tweed::require<tweed::Path::Mma> | tweed::tf32.
///
/// Shape    any number of options in any order; lists of kernels at most once.
/// Result   all hold: the paths that each of them allows, TF32 if one asks for it. The type says
///          everything, so a call compiles the kernels that it allows and no others.
/// Errors   compile time: two lists. What the options leave nothing for, matmul() refuses.
template <unsigned Paths, bool IsTf32, class List_ = void>
struct MatmulOptions {
  static constexpr bool isTf32 = IsTf32;
  static constexpr bool allows(Path path) { return (Paths >> int(path) & 1) != 0; }
  using List = List_;
};

namespace detail {
inline constexpr unsigned allPaths = ~0u;
}  // namespace detail

/// No wish: the fastest path that keeps the types' precision.
using AnyPath = MatmulOptions<detail::allPaths, false>;

/// This path or none: compiling fails where it does not take the types, and the call throws where
/// it cannot do the product.
/// Errors   tweed::Error of matmul() and MatmulPlan, which names the path and the reason.
template <Path P>
inline constexpr MatmulOptions<1u << int(P), false> require{};

/// Lets tensor cores multiply floats as TF32: 10 bits of fraction and not 23, summed in float. Of
/// wgmma that is a row-major A with a column-major B, of mma.sync any layout.
/// Result   tensor cores see each float less than 2^-10 of itself away. CUDA cores, where they are
///          chosen, multiply it as it is.
inline constexpr MatmulOptions<detail::allPaths, true> tf32{};

/// One of these kernels, in place of the list that tweed has for the type: fewer of them compile
/// faster, and others may suit a size better.
/// Errors   compile time: none of them takes the types. A call throws tweed::Error where all that
///          take them cannot do the product.
template <class... Configuration>
inline constexpr MatmulOptions<detail::allPaths, false, Configurations<Configuration...>> among{};

template <unsigned Paths, bool IsTf32, class List, unsigned OtherPaths, bool IsOtherTf32,
          class OtherList>
constexpr auto operator|(MatmulOptions<Paths, IsTf32, List>,
                         MatmulOptions<OtherPaths, IsOtherTf32, OtherList>) {
  static_assert(isSame<List, void> || isSame<OtherList, void>,
                "tweed::among: the kernels are listed twice");
  using Lists = typename Conditional<isSame<List, void>, OtherList, List>::Type;
  return MatmulOptions<(Paths & OtherPaths), (IsTf32 || IsOtherTf32), Lists>{};
}

}  // namespace tweed
