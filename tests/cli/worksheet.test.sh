#!/usr/bin/env bash
# headscope worksheet and --cover: tests which cells are left empty, what the solution has, and what cannot be covered.
# Needs: program poppler-utils
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

small=(--sentence "I am here" --d-model 4 --heads 2)

# words_of FILE.pdf : prints its words, sorted.
words_of() { pdftotext -layout "$1" - | tr -s ' ' '\n' | sed '/^$/d' | sort; }

both_files() {
  [[ $("$headscope" worksheet "${small[@]}" --stage weights --cover rows:am --out sheet.pdf) == $'sheet.pdf\nsheet-solution.pdf' ]] &&
    [[ $(pdfinfo sheet.pdf | grep 'Page size') == *595*842* && $(pdfinfo sheet-solution.pdf | grep 'Page size') == *595*842* ]]
}
check "worksheet writes an exercise and its solution on A4" both_files

# The solution must have the row's three weights, and the sheet must not.
lacks_what_is_covered() {
  "$headscope" trace "${small[@]}" --stage weights --out weights.csv || return 1
  words_of sheet.pdf >sheet.txt
  words_of sheet-solution.pdf >solution.txt
  local number
  number=$(sed -n 3p weights.csv | cut -d, -f2)
  number=$(printf '%.3f' "$number")
  ! grep -qxF -- "$number" sheet.txt && grep -qxF -- "$number" solution.txt &&
    [[ $(comm -13 sheet.txt solution.txt | grep -cE '^0\.[0-9]{3}$') == 3 ]]
}
check "the sheet lacks the covered numbers that the solution has" lacks_what_is_covered

# Each file must make the same picture again, whatever the time of day.
again() {
  "$headscope" render "$1" --out again.pdf || return 1
  pdftoppm -r 60 "$1" first && pdftoppm -r 60 again.pdf second && cmp first-1.ppm second-1.ppm
}
check "a sheet is drawn again from its file" again sheet.pdf
check "a solution is drawn again from its file" again sheet-solution.pdf

way() {
  "$headscope" worksheet "${small[@]}" --stage raw --row here --column am --out way.pdf || return 1
  pdftotext -layout way.pdf - | grep -q 'way to “here” → “am”' && pdftotext way-solution.pdf - | grep -q Solution
}
check "a worksheet can be about the way to one cell" way
other_page() {
  "$headscope" worksheet "${small[@]}" --page stages --cover random:0.5:3 --out stages.svg &&
    [[ -s stages.svg && -s stages-solution.svg ]] && ! cmp -s stages.svg stages-solution.svg
}
check "a worksheet can show another page" other_page
several_stages() {
  "$headscope" worksheet "${small[@]}" --stage raw,weights,output --head 1 --out all.pdf || return 1
  [[ $(pdfinfo all.pdf | sed -n 's/^Pages: *//p') == 3 && $(pdfinfo all-solution.pdf | sed -n 's/^Pages: *//p') == 3 ]] || return 1
  local page=0 title
  for title in 'Raw scores' 'Attention weights' 'Head output'; do
    page=$((page + 1))
    pdftotext -f $page -l $page -layout all.pdf - | sed -n '/^ *Name/,$p' | sed -n 2,4p | grep -q "$title" || return 1
    pdftotext -f $page -l $page all-solution.pdf - | grep -q 'Solution' || return 1
    rm -f scene.headscope && pdfdetach -save $page -o scene.headscope all.pdf || return 1
    "$headscope" render scene.headscope --page worksheet --out page.pdf || return 1
    pdftotext -layout page.pdf - | grep -q "$title" || return 1
  done
  pdftotext -f 3 -l 3 all.pdf - | grep -q 'found on another page' && ! pdftotext -f 3 -l 3 all-solution.pdf - | grep -q 'found on another page'
}
check "several stages are pages of one file" several_stages
check_refused 2 'only a PDF can have several pages' worksheet "${small[@]}" --stage raw,weights --out x.svg
check_refused 2 'leave @ out' worksheet "${small[@]}" --stage raw,weights --cover all@query --out x.pdf
check_refused 2 'leave --page out' worksheet "${small[@]}" --stage raw,weights --page stages --out x.pdf
check_refused 2 'rawr' worksheet "${small[@]}" --stage rawr,weights --out x.pdf
letter() {
  "$headscope" worksheet "${small[@]}" --size 612x792 --out letter.pdf && pdfinfo letter.pdf | grep 'Page size' | grep -q '612 x 792'
}
check "a worksheet can have the size of Letter" letter

