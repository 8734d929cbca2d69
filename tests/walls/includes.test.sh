#!/usr/bin/env bash
# Every source must include what it uses. The compiler compiles each source by itself and without precompiled headers,
# which would hide a missing include. No code is generated, because that would take three times as long.
# Needs: libgtest-dev libbenchmark-dev
# Set: all
# Time limit: 4800 s
# Runs alone, as it takes every processor
set -euo pipefail

# shellcheck source=app/setup.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../app/setup.sh"
folder=$build_root/plain

# commands : prints the compiler's command for each source of this tree, with a NUL after each.
commands() {
  python3 - "$folder/compile_commands.json" "$root" "$folder" <<'END'
import json, sys
commands, root, folder = sys.argv[1:]
for entry in json.load(open(commands)):
    if entry["file"].startswith(root) and not entry["file"].startswith(folder):
        print(entry["command"].replace(" -c ", " -fsyntax-only ", 1), end="\0")
END
}

if configure "$folder" Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DHEADSCOPE_JOINED=OFF -DHEADSCOPE_TESTS=ON \
  -DHEADSCOPE_BENCH=ON -DHEADSCOPE_WERROR=ON && cd "$folder" &&
  commands | xargs -0 -P "$(nproc)" -n 1 sh -c >"$folder/syntax.log" 2>&1; then
  echo "ok - each file compiles by itself"
else
  echo "not ok - each file compiles by itself"
  grep -A 3 'error:' "$folder/syntax.log" | sed 's/^/# /' | first_lines 60
fi
