// SPDX-License-Identifier: Apache-2.0
// tweed/grid/gridStrideVectors.cuh - walk arrays with all threads of a grid, by wide accesses.
#pragma once

#include <tweed/arch/cache.cuh>
#include <tweed/core/math.cuh>
#include <tweed/memory/sharedArray.cuh>

namespace tweed {

namespace detail {

// N neighbours in an array, moved with the widest pieces that their alignment allows. All chunks of
// an array are alike, as they lie a multiple of `widest` bytes apart.
template <class T, int N>
struct Chunk {
  static constexpr int bytes = N * int(sizeof(T));
  static constexpr int widest = smaller(bytes & -bytes, 16);
  static constexpr int narrowest = smaller(int(alignof(T)), widest);
  // Where the head is single, chunks are aligned for `widest`.
  static constexpr bool isMet = isPow2(sizeof(T)) && int(alignof(T)) >= smaller(int(sizeof(T)), 16);
  template <int Width>
  struct Pieces {
    arch::Piece<Width> piece[bytes / Width];
  };
  alignas(larger(widest, int(alignof(T)))) unsigned char byte[bytes];

  TWEED_DEVICE T const& item(int i) const { return reinterpret_cast<T const*>(byte)[i]; }

  // The widest pieces for a chunk that begins at `at`.
  static TWEED_DEVICE int width(T const* at) {
    auto const address = reinterpret_cast<unsigned long long>(at) | unsigned(widest);
    return int(address & -address);
  }
  // How many items come before the first place that is aligned for `widest`, if there is one.
  static TWEED_DEVICE int head(T const* data) {
    auto const address = reinterpret_cast<unsigned long long>(data);
    if constexpr (isPow2(sizeof(T))) return int((widest - address % widest) % widest / sizeof(T));
    int items = 0;
    while (items < widest && (address + unsigned(items) * sizeof(T)) % widest != 0) ++items;
    return items % widest;
  }

  template <int Width = widest>
  static TWEED_DEVICE Chunk load(T const* at, int width) {
    if constexpr (Width > narrowest) {
      if (width < Width) return load<Width / 2>(at, width);
    }
    auto const* const from = reinterpret_cast<arch::Piece<Width> const*>(at);
    Pieces<Width> pieces;
#pragma unroll
    for (int i = 0; i < bytes / Width; ++i) pieces.piece[i] = arch::load<Cache::Normal>(from + i);
    Chunk chunk;
    memcpy(chunk.byte, &pieces, bytes);
    return chunk;
  }
  template <int Width = widest>
  TWEED_DEVICE void store(T* at, int width) const {
    if constexpr (Width > narrowest) {
      if (width < Width) return store<Width / 2>(at, width);
    }
    auto* const to = reinterpret_cast<arch::Piece<Width>*>(at);
    Pieces<Width> pieces;
    memcpy(&pieces, byte, bytes);
#pragma unroll
    for (int i = 0; i < bytes / Width; ++i) arch::store<Cache::Normal>(to + i, pieces.piece[i]);
  }
};

// Count chunks, `step` items apart. IsWide: they are aligned for the widest pieces, which spares
// the question and lets loads be on their way together.
template <class T, int N, int Count>
struct Chunks {
  Chunk<T, N> chunk[Count];

