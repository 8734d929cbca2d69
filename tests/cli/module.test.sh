#!/usr/bin/env bash
# headscope trace --weights: compares the weights of a user's own attention module with PyTorch's numbers
# (tests/fixtures/make_modules.py), and tests what is refused.
# Needs: program python3-numpy
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"
root=${HEADSCOPE_ROOT:?the root of the tree}
modules=$root/tests/fixtures/modules

# Each case becomes CASE.safetensors with the module alone, CASE.x.npy, .y.npy, .z.npy and .m.npy with its inputs and
# its mask, and a line of cases.txt with its name, its number of heads and its other options.
cat >unpack.py <<'PYTHON'
import json
import struct
import sys
from pathlib import Path

import numpy as np


def load(path):
    data = Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__", {})
    return metadata, {name: np.frombuffer(data[8 + size:], "<f4")[slice(*(o // 4 for o in entry["data_offsets"]))]
                      .reshape(entry["shape"]) for name, entry in header.items()}


def save(path, tensors, dtype="<f4", name="F32"):
    header, blocks, offset = {}, [], 0
    for key, tensor in tensors.items():
        block = np.ascontiguousarray(tensor, dtype).tobytes()
        header[key] = {"dtype": name, "shape": list(tensor.shape), "data_offsets": [offset, offset + len(block)]}
        blocks.append(block)
        offset += len(block)
    text = json.dumps(header).encode()
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blocks))


def options(case, metadata, tensors):
    words = ["--mask-value", metadata["mask_value"], "--softmax", metadata["softmax"],
             "--attention-temperature", metadata["temperature"]]
    words += ["--no-scale"] if metadata["scale"] == "0" else []
    words += ["--mask", "causal"] if metadata["causal"] == "1" else []
    words += ["--mask", "padding:" + metadata["padding"].replace(" ", ",")] if metadata["padding"] else []
    for option, name, letter in (("--input", "input", "x"), ("--key-input", "key_input", "y"),
                                 ("--value-input", "value_input", "z"), ("--mask", "mask", "m")):
        if name in tensors:
            np.save(f"{case}.{letter}.npy", tensors[name].astype(bool) if name == "mask" else tensors[name])
            words += [option, f"{case}.{letter}.npy"]
    return words


if __name__ == "__main__":
    with open("cases.txt", "w") as cases:
        for path in sorted(Path(sys.argv[1]).glob("*.safetensors")):
            metadata, tensors = load(path)
            save(path.name, {name[7:]: t for name, t in tensors.items() if name.startswith("module.")})
            print(path.stem, metadata["n_heads"], *options(path.stem, metadata, tensors), file=cases)
    weights = load("torch_self.safetensors")[1]
    x = np.load("torch_self.x.npy")
    save("half.safetensors", weights, "<f2", "F16")
    save("nan.safetensors", {**weights, "out_proj.bias": np.full(16, np.nan)})
    save("missing.safetensors", {name: t for name, t in weights.items() if name != "out_proj.weight"})
    save("extra.safetensors", {**weights, "bias_k": np.zeros((1, 1, 16)), "bias_v": np.zeros((1, 1, 16))})
    save("strange.safetensors", {"c_attn.weight": np.zeros((16, 48))})
    save("two.safetensors", {p + name: t for p in ("layers.0.self_attn.", "layers.1.self_attn.") for name, t in weights.items()})
    save("layer.safetensors", {**{"layers.3.self_attn." + name: t for name, t in weights.items()},
                               "layers.3.linear1.weight": np.zeros((4, 16))})
    Path("pickle.pt").write_bytes(b"PK\3\4 not a file of tensors")
    np.save("double.npy", x.astype(np.float64))
    np.save("batch.npy", x[None])
    np.save("narrow.npy", x[:, :15].copy())
    np.save("short.npy", x[:3])
    np.save("inf.npy", np.where(x == x[0, 0], np.inf, x).astype(np.float32))
    np.save("mask.npy", np.ones((5, 4), bool))
PYTHON
/usr/bin/python3 unpack.py "$modules"

cat >compare.py <<'PYTHON'
import json
import sys

import numpy as np
from unpack import load

name, fixture, written = sys.argv[1:]
settings, expected = load(fixture)
metadata, tensors = load(written)
kind = "cross" if "key_input" in expected or "value_input" in expected else "self"
layer = f"encoder.layers.0.{kind}."
far = []
for stage in ("query", "key", "value", "raw", "scaled", "masked", "weights", "output", "contribution"):
    for head in range(int(settings["n_heads"]) if stage in expected else 0):
        wanted, got = expected[stage][head], tensors[f"{layer}heads.{head}.{stage}"]
        if got.shape != wanted.shape or not np.allclose(got, wanted, rtol=1e-4, atol=1e-4):
            far.append(f"{stage} of head {head}")
for stage in ("concat", "projected"):
    if not np.allclose(tensors[layer + stage], expected[stage], rtol=1e-4, atol=1e-4):
        far.append(stage)
numbers = [str(i) for i in range(len(expected["input"]))]
good = not far and np.array_equal(tensors["encoder.layers.0.input"], expected["input"])
good = good and json.loads(metadata["tokens"]) == numbers
good = good and ("source_tokens" in metadata) == (kind == "cross")
session = json.loads(metadata["session"])
good = good and session["version"] == 1 and session["module"]["format"] == settings["format"]
print("ok" if good else "not ok", "-", name, *far)
PYTHON
while read -r name heads words; do
  read -ra options <<<"$words"
  "$headscope" trace --weights "$name.safetensors" --heads "$heads" "${options[@]}" --out "out.safetensors"
  /usr/bin/python3 compare.py "$name" "$modules/$name.safetensors" out.safetensors
done <cases.txt

self=(--heads 4 --input "$folder/torch_self.x.npy")
weights=("${self[@]}" --weights "$folder/torch_self.safetensors")
"$headscope" trace "${weights[@]}" --mask causal --out one.safetensors
"$headscope" trace "${weights[@]}" --mask causal --out stages
check "a trace into a folder has the same stages as one into a file" /usr/bin/python3 -c '
import numpy as np
from unpack import load
tensors = load("one.safetensors")[1]
assert all(np.array_equal(np.load(f"stages/{name}.npy"), tensor) for name, tensor in tensors.items())'
"$headscope" trace "${self[@]}" --weights layer.safetensors --mask causal --out prefixed.safetensors
check "a module below a prefix is found beside other weights" /usr/bin/python3 -c '
import numpy as np
from unpack import load
one, prefixed = (load(name)[1] for name in ("one.safetensors", "prefixed.safetensors"))
assert one.keys() == prefixed.keys() and all(np.array_equal(one[name], prefixed[name]) for name in one)'
for mask in window:1 prefix:2 painted:0.1,2.2 padding:1,3; do
  check "a module accepts --mask $mask" "$headscope" trace "${weights[@]}" --mask "$mask" --out "$mask.safetensors"
done
"$headscope" trace "${weights[@]}" --mask causal --out /dev/stdout | cat >piped.safetensors
check "a trace into a pipe is the same as one into a file" cmp one.safetensors piped.safetensors

out=(--out t.safetensors)
check_refused 2 '--weights needs --heads N' trace --weights "$folder/torch_self.safetensors" --input x.npy "${out[@]}"
check_refused 2 '--weights needs --input X.npy' trace --weights "$folder/torch_self.safetensors" --heads 4 "${out[@]}"
check_refused 2 '--heads 3 .*16: 1, 2, 4, 8, 16' trace --weights "$folder/torch_self.safetensors" --heads 3 --input "$folder/torch_self.x.npy" "${out[@]}"
check_refused 2 '--heads 0 .*whole number' trace --weights "$folder/torch_self.safetensors" --heads 0 --input x.npy "${out[@]}"
check_refused 2 '--format keras .*auto, torch, packed, separate or labml' trace "${weights[@]}" --format keras "${out[@]}"
check_refused 2 '--sentence cannot be combined with --weights.*--input' trace "${weights[@]}" --sentence a "${out[@]}"
check_refused 2 '--d-model cannot be combined with --weights' trace "${weights[@]}" --d-model 16 "${out[@]}"
check_refused 2 '--stage cannot be combined with --weights' trace "${weights[@]}" --stage raw --out raw.npy
check_refused 2 '--cross-mask cannot be combined with --weights.*--mask' trace "${weights[@]}" --cross-mask causal "${out[@]}"
check_refused 2 '--dropout cannot be combined with --weights' trace "${weights[@]}" --dropout 0.5 "${out[@]}"
check_refused 2 '--out t.txt ' trace "${weights[@]}" --out t.txt
check_refused 2 '--mask padding:5 .*0 to 4' trace "${weights[@]}" --mask padding:5 "${out[@]}"
check_refused 2 '--attention-temperature 0 ' trace "${weights[@]}" --attention-temperature 0 "${out[@]}"
check_refused 2 '--key-input.*need --weights' trace --key-input y.npy "${out[@]}"

check_refused 1 'nowhere.safetensors' trace --weights nowhere.safetensors "${self[@]}" "${out[@]}"
check_refused 1 'pickle.pt.*save_file' trace --weights "$folder/pickle.pt" "${self[@]}" "${out[@]}"
check_refused 1 'half.safetensors.*F16, not F32' trace --weights "$folder/half.safetensors" "${self[@]}" "${out[@]}"
check_refused 1 'out_proj.bias \[16\] holds NaN at \[0\]' trace --weights "$folder/nan.safetensors" "${self[@]}" "${out[@]}"
check_refused 1 'out_proj.weight is missing.*found: in_proj_bias \[48\].*expected \(torch\)' trace --weights "$folder/missing.safetensors" "${self[@]}" "${out[@]}"
check_refused 1 'bias_k \[1, 1, 16\].*add_bias_kv' trace --weights "$folder/extra.safetensors" "${self[@]}" "${out[@]}"
check_refused 1 'c_attn.weight \[16, 48\].*torch.*packed.*separate.*labml' trace --weights "$folder/strange.safetensors" "${self[@]}" "${out[@]}"
check_refused 1 "2 attention modules.*layers.0.self_attn.'.*layers.1.self_attn.'" trace --weights "$folder/two.safetensors" "${self[@]}" "${out[@]}"
check_refused 1 'in this format.*in_proj_weight.*expected \(labml\)' trace "${weights[@]}" --format labml "${out[@]}"
check_refused 1 'float64.*astype' trace --weights "$folder/torch_self.safetensors" --heads 4 --input "$folder/double.npy" "${out[@]}"
check_refused 1 '\[1, 5, 16\].*\[T, D\]' trace --weights "$folder/torch_self.safetensors" --heads 4 --input "$folder/batch.npy" "${out[@]}"
check_refused 1 '\[5, 15\].*rows of 16' trace --weights "$folder/torch_self.safetensors" --heads 4 --input "$folder/narrow.npy" "${out[@]}"
check_refused 1 'inf.npy.*±∞' trace "${weights[@]}" --key-input "$folder/inf.npy" "${out[@]}"
check_refused 1 '5 keys.*3 values' trace "${weights[@]}" --value-input "$folder/short.npy" "${out[@]}"
check_refused 1 'mask.npy.*\[5, 4\].*\[5, 5\]' trace "${weights[@]}" --mask "$folder/mask.npy" "${out[@]}"
check_refused 1 'another trace' trace --weights "$folder/packed_narrow.safetensors" --heads 2 --input "$folder/packed_narrow.x.npy" --out "$folder/stages"
check_refused 1 "'/dev/full'.*space" trace "${weights[@]}" --out /dev/full
check "no half-written file is left" test -z "$(find . -name '*.tmp' -o -name '.headscope*')"

# A name of a million characters, which a list in a file of PyTorch repeats a hundred thousand times.
python_with_torch=/usr/bin/python3
if "$python_with_torch" -c 'import torch' 2>/dev/null; then
  "$python_with_torch" -c 'import torch; t = torch.eye(3)[None]; torch.save({"k" * 10**6: [t] * 10**5}, "long.pt")'
  repeats_a_name() {
    (ulimit -v 4000000 && timeout 60 "$headscope" info long.pt 2>refused.txt) && return 1
    grep -q "long.pt" refused.txt
  }
  check "a file that repeats a long name is refused without repeating it" repeats_a_name
else
  echo "skip - python3-torch is not installed"
fi
