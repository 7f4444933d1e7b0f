// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/valueTypes.cuh - more types for the collectives: narrow, wide, odd and joined.
#pragma once

#include "collective.cuh"

#include <tweed/core/argOps.cuh>
#include <tweed/core/half.cuh>
#include <tweed/core/values.cuh>

#include <cuda/std/complex>

namespace bench {

/// Structs of 3, 12 and 40 bytes, and operators for them.
template <class T, int N>
struct Items {
  T item[N];
  friend __host__ __device__ bool operator==(Items const& a, Items const& b) {
    for (int i = 0; i < N; ++i)
      if (a.item[i] != b.item[i]) return false;
    return true;
  }
};
using Bytes3 = Items<unsigned char, 3>;
using Floats3 = Items<float, 3>;
using Doubles5 = Items<double, 5>;

struct MaxEach {
  static constexpr bool isCommutative = true;
  template <class T, int N>
  __host__ __device__ Items<T, N> operator()(Items<T, N> a, Items<T, N> const& b) const {
    for (int i = 0; i < N; ++i) a.item[i] = b.item[i] > a.item[i] ? b.item[i] : a.item[i];
    return a;
  }
};
struct AddEach {
  static constexpr bool isCommutative = true;
  template <class T, int N>
  __host__ __device__ Items<T, N> operator()(Items<T, N> a, Items<T, N> const& b) const {
    for (int i = 0; i < N; ++i) a.item[i] += b.item[i];
    return a;
  }
};

// Of half and bfloat16 the exact values are -1, 0 and 1, whose sums stay small.
template <class T>
struct NarrowValues {
  static __device__ T start(int thread) { return T(float(thread) * 0.0625f); }
  static __device__ T mix(T last, T own) { return __hfma(last, T(1e-3f), own); }
  static __host__ __device__ T exact(std::uint32_t bits) { return T(float(int(bits % 3) - 1)); }
};
template <>
struct Values<__half> : NarrowValues<__half> {};
template <>
struct Values<__nv_bfloat16> : NarrowValues<__nv_bfloat16> {};

template <>
struct Values<__int128> {
  static __device__ __int128 start(int thread) { return __int128(thread) << 60; }
  static __device__ __int128 mix(__int128 last, __int128 own) { return (last ^ own) + 1; }
  static __host__ __device__ __int128 exact(std::uint32_t bits) { return __int128(bits) << 50; }
};

template <>
struct Values<cuda::std::complex<float>> {
  using T = cuda::std::complex<float>;
  static __device__ T start(int thread) { return {thread * 0.25f, thread * 0.5f}; }
  static __device__ T mix(T last, T own) {
    return {fmaf(last.real(), 1e-3f, own.real()), fmaf(last.imag(), 1e-3f, own.imag())};
  }
  static __host__ __device__ T exact(std::uint32_t bits) {
    return {float(bits & 1023), float(bits >> 10 & 1023)};
  }
};

template <class T, int N>
struct Values<Items<T, N>> {
  using All = Items<T, N>;
  static __device__ All start(int thread) {
    All value;
    for (int i = 0; i < N; ++i) value.item[i] = T(thread * (i + 1));
    return value;
  }
  static __device__ All mix(All last, All own) {
    for (int i = 0; i < N; ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        own.item[i] = fma(last.item[i], T(1e-3), own.item[i]);
      } else {
        own.item[i] = T(own.item[i] + last.item[i] / 2);
      }
    }
    return own;
  }
  static __host__ __device__ All exact(std::uint32_t bits) {
    All value;
    for (int i = 0; i < N; ++i) value.item[i] = T(bits >> 4 * i & 1023);
    return value;
  }
};

/// Several floats as one. Each member of the exact values is an integer below 1024.
template <class... T>
struct Values<tweed::Values<T...>> {
  using All = tweed::Values<T...>;
  static __device__ All start(int thread) {
    int i = 0;
    return {T(thread * ++i) * T(0.25)...};
  }
  template <int... I>
  static __device__ All mixEach(All const& last, All const& own, std::integer_sequence<int, I...>) {
    return {fmaf(tweed::get<I>(last), 1e-3f, tweed::get<I>(own))...};
  }
  static __device__ All mix(All last, All own) {
    return mixEach(last, own, std::make_integer_sequence<int, int(sizeof...(T))>{});
  }
  static __host__ __device__ All exact(std::uint32_t bits) {
    int i = 0;
    return {T(bits >> 7 * i++ & 1023)...};
  }
};

/// A value and its place. Values occur often, so that the lower place decides.
template <class T, class Index>
struct Values<tweed::Indexed<T, Index>> {
  using Element = tweed::Indexed<T, Index>;
  static __device__ Element start(int thread) {
    return {T(thread * 37 & 1023) * T(0.25), Index(thread)};
  }
  static __device__ Element mix(Element last, Element own) {
    return {T(fma(last.value, T(1e-3), own.value)), Index(own.index + (last.index & 1))};
  }
  static __host__ __device__ Element exact(std::uint32_t bits) {
    return {T(bits & 15), Index(bits >> 4)};
  }
};

}  // namespace bench
