#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures garner beside ONNX Runtime, PyTorch, NumPy and the hand-written loop, on the same bytes and in turns. Writes
# a Markdown table and a JSON; libraries that are not installed are named as absent.
#
#   perf/peers/run.sh [--install] [--build DIR] [--document FILE.md] [OPTION...]
#
# --install         installs the libraries: Debian's python3-torch and python3-numpy, and npm's onnxruntime-node
# --build DIR       a build folder of garner (build/release, which is made when it is not there)
# --document FILE   also puts the table between the markers of FILE, as in docs/performance.md, or the summary, as in README.md;
#                   may be given several times
# --python-root DIR Python, PyTorch and NumPy of another Debian, as debootstrap made it in DIR
# --help            this, and the options of compare.py, to which all others are passed on
#
# PYTHON: the interpreter; else /usr/bin/python3, for which Debian's packages are, or the first python3 there is.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
here=$root/perf/peers

ort_version=1.30.0
build=$root/build/release modules=$root/build/node install=false python_root=
json=$root/build/peers.json
arguments=() documents=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --install) install=true ;;
    --build) build=$2 && shift ;;
    --document) documents+=("$2") && shift ;;
    --python-root) python_root=$2 && shift ;;
    --json) json=$2 && shift ;;
    -h | --help) usage && arguments+=(--help) ;;
    *) arguments+=("$1") ;;
  esac
  shift
done

python=${PYTHON:-/usr/bin/python3}
[[ -x $python ]] || python=$(command -v python3) || { echo "run.sh: there is no python3" >&2; exit 2; }
measuring=("$python")
if [[ -n $python_root ]]; then # its own loader and libraries before this system's, so that no chroot is needed
  libraries=usr/lib/x86_64-linux-gnu
  measuring=(env PYTHONHOME="$python_root/usr" "$python_root/lib64/ld-linux-x86-64.so.2"
    --library-path "$python_root/$libraries:$python_root/$libraries/blas:$python_root/$libraries/lapack:/$libraries"
    "$python_root/usr/bin/python3")
fi

if $install; then
  as_root=()
  [[ $(id -u) -eq 0 ]] || as_root=(sudo)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
    python3-numpy python3-torch </dev/null
  if command -v npm >/dev/null; then # its scripts would fetch libraries for GPUs
    npm install --silent --ignore-scripts --no-save --prefix "$modules" "onnxruntime-node@$ort_version" </dev/null
  else
    echo "run.sh: ONNX Runtime is not installed: there is no npm" >&2
  fi
fi

build_peers() {
  if [[ ! -e $build/CMakeCache.txt ]]; then
    cmake -S "$root" -B "$build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D GARNER_BUILD_TESTS=OFF
  fi
  cmake --build "$build" --parallel "$jobs" --target garner garner_peers
}
if [[ " ${arguments[*]} " != *" --help "* ]]; then
  logged "$root/build/peers.log" "Building garner and its rivals" build_peers >&2
fi

export PYTHONDONTWRITEBYTECODE=1
status=0
"${measuring[@]}" "$here/compare.py" --garner "$build/src/libgarner.so" --host "$build/perf/peers/libgarner_peers.so" \
  --problems "$root/perf/problems/workloads.txt" --node-modules "$modules" --json "$json" \
  --markdown "${json%.json}.md" "${arguments[@]}" || status=$?
if [[ ${#documents[@]} -gt 0 && $status -eq 0 ]]; then
  "$python" "$here/report.py" "$json" "${documents[@]}"
fi
exit "$status"
