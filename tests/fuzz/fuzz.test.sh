#!/usr/bin/env bash
# Fuzzing: runs each harness tests/fuzz/fuzz_*.cpp for HEADSCOPE_FUZZ_SECONDS (60), two at a time, starting from the
# inputs of make_seeds.py and those that earlier runs found. Inputs that end a harness are kept in .build/fuzz/found.
# Before that, a Release build of each harness runs for half as long and measures what the inputs cost (cost.cpp).
# Set: all
# Needs: program clang-16 libclang-rt-16-dev
# Time limit: 6000 s
# Runs alone, as it takes every processor
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=app/setup.sh
source "$here/../../app/setup.sh"
seconds=${HEADSCOPE_FUZZ_SECONDS:-60}
# A run of the usual length tries the same inputs everywhere, as many as the time allows. If
# HEADSCOPE_FUZZ_SECONDS is set, each run tries different inputs.
chance=()
if [[ -z ${HEADSCOPE_FUZZ_SECONDS-} ]]; then chance=(-seed=1); fi
at_once=2
folder=$build_root/fuzz
found=$folder/found

# Use the version of the packages above or, if it is missing, the default version.
wanted=clang++-16
compiler=$(command -v "$wanted" || command -v clang++ || true)
probe=$(mktemp -d)
# Use a folder in memory if possible: everything written is forced to the disk, which would take longer than
# all the rest.
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf -- "$probe" "$scratch"' EXIT
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' >"$probe/probe.cpp"
rm -rf -- "$folder/seeds"
python3 "$here/make_seeds.py" "$folder/seeds"
mkdir -p "$found" "$folder/logs"
export TMPDIR=$scratch HOME=$scratch UBSAN_OPTIONS=print_stacktrace=1
unset DISPLAY WAYLAND_DISPLAY XDG_CONFIG_HOME

# measure NAME : runs a harness of the Release build and prints the result line.
measure() {
  local folders=("$folder/seeds/$1") log=$folder/logs/$1.cost.log
  if [[ -d $folder/corpus/$1 ]]; then folders+=("$folder/corpus/$1"); fi
  if "$build_root/release/tests/fuzz/$1" $((seconds / 2)) "$found/$1-cost" "${folders[@]}" >"$log" 2>&1; then
    echo "ok - $1: $(tail -n 1 "$log")"
  else
    echo "not ok - $1: an input costs too much or crashes: $found/$1-cost/current: $(tail -n 1 "$log" | plain)"
  fi
}
# plain : copies its input without the bytes that would upset a log or a terminal.
plain() { LC_ALL=C tr -dc '\n\040-\176'; }

build "$build_root/release" fuzzers || echo "not ok - the harnesses can be built to measure costs"
for file in "$here"/fuzz_*.cpp; do
  while (($(jobs -rp | wc -l) >= at_once)); do wait -n || true; done
  measure "$(basename -- "$file" .cpp)" &
done
wait

if [[ -z $compiler ]] ||
  ! "$compiler" -fsanitize=fuzzer,address "$probe/probe.cpp" -o "$probe/probe" >/dev/null 2>&1; then
  echo "skip - fuzzing: this machine has no Clang with libFuzzer and AddressSanitizer"
  exit 0
fi

# Clang's warnings are not errors here: they differ from GCC's, which are errors in every other build.
if ! configure "$folder" Fuzz "-DCMAKE_CXX_COMPILER=$compiler" -DHEADSCOPE_FUZZ=ON -DHEADSCOPE_WERROR=OFF ||
  ! build "$folder" fuzzers; then
  echo "not ok - the harnesses can be built"
fi
# Clang's own symbolizer comes in another package; the one in the linker's package serves as well.
if symbolizer=$(command -v llvm-symbolizer || command -v addr2line); then
  export ASAN_SYMBOLIZER_PATH=$symbolizer
fi

# dictionary_of HARNESS : prints the path of the dictionary for a harness.
dictionary_of() {
  case $1 in
    fuzz_session | fuzz_model_folder | fuzz_foreign_config) echo "$here/json.dict" ;;
    fuzz_checkpoint_files) echo "$here/safetensors.dict" ;;
    fuzz_vocabulary) echo "$here/text.dict" ;;
    *) echo "$here/${1#fuzz_}.dict" ;;
  esac
}

# run_harness NAME : runs a harness and writes its log.
run_harness() {
  local corpus=$folder/corpus/$1
  mkdir -p "$corpus"
  "$folder/tests/fuzz/$1" "-max_total_time=$seconds" "${chance[@]}" -max_len=1000000 -timeout=100 \
    -rss_limit_mb=2048 -print_final_stats=1 -print_funcs=0 "-artifact_prefix=$found/$1-" \
    "-dict=$(dictionary_of "$1")" "$corpus" "$folder/seeds/$1" \
    >"$folder/logs/$1.log" 2>&1
}

# report_harness NAME STATUS : prints the result line and, after a failure, how to reproduce it.
report_harness() {
  local log=$folder/logs/$1.log input runs coverage what
  runs=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  coverage=$(grep -aoE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -n 1 || true)
  if (($2 == 0)); then
    echo "ok - $1: $seconds s, ${runs:-no} runs a second, ${coverage:-nothing reached}"
    return
  fi
  input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
  what=$({ grep -aE 'does not hold|runtime error|SUMMARY|ERROR' "$log" || true; } | first_lines 1 | plain)
  echo "not ok - $1: $what"
  # Print the project's own stack frames or, if there are none (after a stack overflow), the top of the stack.
  { grep -aE '^ +#[0-9]+ .* in (headscope|LLVMFuzzerTestOneInput)' "$log" || grep -aE '^ +#[0-9]+ ' "$log" || true; } |
    first_lines 8 | sed -E 's/^ +/#   /; s/ 0x[0-9a-f]+ in / /' | plain
  if [[ -n $input ]]; then
    echo "# run it again:  $folder/tests/fuzz/$1 $input"
    echo "# make it small: $folder/tests/fuzz/$1 -minimize_crash=1 -max_total_time=60 $input"
  fi
}

harnesses=()
for file in "$here"/fuzz_*.cpp; do
  name=$(basename -- "$file" .cpp)
  if [[ -x $folder/tests/fuzz/$name ]]; then harnesses+=("$name"); fi
done
declare -A running=()
for name in "${harnesses[@]}"; do
  while (($(jobs -rp | wc -l) >= at_once)); do wait -n || true; done
  run_harness "$name" &
  running[$name]=$!
done
for name in "${harnesses[@]}"; do
  status=0
  wait "${running[$name]}" || status=$?
  report_harness "$name" "$status"
done
