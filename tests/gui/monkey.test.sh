#!/usr/bin/env bash
# Walks of random events through the window without a display, under the sanitizers and in a build that checks what the
# standard library and ImGui assert (Debian's libimgui is built with its assertions). HEADSCOPE_MONKEY_EVENTS says how
# many events (10,000), HEADSCOPE_MONKEY_SEED where their seeds begin (1).
# Needs: program libgtest-dev
# Time limit: 3000 s
# Runs alone, as it takes every processor
set -euo pipefail

# shellcheck source=app/setup.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../app/setup.sh"
events=${HEADSCOPE_MONKEY_EVENTS:-10000} seed=${HEADSCOPE_MONKEY_SEED:-1}
logs=$build_root/logs
mkdir -p "$logs"
# The build of tests/run asan, which has all of the window already.
if ! build "$build_root/asan" Asan -DHEADSCOPE_TESTS=ON -DHEADSCOPE_WERROR=ON -- monkey; then
  echo "not ok - the program with all assertions is built"
  exit 0
fi

# walk NUMBER SEED EVENTS : one process; its seeds are far from those of the others.
walk() {
  if HEADSCOPE_MONKEY_SEED=$2 HEADSCOPE_MONKEY_EVENTS=$3 "$build_root/asan/tests/monkey" --gtest_color=no \
    >"$logs/monkey-$1.log" 2>&1; then
    echo "ok - $3 random events from seed $2 on"
  else
    echo "not ok - $3 random events from seed $2 on"
    sed 's/^/# /' "$logs/monkey-$1.log" | tail -n 80
  fi
}

# A walk that is to be seen again runs alone; else each processor has its own.
n=$(nproc)
((events > 400)) || n=1
for ((i = 0; i < n; ++i)); do
  walk "$i" $((seed + i * 100000)) $((events / n)) >"$logs/monkey-$i.out" &
done
wait
for ((i = 0; i < n; ++i)); do cat "$logs/monkey-$i.out"; done
