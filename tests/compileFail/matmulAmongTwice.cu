// SPDX-License-Identifier: Apache-2.0
// expect: tweed::among: the kernels are listed twice
#include <tweed/matmul/plainKernel.cuh>
#include <tweed/matmul/tuner.cuh>
constexpr auto plain = tweed::among<tweed::PlainConfiguration>;
constexpr auto twice = plain | plain;
