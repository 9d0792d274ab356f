#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds garner, and shows it at work: ONNX's own test vectors, then a short table of real
# workloads, checked and measured. Takes no arguments.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

vectors=/usr/share/libonnx-testdata/data/node

"$root/scripts/install-dependencies.sh" build
logged "$root/build/run.log" "Building garner" build_preset release -D GARNER_BUILD_TESTS=OFF
perf=$root/build/release/perf/garner-perf

printf '\nONNX backend tests for GatherND and GatherElements, through the C API on every path:\n'
"$perf" check --onnx "$vectors"
printf '\nReal workloads, one result of each checked against the reference, one thread:\n'
"$perf" bench
