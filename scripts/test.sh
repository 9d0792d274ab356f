#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the release preset with its tests, and runs all of them. Arguments go to ctest.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/install-dependencies.sh" build test
logged "$root/build/test.log" "Building garner and its tests" build_preset release -D GARNER_BUILD_TESTS=ON
cd "$root"
exec ctest --preset release --parallel "$jobs" "$@"
