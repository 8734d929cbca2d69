#!/usr/bin/python3
# Set: all
# Needs: program module python3-numpy python3-torch libopenblas0-pthread
"""headscope.capture() records the attention of modules of PyTorch, and of classes with the interface of Transformers'
models, and headscope.load() opens modules. What the program computes from the files is what PyTorch computes."""

import contextlib
import io
import multiprocessing
import os
import re
import socket
import sys
import tempfile
import threading
import types
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from package import check, headscope, notebook, refused  # noqa: E402

try:
    import torch
except ImportError as error:
    print(f"skip - capturing in Python: {error}")
    sys.exit(0)

ROOT = Path(__file__).resolve().parents[2]
functional = torch.nn.functional


def expect(name, found, wanted, within=1e-5):
    wanted = wanted.detach().numpy() if hasattr(wanted, "detach") else np.asarray(wanted)
    difference = float(np.abs(found - wanted).max()) if found.shape == wanted.shape else np.inf
    check(f"{name}: within {difference:.1e}", difference <= within, (found.shape, wanted.shape))


def pattern(path):
    return np.asarray(headscope.load(path).run().pattern)


def attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    """torch.nn.functional.scaled_dot_product_attention, which PyTorch has from 2.0 on, and its weights."""
    k, v = (each.repeat_interleave(q.shape[1] // k.shape[1], 1) for each in (k, v))
    scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:]).tril().bool(), -torch.inf)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    weights = scores.softmax(-1)
    attention.seen.append(weights[0].detach())
    return weights @ v


@contextlib.contextmanager
def replaced(function):
    """Within it, PyTorch has this attention function, also where it is too old for one of its own."""
    original = getattr(functional, "scaled_dot_product_attention", None)
    functional.scaled_dot_product_attention, attention.seen = function, []
    try:
        yield
    finally:
        functional.scaled_dot_product_attention = original
        if original is None:
            del functional.scaled_dot_product_attention


@contextlib.contextmanager
def transformers_with(functions):
    sys.modules["transformers.modeling_utils"] = types.SimpleNamespace(ALL_ATTENTION_FUNCTIONS=functions)
    try:
        yield
    finally:
        del sys.modules["transformers.modeling_utils"]


class Attention(torch.nn.Module):
    """Attention with two heads of keys for four of queries, through the function that PyTorch and Transformers call."""

    def __init__(self, width=16, is_causal=True, layer=0):
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(width, n) for n in (width, width // 2, width // 2))
        self.is_causal, self.layer = is_causal, layer

    def forward(self, x, mask=None):
        q, k, v = (each(x).unflatten(-1, (-1, 4)).transpose(1, 2) for each in (self.q, self.k, self.v))
        made = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=self.is_causal and mask is None)
        return made.transpose(1, 2).flatten(2)


