#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-example.sh SOURCE COMMAND...: the example prints what the block after "Prints:" in its source says. A Python script
# is run by the first python3 that has NumPy.
set -euo pipefail
source=$1
shift
[[ $(wc -l <"$source") -lt 100 ]] || { echo "$source has 100 lines or more: too long for an example"; exit 1; }
if [[ $source == *.py ]]; then
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' 2>/dev/null; then set -- "$python" "$source" "$@"; break; fi
  done
  if [[ $1 != *python3 ]]; then echo "TEST-SKIPPED: no python3 with NumPy"; exit 0; fi
fi
expected=$(sed -n '/Prints:$/,/^ \*\/\|^[^ /*#]\|^$/p' "$source" | sed -n 's/^\( \*\|\/\/\|#\)   //p')
[[ -n $expected ]] || { echo "$source does not say what it prints"; exit 1; }
printed=$("$@")
diff -u <(printf '%s\n' "$expected") <(printf '%s\n' "$printed") || { echo "left: $source; right: what it printed"; exit 1; }
