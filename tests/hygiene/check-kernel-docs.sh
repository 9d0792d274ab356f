#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The table of bodies in docs/design.md names exactly the kernels of the list that garner-perf info prints.
#   check-kernel-docs.sh GARNER_PERF ROOT
set -euo pipefail
perf=$1 root=$2

listed=$("$perf" info | grep -o 'gather_x[0-9]*_[a-z]*__avx[0-9]*' | sort)
# Rows such as: | `table` | how | x8 x32 | x8 (VBMI) x16 |, the columns being AVX2 and AVX-512.
documented=$(awk -F'|' '
  $2 ~ /`(table|loads|hardware)`/ {
    gsub(/[ `]/, "", $2)
    for (column = 4; column <= 5; ++column) {
      count = split($column, words, " ")
      for (i = 1; i <= count; ++i)
        if (words[i] ~ /^x[0-9]+$/) print "gather_" words[i] "_" $2 "__" (column == 4 ? "avx2" : "avx512")
    }
  }' "$root/docs/design.md" | sort)
[[ -n $listed ]] || { echo "garner-perf info lists no kernels"; exit 1; }
diff <(printf '%s\n' "$listed") <(printf '%s\n' "$documented") && exit 0
echo "left: the list of kernels; right: docs/design.md"
exit 1
