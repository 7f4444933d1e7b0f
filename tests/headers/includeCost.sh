#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What it costs to include a block primitive:  includeCost.sh NVCC INCLUDE [--time]
# Fails if a kernel with blockReduce.cuh has more than 1.15 times the preprocessed lines of an empty
# file. --time also takes compile times, beside a reduction by hand and CUB's: recorded, no limit.
set -euo pipefail
export LC_ALL=C

nvcc=$1
flags=(-std=c++17 -arch=sm_90 "-I$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

kernel() {  # EXPRESSION: a kernel of 256 threads that writes it
  echo "__global__ void kernel(float const* in, float* out) {"
  echo "  float const value = in[blockIdx.x * 256 + threadIdx.x];"
  echo "  out[blockIdx.x] = $1;"
  echo "}"
}
: >empty.cu
{
  cat <<'END'
__device__ float sumOfBlock(float value) {
  __shared__ float partials[8];
  __shared__ float result;
  for (int d = 16; d >= 1; d /= 2) value += __shfl_xor_sync(0xffffffffu, value, d);
  if (threadIdx.x % 32 == 0) partials[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < 8 ? partials[threadIdx.x] : 0.f;
    for (int d = 4; d >= 1; d /= 2) value += __shfl_xor_sync(0xffffffffu, value, d);
    if (threadIdx.x == 0) result = value;
  }
  __syncthreads();
  return result;
}
END
  kernel "sumOfBlock(value)"
} >byHand.cu
{
  echo "#include <tweed/block/blockReduce.cuh>"
  kernel "tweed::blockReduce<256>(value)"
} >tweed.cu
{
  echo "#include <cub/block/block_reduce.cuh>"
  echo "__device__ float sumOfBlock(float value) {"
  echo "  __shared__ cub::BlockReduce<float, 256>::TempStorage scratch;"
  echo "  return cub::BlockReduce<float, 256>(scratch).Sum(value);"
  echo "}"
  kernel "sumOfBlock(value)"
} >cub.cu

countLines() { "$nvcc" "${flags[@]}" -E "$1.cu" | wc -l; }
median() {  # of five compilations, in milliseconds
  local start
  for _ in 1 2 3 4 5; do
    start=$(date +%s%N)
    "$nvcc" "${flags[@]}" -c "$1.cu" -o "$1.o"
    echo $((($(date +%s%N) - start) / 1000000))
  done | sort -n | sed -n 3p
}

if [[ ${3-} == --time ]]; then
  printf '%-24s %12s %12s\n' "" "lines" "compile, s"
  for name in empty byHand tweed cub; do
    milliseconds=$(median $name)
    printf '%-24s %12d %8d.%03d\n' $name "$(countLines $name)" \
      $((milliseconds / 1000)) $((milliseconds % 1000))
  done
fi
empty=$(countLines empty)
own=$(countLines tweed)
echo "lines: blockReduce.cuh $own, an empty file $empty, allowed $((115 * empty / 100))"
((own * 100 <= empty * 115 && empty > 1000))
