#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the library of custom operators and tests it in a real ONNX Runtime.
#
#   scripts/test-onnxruntime.sh [LIBONNXRUNTIME.so]
#
# Without an argument the runtime is that of npm's package onnxruntime-node (some 290 MB, kept in build/). The header
# comes from Debian's libonnxruntime-dev, unpacked from Debian 13's package where the release has none.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit 0; }
readonly node_version=1.30.0
work=$root/build/onnxruntime
library=${1:-}
"$root/scripts/install-dependencies.sh" build test
mkdir -p "$work"

if [[ -z $library ]]; then
  command -v npm >/dev/null || { echo "needs npm, or the path of a libonnxruntime.so as argument" >&2; exit 1; }
  # Its own install script would fetch files for GPUs.
  logged "$work/npm.log" "Fetching onnxruntime-node $node_version" \
    npm install --ignore-scripts --no-audit --no-fund --prefix "$work/npm" "onnxruntime-node@$node_version"
  library=$(find "$work/npm/node_modules/onnxruntime-node/bin" -path '*/linux/x64/libonnxruntime.so.1')
fi
[[ -f $library ]] || { printf 'no such library: %s\n' "$library" >&2; exit 1; }

fetch_header() { # a private apt state: neither sources nor packages of the system change
  local apt=$work/apt mirror
  mkdir -p "$apt"/{lists/partial,archives/partial}
  mirror=$(debian_mirror)
  [[ -n $mirror ]] || { echo "no Debian mirror in the apt sources"; return 1; }
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$apt/sources.list"
  printf '%s\n' "Dir::Etc::SourceList \"$apt/sources.list\";" 'Dir::Etc::SourceParts "/dev/null";' \
    "Dir::State::Lists \"$apt/lists\";" "Dir::Cache \"$apt\";" "APT::Sandbox::User \"$(id -un)\";" >"$apt/apt.conf"
  export APT_CONFIG=$apt/apt.conf
  (cd "$apt" && apt-get update -qq && apt-get download -qq libonnxruntime-dev && dpkg -x libonnxruntime-dev_*.deb "$work/header")
}
header=/usr/include/onnxruntime
if [[ ! -f $header/onnxruntime_c_api.h ]]; then
  header=$work/header/usr/include/onnxruntime
  [[ -f $header/onnxruntime_c_api.h ]] || logged "$work/apt.log" "Fetching the header from libonnxruntime-dev" fetch_header
fi

build() {
  cmake --preset release -S "$root" -B "$work/release" -D GARNER_BUILD_TESTS=ON -D GARNER_BUILD_PERF=OFF \
    -D GARNER_BUILD_ONNXRUNTIME=ON -D GARNER_ONNXRUNTIME_INCLUDE="$header" &&
    cmake --build "$work/release" --parallel "$jobs" --target garner_test_onnxruntime
}
cd "$root"
logged "$work/build.log" "Building the operators and their test" build
exports=$(nm -D --defined-only "$work/release/src/onnxruntime/libgarner_onnxruntime.so" | awk '{ print $3 }')
[[ $exports == RegisterCustomOps ]] || { printf 'exports more than RegisterCustomOps:\n%s\n' "$exports"; exit 1; }
GARNER_TEST_ONNXRUNTIME=$library exec "$work/release/tests/onnxruntime/garner_test_onnxruntime"
