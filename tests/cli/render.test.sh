#!/usr/bin/env bash
# headscope render: tests the files, what they show, and the scene in their metadata.
# Needs: program python3-numpy imagemagick
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

# again FILE ARGUMENT… : succeeds if a figure can be drawn again from its file, byte for byte.
again() {
  local file=$1
  shift
  "$headscope" render --out "$file" "$@" || return 1
  cp -- "$file" "first.${file##*.}"
  "$headscope" render "first.${file##*.}" --out "second.${file##*.}" && cmp -- "$file" "second.${file##*.}"
}

same_as_usual() {
  "$headscope" render --out same.png --layers 1 --norm none --no-residual --d-ff 0 --stacks encoder || return 1
  mv same.png named.png
  "$headscope" render --out same.png --model untrained && cmp -- same.png named.png
}
before_the_command() {
  "$headscope" --theme dark --heads 2 render --out place.png || return 1
  mv place.png before.png
  "$headscope" render --out place.png --theme dark --heads 2 && cmp -- place.png before.png
}

check "a figure is drawn again from its file: the default figure" again figure.png
check "a page has the name of its tab, too" again figure.png --page overview
check "a figure is drawn again from its file: a comparison of two sentences" again figure.png --page compare --sentence "it was too wide" --against --sentence "it was too tired"
check "a figure is drawn again from its file: a difference of two heads with a mask" again figure.png --model untrained --difference --head 2 --against --head 1 --mask causal
check "a figure is drawn again from its file: a bundled model beside random weights" again figure.png --page compare --head 1 --against --model untrained
cp -r -- "$HEADSCOPE_ROOT/assets/models/pronouns" other-model
"$headscope" render --out place.svg --page compare --sentence "The cat sat because it was tired" --layer 0 --head 2 --against --model ./other-model
check "another model keeps the layer, the head and the sentence" bash -c "[[ \$(grep -o 'Layer 0, head 2' place.svg | wc -l) == 2 ]] && ! grep -q 'What differs:.*sentence' place.svg"
check "a figure is drawn again from its file: three subjects" again figure.png --page compare --against --attention-temperature 2 --against --attention-temperature 3
a_choice() {
  "$headscope" render --out choice.png --sentence "it was too {tired|wide}" || return 1
  mv choice.png made.png
  "$headscope" render --out choice.png --page compare --sentence "it was too wide" --against --sentence "it was too tired" &&
    cmp -- choice.png made.png
}
check "a choice in the sentence makes a comparison" a_choice
check "a figure is drawn again from its file: an untrained model" again figure.png --model untrained
check "a figure is drawn again from its file: another head" again figure.png --layer 0 --head 2 --row it
check "a figure is drawn again from its file: all heads of a layer" again figure.png --head all
check "a figure is drawn again from its file: the diagram" again figure.png --diagram
for page in explore stages heads model positions words split train inspector; do
  for model in pronouns copying reversing untrained; do
    check "a figure is drawn again from its file: the page $page of $model" again figure.png --model "$model" --scale 1 --page "$page"
  done
  check "a figure is drawn again from its file: the page $page of two stacks" again figure.png --stacks encoder-decoder --layers 2 --attention cross \
    --layer 1 --page "$page" --size 500x400 --theme dark
done
check "a figure is drawn again from its file: a quoted sentence" again figure.png --sentence $'it\'s "so" `so` $HOME \\ *\tnew\nline'
for format in png svg pdf; do
  check "a sentence with noncharacters is drawn as $format" "$headscope" render --sentence $'a \xef\xbf\xbf \xf4\x8f\xbf\xbf b' \
    --out "odd.$format"
done
check "a figure is drawn again from its file: a sentence with noncharacters" again odd.png --sentence $'a \xef\xbf\xbf it\'s \xf4\x8f\xbf\xbf\x01 b'
says_the_package() {
  "$headscope" render --sentence $'a \xee\x80\x80 b' --out private.png 2>message && [[ ! -s message ]] || return 1
  "$headscope" render --sentence $'a \xe1\x88\x88 b' --out script.png 2>message || return 1
  cat message
  # On a machine that has a font with Ethiopic letters, there is no message.
  fc-list ':charset=1208' | grep -q . || grep -q '^headscope: .*apt install fonts-noto-core$' message
}
check "a message names the package for a letter without a font" says_the_package
check "a figure is drawn again from its file: a sentence and a file that begin with a dash" again -figure.png --sentence '- no -x'
check "a figure is drawn again from its file: a file name with spaces" again 'my figure.png' --head 2
check "a figure is drawn again from its file: model options" again figure.png --d-model 30 --heads 3 --d-head 7 --d-value 5 --positions none --no-bias=q,v \
  --init normal --seed 18446744073709551615 --stage output
