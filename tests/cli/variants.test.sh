#!/usr/bin/env bash
# Tests what newer models have in their attention: shared key and value heads, a scale of their own, and softcaps.
# Needs: program python3-numpy
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

grouped=(--heads 6 --d-model 24 --kv-heads 2)
"$headscope" explain "${grouped[@]}" --stage key --head 4 --row it --column 1 >key
check "explain derives a key from its group's weights" grep -q 'heads.3.W_K column 1' key
check "explain says which heads share a key" grep -q 'shared by heads 3–5' key
"$headscope" trace "${grouped[@]}" --stage encoder.layers.0.self.heads.5.key --out of_5.npy
"$headscope" trace "${grouped[@]}" --stage key --head 3 --out of_3.npy
check "the path of any head of a group gives the same key" cmp of_5.npy of_3.npy
"$headscope" trace "${grouped[@]}" --out all.safetensors
check "a trace contains the keys of a group once" /usr/bin/python3 -c '
import json, struct
file = open("all.safetensors", "rb")
size, = struct.unpack("<Q", file.read(8))
names = json.loads(file.read(size))
assert sum(name.endswith(".W_K") for name in names) == 2 and "encoder.layers.0.self.heads.3.key" in names'
"$headscope" explain --sentence "a b" --d-model 2 --heads 2 --kv-heads 1 \
  --set "encoder.layers.0.self.heads.1.W_K=1; 2" --stage W_K --head 0 --row 1 --column 0 >given
check "numbers are given to the whole group" grep -q '^stored: 2$' given
check_refused 2 'kv_heads 4 does not divide 6 heads.*1, 2, 3 or 6 works' info --heads 6 --d-model 24 --kv-heads 4

# Gemma 2's scores are 0.5 · tanh(raw · 0.3 / 0.5).
capped=(--d-model 24 --heads 6 --score-scale 0.3 --softcap 0.5)
"$headscope" trace "${capped[@]}" --stage raw --head 1 --out raw.npy
"$headscope" trace "${capped[@]}" --stage capped --head 1 --out capped.npy
"$headscope" trace "${capped[@]}" --no-scale --stage scaled --head 1 --out unscaled.npy
check "scores are scaled and capped" /usr/bin/python3 -c '
import numpy as np
raw, capped = np.load("raw.npy"), np.load("capped.npy")
assert np.allclose(capped, 0.5 * np.tanh(raw * 0.3 / 0.5), atol=1e-6)
assert np.array_equal(np.load("unscaled.npy"), raw)'
"$headscope" explain --output-layer linear --logit-softcap 0.5 --stage logits --row it --column animal >logit
check "logits are capped" grep -q 'L = 0.5 · tanh(that / 0.5)' logit
check_refused 2 'needs a final linear layer' info --logit-softcap 30
check_refused 2 'softcap' info --softcap -1

# With a sink, the weights of a row and the sink's share add up to 1.
sinks=(--sinks --set "encoder.layers.0.self.heads.1.sink=1.5")
"$headscope" trace "${sinks[@]}" --stage weights --head 1 --out weights.npy
"$headscope" trace "${sinks[@]}" --stage sink_share --head 1 --out share.npy
check "a sink takes a share of each row" /usr/bin/python3 -c '
import numpy as np
weights, share = np.load("weights.npy"), np.load("share.npy")
assert share.shape == (weights.shape[0], 1) and (share > 0.01).all()
assert np.allclose(weights.sum(axis=1) + share[:, 0], 1, atol=1e-6)'
"$headscope" explain "${sinks[@]}" --stage sink_share --head 1 --row it --column 0 >share
check "explain derives a sink's share" grep -q 'exp(sink − row maximum)' share

# Given weights together with a mask and with a sink.
small=(--sentence "a b c d" --d-model 8 --heads 2 --stage weights)
"$headscope" explain "${small[@]}" --mask causal --set-weight 0.0:1.3=0.7 --row 1 --column 3 >hidden
check "a given weight that the mask hides is said not to be used" \
  grep -q 'after the intervention .*the mask hides this cell (causal: .*), so the weight given here is not used' hidden
check "the heading says that the mask hides a given weight" grep -q '1 weight given, which the mask hides' hidden
"$headscope" explain "${small[@]}" --mask causal --set-weight 0.0:0.0=0.7 --row 0 --column 0 >scaled
check "a given weight that must fill its row is scaled, and both numbers are printed" grep -Pzq \
  'given +0.7\n +after the intervention +1 +no other key of the row has any weight' scaled
"$headscope" explain "${small[@]}" --sinks --pattern 0.0=uniform --row 0 --column 0 >uniform
check "a uniform head leaves the sink its share" grep -q '(1 − share of the sink) / number of visible keys' uniform

# Rows of any stage that the model has can be replaced, but of no other stage.
four=(--sentence "a b c d" --d-model 8 --heads 2)
for site in encoder.layers.0.self.projected decoder.layers.0.feed_forward.output; do
  options=(--no-output-projection)
  [[ $site == decoder* ]] && options=(--stacks cross --d-ff 6 --target "x y")
  "$headscope" explain "${four[@]}" "${options[@]}" --patch "$site:1=zero" --stage "$site" --row 1 --column 2 >patched
  check "a row of $site can be replaced" grep -q 'replaced by 0 .* 0 ' patched
done
"$headscope" explain "${four[@]}" --kv-latent 5 --patch encoder.layers.0.self.latent:2=zero --stage normed_latent --row 2 --column 1 >latent
check "a row of the latent can be replaced" grep -q '^stored: 0$' latent
"$headscope" trace "${four[@]}" --layers 1 --norm both --set "encoder.layers.0.self.output_norm=1 2 3 4 5 6 7 8; 0 0 0 0 0 0 0 0; 1 1 1 1 1 1 1 1; 0 0 0 0 0 0 0 0" \
  --stage encoder.layers.0.self.residual --out sum.npy
