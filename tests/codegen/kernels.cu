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
