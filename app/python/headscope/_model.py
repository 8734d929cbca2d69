"""Models, passes, and what is asked of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union, cast, overload

import numpy as np

from . import _core
from ._tensors import Array, Folder, array_of, pandas, replacing, words_of, write_safetensors

# Where a tensor of TransformerLens has its heads, in the order of LensHeads of core/trace/lens_names.h.
_BETWEEN, _FIRST, _IN_ROWS = 1, 2, 3

Options = Any  # Keyword arguments with the names of the command line's options.


def load(source: Any, *, tokenizer: Any = None, **options: Options) -> Model:
    """Opens a model.

    `source` is the name of a bundled model ("pronouns", "stories", "copying", "reversing"), "untrained" for random
    weights, the path of a folder, a GGUF file, a capture, a scene or a figure, a model of Transformers, or an attention
    module of PyTorch, such as nn.MultiheadAttention. A model of Transformers is written to a temporary folder with its
    tokenizer, which is looked up by the model's name if it is not given.

    `options` are those of the command line, with _ in place of -: load("untrained", layers=2, heads=6, mask="causal").
    """
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return Model([path] if os.path.exists(path) else [f"--model={path}"], options)
    folder = tempfile.TemporaryDirectory(prefix="headscope-")
    if hasattr(source, "save_pretrained"):
        source.save_pretrained(folder.name)
        if tokenizer is None and getattr(source, "name_or_path", None):
            from transformers import AutoTokenizer

            tokenizer = AutoTokenizer.from_pretrained(source.name_or_path)
        if tokenizer is not None:
            tokenizer.save_pretrained(folder.name)
        return Model([folder.name], options, keeps=folder)
    if hasattr(source, "state_dict"):
        known = ("num_heads", "n_heads", "nhead", "num_attention_heads", "heads")
        counts = (getattr(source, each, None) for each in known)
        options.setdefault("heads", next((each for each in counts if each is not None), None))
        path = os.path.join(folder.name, "module.safetensors")
        write_safetensors(path, {name: array_of(each) for name, each in source.state_dict().items()}, {})
        return Model([f"--weights={path}"], options, keeps=folder, is_module=True)
    raise ValueError(f"a {type(source).__name__} is not a model: give a name, a path, a model of Transformers or a "
                     "module of PyTorch")


class Model:
    """A model with its settings. load() makes it; it never changes."""

    def __init__(self, words: List[str], options: Dict[str, Options], keeps: Any = None, is_module: bool = False):
        self._keeps = keeps
        with Folder() as folder:
            self._words = [*words, *words_of(options, folder)]
            # A module has no size until it is given its input.
            self._session = None if is_module else _core.Session(self._words, None)

    def _trace(self, options: Dict[str, Options]) -> Trace:
        with Folder() as folder:
            words = words_of(options, folder)
            session = _core.Session(words if self._session else self._words + words, self._session)
        return Trace(session.compute(), self)

    @overload
    def run(self, text: List[str], **options: Options) -> List[Trace]: ...  # type: ignore[misc]

    @overload
    def run(self, text: Any = None, **options: Options) -> Trace: ...

    def run(self, text: Any = None, *, interventions: Sequence[Union[str, Dict[str, Any]]] = (),
            **options: Options) -> Any:
        """Computes a pass and returns its Trace.

        `text` is a sentence; a list of sentences, which are padded to one length and give a list of traces; a list of
        token ids; or, for a module of PyTorch, its input [tokens, d_model].

        Each of the `interventions` is an option of the command line with its value, such as "scale-head 1.0=0",
        "pattern 1.2=uniform" or {"set_weight": …}. `options` are any other options: mask="causal", target="…",
        temperature=0.5, set={"encoder.input": array}, against={"sentence": "…"}. Masks and numbers may be arrays.
        """
        for each in interventions:
            if isinstance(each, str):
                option, _, value = each.strip().lstrip("-").partition(" ")
                each = {option: value}
            for name, value in each.items():
                name = name.replace("-", "_")
                options[name] = f"{options[name]},{value}" if options.get(name) is not None else value
        if isinstance(text, str):
            options["sentence"] = text
        elif self._session is None and text is not None:
            array = array_of(text)
            options["input"] = array[0] if array.ndim == 3 and array.shape[0] == 1 else array
        elif text is not None:
            if isinstance(text, (list, tuple)) and text and isinstance(text[0], str):
                return self._batch(text, options)
            ids = array_of(text)
            ids = ids[0] if ids.ndim == 2 and len(ids) == 1 else ids
            options["ids"] = ",".join(str(int(each)) for each in ids)
        return self._trace(options)

    def _batch(self, sentences: Sequence[str], options: Dict[str, Options]) -> List[Trace]:
        for i, each in enumerate(sentences):
            if not each.strip():
                raise ValueError(f"sentence {i} of the batch has no words")
        with Folder() as folder:
            file = folder.new_file("txt")
            with open(file, "w", encoding="utf-8") as out:
                out.writelines(" ".join(each.splitlines()) + "\n" for each in sentences)
            return [self._trace({**options, "batch": file, "sequence": i}) for i in range(len(sentences))]

    def effects(self, text: Any = None, *, word: Optional[str] = None, row: Union[int, str, None] = None,
                **options: Options) -> Tables:
        """How the prediction of a word changes without each part: tables "prediction", "heads", "other_parts", "layers",
        "parts" and "sources"; by gradients "gradient_x_input", "attention_x_gradient" and "selected_head"; and of the
        selected head "qk", "ov" and "singular_values". `row` is the token whose prediction is explained, and `word` the
        predicted word; the default is the likeliest."""
        trace: Trace = self.run(text, word=word, row=row, **options)
        return trace.tables("effects")

    def heads(self, measured_on: str = "random", text: Any = None, **options: Options) -> Any:
        """What each head looks at: a table with a row for each head and a column for each measure, on the "sentence", on
        repeated "random" words, or on the "task" that a bundled model learned."""
        return self.run(text, measured_on=measured_on, **options).tables("heads")["heads"]

    def patch(self, clean: Any, corrupted: Any, metric: Optional[Sequence[Any]] = None, *,
              row: Union[int, str, None] = None, **options: Options) -> Any:
        """Activation patching: computes the corrupted text with each part of the clean one in turn, and how far the logit
        of metric[0], the answer to the clean text, then exceeds that of metric[1]. Without a metric, these are the
        likeliest words of both. `row` is the token after which they are predicted.

        Lists of texts, with a metric or one for each pair, give a list of Patches."""
        if not isinstance(clean, str):
            if len(clean) != len(corrupted):
                raise ValueError(f"there are {len(clean)} clean texts, but {len(corrupted)} corrupted ones")
            pairs = [metric] * len(clean) if metric is None or isinstance(metric[0], str) else metric
            return [self.patch(*each, row=row, **options) for each in zip(clean, corrupted, pairs)]
        trace = self.run(corrupted, against={"sentence": clean}, row=row, **options)
        return Patches(trace, *(metric if metric is not None else (None, None)))


class Tables(Dict[str, Any]):
    """Tables by their names, also as attributes: data frames of pandas, or lists by the names of columns without it."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def table_of(columns: Dict[str, List[Any]]) -> Any:
    module = pandas()
    return columns if module is None else module.DataFrame(columns)


