#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-problems.sh GARNER_PERF FOLDER: every line of every problem file has a name of its own and a problem that the
# library plans.
set -euo pipefail
perf=$1
failed=0 count=0
for file in "$2"/*.txt; do
  declare -A seen=()
  while read -r name problem rest; do
    [[ -n $name && $name != \#* ]] || continue
    count=$((count + 1))
    if [[ -n ${seen[$name]:-} ]]; then
      printf '%s: the name %s is there twice\n' "$file" "$name"
      failed=1
    fi
    seen[$name]=yes
    if ! text=$("$perf" explain "$problem" 2>&1); then
      printf '%s: %s\n%s\n' "$file" "$name" "$text"
      failed=1
    fi
  done <"$file"
  unset seen
done
printf '%d problems\n' "$count"
[[ $failed -eq 0 && $count -gt 0 ]]
