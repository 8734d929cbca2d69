#!/usr/bin/python3
# headscope train --text against PyTorch: three steps on the same batch, and a whole run on the same documents.
# Needs: program python3-numpy python3-torch libopenblas0-pthread
"""The three documents are one batch, whose order changes nothing but rounding, and so few windows repeat no passage."""

import json
import os
import random
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import torch

HEADSCOPE = os.environ["HEADSCOPE"]
RATE, WARM_UP, DECAY, LARGEST_NORM = 0.05, 100, 0.1, 1.0
WORDS = "the a hen goose cat dog saw found ate ran and then but corn egg red blue big who that it was happy sad".split()


def check(what, is_right, why=""):
    print(f"{'ok' if is_right else 'not ok'} - {what}")
    if not is_right:
        print("# " + str(why)[:3000].replace("\n", "\n# "))


def headscope(*arguments):
    done = subprocess.run([HEADSCOPE, *map(str, arguments)], check=False, text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done


def weights_of(folder):
    data = (folder / "model.safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    return {name: torch.tensor(np.frombuffer(data[8 + size:][slice(*entry["data_offsets"])], np.float16)
                               .reshape(entry["shape"]).astype(np.float64))
            for name, entry in header.items() if name != "__metadata__"}


def logits(w, c, ids):
    n, width = len(ids), c["head_dim"]
    angles = torch.outer(torch.arange(n, dtype=torch.float64),
                         c["rope_theta"] ** (-torch.arange(0, width, 2, dtype=torch.float64) / width))
    cos, sin = (torch.cat([f(angles)] * 2, -1)[:, None] for f in (torch.cos, torch.sin))

    def norm(x, name):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + c["rms_norm_eps"]) * w[name]

    def rotate(x):
        return x * cos + torch.cat([-x[..., width // 2:], x[..., :width // 2]], -1) * sin

    hidden = torch.triu(torch.full((n, n), -torch.inf, dtype=torch.float64), 1)
    x = w["model.embed_tokens.weight"][ids]
    for layer in range(c["num_hidden_layers"]):
        p = f"model.layers.{layer}."
        h = norm(x, p + "input_layernorm.weight")
        q, k, v = ((h @ w[f"{p}self_attn.{each}_proj.weight"].T).reshape(n, -1, width) for each in "qkv")
        k, v = (each.repeat_interleave(c["num_attention_heads"] // c["num_key_value_heads"], 1) for each in (k, v))
        q, k, v = (each.transpose(0, 1) for each in (rotate(q), rotate(k), v))
        heads = torch.softmax(q @ k.transpose(1, 2) / width ** 0.5 + hidden, -1) @ v
        x = x + heads.transpose(0, 1).reshape(n, -1) @ w[p + "self_attn.o_proj.weight"].T
        h = norm(x, p + "post_attention_layernorm.weight")
        gated = torch.nn.functional.silu(h @ w[p + "mlp.gate_proj.weight"].T) * (h @ w[p + "mlp.up_proj.weight"].T)
        x = x + gated @ w[p + "mlp.down_proj.weight"].T
    return norm(x, "model.norm.weight") @ w["model.embed_tokens.weight"].T


def adam_for(w):
    matrices, vectors = ([each for each in w.values() if each.dim() == dims] for dims in (2, 1))
    return torch.optim.AdamW([{"params": matrices, "weight_decay": DECAY}, {"params": vectors, "weight_decay": 0.0}],
                             betas=(0.9, 0.999), eps=1e-8)


def step(w, config, batch, adam, rate):
    """A step on lists of ids, in each of which all but the first are predicted. Returns the loss before it."""
    loss = torch.nn.functional.cross_entropy(torch.cat([logits(w, config, ids[:-1]) for ids in batch]),
                                             torch.cat([ids[1:] for ids in batch]))
    adam.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(w.values(), LARGEST_NORM)
    for group in adam.param_groups:
        group["lr"] = rate
    adam.step()
    return loss.item()


def ids_of(document):
    done = headscope("tokenize", "--tokenizer", "begun", "--special", "--format", "ids", "--sentence", document)
    return torch.tensor([int(each) for each in done.stdout.split()] + [2])


def repeated(ids, rng):
    """A passage of a window, over and over, as headscope trains on some windows."""
    n = len(ids) - 1
    length = rng.randint(min(8, n // 2), n // 2)
    passage = rng.randint(1, n - length + 1)
    return torch.tensor([ids[0]] + [ids[passage + at % length] for at in range(n)])


def compare_whole_runs():
    """Both begin with the same weights; what they draw differs, so the results are equal only within its noise."""
    rng = random.Random(4)
    after = {word: rng.choices(WORDS, k=3) for word in WORDS}

    def document():
        words = [rng.choice(WORDS)]
        while len(words) < 20:
            words.append(rng.choice(after[words[-1]]))
        return " ".join(words)

    documents, held_out = [document() for _ in range(160)], [document() for _ in range(60)]
    Path("text.txt").write_text("\n<|endoftext|>\n".join(documents))
    Path("held-out.txt").write_text("\n<|endoftext|>\n".join(held_out))
    text, n_steps, size, rate = ["--text", "text.txt", "--held-out", "held-out.txt"], 300, 8, 0.004
    headscope("train", *text, "--layers", 2, "--d-model", 32, "--heads", 4, "--kv-heads", 2, "--d-ff", 48, "--pieces",
              530, "--context", 64, "--steps", 1, "--batch-size", size, "--out", "begun")
    done = headscope("train", *text, "--model", "./begun", "--steps", n_steps, "--batch-size", size, "--learning-rate",
                     rate, "--weight-decay", DECAY, "--out", "done")
    ours = float(re.search(r"([\d.]+) bits per character", done.stdout)[1])
    config = json.loads(Path("begun/config.json").read_text())
    windows = [ids_of(each) for each in documents]
    w = {name: each.clone().requires_grad_() for name, each in weights_of(Path("begun")).items()}
    adam = adam_for(w)
    order, batch = [], []
    for at in range(n_steps * size):
        order = order or rng.sample(range(len(windows)), len(windows))
        is_repeated = at % 2 == 1 if at < n_steps * size // 5 else at % 16 == 15
        ids = windows[order.pop()]
        batch.append(repeated(ids, rng) if is_repeated else ids)
        if len(batch) == size:
            number = at // size
            fallen = (number - WARM_UP) / (n_steps - WARM_UP)
            step(w, config, batch, adam, rate * ((number + 1) / WARM_UP if number < WARM_UP else
                                                 0.05 + 0.95 * 0.5 * (1 + np.cos(np.pi * fallen))))
            batch = []
    with torch.no_grad():
        nats = sum(torch.nn.functional.cross_entropy(logits(w, config, ids[:-1]), ids[1:], reduction="sum").item()
                   for ids in map(ids_of, held_out))
    theirs = nats / np.log(2) / sum(map(len, held_out))
    check("PyTorch's run is no better by more than 2 %", ours < 1.02 * theirs, (ours, theirs))
    check("both have learned which words follow", theirs < 0.8, theirs)


def main():
    rng = random.Random(3)
    documents = [" ".join(rng.choices(WORDS, k=110)) for _ in range(3)]
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        Path("text.txt").write_text("\n<|endoftext|>\n".join(documents))
        Path("held-out.txt").write_text("the hen saw a cat")
        text = ["--text", "text.txt", "--held-out", "held-out.txt"]
        headscope("train", *text, "--layers", 2, "--d-model", 32, "--heads", 4, "--kv-heads", 2, "--d-ff", 48,
                  "--pieces", 520, "--context", 256, "--steps", 1, "--batch-size", 3, "--out", "begun")
        done = headscope("train", *text, "--model", "./begun", "--steps", 3, "--batch-size", 3, "--learning-rate", RATE,
                         "--weight-decay", DECAY, "--out", "done")
        config = json.loads(Path("begun/config.json").read_text())
        before, after = weights_of(Path("begun")), weights_of(Path("done"))
        batch = [ids_of(each) for each in documents]
        w = {name: each.clone().requires_grad_() for name, each in before.items()}
        adam = adam_for(w)
        losses = [step(w, config, batch, adam, RATE * (number + 1) / WARM_UP) for number in range(3)]
        compare_whole_runs()
    said = [float(each) for each in re.findall(r"loss ([\d.]+)", done.stderr)]
    check("the losses of three steps are PyTorch's", np.allclose(said, losses, rtol=0, atol=6e-4), (said, losses))
    check("each step changes the loss", losses[0] > losses[1] > losses[2], losses)
    for name, each in w.items():
        wanted, stored, change = each.detach(), after[name], each.detach() - before[name]
        # The file holds 11 bits of each number.
        error = ((stored - wanted).abs() - wanted.abs() / 2048).clamp(min=0)
        check(f"{name} moved as in PyTorch", change.abs().mean() > 1e-4 and error.mean() < 0.01 * change.abs().mean(),
              (change.abs().mean(), error.mean(), error.max()))


main()
