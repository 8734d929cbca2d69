#!/usr/bin/env bash
# Tests what newer models have around attention: norms, gates, parallel blocks, other kinds of rotary positions, sliding
# and global layers, and masks of blocks, steps and documents.
# Needs: program python3-numpy
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

sentence=(--sentence "one two three four five six seven eight")
llama=("${sentence[@]}" --stacks decoder --layers 2 --norm pre --norm-kind rms --norm-epsilon 1e-6 --activation silu
  --gated-ffn --no-bias=q,k,v,o,f --d-model 16 --heads 2 --d-ff 24 --positions rotary --rotary-pairing halves)
"$headscope" explain "${llama[@]}" --stage feed_forward.norm --row two --column 3 >norm
check "explain derives RMS norm" grep -q 'RMSNorm(x) = that × γ' norm
check "explain gives the ε of RMS norm" grep -q 'ε = 1e−6 keeps' norm
for stage in input feed_forward.norm feed_forward.hidden feed_forward.activated feed_forward.up feed_forward.gated \
  feed_forward.W_1 feed_forward.W_up feed_forward.W_2 feed_forward.output; do
  "$headscope" trace "${llama[@]}" --stage "decoder.layers.1.$stage" --out "$stage.npy"
done
check "a gated feed-forward layer is SwiGLU" /usr/bin/python3 -c '
import numpy as np
x, hidden, up, gated, out = (np.load(f"feed_forward.{name}.npy") for name in ("norm", "hidden", "up", "gated", "output"))
w_1, w_up, w_2 = (np.load(f"feed_forward.W_{name}.npy") for name in ("1", "up", "2"))
assert np.allclose(hidden, x @ w_1, atol=1e-5) and np.allclose(up, x @ w_up, atol=1e-5)
assert np.allclose(gated, hidden / (1 + np.exp(-hidden)) * up, atol=1e-5)
assert np.allclose(out, gated @ w_2, atol=1e-5)'
check_refused 2 'feed-forward layer is not gated' explain --layers 1 --stage feed_forward.up --row it --column 0
check_refused 2 'this linear layer has no bias' explain --layers 1 --no-bias=f --stage feed_forward.b_1 --row 0 --column 0

"$headscope" trace "${sentence[@]}" --layers 1 --block parallel --stage feed_forward.residual --out sum.npy
"$headscope" trace "${sentence[@]}" --layers 1 --block parallel --stage residual --out own.npy
"$headscope" trace "${sentence[@]}" --layers 1 --block parallel --stage feed_forward.output --out fed.npy
check "the output of a parallel block is a sum" /usr/bin/python3 -c '
import numpy as np
assert np.allclose(np.load("sum.npy"), np.load("own.npy") + np.load("fed.npy"), atol=1e-5)'
check_refused 2 'parallel block .*before the sublayers' info --block parallel --norm post
check_refused 2 'residual connections on' info --block parallel --no-residual

turned=("${sentence[@]}" --positions rotary --d-model 16 --heads 1)
"$headscope" trace "${turned[@]}" --stage query --out query.npy
"$headscope" trace "${turned[@]}" --rotary-pairing halves --rotary-fraction 0.5 --rotary-base 100 \
  --rotary-scaling linear --rotary-factor 2 --stage rotated_query --out rotated.npy
check "half of the dimensions rotate, paired as halves, at half speed" /usr/bin/python3 -c '
import numpy as np
q, turned = np.load("query.npy"), np.load("rotated.npy")
angles = np.arange(len(q))[:, None] / 2 * 100.0 ** (-np.arange(0, 8, 2) / 8)
cos, sin = np.cos(angles), np.sin(angles)
expected = np.concatenate([q[:, :4] * cos - q[:, 4:8] * sin, q[:, :4] * sin + q[:, 4:8] * cos, q[:, 8:]], axis=1)
assert np.allclose(turned, expected, atol=1e-5)'
"$headscope" explain "${turned[@]}" --rotary-scaling yarn --rotary-factor 8 --stage rotated_query --row two --column 1 >yarn
check "explain derives YaRN's factor" grep -q 'm = 0.1 ln 8 + 1' yarn
check_refused 2 'less than one pair of d_head 16' info "${turned[@]}" --rotary-fraction 0.1
check_refused 2 'rotary-scaling' info --rotary-scaling fast

local_layers=("${sentence[@]}" --stacks decoder --layers 2 --d-model 16 --heads 2 --sliding-window 3 --global-every 2)
for layer in 0 1; do
  "$headscope" trace "${local_layers[@]}" --layer $layer --stage weights --head 0 --out "layer$layer.npy"
done
check "a window of 3 shows the query and the two tokens before it, and every second layer is global" /usr/bin/python3 -c '
import numpy as np
near, all_before = np.load("layer0.npy") > 0, np.load("layer1.npy") > 0
i, j = np.indices(near.shape)
assert np.array_equal(near, (j <= i) & (j > i - 3)) and np.array_equal(all_before, j <= i)'
"$headscope" explain "${local_layers[@]}" --layer 0 --stage weights --row eight --column one >hidden
check "explain says what the sliding window hides" grep -q 'sliding window of 3: key 0 is 7 tokens from query 7' hidden

text=(--sentence "It rains. I sleep. You read.")
masked() { "$headscope" trace "${text[@]}" --stage weights --head 0 "$@" --out weights.npy; }
masked --mask document:.
check "a document mask ends documents at a word" /usr/bin/python3 -c '
import numpy as np
documents = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
assert np.array_equal(np.load("weights.npy") > 0, documents[:, None] == documents[None, :])'
masked --mask document:3,6 --mask block:2 --mask dilated:1
check "a document mask by first tokens combines with a block mask" /usr/bin/python3 -c '
import numpy as np
documents, blocks = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2]), np.arange(9) // 2
same = lambda of: of[:, None] == of[None, :]
assert np.array_equal(np.load("weights.npy") > 0, same(documents) & same(blocks))'
"$headscope" trace --sentence "1 3 2 3 5" --mask 'document:"3"' --stage weights --head 0 --out numbers.npy
check "a document mask can end documents at a word that is a number" /usr/bin/python3 -c '
import numpy as np
documents = np.array([0, 0, 1, 1, 2])
assert np.array_equal(np.load("numbers.npy") > 0, documents[:, None] == documents[None, :])'
masked --mask dilated:3
check "a dilated mask shows every third key" /usr/bin/python3 -c '
import numpy as np
i, j = np.indices((9, 9))
assert np.array_equal(np.load("weights.npy") > 0, (i - j) % 3 == 0)'
check_refused 2 'B is the number of tokens in a block' render --mask block:0 --out a.png
check_refused 2 'document:I,J takes the first tokens' render "${text[@]}" --mask document:40 --out a.png
check_refused 2 'queries and keys alike' render --stacks encoder-decoder --cross-mask document:1 --out a.png

for preset in GPT-2 BERT T5 "Llama 3" Mistral "Gemma 2" "Gemma 3" "Qwen 3" gpt-oss DeepSeek-V2 \
  "Linear attention"; do
  check "the preset $preset can be explained" "$headscope" explain --preset "$preset" --layer 1 --stage weights --row 2 --column 1
done
