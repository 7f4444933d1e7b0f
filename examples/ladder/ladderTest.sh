#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ladderTest.sh CASE BUILD WORK: ./tweed.sh ladder and trace with the programs of BUILD, and what
# ladderReport.py makes of their JSON. WORK is a folder for what they write.
set -euo pipefail
case=$1
export TWEED_BUILT=$2
work=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tweed=$here/../../tweed.sh
command -v python3 >/dev/null 2>&1 || { echo "SKIP: there is no python3" && exit 77; }
rm -rf "$work"
mkdir -p "$work"

# try CODE TEXT COMMAND...: it ends with CODE and says TEXT, a regular expression.
try() {
  local expected=$1 text=$2 code=0
  shift 2
  "$@" >"$work/log" 2>&1 || code=$?
  if [[ $code != "$expected" ]] || ! grep -Eq -- "$text" "$work/log"; then
    echo "$*: exit code $code, expected $expected and '$text':"
    cat "$work/log"
    exit 1
  fi
}
ladder() { "$tweed" ladder --no-cuda --no-install "$@"; }
says() { grep -Eq -- "$1" "$work/log" || { echo "'$1' is not in:" && cat "$work/log" && exit 1; }; }

# hasCharts PATH: one place for each chart: drawn, or why not.
hasCharts() {
  if grep -q '^chart' "$work/log"; then
    [[ -s $1.png && -s $1.svg ]] || says 'charts'
  else
    says 'no matplotlib here: no plots'
  fi
}
# isCurrent LADDER: what README.md shows was counted of the rungs as they are.
isCurrent() {
  python3 - "$here/results/$1.loom.json" "$work/out/$1.loom.json" <<'END'
import json, sys
def counts(path):
    case, = json.load(open(path, encoding="utf-8"))["cases"]
    # Those that do not depend on the compiler.
    names = "blocks barriers warpBarriers shuffles exchanges atomics".split()
    return [(bar["name"], *(bar.get("counts", {}).get(name) for name in names))
            for bar in case["bars"]]
shown, found = map(counts, sys.argv[1:])
if shown != found:
    print("README.md shows other counts; ./tweed.sh ladder and ladderReport.py --adopt renew them")
    print(*(pair for pair in zip(shown, found) if pair[0] != pair[1]), sep="\n")
    sys.exit(1)
END
}

case $case in
  counts)
    try 0 '^JSON +.*/out/reduction.loom.json$' ladder reduction --size 4097 --out "$work/out"
    says '^  r3 sharedTree +1 +17 +.*a tree in shared memory, one atomic a block$'
    says '^  r14 nested .*skipped: kernels launch kernels on a GPU alone$'
    says '^  r16 cub .*skipped: CUB.s kernels run on a GPU alone$'
    [[ $(grep -c ' right, counted$' "$work/log") == 18 ]] || says '18 rungs that are right'
    hasCharts "$work/out/reduction.loom"
    ;;
  whole)
    try 0 '^JSON +.*/out/model[.][*].json$' ladder --out "$work/out"
    says '^  m2 sharedTile +float +1 +64 +.*16 x 16 tiles in shared memory$'
    says '^  m6a wmma .*skipped: runs on a GPU alone$'
    says '^  m7 tuned .*skipped: a clock chooses, and nothing is timed on the loom$'
    [[ $(grep -c ' right, counted$' "$work/log") == 30 ]] || says '18 and 12 rungs that are right'
    for source in "$here"/../executionModel/*.cu; do
      says "^== experiment $(basename "$source" .cu)\$"
    done
    for name in reduction matmul; do
      hasCharts "$work/out/$name.loom"
      isCurrent "$name"
    done
    ;;
  refuses)
    try 2 "no ladder 'sum'; there are: reduction, matmul, model" ladder sum
    try 2 "takes one name; 'matmul' and 'model' are given" ladder matmul model
    try 2 "unknown option '--sise'; allowed are .*--size N, --out FOLDER" ladder --sise 3
    try 2 "ladder takes no --json; trace does" ladder --json x
    try 2 "--size takes a value" ladder reduction --size
    try 2 "--size: '0' is not a number from 1 on" ladder reduction --size 0
    try 2 "--size: '1e3' is not a number" ladder reduction --size 1e3
    try 2 "--size: '-5' is not a number" ladder reduction --size -5
    try 2 "--size goes with one ladder: reduction or matmul" ladder --size 5
    try 2 "--size goes with one ladder" ladder model --size 5
    try 2 "--out: '.*/no/such' is not a folder" ladder --out "$work/no/such"
    try 2 "--out: '.*/log' is not a folder" ladder --out "$work/log"
    try 2 "ladder takes no sanitizer" ladder -DTWEED_SANITIZE=thread
    try 2 "demo takes no --size; ladder does" "$tweed" demo --size 5
    try 2 "test takes no --out; ladder does" "$tweed" test --out x
    try 2 "N 1 to 1048576" ladder reduction --size 1048577 --out "$work/out"
    [[ ! -e $work/out ]] || [[ -z $(ls "$work/out") ]] || { ls "$work/out" && exit 1; }
    program=$TWEED_BUILT/examples/ladder/trace.sumLadder
    try 2 "--json: '.*/no/such' cannot be written" "$program" --json "$work/no/such"
    ! grep -q 'n = ' "$work/log" || { echo "counted first:" && cat "$work/log" && exit 1; }
    try 2 "--json takes a value" "$program" --json
    try 2 "--rounds takes a value" "$program" --rounds
    for rounds in 0 -1 1001 1e2 ten ''; do
      try 2 "--rounds: '$rounds' is not a whole number from 1 to 1000" "$program" --rounds "$rounds"
    done
    ;;
  traces)
    try 0 'r3::sharedTree\(' "$tweed" trace --no-cuda --no-install r3_sharedTree 4096
    says ' r3_sharedTree.cu:[0-9]+ +barrier '
    says ' all +global atomic '
    try 2 "no example 'r3'; there are: .*saxpy.* r3_sharedTree" "$tweed" trace r3
    ;;
  reports)
    python3 "$here/ladderReportTest.py"
    python3 "$here/ladderReport.py" --current
    ;;
  *) echo "no case '$case'" && exit 1 ;;
esac
