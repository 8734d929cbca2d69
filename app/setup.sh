# shellcheck shell=bash
# Functions that app/run, app/package, tests/run and tests/bench/run share: they install packages with apt and build
# quietly. This file is sourced. HEADSCOPE_BUILD names the folder for all build output; the default is .build in the
# tree.

say() { printf '%s\n' "$*" >&2; }

# plain_path FOLDER : prints the folder, or a link to it if its path has characters that CMake cannot build with.
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

# Ctrl+C prints a message and ends with the usual exit status.
trap 'say "Stopped. The next run continues from here."; trap - INT; kill -INT $$' INT

# hold_build_folder : makes the build folder and locks it, waiting while another run installs or builds there. The lock
# lasts until release_build_folder. Returns 1 if the folder is not writable.
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

# first_lines N : prints the first N lines of its input. Unlike head, it reads its input to the end, so the writer of
# the pipe does not fail.
first_lines() { awk -v n="$1" 'NR <= n'; }

# read_packages FILE… : prints the names in the package lists, one per line.
read_packages() { cat -- "$@"; }

# missing_packages NAME… : prints the names of the packages that are not installed.
missing_packages() {
  local installed name
  # dpkg-query fails if it does not know one of the names. Such a package is simply missing.
  installed=" $({ dpkg-query -W -f '${db:Status-Status}:${Package}\n' -- "$@" 2>/dev/null || true; } |
    sed -n 's/^installed://p' | tr '\n' ' ')"
  for name in "$@"; do
    [[ $installed == *" $name "* ]] || printf '%s\n' "$name"
  done
}

# install_packages FILE… : installs the packages in these lists that are missing. Returns 1 on failure.
install_packages() {
  local names
  mapfile -t names <<<"$(read_packages "$@")"
  install_names "${names[@]}"
}

# install_names NAME… : does the same for packages given by name.
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
  # An outdated package index may still suffice, so only the installation itself can fail.
  "${apt[@]}" update >"$log" 2>&1 9>&- || true
  if ! "${apt[@]}" install --no-install-recommends "${missing[@]}" >>"$log" 2>&1 9>&-; then
    tail -n 15 "$log" >&2
    say "apt could not install these packages (full log: $log). Is the network up, and is another apt running?"
    return 1
  fi
}

# show_progress LOG : copies ninja's output to LOG and shows the progress: in place on a terminal, and otherwise with
# one line for every 20 %.
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

# check_tools : returns 1 with an explanation if a build tool is missing or too old. On a system with apt, none is.
check_tools() {
  local tool missing=() needed found compiler
  read -r compiler _ <<<"${CXX:-c++}"
  for tool in cmake ninja pkg-config "$compiler"; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  if ((${#missing[@]})); then
    say "Missing tools to build Headscope: ${missing[*]}"
    say "It needs CMake, Ninja, pkg-config and a C++20 compiler (GCC 12 or newer); set CXX to a compiler other than c++."
    return 1
  fi
  needed=$(sed -n 's/^cmake_minimum_required(VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  found=$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
  if [[ $(printf '%s\n' "$needed" "$found" | sort -V | sed -n 1p) != "$needed" ]]; then
    say "Headscope needs CMake $needed or newer, but this is $found: $(command -v cmake)"
    return 1
  fi
}

# make_room FOLDER : removes a build that cannot be continued. Returns 1 if the folder holds anything other than a build
# of this tree. CMake refuses the cache of a tree that was moved or copied, because the cache holds the old path; and a
# program built on another kind of machine does not run here.
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

# configure FOLDER BUILD_TYPE CMAKE_OPTION… : configures a build folder. On failure, prints the end of the log and
# returns 1.
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

# build FOLDER TARGET… : builds targets of a configured folder. On failure, prints the errors from the log and returns
# 1. It continues after a target that fails, so that the other targets can be used.
build() {
  local folder=$1 log=$1/build.log
  shift
  if ! ninja -C "$folder" -k 0 "$@" 2>&1 9>&- | show_progress "$log"; then
    grep -E -A 12 'error:|FAILED:|undefined reference' "$log" | first_lines 60 >&2 || tail -n 40 "$log" >&2
    say "The build failed (full log: $log)."
    return 1
  fi
}
