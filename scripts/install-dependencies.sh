#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that garner needs. Says what it installs, and nothing when all is there.
#
#   scripts/install-dependencies.sh [--dry-run] [GROUP...]
#
# Groups: build  compiler, build tools, the library and garner-perf
#         test   what the tests need in addition
#         ci     further compilers, checkers, an emulator and tools for documents, for .ci/run, scripts/fuzz.sh and
#                scripts/mutants.sh
# Default: build test.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build_packages=(g++ cmake ninja-build pkg-config libxbyak-dev libtbb-dev libbenchmark-dev libcli11-dev
  nlohmann-json3-dev libfmt-dev libhwloc-dev libprotobuf-dev protobuf-compiler
  libonnx-dev libonnx-testdata)
test_packages=(catch2 binutils libdlpack-dev python3)
ci_packages=(clang libclang-rt-dev llvm abigail-tools valgrind python3-numpy doxygen g++-aarch64-linux-gnu qemu-user)
newer_clang=(clang-19 clang-18 clang-16) # the first that the suite has is installed as well

fail() { printf 'install-dependencies.sh: %s\n' "$*" >&2; exit 1; }

dry_run=false with_newer_clang=false
wanted=()
groups=()
for argument; do
  case $argument in
    -h | --help) usage; exit 0 ;;
    --dry-run) dry_run=true ;;
    build | test | ci) groups+=("$argument") ;;
    *) fail "unknown argument '$argument' (expected --dry-run, build, test or ci)" ;;
  esac
done
[[ ${#groups[@]} -gt 0 ]] || groups=(build test)
for group in "${groups[@]}"; do
  case $group in
    build) wanted+=("${build_packages[@]}") ;;
    test) wanted+=("${test_packages[@]}") ;;
    ci) wanted+=("${ci_packages[@]}") with_newer_clang=true ;;
  esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  fail "only Debian and its relatives are supported; packages needed: ${wanted[*]}"
fi

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }
is_known() { apt-cache show --no-all-versions "$1" >/dev/null 2>&1; }

missing=()
for package in "${wanted[@]}"; do
  is_installed "$package" || missing+=("$package")
done
needs_newer_clang=$with_newer_clang
if $with_newer_clang; then
  for package in "${newer_clang[@]}"; do
    if is_installed "$package"; then needs_newer_clang=false; fi
  done
fi
if [[ ${#missing[@]} -eq 0 ]] && ! $needs_newer_clang; then exit 0; fi

as_root=()
if [[ $(id -u) -ne 0 ]] && ! $dry_run; then
  command -v sudo >/dev/null || fail "not root and no sudo; run as root: apt-get install ${missing[*]}"
  as_root=(sudo)
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" </dev/null; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
logged() { "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; fail "failed: apt-get ${*:2}"; }; }

$dry_run || logged apt update
if $needs_newer_clang; then
  for package in "${newer_clang[@]}"; do
    if is_known "$package"; then missing+=("$package"); break; fi
  done
fi
if [[ ${#missing[@]} -eq 0 ]]; then exit 0; fi
printf 'Installing Debian packages: %s\n' "${missing[*]}"
$dry_run || logged apt install -y --no-install-recommends "${missing[@]}"