cells_by_token() {
  "$headscope" render "${small[@]}" --cover cells:here.am,0.2 --out a.svg &&
    "$headscope" render "${small[@]}" --cover cells:2.1,I.here --out b.svg || return 1
  sed '/<desc>/,/<\/desc>/d' a.svg >a && sed '/<desc>/,/<\/desc>/d' b.svg >b && cmp a b
}
check "cells are named by index or token" cells_by_token
check "--cover can name another stage than the selected one" "$headscope" render --page stages --cover all@query --out q.svg

check_refused 2 "--cover 20 .*0 to 10" render --cover rows:20 --out x.png
check_refused 2 "it takes an index from 0" render --stage query --cover columns:x --out x.png
check_refused 2 'no such token' render --cover cells:cat.it --out x.png
check_refused 2 'a cell is a row and a column' render --cover cells:it --out x.png
check_refused 2 '“some” must be all, rows' render --cover some --out x.png
check_refused 2 'a share above 0 and at most 1' render --cover random:1.5 --out x.png
check_refused 2 '“nowhere” is not a stage' render --cover all@nowhere --out x.png
check_refused 2 '\-\-solution needs \-\-cover' render --solution --out x.png
check_refused 2 'only covered cells' render --cover rows:0 --answered 3.3 --out x.png
check_refused 2 'written beside the worksheet' worksheet --solution --cover all --out x.pdf
check_refused 2 'does not fit on a page of 595 × 842' worksheet --stage query --d-model 64 --out x.pdf
check_refused 2 'must end in' worksheet --out sheet

# The solution for the weight of a hidden cell is 0.
hidden_weight() {
  "$headscope" worksheet "${small[@]}" --mask causal --cover cells:0.2 --out hidden.pdf || return 1
  words_of hidden.pdf >sheet.txt
  words_of hidden-solution.pdf >solution.txt
  [[ $(comm -13 sheet.txt solution.txt | grep -cx '0') == 1 ]] && pdftotext hidden.pdf - | grep -q 'hatched: 0, hidden' &&
    pdftotext hidden.pdf - | grep -q 'the last digit may differ by 1'
}
check "the solution for a hidden cell's weight is 0" hidden_weight
lines_say() {
  "$headscope" render "${small[@]}" --page lines --cover all --row am --out lines.pdf &&
    pdftotext lines.pdf - | grep -q 'are covered: uncover them to see this page'
}
check "a page that would reveal covered numbers is not shown" lines_say

check_refused 2 'W_Q is a parameter' worksheet "${small[@]}" --stage W_Q --out x.pdf
check_refused 2 'embedding is drawn at random' worksheet "${small[@]}" --stage embedding --out x.pdf
given=("${small[@]}" --set "encoder.layers.0.self.heads.0.query=1 2; 3 4; 5 6")
check_refused 2 'query is given by hand' worksheet "${given[@]}" --stage query --out x.pdf
check_refused 2 'W_Q is not used' worksheet "${given[@]}" --stage W_Q --out x.pdf
check_refused 2 '\-\-page scale has no cells to fill in' worksheet "${small[@]}" --page scale --out x.pdf
check_refused 2 '\-\-head all is not an exercise' worksheet "${small[@]}" --head all --cover all --out x.pdf
check_refused 2 '\-\-stage all is not an exercise' worksheet "${small[@]}" --stage all --cover all --out x.pdf
check_refused 2 '\-\-cover none leaves nothing' worksheet "${small[@]}" --cover none --out x.pdf

# Everything that the formula takes must be on the sheet, even if it is not a stage.
added_by_mask() {
  /usr/bin/python3 -c "import numpy as np; np.save('added.npy', np.array([[0.5, 0, 0], [1, -0.25, 2], [0, 0, 0.125]], dtype=np.float32))" &&
    "$headscope" worksheet "${small[@]}" --stage masked --mask added.npy --out added.pdf &&
    pdftotext added.pdf - | grep -q 'Added by the mask' && pdftotext added.pdf - | grep -qx -- '-0.250\|−0.250'
}
check "the numbers of a mask file are on the sheet" added_by_mask
check_refused 2 'would not fit on A2 either' worksheet "${small[@]:0:2}" --stage query --d-model 64 --out x.pdf
