#!/usr/bin/env bash
# Wrong options and values exit with 2, and other failures with 1. Each must give its reason and write nothing.
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

out=(--out figure.png)
check_refused 2 '--heads 0 .*1 to 1024' render "${out[@]}" --heads 0
check_refused 2 '--heads -3 .*1 to 1024' render "${out[@]}" --heads -3
check_refused 2 '--heads 2\.5 .*whole number' render "${out[@]}" --heads 2.5
check_refused 2 '--heads 4x .*whole number' render "${out[@]}" --heads 4x
check_refused 2 '--heads 99999999999999999999 ' render "${out[@]}" --heads 99999999999999999999
check_refused 2 '--d-model 0 .*1 to 65536' render "${out[@]}" --d-model 0
check_refused 2 '--d-model -64 .*1 to 65536' render "${out[@]}" --d-model -64
check_refused 2 '--d-model .*65 is not divisible by 8 heads: 64 or 72' render "${out[@]}" --d-model 65 --heads 8
check_refused 2 '--d-head 0 ' render "${out[@]}" --d-head 0
check_refused 2 '--d-value 70000 ' render "${out[@]}" --d-value 70000
check_refused 2 '--seed -1 ' render "${out[@]}" --seed -1
check_refused 2 '--seed 18446744073709551616 ' render "${out[@]}" --seed 18446744073709551616
check_refused 2 '--init uniform .*normal, xavier or scaled' render "${out[@]}" --init uniform
check_refused 2 '--positions spiral ' render "${out[@]}" --positions spiral
check_refused 2 'd_head 3 is odd' render "${out[@]}" --positions rotary --d-head 3
check_refused 2 '--no-bias z .*q,k,v,o' render "${out[@]}" --no-bias=z
check_refused 2 '--model bert .*untrained' render "${out[@]}" --model bert
check_refused 2 '--details takes no value: leave out “=x”' render "${out[@]}" --details=x
check_refused 1 "there is no file or folder 'nowhere/bert'" render "${out[@]}" --model nowhere/bert
check_refused 1 "there is no file or folder 'missing.gguf'" render "${out[@]}" missing.gguf
printf '%s\n' 'version https://git-lfs.github.com/spec/v1' 'oid sha256:1' 'size 1234567' >pointer.gguf
printf 'GGU' >cut.gguf
printf 'abc' >cut.safetensors
printf 'some words' >notes.txt
mkdir lora several several/first several/second
printf '{"base_model_name_or_path": "gpt2"}' >lora/adapter_config.json
touch several/first/config.json several/second/config.json
check_refused 1 'Git LFS pointer .1,234,567 bytes are elsewhere.: run “git lfs pull”' info ../pointer.gguf
check_refused 1 "cut.gguf' is not a GGUF file, or a damaged one" info ../cut.gguf
check_refused 1 "cut.safetensors' is a damaged safetensors file" ../cut.safetensors --screenshot a.png
check_refused 1 "notes.txt' is a text.*captured attention" info ../notes.txt
check_refused 1 'is a LoRA adapter of gpt2' info ../lora
check_refused 1 'holds several models: open one of first, second' info ../several
rm -r pointer.gguf cut.gguf cut.safetensors notes.txt lora several
check_refused 1 'a.xe2.x80.xae/b' info $'a\xe2\x80\xae/b'
check_refused 2 '--word animl .*did you mean animal' render "${out[@]}" --page effects --model pronouns --word animl
check_refused 2 '--word cat .*predicts no words' render "${out[@]}" --page effects --model untrained --word cat
check_refused 2 '--stacks tower ' render "${out[@]}" --stacks tower
check_refused 2 '--layers 1001 .*1 to 1000' render "${out[@]}" --layers 1001
check_refused 2 '--norm middle ' render "${out[@]}" --norm middle
check_refused 2 '--d-ff -1 .*0 to 1048576' render "${out[@]}" --d-ff=-1
check_refused 2 '--activation tanh ' render "${out[@]}" --activation tanh
check_refused 2 '--output-layer wide ' render "${out[@]}" --output-layer wide
check_refused 2 '--dropout 1 .*0 to 0.95' render "${out[@]}" --dropout 1
check_refused 2 'a single stack has only one sentence' render "${out[@]}" --target 'Das Tier'
check_refused 2 'a single stack has only one sentence' render "${out[@]}" --cross-mask causal
check_refused 2 '--target-mask padding:99 ' render "${out[@]}" --stacks encoder-decoder --target-mask padding:99
check_refused 2 '--mask prefix:x ' render "${out[@]}" --mask prefix:x
check_refused 1 "cannot read 'missing.txt': .*a batch is a text file" render "${out[@]}" --batch missing.txt
check_refused 2 '--sentence needs a value, but is followed by the option --out' render --sentence --out x.png
check_refused 2 '--sentence needs a value, but is followed by the option --heads' render --sentence --heads 2 --out x.png
check_refused 2 '--heads needs a value after it' render "${out[@]}" --heads
check_refused 2 '--sequence needs --batch' render "${out[@]}" --sequence 1
check_refused 2 'takes no value' render "${out[@]}" --against=tired
check_refused 2 'only a figure, the numbers of a page and the window show two subjects' trace --out trace --against --head 1
check_refused 2 'after --against: .*--head 9' render "${out[@]}" --against --head 9
check_refused 2 'after --against: .*--model untrained' render "${out[@]}" --against --d-model 32
check_refused 2 'after --against: .*no words' render "${out[@]}" --against --sentence ''
check_refused 2 'no option --tired' render "${out[@]}" --against --tired
check_refused 1 'the target has no words' render "${out[@]}" --stacks encoder-decoder --target ''
check_refused 2 'concatenated head outputs are 32 wide' render "${out[@]}" --layers 2 --d-value 8 --no-output-projection
check_refused 2 'need --weights' trace --input x.npy --out trace.safetensors
check_refused 2 '--output-bias needs a final linear layer.*--output-layer' render "${out[@]}" --output-bias
check_refused 2 '--output-words needs a final linear layer' render "${out[@]}" --output-words 'yes no' --model untrained
check_refused 2 '--output-words and --model pronouns cannot be combined' render "${out[@]}" --output-words 'yes no' --model pronouns
check_refused 2 '--preset nothing .*Untrained' render "${out[@]}" --preset nothing
check_refused 2 '--preset by-hnd .*did you mean by-hand\?' render "${out[@]}" --preset by-hnd
check_refused 2 '--model pronuns .*did you mean pronouns\? It takes untrained' render "${out[@]}" --model pronuns
check_refused 2 '--page explroe .*did you mean explore\? It takes' render "${out[@]}" --page explroe
check_refused 2 '--preset self .*several.*by hand' render "${out[@]}" --preset self
check_refused 2 '--tokenizer bpe .*word, seed1, model or ids' render "${out[@]}" --tokenizer bpe
check_refused 2 '--tokenizer bpe .*word, seed1, model or ids, or a file or folder' tokenize --tokenizer bpe --sentence a
check_refused 2 '--format json .*tokens or ids' tokenize --format json --sentence a
check_refused 2 "--special needs a model's own tokenizer" tokenize --special --sentence a
check_refused 2 '--tokenizer of a file needs --sentence or --batch' tokenize --tokenizer .
check_refused 2 '--model cannot be combined' tokenize --tokenizer . --model copying --sentence a
check_refused 1 'the folder has none of the files' tokenize --tokenizer . --sentence a
check_refused 2 '--sentence .*no words' render "${out[@]}" --sentence ''
check_refused 2 '--sentence .*no words' render "${out[@]}" --sentence $' \t\n'
check_refused 2 '--mask diagonal .*it takes none, causal' render "${out[@]}" --mask diagonal
check_refused 2 '--mask documnt:1 .*did you mean document\? It takes none' render "${out[@]}" --mask documnt:1
check_refused 2 '--mask windw:2 .*did you mean window\? It takes none, causal' render "${out[@]}" --mask windw:2
check_refused 2 '--mask window:-1 ' render "${out[@]}" --mask window:-1
check_refused 2 '--mask window: ' render "${out[@]}" --mask window:
check_refused 2 '--mask padding:11 .*0 to 10' render "${out[@]}" --mask padding:11
check_refused 2 '--mask padding:1,,2 ' render "${out[@]}" --mask padding:1,,2
check_refused 2 '--mask painted:3 .*QUERY.KEY' render "${out[@]}" --mask painted:3
check_refused 2 '--mask-value zero .*inf .*1e9 .*or a number' render "${out[@]}" --mask-value zero
for value in nan 1e39 1e9x; do
  check_refused 2 "--mask-value .*or a number" render "${out[@]}" "--mask-value=$value"
