#!/usr/bin/env bash
# Every source includes what it uses: each compiles by itself and without precompiled headers, which would hide what is
# missing.
# Needs: program libgtest-dev
# Set: all
# Time limit: 3000 s
# Runs alone, as it takes every processor
set -euo pipefail

# shellcheck source=app/setup.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../app/setup.sh"
folder=$build_root/plain
if configure "$folder" Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DHEADSCOPE_JOINED=OFF -DHEADSCOPE_TESTS=ON \
  -DHEADSCOPE_WERROR=ON && build "$folder" headscope tests_all monkey; then
  echo "ok - each file compiles by itself"
else
  echo "not ok - each file compiles by itself"
fi