  template <bool IsWide>
  static TWEED_DEVICE Chunks load(T const* at, unsigned long long step) {
    int const width = IsWide ? Chunk<T, N>::widest : Chunk<T, N>::width(at);
    Chunks chunks;
#pragma unroll
    for (int k = 0; k < Count; ++k)
      chunks.chunk[k] = Chunk<T, N>::load(at + unsigned(k) * step, width);
    return chunks;
  }
};

template <class T>
TWEED_DEVICE T declareItem();

// f(x...), or f(x..., index) if that is what it takes.
template <class F, class... T>
TWEED_DEVICE auto takesItems(int) -> decltype(declareItem<F&>()(declareItem<T const&>()...), int());
template <class F, class... T>
TWEED_DEVICE char takesItems(...);
template <class Index, class F, class... T>
TWEED_DEVICE decltype(auto) callForItem(F& f, unsigned long long index, T const&... x) {
  if constexpr (sizeof(takesItems<F, T...>(0)) == sizeof(int)) {
    return f(x...);
  } else {
    return f(x..., Index(index));
  }
}

// Out is void where there is none.
template <class Index, class Out, class F, class... T>
TWEED_DEVICE void strideItem(unsigned long long at, F& f, [[maybe_unused]] Out* out,
                             T const*... in) {
  if constexpr (isSame<Out, void>) {
    callForItem<Index>(f, at, in[at]...);
  } else {
    ::new (Place{out + at}) Out(callForItem<Index>(f, at, in[at]...));
  }
}

template <class Index, bool IsWide, int Count, int N, class Out, class F, class... T>
TWEED_DEVICE void strideLoaded(unsigned long long at, unsigned long long step, F& f,
                               [[maybe_unused]] Out* out, Chunks<T, N, Count> const&... in) {
#pragma unroll
  for (int k = 0; k < Count; ++k, at += step) {
    if constexpr (isSame<Out, void>) {
#pragma unroll
      for (int i = 0; i < N; ++i) callForItem<Index>(f, at + unsigned(i), in.chunk[k].item(i)...);
    } else {
      using To = Chunk<Out, N>;
      To results;
#pragma unroll
      for (int i = 0; i < N; ++i)
        ::new (Place{results.byte + unsigned(i) * sizeof(Out)})
            Out(callForItem<Index>(f, at + unsigned(i), in.chunk[k].item(i)...));
      results.store(out + at, IsWide || To::isMet ? To::widest : To::width(out + at));
    }
  }
}

// The chunks from item `head` on, Batch of them at a time, and one at a time at the end.
template <class Index, bool IsWide, int Batch, int N, class Out, class F, class... T>
TWEED_DEVICE void strideChunks(unsigned long long chunks, unsigned head, F& f, Out* out,
                               T const*... in) {
  unsigned long long const threads = gridDim.x * 1ull * blockDim.x;
  unsigned long long chunk = blockIdx.x * 1ull * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (; chunk + (Batch - 1) * threads < chunks; chunk += Batch * threads) {
    unsigned long long const at = head + chunk * N, step = threads * N;
    strideLoaded<Index, IsWide>(at, step, f, out,
                                Chunks<T, N, Batch>::template load<IsWide>(in + at, step)...);
  }
  if constexpr (Batch > 1) {
#pragma unroll 1
    for (; chunk < chunks; chunk += threads) {
      unsigned long long const at = head + chunk * N;
      strideLoaded<Index, IsWide>(at, 0, f, out,
                                  Chunks<T, N, 1>::template load<IsWide>(in + at, 0)...);
    }
  }
}

template <int N, class T>
TWEED_DEVICE bool isWideAt(T const* at) {
  return Chunk<T, N>::width(at) == Chunk<T, N>::widest;
}

template <class A, class B>
TWEED_DEVICE bool overlapBadly(A const* a, B const* b, unsigned long long count) {
  auto const beginA = reinterpret_cast<unsigned long long>(a), endA = beginA + count * sizeof(A);
  auto const beginB = reinterpret_cast<unsigned long long>(b), endB = beginB + count * sizeof(B);
  bool const isSamePlace = beginA == beginB && sizeof(A) == sizeof(B);
  return beginA < endB && beginB < endA && !isSamePlace;
}

template <int N, class Index, class Out, class F, class First, class... Rest>
TWEED_DEVICE void strideVectors(Index n, F& f, Out* out, First const* first, Rest const*... rest) {
  static_assert(N >= 1 && N <= 64 && isPow2(N),
                "tweed::gridStrideVectors: N must be a power of two from 1 to 64");
  static_assert(Limits<Index>::isInteger && sizeof(Index) <= 8,
                "tweed::gridStrideVectors: n must be an integer of at most 64 bits");
  static_assert(isTriviallyCopyable<First> && (isTriviallyCopyable<Rest> && ...),
                "tweed::gridStrideVectors: items must be trivially copyable");
  TWEED_ASSERT(blockDim.y * blockDim.z * gridDim.y * gridDim.z == 1,
               "tweed::gridStrideVectors: needs a 1-D grid of 1-D blocks; y and z are (%u, %u) of "
               "the block and (%u, %u) of the grid",
               blockDim.y, blockDim.z, gridDim.y, gridDim.z);
  unsigned long long const count = n > Index(0) ? static_cast<unsigned long long>(n) : 0;
  // Stores decide where chunks begin: a load that is not aligned costs less than a store.
  int head;
  if constexpr (isSame<Out, void>) {
    head = Chunk<First, N>::head(first);
  } else {
    static_assert(isTriviallyCopyable<Out>,
                  "tweed::gridStrideVectors: items must be trivially copyable");
    TWEED_ASSERT(!overlapBadly(out, first, count) && !(overlapBadly(out, rest, count) || ...),
                 "tweed::gridStrideVectors: out overlaps an input without being the same array");
    head = Chunk<Out, N>::head(out);
  }
  head = int(smaller(0ull + unsigned(head), count));
  unsigned long long const chunks = (count - unsigned(head)) / N, edges = count - chunks * N;
  unsigned long long const threads = gridDim.x * 1ull * blockDim.x;
  for (unsigned long long i = blockIdx.x * 1ull * blockDim.x + threadIdx.x; i < edges; i += threads)
    strideItem<Index>(i < unsigned(head) ? i : i + chunks * N, f, out, first, rest...);

  // 64 bytes of a thread are enough to have on their way.
  constexpr int batch = larger(1, smaller(4, 64 / (N * int((sizeof(First) + ... + sizeof(Rest))))));
  bool isWide = isWideAt<N>(first + head) && (isWideAt<N>(rest + head) && ...);
  if constexpr (!isSame<Out, void>) isWide = isWide && isWideAt<N>(out + head);
  if (isWide) {
    strideChunks<Index, true, batch, N>(chunks, unsigned(head), f, out, first, rest...);
  } else {
    strideChunks<Index, false, 1, N>(chunks, unsigned(head), f, out, first, rest...);
  }
}

}  // namespace detail

/// Calls `f` for each of n items, spread over the whole grid, and stores what it returns; items are
/// loaded and stored N at a time, wherever that is possible.
///
///     tweed::gridStrideVectors<4>(y, x, y, n, [=](float x, float y) { return a * x + y; });
///
/// Shape    a 1-D grid of 1-D blocks, any numbers of them; n up to 2^63 (a negative one is 0); one
///          or two inputs and one output of n items each, of any types. N is a power of two from 1
///          to 64; best is 16 bytes, as 4 floats.
/// Result   out[i] = Out(f(in[i])) for each i in [0, n), once; f(in[i], i) if that is what f takes,
///          with i in the type of n. No byte outside of the arrays' n items is read or written.
/// Needs    pointers aligned to their items, no more: each array is accessed as wide as its own
///          alignment allows. Items trivially copyable. out may be one of the inputs if their items
///          have one size; else arrays do not overlap. f must not care in which order it is called.
/// Sync     none. Threads run different numbers of turns: no barrier inside.
/// Cost     where all arrays are aligned alike (counted from 16-byte boundaries, in items), 16
///          bytes an instruction and 64 bytes of a thread on their way at a time. Otherwise the
///          output is still stored 16 bytes at a time, and inputs are loaded by 8, 4, 2 or 1. Up to
///          15 items at either end are single.
/// Errors   compile time: N, types. More dimensions and overlapping arrays stop the kernel under
///          TWEED_DEBUG and on the loom.
/// Source   J. Luitjens, "CUDA Pro Tip: increase performance with vectorized memory access", 2013.
template <int N, class Out, class In, class Index, class F>
TWEED_DEVICE void gridStrideVectors(Out* out, In const* in, Index n, F f) {
  detail::strideVectors<N>(n, f, out, in);
}

/// The same with two inputs: out[i] = Out(f(inA[i], inB[i])), or f(inA[i], inB[i], i).
template <int N, class Out, class InA, class InB, class Index, class F>
TWEED_DEVICE void gridStrideVectors(Out* out, InA const* inA, InB const* inB, Index n, F f) {
  detail::strideVectors<N>(n, f, out, inA, inB);
}

/// The same without an output: calls visit(in[i]), or visit(in[i], i).
///
///     float sum = 0;
///     tweed::gridStrideVectors<4>(x, n, [&](float x) { sum += x; });
template <int N, class In, class Index, class F>
TWEED_DEVICE void gridStrideVectors(In const* in, Index n, F visit) {
  detail::strideVectors<N>(n, visit, static_cast<void*>(nullptr), in);
}

}  // namespace tweed
