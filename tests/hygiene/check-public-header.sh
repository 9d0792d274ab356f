#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-public-header.sh CC CXX ROOT: each installed header is clean, alone and twice: garner.h and garner_dlpack.h in C99 and
# C++11 and later, garner.hpp in C++17 and later with and without exceptions and RTTI.
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
dlpack='#include <garner/garner_dlpack.h>
#include <garner/garner_dlpack.h>
int main(void) { return garner_dl_dtype(2, 32) != GARNER_FLOAT32; }'
for standard in c99 c11 c17; do
  "$cc" -std=$standard "${warnings[@]}" -Wstrict-prototypes -x c - <<<"$unit"
  "$cc" -std=$standard "${warnings[@]}" -Wstrict-prototypes -x c - <<<"$dlpack"
done
for standard in c++11 c++14 c++17 c++20; do
  "$cxx" -std=$standard "${warnings[@]}" -x c++ - <<<"$unit"
  "$cxx" -std=$standard "${warnings[@]}" -x c++ - <<<"$dlpack"
done

unit='#include <garner/garner.hpp>
#include <garner/garner.hpp>
garner_status run(const garner::Plan& plan, const garner::Args& args, garner::Error& error) {
  return plan.execute(args, error);
}
garner::Shape shape(garner::Error& error) {
  return garner::infer_shape(garner::gather_nd(), garner::Tensor::of<float>({2}), garner::Tensor::of<int>({1}), error);
}
int main() { return garner::Plan() || garner::Context(); }'
for standard in c++17 c++20; do
  "$cxx" -std=$standard "${warnings[@]}" -Wsign-conversion -x c++ - <<<"$unit"
  "$cxx" -std=$standard "${warnings[@]}" -Wsign-conversion -fno-exceptions -fno-rtti -x c++ - <<<"$unit"
done
# Without exceptions the forms that throw are not there, instead of failing to link.
unit='#include <garner/garner.hpp>
void run(const garner::Plan& plan, const garner::Args& args) { plan.execute(args); }'
for without in -fno-exceptions -DGARNER_NO_EXCEPTIONS; do
  if "$cxx" -std=c++17 $without "${warnings[@]}" -x c++ - <<<"$unit" 2>/dev/null; then
    echo "garner.hpp offers a form that throws with $without"
    exit 1
  fi
done
