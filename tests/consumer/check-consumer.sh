#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-consumer.sh pkg-config|find-package|subdirectory CMAKE CC CXX ROOT BUILD
# Builds the program of README.md as a user would, runs it, and compares what it prints with what README.md says.
set -euo pipefail
way=$1 cmake=$2 cc=$3 cxx=$4 root=$5 build=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
mkdir "$work/project"

# The first C block of the README and the text block that follows it.
awk -v folder="$work" '
  /^```c$/ && !c { c = 1; file = folder "/project/main.c"; next }
  /^```text$/ && c && !text { text = 1; file = folder "/expected"; next }
  /^```/ { file = "" }
  file { print > file }' "$root/README.md"
[[ -s $work/project/main.c && -s $work/expected ]] || { echo "README.md has no C program with its output"; exit 1; }

check() { # COMMAND...: prints what the README says
  "$@" >"$work/printed"
  diff -u "$work/expected" "$work/printed" || { echo "this differs from README.md: $*"; exit 1; }
}
install_garner() { "$cmake" --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }; }
configure_and_build() { # ARGUMENT...
  "$cmake" -G Ninja -S "$work/project" -B "$work/build" -D CMAKE_C_COMPILER="$cc" -D CMAKE_CXX_COMPILER="$cxx" "$@"
  "$cmake" --build "$work/build"
}

case $way in
  pkg-config)
    install_garner
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name garner.pc)")
    export PKG_CONFIG_PATH
    packages=(pkg-config --define-variable=prefix="$prefix") # installed elsewhere than configured
    libraries=$("${packages[@]}" --variable=libdir garner)
    read -ra flags < <("${packages[@]}" --cflags --libs garner)
    "$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror "$work/project/main.c" -o "$work/shared" "${flags[@]}"
    check env LD_LIBRARY_PATH="$libraries" "$work/shared"
    # The same through the static library, which needs the C++ runtime in addition.
    read -ra flags < <("${packages[@]}" --static --cflags --libs garner | sed 's/-lgarner\>/-l:libgarner.a/')
    "$cc" -std=c99 "$work/project/main.c" -o "$work/static" "${flags[@]}"
    check "$work/static"
    ;;
  find-package)
    install_garner
    cat >"$work/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C CXX)
find_package(garner 0.1 CONFIG REQUIRED)
foreach(kind garner garner_static)
  add_executable(with_${kind} main.c)
  target_link_libraries(with_${kind} PRIVATE garner::${kind})
endforeach()
END
    configure_and_build -D CMAKE_PREFIX_PATH="$prefix"
    check "$work/build/with_garner"
    check "$work/build/with_garner_static"
    ;;
  subdirectory)
    cat >"$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C CXX)
set(CMAKE_BUILD_TYPE Debug)
add_subdirectory($root garner)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE garner::garner)
END
    options=$("$cmake" -N -LA "$build" | sed -n 's/^\(GARNER_WITH_[A-Z]*\):BOOL=/-D\1=/p')
    read -ra options <<<"${options//$'\n'/ }"
    configure_and_build "${options[@]}"
    check "$work/build/consumer"
    ;;
  *)
    printf 'unknown way %s\n' "$way" >&2
    exit 2
    ;;
esac
