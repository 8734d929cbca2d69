#!/usr/bin/env bash
# headscope trace, explain, info and tokenize: tests numbers, files and texts.
# Needs: program python3-numpy
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"
root=${HEADSCOPE_ROOT:?the root of the tree}

options=(--sentence "the cat, the mat" --d-model 24 --heads 3 --d-value 5 --mask causal)
"$headscope" trace "${options[@]}" --out trace.safetensors
"$headscope" trace "${options[@]}" --out folder
"$headscope" trace "${options[@]}" --stage weights --head 1 --out weights.csv
"$headscope" trace "${options[@]}" --stage masked --head 2 --out masked.npy
"$headscope" trace "${options[@]}" --out trace2.safetensors
check "two traces of the same session are equal" cmp trace.safetensors trace2.safetensors

"$headscope" trace "${options[@]}" --names transformer-lens --out cache.safetensors
"$headscope" trace "${options[@]}" --stage blocks.0.attn.hook_attn_scores --head 2 --out scores.npy
check "a name of TransformerLens stands for its stage" cmp scores.npy masked.npy
check_refused 2 'names and --stage cannot be combined' trace --names transformer-lens --stage weights --out w.npy
"$headscope" trace --model copying --names transformer-lens --parameters --out model.safetensors
"$headscope" trace --model copying --names transformer-lens --out without.safetensors
check_refused 2 '--names lens .*takes headscope or transformer-lens' trace --names lens --out c.safetensors
"$headscope" trace "${options[@]}" --model untrained --stage blocks.0.attn.hook_pattern --out first.npy
"$headscope" trace "${options[@]}" --model untrained --stage weights --out usual.npy
check "without --head, a name of TransformerLens means the same head as the stage's own name" cmp first.npy usual.npy
check_refused 2 'one stack' trace --stacks cross --names transformer-lens --out c.safetensors

"$headscope" trace --page effects --out effects.json
"$headscope" trace --page effects --row it --word street --out effects.csv
cat >effects.py <<'PYTHON'
import csv
import json

page = json.load(open("effects.json"))
assert page["page"] == "effects" and page["session"]["sentence"].startswith("The animal")
tables = page["tables"]
(asked,) = tables["prediction"]
assert (asked["token"], asked["word"]) == ("it", "animal") and asked["probability"] > 0.9
assert [head["head"] for head in tables["heads"]] == [f"{layer}.{head}" for layer in (0, 1) for head in range(4)]
*parts, whole = (part["logit"] for part in tables["parts"])
assert abs(sum(parts) - whole) < 1e-9 and abs(whole - asked["logit"]) < 1e-3
assert all(len(repr(head["logit_lost_when_off"])) > 8 for head in tables["heads"]), "full digits"
rows = list(csv.DictReader(open("effects.csv", newline="")))
assert rows[0]["table"] == "prediction" and (rows[0]["token"], rows[0]["word"]) == ("it", "street"), rows[0]
heads = [row for row in rows if row["table"] == "heads"]
assert len(heads) == 8 and all(row["logit_lost_when_off"] and not row["word"] for row in heads), heads[0]
(head,) = (head for head in tables["heads"] if head["head"] == "0.0")
assert head["logit_lost_when_off"] > 1 and head["probability_lost_when_off"] > 0.01, "the sign of what is lost"
tokens = tables["gradient_x_input"]
assert [token["position"] for token in tokens] == list(range(len(tokens))) and tokens[7]["token"] == "it"
for head in tables["heads"]:
    keys = [row["attention_x_gradient"] for row in tables["attention_x_gradient"] if row["head"] == head["head"]]
    assert len(keys) == len(tokens) and abs(sum(keys) - head["attention_x_gradient"]) < 1e-9, head
