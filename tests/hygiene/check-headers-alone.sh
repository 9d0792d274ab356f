#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-headers-alone.sh CXX ROOT [FLAG...]: each header of the library compiles as the first include.
set -euo pipefail
cxx=$1 root=$2
shift 2
cd "$root"
# runtime/mover_rows.h is text for several units, each of which defines its function attribute first.
flags=(-DGARNER_MOVER_TARGET= -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I. -Isrc/include "$@")
status=0
while IFS= read -r -d '' header; do
  "$cxx" "${flags[@]}" -x c++ - <<<"#include \"$header\"" || {
    echo "$header does not compile alone"
    status=1
  }
# src/onnxruntime needs ONNX Runtime's headers, which only its own build has.
done < <(find runtime jit src -name '*.h' -not -path 'src/onnxruntime/*' -print0 | sort -z)
exit $status
