#!/usr/bin/env bash
# Builds the rooms that compute for 64-bit Arm with Debian's cross compiler, and runs their tests in QEMU. It takes some
# minutes and is not a part of tests/run. Besides app/packages.txt, it needs:
#   dpkg --add-architecture arm64 && apt-get update
#   apt-get install g++-aarch64-linux-gnu qemu-user-static libhwy-dev:arm64 libgtest-dev:arm64 \
#     libutf8proc-dev:arm64
# It compiles without CMake, which would also look for the window's libraries for Arm.
set -euo pipefail
root=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
build=$root/.build/arm64
mkdir -p "$build"
cd -- "$root"

flags=(-std=c++20 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror -ffp-contract=off -fopenmp-simd -fno-math-errno
  -fno-trapping-math -I. -isystem /usr/include/eigen3 -DHWY_SHARED_DEFINE "-DHEADSCOPE_SOURCE_DIR=\"$root\"")
# GCC 12 warns of uninitialised lanes in its own vector types, and of overlapping copies where strings are joined.
flags+=(-Wno-restrict -Wno-uninitialized -Wno-maybe-uninitialized -Wno-psabi)
# This is the definition of core/CMakeLists.txt.
flags+=("$(sed -n 's/.*"\(HWY_DISABLED_TARGETS=.*\)").*/-D\1/p' core/CMakeLists.txt)")

# compile FILE : compiles a file into an object.
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
  # Uses the C library and the loader of the arm64 packages instead of the cross compiler's.
  qemu-aarch64-static "$build/unit_$test" --gtest_brief=1
done
