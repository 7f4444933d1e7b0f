#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# benchmarks/run.sh OUTDIR [PROGRAM...]: builds the benchmarks, runs all of them (or those named, as
# bench.device.deviceReduce) and leaves their JSON and logs in OUTDIR. From the environment:
#   TWEED_CCCL_DIR    another CCCL checkout, measured beside the toolkit's
#   TWEED_FAST_CU_DIR a checkout of github.com/pranjalssh/fast.cu; its sum and product are measured
#                     too
#   TWEED_BUILD_DIR   where to build (default: OUTDIR/../build-bench)
#   TWEED_REVISION    what is measured, if git does not know
#   TWEED_TUNING=1    the sweep of deviceReduceTuning too
#   TWEED_ROUNDS      rounds of each figure, in place of the programs' own number
set -u
if [ $# -lt 1 ]; then
  sed -n 's/^# \{0,1\}//; 3,11p' "$0"
  exit 2
fi
nvidia-smi -L > /dev/null 2>&1 || {
  echo "run.sh: the benchmarks need a GPU, and nvidia-smi finds none" >&2
  exit 3
}
mkdir -p "$1" || exit 2
out=$(cd "$1" && pwd)
shift
source=$(cd "$(dirname "$0")/.." && pwd)
build=${TWEED_BUILD_DIR:-$out/../build-bench}
generator=
command -v ninja > /dev/null && generator=-GNinja

cmake $generator -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CUDA_ARCHITECTURES="${TWEED_ARCHITECTURES:-90a}" -DTWEED_CUDA=ON \
  -DTWEED_BUILD_BENCHMARKS=ON -DTWEED_BUILD_TESTS=OFF -DTWEED_BUILD_EXAMPLES=OFF \
  -DTWEED_CCCL_DIR="${TWEED_CCCL_DIR:-}" -DTWEED_FAST_CU_DIR="${TWEED_FAST_CU_DIR:-}" \
  > "$out/configure.log" 2>&1 ||
  { tail -20 "$out/configure.log"; exit 1; }

if [ $# -gt 0 ]; then
  programs=$*
else
  programs=$(cd "$source/benchmarks" && find . -mindepth 2 -name '*.cu' ! -path './support/*' |
    sed 's,^\./,,; s,\.cu$,,; s,/,.,g; s,^,bench.,' | sort)
  [ "${TWEED_TUNING:-0}" = 1 ] || programs=$(echo "$programs" | grep -v Tuning)
fi
# shellcheck disable=SC2086
cmake --build "$build" -j "$(nproc)" --target $programs > "$out/build.log" 2>&1 ||
  { grep -E 'error|FAILED' "$out/build.log" | head -20; exit 1; }

status=0
for program in $programs; do
  echo "== $program"
  started=$(date +%s)
  timeout --kill-after=10 "${TWEED_TIMEOUT:-280}" "$build/benchmarks/$program" \
    "--benchmark_out=$out/${program#bench.}.json" \
    ${TWEED_ROUNDS:+"--benchmark_repetitions=$TWEED_ROUNDS"} > "$out/$program.log" 2>&1
  code=$?
  grep -E 'ERROR' "$out/$program.log" | head -5
  case $program in *Tuning) sed -n '/^case/,$p' "$out/$program.log" ;; esac
  echo "   exit $code, $(($(date +%s) - started)) s"
  [ $code -eq 0 ] || { status=1; tail -3 "$out/$program.log"; }
done
python3 "$source/benchmarks/report.py" --results "$out" --plots "$out" --print || status=1
exit $status