class Stack(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = x + layer(x, mask)
        return x


def modules(folder):
    torch.manual_seed(3)
    x, file = torch.randn(2, 6, 16), folder / "modules.safetensors"
    layer = torch.nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
    encoder = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    hidden = ~torch.ones(6, 6).tril().bool()
    wanted, rows = [], x
    for each in encoder.layers:
        wanted.append(each.self_attn(rows, rows, rows, attn_mask=hidden, average_attn_weights=False)[1][1])
        rows = each(rows, src_mask=hidden)
    with torch.no_grad(), headscope.capture(encoder, file, item=1, tokens=list("abcdef")):
        encoder(x, mask=hidden)
    expect("nn.TransformerEncoder with a causal mask", pattern(file), torch.stack(wanted))
    check("the tokens", headscope.load(file).run().tokens == list("abcdef"))
    check("nothing is left in the modules", "forward" not in vars(encoder) and "forward" not in vars(encoder.layers[0].self_attn)
          and not encoder._forward_hooks and encoder.layers[0].activation_relu_or_gelu)
    padding = torch.zeros(2, 6, dtype=torch.bool)
    padding[1, 4:] = True
    with headscope.capture(encoder, file, item=1):
        encoder(x, src_key_padding_mask=padding)
    first = encoder.layers[0].self_attn(x, x, x, key_padding_mask=padding, average_attn_weights=False)[1][1]
    expect("padding", pattern(file)[0], first)

    transformer = torch.nn.Transformer(16, 4, 1, 2, 32, batch_first=True).eval()
    with headscope.capture(transformer, None, only="decoder.*multihead_attn", tokens=list("abc"),
                           source_tokens=list("ABCDEF")) as watched:
        transformer(x, x[:, :3])
    watched.save(file)
    cross = headscope.load(file).run()
    check("cross-attention", cross.heads("weights").shape == (2, 4, 3, 6) and cross.source_tokens == list("ABCDEF"))
    refused("attention of different shapes", lambda: run_in(transformer, file, x, x[:, :3]), "only=")

    module = torch.nn.MultiheadAttention(16, 4, batch_first=True)
    trace = headscope.load(module).run(x[:1])
    expect("a loaded module", trace.pattern[0], module(x[:1], x[:1], x[:1], average_attn_weights=False)[1][0])
    out = trace[[each for each in trace.names if each.endswith(".self.projected")][0]]
    expect("its output", out, module(x[:1], x[:1], x[:1])[0][0])


def functions(folder):
    torch.manual_seed(4)
    x, file = torch.randn(1, 5, 16), folder / "functions.safetensors"
    with replaced(attention):
        for name, mask in (("a causal flag", None), ("a mask", torch.ones(5, 5).tril(1).bool()),
                           ("a bias that is added", torch.randn(5, 5))):
            model, attention.seen = Stack(Attention(), Attention()), []
            with headscope.capture(model, file):
                model(x, mask)
            expect(f"scaled_dot_product_attention with {name}", pattern(file), torch.stack(attention.seen))
        model, attention.seen = Stack(Attention(), Attention(is_causal=False)), []
        with headscope.capture(model, file):
            model(x)
        expect("layers with different masks", pattern(file), torch.stack(attention.seen))
        check("the function is put back", functional.scaled_dot_product_attention is attention)


class Tokenizer:
    def convert_ids_to_tokens(self, ids):
        return [f"Ġword{each}" for each in ids]

    def save_pretrained(self, folder):
        pass


class Eager(torch.nn.Module):
    """The interface of a model of Transformers."""

    def __init__(self, implementation="eager"):
        super().__init__()
        self.config = types.SimpleNamespace(_attn_implementation=implementation)
        self.embed = torch.nn.Embedding(20, 16)
        self.layers = torch.nn.ModuleList(Attention(layer=i) for i in range(2))

    def forward(self, input_ids=None, output_attentions=False, output_hidden_states=False, return_dict=None):
        rows = self.embed(input_ids)
        hidden, weights = [rows], []
        for layer in self.layers:
            q, k, v = (each(rows).unflatten(-1, (-1, 4)).transpose(1, 2) for each in (layer.q, layer.k, layer.v))
            rows = rows + ALL_ATTENTION_FUNCTIONS.get(self.config._attn_implementation, attend)(layer, q, k, v, attention_mask=None, scaling=0.3).transpose(1, 2).flatten(2)
            hidden.append(rows)
            weights.append(attention.seen[-1][None])
        return types.SimpleNamespace(attentions=tuple(weights) if output_attentions else None,
                                     hidden_states=tuple(hidden) if output_hidden_states else None)


class Translator(torch.nn.Module):
    """The interface of an encoder-decoder of Transformers."""

    def __init__(self):
        super().__init__()
        self.config = types.SimpleNamespace(is_encoder_decoder=True)
        self.decoder = torch.nn.ModuleList([torch.nn.Module()])
        self.decoder[0].encoder_attn = Weights()

    def forward(self, input_ids, decoder_input_ids, output_attentions=False, return_dict=None):
        n, m = decoder_input_ids.shape[1], input_ids.shape[1]
        cross = self.decoder[0].encoder_attn(n, m)[1]
        given = (cross.new_ones(1, 2, n, n).tril().softmax(-1),) if output_attentions else None
        return types.SimpleNamespace(decoder_attentions=given, cross_attentions=(None, cross))


class Weights(torch.nn.Module):
    def forward(self, n, m):
        return None, torch.rand(1, 2, n, m).softmax(-1)


class Foreign(torch.nn.Module):
    """A module whose config is none of Transformers."""

    def __init__(self):
        super().__init__()
        self.config, self.attention = types.SimpleNamespace(), torch.nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x, **kwargs):
        self.given = kwargs
        return self.attention(x, x, x)[0]


