#!/usr/bin/python3 -B
# Needs: program module python3-numpy
"""The package headscope gives the numbers that the command line writes, in arrays that outlive their pass, to several
threads, and says what the command line says of wrong arguments."""

import gc
import inspect
import json
import os
import re
import subprocess
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from package import PROGRAM, ROOT, check, headscope, refused, run


def program(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)


def same(ours, theirs):
    return ours.shape == theirs.shape and ours.dtype == np.float32 and np.array_equal(ours, theirs, equal_nan=True)


def traced(file, *words):
    """The tensors, or the tables of a page, that the command line writes."""
    program("trace", *words, "--out", file)
    return json.loads(file.read_text())["tables"] if file.suffix == ".json" else headscope._capture.read_safetensors(file)[0]


def traces(folder):
    """Every tensor of a trace, under both kinds of names."""
    for name, source, options in [
            ("a trained model", "pronouns", {}),
            ("a causal model", "stories", {"attention_temperature": 0.5}),
            ("two stacks, masks and groups of heads", "untrained",
             {"stacks": "encoder-decoder", "layers": 2, "kv_heads": 2, "mask": ["window:2", "causal"]})]:
        words = [f"--{key.replace('_', '-')}={each}" for key, value in {"model": source, **options}.items()
                 for each in (value if isinstance(value, list) else [value])]
        words += ["--sentence", "The cat sat on the mat", "--parameters"]
        trace = headscope.load(source, **options).run("The cat sat on the mat")
        written = traced(folder / "trace.safetensors", *words)
        wrong = [each for each in written if not same(trace[each], written[each].reshape(trace[each].shape))]
        check(f"{name}: all {len(written)} tensors are the command line's", not wrong and len(written) > 50, wrong[:5])
        check(f"{name}: the names are the command line's", set(written) == set(trace.names),
              set(written) ^ set(trace.names))
        trace.save(folder / "saved.safetensors")
        saved = headscope._capture.read_safetensors(folder / "saved.safetensors")[0]
        check(f"{name}: what is saved is the same", all(same(saved[each], written[each]) for each in saved) and saved)
        if "stacks" in options:
            cross = trace.heads("weights", attention="cross")
            check("heads of another attention", cross.shape[:2] == (2, 4) and
                  same(cross[1, 2], trace["decoder.layers.1.cross.heads.2.weights"]))
            continue
        written = traced(folder / "lens.safetensors", *words, "--names", "transformer-lens")
        wrong = [each for each in written if not same(trace[each], written[each])]
        check(f"{name}: all {len(written)} tensors of TransformerLens are the command line's", not wrong and written,
              [(each, trace[each].shape, written[each].shape) for each in wrong[:5]])


def files():
    """A model in another program's file."""
    file = ROOT.parent / "shared/reference/checkpoints/gguf/stories260K-f32.gguf"
    if not file.exists():
        print("#   no GGUF file is loaded: ../shared/reference is absent")
        return
    wanted, ids = (np.load(file.parent / f"expected/stories260K-f32/s0/{each}.npy") for each in ("probs", "input_ids"))
    found = np.asarray(headscope.load(file).run(ids).pattern)
    check("the weights of a GGUF file", found.shape == wanted.shape and np.abs(found - wanted).max() < 1e-4)


def arrays():
    trace = headscope.load("pronouns").run("The animal was tired because it ran")
    weights, layer = trace.pattern[1, 2], trace.pattern[1]
    check("a stage is a view", weights.base is not None and not weights.flags.owndata and
          np.shares_memory(layer, weights) and layer.shape == (4, 7, 7))
    check("all heads are one array", np.asarray(trace.pattern).shape == trace.pattern.shape == (2, 4, 7, 7))
    refused("writing into an array", lambda: weights.__setitem__((0, 0), 1.0), "read-only")
    kept = weights.copy()
    del trace, layer
    gc.collect()
    for i in range(20):
        headscope.load("pronouns").run(f"The street was wide because of the {'very ' * i} animal")
    check("a view outlives its trace", same(weights, kept))
    check("the rows of the weights sum to 1", np.allclose(weights.sum(-1), 1.0))


