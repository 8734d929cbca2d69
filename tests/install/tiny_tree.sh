# shellcheck shell=bash
# Functions for the tests of app/run and tests/run, to be sourced: they make a project of the same layout that builds
# within moments, and programs that stand in for those of the system. $root is the tree, and $work a folder that is
# removed at the end.

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# check NAME COMMAND… : prints whether the command succeeds.
check() {
  local name=$1
  shift
  if "$@"; then echo "ok - $name"; else echo "not ok - $name"; fi
}
not() { ! "$@"; }

# fake FOLDER NAME SCRIPT : makes a program that stands in for one of the system.
fake() {
  mkdir -p "$1"
  printf '#!/bin/bash\n%s\n' "$3" >"$1/$2"
  chmod +x "$1/$2"
}

# make_tiny_tree FOLDER : makes a project whose program prints its arguments and fails with --bad.
make_tiny_tree() {
  mkdir -p "$1/app" "$1/core" "$1/assets/models"
  cp "${root:?the tree}/app/run" "$root/app/setup.sh" "$root/app/packages.txt" "$1/app/"
  cat >"$1/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(tiny LANGUAGES CXX)
add_executable(headscope app/main.cpp)
CMAKE
  cat >"$1/app/main.cpp" <<'CPP'
#include <cstdio>
#include <cstring>
int main(int argc, char** argv) {
  bool bad = false;
  for (int i = 1; i < argc; ++i) {
    std::printf("<%s>", argv[i]);
    bad = bad || std::strcmp(argv[i], "--bad") == 0;
  }
  std::puts("");
  return bad ? 2 : 0;
}
CPP
}