def attend(module, q, k, v, attention_mask, scaling=None, **_):
    return attention(q, k, v, is_causal=True, scale=scaling)


ALL_ATTENTION_FUNCTIONS = {"flash": attend}


def models(folder):
    torch.manual_seed(5)
    ids, file = torch.tensor([[3, 1, 4, 1, 5]]), folder / "model.safetensors"
    with transformers_with(ALL_ATTENTION_FUNCTIONS):
        for implementation in ("eager", "flash"):
            attention.seen = []
            model = Eager(implementation)
            with torch.no_grad(), headscope.capture(model, file, tokenizer=Tokenizer()):
                model(input_ids=ids)
            trace = headscope.load(file).run()
            expect(f"a model with {implementation} attention", np.asarray(trace.pattern), torch.stack(attention.seen))
            check("tokens of the tokenizer", [each.strip() for each in trace.tokens] == [f"word{i}" for i in (3, 1, 4, 1, 5)],
                  trace.tokens)
            check("hidden states", ("decoder.layers.1.input" in trace or "encoder.layers.1.input" in trace)
                  == (implementation == "eager"))
        check("the functions are put back", ALL_ATTENTION_FUNCTIONS["flash"] is attend)
    from_outputs = headscope._show.trace_of([each[None] for each in attention.seen], list("abcde"))
    expect("attentions as Transformers returns them", np.asarray(from_outputs.pattern), torch.stack(attention.seen))
    half = headscope._show.trace_of([each[None].bfloat16() for each in attention.seen], list("abcde"))
    expect("in 16 bits", np.asarray(half.pattern), torch.stack(attention.seen).bfloat16().float())


def captured(model, *inputs, **options):
    with torch.no_grad(), headscope.capture(model, **options) as watched:
        model(*inputs)
    return watched


def labels(folder):
    """Tokens beside queries and keys, and what is asked of models."""
    file, inputs = folder / "labels.safetensors", (torch.tensor([[1, 2, 3, 4]]), torch.tensor([[7, 8, 9]]))
    for only, source in ((None, list("789")), ("decoder.0.encoder_attn", list("1234")), ("^cross_", list("1234"))):
        captured(Translator(), *inputs, only=only).save(file)
        trace = headscope.load(file).run()
        check(f"the tokens of a decoder, with {only}", [[each.strip() for each in texts] for texts in (
            trace.tokens, trace.source_tokens)] == [list("789"), source], (trace.tokens, trace.source_tokens))
    model = Eager()
    with torch.no_grad(), headscope.capture(model) as watched:
        attention.seen = []
        model(input_ids=torch.tensor([[1, 2, 3]]))
        model(input_ids=torch.tensor([[4, 5]]))
        watched.save(file)
        check("the tokens are those of the last call", headscope.load(file).run().tokens == ["4", "5"])
    foreign = Foreign()
    check("a foreign config is asked for nothing", captured(foreign, torch.randn(1, 3, 4)).tensors() and not foreign.given)


