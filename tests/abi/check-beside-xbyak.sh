#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-beside-xbyak.sh CXX ARCHIVE ROOT [FLAG or LIBRARY...]
# A host that links the static library and emits code with Xbyak itself, compiled in its own way (with exceptions): inline
# functions of the same name would be merged by the linker, and one of the two would run the other's.
set -euo pipefail
cxx=$1 archive=$2 root=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

shared=$(nm -C --defined-only "$archive" 2>/dev/null | grep -E ' [TWVBDRu] Xbyak::' | head -n 3 || true)
if [[ -n $shared ]]; then
  printf 'the archive defines names of Xbyak that a host may define as well:\n%s\n' "$shared"
  exit 1
fi

cat >"$work/host.cpp" <<'END'
#include <garner/garner.h>
#include <xbyak/xbyak.h>

#include <cstdio>

namespace {
struct Answer : Xbyak::CodeGenerator {
  Answer() : Xbyak::CodeGenerator(4096, Xbyak::AutoGrow) {
    mov(eax, 42);
    ret();
    readyRE();
  }
};

// The host's Xbyak still throws.
bool host_throws() {
  try {
    Xbyak::CodeGenerator code;
    code.vgatherdps(code.xmm1, code.ptr[code.rax + code.xmm1], code.xmm1);
  } catch (const Xbyak::Error&) {
    return true;
  }
  return false;
}

bool garner_gathers() {
  garner_context_options options = GARNER_CONTEXT_OPTIONS_INIT;
  garner_context* context = nullptr;
  if (garner_context_create(&options, &context, nullptr) != GARNER_OK) return false;
  float data[100], output[100];
  int64_t indices[100];
  for (int i = 0; i < 100; ++i) data[i] = static_cast<float>(i), indices[i] = i % 2 == 0 ? 99 - i : i - 100;
  const int64_t data_shape[] = {100}, indices_shape[] = {100, 1};
  garner_op op = GARNER_OP_INIT;
  garner_tensor d = GARNER_TENSOR_INIT, i = GARNER_TENSOR_INIT;
  d.dtype = GARNER_FLOAT32, d.rank = 1, d.shape = data_shape;
  i.dtype = GARNER_INT64, i.rank = 2, i.shape = indices_shape;
  garner_args args = GARNER_ARGS_INIT;
  args.data = data, args.data_bytes = sizeof data;
  args.indices = indices, args.indices_bytes = sizeof indices;
  args.output = output, args.output_bytes = sizeof output;
  bool right = garner_execute(context, &op, &d, &i, nullptr, &args, nullptr) == GARNER_OK;
  for (int n = 0; n < 100; ++n) right = right && output[n] == static_cast<float>(n % 2 == 0 ? 99 - n : n);
  garner_context_destroy(context);
  return right;
}
}  // namespace

int main() {
  for (int round = 0; round < 3; ++round) {
    Answer answer;
    if (answer.getCode<int (*)()>()() != 42) return std::puts("the host's code is wrong"), 1;
    if (!host_throws()) return std::puts("the host's Xbyak does not throw any more"), 1;
    if (!garner_gathers()) return std::puts("garner is wrong"), 1;
  }
  return 0;
}
END
# Both orders: the linker keeps the first of equal names.
flags=() libraries=()
for word; do
  if [[ $word == -* ]]; then flags+=("$word"); else libraries+=("$word"); fi
done
"$cxx" -std=c++17 -O1 -c -I"$root/src/include" "${flags[@]}" "$work/host.cpp" -o "$work/host.o"
"$cxx" "$work/host.o" "$archive" "${libraries[@]}" -lpthread -o "$work/host_first"
"$cxx" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive "$work/host.o" "${libraries[@]}" -lpthread -o "$work/garner_first"
"$work/host_first"
"$work/garner_first"
echo "both emit, in both orders"
