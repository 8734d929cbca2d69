#!/usr/bin/env bash
# Models of other programs by their folders: info of every family, traces with and without parameters, texts beyond
# their context, and texts where there is no tokenizer.
# Needs: program
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

models=$HEADSCOPE_ROOT/tests/fixtures/foreign
for model in "$models"/*/; do
  name=$(basename "$model")
  "$HEADSCOPE" info --model "$model" >info.txt 2>&1
  check "info of $name" grep -q 'no tokenizer (sentences are ids)' info.txt
done

# tensors FILE : the names in a safetensors file, in the file "names".
tensors() { head -c "$((8 + $(od -An -tu8 -N8 "$1")))" "$1" | tail -c +9 | grep -o '"[a-z][a-zA-Z0-9._]*":{' >names; }
"$HEADSCOPE" trace --model "$models/phi3" --ids 1,2,3 --out small.safetensors
tensors small.safetensors
check 'a trace has the stages' grep -q 'decoder.layers.1.self.heads.3.weights' names
check 'and no parameters' eval '! grep -q W_Q names'
"$HEADSCOPE" trace --model "$models/phi3" --ids 1,2,3 --parameters --out whole.safetensors
tensors whole.safetensors
check 'but with --parameters' grep -q W_Q names
"$HEADSCOPE" trace --model pronouns --out own.safetensors
tensors own.safetensors
check 'own models have theirs always' grep -q W_Q names

ids=$(seq -s, 1 20)
for command in 'render --out long.svg' 'trace --out long.safetensors' 'explain --row 1 --column 1'; do
  # shellcheck disable=SC2086
  "$HEADSCOPE" $command --model "$models/gpt_neo" --ids "$ids" >out.txt 2>err.txt
  check "${command%% *} cuts and says so" grep -q 'has 20 tokens, and the model reads the first 12' err.txt
done

check_refused 1 'no text can be read here, because the tokenizer cannot be' render --out a.svg --model "$models/bert" \
  --sentence 'The cat'
check_refused 1 'whole numbers from 0 to 28' render --out a.svg --model "$models/bert" --tokenizer ids --sentence '99'
