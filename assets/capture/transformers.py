"""Captures the attention weights and the hidden states of a model from Hugging Face, for Headscope.

Run:   python3 capture.py gpt2 "The animal was too tired" capture.safetensors
Then:  headscope capture.safetensors
"""
import json
import struct
import sys

import torch
from transformers import AutoModel, AutoTokenizer


def save_safetensors(path, tensors, metadata):
    header, parts, end = {"__metadata__": metadata}, [], 0
    for name, tensor in tensors.items():
        part = tensor.float().cpu().contiguous().numpy().tobytes()
        offsets = [end, end + len(part)]
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": offsets}
        end += len(part)
        parts.append(part)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))


name, text, path = sys.argv[1:4]
tokenizer = AutoTokenizer.from_pretrained(name)
# Only the eager implementation of attention keeps its weights.
model = AutoModel.from_pretrained(name, attn_implementation="eager").eval()
inputs = tokenizer(text, return_tensors="pt")
with torch.no_grad():
    outputs = model(**inputs, output_attentions=True, output_hidden_states=True)
tensors = {
    "attentions": torch.stack([layer[0] for layer in outputs.attentions]),
    "hidden_states": torch.stack([rows[0] for rows in outputs.hidden_states]),
}
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
save_safetensors(path, tensors, {"tokens": json.dumps(tokens), "name": name})
