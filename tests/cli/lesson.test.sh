#!/usr/bin/env bash
# Lessons: headscope lesson [NAME|FILE.md] [--check] [--print [--out F.pdf]].
# Needs: program poppler-utils
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"
unset DISPLAY WAYLAND_DISPLAY

"$headscope" lesson >list
check "lesson lists the lessons" grep -q '^  04-masks  Masks: who may see whom$' list
check "there are twelve lessons" test "$(grep -c '^  [0-9][0-9]-' list)" = 12
check "lesson --check finds no mistakes in the lessons" "$headscope" lesson --check
check "lesson --check prints one line for each lesson" test "$("$headscope" lesson --check | grep -c ': [0-9]* steps, no mistakes$')" = 12
"$headscope" lesson 01-what-does-it-mean >printed
check "without a display, a lesson is printed" grep -q '^What does “it” mean?$' printed
check "a printed lesson has its questions" grep -q '^Which word gets most of what is left?' printed
check_refused 2 'did you mean 04-masks' lesson 04-maks
check_refused 2 'lists them' lesson zzzzz
check_refused 2 'needs the NAME' lesson --print
check_refused 2 'must end in \.pdf' lesson --print 04-masks --out f.png

# lesson SCENE… : prints a lesson of the user's own with a step for each scene.
lesson() {
  printf '# Mine\n'
  for scene in "$@"; do printf '\n## A step\n\n```scene\n%s\n```\n\nText.\n' "$scene"; done
}
lesson '--sentence "The cat didn'"'"'t sleep"' '--mask causal --row cat' >mine.md
check "lesson --check finds no mistakes in a user's own lesson" "$headscope" lesson --check mine.md
check_refused 2 'without options for a model or a sentence' mine.md --heads 8
check_refused 1 'none.md' none.md
check_refused 2 '--size is for the window' lesson --check --size 800x600
check_refused 2 '--ui-scale is for the window' --ui-scale 2 lesson mine.md
check_refused 2 '--screenshot is for the window' textbook --check --screenshot a.png
"$headscope" render --sentence "one two three" --out scene.svg >/dev/null
"$headscope" lesson --print 02-one-head-by-hand --out handout.pdf
check "a handout has the text" grep -q 'Three little rows for each word' <(pdftotext -layout handout.pdf -)
check "a handout has several pages" test "$(pdfinfo handout.pdf | sed -n 's/^Pages: *//p')" -gt 2
check "a handout has a title" grep -q '^Title: *One head, by hand' <(pdfinfo handout.pdf)
pdftotext -layout handout.pdf all.txt
check "a handout has the questions before the answers" test \
  "$(grep -n 'Fill in the two scores' all.txt | cut -d: -f1)" -lt "$(grep -n 'Answers$' all.txt | cut -d: -f1)"
check "a handout has the answers on its last page" grep -q 'Equal scores give equal shares' \
  <(pdftotext -f "$(pdfinfo handout.pdf | sed -n 's/^Pages: *//p')" handout.pdf -)

# Mistakes are listed with their line, and files elsewhere are not read.
# lists PATTERN FILE : succeeds if a check of the file fails and lists this mistake.
lists() {
  local status=0
  "$headscope" lesson --check "$2" >said 2>&1 || status=$?
  [[ $status == 1 ]] && grep -qE "^  $1" said
}
refuse() {
  local pattern=$1
  shift
  lesson "$@" >bad.md
  check "a check lists “$pattern”" lists ".*$pattern" bad.md
}
refuse 'line 5: .*--sentense' '--sentense x'
refuse 'line 5: .*--heads' '--heads 3'
refuse 'line 13: --row c .*no such token' '--sentence "a b"' '--row c'
refuse 'not in the folder of the lesson' '--mask /etc/passwd.npy'
refuse 'not in the folder of the lesson' '../scene.headscope'
refuse 'not in the folder of the lesson' '--model ../elsewhere'
refuse 'not in the folder of the lesson' '--set encoder.input=@/etc/hostname.csv'
refuse 'cannot write a figure or open a module' '--weights /etc/passwd'
refuse 'line 5: .*unclosed' '--sentence "x'
printf '# A\n## B\n```ask\nDo it.\nexpect: page = heads\nreveal: x\nshow: --mask causal\n```\n' >bad.md
check "a check lists a “show:” that does not fit, with its line" lists 'line 3: what “show:” shows is not what is expected$' bad.md
printf '# A\n## B\n```ask\nFind it.\nexpect: row = tpyo\nreveal: x\n```\n' >bad.md
check "a check lists a name that is not in the scene, with its line" lists 'line 3: the scene has no “tpyo”' bad.md
printf '# A\n## B\n[one](04-masks.md) [two](gone.md)\n```scene\n--haeds 3\n```\n## C\n```scene\n--model untrained\n```\n```focus\ncell it nobody\n```\n' >bad.md
check "a check continues after a mistake in the text" lists 'line 12: “cell it nobody” is not in the scene' bad.md
check "a check lists links that lead nowhere" lists 'line 2: the link “gone.md” leads to no lesson' bad.md
check "a check lists no links to the program's lessons" test "$(grep -c '04-masks' said)" = 0
mkdir alone && cp mine.md alone/
check "a folder with one lesson stands for that lesson" "$headscope" lesson --check alone
cp mine.md alone/second.md
check_refused 1 'holds 2 lessons' lesson --check "$folder/alone"
printf '# A\n## B\n```scene\n--heads 3\n```\n```sceen\n--heads 4\n```\n## C\n```focus\nbell it\n```\n' >bad.md
check "a check lists a scene with heads that do not divide d_model" lists 'line 3: .*--heads' bad.md
check "a check lists a directive that does not exist" lists 'line 6: there is no directive “sceen”' bad.md
check "a check lists a focus that names nothing" lists 'line 11: “bell it” is nothing to look at' bad.md
check_refused 1 'line 3: .*There are 2 more: .*--check .*bad.md” lists them' lesson "$folder/bad.md"
printf '# A\n## B\n```scene\n--sentence "a b" --cover all\n```\n## C\n```scene\n--cover none\n```\n```holds\ncover = none\n```\n' >uncovered.md
check "a scene can remove the cover of the step before" "$headscope" lesson --check uncovered.md
printf '# A\n## B\n```scene\n--model missing\n```\nSeen.\n## C\n```scene\nlost.headscope\n```\n## D\n```scene\n--model untrained\n```\nRead.\n' >lacking.md
"$headscope" lesson lacking.md >read
check "a lesson is printed even if its models and scenes are missing" grep -q '^Read.$' read
check "a check lists a missing model with its line" lists 'line 3: .*missing' lacking.md
check "a check lists a missing scene in another step" lists 'line 8: .*lost.headscope' lacking.md
check "a handout has the steps that lack nothing" "$headscope" lesson --print lacking.md --out lacking.pdf
head -c 2000000 /dev/zero | tr '\0' x >huge.md
check_refused 1 'huge.md' lesson "$folder/huge.md"
{ printf '# A\n## B\n'; head -c 300000 /dev/zero | tr '\0' '>'; } >deep.md
check "a check lists quotations that are nested too deeply" lists 'line [0-9]+: lists and quotations are nested' deep.md
{ printf '# A\n'; for i in $(seq 200); do printf '## S%s\n' "$i"; done; } >long.md
check "a lesson with too many steps is refused" lists 'line 102: a lesson has at most 100 steps' long.md
mkfifo pipe.md
check_refused 1 'pipe.md' lesson --check "$folder/pipe.md"
