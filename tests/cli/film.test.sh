#!/usr/bin/env bash
# headscope film: tests the files, what is refused before anything is computed, and that nothing half is left.
# Needs: program imagemagick
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

# has_pictures FILE N : succeeds if a film has so many pictures.
has_pictures() { [[ $(identify "$1" | wc -l) -eq $2 ]]; }

gif() {
  "$headscope" film --page lines --model pronouns --steps 2-4 --seconds 0.5 --size 400x300 --out lines.gif &&
    has_pictures lines.gif 3
}
webp() {
  "$headscope" film --page watch --model pronouns --steps 6-7 --seconds 1 --fps 4 --size 640x400 --out row.webp &&
    [[ $(head -c 4 row.webp) == RIFF ]]
}
pictures() {
  "$headscope" film --page tiles --steps 3 --size 640x400 --out frames && [[ $(ls frames) == frame-00001.png ]]
}
training() {
  "$headscope" film --page train --set training.steps=12 --size 400x300 --out learning.gif &&
    [[ $(identify learning.gif | wc -l) -ge 3 ]]
}
lesson() { "$headscope" lesson 03-why-divide-by-sqrt-dk --out lesson.webp && [[ $(head -c 4 lesson.webp) == RIFF ]]; }
# refused TEXT ARGUMENT… : succeeds if a film is refused with this text, and leaves nothing behind.
refused() {
  local text=$1 before
  shift
  before=$(ls)
  if "$headscope" film "$@" 2>refused.txt; then return 1; fi
  grep -qF -- "$text" refused.txt && rm refused.txt && [[ $(ls) == "$before" ]]
}

check "a GIF has a picture for each word" gif
check "a WebP is written" webp
check "a folder gets numbered PNGs, and one step can be chosen" pictures
check "a training is carried out and shows its snapshots" training
check "a lesson is a film of slides" lesson
check "a film of a training needs a task" refused "add --task" --page train --model untrained --out a.gif
check "a folder that holds something is kept" refused "is not empty" --page tiles --out frames
check "steps that are not there are named" refused "the steps 1 to 9" --page watch --steps 3-12 --out a.webp
check "a page without steps is refused" refused "there is no film of “Lessons”" --page lessons --out a.webp
check "standard output is refused" refused "must end in .webp or .gif" --page watch --out -
check "a folder that is not there is refused" refused "there is no folder" --page watch --out nowhere/a.gif
check "a transparent GIF is refused" refused "--transparent and .gif" --page watch --transparent --out a.gif
check "steps that are no numbers are refused" refused "as in 3-7" --page watch --steps 3- --out a.gif