check "a figure is drawn again from its file: no bias and no output projection" again figure.png --no-bias --no-output-projection --stage projected
check "a figure is drawn again from its file: attention options" again figure.png --mask causal --mask window:3 --mask padding:0,2 --mask painted:5.1,4.4 \
  --mask-value 1e9 --no-scale --attention-temperature 0.7 --softmax queries
for value in 0 -10000 -inf 0.25; do
  check "a figure is drawn again from its file: a mask value of $value" again figure.png --mask causal "--mask-value=$value" --stage masked
done
check "a figure is drawn again from its file: a mask value in a separate word" again figure.png --mask causal --mask-value -10000
check "a figure is drawn again from its file: a decoder with a prefix" again figure.png --stacks decoder --mask prefix:3
check "a figure is drawn again from its file: a causal decoder with a prefix" again figure.png --stacks decoder --mask causal --mask prefix:3
check "a figure is drawn again from its file: a decoder without a mask" again figure.png --stacks decoder --mask none --mask window:4
check "a figure is drawn again from its file: picture options" again figure.png --head all --theme dark --colors cividis,purple_green --range -0.5:0.25 \
  --transfer gamma:0.3 --no-numbers --scale 1 --size 700x500
check "a figure is drawn again from its file: all stages" again figure.png --stage all --head 3 --range row --transfer logarithmic
check "a figure is drawn again from its file: a marked token" again figure.png --row it
check "a figure is drawn again from its file: an outlined cell" again figure.png --stage raw --row the:1 --column street --range all_heads
check "a figure is drawn again from its file: the untrained model, given by its options" again figure.png --model untrained --stacks encoder --layers 1 --norm none \
  --no-residual --d-ff 0 --positions sinusoidal --stack encoder --layer 0 --attention self
check "the options of the untrained model give the usual figure" same_as_usual
check "options may come before the command" before_the_command
check "a figure is drawn again from its file: a preset" again figure.png --preset "Four heads"
check "a figure is drawn again from its file: a preset with another sentence" again figure.png \
  --preset "The Transformer, enc" --sentence "je suis ici" --stage probabilities
check "a figure is drawn again from its file: given output words" again figure.png --output-layer linear --output-bias --output-words "yes no it's" --stage logits
check "a figure is drawn again from its file: stages that share a name" again figure.png --stage encoder.input
/usr/bin/python3 -c 'import numpy; numpy.save("mask.npy", numpy.tri(11, dtype=bool))'
check "a figure is drawn again from its file: a mask file" again figure.png --mask mask.npy

# shellcheck disable=SC2016
printf '%s\n' 'one two' '' '- no $HOME | it'"'"'s "so" \n %s' 'The cat sat on the mat it saw to day and then' >batch.txt
/usr/bin/python3 -c 'import numpy; numpy.save("masks.npy", numpy.random.default_rng(1).random((3, 12, 12)) > 0.3)'
check "a figure is drawn again from its file: a padded sentence of a batch" again figure.png --batch batch.txt
check "a figure is drawn again from its file: another sentence of a batch" again figure.png --batch batch.txt --sequence 1 --stage all --head 2
check "a figure is drawn again from its file: the longest sentence of a batch, with a mask per sentence" again figure.png --batch batch.txt --sequence 2 --mask masks.npy
check "a figure is drawn again from its file: two sentences of a batch" again figure.png --batch batch.txt --sequence 1 --page compare --against --sequence 2
check "a figure is drawn again from its file: the words of a batch" again figure.png --batch batch.txt --layers 1 --output-layer tied --stage probabilities
check "a figure is drawn again from its file: a batch of one sentence" again figure.png --batch <(echo 'a batch of one')
"$headscope" render --batch batch.txt --sequence 1 --out another.png
rm -f batch.txt
check "a figure of a batch needs no file" "$headscope" render another.png --out again.png

