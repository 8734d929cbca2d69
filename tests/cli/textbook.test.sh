#!/usr/bin/env bash
# Worked examples of textbooks: headscope textbook [NAME|FILE.json] [--check] [--print], render --page textbooks.
# Needs: program imagemagick
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"
unset DISPLAY WAYLAND_DISPLAY

"$headscope" textbook >list
check "textbook lists the examples" grep -q '^  raschka-3.5.1-causal-mask  *Causal mask in two ways$' list
check "there are at least 34 examples" test "$(grep -c '^  [a-z0-9]' list)" -ge 34
check "the list marks examples without numbers" grep -q 'annotated-label-smoothing.*no numbers here' list

"$headscope" textbook --check >table
check "textbook --check counts the numbers that agree" grep -q '^raschka-3.3-simple  *7  *111  *111  agrees$' table
check "textbook --check explains the numbers that differ" grep -q '^  weights_scale_1: 9 differ. An error in the source' table
check "textbook --check finds no disagreement" test -z "$(grep disagrees table)"
check "textbook --check has each example in its table" test "$(grep -c '^[a-z0-9]' table)" = $(($(grep -c '^  [a-z0-9]' list) + 1))

"$headscope" textbook raschka-3.4.1-trainable-weights >example
check "without a display, an example is printed" grep -q '^All 29 printed numbers agree.$' example
check "a printed example has both numbers side by side" grep -q '0.4306  1.4551  |  0.4306   1.4551$' example
"$headscope" textbook --print alammar-gpt2-masked-scores >marked
check "numbers that differ have a star" grep -q '0.48    0.52    0.00    0.00  |   0.42\*   0.58\*' marked

check_refused 2 'did you mean raschka-3\.5\.1-causal-mask' textbook raschka-3.5.1-causal-maks
check_refused 2 'lists the worked examples' textbook zzzzz
check_refused 2 'there is no option --chek' textbook --chek
check_refused 2 'was not expected' textbook raschka-3.3-simple another
check_refused 2 'needs the NAME' textbook --print
check_refused 2 '--textbook .*did you mean karpathy-tril-average' render --textbook karpathy-tril-avreage --out f.png
check_refused 1 'missing.json' textbook missing.json

# Examples of the user's own: right, wrong, wrong with a reason, and no example at all.
example() {
  printf '{"version": 1, "author": "Me", "title": "My course", "where": "week 1", "heading": "Mine",
  "shows": "One score.", "session": {"sentence": "a b", "architecture": {"d_model": 2, "heads": 1},
  "given": {"encoder.layers.0.self.heads.0.raw": [[0, 0], [0, 0]]}},
  "quantities": [{"name": "weights", "title": "Weights", "stage": "weights", "digits": 2, "printed": %s}]}' "$1"
}
example '[[0.5, 0.5], [0.5, 0.5]]' >mine.json
"$headscope" textbook mine.json >own
check "a user's own example is printed" grep -q '^All 4 printed numbers agree.$' own
check "a user's own example has the labels of its rows and columns" grep -Eq '^ +a +b +\| +a +b$' own
check "a user's own example is checked" "$headscope" textbook --check mine.json
example '[[0.5, 0.5], [0.6, 0.4]]' >wrong.json
status=0
"$headscope" textbook --check wrong.json >wrong 2>message || status=$?
check "a difference without a reason exits with 1" test "$status" = 1
check "a difference without a reason is named" grep -q 'weights: 2 differ, without a stated reason' wrong
check "quantities that disagree are counted" grep -q '1 quantity disagrees' message
example '[[0.5, 0.5], [0.6, 0.4]], "reason": "a misprint"' >explained.json
check "a difference with a reason is accepted" "$headscope" textbook --check explained.json
example '[[1], [1, 2]]' >ragged.json
check_refused 1 'quantities\[0\].printed is a list, but must be rows of numbers' textbook "$PWD/ragged.json"
example '[[0.5, 0.5]], "rows": [10], "colour": 5' >unknown.json
check_refused 1 'quantities\[0\].colour is not allowed here' textbook "$PWD/unknown.json"
echo '[]' >list.json
check_refused 1 'cannot read the worked example “list”: the file is a list, but must be an object' textbook "$PWD/list.json"
example '[[0.5, 0.5]], "rows": [10]' >beyond.json
"$headscope" textbook --check beyond.json >beyond 2>message || true
check "an index beyond a matrix is named" grep -q 'weights: not computed: there is no row 10: there are 2, counted from 0' beyond
sed 's/, "digits".*/}]}/' mine.json >unprinted.json
"$headscope" textbook unprinted.json >unprinted
check "an example without printed numbers is not said to agree" grep -q '^Nothing was checked: the source prints no numbers' unprinted
"$headscope" textbook --check unprinted.json >unprinted
check "the table says that an example has no printed numbers" grep -q 'nothing to check: no number is printed' unprinted

"$headscope" render --page textbooks --textbook alammar-gpt2-masked-scores --out figure.png
"$headscope" render figure.png --out again.png
check "a figure of an example is drawn again from its file" cmp figure.png again.png