assert len(tables["qk"]) == len(tables["selected_head"]) == len(tokens) ** 2
assert {row["key"] for row in tables["ov"]} == set(range(len(tokens))) and all(row["word"] for row in tables["ov"])
sizes = [row["qk"] for row in tables["singular_values"]]
assert sizes == sorted(sizes, reverse=True) and sizes[-1] >= 0
assert any(row["table"] == "ov" and row["word"] for row in rows) and any(row["gradient_x_input"] for row in rows)
PYTHON
check "the parts on the page effects add up to the logit" /usr/bin/python3 effects.py
"$headscope" trace --page compare --out patched.json --against --sentence "The animal didn't cross the street because it was too wide"
cat >patched.py <<'PYTHON'
import json

tables = json.load(open("patched.json"))["tables"]
of_a, of_b = tables["prediction"]
assert (of_a["word"], of_a["other_word"]) == ("animal", "street") and of_a["logit_difference"] < 0 < of_b["logit_difference"]
assert len(tables["heads"]) == 8 and len(tables["head_rows"]) == 8 * 11 and len(tables["layer_rows"]) == 2 * 11
assert len(tables["feed_forward_rows"]) == 2 * 11
assert [(row["part"], row["layer"]) for row in tables["other_parts"]] == [("feed-forward", 0), ("layer", 0), ("feed-forward", 1), ("layer", 1)]
entering = {row["position"]: row["logit_difference"] for row in tables["layer_rows"] if row["layer"] == 0}
assert abs(entering[10] - of_a["logit_difference"]) < 1e-3, "the changed word brings all of the difference"
assert all(abs(entering[i] - of_b["logit_difference"]) < 1e-3 for i in range(10))
PYTHON
check "on the page compare, the changed word brings all of the difference" /usr/bin/python3 patched.py
check_refused 1 'add --against' trace --page compare --out none.json
for page in heads decoding tiles scale; do
  check "trace writes the numbers of the page $page" "$headscope" trace --page "$page" --model copying --out "$page.csv"
done
check_refused 2 'the page lines shows the numbers of stages.*effects' trace --page lines --out lines.csv
check_refused 2 'F.json or F.csv' trace --page effects --out effects.npy
check_refused 2 'against needs --page compare' trace --page effects --out e.json --against --sentence 'I am'
check_refused 2 'page effects and --stage cannot be combined' trace --page effects --stage query --out q.csv
check_refused 2 'word needs --page' trace --word street --out trace.safetensors
check_refused 1 'predicts no words' trace --page effects --model untrained --out none.json
check "a refused request leaves no file" test ! -e none.json

cat >compare.py <<'PYTHON'
import csv
import json
import struct
from pathlib import Path

import numpy as np



