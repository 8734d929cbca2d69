#!/usr/bin/python3
"""The peers of passes of checkpoints: causal language models with random weights in PyTorch, computed eagerly, with
every head's weights kept.

    peer_checkpoint.py THREADS

First prints a line about itself. Then, for each line "gpt2|llama T seconds" that it reads, runs that model for about
this many seconds and prints the mean time of a pass in milliseconds.
"""

import sys

import torch
from torch.nn import functional

from make_checkpoint import GPT2, LLAMA, gpt2_shapes, llama_shapes
from peer_attention import mean_ms

MODELS = {}


def weights_of(family):
    if family not in MODELS:
        shapes = gpt2_shapes() if family == "gpt2" else llama_shapes()
        MODELS[family] = {name: 0.02 * torch.randn(shape) for name, shape in shapes.items()}
    return MODELS[family]


def attend(q, k, v, mask):
    probs = torch.softmax(q @ k.transpose(1, 2) * q.shape[-1] ** -0.5 + mask, -1)
    return probs, (probs @ v).transpose(0, 1).reshape(q.shape[1], -1)


def gpt2(ids):
    w, heads, kept = weights_of("gpt2"), GPT2["n_head"], []
    d = GPT2["n_embd"]
    mask = torch.full((len(ids), len(ids)), float("-inf")).triu(1)
    x = w["wte.weight"][ids] + w["wpe.weight"][:len(ids)]
    for layer in range(GPT2["n_layer"]):
        at = lambda name: (w[f"h.{layer}.{name}.weight"], w[f"h.{layer}.{name}.bias"])
        y = functional.layer_norm(x, (d,), *at("ln_1"))
        weight, bias = at("attn.c_attn")
        q, k, v = (z.view(len(ids), heads, -1).transpose(0, 1) for z in torch.addmm(bias, y, weight).split(d, 1))
        probs, out = attend(q, k, v, mask)
        weight, bias = at("attn.c_proj")
        x = x + torch.addmm(bias, out, weight)
        y = functional.layer_norm(x, (d,), *at("ln_2"))
        weight, bias = at("mlp.c_fc")
        y = torch.addmm(bias, y, weight)
        y = 0.5 * y * (1.0 + torch.tanh(0.7978845608 * (y + 0.044715 * torch.pow(y, 3.0))))
        weight, bias = at("mlp.c_proj")
        x = x + torch.addmm(bias, y, weight)
        kept += [probs, x]
    x = functional.layer_norm(x, (d,), w["ln_f.weight"], w["ln_f.bias"])
    return kept, x @ w["wte.weight"].T


def rms(x, gain):
    return gain * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def turned(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


def llama(ids):
    w, heads, kept = weights_of("llama"), LLAMA["num_attention_heads"], []
    groups = heads // LLAMA["num_key_value_heads"]
    width = LLAMA["hidden_size"] // heads
    mask = torch.full((len(ids), len(ids)), float("-inf")).triu(1)
    angles = torch.outer(torch.arange(len(ids)), 10000.0 ** (-torch.arange(0, width, 2) / width)).repeat(1, 2)
    cos, sin = angles.cos(), angles.sin()
    x = w["model.embed_tokens.weight"][ids]
    for layer in range(LLAMA["num_hidden_layers"]):
        part = lambda name: w[f"model.layers.{layer}.{name}.weight"]
        y = rms(x, part("input_layernorm"))
        q, k, v = ((y @ part(f"self_attn.{n}_proj").T).view(len(ids), -1, width).transpose(0, 1) for n in "qkv")
        k, v = (z.repeat_interleave(groups, 0) for z in (turned(k, cos, sin), v))
        probs, out = attend(turned(q, cos, sin), k, v, mask)
        x = x + out @ part("self_attn.o_proj").T
        y = rms(x, part("post_attention_layernorm"))
        y = functional.silu(y @ part("mlp.gate_proj").T) * (y @ part("mlp.up_proj").T)
        x = x + y @ part("mlp.down_proj").T
        kept += [probs, x]
    return kept, rms(x, w["model.norm.weight"]) @ w["model.embed_tokens.weight"].T


@torch.inference_mode()
def main():
    torch.set_num_threads(int(sys.argv[1]))
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} thread(s)", flush=True)
    for line in sys.stdin:
        family, n_tokens, seconds = line.split()
        ids = torch.arange(int(n_tokens)) * 7 + 1
        print(mean_ms(lambda: {"gpt2": gpt2, "llama": llama}[family](ids), float(seconds)), flush=True)


if __name__ == "__main__":
    main()