class Patches:
    """What becomes of a logit difference if one part of the clean pass at a time is taken into the corrupted one."""

    trace: Trace  #: the corrupted pass, beside which the clean one is held
    clean: float  #: the logit difference of the clean text
    corrupted: float  #: that of the corrupted text as it is
    words: Tuple[str, str]  #: the words whose logits are subtracted
    row: int  #: the token after which they are predicted
    #: A row for each part. `part` is head, feed_forward, or layer, the sum that enters a layer; `head` and `position` are
    #: −1 where the part is no head, and where all tokens are taken. `restored` is 1 if the answer is that of the clean
    #: text.
    table: Any

    def __init__(self, trace: Trace, word: Optional[str], other: Optional[str]):
        self.trace = trace
        self.clean, self.corrupted, first, second, self.row, parts = trace._pass.patch(word, other)
        self.words = (first, second)
        part, layer, head, position, difference = (list(each) for each in zip(*parts))
        change = [each - self.corrupted for each in difference]
        whole = self.clean - self.corrupted
        self.table = table_of({
            "part": part, "layer": layer, "head": head, "position": position, "logit_difference": difference,
            "change": change, "restored": [each / whole if whole else float("nan") for each in change]})

    def heads(self) -> Array:
        """The share of the difference that the output of each head restores: [layers, heads]."""
        rows = [each for each in zip(*(self.table[name] for name in ("part", "layer", "head", "position", "restored")))
                if each[0] == "head" and each[3] == -1]
        found = np.full((1 + max(row[1] for row in rows), 1 + max(row[2] for row in rows)), np.nan)
        for _, layer, head, _, restored in rows:
            found[layer, head] = restored
        return found

    def figure(self, **options: Options) -> Figure:
        """The comparison of both passes, with what each part restores."""
        return self.trace.figure(page="compare", **options)