def inputs():
    model = headscope.load("untrained", d_model=6, heads=2)
    numbers, mask = np.arange(18, dtype=np.float32).reshape(3, 6) / 10, np.tril(np.ones((3, 3), bool))
    trace = model.run("a b c", set={"encoder.input": numbers}, mask=mask)
    check("numbers given by an array", same(trace["encoder.input"], numbers))
    check("a mask given by an array", not trace.pattern[0, 0][0, 1:].any() and trace.pattern[0, 0][0, 0] == 1.0)
    off = model.run("a b c", interventions=["scale-head 0.1=0", {"scale_head": "0.0=2"}])
    plain = model.run("a b c")
    check("interventions", not off.heads("contribution")[0, 1].any() and
          np.allclose(off.heads("contribution")[0, 0], 2 * plain.heads("contribution")[0, 0]))
    batch = model.run(["one two three", "one"])
    check("a batch is padded", len(batch) == 2 and [len(each.tokens) for each in batch] == [3, 3] and
          not batch[1].pattern[0, 0][:, 1:].any())
    check("ids as a tokenizer returns them", headscope.load("stories").run(np.array([[3, 1, 4]])).tokens ==
          headscope.load("stories").run([3, 1, 4]).tokens)
    name = "blocks.0.attn.hook_pattern"
    check("names of TransformerLens are in a trace", name in plain and "blocks.9.attn.hook_pattern" not in plain)
    pair = headscope.load("pronouns").run("The animal didn't cross the street because it was too {tired|wide}")
    check("a choice in the sentence compares", list(pair.tables("compare")["prediction"]["subject"]) == ["A", "B"])


def questions(folder):
    model = headscope.load("stories")
    text, other = "The cat sat on the", "The dog sat on the"
    trace = model.run(text)
    told = program("explain", "--model", "stories", "--sentence", text, "--stage", "decoder.layers.1.self.heads.2.weights",
                   "--row", "sat", "--column", "cat").stdout
    explained = trace.explain("decoder.layers.1.self.heads.2.weights", "sat", "cat")
    check("a derivation", str(explained).strip() in told and explained.stored == trace.pattern[1, 2][3, 2],
          str(explained))
    for page, ours, words in (("effects", model.effects(text, row="cat"), ("--row", "cat")),
                              ("heads", {"heads": model.heads("random", text)}, ("--measured-on", "random"))):
        wanted = traced(folder / "page.json", "--model", "stories", "--page", page, "--sentence", text, *words)
        differing = [(name, column) for name, rows in wanted.items() for column in rows[0]
                     if [each[column] for each in rows] != [None if each != each else each for each in ours[name][column]]]
        check(f"the numbers of the page {page}", wanted and not differing, differing[:4])
    wanted = traced(folder / "page.json", "--model", "stories", "--page", "compare", "--sentence", other, "--against",
                    "--sentence", text)
    patches = model.patch(text, other)
    swapped = -1 if wanted["prediction"][0]["word"] != patches.words[0] else 1
    part, position, difference = (np.array(patches.table[each]) for each in ("part", "position", "logit_difference"))
    check("activation patching", np.allclose([row["logit_difference"] for row in wanted["heads"]],
                                             swapped * difference[(part == "head") & (position == -1)]))
    check("the shares that heads restore", patches.heads().shape == (4, 4))
    named = model.patch(text, other, metric=(" table", " ground"))
    check("a metric of two words", named.words == (" table", " ground") and
          named.clean == np.float64(trace.logits[-1, trace.vocabulary.index(" table")]) -
          np.float64(trace.logits[-1, trace.vocabulary.index(" ground")]))
    several = model.patch([text] * 2, [other] * 2)
    check("pairs for patching", [each.clean for each in several] == [patches.clean] * 2)


def figures(folder):
    trace = headscope.load("pronouns").run("The animal was tired")
    figure = trace.figure(page="lines", layer=1)
    check("a figure of each kind", figure._repr_svg_().startswith("<?xml") and figure._repr_png_()[1:4] == b"PNG" and
          figure.data("pdf")[:5] == b"%PDF-")
    figure.save(folder / "lines.svg")
    again = headscope.load(folder / "lines.svg").run()
    check("a figure opens again", again.tokens == trace.tokens and same(again.pattern[1, 1], trace.pattern[1, 1]))
    with warnings.catch_warnings(record=True) as said:
        trace.figure(page="effects", size="slide").save(folder / "slide.png")
    check("a figure that lacks a part of its page warns of it", len(said) == 1 and
          str(said[0].message).startswith("the page is longer than a slide") and said[0].filename == __file__)
    trace.save(folder / "scene.headscope")
    check("a scene opens again", headscope.load(folder / "scene.headscope").run().tokens == trace.tokens)
    weights = np.random.default_rng(1).dirichlet(np.ones(5), (3, 2, 5)).astype(np.float32)
    view = headscope.View(headscope._show.trace_of(weights, list("abcde")), 300, {"page": "lines"})
    check("attention of other programs", np.allclose(np.asarray(view.trace.pattern), weights, atol=1e-7))
    view.trace._model._keeps.cleanup()
    view.trace.save(folder / "kept.headscope")
    check("a scene of attention in no file holds it",
          same(np.asarray(headscope.load(folder / "kept.headscope").run().pattern), weights))
    check("a view for notebooks", view._repr_html_().startswith(("<iframe srcdoc=", "<?xml")))