def read(file):
    """The tensors of a file and its metadata."""
    data = Path(file).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__")
    numbers = np.frombuffer(data[8 + size:], "<f4")
    return {name: numbers[entry["data_offsets"][0] // 4:entry["data_offsets"][1] // 4].reshape(entry["shape"])
            for name, entry in header.items()}, metadata


tensors, metadata = read("trace.safetensors")
cache, _ = read("cache.safetensors")
head = "encoder.layers.0.self.heads.{}."


def check(what, good):
    print("ok" if good else "not ok", "-", what)


block = "blocks.0."
scores = np.einsum("thk,shk->hts", cache[block + "attn.hook_q"], cache[block + "attn.hook_k"]) / np.sqrt(8)
scores = np.where(np.tri(5, dtype=bool), scores, -np.inf)
check("TransformerLens's scores are those of its queries and keys",
      np.allclose(scores, cache[block + "attn.hook_attn_scores"], atol=1e-5))
pattern = np.exp(scores - scores.max(-1, keepdims=True))
pattern /= pattern.sum(-1, keepdims=True)
check("TransformerLens's pattern is the softmax of its scores", np.allclose(pattern, cache[block + "attn.hook_pattern"], atol=1e-6))
z = np.einsum("hts,shv->thv", pattern, cache[block + "attn.hook_v"])
check("TransformerLens's z is its pattern times its values", np.allclose(z, cache[block + "attn.hook_z"], atol=1e-5))
check("TransformerLens's results add up to the output of attention", np.allclose(
    cache[block + "attn.hook_result"].sum(1) + tensors["encoder.layers.0.self.b_O"],
    cache[block + "hook_attn_out"], atol=1e-5))
model, _ = read("model.safetensors")
without, _ = read("without.safetensors")
check("a cache without parameters has everything else",
      set(without) == {name for name in model if "hook_" in name or name == "logits"} != set(model))
good = np.allclose(model["hook_pos_embed"], model["pos_embed.W_pos"][:len(model["logits"])], atol=1e-6)
good &= all(np.abs(model["embed.W_E"] - row).max(1).min() < 1e-6 for row in model["hook_embed"])
check("the cache's tables have the rows of its embeddings", good)
for layer in range(2):
    block = f"blocks.{layer}."
    resid = model[block + "hook_resid_pre"].astype(np.float64)
    for name in "QKV":
        made = np.einsum("td,hdk->thk", resid, model[f"{block}attn.W_{name}"]) + model[f"{block}attn.b_{name}"]
        check(f"the cache's W_{name} of layer {layer} makes {name.lower()}",
              np.allclose(made, model[f"{block}attn.hook_{name.lower()}"], atol=1e-4))
    out = np.einsum("thv,hvd->td", model[block + "attn.hook_z"], model[block + "attn.W_O"]) + model[block + "attn.b_O"]
    check(f"the cache's W_O of layer {layer} makes the output of attention",
          np.allclose(out, model[block + "hook_attn_out"], atol=1e-4))
    hidden = model[block + "hook_resid_mid"] @ model[block + "mlp.W_in"] + model[block + "mlp.b_in"]
    check(f"the cache's W_in of layer {layer} makes the hidden rows", np.allclose(hidden, model[block + "mlp.hook_pre"], atol=1e-4))
    out = model[block + "mlp.hook_post"] @ model[block + "mlp.W_out"] + model[block + "mlp.b_out"]
    check(f"the cache's W_out of layer {layer} makes the output of the feed-forward layer", np.allclose(out, model[block + "hook_mlp_out"], atol=1e-4))
logits = model["blocks.1.hook_resid_post"] @ model["unembed.W_U"] + model.get("unembed.b_U", 0.0)
check("the cache's W_U makes the logits", np.allclose(logits, model["logits"], atol=1e-3))
check("the metadata of a trace have the tokens", json.loads(metadata["tokens"]) == ["the", "cat", ",", "the", "mat"])
check("the metadata of a trace have the session", json.loads(metadata["session"])["version"] == 1
      and json.loads(metadata["session"])["attention"]["causal"] is True)
x = tensors["encoder.layers.0.input"].astype(np.float64)
q = x @ tensors[head.format(1) + "W_Q"] + tensors[head.format(1) + "b_Q"]
k = x @ tensors[head.format(1) + "W_K"] + tensors[head.format(1) + "b_K"]
v = x @ tensors[head.format(1) + "W_V"] + tensors[head.format(1) + "b_V"]
scores = np.where(np.tri(5, dtype=bool), q @ k.T / np.sqrt(8), -np.inf)
weights = np.exp(scores - scores.max(1, keepdims=True))
weights /= weights.sum(1, keepdims=True)
check("the weights equal those of NumPy", np.allclose(weights, tensors[head.format(1) + "weights"], atol=1e-6))
check("the head outputs equal those of NumPy", np.allclose(weights @ v, tensors[head.format(1) + "output"], atol=1e-5))
total = sum(tensors[head.format(h) + "contribution"] for h in range(3)) + tensors["encoder.layers.0.self.b_O"]
check("contributions and b_O add up to the projected output", np.allclose(total, tensors["encoder.layers.0.self.projected"], atol=1e-5))
files = {path.name[:-4]: np.load(path) for path in Path("folder").glob("*.npy")}
check("a trace into a folder has the same stages as one into a file", files.keys() == tensors.keys())
check("a trace into a folder has the same numbers as one into a file", all(np.array_equal(files[name], tensors[name]) for name in tensors))
check("tokens.json has the tokens", json.loads(Path("folder/tokens.json").read_text()) == json.loads(metadata["tokens"]))
check("an .npy file of one stage has the numbers of the trace", np.array_equal(np.load("masked.npy"), tensors[head.format(2) + "masked"]))
rows = list(csv.reader(open("weights.csv", newline="")))
check("a CSV file has the labels", rows[0] == ["query \\ key", "the", "cat", ",", "the", "mat"] and [r[0] for r in rows[1:]] == rows[0][1:])
numbers = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]], np.float32)
check("the numbers in a CSV file are exact", np.array_equal(numbers, tensors[head.format(1) + "weights"]))
np.save("column.npy", np.ones((5, 5), np.float32))
np.save("half.npy", np.array([[1, 0, 1, 1, 1]], np.int64))
np.save("added.npy", np.where(np.tri(5, dtype=bool), 0, -np.inf))
np.save("wrong.npy", np.ones((4, 5), bool))
np.save("nan.npy", np.full((5, 5), np.nan))
PYTHON
/usr/bin/python3 compare.py

