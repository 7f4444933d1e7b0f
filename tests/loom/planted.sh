#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# planted.sh BUILD_DIR address|thread: runs each planted error of loom.planted, built with that
# sanitizer. Fails if one is not reported, or if its right twin is.
set -u
[ $# -eq 2 ] || { echo "usage: planted.sh BUILD_DIR address|thread" >&2; exit 2; }
program=$(find "$1" -type f -name "*loom.planted" -perm -u+x | head -n 1)
[ -n "$program" ] || { echo "planted.sh: no *loom.planted under $1" >&2; exit 2; }
# AddressSanitizer's build also has UndefinedBehaviorSanitizer, which must stop to be noticed.
export UBSAN_OPTIONS=halt_on_error=1
export TSAN_OPTIONS="${TSAN_OPTIONS-}:halt_on_error=1"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0 ran=0
for name in $("$program" | sed -n "s/^$2 //p"); do
  ran=$((ran + 1))
  if "$program" "$name" >"$log" 2>&1 ||
    ! grep -Eq 'ERROR: AddressSanitizer|data race|misaligned' "$log"; then
    echo "not reported: $name"
    cat "$log"
    failed=1
  fi
  if ! "$program" "ok:$name" >"$log" 2>&1; then
    echo "wrongly reported: ok:$name"
    cat "$log"
    failed=1
  fi
done
[ $ran -gt 0 ] || { echo "planted.sh: no cases for $2" >&2; exit 2; }
[ $failed -eq 0 ] && echo "planted.sh: $ran errors reported, $ran right twins silent"
exit $failed
