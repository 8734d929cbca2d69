#!/usr/bin/python3 -B
# Set: all
# Needs: program module python3-numpy python3-torch libopenblas0-pthread
"""headscope.capture() records the attention of modules of PyTorch, and of classes with the interface of Transformers'
models, and headscope.load() opens modules. What the program computes from the files is what PyTorch computes."""

import contextlib
import io
import multiprocessing
import os
import re
import shutil
import sys
import threading
import types
from unittest import mock

import numpy as np

from package import ROOT, check, headscope, imported, notebook, refused, run

try:
    import torch
except ImportError as error:
    print(f"skip - capturing in Python: {error}")
    sys.exit(0)

functional = torch.nn.functional
COMPUTED = []  # the weights that attention() computes


def expect(name, found, wanted, within=1e-5):
    wanted = wanted.detach().numpy() if hasattr(wanted, "detach") else np.asarray(wanted)
    difference = float(np.abs(found - wanted).max()) if found.shape == wanted.shape else np.inf
    check(f"{name}: within {difference:.1e}", difference <= within, (found.shape, wanted.shape))


def captured(model, *inputs, given=None, **options):
    with torch.no_grad(), headscope.capture(model, **options) as watched:
        model(*inputs, **(given or {}))
    return watched


def pattern(path):
    return np.asarray(headscope.load(path).run().pattern)


def texts(path):
    """The tokens of a capture, and those of its source."""
    trace = headscope.load(path).run()
    return [[each.strip() for each in tokens] for tokens in (trace.tokens, trace.source_tokens)]


def attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    """torch.nn.functional.scaled_dot_product_attention, which PyTorch has from 2.0 on."""
    k, v = (each.repeat_interleave(q.shape[1] // k.shape[1], 1) for each in (k, v))
    scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:]).tril().bool(), -torch.inf)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    weights = scores.softmax(-1)
    COMPUTED.append(weights[0].detach())
    return weights @ v


def computed():
    """The weights of the layers that attention() has computed since this was last asked."""
    weights = torch.stack(COMPUTED)
    COMPUTED.clear()
    return weights


class Module(torch.nn.Module):
    """A module with layers, whose forward pass is a function of them and of its arguments."""

    def __init__(self, function, *layers):
        super().__init__()
        self.function, self.layers = function, torch.nn.ModuleList(layers)

    def forward(self, *args, **kwargs):
        return self.function(self.layers, *args, **kwargs)


def one_by_one(layers, x, mask=None):
    for layer in layers:
        x = x + layer(x, mask)
    return x


def together(layers, x):
    return [layer(x, x, x) for layer in layers]


class Attention(torch.nn.Module):
    """Attention with two heads of keys for four of queries, through the function that PyTorch and Transformers call."""

    def __init__(self, is_causal=True):
        super().__init__()
        self.rows, self.is_causal = torch.nn.ModuleList(torch.nn.Linear(16, n) for n in (16, 8, 8)), is_causal

    def of_heads(self, x):
        return [each(x).unflatten(-1, (-1, 4)).transpose(1, 2) for each in self.rows]

    def forward(self, x, mask=None):
        made = functional.scaled_dot_product_attention(*self.of_heads(x), attn_mask=mask,
                                                       is_causal=self.is_causal and mask is None)
        return made.transpose(1, 2).flatten(2)


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
    captured(encoder, x, hidden, path=file, item=1, tokens=list("abcdef"))
    expect("nn.TransformerEncoder with a causal mask", pattern(file), torch.stack(wanted))
    check("the tokens", texts(file)[0] == list("abcdef"))
    check("nothing is left in the modules", "forward" not in vars(encoder) and "forward" not in vars(encoder.layers[0].self_attn)
          and not encoder._forward_hooks and encoder.layers[0].activation_relu_or_gelu)
    padding = torch.zeros(2, 6, dtype=torch.bool)
    padding[1, 4:] = True
    with headscope.capture(encoder, file, item=1):
        encoder(x, src_key_padding_mask=padding)
    first = encoder.layers[0].self_attn(x, x, x, key_padding_mask=padding, average_attn_weights=False)[1][1]
    expect("padding", pattern(file)[0], first)

    transformer = torch.nn.Transformer(16, 4, 1, 2, 32, batch_first=True).eval()
    captured(transformer, x, x[:, :3], only="decoder.*multihead_attn", tokens=list("abc"),
             source_tokens=list("ABCDEF")).save(file)
    check("cross-attention", pattern(file).shape == (2, 4, 3, 6) and texts(file)[1] == list("ABCDEF"))
    refused("attention of different shapes", captured(transformer, x, x[:, :3]).tensors, "only=")

    module = torch.nn.MultiheadAttention(16, 4, batch_first=True)
    trace = headscope.load(module).run(x[:1])
    expect("a loaded module", trace.pattern[0], module(x[:1], x[:1], x[:1], average_attn_weights=False)[1][0])
    out = trace[[each for each in trace.names if each.endswith(".self.projected")][0]]
    expect("its output", out, module(x[:1], x[:1], x[:1])[0][0])


