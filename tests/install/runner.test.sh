#!/usr/bin/env bash
# tests/run: what it installs, what it runs, and how it counts. It is tried on a tiny project of the same layout, with
# an apt that only takes notes.
# shellcheck disable=SC2016,SC2034 # `check … eval '…'` expands when it is run
set -euo pipefail
root=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
# shellcheck source=tests/install/tiny_tree.sh
source "$root/tests/install/tiny_tree.sh"
unset HEADSCOPE_BUILD HEADSCOPE HEADSCOPE_ROOT

tree=$work/tree
make_tiny_tree "$tree"
mkdir -p "$tree/tests/unit/text" "$tree/tests/other" "$tree/tests/walls"
cp -r "$root/tests/run" "$root/tests/runner" "$root/tests/packages.txt" "$tree/tests/"
cp "$root/tests/CMakeLists.txt" "$tree/tests/"
cp "$root/tests/unit/packages.txt" "$tree/tests/unit/"
cat >>"$tree/CMakeLists.txt" <<'CMAKE'
set(CMAKE_CXX_STANDARD 20)
add_library(headscope_core INTERFACE)
add_library(headscope_highway INTERFACE)
enable_testing()
add_subdirectory(tests)
CMAKE
cat >"$tree/tests/unit/text/small_test.cpp" <<'CPP'
#include <gtest/gtest.h>
#include <cstdlib>
TEST(Small, Holds) {}
TEST(Small, IsLeftOut) { GTEST_SKIP() << "no moon"; }
TEST(Small, Breaks) { if (std::getenv("BREAK")) FAIL() << "the reason"; }
TEST(Small, Crashes) { if (std::getenv("CRASH")) std::abort(); }
CPP
echo 'headscope_test(unit_text ${CMAKE_CURRENT_SOURCE_DIR}/text)' >"$tree/tests/unit/CMakeLists.txt"
script() {
  cat >"$tree/tests/$1"
  chmod +x "$tree/tests/$1"
}
script other/good.test.sh <<'SH'
#!/bin/bash
# Needs: program moonlight
echo "ok - one"
# Needs: nothing of this line, nor a limit of the next
# Time limit: 0 s
echo "skip - no stars"
test "$("$HEADSCOPE" a)" = "<a>" && test -e "$HEADSCOPE_ROOT/app/run" && echo "ok - the program is there"
SH
script walls/paper.test.sh <<'SH'
#!/bin/bash
# Needs: clang-format
echo "ok - paper"
SH

notes=$work/notes
fakes=$work/fakes
fake "$fakes" dpkg-query "cat $tree/app/packages.txt $tree/tests/unit/packages.txt | sed s/^/installed:/; echo installed:python3"
fake "$fakes" apt-get "echo \"\$*\" >>$notes"
fake "$fakes" sudo 'exec "$@"'
# run_tests NAME… : leaves its exit code in $status, what it printed in $work/said, and the packages in $notes.
run_tests() {
  : >"$notes"
  status=0
  PATH=$fakes:$PATH "$tree/tests/run" "$@" >"$work/said" 2>&1 || status=$?
}
said() { grep -qF -- "$1" "$work/said"; }
ends_with() { test "$(tail -n 1 "$work/said")" = "$1"; }
installed() { sed -n 's/.*--no-install-recommends //p' "$notes"; }

run_tests walls
check "a script that needs no program is run without one" eval 'test "$status" = 0 && ends_with "1 passed, 0 failed"'
check "and nothing is built for it" not said Building
check "what it needs is installed, and nothing else" test "$(installed)" = "clang-format"
run_tests other/good
check "a script gets the program, its packages and the tree" eval 'test "$status" = 0 && ends_with "1 passed, 0 failed"'
check "those that are missing" test "$(installed)" = "moonlight"
check "what a script leaves out is said" said "no stars"
run_tests unit_text
check "each case of a program counts" eval 'test "$status" = 0 && ends_with "3 passed, 0 failed"'
check "nothing is installed for it that it does not need" test -z "$(installed)"
check "the reason of a case that was left out is told" said "no moon"
BREAK=1 run_tests unit_text
check "a failing case fails the run" eval 'test "$status" = 1 && ends_with "2 passed, 1 failed"'
check "with its words" said "the reason"
check "and its name" said "unit_text.Small.Breaks"
CRASH=1 run_tests unit_text
check "a crash is the failure of one case" eval 'test "$status" = 1 && ends_with "2 passed, 1 failed"'
for i in 1 2 3 4; do echo "TEST(More, Holds$i) {}"; done >>"$tree/tests/unit/text/small_test.cpp"
run_tests asan:unit_text
check "of a program in parts, too, each case counts" eval 'test "$status" = 0 && ends_with "7 passed, 0 failed"'
BREAK=1 CRASH=1 run_tests asan:unit_text
check "and a crash ends the part that it is in" eval 'test "$status" = 1 && ends_with "4 passed, 2 failed"'
check "which of its cases fail is told" eval 'said "asan:unit_text.2: Small.Breaks" && said "asan:unit_text.3: Small.Crashes"'

script other/bad.test.sh <<'SH'
#!/bin/bash
# Needs: program
echo "ok - one"
echo "not ok - the sky is green"
SH
script other/dead.test.sh <<'SH'
#!/bin/bash
# Needs: program
echo "ok - one"
exit 7
SH
script other/empty.test.sh <<'SH'
#!/bin/bash
# Needs: program
SH
script other/slow.test.sh <<'SH'
#!/bin/bash
# Needs: program
# Time limit: 1 s
echo "ok - one"
sleep 30
SH
script other/away.test.sh <<'SH'
#!/bin/bash
# Needs: program
echo "skip - not on Sundays"
SH
run_tests other
check "scripts that fail, die, check nothing or take too long fail" eval 'test "$status" = 1 && ends_with "1 passed, 4 failed"'
check "what does not hold is named" said "other/bad: the sky is green"
check "so is an exit code" said "ended with status 7"
check "so is a script that checks nothing" said "It checked nothing"
check "a script that only skips neither passes nor fails" said "not on Sundays"

sed -i 's/FAIL()/FALL()/' "$tree/tests/unit/text/small_test.cpp"
run_tests unit_text walls
check "what cannot be built fails, and the rest is run" eval 'test "$status" = 1 && ends_with "1 passed, 2 failed"'
run_tests nothing walls
check "a name that no test has is refused" eval 'test "$status" = 2 && said "nothing" && said "other/bad"'

cp -r "$root/tests/roots" "$tree/tests/"
if ((EUID == 0)); then
  status=0
  chmod -R a+rX "$work"
  setpriv --reuid=65534 --regid=65534 --clear-groups "$tree/tests/run" roots >"$work/said" 2>&1 || status=$?
else
  run_tests roots
fi
check "clean roots are left out, with a word, for who is not root" eval 'test "$status" = 0 && said "Left out" && ends_with "0 passed, 0 failed"'
run_tests roots 99
check "a root of no release is refused" test "$status" = 2
