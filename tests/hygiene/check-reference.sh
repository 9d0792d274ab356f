#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-reference.sh ROOT OUTPUT: the API reference is made without a warning and knows every function of src/garner.symbols,
# and so does docs/api.md.
set -euo pipefail
root=$1 output=$2
mapfile -t functions < <(sed -n 's/^\(garner_[a-z_]*\)@.*/\1/p' "$root/src/garner.symbols")
[[ ${#functions[@]} -gt 10 ]]
for function in "${functions[@]}"; do
  grep -q "\`$function(" "$root/docs/api.md" || grep -q "^### \`$function\`" "$root/docs/api.md" ||
    { echo "docs/api.md says nothing about $function"; exit 1; }
done
command -v doxygen >/dev/null || { echo "TEST-SKIPPED: doxygen is not installed"; exit 0; }
rm -rf "$output"
mkdir -p "$output"
number() { sed -n "s/^#define GARNER_VERSION_$1 //p" "$root/src/include/garner/garner.h"; }
GARNER_VERSION="$(number MAJOR).$(number MINOR).$(number PATCH)"
export GARNER_VERSION GARNER_REFERENCE=$output
cd "$root"
doxygen docs/Doxyfile
for function in "${functions[@]}"; do
  grep -rq ">$function<" "$output/html" || { echo "the reference says nothing about $function"; exit 1; }
done
echo "${#functions[@]} functions in $(find "$output/html" -name '*.html' | wc -l) pages"
