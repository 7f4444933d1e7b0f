#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/computeSanitizer.sh [BUILD] [TOOL]...: the GPU's test programs of a build, as
# ./tweed.sh test leaves it in build/, under compute-sanitizer: memcheck, racecheck, synccheck and
# initcheck, or the tools that are named. With few sizes, as under the loom's sanitizers. What
# fails on purpose (gpu.traps, gpu.faults, gpu.noImage) is left out. Logs: BUILD/computeSanitizer/.
# Exit code: 0 no errors, 1 errors, 2 a wrong command line, 3 something is missing.
set -euo pipefail

build=${1:-$(dirname "${BASH_SOURCE[0]}")/../build}
tools=("${@:2}")
((${#tools[@]})) || tools=(memcheck racecheck synccheck initcheck)
for tool in "${tools[@]}"; do
  [[ $tool =~ ^(memcheck|racecheck|synccheck|initcheck)$ ]] || {
    echo "unknown tool '$tool'; allowed are memcheck, racecheck, synccheck, initcheck" >&2
    exit 2
  }
done
export PATH=$PATH:/usr/local/cuda/bin
command -v compute-sanitizer >/dev/null || { echo "there is no compute-sanitizer" >&2 && exit 3; }
mapfile -t programs < <(find "$build/tests" -maxdepth 1 -name 'gpu.*' -type f -perm -u+x \
  ! -name gpu.traps ! -name gpu.faults ! -name gpu.noImage 2>/dev/null | sort)
((${#programs[@]})) || {
  echo "no programs $build/tests/gpu.*: first ./tweed.sh test" >&2
  exit 3
}

export logs=$build/computeSanitizer
rm -rf "$logs"
mkdir -p "$logs"
# API errors are what tests of refusals ask for.
runOne() {  # TOOL PROGRAM
  local log=$logs/$1.${2##*/}.log code=0
  if [[ $2 == *.nested && $1 != memcheck ]]; then
    echo "skipped $1 ${2##*/}: the tool knows no kernels that launch kernels" && return
  fi
  timeout 300 compute-sanitizer --tool "$1" --report-api-errors no --error-exitcode 99 "$2" \
    >"$log" 2>&1 || code=$?
  case $code in
    0) echo "passed $1 ${2##*/}" ;;
    77) echo "skipped $1 ${2##*/}" ;;
    *) echo "FAILED $1 ${2##*/}: exit code $code, $log" ;;
  esac
}
export -f runOne
export TWEED_TEST_SHORT=1
# shellcheck disable=SC2016
for tool in "${tools[@]}"; do printf "$tool %s\n" "${programs[@]}"; done |
  xargs -P "$(nproc)" -L 1 bash -c 'runOne "$0" "$1"' | tee "$logs/summary"
passed=$(grep -c '^passed' "$logs/summary" || true)
failed=$(grep -c '^FAILED' "$logs/summary" || true)
skipped=$(grep -c '^skipped' "$logs/summary" || true)
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed > 0))
