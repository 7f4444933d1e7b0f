#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# profileTest.sh PROFILE.PY: what it says without ncu, and of what an ncu made up here prints.
set -euo pipefail

profile=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Itself, not a script that stands for it and needs more of the PATH.
python=$(python3 -c 'import sys; print(sys.executable)') || { echo "SKIP: no python3"; exit 77; }
mkdir "$folder/bin"
printf '#!/bin/sh\nexit 0\n' >"$folder/program"
chmod +x "$folder/program"

# check CODE TEXT... - COMMAND...: the exit code, and every text in the output.
check() {
  local code=$1 got=0 output
  local texts=()
  shift
  while [[ $1 != - ]]; do texts+=("$1") && shift; done
  shift
  output=$("$@" 2>&1) || got=$?
  [[ $got == "$code" ]] || { echo "FAIL: exit code $got, not $code: $*"; echo "$output"; exit 1; }
  for text in "${texts[@]}"; do
    grep -qE -- "$text" <<<"$output" || { echo "FAIL: no '$text' in:"; echo "$output"; exit 1; }
  done
}
run() { PATH=$folder/bin "$python" "$profile" "$@"; }

check 2 "no PROGRAM" - run
check 2 "no PROGRAM" - run --csv
check 2 "'/no/such' is no program" - run /no/such
check 0 "PROGRAM" - run --help
check 77 "^SKIP: there is no ncu" - run "$folder/program"

# fakeNcu CODE: an ncu that prints what it gets, and ends so.
fakeNcu() {
  {
    echo '#!/bin/bash'
    echo "while read -r line; do echo \"\$line\"; done <<'END'"
    cat
    echo END
    echo "exit $1"
  } >"$folder/bin/ncu"
  chmod +x "$folder/bin/ncu"
}
ln -s "$(command -v bash)" "$folder/bin/bash"

fakeNcu 1 <<'END'
==ERROR== ERR_NVGPUCTRPERM - The user does not have permission
END
check 77 "^SKIP: ncu may not read" - run "$folder/program"
fakeNcu 0 <<'END'
SKIP: no CUDA device
==WARNING== No kernels were profiled.
END
check 77 "^SKIP: no CUDA device" - run "$folder/program"
fakeNcu 9 <<'END'
==ERROR== The application returned an error code (9).
END
check 1 "application returned" "ncu saw no kernel" - run "$folder/program"

head='"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",'
head+='"Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
line() {  # ID KERNEL METRIC VALUE
  printf '"%s","7","a.out","here","void %s(float *, int)","1","7","(256, 1, 1)",' "$1" "$2"
  printf '"(64, 1, 1)","0","9.0","Command line profiler metrics","%s","","%s"\n' "$3" "$4"
}
time=gpu__time_duration.sum
branch=smsp__sass_average_branch_targets_threads_uniform.pct
load=smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct
bank=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
fakeNcu 0 < <(
  echo "==PROF== Connected to process 7"
  echo "what the program says, 5"
  echo "$head"
  line 0 one $time 2,000 && line 0 one $branch 100 && line 0 one $load 50 && line 0 one $bank 12,345
  line 1 one $time 4,000 && line 1 one $branch 100 && line 1 one $load 50 && line 1 one $bank 12,345
  line 2 one $time 9,000 && line 2 one $branch 83.33333 && line 2 one $load 50 && line 2 one $bank 0
  line 3 "two<(int)4>" $time 1,500,000 && line 3 "two<(int)4>" $branch n/a
)
# Two launches that count the same are one row with their mean time, the third is not.
check 0 "^one +\(64, 1, 1\) +\(256, 1, 1\) +2 +- +50 +- +- +100 +- +12345 +- +3$" \
  "^one +\(64, 1, 1\) +\(256, 1, 1\) +1 +- +50 +- +- +83.33 +- +0 +- +9$" \
  "^two<\(int\)4> .* 1 +- +- +- +- +- +- +- +- +1500$" \
  "^branch_efficiency +$branch" "^Look at: " - run "$folder/program"
fakeNcu 3 < <(echo "$head" && line 0 one $time 2,000)
check 1 "^one " - run "$folder/program"
echo "profile.py says what it should"
