"""Captures the queries, keys and values of attention layers in PyTorch, for Headscope.

Headscope computes the scores and the weights from them, so this also works where the weights themselves are never in
memory, as with FlashAttention and scaled_dot_product_attention. Use it in your own program:

    capture = Capture()
    for layer in model.layers:
        capture.watch_attention(layer.self_attn)  # an nn.MultiheadAttention
        # or any modules whose outputs are the queries, keys and values of all heads, side by side:
        # capture.watch(layer.wq, layer.wk, layer.wv, n_heads=8)
    model(x)  # one text
    capture.save("capture.safetensors", tokens=["The", "cat", "sat"], mask=torch.ones(3, 3).tril().bool())

and open it with “headscope capture.safetensors”. The queries and keys must be those that are multiplied: where a model
turns them by rotary positions or normalises them, watch the modules that come after that. Run this file for an example:
python3 capture.py capture.safetensors
"""
import json
import struct
import sys

import torch


class Capture:
    def __init__(self):
        self.rows = {"queries": [], "keys": [], "values": []}

    def watch(self, query, key, value, n_heads, n_key_heads=None):
        """Records the outputs of three modules: [text, heads × width] or, for a batch, those of its first text."""
        for name, module, n in (
            ("queries", query, n_heads),
            ("keys", key, n_key_heads or n_heads),
            ("values", value, n_key_heads or n_heads),
        ):
            module.register_forward_hook(
                lambda _module, _inputs, rows, name=name, n=n: self._add(name, rows, n)
            )

    def watch_attention(self, module):
        """Records what an nn.MultiheadAttention makes of its inputs."""

        def hook(module, inputs, _output):
            if len(inputs) < 3 or module.in_proj_weight is None:
                raise ValueError("only modules of one width, called as module(query, key, value), can be watched")
            weights = module.in_proj_weight.chunk(3)
            biases = module.in_proj_bias.chunk(3) if module.in_proj_bias is not None else (None,) * 3
            for name, rows, weight, bias in zip(self.rows, inputs, weights, biases):
                if rows.dim() == 3 and not module.batch_first:
                    rows = rows.transpose(0, 1)
                self._add(name, torch.nn.functional.linear(rows, weight, bias), module.num_heads)

        module.register_forward_hook(hook)

    def save(self, path, tokens, source_tokens=None, mask=None, scale=None, name="capture"):
        """Writes the file. mask: [queries, keys], True where a query may look; scale: what multiplies q · k, if it is
        not 1/√width; source_tokens: the texts of the keys, if they are not those of the queries."""
        tensors = {kind: torch.stack(rows) for kind, rows in self.rows.items() if rows}
        if not tensors:
            raise ValueError("nothing was captured: call the model after the modules are watched")
        if mask is not None:
            tensors["mask"] = mask if mask.is_floating_point() else mask.bool()
        if scale is not None:
            tensors["scale"] = torch.tensor([float(scale)])
        metadata = {"tokens": json.dumps(tokens), "name": name}
        if source_tokens is not None:
            metadata["source_tokens"] = json.dumps(source_tokens)
        save_safetensors(path, tensors, metadata)

    def _add(self, name, rows, n_heads):
        rows = rows[0] if rows.dim() == 3 else rows
        rows = rows.detach().float().reshape(rows.shape[0], n_heads, -1)
        self.rows[name].append(rows.transpose(0, 1).contiguous())


def save_safetensors(path, tensors, metadata):
    types = {torch.float32: "F32", torch.float16: "F16", torch.bool: "BOOL"}
    header, parts, end = {"__metadata__": metadata}, [], 0
    for name, tensor in tensors.items():
        part = tensor.cpu().contiguous().numpy().tobytes()
        offsets = [end, end + len(part)]
        header[name] = {"dtype": types[tensor.dtype], "shape": list(tensor.shape), "data_offsets": offsets}
        end += len(part)
        parts.append(part)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))


if __name__ == "__main__":
    torch.manual_seed(0)
    layers = torch.nn.ModuleList(
        torch.nn.MultiheadAttention(embed_dim=16, num_heads=4, batch_first=True) for _ in range(2)
    )
    capture = Capture()
    for layer in layers:
        capture.watch_attention(layer)
    x = torch.randn(1, 5, 16)
    for layer in layers:
        x = x + layer(x, x, x, need_weights=False)[0]
    capture.save(sys.argv[1], tokens=["An", "example", "of", "five", "tokens"], name="two layers of PyTorch")
