// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples solveSum.cu && ./a.out
//
// The sum as practice sites ask for it: `input` and `output` are in device memory, and the result
// is there when the call returns. Any N from 0 on.

#include <ladder/runSum.cuh>
#include <tweed/device/deviceReduce.cuh>

extern "C" void solve(float const* input, float* output, int N) {
  tweed::deviceReduce(input, std::size_t(N), output, tweed::Sum{}, cudaStream_t{});
  tweed::synchronize();
}

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) {
  auto const sum = [](float const* in, long long n, float* out, tweed::Workspace&) {
    solve(in, out, int(n));
  };
  return ladder::runSum({{"solve", "extern \"C\" solve(input, output, N)", sum, true}}, argc, argv);
}
#endif
