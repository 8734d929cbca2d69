#!/usr/bin/env bash
# Tests numbers given by hand with --set PATH=NUMBERS or PATH=@FILE, in trace, render and explain.
# Needs: program python3-numpy imagemagick
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

head=encoder.layers.0.self.heads.0
small=(--sentence "one two" --d-model 2 --heads 1 --no-bias --no-output-projection --positions none)

# Worked out by hand: Q = X W_Q and K = X, so the scores of the second row are 6 and 16.
by_hand=("${small[@]}" --set "encoder.input=1 0; 0 2" --set "$head.W_Q=1 2; 3 4" --set "$head.W_K=1 0; 0 1")
"$headscope" explain "${by_hand[@]}" --stage query --row 1 --column 1 >query
check "a query is computed from given numbers" grep -q '^stored: 8$' query
"$headscope" explain "${by_hand[@]}" --stage raw --row 1 --column 1 >raw
check "a raw score is computed from given numbers" grep -q '^stored: 16$' raw
"$headscope" explain "${by_hand[@]}" --stage W_Q --row 1 --column 0 >w_q
check "given numbers are called given" grep -q 'given by hand' w_q
"$headscope" explain "${small[@]}" --set "$head.raw=0 0; 0 0" --stage weights --row 1 --column 0 >even
check "scores can be given" grep -q '^stored: 0\.5$' even
check "given scores name no query or key, since none was used" bash -c '! grep -Eq "Σ q × k|\.(query|key)" even'

# Scores beyond the range of float32: 1e30 · 1e30 is infinite, and the softmax of its row is NaN.
overflow=("${small[@]}" --set "$head.query=1e30 0; 1 1" --set "$head.key=1e30 0; 1 1" --mask causal)
"$headscope" trace "${overflow[@]}" --stage weights --out overflow.csv 2>overflow
check "the first number beyond float32 is named" grep -q 'range of float32 is ∞ in the raw scores (row “one”, column “one”)' overflow
check "it is named once" test "$(grep -c float32 overflow)" = 1
check "NaN in a CSV has no sign" bash -c 'grep -q ",nan" overflow.csv && ! grep -q -- "-nan" overflow.csv'
"$headscope" trace "${small[@]}" --mask causal --stage masked --out masked.csv 2>finite
check "minus infinity of a mask is no overflow" bash -c 'grep -q -- "-inf" masked.csv && [[ ! -s finite ]]'

# Giving the numbers that would have been computed changes nothing, whichever kind of file they are in.
options=(--sentence "one two three" --d-model 6 --heads 2)
"$headscope" trace "${options[@]}" --out plain.safetensors
"$headscope" trace "${options[@]}" --stage W_Q --head 1 --out wq.npy
"$headscope" trace "${options[@]}" --stage value --head 0 --out value.csv
"$headscope" trace "${options[@]}" --set encoder.layers.0.self.heads.1.W_Q=@wq.npy --set "$head.value=@value.csv" \
  --out given.safetensors
cat >compare.py <<'PYTHON'
import json
import struct
import sys
from pathlib import Path

import numpy as np


def tensors(name):
    data = Path(name).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    session = json.loads(header.pop("__metadata__")["session"])
    begin = {name: 8 + size + place["data_offsets"][0] for name, place in header.items()}
    end = {name: 8 + size + place["data_offsets"][1] for name, place in header.items()}
    return {name: data[begin[name]:end[name]] for name in header}, session


plain, _ = tensors("plain.safetensors")
given, session = tensors("given.safetensors")
matrix = np.load("wq.npy")
unused = {f"encoder.layers.0.self.heads.0.{name}" for name in ("W_V", "b_V")}
assert plain.keys() - given.keys() == unused, "what only the given value would be computed from is not there"
assert given.items() <= plain.items(), "other numbers"
inline = np.array(session["given"]["encoder.layers.0.self.heads.1.W_Q"], dtype=np.float32)
assert inline.tobytes() == matrix.tobytes(), "the session holds other numbers"
PYTHON
check "given numbers are the same in files and in sessions, to the bit" /usr/bin/python3 compare.py

# A figure holds the numbers.
"$headscope" render "${by_hand[@]}" --stage weights --out figure.png
"$headscope" render figure.png --out again.png
check "a figure with given numbers is drawn again from its file" cmp figure.png again.png

# A worked example of a textbook, if its numbers are available.
reference=$HEADSCOPE_ROOT/../shared/reference/textbooks.json
if [[ -r $reference ]]; then
  cat >textbook.py <<'PYTHON'
import json
import subprocess
import sys

import numpy as np

entry = next(e for e in json.load(open(sys.argv[2])) if e["id"] == "raschka-3.4.1-trainable-weights")
given = entry["inputs"]
head = "encoder.layers.0.self.heads.0."


def text(rows):
    return "; ".join(" ".join(repr(x) for x in row) for row in rows)


base = [sys.argv[1], "trace", "--sentence", " ".join(given["tokens"]), "--d-model", "3", "--heads", "1", "--d-head", "2",
        "--no-bias", "--no-output-projection", "--set", "encoder.input=" + text(given["X"]),
        "--set", head + "W_Q=" + text(given["W_q"]), "--set", head + "W_K=" + text(given["W_k"]),
        "--set", head + "W_V=" + text(given["W_v"])]
for stage, name in (("raw", "scores"), ("weights", "weights"), ("output", "context")):
    subprocess.run(base + ["--stage", stage, "--head", "0", "--out", stage + ".npy"], check=True)
    difference = np.abs(np.load(stage + ".npy") - np.array(entry["expected"][name]["recomputed"])).max()
    assert difference < 1e-6, (stage, difference)
PYTHON
  check "the numbers of a textbook's trainable weights are reproduced" /usr/bin/python3 textbook.py "$headscope" "$reference"
else
  echo "# skipped: $reference is not there"
fi

out=(--out x.npy --stage weights --head 0)
check_refused 2 'W_Q needs 64 rows of 16 numbers, but 2 rows of 2 numbers are given: .*set d_model to 2 and set d_head to 2' \
  trace --heads 4 --set "$head.W_Q=1 0; 0 1" "${out[@]}"
check_refused 2 'encoder.input needs 2 rows of 2 numbers, but 3 rows of 2 .*use a sentence of 3 tokens' \
  trace "${small[@]}" --set "encoder.input=1 0; 0 1; 1 1" "${out[@]}"
check_refused 2 'heads.0.W_q.*no parameter and no stage.*did you mean .*heads.0.W_Q' trace "${small[@]}" --set "$head.W_q=1 0; 0 1" \
  "${out[@]}"
check_refused 2 'heads.3.W_Q: the model has 1 head' trace "${small[@]}" --set "encoder.layers.0.self.heads.3.W_Q=1" "${out[@]}"
check_refused 2 'b_Q: this linear layer has no bias' trace "${small[@]}" --set "$head.b_Q=1 2" "${out[@]}"
check_refused 2 'weights: only parameters' trace "${small[@]}" --set "$head.weights=1 0; 0 1" "${out[@]}"
check_refused 2 "$head.raw" trace "${small[@]}" --set "$head.raw=1 nan; 0 1" "${out[@]}"
check_refused 2 "$head.raw" trace "${small[@]}" --set "$head.raw=1 0; 1" "${out[@]}"
check_refused 1 'absent.csv' trace "${small[@]}" --set "$head.raw=@absent.csv" "${out[@]}"
check_refused 2 'it takes PATH=NUMBERS' trace "${small[@]}" --set "$head.raw" "${out[@]}"
