#!/usr/bin/python3
# Runs every case of ONNX's Attention operator in ../shared/reference through `headscope trace --query`.
# Needs: program python3-numpy
"""The attributes and inputs of the operator are given on the command line as follows:

  q_num_heads, kv_num_heads, 3-D inputs   the shape of the files, [H, T, K] and [G, S, K]
  scale, softcap                          --score-scale, --softcap
  is_causal, left_window_size             --mask causal, --mask window:L
  right_window_size                       a mask file: windows have the same width on both sides
  attn_mask                               a mask file, which is extended to the number of keys
  past_key, past_value                    keys and values after them, with --query-offset
  nonpad_kv_seqlen                        --mask padding:I,J and --query-offset
  batch                                   a pass for each sequence
  qk_matmul_output_mode                   the stages scaled, capped, masked and weights
  softmax_precision                       none: softmax is computed in float32
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

REFERENCE = Path(os.environ["HEADSCOPE_ROOT"]).parent / "shared/reference/onnx-attention"
STAGES = ("scaled", "capped", "masked", "weights")


def by_heads(x, n_heads):
    """Converts either of the two layouts to [B, H, T, K]."""
    if x.ndim == 4:
        return x
    batch, length, width = x.shape
    return x.reshape(batch, length, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def full_mask(mask, shape):
    """Extends the mask to [B, H, T, S], with the keys beyond its end hidden."""
    missing = shape[-1] - mask.shape[-1] if mask.shape[-1] != 1 else 0
    if missing > 0:
        filler = np.zeros if mask.dtype == bool else lambda s, t: np.full(s, -np.inf, t)
        mask = np.concatenate([mask, filler(mask.shape[:-1] + (missing,), mask.dtype)], axis=-1)
    return np.broadcast_to(mask, shape)


def passes(case, arrays):
    """The options, the files, and the number of queries, for each sequence of the batch."""
    attributes = case["attributes"]
    q = by_heads(arrays["Q"], attributes.get("q_num_heads"))
    k = by_heads(arrays["K"], attributes.get("kv_num_heads"))
    v = by_heads(arrays["V"], attributes.get("kv_num_heads"))
    past = 0
    if "past_key" in arrays:
        past = arrays["past_key"].shape[2]
        k = np.concatenate([arrays["past_key"], k], axis=2)
        v = np.concatenate([arrays["past_value"], v], axis=2)
    batch, heads, queries, _ = q.shape
    keys = k.shape[2]
    nonpad = arrays.get("nonpad_kv_seqlen")
    for b in range(batch):
        offset = int(nonpad[b]) - queries if nonpad is not None else past
        files = {"query": q[b], "key": k[b], "value": v[b]}
        options = ["--query-offset", str(offset)]
        if "scale" in attributes:
            options += ["--score-scale", repr(float(np.float32(attributes["scale"])))]
        if attributes.get("softcap", 0) > 0:
            options += ["--softcap", repr(float(np.float32(attributes["softcap"])))]
        if attributes.get("is_causal"):
            options += ["--mask", "causal"]
        left, right = attributes.get("left_window_size", -1), attributes.get("right_window_size", -1)
        if left >= 0 and attributes.get("is_causal"):
            options += ["--mask", f"window:{left}"]
        elif left >= 0 or right >= 0:
            ahead = np.arange(keys)[None] - np.arange(queries)[:, None] - offset
            files["window"] = ((ahead >= -left) | (left < 0)) & ((ahead <= right) | (right < 0))
        if nonpad is not None and nonpad[b] < keys:
            options += ["--mask", "padding:" + ",".join(map(str, range(int(nonpad[b]), keys)))]
        if "attn_mask" in arrays:
            files["mask"] = full_mask(arrays["attn_mask"], (batch, heads, queries, keys))[b]
        yield b, options, files


def trace(program, folder, options, files):
    command = [program, "trace", *options, "--out", str(folder / "out")]
    for name, array in files.items():
        np.save(folder / f"{name}.npy", np.ascontiguousarray(array, bool if array.dtype == bool else np.float32))
        command += [f"--{name}" if name in ("query", "key", "value") else "--mask", str(folder / f"{name}.npy")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return folder / "out"


def stage(out, name, head):
    for place in ("encoder.layers.0.self", "decoder.layers.0.cross"):
        file = out / f"{place}.heads.{head}.{name}.npy"
        if file.exists():
            return np.load(file).astype(np.float64)
    raise AssertionError(f"{out} has no {name}")


def difference(own, expected):
    """The greatest difference. If one number is infinite, the other must be the same infinity."""
    same = own == expected
    return float(np.max(np.where(same, 0.0, np.abs(np.where(same, 0.0, own) - np.where(same, 0.0, expected)))))


def worst(program, case, arrays):
    worst_difference = 0.0
    mode = case["attributes"].get("qk_matmul_output_mode", 0)
    name = STAGES[mode]
    if name == "capped" and case["attributes"].get("softcap", 0) == 0:
        name = "scaled"
    y = by_heads(arrays["Y"], case["attributes"].get("q_num_heads"))
    for b, options, files in passes(case, arrays):
        with tempfile.TemporaryDirectory() as folder:
            out = trace(program, Path(folder), options, files)
            for head in range(y.shape[1]):
                worst_difference = max(worst_difference, difference(stage(out, "output", head), y[b, head]))
                if "qk_matmul_output" in arrays:
                    expected = arrays["qk_matmul_output"][b, head].astype(np.float64)
                    worst_difference = max(worst_difference, difference(stage(out, name, head), expected))
    return worst_difference


def main():
    if not REFERENCE.exists():
        print(f"skip - {REFERENCE} is not here")
        return
    program = os.environ["HEADSCOPE"]
    for case in json.loads((REFERENCE / "index.json").read_text()):
        with np.load(REFERENCE / (case["name"] + ".npz")) as file:
            arrays = {name: file[name] for name in file.files}
        try:
            found = worst(program, case, arrays)
            print(f"{'ok' if found <= 1e-5 else 'not ok'} - {case['name']}: within {found:.1e}")
        except AssertionError as error:
            print(f"not ok - {case['name']}: {error}")


if __name__ == "__main__":
    sys.exit(main())