def bounds():
    """What is recorded, and what is refused."""
    torch.manual_seed(6)
    x = torch.randn(1, 5, 16)
    watched, teacher = Stack(Attention()), Stack(Attention(), Attention())
    with replaced(attention):
        with torch.no_grad(), headscope.capture(watched) as found:
            watched(x)
            teacher(x)
            thread = threading.Thread(target=teacher, args=(x,))
            thread.start()
            thread.join()
            found.tensors()["queries"].fill(0.0)
        check("other models and threads are not recorded", found.tensors()["queries"].shape == (1, 4, 5, 4))

    class Single(torch.nn.Module):
        def forward(self, q):
            made = functional.scaled_dot_product_attention(q, q, q)
            q.zero_()
            return made

    with replaced(lambda q, k, v, *_, **__: v.clone()):
        rows = torch.randn(2, 3, 4)
        wanted = rows[1].clone()
        found = captured(Single(), rows, item=1).tensors()["queries"]
        expect("three axes are one head, copied before the model overwrites it", found, wanted[None, None])
        refused("attention of five axes", lambda: captured(Single(), torch.randn(1, 1, 2, 3, 4)), "axes")

    class Function(torch.nn.Module):
        def forward(self, mask=None, **kwargs):
            q, k = torch.randn(1, 2, 2, 4), torch.randn(1, 2, 5, 4)
            return sys.modules["transformers.modeling_utils"].ALL_ATTENTION_FUNCTIONS["f"](self, q, k, k, mask, **kwargs)

    with transformers_with({"f": lambda *_, **__: None}):
        with headscope.capture(Function()) as found:
            found._model()
        expect("causal queries are the last tokens", found.tensors()["mask"].astype(float), np.tri(2, 5, 3))
        with headscope.capture(Function()) as found:
            found._model(torch.ones(1, 1, 2, 5, dtype=torch.bool), sliding_window=1)
        check("a whole mask holds the window", "mask" not in found.tensors())
        for name, mask, given in (("softcap", None, {"softcap": 3.0}), ("s_aux", None, {"s_aux": 1}),
                                  ("a mask", "block", {})):
            refused(name, lambda mask=mask, given=given: run_in(Function(), None, mask, **given), "cannot be captured")
    made = headscope._show.layers_of([torch.full((1, 2, 2), 0.5).bfloat16(), torch.full((1, 2, 2), 0.5)])
    check("layers of two precisions", made.dtype == np.float32 and (made == 0.5).all(), made)


class Pretrained:
    """A model of Transformers as far as load() needs it, whose files are those of a fixture."""

    def __init__(self, source):
        self.source = source

    def save_pretrained(self, folder):
        for each in self.source.iterdir():
            if each.is_file():
                (Path(folder) / each.name).write_bytes(each.read_bytes())


def pretrained():
    source = ROOT / "assets/models/stories"
    loaded = headscope.load(Pretrained(source), tokenizer=Tokenizer()).run("The cat sat")
    expect("a loaded model of Transformers", loaded.logits, headscope.load(source).run("The cat sat").logits, 0.0)


def layers_of_model():
    torch.manual_seed(0)
    return [torch.nn.MultiheadAttention(16, 4, batch_first=True) for _ in range(4)], torch.randn(1, 6, 16)


def take_pushes(window):
    """Answers as a window does."""
    while True:
        connection, _ = window.accept()
        connection.recv(4096)
        connection.sendall(b"\n")
        connection.close()


def readme(folder):
    """The lines of README.md that people copy."""
    lines = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL).group(1)
    attention.seen = []
    weights = torch.rand(3, 1, 2, 4, 4).softmax(-1)
    names = {"attentions": tuple(weights), "tokens": list("abcd"), "network": Eager(), "tokenizer": Tokenizer(),
             "inputs": {"input_ids": torch.tensor([[1, 2, 3]])}}
    os.chdir(folder)
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    with socket.socket(socket.AF_UNIX) as window, contextlib.redirect_stdout(io.StringIO()) as printed, notebook(
            lambda view: view._repr_html_()):
        window.bind(str(folder / "headscope.socket"))
        window.listen()
        threading.Thread(target=take_pushes, args=(window,), daemon=True).start()
        exec(lines, names)
    (folder / "headscope.socket").unlink()
    check("the lines of README.md", "softmax" in printed.getvalue() and headscope.load("run.safetensors").run().pattern.shape == (2, 4, 3, 3))


def rank_of_model(rank, file, split, place):
    """One of four processes that run a model together: a layer each, or a head of every layer."""
    if not place:
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
        torch.distributed.init_process_group("gloo", init_method=f"file://{file.parent}/store", rank=rank, world_size=4)
    layers, x = layers_of_model()
    functional.scaled_dot_product_attention, attention.seen = attention, []
    model = Together([Part(each, rank) for each in layers] if split == "heads" else layers[rank:rank + 1])
    with torch.no_grad(), headscope.capture(model, file, tokens=list("abcdef"), split=split, **place):
        model(x)


class Part(torch.nn.Module):
    """A head of an nn.MultiheadAttention."""

    def __init__(self, whole, head):
        super().__init__()
        self.whole, self.head = whole, head

    def forward(self, x, *_, **__):
        q, k, v = (functional.linear(x, weight).unflatten(-1, (4, 4)).transpose(1, 2)[:, self.head:self.head + 1]
                   for weight in self.whole.in_proj_weight.chunk(3))
        return functional.scaled_dot_product_attention(q, k, v), None


