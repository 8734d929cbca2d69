#!/usr/bin/python3
"""The peers of the engine's forward pass: PyTorch's nn.MultiheadAttention, which returns every head's weights, and its
nn.TransformerEncoder.

    peer_attention.py THREADS

First prints a line about itself. Then, for each line "attention T d_model heads causal seconds" or
"encoder layers T d_model heads d_ff seconds" that it reads, runs that shape for about this many seconds and
prints the mean time of a pass in milliseconds.
"""

import sys
import time

import torch


def blas():
    """The BLAS that is loaded into this process, as the system names it."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split()[-1] for line in maps if "blas" in line.rsplit("/", 1)[-1]}
    return ", ".join(sorted(paths)) or "none"


def attention(n_tokens, d_model, n_heads, causal):
    x = torch.randn(1, n_tokens, d_model)
    module = torch.nn.MultiheadAttention(d_model, n_heads, batch_first=True).eval()
    # The mask has floats, because PyTorch would convert a boolean mask in every pass.
    mask = torch.full((n_tokens, n_tokens), float("-inf")).triu(1) if causal else None
    return lambda: module(x, x, x, attn_mask=mask, need_weights=True, average_attn_weights=False)


def encoder(n_layers, n_tokens, d_model, n_heads, d_ff):
    """Keeps no head's weights, because in eval mode PyTorch computes a layer in one fused operation."""
    x = torch.randn(1, n_tokens, d_model)
    layer = torch.nn.TransformerEncoderLayer(d_model, n_heads, d_ff, batch_first=True)
    module = torch.nn.TransformerEncoder(layer, n_layers).eval()
    return lambda: module(x)


def mean_ms(run, seconds):
    for _ in range(3):
        run()
    begin, count = time.perf_counter(), 0
    while count < 3 or time.perf_counter() - begin < seconds:
        run()
        count += 1
    return (time.perf_counter() - begin) / count * 1e3


# Without gradients and the records for them, the module takes its fastest path.
@torch.inference_mode()
def main():
    torch.set_num_threads(int(sys.argv[1]))
    torch.randn(64, 64) @ torch.randn(64, 64)
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} thread(s), BLAS {blas()}", flush=True)
    for line in sys.stdin:
        kind, *shape, seconds = line.split()
        module = {"attention": attention, "encoder": encoder}[kind]
        print(mean_ms(module(*map(int, shape)), float(seconds)), flush=True)


if __name__ == "__main__":
    main()
