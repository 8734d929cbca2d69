#!/usr/bin/env bash
# Compares masks with other orders of axes, as other implementations write them, and the einsums of those, with PyTorch.
# Set: all
# Needs: program python3-numpy python3-torch libopenblas0-pthread
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

if ! /usr/bin/python3 -c 'import torch' 2>/dev/null; then
  echo "skip - masks with other axes: no PyTorch (python3-torch) here"
  exit 0
fi
printf '%s\n' 'The cat sat on the mat' 'To be or not to be' 'It was tired .' >batch.txt

# These masks are for 3 sentences of 6 tokens, and for a source of 6 and a target of 4 tokens. Every query sees some
# key.
/usr/bin/python3 - <<'PYTHON'
import numpy as np

draw = np.random.RandomState(7)
batch = draw.rand(3, 6, 6) > 0.4  # [b, i, j]
batch[:, :, 0] = True
cross = draw.rand(4, 6) > 0.4  # [i, j]
cross[:, 2] = True
np.save("bij.npy", batch)
np.save("bji.npy", batch.transpose(0, 2, 1))
np.save("ijb.npy", batch.transpose(1, 2, 0))
np.save("ij.npy", cross)
np.save("ji.npy", cross.T)
np.save("one_bji.npy", cross.T[None])
square = draw.rand(4, 4) > 0.5
square[:, 0] = True
np.save("square.npy", square)
np.save("symmetric.npy", np.eye(4, dtype=bool))
PYTHON

for axes in bij bji ijb; do
  "$headscope" trace --model untrained --batch batch.txt --mask $axes.npy --mask-axes $axes --mask-value 1e9 \
    --out $axes.safetensors
done
same_numbers() {
  /usr/bin/python3 - "$@" <<'PYTHON'
import json
import struct
import sys
from pathlib import Path

import numpy as np


def tensors(path):
    data = Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__")
    return {name: data[8 + size:][slice(*entry["data_offsets"])] for name, entry in header.items()}


first, second = map(tensors, sys.argv[1:])
assert first == second
PYTHON
}
check "a mask with axes [N, T_kv, T_q] gives the same numbers" same_numbers bij.safetensors bji.safetensors
check "a mask with axes [i, j, b] gives the same numbers" same_numbers bij.safetensors ijb.safetensors

as_labml() {
  /usr/bin/python3 - <<'PYTHON'
import json
import struct
from pathlib import Path

import numpy as np
import torch

data = Path("ijb.safetensors").read_bytes()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + size])


def stage(name):
    """All heads of a stage, [heads, batch, rows, columns]."""
    parts = []
    for head in range(4):
        entry = header[f"encoder.layers.0.self.heads.{head}.{name}"]
        part = np.frombuffer(data[8 + size:], "<f4")[slice(*(o // 4 for o in entry["data_offsets"]))]
        parts.append(part.reshape(entry["shape"]))
    return torch.from_numpy(np.stack(parts)).double()


query, key, value = (stage(name).permute(2, 1, 0, 3) for name in ("query", "key", "value"))  # [seq, batch, head, d]
scores = torch.einsum("ibhd,jbhd->ijbh", query, key)
assert torch.allclose(scores, stage("raw").permute(2, 3, 1, 0), atol=1e-5)
mask = torch.from_numpy(np.load("ijb.npy"))
scores = (scores / query.shape[-1] ** 0.5).masked_fill(mask.unsqueeze(-1) == 0, -1e9)
attn = scores.softmax(dim=1)
# In shorter sentences, the remaining keys are padding, for which the document has no word.
words = json.loads(header["__metadata__"]["tokens"])
padded = torch.tensor([[text == "[pad]" for text in sentence] for sentence in words]).T  # [seq, batch]
scores = scores.masked_fill(padded[None, :, :, None], -1e9)
attn = scores.softmax(dim=1)
assert torch.allclose(attn, stage("weights").permute(2, 3, 1, 0), atol=1e-6)
x = torch.einsum("ijbh,jbhd->ibhd", attn, value)
assert torch.allclose(x, stage("output").permute(2, 1, 0, 3), atol=1e-5)
PYTHON
}
check "scores, weights and outputs are those of the einsums ibhd,jbhd->ijbh and ijbh,jbhd->ibhd" as_labml

two=(--model untrained --stacks encoder-decoder --sentence 'a b c d e f' --target 'u v w x')
trace_cross() { "$headscope" trace "${two[@]}" --out "$1.safetensors" "${@:2}" 2>message; }
check "a cross mask with our order of axes is accepted" trace_cross ours --cross-mask ij.npy
check "a cross mask with the axes ji is accepted" trace_cross other --cross-mask ji.npy --mask-axes ji
check "a cross mask with a batch axis is accepted" trace_cross one --cross-mask one_bji.npy --mask-axes bji
check "a cross mask with the axes ji gives the same numbers" same_numbers ours.safetensors other.safetensors
check "a cross mask with a batch axis gives the same numbers" same_numbers ours.safetensors one.safetensors
check_refused 1 'It fits with keys as rows.*--mask-axes ji' trace "${two[@]}" --cross-mask "$PWD/ji.npy" --out x.safetensors
for axes in x i bj ijj nbij ''; do
  check_refused 2 '--mask-axes .*such as' trace "${two[@]}" --cross-mask "$PWD/ij.npy" --mask-axes "$axes" --out x.safetensors
done
check_refused 2 '--mask-axes needs a mask file' trace "${two[@]}" --mask-axes ij --out x.safetensors
check_refused 2 '--mask-axes has 2 words for 1' trace "${two[@]}" --cross-mask "$PWD/ij.npy" --mask-axes ij,ji --out x.safetensors
check_refused 1 'the given axes are 3' trace "${two[@]}" --cross-mask "$PWD/ij.npy" --mask-axes bij --out x.safetensors

says() { grep -q -- "$1" message; }
silent() { [[ ! -s message ]]; }
square=(--model untrained --stacks encoder-decoder --sentence 'a b c d' --target 'u v w x')
"$headscope" trace "${square[@]}" --cross-mask square.npy --out square.safetensors 2>message
check "the program reports how it reads a square cross mask" says 'is square and was read with queries as rows.*--mask-axes ji'
"$headscope" trace "${square[@]}" --cross-mask square.npy --mask-axes ij --out square.safetensors 2>message
check "--mask-axes makes the message about a square mask unnecessary" silent
"$headscope" trace "${square[@]}" --cross-mask symmetric.npy --out square.safetensors 2>message
check "a symmetric square mask needs no message" silent

"$headscope" render "${square[@]}" --attention cross --mask symmetric.npy --cross-mask square.npy --mask-axes ij,ji \
  --out figure.svg
check "a figure's scene has the axes of its masks" grep -q 'axes&quot;:&quot;ji&quot;' figure.svg
