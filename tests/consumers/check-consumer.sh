#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-consumer.sh WAY CMAKE CC CXX ROOT BUILD WORK
# Builds a program of the documents against the prefix that the way "install" made in WORK, as a user would, runs it, and
# compares what it prints with what they say. The ways build-tree, subdirectory and fetch-content need no prefix.
set -euo pipefail
way=$1 cmake=$2 cc=$3 cxx=$4 root=$5 build=$6
prefix=$7/prefix work=$7/$way
here=$root/tests/consumers
rm -rf "$work"
mkdir -p "$work/project"

# program PAGE: its C blocks until the first text block, which is what they print.
program() {
  awk -v folder="$work" '
    /^```c$/ && !text { c = 1; file = folder "/project/main.c"; next }
    /^```text$/ && c && !text { text = 1; file = folder "/expected"; next }
    /^```/ { file = "" }
    file { print > file }' "$root/$1"
  [[ -s $work/project/main.c && -s $work/expected ]] || { echo "$1 has no C program with its output"; exit 1; }
}
program README.md

check() { # COMMAND...: prints what the page says
  "$@" >"$work/printed"
  diff -u "$work/expected" "$work/printed" || { echo "this differs from what is documented: $*"; exit 1; }
}
flags=()
with_pkg_config() { # ARGUMENT...: the installation lies elsewhere than it was configured for
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name garner.pc)")
  export PKG_CONFIG_PATH
  local words
  words=$(pkg-config "$@" garner)
  read -ra flags <<<"$words"
  libraries=$(pkg-config --variable=libdir garner)
}
configure_and_build() { # ARGUMENT...
  "$cmake" -G Ninja -S "$work/project" -B "$work/build" -D CMAKE_C_COMPILER="$cc" -D CMAKE_CXX_COMPILER="$cxx" "$@"
  "$cmake" --build "$work/build"
}
project() { # LINE...: a project of both languages, with these lines in it
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(consumer LANGUAGES C CXX)' "$@" \
    >"$work/project/CMakeLists.txt"
}
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
find_both=('find_package(garner 0.1 CONFIG REQUIRED)' 'foreach(kind garner garner_static)' 'add_executable(with_${kind} main.c)'
  'target_link_libraries(with_${kind} PRIVATE garner::${kind})' 'endforeach()')

case $way in
  install)
    rm -rf "$prefix"
    "$cmake" --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
    for file in include/garner/garner.h include/garner/garner.hpp; do
      [[ -s $prefix/$file ]] || { echo "$file was not installed"; exit 1; }
    done
    [[ -n $(find "$prefix" -name garner-config.cmake) ]] || { echo "no garner-config.cmake was installed"; exit 1; }
    ;;
  c99)
    with_pkg_config --cflags --libs
    "$cc" -std=c99 "${warnings[@]}" "$work/project/main.c" -o "$work/host" "${flags[@]}"
    check env LD_LIBRARY_PATH="$libraries" "$work/host"
    readelf -d "$work/host" | grep -q 'NEEDED.*\[libgarner\.so\.[0-9]*\]' || { echo "linked without a soname"; exit 1; }
    readelf -d "$libraries/libgarner.so" | grep -q 'FLAGS_1.*NODELETE' || { echo "not linked with -z nodelete"; exit 1; }
    ;;
  guide) # the host that docs/embedding.md types out step by step
    rm "$work/project/main.c" "$work/expected"
    program docs/embedding.md
    with_pkg_config --cflags --libs
    "$cc" -std=c99 "${warnings[@]}" "$work/project/main.c" -o "$work/host" "${flags[@]}"
    check env LD_LIBRARY_PATH="$libraries" "$work/host"
    ;;
  cpp17 | no-exceptions)
    with_pkg_config --cflags --libs
    language=(-std=c++17)
    [[ $way == cpp17 ]] || language+=(-fno-exceptions -fno-rtti)
    "$cxx" "${language[@]}" "${warnings[@]}" "$here/host.cpp" -o "$work/host" "${flags[@]}"
    check env LD_LIBRARY_PATH="$libraries" "$work/host"
    ;;
  static) # linked as C, so pkg-config has to name the C++ runtime as well
    with_pkg_config --static --cflags --libs
    "$cc" -std=c99 "$work/project/main.c" -o "$work/host" "${flags[@]/#-lgarner/-l:libgarner.a}"
    check "$work/host"
    if readelf -d "$work/host" | grep -q libgarner; then echo "the shared library was linked"; exit 1; fi
    ;;
  dlopen)
    with_pkg_config --cflags
    "$cc" -std=c99 "${warnings[@]}" -D_POSIX_C_SOURCE=200809L "$here/dlopen_host.c" -o "$work/host" "${flags[@]}" -ldl
    check "$work/host" "$(readlink -f "$libraries/libgarner.so")"
    ;;
  find-package)
    project "${find_both[@]}"
    configure_and_build -D CMAKE_PREFIX_PATH="$prefix"
    check "$work/build/with_garner"
    check "$work/build/with_garner_static"
    ;;
  build-tree)
    project "${find_both[@]}"
    configure_and_build -D garner_DIR="$build"
    check "$work/build/with_garner"
    check "$work/build/with_garner_static"
    ;;
  subdirectory) # with the options of this build
    project 'set(CMAKE_BUILD_TYPE Debug)' "add_subdirectory($root garner)" 'add_executable(host main.c)' \
      'target_link_libraries(host PRIVATE garner::garner)'
    options=$("$cmake" -N -LA "$build" | sed -n 's/^\(GARNER_WITH_[A-Z]*\):BOOL=/-D\1=/p')
    read -ra options <<<"${options//$'\n'/ }"
    configure_and_build "${options[@]}"
    check "$work/build/host"
    ;;
  fetch-content) # with the smallest set of options, in Debug: quick to build
    project 'set(CMAKE_BUILD_TYPE Debug)' 'set(GARNER_WITH_TBB OFF)' 'set(GARNER_WITH_JIT OFF)' 'include(FetchContent)' \
      "FetchContent_Declare(garner SOURCE_DIR \"$root\")" 'FetchContent_MakeAvailable(garner)' \
      'add_executable(host main.c)' 'target_link_libraries(host PRIVATE garner::garner_static)'
    configure_and_build -D FETCHCONTENT_FULLY_DISCONNECTED=ON
    check "$work/build/host"
    ;;
  *)
    printf 'unknown way %s\n' "$way" >&2
    exit 2
    ;;
esac