@dataclass(frozen=True)
class Explanation:
    """How one cell was computed. str() is what `headscope explain` prints."""

    stage: str
    row: int
    column: int
    headline: str
    formula: str
    value: float  #: computed again from what it is made of, in double precision
    stored: float  #: the number in the array
    steps: List[Tuple[str, float, str]]  #: label, value and note of each step
    strips: List[Tuple[str, List[float], List[str]]]  #: label, numbers and names of what is combined
    text: str

    def __str__(self) -> str:
        return self.text


class Figure:
    """A page of the program as a figure. Every file of it holds its scene, from which the program opens it again."""

    def __init__(self, trace: Trace, options: Dict[str, Options]):
        self._trace, self._options = trace, options

    def data(self, kind: str = "svg") -> bytes:
        """The file of a kind: "svg", "png", "pdf", or "html", the live page."""
        with Folder() as folder:
            return self._trace._pass.figure(words_of(self._options, folder), f".{kind}")

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes F.svg, F.png, F.pdf or F.html."""
        written = self.data(os.path.splitext(os.fspath(path))[1][1:])
        with replacing(path) as file:
            file.write(written)

    def _repr_svg_(self) -> str:
        return self.data().decode()

    def _repr_png_(self) -> bytes:
        return self.data("png")


class Heads:
    """A stage of every head: [layer, head] is [rows, columns], [layer] is [heads, rows, columns], and np.asarray() is
    [layers, heads, rows, columns]. The first two look into the pass."""

    def __init__(self, trace: Trace, name: str, stack: str, attention: str):
        self._trace, self._path = trace, f"{stack}.layers.{{}}.{attention}.heads.{{}}.{name}"
        place = self._path.split(".{}.")
        last = [each.split(".") for each in trace.names if each.startswith(place[0] + ".") and f".{attention}.heads." in each]
        self._layers = 1 + max((int(each[2]) for each in last), default=-1)
        self._heads = 1 + max((int(each[5]) for each in last), default=-1)

    @property
    def shape(self) -> Tuple[int, ...]:
        return (self._layers, self._heads, *self[0, 0].shape)

    def __len__(self) -> int:
        return self._layers

    def __getitem__(self, place: Union[int, Tuple[int, int]]) -> Array:
        if isinstance(place, tuple):
            return self._trace[self._path.format(*place)]
        if not 0 <= place < self._layers:
            raise IndexError(f"layer {place}: there are {self._layers}, which count from 0")
        return self._trace._stacked([self._path.format(place, head) for head in range(self._heads)])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return cast(Array, np.stack([self[layer] for layer in range(self._layers)]).astype(dtype or np.float32, copy=False))


class Trace(Mapping):  # type: ignore[type-arg]
    """The stages of one pass by their names, each a read-only float32 array [rows, columns] that looks into the pass.

    t["decoder.layers.0.self.heads.1.query"]    [tokens, d_head]
    t["blocks.0.attn.hook_pattern"]             [heads, queries, keys], as in the cache of TransformerLens

    An array keeps its pass alive, so it may outlive the trace. Threads may share a trace.
    """

    def __init__(self, computed: _core.Pass, model: Optional[Model] = None):
        self._pass, self._model = computed, model
        self._names: Dict[str, None] = {}
        self._lens: Optional[Dict[str, Tuple[int, str, float]]] = None

    @property
    def names(self) -> List[str]:
        """The names of all stages and parameters, in the order of computation."""
        return list(self._all_names())

    def _all_names(self) -> Dict[str, None]:
        if not self._names:
            self._names = dict.fromkeys(self._pass.names())
        return self._names

    @property
    def tokens(self) -> List[str]:
        """The texts of the tokens; with two stacks, those of the decoder."""
        return self._pass.tokens(False)

    @property
    def source_tokens(self) -> List[str]:
        """The texts of the source's tokens. Without a source, the same as tokens."""
        return self._pass.tokens(True)

    @property
    def vocabulary(self) -> List[str]:
        """The words that are predicted, in the order of the columns of logits."""
        return self._pass.labels("logits")[1]

    @property
    def logits(self) -> Array:
        """[tokens, vocabulary]"""
        return self["logits"]

    @property
    def probabilities(self) -> Array:
        """[tokens, vocabulary]"""
        return self["probabilities"]

    @property
    def pattern(self) -> Heads:
        """The attention weights of every head: [layer, head] is [queries, keys]."""
        return self.heads("weights")

    def heads(self, name: str, *, stack: Optional[str] = None, attention: Optional[str] = None) -> Heads:
        """A stage of every head, such as "query" or "output": [layers, heads, rows, columns], of the last stack's
        self-attention unless another `stack` ("encoder", "decoder") or `attention` ("self", "cross") is named."""
        place = next((each.split(".") for each in reversed(self.names) if ".heads." in each), None)
        stack = stack or (place[0] if place else "encoder")
        own = any(each.startswith(f"{stack}.layers.0.self.heads.") for each in self.names)
        return Heads(self, name, stack, attention or ("self" if own else "cross"))

    def _lens_names(self) -> Dict[str, Tuple[int, str, float]]:
        if self._lens is None:
            self._lens = {name: (heads, path, factor) for name, heads, path, factor in self._pass.lens_names()}
        return self._lens

    def __getitem__(self, name: str) -> Array:
        if name in self._all_names():
            return self._pass.array(name)
        if name not in self._lens_names():
            return self._pass.array(name)
        heads, path, factor = self._lens_names()[name]
        before, of_head, after = path.partition(".heads.0.")
        # Heads that share keys have them only once.
        same = [each for each in self._all_names() if each.startswith(before + ".heads.") and each.endswith("." + after)
                and each.count(".") == path.count(".")] if of_head else [path]
        array = self._stacked(same)
        if heads == _BETWEEN:
            return array.transpose(1, 0, 2)
        if heads == _IN_ROWS:
            return cast(Array, array[0].reshape(self.heads("weights").shape[1], -1, array.shape[2]))
        array = array if heads == _FIRST else array[0]
        # TransformerLens has no factor of the embedding, so its table is multiplied by it.
        array = array if factor == 1.0 else array * np.float32(factor)
        return cast(Array, array[..., 0, :] if ".hook_" not in name and array.shape[-2] == 1 else array)

    def _stacked(self, names: List[str]) -> Array:
        """[heads, rows, columns], without a copy where the heads lie at equal distances."""
        stacked = self._pass.stack(names)
        return cast(Array, np.stack([self._pass.array(name) for name in names])) if stacked is None else stacked

    def __iter__(self) -> Iterator[str]:
        return iter(self._all_names())

    def __len__(self) -> int:
        return len(self._all_names())

    def __contains__(self, name: object) -> bool:
        return name in self._all_names() or name in self._lens_names()

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def frame(self, name: str) -> Any:
        """A stage as a data frame of pandas, with tokens, words or dimensions as labels."""
        module = pandas()
        if module is None:
            raise RuntimeError("a data frame needs pandas")
        rows, columns = self._pass.labels(name)
        return module.DataFrame(self._pass.array(name), index=rows, columns=columns)

    def explain(self, stage: str, row: Union[int, str], column: Union[int, str]) -> Explanation:
        """How a cell was computed. Row and column are indices or tokens; "the:1" is the second "the"."""
        return Explanation(**self._pass.explain(stage, str(row), str(column)))

    def tables(self, page: str) -> Tables:
        """The numbers of a page that are no stages: "effects", "heads", "compare", "decoding", "experts", "scale" or "tiles"."""
        return Tables({name: table_of(dict(columns)) for name, columns in self._pass.tables(page).items()})

    def figure(self, page: Optional[str] = None, **options: Options) -> Figure:
        """A page as a figure, or the selected stage without one: t.figure(page="lines", layer=1).save("lines.pdf").
        `options` are those of `headscope render`."""
        return Figure(self, {**options, "page": page} if page is not None else options)

    def save(self, path: Union[str, os.PathLike[str]], names: str = "headscope") -> None:
        """Writes all stages as safetensors, with names="transformer-lens" under TransformerLens's names; or, as
        F.headscope, the scene, which `headscope F.headscope` opens."""
        path = os.fspath(path)
        if names not in ("headscope", "transformer-lens"):
            raise ValueError(f"there are no names of “{names}”: choose headscope or transformer-lens")
        if path.endswith(".headscope"):
            self._pass.save_scene(path, [])
        else:
            self._pass.save(path, names == "transformer-lens")

    def __repr__(self) -> str:
        return f"<Trace of {len(self.tokens)} tokens, {len(self)} stages: {' '.join(self.tokens[:12])}>"
