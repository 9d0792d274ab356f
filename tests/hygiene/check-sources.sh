#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-sources.sh RULE ROOT: prints what breaks the rule and fails, or is silent.
set -euo pipefail
rule=$1
cd "$2"

# NUL-terminated names of the project's own files; builds and the repository's data stay outside.
files() {
  find . \( -path ./.git -o -path ./build \) -prune -o -type f "$@" -print0 | sort -z
}
sources() {
  files \( -name '*.h' -o -name '*.hpp' -o -name '*.c' -o -name '*.cc' -o -name '*.cpp' -o -name '*.proto' -o -name '*.cmake' \
    -o -name '*.sh' -o -name '*.py' -o -name '*.map' -o -name CMakeLists.txt -o -path ./.ci/run \)
}

case $rule in
  ascii) # text files too
    found=$( { sources; files \( -name '*.md' -o -name '*.json' -o -name '*.in' -o -name '*.svg' -o -name '.[a-z]*' \); } |
      LC_ALL=C xargs -0 grep -nP '[^\x09\x20-\x7e]' || true)
    ;;
  spdx) # in the first line, or the second after an interpreter line
    found=$(sources | while IFS= read -r -d '' file; do
      head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || printf '%s\n' "$file"
    done)
    ;;
  length)
    found=$(sources | while IFS= read -r -d '' file; do
      lines=$(wc -l <"$file")
      [[ $lines -le 500 ]] || printf '%s: %s lines\n' "$file" "$lines"
    done)
    ;;
  layers) # runtime <- jit <- src <- perf, tests; Xbyak in jit alone, oneTBB in one file of runtime
    includes() { grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($1)" "${@:2}" --include='*.h' --include='*.hpp' \
      --include='*.c' --include='*.cc' --include='*.cpp' || true; }
    found=$(
      includes 'jit/|src/|garner/|perf/|tests/' runtime
      includes 'src/|garner/|perf/|tests/' jit
      includes 'perf/|tests/' src
      includes 'tests/' perf
      includes 'xbyak/' runtime src perf tests
      includes 'tbb/|oneapi/tbb' jit src
      includes 'tbb/|oneapi/tbb' runtime | grep -v '^runtime/tbb_executor.cpp:' || true
      includes '[.]' runtime jit src perf tests # relative paths
    )
    ;;
  names) # what would tie the tree to one machine, or leak names into those who include a header
    found=$(
      grep -rnE '^using namespace' runtime jit src --include='*.h' --include='*.hpp' || true
      grep -rnE '(^|[^_[:alnum:]])thread_local([^_[:alnum:]]|$)' runtime jit src --include='*.h' --include='*.cpp' |
        grep -vE ':[[:space:]]*//' || true
      sources | xargs -0 grep -nE '[-]march=[n]ative' || true
    )
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