# Any setting is given by its key.
same_by_key() {
  "$headscope" render --model untrained --mask window:2 --theme dark --head 1 --page inspector --row 2 --column 1 --out option.png || return 1
  "$headscope" render --model untrained --set attention.window=2 --set picture.theme=dark --set selection.head=1 \
    --page inspector --set selection.pin=encoder.layers.0.self.heads.1.weights:2.1 --set selection.token=2 --out key.png &&
    cmp option.png key.png
}
check "--set gives settings by their keys" same_by_key
check "--set changes a figure that is drawn again" "$headscope" render another.png --set sequence=0 --out other.png
check "--set selects what is explained" bash -c "'$headscope' explain --set selection.head=2 --row it --column animal | grep -q 'heads.2.weights'"
check_refused 2 'selection.head and --head name the same' render --head 2 --set selection.head=1 --out x.png
check_refused 2 'picture.theme belongs to the whole figure' render --page compare --against --set picture.theme=light --out x.png
check_refused 2 'selects nothing here' info --set selection.head=0
check_refused 2 'task foo is not valid' render --model untrained --set task=foo --out x.png
check_refused 2 'its item \[1\] is 99' render --model untrained --set 'attention.padding=[0,99]' --out x.png
check_refused 2 'attention.window  *.. is not valid' render --model untrained --set attention.window= --out x.png
worksheet_of_figure() {
  "$headscope" render --model untrained --out f.svg && "$headscope" worksheet f.svg --out sheet.svg &&
    grep -q 'width="595"' sheet.svg
}
check "a worksheet of a figure is a worksheet" worksheet_of_figure
other_size() {
  "$headscope" render --size slide --out slide.png && "$headscope" render slide.png --size 900x600 --scale 1 --out page.png &&
    [[ $(identify -format '%w' page.png) != 960 ]]
}
check "--size replaces the paper of a figure" other_size
check_refused 2 'attention.temperature 0 is not valid: it takes a number from 0.01 to 100' render --set attention.temperature=0 --out x.png
check_refused 2 'did you mean attention.temperature' render --set attention.temprature=1 --out x.png
check_refused 2 'd_model 64 is not divisible by 3 heads' render --model untrained --set architecture.heads=3 --out x.png
check_refused 2 'trained weights: add --model untrained' render --set architecture.heads=8 --out x.png
check_refused 2 'model cannot be typed: use --model' render --set model=copying --out x.png
check_refused 2 'selection.pin encoder.layers.0.self.heads.1.weights:90.1 is not valid' \
  render --set selection.pin=encoder.layers.0.self.heads.1.weights:90.1 --out x.png

for file in 1.png 2.png dark.png causal.png free.png; do
  case $file in
    1.png) options=(--scale 1) ;;
    2.png) options=(--scale 2) ;;
    dark.png) options=(--theme dark) ;;
    causal.png) options=(--mask causal) ;;
    free.png) options=() ;;
  esac
  "$headscope" render "${options[@]}" --out "$file"
done
read -r width height < <(identify -format '%w %h\n' 1.png)
check "a scale of 2 doubles the width and height" test "$(identify -format '%w %h' 2.png)" = "$((2 * width)) $((2 * height))"
brightness() { convert "$1" -alpha off -colorspace gray -format '%[fx:mean > 0.5]' info:; }
check "the light theme is light" test "$(brightness free.png)" = 1
check "the dark theme is dark" test "$(brightness dark.png)" = 0
differ() { ! cmp -s -- "$1" "$2"; }
check "a causal mask changes the picture" differ causal.png free.png

"$headscope" render --out figure.svg && "$headscope" render --out figure.pdf
check "render writes an SVG" grep -q '<svg' figure.svg
check "an SVG contains its scene" grep -q '<metadata>.*model.*pronouns' figure.svg
check "render writes a PDF" grep -qa '^%PDF-' figure.pdf
echo old >target.png && ln -s target.png link.png
"$headscope" render --out link.png
check "a symbolic link to a figure stays a link" test -L link.png
check "the file that the link points to is the figure" test "$(identify -format %m target.png)" = PNG
check "a fully masked row is drawn" "$headscope" render --mask padding:0,1,2,3,4,5,6,7,8,9,10 --out masked.png
check "Korean, emoji and invalid UTF-8 are drawn" "$headscope" render --sentence $'그는 피곤했다 🙂 \xff' --out text.png
check "a single token is drawn" "$headscope" render --sentence one --stage all --out one.png
