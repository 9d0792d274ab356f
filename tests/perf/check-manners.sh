#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-manners.sh TOOL: what goes to standard output, progress on a terminal, and what an interrupt leaves.
set -euo pipefail
tool=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { printf 'FAILED: %s\n' "$*"; exit 1; }

# Without arguments bench measures its built-in set; every row is verified and has a ceiling; standard output holds JSON alone.
"$tool" bench --seconds 0.02 --json - >rows.json 2>table.txt || fail "bench without a problem: status $?"
rows=$(wc -l <rows.json)
[[ $rows -ge 10 && $rows -le 30 ]] || fail "$rows rows are not one screen"
[[ $(grep -c '^{"schema":1,.*}$' rows.json) -eq $rows ]] || fail "a line of standard output is no result"
[[ $(grep -c '"verified":true' rows.json) -eq $rows ]] || fail "a row was not verified"
[[ $(grep -c '"of_ceiling":[0-9]' rows.json) -eq $rows ]] || fail "a row has no of_ceiling"
grep -q '"hypervisor":' rows.json && grep -q '"gather_mitigation":' rows.json && grep -q '"load":' rows.json ||
  fail "the environment is not complete"
[[ $(grep -c verified table.txt) -eq $rows ]] || fail "the table went elsewhere than to standard error"

# One problem that is refused does not keep the others from being explained.
status=0
"$tool" explain gathernd:f32:4:i64:2x5 gathernd:f32:64:i64:9x1 >explained.txt || status=$?
[[ $status -eq 2 ]] || fail "explain with a refused problem: status $status"
grep -q 'refused .*INVALID_SHAPE' explained.txt || fail "the refusal is missing"
grep -q 'kernel ' explained.txt || fail "explain stopped at the refused problem"

# Progress goes to a terminal, with the time left, and not to a file.
"$tool" bench --seconds 0.01 gathernd:f32:64:i64:100x1 2>quiet.txt >/dev/null
[[ ! -s quiet.txt ]] || fail "standard error has something to say: $(cat quiet.txt)"
script -q -e -c "'$tool' bench --seconds 0.01 gathernd:f32:64:i64:100x1 gathernd:f32:65:i64:100x1" /dev/null >typescript.txt </dev/null
grep -q '2 of 2: .* left' typescript.txt || fail "no progress on a terminal"

# interrupt WHEN COMMAND...   sends SIGINT once the file out.txt has a line with that text; the status goes to $status
interrupt() {
  local when=$1 pid
  shift
  : >out.txt
  # A shell gives children in the background an ignored SIGINT.
  "$tool" "$@" >out.txt 2>err.txt &
  pid=$!
  until grep -q "$when" out.txt; do
    kill -0 "$pid" 2>/dev/null || { cat out.txt err.txt; fail "'$*' ended early"; }
    sleep 0.02
  done
  kill -INT "$pid"
  status=0
  wait "$pid" || status=$?
}

# After the first row: it is there, in the files as well.
interrupt verified bench --seconds 0.02 --json rows.json --html rows.html gathernd:f32:64:i64:100x1 --samples \
  $(for i in $(seq 500); do printf 'gathernd:f32:64:i64:100x1:seed=%d ' "$i"; done)
[[ $status -eq 2 ]] || fail "status $status after an interrupt"
grep -q 'garner-perf: interrupted' err.txt || fail "nothing says that it was interrupted"
[[ $(grep -c '^{.*}$' rows.json) -eq $(wc -l <rows.json) && -s rows.json ]] || fail "the JSON is not what was measured"
grep -q '</html>' rows.html || fail "the page is not complete"
grep -q '^p50:' out.txt || fail "the table has no foot"

# Within a long row, and while its data is made.
interrupt '^problem' bench --seconds 3000 gathernd:f32:64:i64:100x1
[[ $status -eq 2 ]] || fail "status $status after an interrupt within a row"
interrupt '^problem' bench gathernd:f32:30000000:i64:6000000x1
[[ $status -eq 2 ]] || fail "status $status after an interrupt before the first sample"
