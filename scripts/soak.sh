#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random problems on every path and from several threads for some time, each verified, with an eye on memory.
#
#   scripts/soak.sh [--build DIR] SECONDS [SEED]
#
# Uses the build in DIR (default build/release, which is made when it is missing). The last line says how many operations
# there were, how many failed, and what grew; fails when one failed or memory grew.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build=$root/build/release
if [[ ${1:-} == --build ]]; then
  build=$2
  shift 2
fi
if [[ ! ${1:-} =~ ^[1-9][0-9]*$ ]]; then
  sed -n '3,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 2
fi
if [[ ! -e $build/build.ninja ]]; then
  cmake -S "$root" --preset release -D GARNER_BUILD_TESTS=ON >/dev/null
fi
logged "$build/soak.log" "Building the soak program" cmake --build "$build" --parallel "$jobs" --target garner_soak
exec "$build/tests/soak/garner_soak" "$@"
