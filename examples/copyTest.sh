#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# copyTest.sh build|run SOURCE FOLDER TWEED [ARGUMENTS...]: does with one example what its first
# lines say. `build` copies it alone to the empty FOLDER, beside a link to TWEED, and types its
# command up to the `&&`; `run` types the rest, and again with each of ARGUMENTS behind it. 77:
# there is no device, or no compiler for the one that is not there.
set -euo pipefail

if [ $# -lt 4 ] || [[ ! $1 =~ ^(build|run)$ ]]; then
  echo "usage: copyTest.sh build|run SOURCE FOLDER TWEED [ARGUMENTS...]" >&2
  exit 2
fi
step=$1
source=$2
folder=$3
tweed=$4

command=$(sed -n '2s|^// \(nvcc .* && \./.*\)$|\1|p' "$source")
if [ -z "$command" ]; then
  echo "FAIL: the second line of $source is no command '// nvcc ... && ./...'"
  exit 1
fi

if [ "$step" = build ]; then
  if ! nvidia-smi -L > /dev/null 2>&1 && nvcc --version | grep -q ' release 1[0-2]\.'; then
    echo "SKIP: without a GPU this nvcc takes -arch=native for an older one than tweed does"
    exit 77
  fi
  rm -rf "$folder"
  mkdir -p "$folder"
  cd "$folder"
  cp "$source" .
  ln -s "$tweed" tweed
  echo "${command%% && *}"
  bash -c "${command%% && *}" 2>&1 | tee log
  # What users see beside the program is only what nvcc says where there is no GPU.
  if grep -qv "Cannot find valid GPU for '-arch=native'" log; then exit 1; fi
else
  cd "$folder"
  for arguments in "" "${@:5}"; do
    echo "${command#* && } $arguments"
    code=0
    bash -c "${command#* && } $arguments" || code=$?
    if [ $code -eq 77 ] && [ -n "${TWEED_REQUIRE_GPU-}" ]; then code=1; fi
    if [ $code -ne 0 ]; then exit $code; fi
  done
fi