done
check_refused 2 '--attention-temperature 0 .*0.01 to 100' render "${out[@]}" --attention-temperature 0
check_refused 2 '--attention-temperature nan ' render "${out[@]}" --attention-temperature nan
check_refused 2 '--softmax rows .*keys or queries' render "${out[@]}" --softmax rows
check_refused 2 '--stage weigths .*did you mean weights\? .*headscope info.* lists ' render "${out[@]}" --stage weigths
check_refused 2 '--stage nonsense is not valid: choose ' render "${out[@]}" --stage nonsense
check_refused 2 'encoder.positions.*positions are off' render "${out[@]}" --stage positions --positions none
check_refused 2 '--stage encoder.layers.0.self.heads.7.raw .*0 to 3' render "${out[@]}" --stage encoder.layers.0.self.heads.7.raw
check_refused 2 'different heads' render "${out[@]}" --stage encoder.layers.0.self.heads.2.raw --head 1
check_refused 2 '--head 4 .*0 to 3' render "${out[@]}" --head 4
check_refused 2 '--head -1 .*0 to 3' render "${out[@]}" --head -1
check_refused 2 '--head 1 .*only head 0' render "${out[@]}" --heads 1 --head 1
check_refused 2 '--stack decoder .*only an encoder' render "${out[@]}" --stack decoder
check_refused 2 '--stack encoder .*only a decoder' render "${out[@]}" --stacks decoder --stack encoder
check_refused 2 '--stack encoder .*--attention cross' render "${out[@]}" --stacks encoder-decoder --attention cross --stack encoder
check_refused 2 '--stage decoder.layers.0.self.concat .*only an encoder' render "${out[@]}" --stage decoder.layers.0.self.concat
check_refused 2 '--layer 1 ' render "${out[@]}" --model untrained --layer 1
check_refused 2 '--attention cross .*--stacks encoder-decoder and --stacks cross, and the model has only an encoder' render "${out[@]}" --attention cross
check_refused 2 '--attention cross .*only a decoder' render "${out[@]}" --stacks decoder --attention cross
check_refused 2 '--stage W_1 .*did you mean feed_forward.W_1\?' render "${out[@]}" --model pronouns --stage W_1
check_refused 2 '--stage table .*did you mean embedding.table\?' render "${out[@]}" --model pronouns --stage table
experts=(--model "$HEADSCOPE_ROOT/tests/fixtures/foreign/gemma4_a4b" --ids 1,2,3)
check_refused 2 '--stage W_1 .*did you mean feed_forward.W_1 or feed_forward.dense.W_1\?' render "${out[@]}" "${experts[@]}" --stage W_1
for command in 'trace --out x.npy' 'explain --row 0 --column 0'; do
  # shellcheck disable=SC2086
  check_refused 2 '--stage experts .*did you mean .*feed_forward.router_logits, feed_forward.shares' $command "${experts[@]}" --stage experts
  # shellcheck disable=SC2086
  check_refused 2 '--stage decoder.layers.0.self.heads.0.weigths .*did you mean weights\?' $command --stage decoder.layers.0.self.heads.0.weigths
  # shellcheck disable=SC2086
  check_refused 2 '--stage experts is not valid: choose ' $command --model pronouns --stage experts
