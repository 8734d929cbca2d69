#!/usr/bin/env bash
# Tests what is installed: the Debian package and its files, the program in any folder, and core/ as a library for other
# programs. tests/run roots tests that the package can be installed and removed in a clean system.
# Set: all
# Needs: program dpkg-dev file appstream desktop-file-utils man-db
# Time limit: 2400 s
# Runs alone, as it builds where the other tests' program is.
# shellcheck disable=SC2016,SC2034 # `check … eval '…'` expands when it is run
set -euo pipefail
root=${HEADSCOPE_ROOT:?the root of the tree}
built=$(dirname -- "${HEADSCOPE:?the program}")
# shellcheck source=tests/install/tiny_tree.sh
source "$root/tests/install/tiny_tree.sh"
cd "$work"
unset DISPLAY WAYLAND_DISPLAY

# alone COMMAND… : runs a command in an environment that does not say where anything is.
alone() { env -i PATH=/usr/bin:/bin HOME="$work/home" "$@"; }
draws() {
  rm -f figure.png
  alone "$@" render --model pronouns --size 300x300 --scale 1 --out figure.png && [[ -s figure.png ]]
}
mkdir home

# 1. Installing from a build that only has the program.
rm -f "$built/app/packaging/headscope.1.gz"
cmake -S "$root" -B "$built" >said 2>&1 || sed 's/^/# /' said
cmake --install "$built" --prefix "$work/early" >said 2>&1 && status=0 || status=$?
check "cmake --install says that not everything is built" eval '((status != 0)) && grep -qF "has been built" said'
check "cmake --install installs nothing if something is not built" test ! -e early
sed -n 's/^ *\(cmake --build .*\)/\1/p' said >told
check "the command that cmake --install prints makes it work" eval 'bash -e told >said 2>&1 && cmake --install "$built" --prefix "$work/early" >said'
check "the installed program draws a figure" draws early/bin/headscope

# 2. The package.
"$root/app/web/build" >said 2>&1 || sed 's/^/# /' said
if ! "$root/app/package" >said 2>&1; then
  sed 's/^/# /' said
  echo "not ok - app/package makes a package"
  exit
fi
package=$(dirname -- "$built")/headscope.deb
check "app/package prints the path of the package" grep -qF "$package" said
dpkg-deb -x "$package" opened
check "the package has the program, its models and the desktop's files, and nothing else" test "$(
  cd opened && find . -type f | sed 's|[0-9]*x[0-9]*/apps|SIZE/apps|' | sort -u
)" = "$(
  cat <<END | sort
./usr/bin/headscope
./usr/share/applications/headscope.desktop
./usr/share/bash-completion/completions/headscope
$(cd "$root/assets/models" && find . -type f | sed 's|^\.|./usr/share/headscope/models|')
./usr/share/headscope/headscope.html
./usr/share/headscope/icon.png
./usr/share/icons/hicolor/SIZE/apps/headscope.png
./usr/share/man/man1/headscope.1.gz
./usr/share/metainfo/headscope.metainfo.xml
./usr/share/mime/packages/headscope.xml
END
)"
depends=$(dpkg-deb -f "$package" Depends)
check "the package depends on the libraries that the program links" eval '[[ $depends == *libcairo2* && $depends == *libglfw3* && $depends == *"libc6 (>="* ]]'
check "the package has the program's version" test "headscope $(dpkg-deb -f "$package" Version)" = "$("$HEADSCOPE" --version)"
check "the program contains no path of this machine" not grep -qF "$root" opened/usr/bin/headscope
for size in 16 22 24 32 48 64 128 256 512; do
  check "the package has the icon of $size pixels" eval 'file opened/usr/share/icons/hicolor/${size}x$size/apps/headscope.png | grep -q " $size x $size, 8-bit/color RGBA"'
