#!/usr/bin/python3
# Tests that the scripts of “headscope capture” write files in which Headscope finds the attention that PyTorch
# computes.
# Set: all
# Needs: program python3-numpy python3-torch libopenblas0-pthread
"""The script for Hugging Face's models is run with a small model that has the same interface."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import numpy as np

try:
    import torch
except ImportError:
    print("skip - captured attention: no PyTorch (python3-torch) here")
    sys.exit(0)

PROGRAM = os.environ["HEADSCOPE"]


def headscope(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr.strip())
    return done.stdout


def script(name, folder):
    file = folder / f"{name}_capture.py"
    headscope("capture", name, "--out", file)
    return file


def stages(capture, folder):
    """The weights and, if there are any, the outputs of all layers and heads: [L, H, T, S or width]."""
    headscope("trace", "--model", capture, "--out", folder)
    found = {}
    for file in sorted(Path(folder).glob("*.heads.*.npy")):
        parts = file.stem.split(".")
        if parts[-1] not in ("weights", "output"):
            continue
        found.setdefault(parts[-1], {})[int(parts[2]), int(parts[5])] = np.load(file)
    shaped = {}
    for name, maps in found.items():
        layers, heads = (1 + max(place[axis] for place in maps) for axis in (0, 1))
        shaped[name] = np.stack([np.stack([maps[layer, head] for head in range(heads)]) for layer in range(layers)])
    return shaped


def expect(what, found, wanted):
    difference = float(np.abs(found - np.asarray(wanted)).max()) if found.shape == np.shape(wanted) else np.inf
    print(f"{'ok' if difference <= 1e-5 else 'not ok'} - {what}: within {difference:.1e}")


def modules_of_pytorch(folder):
    """Attention modules with a causal mask, and linear layers that share keys, watched by the printed class."""
    file = script("pytorch", folder)
    loaded = importlib.util.spec_from_file_location("pytorch_capture", file)
    module = importlib.util.module_from_spec(loaded)
    loaded.loader.exec_module(module)
    torch.manual_seed(3)

    layers = [torch.nn.MultiheadAttention(12, 3, batch_first=True) for _ in range(2)]
    mask = torch.ones(6, 6).tril().bool()
    capture = module.Capture()
    for layer in layers:
        capture.watch_attention(layer)
    x, wanted = torch.randn(1, 6, 12), []
    for layer in layers:
        out, weights = layer(x, x, x, attn_mask=~mask, average_attn_weights=False)
        wanted.append(weights[0].detach().numpy())
        x = x + out
    path = folder / "modules.safetensors"
    capture.save(path, tokens=list("abcdef"), mask=mask)
    found = stages(path, folder / "modules")
    expect("weights of nn.MultiheadAttention", found["weights"], wanted)

    query, key, value = torch.nn.Linear(8, 16), torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
    capture = module.Capture()
    capture.watch(query, key, value, n_heads=4, n_key_heads=2)
    x = torch.randn(5, 8)
    q = query(x).reshape(5, 4, 4).transpose(0, 1)
    k, v = (each(x).reshape(5, 2, 4).transpose(0, 1).repeat_interleave(2, 0) for each in (key, value))
    weights = torch.softmax(0.3 * q @ k.transpose(1, 2), -1)
    path = folder / "linear.safetensors"
    capture.save(path, tokens=list("abcde"), scale=0.3)
    found = stages(path, folder / "linear")
    expect("weights of linear layers with shared keys", found["weights"], weights[None].detach().numpy())
    expect("outputs of linear layers with shared values", found["output"], (weights @ v)[None].detach().numpy())

    example = folder / "example.safetensors"
    subprocess.run([sys.executable, file, example], check=True)
    says = headscope("info", "--model", example)
    print("ok" if "2 layers of 4 heads" in says else "not ok", "- the example that it prints runs")
    print("not ok" if "d_value" in says else "ok", "- no sizes are said that a capture lacks")


class Tokenizer:
    words = ["<s>", "ĠThe", "Ġcat", "Ġs", "at"]

    @classmethod
    def from_pretrained(cls, _name):
        return cls()

    def __call__(self, _text, return_tensors):
        assert return_tensors == "pt"
        return {"input_ids": torch.arange(len(self.words))[None]}

    def convert_ids_to_tokens(self, ids):
        return [self.words[i] for i in ids]


class Model:
    @classmethod
    def from_pretrained(cls, _name, attn_implementation):
        assert attn_implementation == "eager"
        return cls()

    def eval(self):
        return self

    def __call__(self, input_ids, output_attentions, output_hidden_states):
        assert output_attentions and output_hidden_states
        n = input_ids.shape[1]
        torch.manual_seed(5)
        self.attentions = tuple(torch.rand(1, 2, n, n).softmax(-1) for _ in range(3))
        self.hidden_states = tuple(torch.randn(1, n, 7) for _ in range(4))
        return self


def model_of_hugging_face(folder):
    file = script("transformers", folder)
    made = []
    sys.modules["transformers"] = types.ModuleType("transformers")
    sys.modules["transformers"].AutoTokenizer = Tokenizer
    sys.modules["transformers"].AutoModel = type("Kept", (Model,), {"eval": lambda self: made.append(self) or self})
    path = folder / "hugging.safetensors"
    sys.argv = [str(file), "a-model", "The cat sat", str(path)]
    exec(compile(file.read_text(), file, "exec"), {"__name__": "__main__"})
    found = stages(path, folder / "hugging")
    wanted = [layer[0].numpy() for layer in made[0].attentions]
    expect("attentions of a model with Hugging Face's interface", found["weights"], wanted)
    left = np.load(folder / "hugging" / "encoder.layers.1.output.npy")
    expect("its hidden states", left, made[0].hidden_states[2][0].numpy())
    says = headscope("explain", "--model", path, "--row", "at", "--column", " cat").splitlines()[0]
    print("ok" if "“at”" in says and "“cat”" in says else "not ok", "- its tokens:", says)


def main():
    with tempfile.TemporaryDirectory() as folder:
        try:
            modules_of_pytorch(Path(folder))
            model_of_hugging_face(Path(folder))
        except AssertionError as error:
            print(f"not ok - captured attention: {error}")


if __name__ == "__main__":
    main()
