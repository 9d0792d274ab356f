#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs one x86-64 Linux program in a small emulated machine whose CPU has
# AVX-512 (F, BW, DQ, VL, VBMI, ...), for hosts without it. QEMU's TCG has no
# AVX-512, so this uses Bochs, with a Debian kernel and an initramfs.
set -euo pipefail
export LC_ALL=C

readonly GUEST_SUITE=trixie # its Bochs (3.0) and kernel (6.12) work together;
                            # Bochs 2.7 misreports XSAVE, kernel 6.1 hangs
readonly CACHE_FORMAT=1     # raise when the contents of the cache change
readonly CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/garner-avx512-guest
readonly KIT=$CACHE/kit-$CACHE_FORMAT
readonly CPU_MODEL=corei7_icelake_u # the plainest Bochs model with VBMI

usage() {
  cat <<'USAGE'
usage: run-in-avx512-guest.sh [--timeout SECONDS] [--memory MB]
           [--env NAME=VALUE]... [--file HOSTPATH[:GUESTPATH]]...
           PROGRAM [ARG...]
       run-in-avx512-guest.sh --setup     only fill the cache

Runs PROGRAM in an emulated machine with AVX-512, passes its stdout and stderr
through and exits with its exit code (128+N when signal N ended it).
124: timed out.  125: could not be set up or the guest failed.

--timeout SECONDS  limit on the host's clock, boot included (default 600)
--memory MB        guest RAM, which also holds all files (default 512)
--env NAME=VALUE   set in the guest; nothing else is inherited
--file ...         copy a file or folder into the guest, at the same absolute
                   path when GUESTPATH is not given

The guest starts in a folder with the path of the current one, stdin is empty,
files written in the guest are lost.
USAGE
}

say() { printf 'run-in-avx512-guest: %s\n' "$*" >&2; }
die() { say "$*"; exit 125; }

