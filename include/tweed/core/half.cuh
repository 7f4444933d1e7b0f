// SPDX-License-Identifier: Apache-2.0
// tweed/core/half.cuh - half and bfloat16 as number types; the only header that includes CUDA's.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tweed/core/accumulator.cuh>

namespace tweed {

// With this header every function and operator takes __half and __nv_bfloat16. They are short to
// add up in: half ends at 65504, and a running sum of ones stops at 2048 (bfloat16: at 256). So
// float is their accumulator, and what a call gives is rounded once:
//
//     __half const sum = tweed::blockReduce<256>(x);                // adds in float, rounds once
//     float const all = tweed::blockReduce<256>(float(x));          // adds in float, keeps it
//     __half const top = tweed::blockReduce<256>(x, tweed::Max{});  // exact as it is
//     deviceReduce(in, n, out, tweed::Sum{}, workspace);            // by the type of *out
//
// Warp, block and grid functions, scans too, do so for Sum and Product, alone or in Ops. Any other
// operator, std::plus<> and lambdas too, is called on the values' own type; deviceReduce calls each
// on the accumulator.

template <>
struct Limits<__half> {
  static constexpr bool isInteger = false;
  static constexpr bool isSigned = true;
  static TWEED_HOST_DEVICE constexpr __half greatest() { return ofBits(0x7c00); }
  static TWEED_HOST_DEVICE constexpr __half least() { return ofBits(0xfc00); }
  static TWEED_HOST_DEVICE constexpr __half nan() { return ofBits(0x7e00); }

 private:
  static TWEED_HOST_DEVICE constexpr __half ofBits(unsigned short bits) {
    return __builtin_bit_cast(__half, bits);
  }
};

template <>
struct Limits<__nv_bfloat16> {
  static constexpr bool isInteger = false;
  static constexpr bool isSigned = true;
  static TWEED_HOST_DEVICE constexpr __nv_bfloat16 greatest() { return ofBits(0x7f80); }
  static TWEED_HOST_DEVICE constexpr __nv_bfloat16 least() { return ofBits(0xff80); }
  static TWEED_HOST_DEVICE constexpr __nv_bfloat16 nan() { return ofBits(0x7fc0); }

 private:
  static TWEED_HOST_DEVICE constexpr __nv_bfloat16 ofBits(unsigned short bits) {
    return __builtin_bit_cast(__nv_bfloat16, bits);
  }
};

template <>
struct Accumulator<__half> {
  using Type = float;
};
template <>
struct Accumulator<__nv_bfloat16> {
  using Type = float;
};

}  // namespace tweed
