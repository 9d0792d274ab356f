#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Breaks the library in one place at a time, in a copy, and sees whether the tests notice.
#
#   scripts/mutants.sh [--build DIR] [--jobs N] [COUNT | NAME...]
#
# COUNT tries that many, other ones for each commit; names come from tests/mutants/mutant_list.py; without either all are
# tried. Fails when a mutant survives, or when a mutation matches nothing in the sources any more. DIR is a build with
# tests; without it build/release is made one.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build= arguments=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --build) build=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    *) arguments+=("$1"); shift ;;
  esac
done
command -v python3 >/dev/null || { echo "mutants.sh needs python3 (scripts/install-dependencies.sh ci)" >&2; exit 1; }
if [[ -z $build ]]; then
  build=$root/build/release
  logged "$root/build/mutants.log" "Building garner and its tests" build_preset release -D GARNER_BUILD_TESTS=ON
fi
PYTHONDONTWRITEBYTECODE=1 exec python3 "$root/tests/mutants/run_mutants.py" --build "$build" --jobs "$jobs" "${arguments[@]}"
