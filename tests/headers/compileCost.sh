#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What it costs to compile matmul() with each of its kernels alone:  compileCost.sh NVCC INCLUDE
# Prints the CPU seconds, user and system, of nvcc for a file with one call that names one kernel
# (tweed::among), the least of two; beside them a file without a call, and calls with whole lists.
# Code for sm_90a alone. Recorded in benchmarks/results/compileCost.txt, no limit.
set -euo pipefail
export LC_ALL=C

nvcc=$1
flags=(-std=c++17 -O3 "-gencode=arch=compute_90a,code=sm_90a" "-I$(realpath "$2")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

cat >lists.cuh <<'END'
#include <tweed/matmul/matmul.cuh>
struct Float { using T = float; using List = tweed::MatmulList<float>::Type; };
struct Tf32 { using T = float; using List = tweed::Tf32List::Type; };
struct Bf16 { using T = __nv_bfloat16; using List = tweed::MatmulList<T>::Type; };
END
cat >names.cu <<'END'
#include "lists.cuh"
#include <cstdio>
template <class... One>
void print(char const* list, tweed::Configurations<One...>) {
  int i = 0;
  (std::printf("%s\t%d\t%s %s\n", list, i++, tweed::pathName(One::path), One::name().c_str()), ...);
}
int main() {
  print("Float", Float::List{});
  print("Tf32", Tf32::List{});
  print("Bf16", Bf16::List{});
}
END
cat >one.cu <<'END'
#include "lists.cuh"
#if defined(LIST)
template <int I, class List>
struct At;
template <class First, class... Rest>
struct At<0, tweed::Configurations<First, Rest...>> {
  static constexpr auto options = tweed::among<First>;
};
template <int I, class First, class... Rest>
struct At<I, tweed::Configurations<First, Rest...>> : At<I - 1, tweed::Configurations<Rest...>> {};
template <class T>
void call(cudaStream_t stream, T const* a, T const* b, T* c, int n) {
#if defined(AT)
  using Options = decltype(At<AT, LIST::List>::options);
#else
  using Options = tweed::AnyPath;
#endif
  constexpr tweed::MatmulOptions<~0u, tweed::isSame<LIST, Tf32>, typename Options::List> options{};
  tweed::matmul(stream, tweed::rowMajor(a, n, n), tweed::columnMajor(b, n, n),
                tweed::rowMajor(c, n, n), tweed::Identity{}, options);
}
template void call<LIST::T>(cudaStream_t, LIST::T const*, LIST::T const*, LIST::T*, int);
#endif
END

cost() {  # NAME [FLAGS...]: prints the least CPU seconds of two compilations
  local name=$1
  shift
  for _ in 1 2; do
    TIMEFORMAT='%U %S'
    { time "$nvcc" "${flags[@]}" "$@" -c one.cu -o one.o >&3 2>&3; } 2>&1
  done 3>&2 | awk -v name="$name" '{ sum = $1 + $2; if (NR == 1 || sum < least) least = sum }
                                   END { printf "%-80s %6.1f\n", name, least }'
}
printf '%-80s %6s\n' "" "CPU s"
cost "the header alone, no call"
"$nvcc" "${flags[@]}" names.cu -o names
./names | while IFS=$'\t' read -r list index name; do
  if [[ $index == 0 ]]; then
    cost "$list: all that take a row-major A and a column-major B" "-DLIST=$list"
  fi
  cost "$list: $name" "-DLIST=$list" "-DAT=$index"
done
