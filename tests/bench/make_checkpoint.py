#!/usr/bin/python3
"""Writes a checkpoint with random weights, as Hugging Face's transformers lay it out.

    make_checkpoint.py gpt2|llama F32|BF16 FOLDER

gpt2 has the sizes of GPT-2 small, llama those of a model of half a billion parameters (Qwen 2.5 0.5B).
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np

GPT2 = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": 12, "n_head": 12, "n_embd": 768,
        "n_positions": 1024, "vocab_size": 50257}
LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "num_hidden_layers": 24,
         "num_attention_heads": 14, "num_key_value_heads": 2, "hidden_size": 896, "intermediate_size": 4864,
         "vocab_size": 151936, "max_position_embeddings": 32768, "tie_word_embeddings": True}


def gpt2_shapes():
    d, hidden = GPT2["n_embd"], 4 * GPT2["n_embd"]
    shapes = {"wte.weight": (GPT2["vocab_size"], d), "wpe.weight": (GPT2["n_positions"], d),
              "ln_f.weight": (d,), "ln_f.bias": (d,)}
    for layer in range(GPT2["n_layer"]):
        sizes = {"ln_1": (d,), "attn.c_attn": (d, 3 * d), "attn.c_proj": (d, d), "ln_2": (d,),
                 "mlp.c_fc": (d, hidden), "mlp.c_proj": (hidden, d)}
        for name, size in sizes.items():
            shapes |= {f"h.{layer}.{name}.weight": size, f"h.{layer}.{name}.bias": size[-1:]}
    return shapes


def llama_shapes():
    d, hidden = LLAMA["hidden_size"], LLAMA["intermediate_size"]
    keys = d // LLAMA["num_attention_heads"] * LLAMA["num_key_value_heads"]
    shapes = {"model.embed_tokens.weight": (LLAMA["vocab_size"], d), "model.norm.weight": (d,)}
    for layer in range(LLAMA["num_hidden_layers"]):
        sizes = {"input_layernorm": (d,), "post_attention_layernorm": (d,), "self_attn.q_proj": (d, d),
                 "self_attn.k_proj": (keys, d), "self_attn.v_proj": (keys, d), "self_attn.o_proj": (d, d),
                 "mlp.gate_proj": (hidden, d), "mlp.up_proj": (hidden, d), "mlp.down_proj": (d, hidden)}
        shapes |= {f"model.layers.{layer}.{name}.weight": size for name, size in sizes.items()}
    return shapes


def main():
    family, number_type, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    config, shapes = (GPT2, gpt2_shapes()) if family == "gpt2" else (LLAMA, llama_shapes())
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    width = 4 if number_type == "F32" else 2
    header, offset = {}, 0
    for name, shape in shapes.items():
        end = offset + width * int(np.prod(shape))
        header[name] = {"dtype": number_type, "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    draw = np.random.default_rng(0)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in shapes.items():
            is_gain = len(shape) == 1 and name.endswith("weight")
            numbers = draw.standard_normal(shape, dtype="f4") * np.float32(0.02) + np.float32(is_gain)
            file.write(numbers.tobytes() if width == 4 else (numbers.view("u4") >> 16).astype("u2").tobytes())


if __name__ == "__main__":
    main()
