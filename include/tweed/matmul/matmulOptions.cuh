// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/matmulOptions.cuh - what a caller of matmul() asks beside the product.
#pragma once

#include <tweed/matmul/tileShape.cuh>

namespace tweed {

/// Which paths may compute a product, and whether floats may be rounded to TF32 for it. Joined by
/// `|`: tweed::require<tweed::Path::Mma> | tweed::tf32.
template <unsigned Paths, bool IsTf32>
struct MatmulOptions {
  static constexpr bool isTf32 = IsTf32;
  static constexpr bool allows(Path path) { return (Paths >> int(path) & 1) != 0; }
};

namespace detail {
inline constexpr unsigned allPaths = ~0u;
}  // namespace detail

/// No wish: the fastest path that keeps the types' precision.
using AnyPath = MatmulOptions<detail::allPaths, false>;

/// This path or none: compiling fails where it does not take the types, and the call throws where
/// it cannot do the product.
template <Path P>
inline constexpr MatmulOptions<1u << int(P), false> require{};

/// Lets tensor cores multiply floats as TF32: 10 bits of fraction and not 23, summed in float.
inline constexpr MatmulOptions<detail::allPaths, true> tf32{};

template <unsigned Paths, bool IsTf32, unsigned OtherPaths, bool IsOtherTf32>
constexpr MatmulOptions<(Paths & OtherPaths), (IsTf32 || IsOtherTf32)> operator|(
    MatmulOptions<Paths, IsTf32>, MatmulOptions<OtherPaths, IsOtherTf32>) {
  return {};
}

}  // namespace tweed
