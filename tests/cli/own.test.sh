#!/usr/bin/env bash
# Tests a user's own attention: --query, --key and --value in trace, render and explain, and modules in render, explain
# and info as in trace.
# Needs: program python3-numpy imagemagick
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

# There are two heads, three queries after a cache of two keys, and values of another width, in double precision.
cat >make.py <<'PYTHON'
import json
import struct

import numpy as np

draw = np.random.default_rng(7)
q, k, v = (draw.normal(size=shape).astype("f4") for shape in ((2, 3, 4), (2, 5, 4), (2, 5, 6)))
for name, array in (("q", q), ("k", k), ("v", v), ("k3", k[:, :3]), ("v3", v[:, :3]), ("one", q[0])):
    np.save(name + ".npy", array)
np.savetxt("one.csv", q[0], delimiter=",")
np.save("four.npy", q[None])
np.save("nan.npy", np.where(q > 1, np.nan, q).astype("f4"))
scores = (q.astype("f8") @ k.astype("f8").transpose(0, 2, 1)) / 2
scores[:, np.arange(3)[:, None] + 2 < np.arange(5)[None]] = -np.inf
weights = np.exp(scores - scores.max(-1, keepdims=True))
weights /= weights.sum(-1, keepdims=True)
np.save("weights.npy", weights)
np.save("outputs.npy", weights @ v)

x = draw.normal(size=(3, 4)).astype("f4")
np.save("x.npy", x)
tensors = {name: draw.normal(size=(4, 4)).astype("f4") for name in
           ("W_q.weight", "W_k.weight", "W_v.weight", "W_o.weight")}
header, blocks, offset = {}, [], 0
for name, tensor in tensors.items():
    header[name] = {"dtype": "F32", "shape": [4, 4], "data_offsets": [offset, offset + 64]}
    blocks.append(tensor.tobytes())
    offset += 64
text = json.dumps(header).encode()
open("module.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + b"".join(blocks))
PYTHON
/usr/bin/python3 make.py

core=(--query q.npy --key k.npy --value v.npy)
"$headscope" trace "${core[@]}" --mask causal --query-offset 2 --out folder
cat >compare.py <<'PYTHON'
import numpy as np

for stage, name in (("weights", "weights.npy"), ("output", "outputs.npy")):
    for head, expected in enumerate(np.load(name)):
        own = np.load(f"folder/decoder.layers.0.cross.heads.{head}.{stage}.npy")
        assert np.abs(own - expected).max() < 1e-6, (stage, head)
PYTHON
check "queries after a cache give the numbers of the definition" /usr/bin/python3 compare.py
"$headscope" explain "${core[@]}" --mask causal --query-offset 2 --stage masked --row 0 --column 3 >cell
check "explain counts a hidden cell's position from the offset" grep -q 'key 3 comes after query 0, whose position is 2' cell
"$headscope" trace --query q.npy --key k3.npy --value v3.npy --stage weights --head 1 --out self.csv
check "as many queries as keys are treated as self-attention" test "$(wc -l <self.csv)" -ge 3
"$headscope" explain --query one.npy --key one.csv --value one.npy --stage query --row 1 --column 2 >given
check "one head needs no third axis, and .csv files are accepted" grep -q 'given by hand' given

# A figure holds the numbers themselves.
"$headscope" render "${core[@]}" --mask causal --query-offset 2 --out figure.png
mkdir elsewhere && cp figure.png elsewhere
(cd elsewhere && "$headscope" render figure.png --out again.png)
check "a figure is drawn again without the files of its numbers" cmp figure.png elsewhere/again.png

# The other commands open every module that trace opens, with the same numbers.
module=(--weights module.safetensors --heads 2 --input x.npy)
"$headscope" trace "${module[@]}" --out module
"$headscope" explain "${module[@]}" --stage weights --head 1 --row 2 --column 0 >weight
cat >same.py <<'PYTHON'
import re

import numpy as np

stored = float(re.search(r"^stored: (\S+)$", open("weight").read(), re.M)[1])
traced = np.load("module/encoder.layers.0.self.heads.1.weights.npy")[2, 0]
assert abs(stored - traced) < 1e-6, (stored, traced)
PYTHON
check "explain has the same numbers of a module as trace" /usr/bin/python3 same.py
"$headscope" info "${module[@]}" >info
check "info prints the sizes of a module" grep -q 'd_model 4, heads 2' info
check "info does not call a module's weights random" grep -q '^Given by hand: ' info
"$headscope" trace --stacks cross --mask causal --stage weights --out mask.csv
"$headscope" trace --stacks cross --cross-mask causal --stage weights --out cross-mask.csv
check "with only cross-attention, --mask and --cross-mask are the same" cmp mask.csv cross-mask.csv
"$headscope" explain --mask causal --mask first:1 --sliding-window 2 --model untrained --stage weights --row 7 --column 0 >first
check "first:1 keeps a sliding window from hiding the first key" bash -c '! grep -q "hidden" first'
"$headscope" render --stacks cross --scale-head 0.1=0 --out off.png
check "with only cross-attention, a head is named by layer and number" test -s off.png
"$headscope" render --weights module.safetensors --heads 2 --sentence "its own words" --out words.png
check "a module without an input reads the sentence" test -s words.png

check_refused 2 "--value is missing" render --query ../q.npy --key ../k.npy --out f.png
check_refused 2 "same width" render --query ../q.npy --key ../v.npy --value ../v.npy --out f.png
check_refused 2 "same number of rows" render --query ../q.npy --key ../k.npy --value ../v3.npy --out f.png
check_refused 1 "\[1, 2, 3, 4\].*\[H, T, K\]" render --query ../four.npy --key ../k.npy --value ../v.npy --out f.png
check_refused 1 "NaN" render --query ../nan.npy --key ../k.npy --value ../v.npy --out f.png
check_refused 2 "--d-model and --query cannot be combined" render --d-model 8 --query ../q.npy --key ../k.npy \
  --value ../v.npy --out f.png
check_refused 2 "--sentence a b is not valid: the files need a text of 5 tokens" render --sentence "a b" --query ../q.npy \
  --key ../k.npy --value ../v.npy --out f.png
check_refused 2 "--query cannot be combined with --weights" trace --weights ../module.safetensors --heads 2 \
  --input ../x.npy --query ../q.npy --out f
check_refused 2 "--weights needs --heads" render --weights ../module.safetensors --out f.png
check_refused 2 "need --weights" explain --input ../x.npy --row 0 --column 0
