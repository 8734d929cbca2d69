#!/usr/bin/env bash
# Every C++ file is formatted as .clang-format says.
set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.."

# Another version breaks lines elsewhere with the same settings.
if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  echo "skip - formatting: this machine has no clang-format 14"
  exit 0
fi
wrong=0
while IFS= read -r -d '' file; do
  if ! clang-format --dry-run -Werror "$file" 2>/dev/null; then
    echo "not ok - $file is formatted (clang-format -i mends it)"
    wrong=1
  fi
done < <(find core app tests \( -name '*.cpp' -o -name '*.h' \) -print0 | sort -z)
if ((wrong == 0)); then echo "ok - formatting"; fi
