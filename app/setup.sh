# shellcheck shell=bash
# What app/run, app/package, tests/run and tests/bench/run share: packages from apt and quiet builds. To be sourced.
# HEADSCOPE_BUILD names the folder for all that is built; without it that is .build in the tree.

say() { printf '%s\n' "$*" >&2; }

# plain_path FOLDER : the folder, or a link to it where CMake could not build in a path with its characters.
plain_path() {
  local link
  if [[ $1 != *[\"\\\;]* ]]; then
    printf '%s\n' "$1"
    return
  fi
  link=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/headscope/$(printf '%s' "$1" | cksum | tr ' ' -)
  if [[ $link == *[\"\\\;]* ]] || ! mkdir -p -- "${link%/*}" "$1" || ! ln -sfn -- "$1" "$link"; then
    say "CMake cannot build in a folder with one of the characters \" \\ ; in its path: $1"
    say "Move it, or set a folder for links to it: XDG_CACHE_HOME=/tmp app/run"
    return 1
  fi
  printf '%s\n' "$link"
}

root=$(plain_path "$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")") || exit 1
build_root=$root/.build
if [[ -n ${HEADSCOPE_BUILD-} ]]; then
  if [[ $HEADSCOPE_BUILD != /* ]]; then HEADSCOPE_BUILD=$PWD/$HEADSCOPE_BUILD; fi
  build_root=$(plain_path "${HEADSCOPE_BUILD%/}") || exit 1
fi

# Ctrl+C ends with a message, and with the usual status for the caller.
trap 'say "Stopped. The next run continues from here."; trap - INT; kill -INT $$' INT

# hold_build_folder : makes the folder for what is built, and waits until no other start installs or builds there, until
# release_build_folder. 1 where nothing can be written there.
hold_build_folder() {
  if ! mkdir -p -- "$build_root" 2>/dev/null || [[ ! -w $build_root ]]; then
    say "Cannot write to $build_root. Choose another build folder:"
    say "  HEADSCOPE_BUILD=~/.cache/headscope/build $0"
    return 1
  fi
  command -v flock >/dev/null || return 0
  exec 9>"$build_root/lock"
  flock -n 9 && return
  say "Another run is installing or building in $build_root; waiting for it …"
  flock 9
}
release_build_folder() { exec 9>&-; }

# first_lines N : the first lines of what comes in. Unlike head it reads on, so that the writer of a pipe ends well.
first_lines() { awk -v n="$1" 'NR <= n'; }

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
  mapfile -t names <<<"$(read_packages "$@")"
  install_names "${names[@]}"
}

# install_names NAME… : the same for packages by name.
install_names() {
  local names=("$@") missing log as_root=()
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "This system has no apt. Please install these packages yourself (Debian names):"
    say "  ${names[*]}"
    return 0
  fi
  mapfile -t missing <<<"$(missing_packages "${names[@]}")"
  [[ -n ${missing[0]} ]] || return 0
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      say "These packages are missing, and there is no sudo to install them. As root, run:"
      say "  apt-get install ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  mkdir -p "$build_root"
  log=$build_root/apt.log
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=600)
  # A stale list still serves an installation, so only the installation's own failure counts.
  "${apt[@]}" update >"$log" 2>&1 9>&- || true
  if ! "${apt[@]}" install --no-install-recommends "${missing[@]}" >>"$log" 2>&1 9>&-; then
    tail -n 15 "$log" >&2
    say "apt could not install them (full log: $log). Is the network up, and is another apt running?"
    return 1
  fi
}

# show_progress LOG : copies the lines of ninja into LOG, and tells how far it is: in place on a terminal, and elsewhere
# with a line for each fifth.
show_progress() {
  local line percent told=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$1"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    if [[ -t 2 ]]; then
      printf '\r  %d %% (%s of %s files) ' "$percent" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
    elif ((percent >= told + 20 && BASH_REMATCH[2] > 100)); then
      told=$((percent / 20 * 20))
      say "  $told %"
    fi
  done
  if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
}

# check_tools : 1, in our words, where what builds is missing or too old. Where apt brings it, it is neither.
check_tools() {
  local tool missing=() needed found compiler
  read -r compiler _ <<<"${CXX:-c++}"
  for tool in cmake ninja pkg-config "$compiler"; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  if ((${#missing[@]})); then
    say "Missing tools to build Headscope: ${missing[*]}"
    say "It needs CMake, Ninja, pkg-config and a C++20 compiler (GCC 12 or newer); set CXX to use one other than c++."
    return 1
  fi
  needed=$(sed -n 's/^cmake_minimum_required(VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  found=$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
  if [[ $(printf '%s\n' "$needed" "$found" | sort -V | sed -n 1p) != "$needed" ]]; then
    say "Headscope needs CMake $needed or newer, but this is $found: $(command -v cmake)"
    return 1
  fi
}

# make_room FOLDER : leaves no build in it that cannot be gone on with; 1 where it holds something else than a build of
# ours. A tree that was moved or copied carries the old place in its cache, and CMake refuses it; what another kind of
# machine built does not run here.
make_room() {
  local cache=$1/CMakeCache.txt mark=$1/headscope.build
  if [[ -f $cache ]] && ! { grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" &&
    [[ ! -f $mark || $(<"$mark") == "$HOSTTYPE" ]]; }; then
    if [[ ! -f $mark && $1 != "$root"/.build/* ]]; then
      say "$1 holds a build of something else: set HEADSCOPE_BUILD to another folder."
      return 1
    fi
    rm -rf -- "$1"
  fi
  mkdir -p -- "$1"
  printf '%s\n' "$HOSTTYPE" >"$mark"
}

# configure FOLDER BUILD_TYPE CMAKE_OPTION… : makes a build folder ready; the log's end and 1 where that fails.
configure() {
  local folder=$1 type=$2 log=$1/build.log
  shift 2
  check_tools && make_room "$folder" || return 1
  if ! cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE="$type" "$@" >"$log" 2>&1 9>&-; then
    tail -n 30 "$log" >&2
    say "CMake could not configure the build (full log: $log)."
    return 1
  fi
}

# build FOLDER TARGET… : builds what was configured; the log's end and 1 where it fails. Goes on past a failing target,
# so that the others are there to be used.
build() {
  local folder=$1 log=$1/build.log
  shift
  if ! ninja -C "$folder" -k 0 "$@" 2>&1 9>&- | show_progress "$log"; then
    grep -E -A 12 'error:|FAILED:|undefined reference' "$log" | first_lines 60 >&2 || tail -n 40 "$log" >&2
    say "The build failed (full log: $log)."
    return 1
  fi
}