cat >masks.py <<'PYTHON'
import numpy as np

mask = np.random.default_rng(3).random((3, 8, 8)) > 0.4
mask[:, :, 0] = True
np.save("maps.npy", mask)
np.save("rows.npy", mask[:, :1])
np.save("heads.npy", mask[None])
np.save("sentences.npy", mask[:, None])
PYTHON
/usr/bin/python3 masks.py
printf '%s\n' 'a b c d e f g h' 'the cat sat' 'to be or not to be' >three.txt
weights_of() { "$headscope" trace --batch three.txt --stage weights --head 1 "$@"; }
check "a mask [B, T, S] is accepted" weights_of --mask maps.npy --out maps_weights.npy
check "a mask [B, 1, T, S] is accepted" weights_of --mask sentences.npy --out sentences_weights.npy
check "masks [B, T, S] and [B, 1, T, S] give the same weights" cmp maps_weights.npy sentences_weights.npy
check "a mask [B, 1, S] is accepted" weights_of --mask rows.npy --out rows_weights.npy
check_refused 1 'maps.npy.*\[3, 8, 8\].*\[1, 3, 8, 8\].*\[3, 1, 8, 8\]' trace --batch "$PWD/three.txt" --d-model 24 --heads 3 --mask "$PWD/maps.npy" --out t.safetensors
check "a mask [1, H, T, S] is accepted with several heads" weights_of --d-model 24 --heads 3 --mask heads.npy --out heads_weights.npy
check "a mask [B, 1, T, S] is accepted with several heads" weights_of --d-model 24 --heads 3 --mask sentences.npy --out other_weights.npy
/usr/bin/python3 -c '
import numpy as np
mask, rows = np.load("maps.npy"), np.load("rows.npy")
for name, seen in (("maps", mask), ("rows", np.broadcast_to(rows, mask.shape)), ("other", mask),
                   ("heads", np.broadcast_to(mask[1], mask.shape))):
    shown = np.load(name + "_weights.npy") > 0
    n_words = np.array([8, 3, 6])[:, None, None]
    good = shown.shape == (3, 8, 8) and np.array_equal(shown, seen & (np.arange(8) < n_words))
    print("ok" if good else "not ok", "- the weights follow the mask:", name)'
explained=$("$headscope" explain --batch three.txt --sequence 2 --mask sentences.npy --head 1 --row 0 --column 0)
check "explain accepts the mask of a batch" grep -q 'key 0' <<<"$explained"

chmod 500 folder
if [[ -w folder ]]; then
  echo "skip - a folder without permission: this user may write everywhere"
else
  check_refused 1 'ermission' trace --out "$PWD/folder"
fi
chmod 700 folder
check_refused 1 'another trace' trace --heads 2 --out "$PWD/folder"
check "a trace can be written into the same folder again" "$headscope" trace "${options[@]}" --seed 5 --out folder/
check "no temporary file is left in the folder" test -z "$(find . -name '.headscope*')"

