# shellcheck shell=bash
# Functions for the tests of the command line, to be sourced. The tests then run in a folder of their own.

headscope=${HEADSCOPE:?the path of the program to test}
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd -- "$folder" || exit 1
unset DISPLAY WAYLAND_DISPLAY

# check WHAT COMMAND… : prints "ok" if the command succeeds.
check() {
  local what=$1
  shift
  if "$@" >check.log 2>&1; then
    echo "ok - $what"
  else
    echo "not ok - $what"
    sed 's/^/# /' check.log
  fi
  rm -f check.log
}

# check_refused CODE PATTERN ARGUMENT… : checks that the program exits with CODE, prints one message that matches
# PATTERN on standard error and nothing on standard output, and leaves no file behind.
check_refused() {
  local code=$1 pattern=$2 status=0 output message left
  shift 2
  mkdir empty
  cd empty || exit 1
  output=$("$headscope" "$@" 2>../message) || status=$?
  left=$(ls -A)
  cd .. || exit 1
  rm -rf empty
  message=$(cat message)
  rm -f message
  if [[ $status == "$code" && -z $output && -z $left && $message =~ $pattern && $message == headscope:* ]]; then
    echo "ok - refused: $*"
  else
    echo "not ok - refused: $*"
    printf '# status %s (not %s), files “%s”, output “%s”, message:\n' "$status" "$code" "$left" "$output"
    printf '# %s\n' "${message//$'\n'/$'\n# '}"
  fi
}
