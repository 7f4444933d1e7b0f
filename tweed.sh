#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs tweed's tests, examples and benchmarks, as far as this machine can.
set -euo pipefail

usage() {
  cat <<'END'
./tweed.sh test [OPTION]...         build and run every test that this machine can run
./tweed.sh demo [OPTION]... [FILE]  build and run the examples; wordCount counts FILE (README.md)
./tweed.sh bench [OPTION]...        build and run the benchmarks; needs a GPU
./tweed.sh trace [OPTION]... EXAMPLE [ARGUMENT]...
                                    run an example on the loom and count, by kernel and line, bank
                                    conflicts, sectors, divergence and calls; needs g++
./tweed.sh ladder [OPTION]... [reduction|matmul|model]
                                    all rungs of a ladder on the same data, as a table, JSON and a
                                    chart: timed on a GPU; else their barriers, sectors, divergence
                                    and the like are counted on the loom, which needs g++. model:
                                    the experiments of examples/executionModel. No word: all three
./tweed.sh mutate [OPTION]... [HEADER]...
                                    break the device code of each header (block/blockReduce.cuh) or
                                    layer (block), all if none is named, in one place at a time: do
                                    the tests notice? Options: tests/mutation/README.md

  --no-cuda     as if there were no CUDA: g++ and the loom alone, in a build folder of their own
  --no-install  install nothing; say what is missing
  --json FILE   trace: also write the counts to FILE (loom/trace/README.md)
  --size N      ladder: N numbers to add, or N x N matrices, in place of the usual sizes
  --out FOLDER  ladder: where JSON and charts go (build-demo/ladder)
  -DNAME=VALUE  an option for CMake

CXX, CC, CUDACXX and CMAKE_GENERATOR are respected. Missing tools are installed by apt for root and
where sudo asks for no password. Exit code: 0 all is well, 1 something failed, 2 the command line
is wrong, 3 something is missing on this machine.
END
}

# The least number of tests that must have run, so that no test is lost in silence: about 90 % of
# those there are. A GPU and CUDA; CUDA alone; neither; a sanitizer.
floorGpu=748
floorCuda=548
floorHost=475
floorSanitizer=255

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

stop() {  # CODE TEXT
  echo "tweed.sh: $2" >&2
  exit "$1"
}
has() { command -v "$1" >/dev/null 2>&1; }

# --- the command line -----------------------------------------------------------------------------

command=${1-}
commands="test, demo, bench, trace, ladder, mutate, --help"
file=
json=
out=
sizes=()
example=
exampleArguments=()
mayInstall=true
useCuda=true
cmakeOptions=()
mutateArguments=()

case $command in
  test | demo | bench | trace | ladder | mutate) shift ;;
  -h | --help | help) usage && exit 0 ;;
  '') stop 2 "no command; allowed are $commands" ;;
  *) stop 2 "unknown command '$command'; allowed are $commands" ;;
esac
if [[ $command == mutate ]]; then
  useCuda=false
  for argument in "$@"; do
    if [[ $argument == --no-install ]]; then
      mayInstall=false
    else
      mutateArguments+=("$argument")
    fi
  done
  set --