bochs_pid=''
reader_pids=()
scratch=''
# shellcheck disable=SC2317 # called by the trap
cleanup() {
  local pid
  for pid in $bochs_pid "${reader_pids[@]}"; do
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  if [[ -n $scratch ]]; then rm -rf -- "$scratch"; fi
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# --- one-time set-up -------------------------------------------------------

as_root() {
  if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

# Installs the Debian package of each command that is missing.
need_commands() { # COMMAND=PACKAGE...
  local pair missing=()
  for pair; do
    command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  command -v apt-get >/dev/null || die "needs the packages: ${missing[*]}"
  say "installing with apt-get: ${missing[*]}"
  {
    as_root apt-get update -qq &&
      as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "${missing[@]}"
  } >&2 || die "could not install: ${missing[*]}"
}

# The mirror that this system already uses for Debian proper.
debian_mirror() {
  # shellcheck disable=SC2016 # $(...) is apt's own format, not the shell's
  apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 == "Debian" && !found { print $2; found = 1 }'
}

setup() {
  local mirror work apt_dir kernel pkg
  need_commands g++=g++ make=make xz=xz-utils dpkg-source=dpkg-dev
  mirror=$(debian_mirror)
  if [[ -z $mirror ]]; then
    as_root apt-get update -qq >&2 || true
    mirror=$(debian_mirror)
  fi
  [[ -n $mirror ]] || die 'found no Debian mirror in the apt sources'

  rm -rf "$CACHE"/tmp.*
  work=$(mktemp -d "$CACHE/tmp.XXXXXX")
  scratch=$work
  apt_dir=$work/apt
  mkdir -p "$apt_dir"/{lists/partial,archives/partial} "$work"/{deb,x,src,kit}
  # A private apt state: nothing here is installed or added to the system's
  # sources, and Debian 12 and 13 get the same versions.
  printf '%s [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
    deb "$mirror" "$GUEST_SUITE" deb-src "$mirror" "$GUEST_SUITE" >"$apt_dir/sources.list"
  cat >"$apt_dir/apt.conf" <<CONF
Dir::Etc::SourceList "$apt_dir/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State::Lists "$apt_dir/lists";
Dir::Cache "$apt_dir";
APT::Architecture "amd64";
APT::Sandbox::User "$(id -un)";
CONF
  export APT_CONFIG=$apt_dir/apt.conf

  say 'fetching a kernel and the parts of the emulator with apt-get'
  apt-get update -qq >&2 || die 'apt-get update failed'
  kernel=$(apt-cache depends linux-image-cloud-amd64 |
    sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
  [[ -n $kernel ]] || die "found no kernel package in $GUEST_SUITE"
  (cd "$work/deb" && apt-get download -qq "$kernel" busybox-static bochsbios \
    vgabios isolinux syslinux-common) >&2 || die 'apt-get download failed'
  for pkg in "$work"/deb/*.deb; do dpkg -x "$pkg" "$work/x"; done
  cp "$work"/x/boot/vmlinuz-* "$work/kit/vmlinuz"
  cp "$work"/x/usr/bin/busybox "$work/kit/busybox"
  cp "$work"/x/usr/share/bochs/BIOS-bochs-latest "$work/kit/bios"
  cp "$work"/x/usr/share/vgabios/vgabios.bin "$work/kit/vgabios"
  cp "$work"/x/usr/lib/ISOLINUX/isolinux.bin "$work/kit/isolinux.bin"
  cp "$work"/x/usr/lib/syslinux/modules/bios/ldlinux.c32 "$work/kit/ldlinux.c32"

  # Debian's own Bochs has its debugger built in (several times slower, and it
  # stops at a prompt) and no display library for use without a terminal.
  say 'building Bochs (a few minutes, once)'
  (cd "$work/src" && apt-get source -qq --download-only --tar-only bochs) >&2 ||
    die 'could not fetch the source of Bochs'
  tar -C "$work/src" --strip-components=1 -xf "$work"/src/bochs_*.orig.tar.*
  (
    cd "$work/src"
    ./configure --with-nogui --disable-plugins --disable-docbook \
      --enable-cpu-level=6 --enable-x86-64 --enable-avx --enable-evex \
      --enable-protection-keys --enable-memtype --enable-pci --enable-vmx=0 \
      --enable-all-optimizations --enable-handlers-chaining \
      CFLAGS=-O2 CXXFLAGS=-O2
    make -j "$(nproc)" bochs
    strip bochs
  ) >"$CACHE/build.log" 2>&1 || die "Bochs did not build: see $CACHE/build.log"
  cp "$work/src/bochs" "$work/kit/bochs"
  unset APT_CONFIG

  rm -rf "$KIT"
  mv "$work/kit" "$KIT" # last, so that a broken set-up leaves no kit
  rm -rf "$work"
  scratch=''
}

# --- the guest -------------------------------------------------------------

# Copies FILE's shared libraries and loader; silent for static ones.
add_libraries() { # FILE ROOT
  local lib
  while IFS= read -r lib; do
    [[ -e $2$lib ]] || install -D -m 755 "$lib" "$2$lib"
  done < <({ ldd "$1" 2>/dev/null || true; } |
    sed -n 's/.*=> \(\/.*\) (0x[0-9a-f]*)$/\1/p; s/^[[:space:]]*\(\/.*\) (0x[0-9a-f]*)$/\1/p')
  if ldd "$1" 2>/dev/null | grep -q 'not found'; then
    die "$1: a shared library is missing (see ldd)"
  fi
}

quote() { # for the guest's sh
  local s
  for s; do printf " '%s'" "${s//\'/\'\\\'\'}"; done
}

write_init() { # ROOT
  # ttyS0: kernel messages and this script's markers; ttyS1: stdout; ttyS2:
  # stderr. The program writes to pipes, as it would under a test runner: a
  # terminal would get it to use colours and add carriage returns.
  cat >"$1/init" <<'INIT'
#!/.guest/sh
b() { /.guest/busybox "$@"; }
b mount -t devtmpfs dev /dev
b mount -t proc proc /proc
b mount -t sysfs sys /sys
b ln -s /proc/self/fd /dev/fd
b mkdir -p /dev/shm
exec 7>/dev/ttyS0 8>/dev/ttyS1 9>/dev/ttyS2
b stty -F /dev/ttyS1 115200 raw -echo
b stty -F /dev/ttyS2 115200 raw -echo
b mkfifo /.guest/out /.guest/err
b cat /.guest/out >&8 &
b cat /.guest/err >&9 &
read -r up rest </proc/uptime
echo "GUEST-START $up" >&7
/.guest/sh /.guest/run </dev/null >/.guest/out 2>/.guest/err 7>&- 8>&- 9>&-
code=$?
wait
exec 8>&- 9>&-   # closing waits until the last byte is out
echo "GUEST-EXIT $code" >&7
exec 7>&-
b reboot -f      # a triple fault, on which Bochs ends
INIT
  chmod 755 "$1/init"
}

limit=600
memory=512
files=()
variables=()
setup_only=''
while [[ $# -gt 0 ]]; do
  case $1 in
    --timeout | --memory | --file | --env)
      [[ $# -ge 2 ]] || die "$1 needs a value"
      case $1 in
        --timeout) limit=$2 ;;
        --memory) memory=$2 ;;
        --file) files+=("$2") ;;
        --env) variables+=("$2") ;;
      esac
      shift 2
      ;;
    --setup) setup_only=1; shift ;;
    -h | --help) usage; exit 0 ;;
    --) shift; break ;;
    -*) usage >&2; die "unknown option: $1" ;;
    *) break ;;
  esac
done
[[ $limit =~ ^[1-9][0-9]{0,5}$ ]] || die '--timeout wants seconds'
[[ $memory =~ ^[1-9][0-9]{1,3}$ && $memory -ge 128 && $memory -le 2048 ]] ||
  die '--memory wants 128 to 2048'
for variable in "${variables[@]}"; do
  [[ $variable =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || die "--env wants NAME=VALUE: $variable"
done
if [[ -z $setup_only ]]; then
  [[ $# -ge 1 ]] || { usage >&2; exit 125; }
  [[ -f $1 && -x $1 ]] || die "not an executable file: $1"
fi
[[ $(uname -sm) == 'Linux x86_64' ]] || die 'needs an x86-64 Linux host'

mkdir -p "$CACHE"
need_commands flock=util-linux xorriso=xorriso
if [[ ! -d $KIT ]]; then
  exec {lock}>"$CACHE/lock" # two runs at once: one builds, the other waits
  flock "$lock"
  if [[ ! -d $KIT ]]; then setup; fi
  exec {lock}>&-
fi
if [[ -n $setup_only ]]; then exit 0; fi

scratch=$(mktemp -d)
root=$scratch/root
mkdir -p "$root"/{.guest,dev,proc,sys,tmp,etc,usr/bin,usr/lib,usr/lib64}
ln -s usr/bin "$root/bin"
ln -s usr/lib "$root/lib"
ln -s usr/lib64 "$root/lib64"
chmod 1777 "$root/tmp"
cp "$KIT/busybox" "$root/.guest/busybox"
ln -s busybox "$root/.guest/sh"
ln -s /.guest/busybox "$root/bin/sh"
if [[ -e /etc/ld.so.cache ]]; then cp /etc/ld.so.cache "$root/etc/"; fi
write_init "$root"

program=$(realpath -- "$1")
name=${program##*/}
shift
install -m 755 "$program" "$root/.guest/$name"
add_libraries "$program" "$root"
for spec in "${files[@]}"; do
  from=${spec%%:*}
  [[ -e $from ]] || die "--file: no such file: $from"
  if [[ $spec == *:* ]]; then to=${spec#*:}; else to=$(realpath -s -- "$from"); fi
  [[ $to == /* ]] || to=$PWD/$to
  mkdir -p "$root${to%/*}"
  cp -rL -- "$from" "$root$to"
  if [[ -f $from && -x $from ]]; then add_libraries "$from" "$root"; fi
done
mkdir -p "$root$PWD"
{
  echo 'export HOME=/tmp PATH=/bin TERM=dumb'
  if [[ -n ${LD_LIBRARY_PATH:-} ]]; then
    echo "export$(quote "LD_LIBRARY_PATH=$LD_LIBRARY_PATH")"
  fi
  for variable in "${variables[@]}"; do echo "export$(quote "$variable")"; done
  echo "cd$(quote "$PWD")"
  echo "exec$(quote "/.guest/$name" "$@")"
} >"$root/.guest/run"

iso=$scratch/iso
mkdir "$iso"
ln -s "$KIT"/{vmlinuz,isolinux.bin,ldlinux.c32} "$iso/"
(cd "$root" && find . | "$KIT/busybox" cpio -o -H newc -R 0:0 2>/dev/null) >"$iso/initrd"
size=$(($(stat -c %s "$iso/initrd") >> 20))
# The kernel unpacks the archive while it is still in memory.
[[ $((size * 2 + 112)) -le $memory ]] ||
  die "$size MB of files do not fit: use --memory $((size * 2 + 128)) or more"
cat >"$iso/isolinux.cfg" <<'CFG'
default guest
prompt 0
timeout 0
label guest
  kernel vmlinuz
  initrd initrd
  append console=ttyS0,115200 quiet panic=-1 reboot=t nokaslr mitigations=off nosmp tsc=reliable random.trust_cpu=on audit=0 apparmor=0 nowatchdog nomodeset cryptomgr.notests
CFG
xorriso -as mkisofs -quiet -f -o "$scratch/boot.iso" -b isolinux.bin -c boot.cat \
  -no-emul-boot -boot-load-size 4 -boot-info-table "$iso" 2>"$scratch/iso.log" ||
  { cat "$scratch/iso.log" >&2; die 'could not make the boot image'; }
rm -rf "$root" "$iso"

cat >"$scratch/bochsrc" <<RC
display_library: nogui
megs: $memory
romimage: file=$KIT/bios
vgaromimage: file=$KIT/vgabios
ata0-master: type=cdrom, path=boot.iso, status=inserted
boot: cdrom
cpu: model=$CPU_MODEL, ips=50000000, reset_on_triple_fault=0, ignore_bad_msrs=1
clock: sync=none
com1: enabled=1, mode=file, dev=console
com2: enabled=1, mode=file, dev=out
com3: enabled=1, mode=file, dev=err
log: bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
RC

: >"$scratch/console"
# With named pipes the program's output appears while it runs.
mkfifo "$scratch/out" "$scratch/err"
cat "$scratch/out" &
reader_pids+=($!)
cat "$scratch/err" >&2 &
reader_pids+=($!)
deadline=$((SECONDS + limit))
(
  cd "$scratch"
  exec "$KIT/bochs" -q -f bochsrc </dev/null >bochs.txt 2>&1
) &
bochs_pid=$!

timed_out=''
{
  while kill -0 "$bochs_pid"; do
    if ((SECONDS >= deadline)); then
      timed_out=1
      kill -KILL "$bochs_pid" || true
    fi
    sleep 0.1
  done
  wait "$bochs_pid" || true
} 2>/dev/null # the shell's own note that a job was killed
bochs_pid=''
# Ends the readers even if Bochs never opened the pipes.
for pipe in out err; do : <>"$scratch/$pipe"; done
wait "${reader_pids[@]}" || true
reader_pids=()

code=$(tr -d '\r' <"$scratch/console" 2>/dev/null |
  sed -n 's/^.*GUEST-EXIT \([0-9][0-9]*\)$/\1/p' | tail -n 1) || true
if [[ -n $code ]]; then exit "$code"; fi
if [[ -n $timed_out ]]; then
  say "no end within $limit s"
  exit 124
fi
for log in bochs.txt bochs.log console; do
  if [[ -s $scratch/$log ]]; then
    say "the end of $log:"
    tail -n 15 "$scratch/$log" >&2
  fi
done
die 'the guest stopped without an exit code'
