#!/usr/bin/env bash
# Tests app/run on a tiny project of the same layout: when another run is building, when it may not write, is stopped,
# or lacks a tool, and in folders with strange names.
# Needs: program
# Set: all
# shellcheck disable=SC2016,SC2034,SC2094 # `check … eval '…'` expands when it is run
set -euo pipefail
root=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
# shellcheck source=tests/install/tiny_tree.sh
source "$root/tests/install/tiny_tree.sh"
unset DISPLAY WAYLAND_DISPLAY HEADSCOPE_BUILD XDG_CACHE_HOME
export HOME=$work/home
mkdir "$HOME"
cd "$work"

# All packages are installed, and nothing is fetched.
fakes=$work/fakes
fake "$fakes" dpkg-query "sed s/^/installed:/ $root/app/packages.txt"
fake "$fakes" apt-get 'exit 1'
fake "$fakes" ccache 'exec "$@"'
PATH=$fakes:$PATH
tree=$work/tree
make_tiny_tree "$tree"
sed -i 's/project(tiny/project(headscope VERSION 7.8.9/' "$tree/CMakeLists.txt"
said() { grep -qF -- "$1" said; }
# start TREE ARGUMENT… : runs app/run, and keeps its status and its output.
start() {
  local folder=$1
  shift
  status=0
  "$folder/app/run" "$@" >said 2>&1 || status=$?
}

# 1. Before anything is built.
lazy=$work/lazy
fake "$lazy" cmake 'exit 9'
fake "$lazy" dpkg-query 'exit 9'
PATH=$lazy:$PATH start "$tree" --help
check "--help needs no build" eval 'test "$status" = 0 && said "app/run [ARGUMENT…]" && said HEADSCOPE_BUILD'
PATH=$lazy:$PATH start "$tree" --version
check "--version needs no build either" eval 'test "$status" = 0 && test "$(cat said)" = "headscope 7.8.9"'
check "neither --help nor --version begins a build" test ! -e "$tree/.build"

# 2. Missing and old tools.
fake "$work/old" cmake 'echo "cmake version 3.10.2"'
PATH=$work/old:$PATH start "$tree" info
check "an old CMake is reported with the version that is needed" eval 'test "$status" = 1 && said 3.10.2 && said "CMake 3.20 or newer"'
CXX=no-such-compiler start "$tree" info
check "a missing compiler is reported" eval 'test "$status" = 1 && said "to build Headscope: no-such-compiler"'
only=$work/only
mkdir "$only"
for tool in bash cat dirname readlink find mkdir flock grep sed sort rm env; do ln -s "$(command -v "$tool")" "$only/$tool"; done
PATH=$only start "$tree" info
check "without apt, missing tools are reported" eval 'test "$status" = 1 && said "to build Headscope: cmake ninja pkg-config c++"'

# 3. Two runs at once, the second while the first compiles.
fake "$work/slow" ninja 'sleep 8; exec /usr/bin/ninja "$@"'
PATH=$work/slow:$PATH "$tree/app/run" render first >first 2>&1 &
sleep 1
start "$tree" render second
wait $! && first=0 || first=$?
check "two runs at once both start the program" eval 'test "$status$first" = 00 && said "<second>" && grep -q "<first>" first'
check "the second run says that it waits" said waiting
check "the second run builds nothing" not said Building

# 4. A run that is stopped. It has a process group of its own, as each job of a terminal has.
touch "$tree/app/main.cpp"
cat >stop <<SH
set -m
PATH=$work/slow:\$PATH "$tree/app/run" info >said 2>&1 &
sleep 1
kill -INT -- -\$!
wait \$!
SH
bash stop >/dev/null 2>&1 && status=0 || status=$?
check "Ctrl+C says that the run was stopped" eval 'test "$status" = 130 && said Stopped'
check "Ctrl+C reports no failure" not said failed
start "$tree" render again
check "the next run continues the build" eval 'test "$status" = 0 && said "<again>"'

# 5. A tree that cannot be written to.
locked=$work/locked
make_tiny_tree "$locked"
as_user=()
if ((EUID == 0)); then
  # Root may write everywhere, but not where a file system is read-only.
  as_user=(unshare --mount bash -c "mount --bind '$locked' '$locked' && mount -o remount,bind,ro '$locked' && exec \"\$@\"" bash)
else
  chmod -R a-w "$locked"
fi
if ((EUID != 0)) || "${as_user[@]}" true 2>/dev/null; then
  "${as_user[@]}" "$locked/app/run" info >said 2>&1 && status=0 || status=$?
  check "a tree that cannot be written to says what to do" eval 'test "$status" = 1 && said "Cannot write to $locked/.build" && said HEADSCOPE_BUILD='
  HEADSCOPE_BUILD=$work/other/build "${as_user[@]}" "$locked/app/run" render there >said 2>&1 && status=0 || status=$?
  check "a tree that cannot be written to builds in another folder" eval 'test "$status" = 0 && said "<there>" && test -x "$work/other/build/release/headscope"'
  check "a build in another folder leaves nothing in the tree" test ! -e "$locked/.build"
else
  echo "skip - a tree that cannot be written: this machine lets nobody mount"
fi
chmod -R u+w "$locked"
HEADSCOPE_BUILD=near start "$tree" render near
check "HEADSCOPE_BUILD may be a relative path" eval 'said "<near>" && test -x near/release/headscope'
mkdir -p theirs/release
echo "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere" >theirs/release/CMakeCache.txt
HEADSCOPE_BUILD=theirs start "$tree" info
check "another project's build folder is left alone" eval 'test "$status" = 1 && said "something else" && test -e theirs/release/CMakeCache.txt'

# 6. A build that another kind of machine made.
echo vax >"$tree/.build/release.built"
echo vax >"$tree/.build/release/headscope.build"
touch "$tree/.build/release/left-over"
start "$tree" render here
check "a build that another kind of machine made is replaced" eval 'test "$status" = 0 && said "<here>" && test ! -e "$tree/.build/release/left-over"'

# 7. Folders with strange names.
for name in 'a "quoted" one' 'back\slash' 'semi;colon' "with 'these' and \$that" 'Ümläut'; do
  mkdir -p "names/$name"
  make_tiny_tree "names/$name/tree"
  start "names/$name/tree" render named
  check "a tree in a folder called $name builds and starts" eval 'test "$status" = 0 && said "<named>"'
  if [[ $status != 0 ]]; then sed 's/^/# /' said; fi
  (cd "names/$name" && HEADSCOPE_BUILD="$PWD/build;" "$tree/app/run" render built) >said 2>&1 || true
  check "a build folder inside $name works" said "<built>"
done
XDG_CACHE_HOME='/a;b' start 'names/semi;colon/tree' info
check "a folder for which there is no workaround is reported" eval 'test "$status" = 1 && said "Move it"'

# 8. Without /proc.
bare=$work/bare
make_tiny_tree "$bare"
if ((EUID == 0)) && unshare --mount bash -c 'umount -l /proc' 2>/dev/null; then
  unshare --mount bash -c "umount -l /proc && exec '$bare/app/run' render bare" >said 2>&1 && status=0 || status=$?
  check "a machine without /proc builds and starts" eval 'test "$status" = 0 && said "<bare>"'
  if [[ $status != 0 ]]; then sed 's/^/# /' said; fi
else
  echo "skip - a machine without /proc: only root can take it away"
fi