"$headscope" trace "${four[@]}" --layers 1 --norm both --stage encoder.input --out input.npy
check "a normalised output can be given" /usr/bin/python3 -c '
import numpy as np
added = np.load("sum.npy") - np.load("input.npy")
assert np.allclose(added, [[1, 2, 3, 4, 5, 6, 7, 8], [0] * 8, [1] * 8, [0] * 8], atol=1e-5)'
check_refused 2 '--patch: encoder.layers.0.self.output_norm: the sublayers.* outputs are not normalised' \
  explain "${four[@]}" --patch encoder.layers.0.self.output_norm:0=zero --row 0 --column 0

# The encoder and the decoder each have a table of relative positions.
t5=(--preset T5 --row 3 --column 1)
for stack in encoder decoder; do
  "$headscope" explain "${t5[@]}" --stage "$stack.layers.0.self.heads.1.position_bias" >bias
  check "the $stack has its own table of relative positions" grep -q "from: $stack.positions.biases row 1" bias
done
check_refused 2 'the encoder and the decoder each have a table of relative positions' explain "${t5[@]}" --stage positions.table

# Normalised queries and gated heads.
"$headscope" trace --qk-norm --stage normed_query --head 2 --out normed.npy
check "queries are normalised" /usr/bin/python3 -c '
import numpy as np
assert np.allclose((np.load("normed.npy") ** 2).mean(axis=1), 1, atol=1e-4)'
for stage in concat gate gated; do "$headscope" trace --output-gate --stage "$stage" --out "$stage.npy"; done
check "the outputs of the heads are gated" /usr/bin/python3 -c '
import numpy as np
gate = np.load("gate.npy")
assert gate.min() > 0 and gate.max() < 1
assert np.allclose(np.load("gated.npy"), np.load("concat.npy") * gate, atol=1e-6)'

# Linear attention uses shares of scores instead of softmax, and its state gives the last row.
linear=(--linear-attention --mask causal)
for stage in mapped_query mapped_key raw weights value state state_sum output; do
  "$headscope" trace "${linear[@]}" --stage "$stage" --head 1 --out "linear_$stage.npy"
done
check "weights are shares of scores, and the state gives the last output" /usr/bin/python3 -c '
import numpy as np
at = lambda name: np.load(f"linear_{name}.npy").astype(np.float64)
raw = at("mapped_query") @ at("mapped_key").T
assert (raw >= 0).all() and np.allclose(raw, at("raw"), rtol=1e-5)
seen = np.tril(raw)
assert np.allclose(seen / seen.sum(axis=1, keepdims=True), at("weights"), atol=1e-6)
assert np.allclose(at("mapped_key").T @ at("value"), at("state"), atol=1e-4)
last = at("mapped_query")[-1]
assert np.allclose(last @ at("state") / (last @ at("state_sum")[0]), at("output")[-1], atol=1e-5)'
"$headscope" explain "${linear[@]}" --stage weights --row it --column animal >shares
check "explain says that there is no softmax" grep -q 'no softmax' shares
check "explain shows the mapped queries and keys" grep -q 'raw = Σ φ(q) × φ(k)' shares
"$headscope" explain "${linear[@]}" --stage output --row tired --column 0 >by_state
check "explain derives the last output from the state" grep -q 'from the state' by_state
"$headscope" info --preset "Linear attention" >info
check "info names linear attention" grep -q 'linear attention (no softmax)' info
check_refused 2 'turn the sinks off' info --linear-attention --sinks
check_refused 2 'choose sinusoidal or learned positions' info --linear-attention --positions alibi
check_refused 2 'choose softmax over keys' trace --linear-attention --softmax queries --out a.safetensors
check_refused 1 'give numbers of 0 or more' trace --sentence "a b" --linear-attention \
  --set "encoder.layers.0.self.heads.0.raw=1 2; 3 -4" --out a.safetensors

# As in StreamingLLM, the window never hides the first keys.
"$headscope" trace --sentence "a b c d e f" --mask causal --mask window:1 --mask first:2 --stage weights --out stream.npy
check "the first keys stay visible outside the window" /usr/bin/python3 -c '
import numpy as np
seen = np.load("stream.npy") > 0
assert seen[5].tolist() == [True, True, False, False, True, True], seen[5]
assert seen[0].tolist() == [True] + 5 * [False], seen[0]'
check_refused 2 'first:N|first keys' trace --mask first:x --stage weights --out a.npy

# These settings belong to the model, so training uses them and the model's folder keeps them.
"$headscope" train --task copying --heads 4 --kv-heads 2 --d-model 16 --softcap 5 --logit-softcap 10 --sinks --qk-norm --output-gate --steps 20 \
  --out small >/dev/null 2>&1
"$headscope" info --model small >info
check "a trained model keeps its shared keys" grep -q 'key and value heads 2 (heads 0 and 1 share one)' info
"$headscope" trace --model small --stage sink --layer 1 --head 3 --out sink.npy
check "a model learns its sinks" /usr/bin/python3 -c 'import numpy as np; assert abs(np.load("sink.npy")).max() > 0'
check_refused 2 'cannot be combined: trained weights have a fixed shape' render --model small --kv-heads 1 --out a.png
"$headscope" train --task copying --heads 2 --d-model 16 --linear-attention --steps 20 --out shares_model >/dev/null 2>&1
"$headscope" info --model shares_model >info
check "a trained model keeps linear attention" grep -q 'linear attention (no softmax)' info
