#!/usr/bin/env bash
# Tests app/run on a tiny project of the same layout, with an apt that only notes its calls: what it installs, when it
# builds, and what it does without a display. At the end it tests the real app/run.
# Runs alone, as it measures how long a start takes.
# shellcheck disable=SC2016 # `check … eval '…'` expands when it is run
set -euo pipefail
root=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
# shellcheck source=tests/install/tiny_tree.sh
source "$root/tests/install/tiny_tree.sh"
unset DISPLAY WAYLAND_DISPLAY
# The tiny project is built in its own folder, not in the real build folder.
built=${HEADSCOPE_BUILD-}
unset HEADSCOPE_BUILD

tree=$work/tree
make_tiny_tree "$tree"

# 1. Packages. This dpkg-query only knows cmake, and this apt-get and this sudo note how they are called.
notes=$work/notes
fakes=$work/fakes
fake "$fakes" dpkg-query 'echo installed:cmake; echo config-files:ccache; exit 1'
fake "$fakes" apt-get "echo \"apt-get \$*\" >>$notes"
fake "$fakes" sudo "echo \"sudo \$1\" >>$notes; exec \"\$@\""
install() { (cd / && PATH=$1:$PATH bash -c "source '$tree/app/setup.sh'; install_packages '$tree/app/packages.txt'") 2>&1; }
: >"$notes"
install "$fakes" >"$work/said" && status=0 || status=1
check "missing packages are installed" test "$status" = 0
check "apt's lists are fetched once" test "$(grep -c '^apt-get .*update' "$notes")" = 1
check "all packages are installed at once" test "$(grep -c '^apt-get .*install' "$notes")" = 1
installed=$(grep -m 1 '^apt-get .*install' "$notes")
wanted=$(grep -vx cmake "$tree/app/packages.txt" | tr '\n' ' ')
check "exactly the missing packages are installed" test "${installed##*--no-install-recommends }" = "${wanted% }"
if ((EUID != 0)); then check "with sudo" grep -q '^sudo ' "$notes"; else check "without sudo as root" not grep -q '^sudo ' "$notes"; fi
fake "$fakes" apt-get 'case "$*" in *install*) echo "E: no network"; exit 100 ;; esac'
install "$fakes" >"$work/said" && status=0 || status=1
check "a failure of apt is reported with apt's words" eval 'test "$status" = 1 && grep -q "no network" "$work/said" && grep -q apt.log "$work/said"'
if ((EUID == 0)) && command -v setpriv >/dev/null; then
  fake "$fakes" apt-get "echo \"apt-get \$*\" >>$notes"
  : >"$notes"
  chmod -R a+rwX "$work"
  setpriv --reuid=65534 --regid=65534 --clear-groups bash -c "cd /; PATH=$fakes:\$PATH; source '$tree/app/setup.sh'
    install_packages '$tree/app/packages.txt'" >"$work/said" 2>&1 || true
  check "a user who is not root installs with sudo" grep -q '^sudo ' "$notes"
  chown -R root "$work"
fi
only=$work/only
mkdir -p "$only"
for tool in bash cat dirname readlink; do ln -s "$(command -v "$tool")" "$only/$tool"; done
PATH=$only bash -c "source '$tree/app/setup.sh'; install_packages '$tree/app/packages.txt'" >"$work/said" 2>&1 || true
check "without apt, the packages are named" grep -q 'libimgui-dev' "$work/said"

