#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# selfTest.sh: tries mutate.py on a planted header, of whose mutants it is known what becomes.
set -euo pipefail
for tool in python3 ninja; do
  command -v $tool >/dev/null 2>&1 || { echo "SKIP: there is no $tool" && exit 77; }
done
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# What newer CMakes say to the linker by themselves: it names the object's folder a second time.
mkdir "$scratch/loom.block.planted.dir"
export LDFLAGS="-Wl,--dependency-file=$scratch/loom.block.planted.dir/link.d"

# try NAME CODE TEXT OPTION...: mutate.py ends with CODE and says TEXT, a regular expression.
try() {
  local name=$1 expected=$2 text=$3 code=0
  shift 3
  python3 "$here/mutate.py" --source "$here/planted" --build "$scratch/build" --lanes plain \
    --equivalent "$scratch/equivalent.txt" "$@" >"$scratch/log" 2>&1 || code=$?
  if [[ $code != "$expected" ]] || ! grep -Eq -- "$text" "$scratch/log"; then
    echo "$name: exit code $code, expected $expected and '$text':"
    cat "$scratch/log"
    exit 1
  fi
}

argued='block/planted.cuh: least
- return a < b ? a : b;
+ return a <= b ? a : b;
The same number either way.
'
untested='
block/planted.cuh: untested
- TWEED_DEVICE int untested(int a) { return a + 2; }
+ *
Nobody calls it.
'
gone='
block/planted.cuh: least
- return a > b ? a : b;
+ return a >= b ? a : b;
Was so once.
'
wrong='
block/planted.cuh: least
- arch::syncBlock();
+ ;
Nobody needs it, it is said.
'

echo "$argued" >"$scratch/equivalent.txt"
try survivor 1 '^other: .* 1 equivalent, 1 survived'
grep -q '^synchronisation: 1 mutants, 1 caught' "$scratch/log"
grep -q '+ TWEED_DEVICE int untested(int a) { return a - 2; }' "$scratch/log"
[[ $(grep -c 'planted, by the compiler$' "$scratch/log") == 2 ]]
try kept 1 ' 0 to run'
try noSuchHeader 2 'no device header .nothing.' nothing
echo "$argued$untested" >"$scratch/equivalent.txt"
try allArgued 0 '2 equivalent, 0 survived: 100.0 %'
echo "$argued$untested$gone" >"$scratch/equivalent.txt"
try goneArgument 1 'argued, but there is no such mutant'
echo "$argued$untested$wrong" >"$scratch/equivalent.txt"
try wrongArgument 1 'argued to be equivalent, but caught' --argued --fresh
echo "mutation.selfTest: right"