fi
while (($#)); do
  argument=$1
  shift
  case $argument in
    --no-cuda) useCuda=false ;;
    --no-install) mayInstall=false ;;
    -D?*) cmakeOptions+=("$argument") ;;
    -h | --help) usage && exit 0 ;;
    --json)
      [[ $command == trace ]] || stop 2 "$command takes no --json; trace does"
      (($#)) || stop 2 "--json takes a FILE, and none is given"
      [[ -n $1 && ! -d $1 && (-w $1 || (! -e $1 && -w $(dirname "$1"))) ]] ||
        stop 2 "--json: '$1' is not a file that can be written"
      json=$1
      shift
      ;;
    --size | --out)
      [[ $command == ladder ]] || stop 2 "$command takes no $argument; ladder does"
      (($#)) || stop 2 "$argument takes a value, and none is given"
      if [[ $argument == --out ]]; then
        [[ -n $1 && (-d $1 && -w $1 || (! -e $1 && -w $(dirname "$1"))) ]] ||
          stop 2 "--out: '$1' is not a folder that can be written"
        out=$1
      else
        [[ $1 =~ ^[1-9][0-9]{0,17}$ ]] || stop 2 "--size: '$1' is not a number from 1 on"
        sizes+=(--size "$1")
      fi
      shift
      ;;
    -*)
      allowed="--no-cuda, --no-install, -DNAME=VALUE"
      if [[ $command == trace ]]; then allowed+=", --json FILE"; fi
      if [[ $command == ladder ]]; then allowed+=", --size N, --out FOLDER"; fi
      stop 2 "unknown option '$argument'; allowed are $allowed"
      ;;
    *)
      if [[ $command == trace ]]; then  # what follows is for the example
        example=$argument
        exampleArguments=("$@")
        break
      fi
      if [[ $command == ladder ]]; then
        [[ $argument =~ ^(reduction|matmul|model)$ ]] ||
          stop 2 "there is no ladder '$argument'; there are: reduction, matmul, model"
        [[ -z $example ]] || stop 2 "ladder takes one name; '$example' and '$argument' are given"
        example=$argument
        continue
      fi
      [[ $command == demo ]] || stop 2 "$command takes no '$argument'; allowed are options alone"
      [[ -z $file ]] || stop 2 "demo takes one FILE; '$file' and '$argument' are given"
      [[ -e $argument ]] || stop 2 "there is no file '$argument'"
      [[ -f $argument && -r $argument ]] || stop 2 "'$argument' is not a file that can be read"
      file=$argument
      ;;
  esac
done
if [[ $command == trace ]]; then
  examples=
  folderOfExample=
  for file in "$root"/examples/{,ladder/reduction/,ladder/matmul/,executionModel/}*.cu; do
    name=$(basename "$file" .cu)
    examples+=" $name"
    if [[ $name == "$example" ]]; then folderOfExample=$(dirname "${file#"$root"/}"); fi
  done
  [[ -n $example ]] || stop 2 "trace takes an EXAMPLE; there are:$examples"
  [[ -n $folderOfExample ]] || stop 2 "there is no example '$example'; there are:$examples"
fi
if [[ $command == ladder && ${#sizes[@]} -gt 0 && ! $example =~ ^(reduction|matmul)$ ]]; then
  stop 2 "--size goes with one ladder: reduction or matmul"
fi
# Sanitizers see the loom alone, and builds with one have a folder of their own.
sanitizer=
if [[ " ${cmakeOptions[*]-}" =~ \ -DTWEED_SANITIZE=([a-z]+) ]]; then
  sanitizer=${BASH_REMATCH[1]}
  useCuda=false
  [[ ! $command =~ ^(trace|ladder)$ ]] ||
    stop 2 "$command takes no sanitizer: the recorder stands in its place"
fi

# --- what this machine has ------------------------------------------------------------------------

# compiles FLAG CODE: true if the compiler takes it as C++17; also looks where CMake would.
compiles() {
  local words=() includes=() prefix
  read -ra words <<<"$compiler"
  while read -rd : prefix; do
    [[ -z $prefix ]] || includes+=("-I$prefix/include")
  done <<<"${CMAKE_PREFIX_PATH-}:"
  printf '%s\n' "${2-}" "int main() {}" >"$scratch/try.cpp"
  "${words[@]}" -std=c++17 "$1" ${includes[@]+"${includes[@]}"} "$scratch/try.cpp" \
    -o "$scratch/try" >/dev/null 2>&1
}

# Fills in what was found, and `missing` with the packages that would bring the rest.
look() {
  local compilers=(c++ g++ clang++)
  # The recorder needs g++, which c++ is where it is no other.
  if [[ $command =~ ^(trace|ladder)$ ]] &&
    ! c++ --version 2>/dev/null | grep -q 'Free Software'; then
    compilers=(g++ c++)
  fi
  missing=()
  compiler=${CXX-}
  if [[ -z $compiler ]]; then
    for name in "${compilers[@]}"; do
      if has "$name"; then compiler=$name && break; fi
    done
  fi
  if [[ -z $compiler ]]; then
    missing+=(g++)
  elif ! compiles -Wall '#include <string>'; then
    [[ -z ${CXX-} ]] || stop 3 "CXX='$CXX' does not compile C++17"
    missing+=(g++)
    compiler=
  fi
  cmakeVersion=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*//p' || true)
  if [[ $(printf '%s\n3.25\n' "${cmakeVersion:-0}" | sort -V | head -n 1) != 3.25 ]]; then
    missing+=(cmake)
  fi
  maker=
  for name in ninja make; do
    if has "$name"; then maker=$name && break; fi
  done
  [[ -n $maker && ($command != mutate || $maker == ninja) ]] || missing+=(ninja-build)
  doctest=missing
  if [[ -n $compiler ]] && compiles -fsyntax-only '#include <doctest/doctest.h>'; then
    doctest=found
  fi
  [[ ! $command =~ ^(test|mutate)$ || $doctest == found ]] || missing+=(doctest-dev)
  [[ ! $command =~ ^(mutate|ladder)$ ]] || has python3 || missing+=(python3)
  if [[ $command == bench ]]; then
    { [[ -n $compiler ]] && compiles -fsyntax-only '#include <benchmark/benchmark.h>'; } ||
      missing+=(libbenchmark-dev)
    has python3 || missing+=(python3)
  fi

  nvcc=
  if $useCuda; then
    for name in "${CUDACXX:-nvcc}" /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc; do
      if has "$name"; then nvcc=$(command -v "$name") && break; fi
      [[ -z ${CUDACXX-} ]] || stop 3 "CUDACXX='$CUDACXX' is not there"
    done
  fi
  # A device file without a working driver counts too: then the tests shall fail, not be skipped.
  gpu=none
  if [[ ! ${CUDA_VISIBLE_DEVICES-0} =~ ^(-1)?$ ]]; then
    if name=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null); then
      gpu=$(paste -sd, <<<"$name")
    elif [[ -c /dev/nvidia0 ]]; then
      gpu="/dev/nvidia0, but nvidia-smi finds none"
    fi
  fi
  if [[ -n $sanitizer ]]; then
    state=sanitizer
  elif [[ -z $nvcc ]]; then
    state=host
  elif [[ $gpu == none ]]; then
    state=cuda
  else
    state=gpu
  fi
}

# findPlotter: a python with matplotlib, in `plotter`. Debian's matplotlib is Debian's python's.
plotter=python3
findPlotter() {
  for plotter in python3 /usr/bin/python3; do
    if "$plotter" -c 'import matplotlib' >/dev/null 2>&1; then return; fi
  done
  plotter=python3
  return 1
}

# What is not needed for the work, only for some of it.
extras() {
  local found="" absent=""
  if has clang++; then found+=", clang++"; else absent+=", clang++ (sanitizers run by g++)"; fi
  if [[ -n $compiler ]] && compiles -fsyntax-only '#include <benchmark/benchmark.h>'; then
    found+=", Google Benchmark"
  else
    absent+=", Google Benchmark (no benchmarks)"
  fi
  if findPlotter; then
    found+=", matplotlib"
  else
    absent+=", matplotlib (no plots)"
  fi
  if [[ -n $found ]]; then echo "also       ${found#, }"; fi
  if [[ -n $absent ]]; then echo "without    ${absent#, }"; fi
}

summary() {
  local cuda=none version=
  [[ -z $compiler ]] || version=$($compiler --version 2>/dev/null | head -n 1)
  $useCuda || cuda="hidden"
  [[ -z $nvcc ]] || cuda="$nvcc, $("$nvcc" --version | sed -n 's/.*\(release .*\),.*/\1/p')"
  echo "compiler   ${version:-missing}"
  echo "cmake      ${cmakeVersion:-missing}, ${maker:-neither ninja nor make}"
  echo "CUDA       $cuda"
  echo "GPU        $gpu"
  echo "doctest    $doctest"
  extras
  case $state in
    gpu) echo "state      GPU and CUDA: all runs on the GPU and on the loom" ;;
    cuda) echo "state      CUDA without a GPU: GPU code is compiled, programs run on the loom" ;;
    host) echo "state      no CUDA: programs run on the loom" ;;
    sanitizer) echo "state      $sanitizer sanitizer: programs run on the loom" ;;
  esac
}