# 2. Builds. All packages are installed now, so apt-get must not be called any more.
fake "$fakes" dpkg-query "sed s/^/installed:/ $root/app/packages.txt"
fake "$fakes" apt-get "echo called >>$notes"
fake "$fakes" ccache 'exec "$@"'
: >"$notes"
PATH=$fakes:$PATH
check "the first start builds, and passes the arguments on" test "$("$tree/app/run" render 'a b' --scale 2 2>/dev/null)" = "<render><a b><--scale><2>"
lazy=$work/lazy
fake "$lazy" cmake 'exit 9'
fake "$lazy" ninja 'exit 9'
fake "$lazy" dpkg-query 'exit 9'
began=$(date +%s%N)
check "the second start builds nothing and asks for no package" test "$(PATH=$lazy:$PATH "$tree/app/run" --version)" = "<--version>"
took=$((($(date +%s%N) - began) / 1000000))
echo "# second start: $took ms"
rm "$lazy/dpkg-query"
check "the second start takes no time (under 300 ms)" test "$took" -lt 300
check "the program's exit code is passed on" eval '"$tree/app/run" trace --bad >/dev/null 2>&1; test $? = 2'
sed -i 's/<%s>/[%s]/' "$tree/app/main.cpp"
check "a changed source is built again" test "$("$tree/app/run" info 2>/dev/null)" = "[info]"
: >"$tree/core/new.h"
check "a new file makes the next start look for a build" eval '! PATH=$lazy:$PATH "$tree/app/run" info >/dev/null 2>&1'
check "the next start after a new file works" test "$("$tree/app/run" info 2>/dev/null)" = "[info]"
mv "$tree" "$work/moved"
tree=$work/moved
echo '//' >>"$tree/app/main.cpp"
check "a project that was moved is built in its new place" test "$("$tree/app/run" info 2>/dev/null)" = "[info]"
check "apt was not called for any of these starts" test ! -s "$notes"
echo 'broken' >>"$tree/app/main.cpp"
"$tree/app/run" info >"$work/said" 2>&1 && status=0 || status=$?
check "a failing build is reported with the compiler's words" eval 'test "$status" = 1 && grep -q error: "$work/said" && grep -q build.log "$work/said"'
sed -i '$d' "$tree/app/main.cpp"

# 3. Without a display.
cd "$work"
"$tree/app/run" >"$work/said" 2>&1
check "without a display, the figure is rendered" grep -qF '[render][--out][headscope.png]' "$work/said"
check "without a display, the file is named" eval 'grep -qi display "$work/said" && grep -qF "$work/headscope.png" "$work/said"'
"$tree/app/run" --sentence 'so it is' >"$work/said" 2>&1
check "without a display, the arguments are passed on" grep -qF '[render][--sentence][so it is][--out][headscope.png]' "$work/said"
"$tree/app/run" --ui-scale 2 --heads 2 --ui-scale=3 >"$work/said" 2>&1
check "without a display, the window's options are left out" grep -qF '[render][--heads][2][--out][headscope.png]' "$work/said"
check "options that are left out are reported" eval 'grep -q "ui-scale 2" "$work/said" && grep -q "ui-scale=3" "$work/said"'
"$tree/app/run" copying --head 1 >"$work/said" 2>&1
check "without a display, the window's model is that of the figure" grep -qF '[render][--model][copying][--head][1][--out][headscope.png]' "$work/said"
"$tree/app/run" --out mine.svg --head 1 >"$work/said" 2>&1
check "without a display, --out sets the file" eval 'grep -qF "[render][--head][1][--out][mine.svg]" "$work/said" && grep -qF "$work/mine.svg" "$work/said"'
for wrong in bogus ''; do
  check "an argument that is not a model is left to the program (“$wrong”)" test "$("$tree/app/run" "$wrong" --heads 2 2>&1)" = "[$wrong][--heads][2]"
done
"$tree/app/run" --bad >"$work/said" 2>&1 && status=0 || status=$?
check "wrong arguments give only the program's message" eval 'test "$status" = 2 && ! grep -qi display "$work/said"'
check "a screenshot is left to the program" test "$("$tree/app/run" --screenshot a.png 2>&1)" = "[--screenshot][a.png]"
check "with a display, the window is opened" test "$(DISPLAY=:9 "$tree/app/run" 2>&1)" = ""

# 4. The real app/run.
if [[ -n $built ]]; then export HEADSCOPE_BUILD=$built; fi
PATH=${PATH#"$fakes":}
mkdir "$work/real"
cd "$work/real"
export XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state
if "$root/app/run" >"$work/said" 2>&1; then
  check "app/run without a display writes a picture" test "$(head -c 4 headscope.png | tail -c 3)" = PNG
  began=$(date +%s%N)
  "$root/app/run" --version >"$work/said" 2>&1 || true
  took=$((($(date +%s%N) - began) / 1000000))
  check "the second start of the real program takes less than 500 ms ($took ms)" test "$took" -lt 500
else
  tail -n 20 "$work/said" | sed 's/^/#   /'
  echo "not ok - app/run without a display"
fi
