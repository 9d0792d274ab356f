#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs each fuzz target for some seconds, as many at a time as there are CPUs, from the corpus in tests/fuzz/corpus on.
#
#   scripts/fuzz.sh [--build DIR] SECONDS [TARGET...]
#
# Builds with clang, libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer into DIR (default build/fuzz;
# one that is configured with GARNER_FUZZ already is taken as it is). What is found
# stays in DIR/findings, new inputs that reach new code in DIR/corpus. Fails when a target found something.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build=$root/build/fuzz
if [[ ${1:-} == --build ]]; then
  build=$2
  shift 2
fi
seconds=${1:-}
if [[ ! $seconds =~ ^[1-9][0-9]*$ ]]; then
  usage
  exit 2
fi
shift

targets=(descriptors indices problem npy onnx json)
[[ $# -eq 0 ]] || targets=("$@")
configure_and_build() {
  { grep -q '^GARNER_FUZZ:BOOL=ON' "$build/CMakeCache.txt" 2>/dev/null || configure; } &&
    cmake --build "$build" --parallel "$jobs" --target "${targets[@]/#/garner_fuzz_}"
}
configure() {
  cmake -S "$root" -B "$build" -G Ninja -D CMAKE_C_COMPILER=clang -D CMAKE_CXX_COMPILER=clang++ -D CMAKE_BUILD_TYPE=Debug \
    -D CMAKE_CXX_FLAGS=-fsanitize=fuzzer-no-link -D CMAKE_C_FLAGS_DEBUG='-O1 -g1' -D CMAKE_CXX_FLAGS_DEBUG='-O1 -g1' \
    -D GARNER_SANITIZE='address;undefined' -D GARNER_FUZZ=ON
}
logged "$build/build.log" "Building the fuzz targets" configure_and_build

findings=$build/findings
mkdir -p "$findings"
export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
log_of() { echo "$build/fuzz-$1.log"; }
fuzz() { # TARGET   its exit status becomes the last line of the log
  local status=0
  mkdir -p "$build/corpus/$1"
  "$build/tests/fuzz/garner_fuzz_$1" -max_total_time="$seconds" -timeout=120 -rss_limit_mb=4096 -max_len=4096 \
    -use_value_profile=1 -print_final_stats=1 -artifact_prefix="$findings/$1-" "$build/corpus/$1" \
    "$root/tests/fuzz/corpus/$1" || status=$?
  echo "status $status"
}
for target in "${targets[@]}"; do
  while [[ $(jobs -rp | wc -l) -ge $jobs ]]; do wait -n; done
  fuzz "$target" >"$(log_of "$target")" 2>&1 </dev/null &
done
wait

failed=() total=0
for target in "${targets[@]}"; do
  log=$(log_of "$target")
  status=$(tail -n 1 "$log" | sed -n 's/^status //p')
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  printf '%-12s %10s inputs, %s edges, %s\n' "$target" "${runs:-?}" "${coverage:-?}" \
    "$([[ $status == 0 ]] && echo 'no finding' || echo "FINDING (status $status)")"
  total=$((total + ${runs:-0}))
  if [[ $status != 0 ]]; then
    failed+=("$target")
    grep -m 1 -A 12 -E 'ERROR: |runtime error|finding:|terminate called' "$log" || tail -n 20 "$log"
    sed -n 's/.*Test unit written to /input: /p' "$log"
  fi
done
printf '%d targets, %d s each, %d inputs, %d targets with a finding\n' "${#targets[@]}" "$seconds" "$total" "${#failed[@]}"
[[ $total -gt 0 && ${#failed[@]} -eq 0 ]]