# aptInstall PACKAGE...: false if that does not work or may not be tried.
aptInstall() {
  local run=(env)
  $mayInstall && has apt-get || return 1
  if [[ $(id -u) != 0 ]]; then
    { has sudo && sudo -n true 2>/dev/null; } || return 1
    run=(sudo env)
  fi
  echo "installing: apt-get install -y --no-install-recommends $*"
  run+=(DEBIAN_FRONTEND=noninteractive)
  "${run[@]}" apt-get update -qq || true
  if "${run[@]}" apt-get install -y --no-install-recommends -qq "$@" >"$scratch/apt.log" 2>&1; then
    return 0
  fi
  tail -n 5 "$scratch/apt.log"
  echo "apt could not install them."
  return 1
}

# Installs what `missing` names, or says how to and stops.
installMissing() {
  local name
  echo
  for name in "${missing[@]}"; do
    case $name in
      g++) echo "missing: a C++17 compiler" ;;
      cmake) echo "missing: CMake 3.25 or later (found: ${cmakeVersion:-none})" ;;
      ninja-build) echo "missing: ninja (or make, but not for mutants)" ;;
      doctest-dev) echo "missing: doctest, the header doctest/doctest.h" ;;
      libbenchmark-dev) echo "missing: Google Benchmark, which the benchmarks need" ;;
      python3) echo "missing: python3, for tables of benchmarks and ladders and for mutants" ;;
    esac
  done
  has apt-get || stop 3 "there is no apt here to install them: please do, and come again"
  if aptInstall "${missing[@]}"; then
    look
    [[ ${#missing[@]} -gt 0 ]] || return 0
    stop 3 "apt has installed them, but these are still missing or too old: ${missing[*]}"
  fi
  echo "Please install what is missing, as root:"
  echo "  apt-get update"
  echo "  apt-get install -y --no-install-recommends ${missing[*]}"
  exit 3
}

# A ladder is a picture too, but not only.
installPlotter() {
  if findPlotter; then return; fi
  printf '\nmissing: matplotlib, for the charts\n'
  aptInstall python3-matplotlib && findPlotter ||
    echo "There will be no charts. Debian's and Ubuntu's package is python3-matplotlib."
}

# --- building -------------------------------------------------------------------------------------

# As many jobs as cores, and one for each 1.5 GB of memory.
countJobs() {
  local cores memory
  cores=$(nproc 2>/dev/null || echo 2)
  memory=$(awk '/MemAvailable/ { print int($2 / 1500000) }' /proc/meminfo 2>/dev/null || true)
  if [[ -n $memory && $memory -lt $cores ]]; then cores=$memory; fi
  jobs=$((cores > 1 ? cores : 1))
}

# configure FOLDER OPTION...: afresh if the tools are others than last time. False if it fails.
configure() {
  local fresh=(--fresh) settings
  if [[ -n ${TWEED_BUILT-} ]]; then  # a folder where all is built: for the tests of this script
    folder=$TWEED_BUILT
    return
  fi
  folder=$root/$1
  if [[ -n $sanitizer ]]; then folder+=-$sanitizer; elif ! $useCuda; then folder+=-no-cuda; fi
  shift
  set -- "$@" ${cmakeOptions[@]+"${cmakeOptions[@]}"}
  $useCuda || set -- "$@" -DTWEED_CUDA=OFF
  if [[ -n $nvcc ]]; then export CUDACXX=$nvcc; fi
  settings="$compiler ${CC-} $nvcc $gpu ${CMAKE_GENERATOR-$maker}"
  settings+=" ${CUDAARCHS-} ${CUDAHOSTCXX-} $*"
  if [[ -f $folder/tweedSettings && $(<"$folder/tweedSettings") == "$settings" ]]; then fresh=(); fi
  if [[ $maker == ninja && -z ${CMAKE_GENERATOR-} ]]; then set -- -G Ninja "$@"; fi
  countJobs
  echo
  echo "building in $folder, $jobs jobs"
  mkdir -p "$folder"
  rm -f "$folder/tweedSettings"
  CXX=$compiler cmake ${fresh[@]+"${fresh[@]}"} -S "$root" -B "$folder" "$@" \
    >"$folder/configure.log" 2>&1 || { cat "$folder/configure.log" && return 1; }
  grep '^-- tweed' "$folder/configure.log" || true
  printf '%s' "$settings" >"$folder/tweedSettings"
}

# buildTargets: all in `folder`, or what `targets` names. False if a part fails.
targets=()
buildTargets() {
  local keepGoing=()
  if [[ -n ${TWEED_BUILT-} ]]; then return; fi
  if [[ -f $folder/build.ninja ]]; then keepGoing=(-- -k 0); fi
  cmake --build "$folder" -j "$jobs" ${targets[@]+--target "${targets[@]}"} \
    ${keepGoing[@]+"${keepGoing[@]}"}
}

# isTarget NAME: whether the configured folder has it. CMake knows which source is for what.
isTarget() {
  if [[ ! -s $scratch/targets ]]; then
    if [[ -n ${TWEED_BUILT-} ]]; then
      find "$folder/examples" -type f -perm -u+x -printf '%f\n' >"$scratch/targets"
    else
      cmake --build "$folder" --target help >"$scratch/targets"
    fi
  fi
  grep -Eq "(^|[ /])${1//./\\.}(:|\$| )" "$scratch/targets"
}

build() {  # FOLDER OPTION...
  configure "$@" && buildTargets
}

# --- the commands ---------------------------------------------------------------------------------

# From CTest's JUnit file: a line for each skipped test with its reason, then the three counts.
readResults() {
  awk '
    /<testcase / {
      name = $0; sub(/.* name="/, "", name); sub(/".*/, "", name)
      passed = /status="run"/; skipped = 0; reason = "no reason is given"
    }
    /<skipped message="SKIP_/ { skipped = 1 }
    skipped && /SKIP: / { reason = $0; sub(/.*SKIP: /, "", reason); sub(/<.*/, "", reason) }
    /<\/testcase>/ {
      if (skipped) { print "skipped " name ": " reason; ++skips }
      else if (passed) ++passes
      else { print "FAILED " name; ++failures }
    }
    END { print passes + 0, failures + 0, skips + 0 }' "$1"
}

runTests() {
  local passed=0 failed=0 skipped=0 isBuilt=true run=(env) least results
  # Unoptimised host code compiles in half the time; the loom itself and device code are optimised.
  local options=(-DCMAKE_BUILD_TYPE=None)
  case $state in
    gpu) least=$floorGpu && export TWEED_REQUIRE_GPU=1 ;;
    cuda) least=$floorCuda && options+=(-DTWEED_TEST_CUB=OFF -DTWEED_LINE_INFO=OFF) ;;
    host) least=$floorHost ;;
    sanitizer) least=$floorSanitizer ;;
  esac
  # Older ThreadSanitizers cannot place their shadow where addresses are very random.
  if [[ $sanitizer == thread ]] && setarch -R true 2>/dev/null; then run=(setarch -R); fi
  # ThreadSanitizer would wait a second at each exit, for threads that the loom has joined by then.
  export TSAN_OPTIONS="atexit_sleep_ms=0:${TSAN_OPTIONS-}"
  build build "${options[@]}" || isBuilt=false
  rm -f "$folder/results.xml"
  "${run[@]}" ctest --test-dir "$folder" -j "$jobs" --output-on-failure --no-tests=error \
    --output-junit "$folder/results.xml" || true
  echo
  if [[ -s $folder/results.xml ]]; then
    results=$(readResults "$folder/results.xml")
    sed '$d' <<<"$results"
    read -r passed failed skipped <<<"$(tail -n 1 <<<"$results")"
  fi
  if ! $isBuilt; then
    echo "FAILED the build"
    failed=$((failed + 1))
  elif ((passed + failed < least)); then
    echo "FAILED: $((passed + failed)) tests ran; on a machine like this they are at least $least"
    failed=$((failed + 1))
  fi
  local skips=
  ((skipped == 0)) || skips=", $skipped skipped"
  echo "$passed passed, $failed failed$skips"
  ((failed == 0))
}

