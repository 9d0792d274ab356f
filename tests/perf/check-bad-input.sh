#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-bad-input.sh TOOL WRONG_TOOL: each kind of input that cannot be used has its exit code and its message.
set -euo pipefail
tool=$1 wrong_tool=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failures=0

# expect STATUS TEXT COMMAND...   the text must appear, as it is, in what the command prints
expect() {
  local status=$1 text=$2 output got=0
  shift 2
  output=$("$@" 2>&1) || got=$?
  if [[ $got -ne $status || $output != *"$text"* ]]; then
    printf 'FAILED: %s\n  wanted status %s and "%s"; got status %s and:\n%s\n' "$*" "$status" "$text" "$got" "$output"
    failures=$((failures + 1))
  fi
}
quick=(--seconds 0.01)
good=gathernd:f32:64x64:i64:100x2

# Usage and problems.
expect 2 "a command is missing" "$tool"
expect 2 "unknown command 'bensh'" "$tool" bensh
expect 2 "--colour" "$tool" bench --colour
expect 2 "^" "$tool" bench gather:f32:4:i64:2x1
expect 2 "^" "$tool" bench gathernd:f32:4x:i64:2x1
expect 2 "unknown key 'colour'" "$tool" bench $good:colour=red
expect 2 "no-such-file.txt" "$tool" bench --file no-such-file.txt
printf 'fine %s\nnot-fine gathernd:f32:4\n' $good >problems.txt
expect 2 "problems.txt:2" "$tool" bench --file problems.txt
expect 2 "INVALID_SHAPE" "$tool" bench "${quick[@]}" gathernd:f32:4:i64:2x5
expect 2 "OUT_OF_BOUNDS" "$tool" bench "${quick[@]}" $good:bad=0.5

# Memory is refused before it is taken, with the amount.
expect 2 "would need 4.0 TB" "$tool" bench gathernd:f32:1000000000000:i64:8x1
expect 2 "has more bytes than an int64 can count" "$tool" bench gathernd:f32:9000000000000000000:i64:8x1

# Files to compare.
expect 2 "no.json: cannot be read" "$tool" compare no.json no.json
echo 'not json' >text.json
expect 2 "text.json:1: no line of JSON" "$tool" compare text.json text.json
echo '{"context": {}, "benchmarks": []}' >foreign.json
expect 2 "foreign.json:1: no result of garner-perf bench: the field 'schema' is missing" "$tool" compare foreign.json foreign.json
: >empty.json
expect 2 "empty.json: holds no results" "$tool" compare empty.json empty.json
"$tool" bench "${quick[@]}" --json one.json $good >/dev/null
"$tool" bench "${quick[@]}" --json other.json gathernd:f32:64:i64:100x1 >/dev/null
head -c 300 one.json >cut.json
expect 2 "cut.json:1: no line of JSON" "$tool" compare one.json cut.json
expect 2 "have no row in common" "$tool" compare one.json other.json
expect 2 "is no threshold" "$tool" compare one.json one.json --threshold much
expect 0 "1 rows: 0 slower" "$tool" compare one.json one.json
sed 's/"verified":true/"verified":false/' one.json >wrong.json
expect 1 "1 results of the second run were wrong" "$tool" compare one.json wrong.json
# The same row, and one whose time has one more digit in front.
sed 's/"of_ceiling_rounds":\[[^]]*\]/"of_ceiling_rounds":[]/' one.json >plain.json
sed 's/"p50":/"p50":9/' plain.json >slow.json
expect 1 "1 slower" "$tool" compare plain.json slow.json
expect 0 "1 faster" "$tool" compare slow.json plain.json

# Output that cannot be written.
expect 2 "standard output could not be written" bash -c '"$0" bench "$@" >/dev/full' "$tool" "${quick[@]}" $good
expect 2 "standard output could not be written" bash -c '"$0" bench --json - "$@" >/dev/full' "$tool" "${quick[@]}" $good
expect 2 "/dev/full: cannot be written: it exists and is not a regular file" "$tool" bench --json /dev/full $good
expect 2 "no/such/folder/x.html: cannot be written" "$tool" bench --html no/such/folder/x.html $good
expect 2 "big.html: writing failed: File too large" bash -c 'ulimit -f 1; "$0" bench "$@" --html big.html' "$tool" "${quick[@]}" $good
[[ ! -e big.html ]] || { echo "FAILED: a part of big.html stayed"; failures=$((failures + 1)); }

# Libraries that are none.
expect 2 "no.so: No such file" "$tool" ab --base no.so $good
expect 2 "text.json: cannot be loaded" "$tool" ab --base text.json $good

# A wrong result: which element, what it is and must be.
expect 1 "output[5] (element 5 of 100) is" "$wrong_tool" bench "${quick[@]}" $good
expect 1 '"difference":"output[5] (element 5 of 100) is' "$wrong_tool" bench "${quick[@]}" --json - $good
expect 0 "unchecked" "$wrong_tool" bench "${quick[@]}" --no-verify $good
expect 1 "FAILED: expected the path scalar" "$tool" bench "${quick[@]}" --expect-path scalar --path copy $good

[[ $failures -eq 0 ]] || { printf '%d expectations were not met\n' "$failures"; exit 1; }
