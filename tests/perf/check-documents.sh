#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-documents.sh TOOL ROOT: the man page and docs/garner-perf.md know every command and option of the help, and no other.
set -euo pipefail
tool=$1 root=$2
man_page=$root/docs/garner-perf.1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

commands=$("$tool" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[[ $(wc -w <<<"$commands") -ge 7 ]] || { echo "the help lists only: $commands"; exit 1; }
# Options as the help lists them; in examples and texts they may stand as well, so only the beginnings of lines count.
{
  "$tool" --help
  for command in $commands; do "$tool" "$command" --help; done
} | sed -n 's/^  \(-[a-z],\)\{0,1\}\(--[a-z-]*\).*/\2/p' | sort -u >"$folder/help"
[[ $(wc -l <"$folder/help") -ge 20 ]] || { echo "only these options were found in the help:"; cat "$folder/help"; exit 1; }

tr -d '\\' <"$man_page" | grep -oE -- '--[a-z][a-z-]*' | sort -u >"$folder/man"
if ! diff -u --label "options of the help" --label "options of the man page" "$folder/help" "$folder/man"; then exit 1; fi
failed=0
for command in $commands; do
  grep -q "^\.SS \"$command" "$man_page" || { echo "the man page has no section on $command"; failed=1; }
  grep -q "^## $command" "$root/docs/garner-perf.md" || { echo "docs/garner-perf.md has no section on $command"; failed=1; }
  "$tool" "$command" --help | grep -q '^Examples\{0,1\}:' || { echo "the help of $command has no example"; failed=1; }
done
while IFS= read -r option; do
  [[ $option == --help || $option == --version ]] && continue
  grep -qF -- "$option" "$root/docs/garner-perf.md" || { echo "docs/garner-perf.md does not know $option"; failed=1; }
done <"$folder/help"
exit "$failed"