class Together(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)

    def forward(self, x):
        return [layer(x, x, x) for layer in self.layers]


def ranks(folder):
    layers, x = layers_of_model()
    wanted = torch.stack([each(x, x, x, average_attn_weights=False)[1][0] for each in layers])
    context = multiprocessing.get_context("spawn")
    cases = [("layers", True), ("heads", True)]
    if torch.distributed.is_available() and torch.distributed.is_gloo_available():
        cases.append(("layers", False))
    for split, is_told in cases:
        file = folder / f"{split}.safetensors"
        file.unlink(missing_ok=True)
        processes = [context.Process(target=rank_of_model, args=(
            rank, file, split, {"rank": rank, "n_ranks": 4} if is_told else {})) for rank in range(4)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        expect(f"four processes with their {split}{'' if is_told else ', as torch.distributed knows'}", pattern(file), wanted)
        check("one file is left", [each.name for each in folder.glob(f"{split}*")] == [file.name],
              list(folder.glob(f"{split}*")))


def parts(folder):
    """Which parts of several processes are joined."""
    layers, x = layers_of_model()
    model, file = Together(layers[:1]), folder / "parts.safetensors"
    for rank in (1, 0):
        check("rank 1 of whole models writes nothing", not file.exists())
        captured(model, x, rank=rank, n_ranks=2).save(file)
    check("rank 0 of whole models writes them", pattern(file).shape == (1, 4, 6, 6))
    file.unlink()
    headscope._capture._saves.clear()
    for run, rank in (("old", 1), ("new", 0)):
        captured(model, x, rank=rank, n_ranks=2, split="layers", run=run).save(file)
        headscope._capture._saves.clear()
    check("a part of another run is not joined", not file.exists())
    captured(model, x, rank=1, n_ranks=2, split="layers", run="new").save(file)
    check("it is replaced", pattern(file).shape == (2, 4, 6, 6) and len(list(folder.glob("parts*"))) == 1)
    rows = np.ones((1, 1, 3, 4), np.float32)
    masks = [np.tri(3, dtype=bool), np.ones((3, 3), bool)]
    for i, mask in enumerate(masks):
        headscope._tensors.write_safetensors(folder / f"{i}", {"queries": rows, "keys": rows, "values": rows, "mask": mask},
                                             {"split": "heads"})
    headscope.join(folder / "joined", [folder / "0", folder / "1"])
    joined = headscope._tensors.read_safetensors(folder / "joined")[0]
    expect("masks of heads", joined["mask"].astype(float), np.stack(masks))
    headscope._tensors.write_safetensors(folder / "1", {"queries": rows, "keys": rows, "values": rows}, {"split": "heads"})
    refused("a part with other tensors", lambda: headscope.join(folder / "joined", [folder / "0", folder / "1"]),
            "different things")
    (folder / "cut").write_bytes((10 ** 6).to_bytes(8, "little"))
    refused("half of a file", lambda: headscope._tensors.read_safetensors(folder / "cut"), "cut")


def refusals(folder):
    for name, act, said in [
            ("a model that is none", lambda: headscope.capture(3), "torch.nn.Module"),
            ("an unknown split", lambda: headscope.capture(torch.nn.Linear(2, 2), split="tokens"), "layers or heads"),
            ("a rank of unknown processes", lambda: headscope.capture(torch.nn.Linear(2, 2), rank=1), "n_ranks"),
            ("a model without attention", lambda: run_in(torch.nn.Linear(2, 2), folder / "F", torch.ones(1, 2)),
             "nothing was captured"),
            ("keys that are no tokens", lambda: run_in(Together([torch.nn.MultiheadAttention(4, 1, add_zero_attn=True)]),
                                                       folder / "F", torch.ones(2, 4)), "no tokens")]:
        refused(name, act, said)


def run_in(model, file, *inputs, **options):
    with headscope.capture(model, file):
        model(*inputs, **options)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        modules(folder)
        functions(folder)
        models(folder)
        pretrained()
        readme(folder)
        labels(folder)
        bounds()
        ranks(folder)
        parts(folder)
        refusals(folder)


if __name__ == "__main__":
    main()