runDemo() {
  local where=loom name code own theirs
  if [[ $state == gpu ]]; then where=gpu; fi
  file=${file:-$root/README.md}
  targets=("$where.wordCount" "$where.softmaxRows" "$where.sum")
  build build-demo -DTWEED_BUILD_TESTS=OFF || stop 1 "the build failed"
  for name in "${targets[@]}"; do
    set --
    if [[ $name == *.wordCount ]]; then set -- --check "$file"; fi
    printf '\n== %s\n' "$name $*"
    code=0
    "$folder/examples/$name" "$@" 2>&1 | tee "$scratch/$name" || code=$?
    ((code != 77)) || stop 1 "$gpu was found, but CUDA has no device: is the driver working?"
    ((code == 0)) || stop 1 "$name failed with exit code $code"
  done
  # What the program says first, against another program.
  if wc --version 2>/dev/null | grep -q 'GNU coreutils'; then
    read -r -a own <"$scratch/$where.wordCount"
    read -r -a theirs <<<"$(LC_ALL=C wc <"$file")"
    printf '\nwc counts %s lines, %s words, %s bytes' "${theirs[@]}"
    [[ ${own[*]:0:3} == "${theirs[*]}" ]] || { echo && stop 1 "wordCount counts ${own[*]:0:3}"; }
    echo ": the same"
  else
    printf '\nno comparison with wc: the one here is not of GNU coreutils\n'
  fi
}

