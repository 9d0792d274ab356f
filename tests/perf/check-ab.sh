#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-ab.sh TOOL LIBRARY SLOW_LIBRARY: the same library twice is no change beyond a wide threshold; one that does everything
# three times is slower, and the other way round faster.
set -euo pipefail
tool=$1 library=$2 slow=$3
output=$(mktemp)
trap 'rm -f "$output"' EXIT
problem=gathernd:f32:4096:i64:20000x1
expect() {
  local status=$1 text=$2 got=0
  shift 2
  "$tool" ab --seconds 0.1 --threshold 50% "$@" $problem >"$output" 2>&1 || got=$?
  if [[ $got -ne $status ]] || ! grep -qE "^$problem .*$text" "$output"; then
    printf 'FAILED: ab %s\n  wanted status %s and a row with "%s"; got status %s and:\n' "$*" "$status" "$text" "$got"
    cat "$output"
    exit 1
  fi
}
expect 0 "no change" --base "$library" --new "$library"
expect 0 "no change" --base "$library"
expect 1 "SLOWER" --base "$library" --new "$slow"
expect 0 "faster" --base "$slow" --new "$library"
grep -q '"verdict":"no change"' <("$tool" ab --seconds 0.1 --threshold 50% --json - --base "$library" $problem 2>/dev/null)