done
check_refused 2 '--stage key.weights .*did you mean weights\?' render "${out[@]}" --stage key.weights
check_refused 2 '--stage qqqq .*or a path such as encoder.layers.1.self.heads' render "${out[@]}" --model untrained --layers 2 --layer 1 --stage qqqq
check_refused 2 '--stage w_q .*did you mean W_Q\?' render "${out[@]}" --stage w_q
check_refused 2 '--stage actvated .*did you mean feed_forward.activated\?' render "${out[@]}" --model pronouns --stage actvated
two=(--stacks encoder-decoder)
check_refused 2 "--target '' .*the target has no words, and --row" explain "${two[@]}" --target '' --attention cross --row 0 --column 0
check_refused 2 "--target '' .*the target has no words, and --row" explain "${two[@]}" --target '' --attention self --stack decoder --row it --column 0
check_refused 2 "--sentence '' .*the sentence has no words, and --row" explain --sentence '' --row it --column 0
check_refused 2 '--row Hund .*1 Tier' explain "${two[@]}" --output-layer tied --stage logits --row Hund --column 0
check_refused 2 '--row dog .*1 animal' render "${out[@]}" --row dog
check_refused 2 '--row the:2 .*2 times' render "${out[@]}" --row the:2
check_refused 2 '--column 11 .*0 to 10' render "${out[@]}" --row 0 --column 11
check_refused 2 '--column needs --row' render "${out[@]}" --column 1
check_refused 2 '--theme blue .*light or dark' render "${out[@]}" --theme blue
check_refused 2 '--colors jet .*viridis' render "${out[@]}" --colors jet
check_refused 2 '--range 1:0 ' render "${out[@]}" --range 1:0
check_refused 2 '--transfer gamma:0 ' render "${out[@]}" --transfer gamma:0
check_refused 2 '--scale 5 .*1 to 4' render "${out[@]}" --scale 5
check_refused 2 '--scale 0.5 .*1 to 4.*factor of the scores is --score-scale' render "${out[@]}" --scale 0.5
check_refused 2 'no option --scale: did you mean .*--score-scale\?' explain --scale 0.5
check_refused 2 '--size 10x10 ' render "${out[@]}" --size 10x10
check_refused 2 '--size wide ' render "${out[@]}" --size wide
check_refused 2 '--out figure.gif .*png' render --out figure.gif
check_refused 2 '--scale .*PNG' render --out figure.svg --scale 2
check_refused 2 '--out.*required' render
check_refused 2 'no option --hedas' render --hedas 3
check_refused 2 '--hedas: did you mean' render "${out[@]}" --hedas 3
check_refused 2 '--sentence' render "${out[@]}" --sentence
check_refused 2 'render --help' render "${out[@]}" --heads 0
check_refused 2 'hello.*--sentence' render "${out[@]}" hello
check_refused 2 'rendr.*render' rendr
check_refused 2 'there is no option --nothing' --nothing
check_refused 2 '--screenshot cannot be combined with tokenize' --screenshot window.png tokenize --sentence a
check_refused 2 '--ui-scale cannot be combined with render' --ui-scale 3 render "${out[@]}"
check_refused 2 '--size cannot be combined with render.*window' --size 900x900 render "${out[@]}"
check_refused 2 '--theme cannot be combined with tokenize' --theme dark tokenize --sentence a
check_refused 2 '--heads is given more than once \(2, 4\)' --heads 2 render "${out[@]}" --heads 4
check_refused 2 "--sentence is given more than once \\('a b', c\\): keep one" render "${out[@]}" --sentence 'a b' --sentence c
check_refused 2 '--no-bias is given more than once' render "${out[@]}" --no-bias=q --no-bias=k
check_refused 2 '--theme is given more than once' --theme dark --theme light
check_refused 2 '--screenshot window.jpg ' --screenshot window.jpg
check_refused 2 '--ui-scale 9 ' --ui-scale 9 --screenshot window.png
check_refused 2 '--size 1x1 ' --size 1x1 --screenshot window.png
check_refused 2 '--out weights.npy .*--stage' trace --out weights.npy
check_refused 2 '--out weights.txt ' trace --stage weights --out weights.txt
check_refused 2 '--head 1 needs --stage' trace --head 1 --out trace.safetensors
check_refused 2 '--head all .*only a figure takes all heads: the heads are 0 to 3' trace --stage raw --head all --out raw.npy
check_refused 2 '--head all .*only a figure takes all heads: the heads are 0 to 3' explain --head all --row 0 --column 0
check_refused 2 '--stage all .*only a figure takes all stages' explain --stage all --row 0 --column 0
check_refused 2 '--stage all .*leave out --stage' trace --stage all --out all.npy
check_refused 2 '--out .safetensors .*has nothing before' trace --out .safetensors
check_refused 2 '--out ./.npy .*has nothing before' trace --out ./.npy
check_refused 2 '--out .csv .*has nothing before' trace --stage raw --out .csv
check_refused 2 '--row is missing' explain --column 1
check_refused 2 '--column 64 .*0 to 63' explain --stage input --row 0 --column 64
check_refused 2 'the output projection is off' explain --stage W_O --no-output-projection --row 0 --column 0