runTrace() {
  local code=0
  # What CMake has a recorded program of: an example for a GPU alone has none.
  configure build-demo -DTWEED_BUILD_TESTS=OFF || stop 1 "the build failed"
  isTarget 'trace.[a-zA-Z]+' ||
    stop 3 "trace needs g++, and the compiler is $compiler: name one with CXX"
  isTarget "trace.$example" ||
    stop 2 "'$example' runs on a GPU alone, and trace counts what runs on the loom"
  targets=("trace.$example")
  buildTargets || stop 1 "the build failed"
  echo
  TWEED_LOOM_TRACE_JSON=$json "$folder/$folderOfExample/trace.$example" \
    ${exampleArguments[@]+"${exampleArguments[@]}"} || code=$?
  exit "$code"
}

# climb NAME PROGRAM: one ladder, all rungs by PROGRAM. False if a result is wrong.
climb() {
  local where=$2 code=0 file
  where=${where%%.*}
  file=$out/$1.${where/trace/loom}.json
  printf '\n== ladder %s\n' "$1"
  rm -f "$file"
  "$folder/examples/ladder/$2" ${sizes[@]+"${sizes[@]}"} --json "$file" || code=$?
  ((code != 2)) || exit 2
  ((code != 77)) || stop 1 "$gpu was found, but CUDA has no device: is the driver working?"
  echo
  "$plotter" "$root/examples/ladder/ladderReport.py" --charts "$out" "$file" || code=$?
  echo "JSON       $file"
  ((code == 0))
}

