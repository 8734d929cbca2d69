# shellcheck shell=bash
# What app/run, tests/run and tests/bench/run share: packages from apt and quiet builds. To be sourced.

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
build_root=$root/.build

# first_lines N : the first lines of what comes in. Unlike head it reads on, so that the writer of a pipe ends well.
first_lines() { awk -v n="$1" 'NR <= n'; }

say() { printf '%s\n' "$*" >&2; }

# read_packages FILE… : the names in package lists, one a line.
read_packages() { cat -- "$@"; }

# missing_packages NAME… : those that are not installed.
missing_packages() {
  local installed name
  # dpkg-query fails when it does not know one of the names, which is an answer too.
  installed=" $({ dpkg-query -W -f '${db:Status-Status}:${Package}\n' -- "$@" 2>/dev/null || true; } |
    sed -n 's/^installed://p' | tr '\n' ' ')"
  for name in "$@"; do
    [[ $installed == *" $name "* ]] || printf '%s\n' "$name"
  done
}

# install_packages FILE… : installs what the lists name and the machine lacks; 1 where that did not work.
install_packages() {
  local names
  mapfile -t names < <(read_packages "$@")
  install_names "${names[@]}"
}

# install_names NAME… : the same for packages by name.
install_names() {
  local names=("$@") missing log as_root=()
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "This system has no apt, so please see to these packages (Debian's names) yourself:"
    say "  ${names[*]}"
    return 0
  fi
  mapfile -t missing < <(missing_packages "${names[@]}")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      say "These packages are missing, and there is no sudo to install them with. As root:"
      say "  apt-get install ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  mkdir -p "$build_root"
  log=$build_root/apt.log
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=120)
  # A stale list still serves an installation, so only the installation's own failure counts.
  "${apt[@]}" update >"$log" 2>&1 || true
  if ! "${apt[@]}" install --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    tail -n 15 "$log" >&2
    say "apt could not install them (all of it: $log). Is the network there, and is another apt running?"
    return 1
  fi
}

# show_progress LOG : copies the lines of ninja or CTest into LOG, and their count onto a terminal.
show_progress() {
  local line
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$1"
    if [[ -t 2 && $line =~ ^[\ \[]*([0-9]+/[0-9]+) ]]; then printf '\r  %s ' "${BASH_REMATCH[1]}" >&2; fi
  done
  if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
}

# build FOLDER BUILD_TYPE CMAKE_OPTIONS -- TARGET… : configures where needed and builds; the log's end and 1
# where it fails. Goes on past a failing target, so that the others are there to be used.
build() {
  local folder=$1 type=$2 options=() log=$1/build.log
  shift 2
  while [[ $1 != -- ]]; do options+=("$1"); shift; done
  shift
  # A tree that was moved or copied carries the old place in its cache, and CMake refuses it.
  if [[ -f $folder/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf -- "$folder"
  fi
  mkdir -p "$folder"
  # Most of the compiler's time goes into the same headers in every file, so files are joined by the dozen; the names in
  # the anonymous namespaces of a room must differ for it.
  options+=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12)
  if ! cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE="$type" "${options[@]}" >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    say "CMake could not configure the build (all of it: $log)."
    return 1
  fi
  if ! ninja -C "$folder" -k 0 "$@" 2>&1 | show_progress "$log"; then
    grep -E -A 12 'error:|FAILED:|undefined reference' "$log" | first_lines 60 >&2 || tail -n 40 "$log" >&2
    say "The build failed (all of it: $log)."
    return 1
  fi
}