check_refused 1 'column.npy.*astype\(bool\)' trace "${options[@]}" --mask "$PWD/column.npy" --out t.safetensors
check_refused 1 'nan.npy.*NaN' trace "${options[@]}" --mask "$PWD/nan.npy" --out t.safetensors
check_refused 1 'wrong.npy.*\[4, 5\].*\[5, 5\]' trace "${options[@]}" --mask "$PWD/wrong.npy" --out t.safetensors
check 'two mask files combine' "$headscope" trace "${options[@]}" --mask "$PWD/half.npy" --mask "$PWD/added.npy" --out t.safetensors
"$headscope" trace "${options[@]}" --stage weights --out causal.npy
"$headscope" trace "${options[@]}" --mask none --mask added.npy --stage weights --out added_weights.npy
check "an additive causal mask gives the same weights as the causal mask" cmp causal.npy added_weights.npy

explained=$("$headscope" explain "${options[@]}" --head 1 --row the:1 --column cat)
check "explain names the query and the key" grep -q '“the” (query 3) gives .* to “cat” (key 1)' <<<"$explained"
stored=$(awk -F, 'NR == 5 {print $3}' weights.csv)
check "explain prints the stored number" /usr/bin/python3 -c '
import re, sys
text = sys.argv[1].replace("−", "-")
stored = float(re.search(r"stored: (\S+)", text).group(1))
sys.exit(abs(stored - float(sys.argv[2])) > 1e-5)' "$explained" "$stored"
for stage in embedding positions encoder.input input W_Q b_Q W_O b_O query key value raw scaled masked weights output \
  contribution concat projected encoder.output; do
  check "explain explains the stage $stage" "$headscope" explain "${options[@]}" --stage "$stage" --row 0 --column 0
done

"$headscope" explain --stage raw --row it --column animal --parts >parts.txt
cat >parts.py <<'PYTHON'
import re

text = open("parts.txt").read().replace("−", "-")
stored = float(re.search(r"stored: (\S+)", text).group(1))
written, keys, products = (block.splitlines()[1:] for block in re.split(r"\n\n(?=what wrote|the largest)", text)[1:4])
number = lambda line: float(line.rsplit(" = ", 1)[1])
for lines in (written, keys):
    assert abs(sum(map(number, lines)) - stored) < 1e-3, lines
    assert any(line.startswith("  head 0.") for line in lines) and any("token" in line for line in lines)
magnitudes = [abs(number(line)) for line in products if " × " in line]
assert len(magnitudes) == 20 and magnitudes == sorted(magnitudes, reverse=True)
assert "differs from the stored score by" in text
PYTHON
check "a score is split into the parts that wrote its query and its key" /usr/bin/python3 parts.py
check_refused 2 'add --stage raw' explain --row it --column animal --parts
check_refused 1 'made from a latent' explain --kv-latent 8 --model untrained --stage raw --row it --column animal --parts

check "info lists stages with their shapes" grep -qE 'heads\.\{h\}\.output +\[5 × 5\]' <<<"$("$headscope" info "${options[@]}")"
printf '%s\n' 'a b c d e f g h i j' 'k l m n o p q r s t' 'to be or not to be that is the question' \
  'one two three four five six seven eight nine ten' 'the cat sat on the mat and it was red' \
  'j i h g f e d c b a' 'two birds sing in the tree while it rains here' 'she sees the sea and he sees the sky today' >eight.txt
one_head=$("$headscope" info --preset 'One head' --batch eight.txt)
check "info shows the batch" grep -qF 'Batch: 8 sentences, padded to 10 tokens' <<<"$one_head"
check "info's shapes of stages begin with the batch" grep -qE '^ *encoder.layers.0.input +\[8, 10, 512\]' <<<"$one_head"
check "info's shape of a head output is that of the document" grep -qE 'heads\.\{h\}\.output +\[8, 10, 64\]' <<<"$one_head"
check "info's shapes of weights have no batch" grep -qE 'heads\.\{h\}\.W_Q +\[512 × 64\]' <<<"$one_head"
check "info's shapes for one sentence of a batch have no batch" grep -qE 'layers.0.input +\[10 × 512\]' <<<"$("$headscope" info --preset 'One head' --batch eight.txt --sequence 3)"
check "info's shapes have the batch before the heads" grep -qE 'heads\.\{h\}\.weights +\[8, 4, 10, 10\]' <<<"$("$headscope" info --batch eight.txt)"
check "info counts parameters" grep -q 'Parameters: 1959' <<<"$("$headscope" info "${options[@]}")"
check "info states the longest sentence" grep -q 'Longest sentence: 466033 tokens' <<<"$("$headscope" info --model untrained)"
check "info describes the model that the program opens" grep -q '^Trained for pronouns: encoder of 2 layers' <<<"$("$headscope" info)"

