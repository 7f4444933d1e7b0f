// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/affine.cuh - an operator whose order matters.
#pragma once

namespace bench {

/// x -> scale * x + shift. Op order matters: apply the first map first.
struct Affine {
  float scale, shift;
  __host__ __device__ bool operator==(Affine const& other) const {
    return scale == other.scale && shift == other.shift;
  }
};
struct Compose {
  __host__ __device__ Affine operator()(Affine const& a, Affine const& b) const {
    return {a.scale * b.scale, b.scale * a.shift + b.shift};
  }
};

}  // namespace bench
