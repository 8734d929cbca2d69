#!/usr/bin/env bash
# Every C++ file must be formatted as .clang-format says.
# Set: quick
# Needs: clang-format
set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.."

# Other versions break lines differently with the same settings.
if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  echo "skip - formatting: this machine has no clang-format 14"
  exit 0
fi
# shellcheck disable=SC2016 # expands in the shell that xargs starts
if find core app tests \( -name '*.cpp' -o -name '*.h' \) -print0 | sort -z | xargs -0 -n 1 -P "$(nproc)" bash -c '
  clang-format --dry-run -Werror "$1" 2>/dev/null && exit
  echo "not ok - $1 is formatted (clang-format -i mends it)"
  exit 1' bash; then
  echo "ok - formatting"
fi
