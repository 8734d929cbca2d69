#!/usr/bin/env bash
# Opens the model folders of other programs: info for every family, traces with and without parameters, texts longer
# than the context, and texts without a tokenizer.
# Needs: program
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

models=$HEADSCOPE_ROOT/tests/fixtures/foreign
for model in "$models"/*/; do
  name=$(basename "$model")
  "$HEADSCOPE" info --model "$model" >info.txt 2>&1
  check "info describes the model $name" grep -q 'no tokenizer (sentences are ids)' info.txt
done

"$HEADSCOPE" info --model "$models/gpt_neo" >info.txt 2>&1
check 'info counts the layers with a window' grep -q 'sliding window of 3 (in 1 layer),' info.txt
"$HEADSCOPE" info --model "$models/gemma3n" >info.txt 2>&1
check 'info counts the unused tensors' grep -q 'k_norm.weight and 1 more of other layers,' info.txt

# tensors FILE : writes the names in a safetensors file to the file "names".
tensors() { head -c "$((8 + $(od -An -tu8 -N8 "$1")))" "$1" | tail -c +9 | grep -o '"[a-z][a-zA-Z0-9._]*":{' >names; }
"$HEADSCOPE" trace --model "$models/phi3" --ids 1,2,3 --out small.safetensors
tensors small.safetensors
check 'a trace of a foreign model has the stages' grep -q 'decoder.layers.1.self.heads.3.weights' names
check 'a trace of a foreign model has no parameters' eval '! grep -q W_Q names'
"$HEADSCOPE" trace --model "$models/mixtral" --ids 1,2,3 --page experts --out experts.csv
check 'a mixture of experts says which expert takes which token' test "$(grep -c '^shares,' experts.csv)" = 12
check_refused 1 'This model has no experts' trace --model "$models/phi3" --ids 1,2,3 --page experts --out none.csv
"$HEADSCOPE" trace --model "$models/phi3" --ids 1,2,3 --parameters --out whole.safetensors
tensors whole.safetensors
check 'a trace of a foreign model has parameters with --parameters' grep -q W_Q names
"$HEADSCOPE" trace --model pronouns --out own.safetensors
tensors own.safetensors
check 'a trace of a bundled model always has its parameters' grep -q W_Q names

ids=$(seq -s, 1 20)
for command in 'render --out long.svg' 'trace --out long.safetensors' 'explain --row 1 --column 1'; do
  # shellcheck disable=SC2086
  "$HEADSCOPE" $command --model "$models/gpt_neo" --ids "$ids" >out.txt 2>err.txt
  check "${command%% *} cuts a long text off and says so" grep -q 'has 20 tokens, and the model reads the first 12' err.txt
done

check_refused 1 'reads only ids, because its tokenizer cannot be read' render --out a.svg --model "$models/bert" \
  --sentence 'The cat'
check_refused 1 'is not an id from 0 to 28' render --out a.svg --model "$models/bert" --tokenizer ids --sentence '99'

# Opens a GGUF file by its path, and by a name that does not say what it is, as Ollama stores it.
gguf=$HEADSCOPE_ROOT/../shared/reference/checkpoints/gguf
if [[ -d $gguf ]]; then
  "$HEADSCOPE" info --model "$gguf/stories260K-q8_0.gguf" >info.txt 2>&1
  check 'info of a GGUF file names its family' grep -qE 'Llama: .*5 layers' info.txt
  check 'info of a GGUF file names its types of blocks' grep -qE 'Stored as Q8_0: [0-9]+ tensors, [0-9]+ kB; F16: ' info.txt
  cp "$gguf/stories260K-f32.gguf" sha256-0123
  "$HEADSCOPE" trace --model sha256-0123 --sentence 'Once upon a time' --stage weights --out weights.npy
  check 'trace writes a stage of a GGUF file' grep -q NUMPY weights.npy
  "$HEADSCOPE" explain --model sha256-0123 --sentence 'Once upon a time' --row 1 --column 0 >explained.txt
  check 'explain explains a cell of a GGUF file' grep -q softmax explained.txt
  "$HEADSCOPE" render --model sha256-0123 --sentence 'Once upon a time' --out weights.svg
  check 'render draws a GGUF file' grep -q '<svg' weights.svg
  "$HEADSCOPE" tokenize --tokenizer sha256-0123 --sentence 'Once upon a time' >tokens.txt
  check 'tokenize prints the tokens of a GGUF file' grep -q 'upon' tokens.txt
  head -c 5000 sha256-0123 >cut.gguf
  check_refused 1 'cut.gguf.*cut off and must be downloaded again' render --out a.svg --model ../cut.gguf --ids 1,2
  check_refused 1 'general.architecture is “test”, but only these are supported: llama' render --out a.svg \
    --model "$gguf/ggml-quants.gguf" --ids 1,2
else
  echo "skip - GGUF files: there is no reference data at $gguf"
fi

# The bytes of a GGUF file with byte-level BPE of three pieces, which does not say how it splits texts.
text() { printf '%b%s' "\\x$(printf %02x ${#1})\\0\\0\\0\\0\\0\\0\\0" "$1"; }
list() {
  text "tokenizer.ggml.$1" && printf '\x09\0\0\0\x08\0\0\0%b\0\0\0\0\0\0\0' "\\x0$(($# - 1))"
  for word in "${@:2}"; do text "$word"; done
}
{
  printf 'GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0'
  text tokenizer.ggml.model && printf '\x08\0\0\0' && text gpt2
  list tokens a b ab
  list merges 'a b'
} >no-pre.gguf
"$HEADSCOPE" tokenize --tokenizer no-pre.gguf --sentence aba --format ids >tokens.txt 2>said.txt
check 'tokenize says that a GGUF file does not say how texts are split' grep -q 'tokenizer.ggml.pre' said.txt
check 'tokenize prints its tokens nevertheless' grep -qx '2 0' tokens.txt