check_refused 1 "'nowhere.npy'" render "${out[@]}" --mask nowhere.npy
check_refused 1 "'nowhere/figure.png'.*folder" render --out nowhere/figure.png
check_refused 1 "'nowhere/trace.safetensors'" trace --out nowhere/trace.safetensors
check_refused 1 "nowhere/trace'" trace --out nowhere/trace
check_refused 1 "'/dev/full'.*space" render --out /dev/full
check_refused 1 "'/dev/full'.*space" trace --out /dev/full
check_refused 1 "'/proc/figure.png'" render --out /proc/figure.png
words=$(printf 'word%s ' {1..5000})
check_refused 1 '5000 tokens, but 4599 is the most that fits' render "${out[@]}" --d-model 1024 --heads 16 --layers 24 --sentence "$words"
words=$(printf 'word%s ' {1..101})
check_refused 1 'table has 100 rows' render "${out[@]}" --tokenizer seed1 --sentence "$words"

# Limits files to 4 KiB, which stands for a full disk.
on_a_full_disk() (
  trap '' XFSZ
  ulimit -f 4
  local status=0
  "$headscope" "$@" || status=$?
  ((status == 1))
)
echo kept >figure.png
mkdir folder
check "on a full disk, render exits with 1" on_a_full_disk render --out figure.png
check "on a full disk, the old figure stays" grep -qx kept figure.png
check "on a full disk, trace exits with 1" on_a_full_disk trace --out trace.safetensors
check "on a full disk, a trace into a folder exits with 1" on_a_full_disk trace --d-model 512 --out folder
check "on a full disk, no half-written file is left" test "$(find . -mindepth 1 | sort | tr '\n' ' ')" = "./figure.png ./folder "
full_output() { local status=0; "$headscope" info >/dev/full || status=$?; ((status == 1)); }
check "a full standard output exits with 1" full_output

# There is enough memory for the program but not for this pass.
too_little_memory() {
  local status=0
  (ulimit -v 150000 && "$headscope" trace --sentence "$words" --d-model 1024 --heads 16 --out large.safetensors) >out 2>message || status=$?
  head -c 300 message
  [[ $status == 1 && ! -s out && ! -e large.safetensors ]] && grep -q '^headscope: .*memory' message
}
words=$(printf 'word%s ' {1..1500})
check "too little memory exits with 1 and a message" too_little_memory
