#!/usr/bin/env bash
# Builds the rooms that compute for 64-bit Arm with Debian's cross compiler, and runs their tests in QEMU: some
# minutes, and no part of tests/run. Needs, besides app/packages.txt:
#   dpkg --add-architecture arm64 && apt-get update
#   apt-get install g++-aarch64-linux-gnu qemu-user-static libhwy-dev:arm64 libgtest-dev:arm64 \
#     libutf8proc-dev:arm64
# Compiled without CMake, which would look for the window's libraries for Arm too.
set -euo pipefail
root=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
build=$root/.build/arm64
mkdir -p "$build"
cd -- "$root"

flags=(-std=c++20 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror -ffp-contract=off -fopenmp-simd -fno-math-errno
  -fno-trapping-math -I. -isystem /usr/include/eigen3 -DHWY_SHARED_DEFINE "-DHEADSCOPE_SOURCE_DIR=\"$root\"")
# GCC 12 sees uninitialised lanes in its own vector types, and overlapping copies where strings are joined.
flags+=(-Wno-restrict -Wno-uninitialized -Wno-maybe-uninitialized -Wno-psabi)
# The same as in core/CMakeLists.txt.
flags+=("$(sed -n 's/.*"\(HWY_DISABLED_TARGETS=.*\)").*/-D\1/p' core/CMakeLists.txt)")

# compile FILE : into an object.
compile() {
  local object=$build/${1//\//_}.o
  aarch64-linux-gnu-g++ "${flags[@]}" -c "$1" -o "$object"
}
export build
export -f compile
flags_text=$(declare -p flags)
export flags_text

rooms=(tensor text model trace io session)
for room in "${rooms[@]}"; do printf '%s\n' core/"$room"/*.cpp; done >"$build/sources"
printf '%s\n' tests/unit/tensor/*.cpp tests/unit/model/*.cpp >>"$build/sources"
# shellcheck disable=SC2016 # expands in the shell that xargs starts
xargs -a "$build/sources" -n 1 -P "$(nproc)" bash -c 'set -e; eval "$flags_text"; compile "$1"' bash

for test in tensor model; do
  aarch64-linux-gnu-g++ -o "$build/unit_$test" "$build"/tests_unit_"$test"_*.o "$build"/core_*.o -lhwy -lutf8proc \
    -lgtest -lgtest_main -pthread
  # With the C library of the arm64 packages, loader and all, and not the cross compiler's.
  qemu-aarch64-static "$build/unit_$test" --gtest_brief=1
done
