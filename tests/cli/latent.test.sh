#!/usr/bin/env bash
# Tests multi-head latent attention, in which the keys and values of all heads come from one latent row.
# Needs: program python3-numpy
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

latent=(--d-model 24 --heads 3 --kv-latent 5 --no-bias)
for stage in latent normed_latent latent_norm.gain W_DKV; do
  "$headscope" trace "${latent[@]}" --stage "$stage" --out "$stage.npy"
done
for stage in key value W_K W_V; do "$headscope" trace "${latent[@]}" --stage "$stage" --head 2 --out "$stage.npy"; done
"$headscope" trace "${latent[@]}" --stage encoder.layers.0.input --out input.npy
check "keys and values come from the latent" /usr/bin/python3 -c '
import numpy as np
x, w, c, unit, gain = (np.load(f"{name}.npy") for name in ("input", "W_DKV", "latent", "normed_latent", "latent_norm.gain"))
assert w.shape == (24, 5) and np.allclose(x @ w, c, atol=1e-5)
assert np.allclose(c / np.sqrt((c ** 2).mean(axis=1, keepdims=True) + 1e-5) * gain, unit, atol=1e-5)
for name, letter in (("key", "K"), ("value", "V")):
    assert np.allclose(unit @ np.load(f"W_{letter}.npy"), np.load(f"{name}.npy"), atol=1e-5)'
"$headscope" explain "${latent[@]}" --stage latent --row it --column 2 >latent
check "explain derives the latent" grep -q 'c = Σ x × W_DKV' latent
"$headscope" info "${latent[@]}" >info
check "info names the latent" grep -q 'keys and values from a latent of 5' info

# With rotary positions, all heads share a part of their keys.
turned=("${latent[@]}" --positions rotary --rotary-fraction 0.5)
for head in 0 2; do "$headscope" trace "${turned[@]}" --stage key --head "$head" --out "key$head.npy"; done
"$headscope" trace "${turned[@]}" --stage shared_key --out shared.npy
check "all heads share the rotated part of their keys" /usr/bin/python3 -c '
import numpy as np
first, last, shared = np.load("key0.npy"), np.load("key2.npy"), np.load("shared.npy")
assert np.array_equal(first[:, :4], shared) and np.array_equal(last[:, :4], shared)
assert not np.allclose(first[:, 4:], last[:, 4:])'
"$headscope" explain "${turned[@]}" --stage key --head 1 --row it --column 1 >key
check "explain says that all heads share the rotated part of their keys" grep -q 'the same in all heads' key
yarn=(--rotary-scaling yarn --rotary-factor 8)
"$headscope" explain "${turned[@]}" "${yarn[@]}" --stage scaled --head 1 --row it --column 1 >scaled
check "YaRN multiplies all scores, as in DeepSeek-V3" grep -q 'scaled = raw · (0.1 ln 8 + 1)² / √8' scaled
check_refused 2 'nothing of d_head 8 for the latent' info "${latent[@]}" --positions rotary
check_refused 2 'heads share no key' explain "${latent[@]}" --stage shared_key --row it --column 0
check_refused 2 'it takes a whole number from 1 to 65536, or none' info --kv-latent 0
"$headscope" trace "${latent[@]}" --sentence "a b" --set "encoder.layers.0.self.latent_norm.gain=0 0 0 0 0" --stage key --out zero.npy
check "the gain of the latent's norm can be given" /usr/bin/python3 -c 'import numpy as np; assert not np.load("zero.npy").any()'

# The latent belongs to the model, so training uses it and the model's folder keeps it.
"$headscope" train --task copying --heads 2 --kv-latent 6 --positions rotary --rotary-fraction 0.5 --d-model 16 --steps 20 \
  --out small >/dev/null 2>&1
"$headscope" info --model small >info
check "a trained model keeps its latent" grep -q 'from a latent of 6 and a key of 4 that all heads share' info
"$headscope" trace --model small --stage latent_norm.gain --layer 1 --out gain.npy
check "the gain of the latent's norm is learned" /usr/bin/python3 -c 'import numpy as np; assert abs(np.load("gain.npy") - 1).max() > 0'
"$headscope" render --preset DeepSeek-V2 --page decoding --decode-step 6 --out decoding.png --size 1280x900
check "the page of decoding shows the cache of a latent" test -s decoding.png
