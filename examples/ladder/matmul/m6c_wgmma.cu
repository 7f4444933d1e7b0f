// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=sm_90a -Itweed/include -Itweed/examples m6c_wgmma.cu && ./a.out
//
// Since m6b: Hopper's own way. One thread has the copy engine (TMA) fetch whole tiles, and wgmma
// multiplies them where they are, in shared memory, for 128 threads at a time. For compute
// capability 9.0 alone.
//
// What m6b did by instructions is hardware: addresses, edges and swizzle are the engine's, by a map
// that the host makes; fragments of A and B pass through no register. A block has one warpgroup
// that loads and two that multiply 64 x 256 items each; they tell each other by barriers in memory
// which of four stages is full or free, so that nobody waits for a whole block. Blocks stay, and
// take one tile after the other, in an order in which those under way share rows and columns. All
// this is tweed::WgmmaMatmul; the kernel says which tiles, and what becomes of the sums. The engine
// wants rows that begin at multiples of 16 bytes: others are copied first. The profiler shows
// tensor cores busy most of the time, and few other instructions.

#include <ladder/rowPieces.cuh>
#include <ladder/runProduct.cuh>
#include <tweed/matmul/tileOrder.cuh>
#include <tweed/matmul/wgmmaImage.cuh>
#include <tweed/matmul/wgmmaMatmul.cuh>
#include <tweed/memory/dynamicShared.cuh>
#include <tweed/memory/tensorMap.cuh>

#include <stdexcept>

namespace m6c {

constexpr int edgeM = 128, edgeK = 256;
template <class T>
using Matmul = tweed::WgmmaMatmul<tweed::WgmmaConfig<edgeM, edgeK, 2, 4>, T, tweed::Major::K,
                                  tweed::Major::Mn, float>;

// Both are templates, so that targets without wgmma do not compile what they do not run.
template <class>
constexpr bool hasWgmma = tweed::arch::hasWgmma;
template <class T>
__global__ void __launch_bounds__(Matmul<T>::threads, 1)
    byWgmma(tweed::arch::TensorMap const __grid_constant__ a,
            tweed::arch::TensorMap const __grid_constant__ b, float* c, ladder::ProductShape shape,
            tweed::TileOrder order) {
  if constexpr (hasWgmma<T>) {
    int const steps = int(tweed::ceilDiv(shape.n, 1ll * Matmul<T>::k));
    auto const tiles = [&](int i, tweed::WgmmaTile& tile) {
      long long const t = blockIdx.x + 1ll * i * gridDim.x;
      if (t >= order.count()) return false;
      tweed::TileIndex const at = order.at(t);
      tile = {at.row * edgeM, at.column * edgeK, 0, steps, 0, 0, 0};
      return true;
    };
    ladder::RowPieces<2, float> const toC(c, shape.m, shape.k);
    Matmul<T> matmul(tweed::dynamicShared<unsigned char>(), &a, &b);
    matmul.run(tiles, [&](auto const& sums, tweed::WgmmaTile const& tile) {
#pragma unroll
      for (int i = 0; i < Matmul<T>::Config::registers; i += 2)
        toC.store(tile.row + sums.rowOf(0, i), tile.column + sums.columnOf(i),
                  {sums.value[0][i], sums.value[0][i + 1]});
    });
    matmul.finish();
  } else {
    tweed::arch::stopWithoutTarget();
  }
}

// A matrix as the copy engine takes it: itself, or a copy with longer rows.
template <class T>
struct Operand {
  T const* data;
  long long rows, columns, pitch;

  Operand(T const* from, long long rows_, long long columns_, T*& scratch, cudaStream_t stream)
      : data(from), rows(rows_), columns(columns_), pitch(columns_) {
    if (reinterpret_cast<std::uintptr_t>(from) % 16 == 0 && columns % 8 == 0) return;
    pitch = tweed::roundUp(columns, 8ll);
    data = scratch;
    scratch += rows * pitch;
    std::size_t const bytes = std::size_t(columns) * sizeof(T);
    TWEED_CHECK(cudaMemcpy2DAsync(const_cast<T*>(data), std::size_t(pitch) * sizeof(T), from, bytes,
                                  bytes, std::size_t(rows), cudaMemcpyDeviceToDevice, stream));
  }
  tweed::arch::TensorMap map(char const* name, unsigned boxX, unsigned boxY) const {
    return tweed::makeTensorMap(name, data,
                                {tweed::TensorShape::Element::Half,
                                 {std::uint64_t(columns), std::uint64_t(rows), 1},
                                 {std::uint64_t(pitch) * sizeof(T), 0},
                                 {boxX, boxY}});
  }
};

void product(__half const* a, __half const* b, float* c, ladder::ProductShape shape,
             tweed::Workspace& workspace) {
  using M = Matmul<__half>;
  auto const [m, n, k] = shape;
  cudaStream_t const stream = workspace.stream();
  constexpr long long most = 1 << 30;  // the engine's places are ints
  if (m > most || n > most || k > most)
    throw std::length_error("m6c: " + std::to_string(m) + " x " + std::to_string(n) + " by " +
                            std::to_string(n) + " x " + std::to_string(k) + "; at most " +
                            std::to_string(most) + " rows and columns are allowed");
  if (m == 0 || k == 0) return;
  if (n == 0) {  // a matrix without items has no map
    TWEED_CHECK(cudaMemsetAsync(c, 0, std::size_t(m * k) * sizeof(float), stream));
    return;
  }
  auto* scratch = static_cast<__half*>(workspace.takeScratch("m6c", workspace.bytes(), stream));
  Operand<__half> const fromA(a, m, n, scratch, stream), fromB(b, n, k, scratch, stream);
  tweed::TileOrder const order{int(tweed::ceilDiv(m, 1ll * edgeM)),
                               int(tweed::ceilDiv(k, 1ll * edgeK)), 1};
  long long const multiprocessors =
      tweed::deviceAttribute(cudaDevAttrMultiProcessorCount, tweed::currentDevice());
  tweed::launch(byWgmma<__half>,
                {tweed::smaller(order.count(), multiprocessors), M::threads,
                 std::size_t(M::sharedBytes), stream},
                fromA.map("A", M::boxA(0), M::boxA(1)), fromB.map("B", M::boxB(0), M::boxB(1)), c,
                shape, order);
}

constexpr ladder::ProductRung rung{"m6c wgmma", "TMA and wgmma, by tweed::WgmmaMatmul", nullptr,
                                   product, tweed::imageHasWgmma};

}  // namespace m6c

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runProduct({m6c::rung}, argc, argv); }
#endif
