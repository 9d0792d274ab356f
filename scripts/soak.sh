#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random problems on every path and from several threads for some time, each verified, with an eye on memory.
#
#   scripts/soak.sh [--build DIR] SECONDS [SEED]
#
# Uses the build with tests in DIR, or makes build/release one. The last line says how many operations
# there were, how many failed, and what grew; fails when one failed or memory grew.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build=
if [[ ${1:-} == --build ]]; then
  build=$2
  shift 2
fi
if [[ ! ${1:-} =~ ^[1-9][0-9]*$ ]]; then
  usage
  exit 2
fi
make_soak() {
  if [[ -z $build ]]; then
    cmake -S "$root" --preset release -D GARNER_BUILD_TESTS=ON &&
      cmake --build "$root/build/release" --parallel "$jobs" --target garner_soak
  else
    cmake --build "$build" --parallel "$jobs" --target garner_soak
  fi
}
logged "$root/build/soak.log" "Building the soak program" make_soak
exec "${build:-$root/build/release}/tests/soak/garner_soak" "$@"