def errors():
    model = headscope.load("pronouns")
    trace = model.run("The animal was tired")
    for name, act, said, *kind in [
            ("an unknown option", lambda: model.run("a", layrs=3), "there is no option layrs"),
            ("a size of trained weights", lambda: model.run("a", layers=3), "layers does not fit"),
            ("a stage", lambda: trace["encoder.layers.0.self.heads.9.query"], "the heads are 0 to 3", KeyError),
            ("a name of no stage", lambda: trace["foo"], "stage foo is not valid", KeyError),
            ("a stage of another model", lambda: trace["decoder.layers.0.cross.heads.0.query"], "", KeyError),
            ("a token", lambda: trace.explain("encoder.layers.0.self.heads.0.raw", "foo", 0), "tokens are 0 The, 1 animal"),
            ("a page", lambda: trace.tables("explore"), "choose a page with numbers"),
            ("no words", lambda: model.run(""), "give at least one"),
            ("a sentence without words", lambda: model.run(["a", " "]), "sentence 1"),
            ("options of BertViz", lambda: headscope.head_view(np.ones((1, 1, 1, 1)), ["a"], sentence_b_start=1),
             "sentence_b_start"),
            ("a kind of file", lambda: trace.figure().save("a--b-c.gif"), "a--b-c.gif"),
            ("names", lambda: trace.save("F", names="circuitsvis"), "choose headscope or transformer-lens"),
            ("a word", lambda: model.patch("The animal", "The street", metric=("qqq", "street")), "qqq"),
            ("a shorter text", lambda: model.patch("The animal", "The animal was"), "the same number of tokens"),
            ("a longer text", lambda: model.patch("The animal was", "The animal"), "the same number of tokens"),
            ("something else", lambda: headscope.load(3), "is not a model"),
            ("attention of two axes too many", lambda: headscope.show(np.ones((1,) * 6), ["a"]), "axes"),
            ("an axis of layers", lambda: trace.pattern[2], "there are 2", IndexError)]:
        refused(name, act, said, *kind)
    for words, act in [(["trace", "--d-head=0", "--out=F.safetensors"], lambda: headscope.load("untrained", d_head=0)),
                       (["trace", "--model=gpt5", "--out=F.safetensors"], lambda: headscope.load("gpt5")),
                       (["explain", "--stage=raw", "--row=foo", "--column=0"],
                        lambda: headscope.load("untrained").run().explain("encoder.layers.0.self.heads.0.raw", "foo", 0))]:
        said = re.search("^headscope: (.*)$", program(*words).stderr, re.MULTILINE)[1]
        refused(f"what headscope {' '.join(words[:2])} refuses", act, said.replace("--d-head", "d_head").replace("--", ""))


def documented():
    """Whatever is public says what it is, and what gives numbers of a pass their axes."""
    lacking = []
    for name in headscope.__all__:
        public = getattr(headscope, name)
        for part, member in [(name, public), *(vars(public).items() if inspect.isclass(public) else ())]:
            function = getattr(member, "fget", member)
            words = inspect.getdoc(function) or ""
            has_axes = getattr(function, "__annotations__", {}).get("return") not in ("Array", "Heads") or "[" in words
            if not part.startswith("_") and callable(function) and not (words and has_axes):
                lacking.append(f"{name}.{part}")
    check("everything public is documented", not lacking, lacking)


def threads():
    """Passes of one model at the same time, while the interpreter goes on."""
    model, ticks = headscope.load("untrained", layers=6, d_model=256, heads=8), []
    worker = threading.Thread(target=lambda: model.run("word " * 300))
    worker.start()
    while worker.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    longest = max(np.diff(ticks), default=np.inf)
    check("the interpreter goes on while a pass is computed", longest < 0.5 * (ticks[-1] - ticks[0]),
          f"once it stood still for {longest} s of {ticks[-1] - ticks[0]} s")
    model = headscope.load("stories")
    texts = [f"Once upon a time there was a {each} cat" for each in ("big", "small", "red", "blue")]
    wanted = [model.run(text).logits.copy() for text in texts]

    def is_right(text, logits):
        return all(same(trace.logits, logits) and trace.explain("logits", 1, 1).steps
                   for trace in (model.run(text) for _ in range(10)))

    with ThreadPoolExecutor(len(texts)) as workers:
        right = list(workers.map(is_right, texts, wanted))
    check("threads compute the same", all(right), right)


os.environ.pop("DISPLAY", None)
run(traces, files, arrays, inputs, questions, figures, errors, documented, threads)
