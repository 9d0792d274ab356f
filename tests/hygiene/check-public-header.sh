#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-public-header.sh CC CXX ROOT: garner.h is clean C99 and C11 and C++11 and later, alone and twice.
set -euo pipefail
cc=$1 cxx=$2 root=$3
unit='#include <garner/garner.h>
#include <garner/garner.h>
garner_op op = GARNER_OP_INIT;
garner_tensor tensor = GARNER_TENSOR_INIT;
garner_error error = GARNER_ERROR_INIT;
garner_executor executor = GARNER_EXECUTOR_INIT;
garner_args args = GARNER_ARGS_INIT;
garner_context_options options = GARNER_CONTEXT_OPTIONS_INIT;
int main(void) { return (int)(op.struct_size + tensor.struct_size) == 0; }'
warnings=(-Wall -Wextra -Wpedantic -pedantic-errors -Wshadow -Wconversion -Werror -fsyntax-only -I"$root/src/include")
for standard in c99 c11 c17; do
  "$cc" -std=$standard "${warnings[@]}" -Wstrict-prototypes -x c - <<<"$unit"
done
for standard in c++11 c++14 c++17 c++20; do
  "$cxx" -std=$standard "${warnings[@]}" -x c++ - <<<"$unit"
done
