#!/usr/bin/env bash
# Tests the text of figures. In an SVG and in a PDF it can be found, selected and copied, and another program draws the
# SVG like our PNG.
# Needs: program poppler-utils imagemagick
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

# words_of_svg FILE : prints the words of its labels, one per line. Fails if the file is not XML.
words_of_svg() {
  python3 - "$1" <<'PYTHON'
import sys
import xml.etree.ElementTree as tree

for label in tree.parse(sys.argv[1]).getroot().iter("{http://www.w3.org/2000/svg}text"):
    print("\n".join((label.text or "").split()))
PYTHON
}

# text_in_both WORDS ARGUMENT… : succeeds if the figure's SVG has these words and at least ten in all, and its PDF has
# every word of the SVG.
text_in_both() {
  local expected=$1 word
  shift
  "$headscope" render "$@" --out text.svg && "$headscope" render "$@" --out text.pdf || return 1
  words_of_svg text.svg | sort -u >svg.txt || return 1
  pdftotext -raw text.pdf - | tr -s '[:space:]' '\n' | sort -u >pdf.txt
  for word in $expected; do
    grep -qxF -- "$word" svg.txt || { echo "“$word” is not in the SVG"; return 1; }
  done
  (($(wc -l <svg.txt) >= 10)) || return 1
  comm -23 svg.txt pdf.txt >missing.txt
  echo "not in the PDF: $(tr '\n' ' ' <missing.txt)"
  [[ ! -s missing.txt ]]
}
export LC_ALL=C.UTF-8
check "the words of a map are text" text_in_both "animal because weights queries 0.111" --row it
check "the words of every stage are text" text_in_both "animal Query K°ᵀ −2.5" --stage all
check "a root, a minus and Greek letters are text" text_in_both "√d_head Why" --page scale
for page in explore heads model positions decoding tiles words effects; do
  check "the words of the page $page are text" text_in_both "" --page "$page" --mask causal
done
check "words of other scripts are text" text_in_both "été Ελλάδα Москва a&b <c> ]]>" \
  --sentence $'été Ελλάδα Москва a&b <c> ]]> "d" \x01 it'
if [[ -n $(fc-list ':lang=ja') ]]; then
  check "words of East Asian scripts are text" text_in_both "日本語" --sentence '日本語 it'
else
  echo "skip - words of East Asia: no installed font has them (fonts-noto-cjk)"
fi
if [[ -n $(fc-list ':lang=hi') ]]; then
  check "vowels drawn before their consonants are copied behind them" text_in_both "किताब हिन्दी" --sentence 'किताब हिन्दी it'
else
  echo "skip - letters that change places: no installed font has them (fonts-noto-core)"
fi

# lacks WORDS ARGUMENT… : succeeds if the figure's SVG has none of these words.
lacks() {
  local expected=$1 word
  shift
  "$headscope" render "$@" --out bare.svg || return 1
  words_of_svg bare.svg | sort -u >bare.txt
  for word in $expected; do
    ! grep -qxF -- "$word" bare.txt || { echo "“$word” is in the SVG"; return 1; }
  done
}
check "a figure has a title, a caption and a colour bar" text_in_both "Attention rows 0.75" --row it
check "a figure can be without them" lacks "Attention rows 0.75" --row it --without title,caption,bar
check "a page has the row that the window shows first" text_in_both "“it” “animal”," --page explore --size slide
check "a page that is longer than a slide is cut" bash -c \
  '"$0" render --page effects --size slide --out slide.png 2>&1 | grep -q "longer than a slide"' "$headscope"
# fits_a_page PAGE : succeeds if the column of the page is at most 230 mm (652 points) long.
fits_a_page() {
  "$headscope" render --page "$1" --size column --out column.svg 2>/dev/null &&
    awk -v height="$(grep -o '<svg[^>]*' column.svg | grep -oE 'height="[0-9.]+' | tr -d 'a-z="')" 'BEGIN { exit !(height > 0 && height <= 652) }'
}
for page in stages effects positions split; do
  check "a column of $page fits on a page" fits_a_page "$page"
done
check "a cut column says so" bash -c '"$0" render --page effects --size column --out column.png 2>&1 | grep -q "longer than a column"' "$headscope"
check "a page can be without its headline" lacks "Where" --page watch --row it --without title
check "several heads are panels of one figure" text_in_both "a b c" --panels 0.0,0.1,0.2 --without title
check "a column of a paper cuts no word" lacks "beca…" --panels 0.0,0.1,0.2,0.3 --size column --without title,bar
"$headscope" render --panels 0.0,0.1 --without title --serif --out first.png
check "a figure of panels is made again from its file" "$headscope" render first.png --out again.png
check "with the same bytes" cmp first.png again.png
"$headscope" render --panels 0.0,0.1 --without title --out sans.png
check "serif text differs" bash -c '! cmp -s first.png sans.png'
refuses_panels() { ! "$headscope" render "$@" --out none.png 2>complaint && grep -qF -- "$wanted" complaint; }
wanted="it takes at most 26 heads" check "panels that are no heads are refused" refuses_panels --panels one
wanted="choose one that it has" check "panels of missing heads are refused" refuses_panels --panels 7.0
wanted="panels are maps of heads" check "panels of pages are refused" refuses_panels --panels 0.0 --page watch
wanted="has none" check "panels of stages without heads are refused" refuses_panels --panels 0.0,0.1 --stage input
wanted="at most 26" check "more panels than letters are refused" refuses_panels --panels "$(printf '0.%d,' {0..26})0.0"
check "26 panels fit, and three fit into a column" "$headscope" render --panels 0.0,0.1,0.2 --size column --out c.png
wanted="title, caption and bar" check "unknown parts are refused" refuses_panels --without legend

# looks_alike ARGUMENT… : succeeds if librsvg draws the figure's SVG with little difference from its PNG.
looks_alike() {
  local difference
  "$headscope" render "$@" --scale 1 --out here.png && "$headscope" render "$@" --out there.svg || return 1
  rsvg-convert there.svg -o there.png || return 1
  difference=$(compare -metric MAE here.png there.png null: 2>&1) || true
  echo "mean difference: $difference"
  awk -v part="${difference##*(}" 'BEGIN { exit !(part + 0 < 0.02) }'
}
if ! command -v rsvg-convert >/dev/null; then
  echo "skip - SVG drawn by another program: no rsvg-convert (librsvg2-bin) here"
  exit 0
fi
check "the SVG of a map looks like its PNG" looks_alike --row it
check "the SVG of a dark map with hatched cells looks like its PNG" looks_alike --mask causal --theme dark
check "the SVG of all heads looks like its PNG" looks_alike --head all
check "the SVG of a page with pictures looks like its PNG" looks_alike --page model
check "the SVG of lines looks like its PNG" looks_alike --page lines
