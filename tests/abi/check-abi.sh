#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-abi.sh RULE LIBRARY ROOT: the binary interface is the one that was agreed on.
#   exports   the exported names are exactly those of src/garner.map
#   types     functions and the types they take are those of tests/abi/garner.abi (package abigail-tools)
#   baseline  writes tests/abi/garner.abi anew, from a library with debug information
set -euo pipefail
rule=$1 library=$2 root=$3
baseline=$root/tests/abi/garner.abi
export LC_ALL=C

case $rule in
  exports)
    exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort)
    listed=$(sed -n '/global:/,/local:/s/^ *\(garner_[a-z_]*\);$/\1/p' "$root/src/garner.map" | sort)
    declared=$(sed -n 's/^GARNER_API .*[ *]\(garner_[a-z_]*\)(.*/\1/p' "$root/src/include/garner/garner.h" | sort)
    status=0
    diff <(printf '%s\n' "$listed") <(printf '%s\n' "$exported") || { echo "left: src/garner.map; right: what is exported"; status=1; }
    diff <(printf '%s\n' "$listed") <(printf '%s\n' "$declared") || { echo "left: src/garner.map; right: garner.h"; status=1; }
    [[ $status -eq 0 ]] && printf '%s names\n' "$(wc -l <<<"$listed")"
    exit $status
    ;;
  types)
    command -v abidiff >/dev/null || { echo "TEST-SKIPPED: abidiff is not installed (package abigail-tools)"; exit 0; }
    readelf -SW "$library" | grep -q '\.debug_info' || { echo "TEST-SKIPPED: the library has no debug information"; exit 0; }
    abidiff --headers-dir2 "$root/src/include" --drop-private-types --no-added-syms "$baseline" "$library" ||
      { echo "the interface differs from tests/abi/garner.abi"; exit 1; }
    abidiff --headers-dir2 "$root/src/include" --drop-private-types "$baseline" "$library" || {
      echo "the interface has grown: write tests/abi/garner.abi anew (check-abi.sh baseline LIBRARY ROOT)"
      exit 1
    }
    echo "functions and types are those of tests/abi/garner.abi"
    ;;
  baseline)
    abidw --headers-dir "$root/src/include" --drop-private-types --no-corpus-path --no-comp-dir-path --no-show-locs \
      --short-locs --type-id-style hash --out-file "$baseline" "$library"
    ;;
  *)
    printf 'unknown rule %s\n' "$rule" >&2
    exit 2
    ;;
esac
