"""Models, passes, and what is asked of them."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union, cast, overload

import numpy as np

from . import _core
from ._capture import Array, FileName, array_of, write_safetensors

# Where a tensor of TransformerLens has its heads, in the order of LensHeads of core/trace/lens_names.h.
_BETWEEN, _FIRST, _IN_ROWS = 1, 2, 3


def load(source: Any, *, tokenizer: Any = None, **options: Any) -> Model:
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
    folder = new_folder()
    if hasattr(source, "save_pretrained"):
        source.save_pretrained(folder.name)
        if tokenizer is None and getattr(source, "name_or_path", None):
            from transformers import AutoTokenizer

            tokenizer = AutoTokenizer.from_pretrained(source.name_or_path)
        if tokenizer is not None:
            tokenizer.save_pretrained(folder.name)
        return Model([folder.name], options, keeps=folder)
    if hasattr(source, "state_dict"):
        counts = [getattr(source, each, None) for each in ("num_heads", "n_heads", "nhead", "num_attention_heads", "heads")]
        options.setdefault("heads", next((each for each in counts if each is not None), None))
        path = os.path.join(folder.name, "module.safetensors")
        write_safetensors(path, {name: array_of(each) for name, each in source.state_dict().items()}, {})
        return Model([f"--weights={path}"], options, keeps=folder, is_module=True)
    raise ValueError(f"a {type(source).__name__} is not a model: give a name, a path, a model of Transformers or a "
                     "module of PyTorch")


def new_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="headscope-")


def words_of(options: Mapping[str, Any], folder: str) -> List[str]:
    """Options of the command line, given as keyword arguments. `line_share=0.9` is --line-share 0.9, `True` is an option
    without a value, a list repeats its option, and an array becomes a file in `folder`."""
    words: List[str] = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or name == "against":
            continue
        if isinstance(value, Mapping):
            words += [f"{option}={key}={_text_of(each, folder, '@')}" for key, each in value.items()]
        elif isinstance(value, (list, tuple)):
            for each in value:
                words += words_of({name: each}, folder)
        elif isinstance(value, bool):
            words.append(option if value else f"{option}=false")
        else:
            text = _text_of(value, folder)
            words += [f"{option}={text}"] if text else [option, text]
    against = options.get("against") or ()
    for each in [against] if isinstance(against, Mapping) else against:
        words += ["--against", *words_of(each, folder)]
    return words


def _text_of(value: Any, folder: str, mark: str = "") -> str:
    """A value as a word: an array as its file, with a mark before it."""
    if not hasattr(value, "__array__"):
        return str(value)
    array = array_of(value)
    if array.ndim == 0:
        return str(array.item())
    path = os.path.join(folder, f"{len(os.listdir(folder))}.npy")
    np.save(path, array if array.dtype == np.bool_ else array.astype(np.float32))
    return mark + path


class Model:
    """A model with its settings. load() makes it; it never changes."""

    def __init__(self, words: List[str], options: Dict[str, Any], keeps: Any = None, is_module: bool = False):
        self._keeps = keeps
        with new_folder() as folder:
            self._words = [*words, *words_of(options, folder)]
            # A module has no size until it is given its input.
            self._session = None if is_module else _core.Session(self._words, None)

    def _trace(self, options: Dict[str, Any]) -> Trace:
        with new_folder() as folder:
            words = words_of(options, folder)
            session = _core.Session(words if self._session else self._words + words, self._session)
        return Trace(session.compute(), self)

    @overload
    def run(self, text: List[str], **options: Any) -> List[Trace]: ...  # type: ignore[misc]

    @overload
    def run(self, text: Any = None, **options: Any) -> Trace: ...

    def run(self, text: Any = None, *, interventions: Sequence[Union[str, Dict[str, Any]]] = (), **options: Any) -> Any:
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
        elif isinstance(text, (list, tuple)) and text and isinstance(text[0], str):
            return self._batch(text, options)
        elif text is not None:
            array, is_module = array_of(text), self._session is None
            array = array[0] if array.ndim == 2 + is_module and len(array) == 1 else array
            options["input" if is_module else "ids"] = array if is_module else ",".join(map(str, map(int, array)))
        return self._trace(options)

    def _batch(self, sentences: Sequence[str], options: Dict[str, Any]) -> List[Trace]:
        for i, each in enumerate(sentences):
            if not each.strip():
                raise ValueError(f"sentence {i} of the batch has no words")
        with new_folder() as folder:
            file = os.path.join(folder, "sentences.txt")
            with open(file, "w", encoding="utf-8") as out:
                out.writelines(" ".join(each.splitlines()) + "\n" for each in sentences)
            return [self._trace({**options, "batch": file, "sequence": i}) for i in range(len(sentences))]

    def effects(self, text: Any = None, **options: Any) -> Tables:
        """How the prediction of a word changes without each part: tables "prediction", "heads", "other_parts", "layers",
        "parts" and "sources"; by gradients "gradient_x_input", "attention_x_gradient" and "selected_head"; and of the
        selected head "qk", "ov" and "singular_values". `row` is the token whose prediction is explained, and `word` the
        predicted word; the default is the likeliest."""
        trace: Trace = self.run(text, **options)
        return trace.tables("effects")

    def heads(self, measured_on: str = "random", text: Any = None, **options: Any) -> Any:
        """What each head looks at: a table with a row for each head and a column for each measure, on the "sentence", on
        repeated "random" words, or on the "task" that a bundled model learned."""
        return self.run(text, measured_on=measured_on, **options).tables("heads")["heads"]

    def patch(self, clean: Any, corrupted: Any, metric: Optional[Sequence[Any]] = None, *,
              row: Union[int, str, None] = None, **options: Any) -> Any:
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
        if name not in self:
            raise AttributeError(name)
        return self[name]


def table_of(columns: Dict[str, Sequence[Any]]) -> Any:
    try:
        from pandas import DataFrame
    except ImportError:
        return columns
    return DataFrame(columns)


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
        self.clean, self.corrupted, self.words, self.row, parts = trace._pass.patch(word, other)
        table = dict(zip(("part", "layer", "head", "position", "logit_difference"), map(list, zip(*parts))))
        change = np.array(table["logit_difference"]) - self.corrupted
        whole = self.clean - self.corrupted or np.nan
        self.table = table_of({**table, "change": change.tolist(), "restored": (change / whole).tolist()})

    def heads(self) -> Array:
        """The share of the difference that the output of each head restores: [layers, heads]."""
        part, layer, head, position, restored = (
            np.asarray(self.table[name]) for name in ("part", "layer", "head", "position", "restored"))
        of_all = (part == "head") & (position == -1)
        found = np.full((1 + layer[of_all].max(), 1 + head[of_all].max()), np.nan)
        found[layer[of_all], head[of_all]] = restored[of_all]
        return found

    def figure(self, **options: Any) -> Figure:
        """The comparison of both passes, with what each part restores."""
        return self.trace.figure(page="compare", **options)


class Explanation(NamedTuple):
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

    def __init__(self, trace: Trace, options: Dict[str, Any]):
        self._trace, self._options = trace, options

    def data(self, kind: str = "svg") -> bytes:
        """The file of a kind: "svg", "png", "pdf", or "html", the live page."""
        with new_folder() as folder:
            path = os.path.join(folder, f"figure.{kind}")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()

    def save(self, path: FileName) -> None:
        """Writes F.svg, F.png, F.pdf or F.html. Warns of what it lacks."""
        with new_folder() as folder:
            for remark in self._trace._pass.write_figure(words_of(self._options, folder), os.fspath(path)):
                warnings.warn(remark, stacklevel=2)

    def _repr_svg_(self) -> str:
        return self.data().decode()

    def _repr_png_(self) -> bytes:
        return self.data("png")


class Heads:
    """A stage of every head: [layer, head] is [rows, columns], [layer] is [heads, rows, columns], and np.asarray() is
    [layers, heads, rows, columns]. The first two look into the pass."""

    def __init__(self, trace: Trace, path: str, n_layers: int, n_heads: int):
        self._trace, self._path, self._layers, self._heads = trace, path, n_layers, n_heads

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

    @cached_property
    def _paths(self) -> Dict[str, None]:
        return dict.fromkeys(self._pass.names())

    @cached_property
    def _lens_names(self) -> Dict[str, Tuple[int, str, float]]:
        return {each[0]: each[1:] for each in self._pass.lens_names()}

    @property
    def names(self) -> List[str]:
        """The names of all stages and parameters, in the order of computation."""
        return list(self._paths)

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
        places = [each.split(".") for each in self if ".heads." in each]  # stack, layers, 0, attention, heads, 0, stage
        stack = stack or (places[-1][0] if places else "encoder")
        attention = attention or ("self" if any(each[0] == stack and each[3] == "self" for each in places) else "cross")
        chosen = [(int(each[2]), int(each[5])) for each in places if each[0] == stack and each[3] == attention]
        n_layers, n_heads = (1 + max(indices) for indices in zip(*chosen, (-1, -1)))
        return Heads(self, f"{stack}.layers.{{}}.{attention}.heads.{{}}.{name}", n_layers, n_heads)

    def __getitem__(self, name: str) -> Array:
        if name in self._paths or name not in self._lens_names:
            return self._pass.array(name)
        axis, path, factor = self._lens_names[name]
        n_heads = self.pattern._heads
        if axis in (_BETWEEN, _FIRST):
            # Heads that share keys have them only once.
            of_heads = (path.replace(".heads.0.", f".heads.{head}.") for head in range(n_heads))
            array = self._stacked([each for each in of_heads if each in self._paths])
        else:
            array = self._pass.array(path)
        if axis == _BETWEEN:
            return array.transpose(1, 0, 2)
        if axis == _IN_ROWS:
            return array.reshape(n_heads, -1, array.shape[1])
        # TransformerLens has no factor of the embedding, so its table is multiplied by it.
        array = array if factor == 1.0 else array * np.float32(factor)
        return cast(Array, array[..., 0, :] if ".hook_" not in name and array.shape[-2] == 1 else array)

    def _stacked(self, names: List[str]) -> Array:
        """[heads, rows, columns], without a copy where the heads lie at equal distances."""
        heads = [self._pass.array(name) for name in names]
        steps = {after.ctypes.data - before.ctypes.data for before, after in zip(heads, heads[1:])} or {0}
        if len(steps) > 1 or any(each.strides != heads[0].strides for each in heads):
            return np.stack(heads)
        return np.lib.stride_tricks.as_strided(
            heads[0], (len(heads), *heads[0].shape), (*steps, *heads[0].strides), writeable=False)

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __contains__(self, name: object) -> bool:
        return name in self._paths or name in self._lens_names

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def frame(self, name: str) -> Any:
        """A stage as a data frame of pandas, with tokens, words or dimensions as labels."""
        from pandas import DataFrame

        rows, columns = self._pass.labels(name)
        return DataFrame(self._pass.array(name), index=rows, columns=columns)

    def explain(self, stage: str, row: Union[int, str], column: Union[int, str]) -> Explanation:
        """How a cell was computed. Row and column are indices or tokens; "the:1" is the second "the"."""
        return Explanation(*self._pass.explain(stage, str(row), str(column)))

    def tables(self, page: str) -> Tables:
        """The numbers of a page that are no stages: those of effects, heads, compare, decoding, experts, scale or tiles."""
        return Tables({name: table_of({column: [row[i] for row in rows] for i, column in enumerate(columns)})
                       for name, columns, rows in self._pass.tables(page)})

    def figure(self, page: Optional[str] = None, **options: Any) -> Figure:
        """A page as a figure, or the selected stage without one: t.figure(page="lines", layer=1).save("lines.pdf").
        `options` are those of `headscope render`."""
        return Figure(self, {**options, "page": page} if page is not None else options)

    def save(self, path: FileName, names: str = "headscope") -> None:
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
