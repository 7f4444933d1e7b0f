// SPDX-License-Identifier: Apache-2.0
// tests/codegen/kernels.cu - the tuned kernels and collectives, for what ptxas says of them.
#include <tweed/tweed.cuh>

// deviceReduce's kernels, each shape of each.
void sumFloats(float const* in, std::size_t n, float* out, tweed::Workspace& workspace) {
  tweed::deviceReduce(in, n, out, tweed::Sum{}, workspace);
}
void sumDoubles(double const* in, std::size_t n, double* out, tweed::Workspace& workspace) {
  tweed::deviceReduce(in, n, out, tweed::Sum{}, workspace);
}
void sumInts(int const* in, std::size_t n, int* out, tweed::Workspace& workspace) {
  tweed::deviceReduce(in, n, out, tweed::Sum{}, workspace);
}
void leastFloat(float const* in, std::size_t n, tweed::Indexed<float>* out,
                tweed::Workspace& workspace) {
  tweed::deviceArgMin(in, n, out, workspace);
}
void rangeOfFloats(float const* in, std::size_t n, tweed::Values<float, float>* out,
                   tweed::Workspace& workspace) {
  tweed::deviceReduce(in, n, out, tweed::MinMax{}, workspace);
}

#define COLLECTIVE(name, T, call)                        \
  extern "C" __global__ void name(T const* in, T* out) { \
    T const x = in[threadIdx.x];                         \
    out[threadIdx.x] = call;                             \
  }
COLLECTIVE(warpReduceFloat, float, tweed::warpReduce(x))
COLLECTIVE(warpReduceInt, int, tweed::warpReduce(x))
COLLECTIVE(warpScanFloat, float, tweed::warpInclusiveScan(x, tweed::Sum{}).prefix)
COLLECTIVE(blockReduceFloat128, float, tweed::blockReduce<128>(x))
COLLECTIVE(blockReduceFloat256, float, tweed::blockReduce<256>(x))
COLLECTIVE(blockReduceFloat1024, float, tweed::blockReduce<1024>(x))
COLLECTIVE(blockReduceInt256, int, tweed::blockReduce<256>(x))
COLLECTIVE(blockReduceDouble256, double, tweed::blockReduce<256>(x))
COLLECTIVE(blockScanFloat256, float, tweed::blockInclusiveScan<256>(x, tweed::Sum{}).prefix)
COLLECTIVE(blockScanFloat1024, float, tweed::blockInclusiveScan<1024>(x, tweed::Sum{}).prefix)

// mma.sync, as large as it gets: a thread's 128 accumulators and 64 words of fragments.
template <class T, class LayoutA, class LayoutB>
using MmaTask =
    tweed::MatmulTask<tweed::MatrixView<T const, LayoutA>, tweed::MatrixView<T const, LayoutB>,
                      tweed::MatrixView<T, tweed::RowMajor>, tweed::Identity>;
template <class T>
using MmaTile = tweed::MmaConfig<tweed::TileShape<128, 256, 128 / int(sizeof(T))>, 64, 64, 4>;
#define MMA(T, LayoutA, LayoutB)                                            \
  template __global__ void                                                  \
  tweed::mmaMatmul<MmaTile<T>, MmaTask<T, tweed::LayoutA, tweed::LayoutB>>( \
      MmaTask<T, tweed::LayoutA, tweed::LayoutB> const __grid_constant__);
MMA(__nv_bfloat16, RowMajor, ColumnMajor)
MMA(__nv_bfloat16, ColumnMajor, RowMajor)
MMA(float, RowMajor, ColumnMajor)
