#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-abi.sh RULE LIBRARY ROOT: the binary interface is the one that was agreed on.
#   exports   the exported names are exactly those of src/garner.map
#   types     what functions take and return is what tests/abi/garner.abi says (package abigail-tools)
#   baseline  writes tests/abi/garner.abi anew
set -euo pipefail
rule=$1 library=$2 root=$3
baseline=$root/tests/abi/garner.abi
export LC_ALL=C

listed() { sed -n '/global:/,/local:/s/^ *\(garner_[a-z_]*\);$/\1/p' "$root/src/garner.map" | sort; }

case $rule in
  exports)
    exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort)
    listed=$(listed)
    declared=$(sed -n 's/^GARNER_API .*[ *]\(garner_[a-z_]*\)(.*/\1/p' "$root/src/include/garner/garner.h" | sort)
    status=0
    diff <(printf '%s\n' "$listed") <(printf '%s\n' "$exported") || { echo "left: src/garner.map; right: what is exported"; status=1; }
    diff <(printf '%s\n' "$listed") <(printf '%s\n' "$declared") || { echo "left: src/garner.map; right: garner.h"; status=1; }
    [[ $status -eq 0 ]] && printf '%s names\n' "$(wc -l <<<"$listed")"
    exit $status
    ;;
  types | baseline)
    command -v abidiff >/dev/null || { echo "TEST-SKIPPED: abidiff is not installed (package abigail-tools)"; exit 0; }
    # The library's own debug information knows what is inside its types as well, and differs between compilers. A variable
    # for each function, of a pointer to it, holds all that the header says and nothing else.
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    {
      echo '#include <garner/garner.h>'
      listed | sed 's/.*/__typeof__(\&&) type_of_&;/'
    } >"$work/types.c"
    cc -std=gnu99 -g -O0 -shared -fPIC "-ffile-prefix-map=$work/=" -I"$root/src/include" "$work/types.c" -o "$work/types.so"
    if [[ $rule == baseline ]]; then
      abidw --no-corpus-path --no-comp-dir-path --no-show-locs --out-file "$baseline" "$work/types.so"
      exit 0
    fi
    abidiff "$baseline" "$work/types.so" || {
      echo "the types of garner.h differ from tests/abi/garner.abi"
      echo "where that is meant and compatible: tests/abi/check-abi.sh baseline $library $root"
      exit 1
    }
    echo "the types of $(listed | wc -l) functions are those of tests/abi/garner.abi"
    ;;
  *)
    printf 'unknown rule %s\n' "$rule" >&2
    exit 2
    ;;
esac