done
dpkg-deb -x "$(dirname -- "$built")/python3-headscope.deb" module
check "the package for Python has the module and its files, and nothing else" test "$(
  cd module && find . -type f | sed 's|_core.cpython.*|_core.so|' | sort
)" = "$(
  { cd "$root/app/python/headscope" && find . -type f ! -path '*/__pycache__/*'; echo ./_core.so; } |
    sed 's|^\.|./usr/lib/python3/dist-packages/headscope|' | sort
)"
check "the package for Python finds the models of the program" eval 'alone PYTHONPATH="$work/module/usr/lib/python3/dist-packages" XDG_DATA_DIRS="$work/opened/usr/share" /usr/bin/python3 -B -c "
import headscope
assert headscope.load(\"pronouns\").run(\"The cat\").pattern[0, 0].shape == (2, 2)"'
check "the desktop entry is valid" desktop-file-validate opened/usr/share/applications/headscope.desktop
# The project has no home page. Releases of appstreamcli that do not ask for one do not know the tag.
valid_metainfo() {
  appstreamcli validate --no-net --override=url-homepage-missing=info opened/usr/share/metainfo/*.xml ||
    appstreamcli validate --no-net opened/usr/share/metainfo/*.xml
}
check "the metainfo is valid" eval 'valid_metainfo >said 2>&1'
MANWIDTH=120 LC_ALL=C.UTF-8 man --warnings -l opened/usr/share/man/man1/headscope.1.gz >page 2>warnings
check "man finds no fault in the manual page" test ! -s warnings
for command in render trace explain info train tokenize; do
  missing=$("$HEADSCOPE" "$command" --help | grep -oE '^  --[a-z-]+' | while read -r option; do
    grep -qE -- "^ +$option( |\$)" page || echo "$option"
  done)
  check "every option of $command is in the manual page" test -z "$missing"
done

# completed WORD… : prints how completion completes the last word.
completed() (
  # shellcheck source=app/packaging/completion.bash
  source opened/usr/share/bash-completion/completions/headscope
  PATH=$work/opened/usr/bin:$PATH
  COMP_WORDS=(headscope "$@") COMP_CWORD=$#
  _headscope headscope
  echo "${COMPREPLY[*]}"
)
check "completion knows the commands" test "$(completed tr)" = "trace train"
check "completion knows the models" test "$(completed co)" = "copying"
check "completion knows the models after --model" test "$(completed render --model re)" = "reversing"
check "completion knows the options of a command" test "$(completed train --ta)" = "--task"
check "completion offers a command only its own options" test -z "$(completed train --diag)"
check "completion knows the options of the window" test "$(completed --scr) $(completed --the)" = "--screenshot --theme"

# 3. The program in any folder.
check "the program finds its models in the opened package" draws opened/usr/bin/headscope
mkdir elsewhere
mv opened/usr elsewhere/prefix
check "the program finds its models after it was moved" draws elsewhere/prefix/bin/headscope
ln -s "$work/elsewhere/prefix/bin/headscope" link
check "the program finds its models through a link" draws ./link
mkdir "moved build"
cp -r "$built/headscope" "$built/share" "moved build/"
check "a build that was moved finds its models" draws "moved build/headscope"
if ((EUID == 0)) && unshare --mount bash -c 'umount -l /proc' 2>/dev/null; then
  check "the program finds its models without /proc" draws unshare --mount bash -c 'umount -l /proc && exec "$@"' bash elsewhere/prefix/bin/headscope
else
  echo "skip - a machine without /proc: only root can take it away"
fi
mkdir -p bare/bin user system
cp elsewhere/prefix/bin/headscope bare/bin/
cp -r elsewhere/prefix/share/headscope user/
cp -r elsewhere/prefix/share/headscope system/
if [[ ! -e /usr/share/headscope && ! -e /usr/local/share/headscope ]]; then
  alone bare/bin/headscope render --model copying --out none.png 2>said && status=0 || status=$?
  check "a program without its models names the missing model" eval 'test "$status" != 0 && grep -q copying said'
  check "a program without its models says where it looked" grep -qF "$work/bare/share/headscope/models, " said
fi
check "models in XDG_DATA_HOME are found" draws XDG_DATA_HOME="$work/user" bare/bin/headscope
check "models in XDG_DATA_DIRS are found" draws XDG_DATA_DIRS="/nowhere:$work/system" bare/bin/headscope
mkdir -p home/.local
mv user home/.local/share
check "models in the home folder are found" draws bare/bin/headscope

# 4. core/ for other programs.
cmake --install "$built" --prefix "$work/prefix" >said
check "cmake --install installs the program" draws prefix/bin/headscope
mv prefix "a prefix that was moved"
cp -r "$root/tests/install/stranger" .
if cmake -S stranger -B stranger/build -G Ninja -DCMAKE_PREFIX_PATH="$work/a prefix that was moved" \
  -DCMAKE_BUILD_TYPE=Release >said 2>&1 && ninja -C stranger/build >>said 2>&1; then
  alone stranger/build/stranger | sed 's/ $//' >weights
  alone "$HEADSCOPE" trace --model untrained --sentence "the cat, the mat" --stage weights --head 1 --out weights.csv
  check "another project's program that links headscope::core computes the same weights" /usr/bin/python3 - <<'PYTHON'
import csv
rows = [[float(n) for n in line.split()] for line in open("weights")]
ours = [[float(n) for n in row[-len(rows):]] for row in list(csv.reader(open("weights.csv")))[-len(rows):]]
assert len(rows) == 5 and all(len(row) == 5 for row in rows), rows
assert all(abs(a - b) < 2e-6 for r, o in zip(rows, ours) for a, b in zip(r, o)), (rows, ours)
PYTHON
else
  tail -n 20 said | sed 's/^/# /'
  echo "not ok - a stranger's program that links headscope::core is built"
fi