def functions(folder):
    torch.manual_seed(4)
    x, file = torch.randn(1, 5, 16), folder / "functions.safetensors"
    with mock.patch.object(functional, "scaled_dot_product_attention", attention, create=True):
        for name, mask, is_causal in (
                ("scaled_dot_product_attention with a causal flag", None, True),
                ("scaled_dot_product_attention with a mask", torch.ones(5, 5).tril(1).bool(), True),
                ("scaled_dot_product_attention with a bias that is added", torch.randn(5, 5), True),
                ("layers with different masks", None, False)):
            captured(Module(one_by_one, Attention(), Attention(is_causal)), x, mask, path=file)
            expect(name, pattern(file), computed())
        check("the function is put back", functional.scaled_dot_product_attention is attention)


class Tokenizer:
    def convert_ids_to_tokens(self, ids):
        return [f"Ġword{each}" for each in ids]

    def save_pretrained(self, folder):
        pass


def attend(module, q, k, v, attention_mask, scaling=None, **_):
    return attention(q, k, v, is_causal=True, scale=scaling)


ALL_ATTENTION_FUNCTIONS = {"flash": attend}


class Eager(torch.nn.Module):
    """The interface of a model of Transformers."""

    def __init__(self, implementation="eager"):
        super().__init__()
        self.config = types.SimpleNamespace(_attn_implementation=implementation)
        self.embed = torch.nn.Embedding(20, 16)
        self.layers = torch.nn.ModuleList(Attention() for _ in range(2))

    def forward(self, input_ids=None, output_attentions=False, output_hidden_states=False, return_dict=None):
        hidden, weights = [self.embed(input_ids)], []
        for layer in self.layers:
            function = ALL_ATTENTION_FUNCTIONS.get(self.config._attn_implementation, attend)
            made = function(layer, *layer.of_heads(hidden[-1]), attention_mask=None, scaling=0.3)
            hidden.append(hidden[-1] + made.transpose(1, 2).flatten(2))
            weights.append(COMPUTED[-1][None])
        return types.SimpleNamespace(attentions=tuple(weights) if output_attentions else None,
                                     hidden_states=tuple(hidden) if output_hidden_states else None)


class Translator(torch.nn.Module):
    """The interface of an encoder-decoder of Transformers."""

    def __init__(self):
        super().__init__()
        self.config = types.SimpleNamespace(is_encoder_decoder=True)
        self.decoder = torch.nn.ModuleList([torch.nn.Module()])
        self.decoder[0].encoder_attn = Module(lambda _, n, m: (None, torch.rand(1, 2, n, m).softmax(-1)))

    def forward(self, input_ids, decoder_input_ids, output_attentions=False, return_dict=None):
        n, m = decoder_input_ids.shape[1], input_ids.shape[1]
        cross = self.decoder[0].encoder_attn(n, m)[1]
        given = (cross.new_ones(1, 2, n, n).tril().softmax(-1),) if output_attentions else None
        return types.SimpleNamespace(decoder_attentions=given, cross_attentions=(None, cross))


def models(folder):
    torch.manual_seed(5)
    ids, file = torch.tensor([[3, 1, 4, 1, 5]]), folder / "model.safetensors"
    with imported({"transformers.modeling_utils": {"ALL_ATTENTION_FUNCTIONS": ALL_ATTENTION_FUNCTIONS}}):
        for implementation in ("eager", "flash"):
            captured(Eager(implementation), given={"input_ids": ids}, path=file, tokenizer=Tokenizer())
            trace, weights = headscope.load(file).run(), computed()
            expect(f"a model with {implementation} attention", np.asarray(trace.pattern), weights)
            check("tokens of the tokenizer", texts(file)[0] == [f"word{i}" for i in (3, 1, 4, 1, 5)], trace.tokens)
            check("hidden states", ("decoder.layers.1.input" in trace or "encoder.layers.1.input" in trace)
                  == (implementation == "eager"))
        check("the functions are put back", ALL_ATTENTION_FUNCTIONS["flash"] is attend)
    for name, given in (("attentions as Transformers returns them", weights), ("in 16 bits", weights.bfloat16())):
        trace = headscope._show.trace_of([each[None] for each in given], list("abcde"))
        expect(name, np.asarray(trace.pattern), given.float())


