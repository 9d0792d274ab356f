#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-library.sh RULE LIBRARY ROOT: what a host may rely on about the shared library's symbols, soname and size.
set -euo pipefail
rule=$1 library=$2 root=$3
export LC_ALL=C

case $rule in
  exports) # garner_* and version nodes, and something at all
    exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//')
    grep -q '^garner_plan_execute$' <<<"$exported" || { echo "garner_plan_execute is not exported"; exit 1; }
    found=$(grep -v '^garner_' <<<"$exported" || true)
    ;;
  imports) # nothing that prints, reads streams, or ends the process
    imported=$(nm -D --undefined-only "$library" | awk '{ print $2 }' | sed 's/@.*//')
    found=$(grep -E \
      -e '^_*(v|f|d|s|sn|vs|vsn|vf|vd|as|vas)?printf(_chk)?$' -e '^_*(f|s|vf|vs|v)?scanf$' \
      -e '^(fopen|fdopen|freopen|fclose|fread|fwrite|fputs?|fputc|fgets?|fgetc|fflush|puts|putchar|putc|perror)(64)?$' \
      -e '^(stdin|stdout|stderr)$' -e '^(abort|_?exit|_Exit|quick_exit|atexit|__assert_fail|assert)$' -e '^raise$' \
      -e '^_ZSt(3cin|4cout|4cerr|4clog)$' -e '(ios_base|basic_ostream|basic_istream|basic_streambuf|basic_filebuf)' \
      <<<"$imported" || true)
    ;;
  constructors) # only the entry of the toolchain's own start file, in each direction
    found=$(readelf -SW "$library" | sed 's/\[ */[/' |
      awk '($2 == ".init_array" || $2 == ".fini_array" || $2 == ".preinit_array") && $6 != "000008" { print $2, "has 0x" $6, "bytes" }')
    ;;
  symbols) # the list in the sources, no more and no less
    found=$(diff <(grep -v '^#' "$root/src/garner.symbols") \
      <(nm -D --with-symbol-versions --defined-only "$library" | awk '$2 != "A" { print $3 }' | sort) |
      sed -n 's/^</only in src\/garner.symbols:/p; s/^>/only in the library:/p')
    ;;
  soname) # one number in the soname, in the version node and in the header; never unmapped while threads may be inside
    abi=$(sed -n 's/^#define GARNER_ABI_VERSION //p' "$root/src/include/garner/garner.h")
    found=$(
      readelf -dW "$library" | grep -q "SONAME.*\[libgarner\.so\.$abi\]" || echo "no soname libgarner.so.$abi"
      readelf -dW "$library" | grep -q 'FLAGS_1.*NODELETE' || echo "not linked with -z nodelete"
      nm -D --defined-only "$library" | grep -q " A GARNER_$abi\$" || echo "no version node GARNER_$abi"
    )
    ;;
  size) # what an engine ships
    stripped=$(mktemp)
    strip -o "$stripped" "$library"
    bytes=$(stat -c %s "$stripped")
    rm "$stripped"
    echo "$bytes bytes stripped"
    found=$([[ $bytes -lt 600000 ]] || echo "$bytes bytes, more than 600000")
    ;;
  *)
    printf 'unknown rule %s\n' "$rule" >&2
    exit 2
    ;;
esac

if [[ -n $found ]]; then
  printf 'Rule "%s" is broken by:\n%s\n' "$rule" "$found"
  exit 1
fi