# experiment PROGRAM: false if it fails.
experiment() {
  local code=0 file=$out/model.${1#*.}.json
  printf '\n== experiment %s\n' "${1#*.}"
  rm -f "$file"
  "$folder/examples/executionModel/$1" --json "$file" || code=$?
  ((code == 0 || code == 77))
}

runLadder() {
  local counts=trace model=loom ladders=() experiments=() name failed=()
  if [[ $state == gpu ]]; then counts=gpu && model=gpu; fi
  out=${out:-$root/build-demo/ladder}
  configure build-demo -DTWEED_BUILD_TESTS=OFF || stop 1 "the build failed"
  if [[ $example != model ]]; then
    isTarget "$counts.sumLadder" ||
      stop 3 "ladders need nvcc on a GPU and g++ elsewhere; the compiler is $compiler"
  fi
  if [[ -z $example || $example == reduction ]]; then ladders+=("reduction $counts.sumLadder"); fi
  if [[ -z $example || $example == matmul ]]; then ladders+=("matmul $counts.productLadder"); fi
  if [[ -z $example || $example == model ]]; then
    for name in "$root"/examples/executionModel/*.cu; do
      name=$model.$(basename "$name" .cu)
      if isTarget "$name"; then experiments+=("$name"); fi
    done
  fi
  targets=(${ladders[@]+"${ladders[@]#* }"} ${experiments[@]+"${experiments[@]}"})
  buildTargets || stop 1 "the build failed"
  mkdir -p "$out"
  for name in ${ladders[@]+"${ladders[@]}"}; do
    # shellcheck disable=SC2086
    climb $name || failed+=("${name% *}")
  done
  for name in ${experiments[@]+"${experiments[@]}"}; do
    experiment "$name" || failed+=("$name")
  done
  if [[ -z $example || $example == model ]]; then printf '\nJSON       %s\n' "$out/model.*.json"; fi
  [[ ${#failed[@]} -eq 0 ]] || stop 1 "these failed: ${failed[*]}"
}

runBench() {
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
  TWEED_BUILD_DIR=$root/build-bench TWEED_ARCHITECTURES=${capability/#90/90a} \
    "$root/benchmarks/run.sh" "$root/build-bench/results"
}

runMutate() {
  echo
  python3 "$root/tests/mutation/mutate.py" ${mutateArguments[@]+"${mutateArguments[@]}"}
}

look
summary
if [[ $command == bench ]]; then
  [[ -n $nvcc ]] || stop 3 "the benchmarks need CUDA, and there is no nvcc"
  [[ $gpu != none ]] || stop 3 "the benchmarks need a GPU, and there is none"
fi
[[ ${#missing[@]} -eq 0 ]] || { installMissing && echo && summary; }
[[ $command != ladder ]] || installPlotter
case $command in
  test) runTests ;;
  demo) runDemo ;;
  bench) runBench ;;
  trace) runTrace ;;
  ladder) runLadder ;;
  mutate) runMutate ;;
esac
