#!/usr/bin/python3
"""The peer of the training pass, a training step in PyTorch; also writes the sentences that a recipe trains on.

    peer_training.py THREADS

First prints a line about itself. Then, for each line "step seconds" or "language_step seconds" that it reads, trains
for about this many seconds and prints the mean time of a step (draw a batch, forward, loss, backward, Adam) in
milliseconds.

    peer_training.py corpus RECIPE FILE

Writes the sentences that the recipe makes before its first class, X (0 fills up) and Y (what is wanted of each
word), as one array [2, sentences, words] into FILE, a .npy.

The model is an encoder with pre-norm, sinusoidal positions and tied output, of the sizes below, built from
PyTorch's own nn.TransformerEncoder. bench_training.cpp makes batches of the same sizes.
"""

import ast
import sys

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

sys.dont_write_bytecode = True
from peer_attention import blas, mean_ms  # noqa: E402

D_MODEL, HEADS, LAYERS, D_FF = 64, 4, 2, 128
WORDS, BATCH = 361, 64
PADDING, BLANK, PRONOUN = 0, 1, 2  # ids
LENGTHS = [8] * 3 + [10] + [11] * 4 + [12] * 12  # the lengths of the sentences, in turn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, D_MODEL)
        nn.init.normal_(self.words.weight, std=D_MODEL**-0.5)
        layer = nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(D_MODEL))
        frequencies = 10000.0 ** (-torch.arange(0, D_MODEL, 2) / D_MODEL)
        angles = torch.outer(torch.arange(max(LENGTHS)), frequencies)
        self.positions = torch.stack((angles.sin(), angles.cos()), dim=2).flatten(1)

    def forward(self, ids):
        rows = self.words(ids) * D_MODEL**0.5 + self.positions
        return self.encoder(rows, src_key_padding_mask=ids == PADDING) @ self.words.weight.T


def sentences(n):
    """Sentences of random words with these lengths. The fifth word of a long sentence is the pronoun."""
    ids = torch.randint(PRONOUN + 1, WORDS, (n, max(LENGTHS)))
    for sentence, row in enumerate(ids):
        length = LENGTHS[sentence % len(LENGTHS)]
        row[length:] = PADDING
        if length > 8:
            row[4] = PRONOUN
    return ids


class Training:
    def __init__(self):
        self.model = Model()
        self.adam = torch.optim.Adam(self.model.parameters(), lr=2e-3, foreach=True)
        self.ids = sentences(2000)
        self.wanted = torch.where(self.ids == PRONOUN, self.ids.roll(1, dims=1), self.ids)

    def step(self):
        drawn = torch.randint(0, len(self.ids), (BATCH,))
        ids, wanted = self.ids[drawn], self.wanted[drawn]
        is_word, is_pronoun = ids != PADDING, ids == PRONOUN
        is_blank = (torch.rand(ids.shape) < 0.1) & is_word & ~is_pronoun
        ids = ids.masked_fill(is_blank, BLANK)
        # One cross-entropy covers all parts of the loss. Each row has the weight that it gets from the means of the
        # parts.
        weights = sum(weight * part / part.sum() for weight, part in
                      ((1.0, is_pronoun), (0.5, is_word), (1.0, is_blank)))
        costs = cross_entropy(self.model(ids).flatten(0, 1), wanted.flatten(), reduction="none")
        self.adam.zero_grad(set_to_none=True)
        (costs * weights.flatten()).sum().backward()
        self.adam.step()


class LanguageModel(nn.Module):
    """A Llama model of the sizes in bench_training.cpp. Its heads are single products, because batched ones are slower
    with Debian's libopenblas0."""

    pieces, d_model, heads, layers, d_ff, length, batch = 2048, 128, 4, 4, 344, 256, 32

    def __init__(self):
        super().__init__()
        d, f = self.d_model, self.d_ff
        self.words = nn.Parameter(torch.randn(self.pieces, d) * d**-0.5)
        self.matrices = nn.ParameterList(
            nn.Parameter(torch.randn(o, i) * i**-0.5)
            for _ in range(self.layers) for o, i in [(d, d)] * 4 + [(f, d), (f, d), (d, f)])
        self.gains = nn.ParameterList(nn.Parameter(torch.ones(d)) for _ in range(2 * self.layers + 1))
        width = d // self.heads
        angles = torch.outer(torch.arange(self.length), 10000.0 ** (-torch.arange(0, width, 2) / width))
        self.cosines, self.sines = (torch.cat([f(angles)] * 2, dim=1) for f in (torch.cos, torch.sin))
        self.hidden = torch.full((self.length, self.length), -torch.inf).triu(1)

    def rotate(self, x):
        first, second = x.chunk(2, dim=1)
        return x * self.cosines + torch.cat((-second, first), dim=1) * self.sines

    def forward(self, ids):
        def norm(x, gain):
            return x * torch.rsqrt(x.square().mean(dim=1, keepdim=True) + 1e-5) * gain

        rows, width = self.words[ids.flatten()], self.d_model // self.heads
        for layer in range(self.layers):
            w_q, w_k, w_v, w_o, gate, up, down = self.matrices[7 * layer:7 * layer + 7]
            x = norm(rows, self.gains[2 * layer])
            q, k, v = x @ w_q.T, x @ w_k.T, x @ w_v.T
            sequences = []
            for at in range(0, len(rows), self.length):
                heads = []
                for column in range(0, self.d_model, width):
                    a, b, c = (m[at:at + self.length, column:column + width] for m in (q, k, v))
                    scores = self.rotate(a) @ self.rotate(b).T * width**-0.5 + self.hidden
                    heads.append(scores.softmax(dim=1) @ c)
                sequences.append(torch.cat(heads, dim=1))
            rows = rows + torch.cat(sequences) @ w_o.T
            x = norm(rows, self.gains[2 * layer + 1])
            rows = rows + (nn.functional.silu(x @ gate.T) * (x @ up.T)) @ down.T
        return norm(rows, self.gains[-1]) @ self.words.T


class LanguageTraining:
    def __init__(self):
        self.model = LanguageModel()
        self.adam = torch.optim.AdamW(self.model.parameters(), lr=2e-3, foreach=True)

    def step(self):
        ids = torch.randint(0, self.model.pieces, (self.model.batch, self.model.length))
        wanted = ids.roll(-1, dims=1)
        wanted[:, -1] = -100
        loss = cross_entropy(self.model(ids), wanted.flatten())
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.adam.step()


def write_corpus(recipe, path):
    with open(recipe, encoding="utf-8") as file:
        tree = ast.parse(file.read(), recipe)
    first_class = next(i for i, statement in enumerate(tree.body) if isinstance(statement, ast.ClassDef))
    del tree.body[first_class:]
    sys.argv = [recipe]
    names = {}
    exec(compile(tree, recipe, "exec"), names)
    np.save(path, np.stack([names["X"].numpy(), names["Y"].numpy()]).astype(np.int32))


def main():
    if sys.argv[1] == "corpus":
        write_corpus(*sys.argv[2:])
        return
    torch.set_num_threads(int(sys.argv[1]))
    torch.randn(64, 64) @ torch.randn(64, 64)
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} thread(s), BLAS {blas()}", flush=True)
    trainings = {"step": Training(), "language_step": LanguageTraining()}
    for line in sys.stdin:
        kind, seconds = line.split()
        print(mean_ms(trainings[kind].step, float(seconds)), flush=True)


if __name__ == "__main__":
    main()