def labels(folder):
    """Tokens beside queries and keys, and what is asked of models."""
    file, inputs = folder / "labels.safetensors", (torch.tensor([[1, 2, 3, 4]]), torch.tensor([[7, 8, 9]]))
    for only, source in ((None, list("789")), ("decoder.0.encoder_attn", list("1234")), ("^cross_", list("1234"))):
        captured(Translator(), *inputs, only=only).save(file)
        check(f"the tokens of a decoder, with {only}", texts(file) == [list("789"), source], texts(file))
    model = Eager()
    with torch.no_grad(), headscope.capture(model) as watched:
        model(input_ids=torch.tensor([[1, 2, 3]]))
        model(input_ids=torch.tensor([[4, 5]]))
        watched.save(file)
        check("the tokens are those of the last call", texts(file)[0] == ["4", "5"])
    asked = {}
    foreign = Module(lambda layers, x, **given: (asked.update(given), together(layers, x)),
                     torch.nn.MultiheadAttention(4, 2, batch_first=True))
    foreign.config = types.SimpleNamespace()
    check("a foreign config is asked for nothing", captured(foreign, torch.randn(1, 3, 4)).tensors() and not asked)


def bounds():
    """What is recorded, and what is refused."""
    torch.manual_seed(6)
    x = torch.randn(1, 5, 16)
    watched, teacher = Module(one_by_one, Attention()), Module(one_by_one, Attention(), Attention())
    with mock.patch.object(functional, "scaled_dot_product_attention", attention, create=True):
        with torch.no_grad(), headscope.capture(watched) as found:
            watched(x)
            teacher(x)
            thread = threading.Thread(target=teacher, args=(x,))
            thread.start()
            thread.join()
            found.tensors()["queries"].fill(0.0)
        check("other models and threads are not recorded", found.tensors()["queries"].shape == (1, 4, 5, 4))

    single = Module(lambda _, q: (functional.scaled_dot_product_attention(q, q, q), q.zero_()))
    with mock.patch.object(functional, "scaled_dot_product_attention", lambda q, k, v, *_, **__: v.clone(), create=True):
        rows = torch.randn(2, 3, 4)
        wanted = rows[1].clone()
        found = captured(single, rows, item=1).tensors()["queries"]
        expect("three axes are one head, copied before the model overwrites it", found, wanted[None, None])
        refused("attention of five axes", lambda: captured(single, torch.randn(1, 1, 2, 3, 4)), "axes")

    functions_of_others = {"f": lambda *_, **__: None}
    k = torch.randn(1, 2, 5, 4)
    last = Module(lambda _, *args, **given: functions_of_others["f"](None, k[:, :, 3:], k, k, *args, **given))
    with imported({"transformers.modeling_utils": {"ALL_ATTENTION_FUNCTIONS": functions_of_others}}):
        mask = captured(last).tensors()["mask"]
        expect("causal queries are the last tokens", mask.astype(float), np.tri(2, 5, 3))
        whole = captured(last, torch.ones(1, 1, 2, 5, dtype=torch.bool), given={"sliding_window": 1})
        check("a whole mask holds the window", "mask" not in whole.tensors())
        for name, mask, given in (("softcap", None, {"softcap": 3.0}), ("s_aux", None, {"s_aux": 1}),
                                  ("a mask", "block", {})):
            refused(name, lambda mask=mask, given=given: captured(last, mask, given=given), "cannot be captured")
    made = headscope._show.layers_of([torch.full((1, 2, 2), 0.5).bfloat16(), torch.full((1, 2, 2), 0.5)])
    check("layers of two precisions", made.dtype == np.float32 and (made == 0.5).all(), made)


def pretrained():
    """A model of Transformers as far as load() needs it, whose files are those of a bundled model."""
    source = ROOT / "assets/models/stories"
    model = types.SimpleNamespace(save_pretrained=lambda to: shutil.copytree(source, to, dirs_exist_ok=True))
    loaded = headscope.load(model, tokenizer=Tokenizer()).run("The cat sat")
    expect("a loaded model of Transformers", loaded.logits, headscope.load(source).run("The cat sat").logits, 0.0)


def readme(folder):
    """The lines of README.md that people copy."""
    lines = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL).group(1)
    names = {"attentions": tuple(torch.rand(3, 1, 2, 4, 4).softmax(-1)), "tokens": list("abcd"), "network": Eager(),
             "tokenizer": Tokenizer(), "inputs": {"input_ids": torch.tensor([[1, 2, 3]])}}
    os.chdir(folder)
    # A window that answers is in window.test.py.
    with mock.patch.object(headscope.connect, "_ask", return_value="") as asked, contextlib.redirect_stdout(
            io.StringIO()) as printed, notebook(lambda view: view._repr_html_()):
        exec(lines, names)
    check("a push of README.md", asked.call_count == 2, asked.mock_calls)
    check("the lines of README.md", "softmax" in printed.getvalue() and pattern("run.safetensors").shape == (2, 4, 3, 3))


