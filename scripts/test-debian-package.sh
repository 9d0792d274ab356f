#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Debian packages of a release build, installs them in a fresh Debian root, builds and runs the program of README.md
# there with what was installed, removes them, and looks for what is left. As root.
#
#   scripts/test-debian-package.sh [ROOT]
#
# ROOT: a folder with a Debian system of the same release to use and change; without it debootstrap makes one and it is
# removed at the end.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit 0; }
build=$root/build/debian
target=${1:-}
need() { command -v "$1" >/dev/null || { printf 'needs %s: apt-get install %s\n' "$1" "$2" >&2; exit 1; }; }
need dpkg-shlibdeps dpkg-dev
need file file # without either CPack leaves out the dependencies, or stops
[[ $(id -u) -eq 0 ]] || { echo "run as root: it changes into another root folder" >&2; exit 1; }
"$root/scripts/install-dependencies.sh" build

if [[ -z $target ]]; then
  need debootstrap debootstrap
  target=$(mktemp -d)
  trap 'rm -rf --one-file-system "$target"' EXIT
  suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  mirror=$(debian_mirror)
  [[ -n $mirror ]] || { echo "no Debian mirror in the apt sources" >&2; exit 1; }
  logged "$root/build/debian-root.log" "Making a root of $suite" debootstrap --variant=minbase "$suite" "$target" "$mirror"
  cp /etc/resolv.conf "$target/etc/"
fi

make_packages() {
  cmake --preset release -S "$root" -B "$build" -D GARNER_BUILD_TESTS=OFF -D GARNER_BUILD_PERF=OFF \
    -D CMAKE_INSTALL_PREFIX=/usr && cmake --build "$build" --parallel "$jobs" && rm -f "$build"/*.deb &&
    (cd "$build" && cpack -G DEB)
}
cd "$root"
logged "$root/build/debian.log" "Making the packages" make_packages
packages=("$build"/*.deb)
[[ ${#packages[@]} -eq 2 ]] || { echo "expected two packages, found: ${packages[*]}"; exit 1; }
dpkg-deb -f "$build"/libgarner0_*.deb Depends | grep -q libstdc++6 || { echo "the library's package names no dependencies"; exit 1; }

rm -rf "$target/garner-packages"
mkdir "$target/garner-packages"
cp "${packages[@]}" "$target/garner-packages/"
awk '/^```c$/ && !c { c = 1; out = 1; next } /^```/ { out = 0 } out' "$root/README.md" >"$target/garner-packages/main.c"
awk '/^```text$/ && !t { t = 1; out = 1; next } /^```/ { out = 0 } out' "$root/README.md" >"$target/garner-packages/expected"
cat >"$target/garner-packages/check.sh" <<'END'
set -eu
cd /garner-packages
quiet() { "$@" >log 2>&1 || { tail -n 30 log; exit 1; }; }
quiet apt-get update -qq
quiet apt-get install -qq -y --no-install-recommends gcc libc6-dev pkg-config
find / -xdev \( -path /proc -o -path /garner-packages -o -path /var -o -path /tmp \) -prune -o -print | sort >before
quiet apt-get install -qq -y --no-install-recommends ./libgarner*.deb
dpkg -L libgarner0 libgarner-dev | grep -E '\.(so|so\.0|a|h|hpp|pc|cmake)$|copyright$'
cc main.c $(pkg-config --cflags --libs garner) -o main
./main | diff expected - && echo "the program of README.md runs"
quiet apt-get purge -qq -y libgarner-dev libgarner0
find / -xdev \( -path /proc -o -path /garner-packages -o -path /var -o -path /tmp \) -prune -o -print | sort >after
if comm -13 before after | grep garner; then echo "left behind by the packages"; exit 1; fi
echo "installed, used and removed"
END
unshare --mount --propagation private bash -c '
  mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev"
  exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    sh /garner-packages/check.sh' _ "$target" </dev/null
rm -rf "$target/garner-packages"
