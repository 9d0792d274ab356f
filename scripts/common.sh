# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Shared by the scripts: where the tree is, and steps whose output goes to a log unless they fail.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

jobs=$(nproc)

# logged LOG TEXT COMMAND...   one line with the time it took; the log's tail and a non-zero status on failure
logged() {
  local log=$1 text=$2 status=0 start=$SECONDS
  shift 2
  mkdir -p "$(dirname "$log")"
  printf '%s ... ' "$text"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [[ $status -eq 0 ]]; then
    printf 'done (%d s)\n' $((SECONDS - start))
    return 0
  fi
  printf 'FAILED (status %d); the end of %s:\n' "$status" "$log"
  tail -n 60 "$log"
  return "$status"
}

# build_preset PRESET [CMAKE ARGUMENT...]   into build/PRESET
build_preset() {
  local preset=$1
  shift
  (cd "$root" && cmake --preset "$preset" "$@" && cmake --build --preset "$preset" --parallel "$jobs")
}

# usage   what the calling script says of itself: its comment from the third line on
usage() { sed -n '3,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[1]}"; }

# debian_mirror   where apt gets this system's packages; nothing when apt does not say
debian_mirror() {
  # shellcheck disable=SC2016 # $(...) is apt's own format, not the shell's
  apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 == "Debian" && !found { print $2; found = 1 }'
}