check "tokenize prints the tokens of a sentence" test "$("$headscope" tokenize --sentence 'Be, be')" = $'0\t0\tBe\n1\t1\t,\n2\t0\tbe'
printf '%s\n' 'Be, be' '' 'or not' >lines.txt
check "tokenize prints the tokens of a batch with the sentence's number first" test "$("$headscope" tokenize --batch lines.txt)" = $'0\t0\t0\tBe\n0\t1\t1\t,\n0\t2\t0\tbe\n1\t0\t0\tor\n1\t1\t1\tnot'
check "tokenize prints the tokens of one sentence of a batch" test "$("$headscope" tokenize --batch lines.txt --sequence 1)" = $'0\t0\tor\n1\t1\tnot'
ids() { "$headscope" tokenize --tokenizer seed1 --sentence "$1" | cut -f 2 | tr '\n' ' '; }
check "tokenize gives the ids of the first document" test "$(ids 'The sky is blue and world is round')" = "0 6 4 2 1 7 4 5 "
check "tokenize gives the ids of the document's other sentence" test "$(ids 'The sky is blue and world is blue')" = "0 6 5 3 1 7 5 3 "
id_of() { awk -v word="$2" '$0 == word {print NR - 1}' "$root/assets/models/$1/vocab.txt"; }
told=$("$headscope" tokenize --model copying --sentence 'Cat zorp wolf zorp' | cut -f 2-)
known() { printf '%s\t%s' "$(id_of copying "$1")" "$2"; }
check "a model's ids ignore capital letters" test "$(sed -n '1p;3p' <<<"$told")" = "$(known cat Cat; echo; known wolf wolf)"
stand_in=$(sed -n '2s/.*\tunknown: //p' <<<"$told")
check "tokenize marks an unknown word with the word that stands in for it" test "$(sed -n 2p <<<"$told")" = "$(known "$stand_in" zorp)"$'\tunknown: '"$stand_in"
check "an unknown word has the same stand-in each time" test "$(sed -n 2p <<<"$told")" = "$(sed -n 4p <<<"$told")"
check "tokenize knows a blank if the model has one" test "$("$headscope" tokenize --model pronouns --sentence ___)" = $'0\t1\t___'
check "an empty sentence has no tokens" test -z "$("$headscope" tokenize --sentence '')"

check "options explains those with a word, with their keys" bash -c "'$headscope' options sharper | grep -q 'Key: attention.temperature'"
check_refused 2 'no option has' options nonsense

declared=$(sed -nE 's/^project\(headscope VERSION ([0-9.]+) .*/\1/p' "$root/CMakeLists.txt")
check "--version prints the version of CMakeLists.txt" test "$("$headscope" --version)" = "headscope $declared"
for command in "" render trace explain info train tokenize options; do
  # shellcheck disable=SC2086
  help=$("$headscope" $command --help)
  check "headscope $command --help has examples" grep -q 'Examples:' <<<"$help"
  check "headscope $command --help is at most 80 columns wide" test "$(LC_ALL=C.UTF-8 wc -L <<<"$help")" -le 80
done
in_terminal() { script -qec "stty cols $1 && '$headscope' options dropout" /dev/null | tr -d '\r'; }
check "the help is narrow on a narrow terminal" test "$(in_terminal 60 | LC_ALL=C.UTF-8 wc -L)" -le 60
check "the help is wide on a wide terminal" test "$(in_terminal 120 | LC_ALL=C.UTF-8 wc -L)" -gt 100
one_line() { tr -s ' \n' ' ' <<<"$1"; }
check "the help has the same words on both terminals" test "$(one_line "$(in_terminal 60)")" = "$(one_line "$(in_terminal 120)")"