def layers_of_model():
    torch.manual_seed(0)
    return [torch.nn.MultiheadAttention(16, 4, batch_first=True) for _ in range(4)], torch.randn(1, 6, 16)


def head_of(layer, head):
    """A head of an nn.MultiheadAttention."""
    def forward(_, x, *__):
        q, k, v = (functional.linear(x, weight).unflatten(-1, (4, 4)).transpose(1, 2)[:, head:head + 1]
                   for weight in layer.in_proj_weight.chunk(3))
        return functional.scaled_dot_product_attention(q, k, v), None

    return Module(forward)


def rank_of_model(rank, file, split, place):
    """One of four processes that run a model together: a layer each, or a head of every layer."""
    if not place:
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
        torch.distributed.init_process_group("gloo", init_method=f"file://{file.parent}/store", rank=rank, world_size=4)
    layers, x = layers_of_model()
    mine = [head_of(each, rank) for each in layers] if split == "heads" else layers[rank:rank + 1]
    with mock.patch.object(functional, "scaled_dot_product_attention", attention, create=True):
        captured(Module(together, *mine), x, path=file, tokens=list("abcdef"), split=split, **place)


def ranks(folder):
    layers, x = layers_of_model()
    wanted = torch.stack([each(x, x, x, average_attn_weights=False)[1][0] for each in layers])
    context = multiprocessing.get_context("spawn")
    has_gloo = torch.distributed.is_available() and torch.distributed.is_gloo_available()
    for split, is_told in [("layers", True), ("heads", True)] + [("layers", False)] * has_gloo:
        file = folder / f"{split}.safetensors"
        file.unlink(missing_ok=True)
        processes = [context.Process(target=rank_of_model, args=(
            rank, file, split, {"rank": rank, "n_ranks": 4} if is_told else {})) for rank in range(4)]
        for act in (multiprocessing.Process.start, multiprocessing.Process.join):
            for process in processes:
                act(process)
        expect(f"four processes with their {split}{'' if is_told else ', as torch.distributed knows'}", pattern(file), wanted)
        check("one file is left", [each.name for each in folder.glob(f"{split}*")] == [file.name],
              list(folder.glob(f"{split}*")))


def parts(folder):
    """Which parts of several processes are joined."""
    layers, x = layers_of_model()
    model, file = Module(together, layers[0]), folder / "parts.safetensors"
    for rank in (1, 0):
        check("rank 1 of whole models writes nothing", not file.exists())
        captured(model, x, rank=rank, n_ranks=2).save(file)
    check("rank 0 of whole models writes them", pattern(file).shape == (1, 4, 6, 6))
    file.unlink()
    for name, rank in (("old", 1), ("new", 0), ("new", 1)):
        headscope._capture._saves.clear()
        captured(model, x, rank=rank, n_ranks=2, split="layers", run=name).save(file)
        check("parts of one run alone are joined", file.exists() == ((name, rank) == ("new", 1)))
    check("that of another run is replaced", pattern(file).shape == (2, 4, 6, 6) and len(list(folder.glob("parts*"))) == 1)
    tensors = dict.fromkeys(("queries", "keys", "values"), np.ones((1, 1, 3, 4), np.float32))
    masks = [np.tri(3, dtype=bool), np.ones((3, 3), bool)]
    two = [folder / "0", folder / "1"]
    for part, mask in zip(two, masks):
        headscope._capture.write_safetensors(part, {**tensors, "mask": mask}, {"split": "heads"})
    headscope.join(folder / "joined", two)
    joined = headscope._capture.read_safetensors(folder / "joined")[0]
    expect("masks of heads", joined["mask"].astype(float), np.stack(masks))
    headscope._capture.write_safetensors(two[1], tensors, {"split": "heads"})
    refused("a part with other tensors", lambda: headscope.join(folder / "joined", two), "different things")
    (folder / "cut").write_bytes((10 ** 6).to_bytes(8, "little"))
    refused("half of a file", lambda: headscope._capture.read_safetensors(folder / "cut"), "cut")


def refusals():
    linear = torch.nn.Linear(2, 2)
    with_a_key = Module(together, torch.nn.MultiheadAttention(4, 1, add_zero_attn=True))
    for name, act, said in [
            ("a model that is none", lambda: headscope.capture(3), "torch.nn.Module"),
            ("an unknown split", lambda: headscope.capture(linear, split="tokens"), "layers or heads"),
            ("a rank of unknown processes", lambda: headscope.capture(linear, rank=1), "n_ranks"),
            ("a model without attention", lambda: captured(linear, torch.ones(1, 2), path="F"), "nothing was captured"),
            ("keys that are no tokens", lambda: captured(with_a_key, torch.ones(2, 4)), "no tokens")]:
        refused(name, act, said)


if __name__ == "__main__":
    run(modules, functions, models, labels, bounds, pretrained, ranks, parts, refusals, readme)
