"""Captures the attention of any model of PyTorch while it runs, in files of arrays."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import os
import re
import sys
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
FileName = Union[str, "os.PathLike[str]"]


def array_of(value: Any, in_16_bits: bool = False) -> Array:
    """The numbers of an array or a tensor, wherever and in whatever precision it is. With `in_16_bits`, those of 16 bits
    stay so; NumPy has no bfloat16, whose bits are returned as uint16."""
    if not hasattr(value, "detach"):
        return np.asarray(value)
    value = value.detach().cpu()
    kind = str(value.dtype) if in_16_bits else ""
    if kind == "torch.bfloat16":
        return value.view(sys.modules["torch"].int16).numpy().view(np.uint16)
    return (value.float() if value.is_floating_point() and kind != "torch.float16" else value).numpy()


def of_one_type(arrays: Sequence[Array]) -> List[Array]:
    """What array_of() returned, of one type: the bits of bfloat16 are decoded beside other types."""
    if all(each.dtype == arrays[0].dtype for each in arrays):
        return list(arrays)
    return [(each.astype(np.uint32) << 16).view(np.float32) if each.dtype == np.uint16 else each for each in arrays]


_TYPES = {"F32": np.dtype(np.float32), "BOOL": np.dtype(np.bool_), "F16": np.dtype(np.float16),
          "BF16": np.dtype(np.uint16)}
_NAMES = {kind: name for name, kind in _TYPES.items()}


def write_safetensors(path: FileName, tensors: Mapping[str, Array], metadata: Mapping[str, str]) -> None:
    """Writes what array_of() returns, booleans, and everything else as float32. The file is there when it is whole."""
    header: Dict[str, Any] = {"__metadata__": dict(metadata)}
    arrays: List[Array] = []
    end = 0
    for name, array in tensors.items():
        array = np.ascontiguousarray(array, array.dtype if array.dtype in _NAMES else np.float32)
        arrays.append(array)
        header[name] = {"dtype": _NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    partial = f"{os.fspath(path)}.{os.getpid()}.part"
    try:
        with open(partial, "wb") as file:
            file.writelines([len(text).to_bytes(8, "little"), text, *(each.data for each in arrays)])
        os.replace(partial, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(partial)


def read_safetensors(path: FileName) -> Tuple[Dict[str, Array], Dict[str, str]]:
    """The tensors that write_safetensors() wrote, mapped and not read, and the metadata."""
    with open(path, "rb") as file:
        start = file.read(8)
        length = int.from_bytes(start, "little")
        if len(start) < 8 or length > os.path.getsize(path) - 8:
            raise ValueError(f"{os.fspath(path)} is no whole safetensors file")
        header = json.loads(file.read(length))
    metadata = header.pop("__metadata__", {})
    data = np.memmap(path, np.uint8, "r", 8 + length)
    return {name: data[slice(*entry["data_offsets"])].view(_TYPES[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items()}, metadata


def metadata_of(tokens: Sequence[Any], source_tokens: Optional[Sequence[Any]], name: str) -> Dict[str, str]:
    texts = {"tokens": tokens} if source_tokens is None else {"tokens": tokens, "source_tokens": source_tokens}
    return {"name": name, **{key: json.dumps([str(each) for each in text]) for key, text in texts.items()}}


@dataclass
class _Layer:
    """What was seen of one attention layer: the weights "attentions" [heads, queries, keys], or "queries" [heads, tokens,
    width], "keys" and "values" with scale and mask, from which the program computes them."""

    module: str
    tensors: Dict[str, Array]
    scale: Any = None
    mask: Any = None

    def shape(self) -> Tuple[int, ...]:
        if "attentions" in self.tensors:
            return self.tensors["attentions"].shape
        return (*self.tensors["queries"].shape[:2], self.tensors["keys"].shape[1])

    def weights(self) -> Array:
        if "attentions" in self.tensors:
            return self.tensors["attentions"]
        queries, keys = self.tensors["queries"], self.tensors["keys"]
        keys = np.repeat(keys, len(queries) // len(keys), axis=0)
        scores = np.einsum("hqd,hkd->hqk", queries, keys) * self.scale
        if self.mask is not None:
            scores = np.where(self.mask, scores, -np.inf) if self.mask.dtype == np.bool_ else scores + self.mask
        powers = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), np.finfo(np.float32).min))
        total = powers.sum(axis=-1, keepdims=True)
        return (powers / np.where(total > 0.0, total, 1.0)).astype(np.float32)


def _combined_mask(shape: Tuple[int, int], masks: Sequence[Optional[Array]]) -> Optional[Array]:
    """Masks whose True means “may attend”, or that are added, as one of either kind. None if nothing is hidden."""
    added: Any = np.zeros(shape, np.float32)
    for mask in masks:
        if mask is not None:
            added = added + (np.where(mask, 0.0, -np.inf) if mask.dtype == np.bool_ else mask)
    is_hidden = added <= -1e4
    if (is_hidden | (added == 0.0)).all():  # A mask that only hides is written as one that only hides.
        return ~is_hidden if is_hidden.any() else None
    return np.asarray(added, np.float32)


class _Running(threading.local):
    """What a thread runs of the watched model. Other models and other threads, and what is computed again for the
    gradients, are not recorded."""

    modules: Tuple[str, ...] = ()  # each within the one before; empty outside of the model
    is_within = False  # an attention function, whose own calls of others are not recorded again


class capture:
    """Captures the attention of one call of a model, and writes a file that `headscope FILE` opens.

        with headscope.capture(model, "run.safetensors", tokenizer=tokenizer):
            model(**inputs)

    A model of Transformers is asked for its weights and hidden states if its attention is the eager one. In any model,
    what nn.MultiheadAttention, scaled_dot_product_attention and the attention functions of Transformers are given is
    recorded: queries, keys, values, mask and scale, also where FlashAttention never holds the weights. Weights [batch,
    heads, queries, keys] that a module returns are taken, too. If the model is called several times, the last call counts.

    model           a torch.nn.Module
    path            the file to write; None writes none, and .save(path) does it later
    tokens          the texts of the tokens; otherwise the tokenizer's for input_ids, or their numbers
    source_tokens   those of the keys, if they belong to another text
    item            the text of a batch
    only            a regular expression that the name of a module must match, such as "decoder.*cross"
    rank, n_ranks   the place of this process among several; the default is torch.distributed's
    split           what the processes share, if each runs a part of the model: "layers", one after the other, or the
                    "heads" of each layer: each writes a part beside the file, and one of them joins the parts, or
                    join() if they have no folder in common. Without it, rank 0 alone writes the file
    run             a name that the processes of one run share; the default is MASTER_ADDR and MASTER_PORT
    """

    def __init__(self, model: Any, path: Optional[FileName] = None, *, tokenizer: Any = None,
                 tokens: Optional[Sequence[str]] = None, source_tokens: Optional[Sequence[str]] = None,
                 name: Optional[str] = None, item: int = 0, only: Optional[str] = None, rank: Optional[int] = None,
                 n_ranks: Optional[int] = None, split: Optional[str] = None, run: Optional[str] = None):
        if not hasattr(model, "named_modules"):
            raise ValueError(f"a {type(model).__name__} cannot be watched: give a torch.nn.Module")
        if split is not None and split not in _AXES:
            raise ValueError(f"split is “{split}”, but processes share layers or heads")
        if (rank is None) != (n_ranks is None):
            raise ValueError("rank and n_ranks are given together, or neither of them")
        is_told = rank is not None and n_ranks is not None
        self._rank, self._n_ranks, self._wait = (rank, n_ranks, None) if is_told else _processes()
        if not 0 <= self._rank < self._n_ranks:
            raise ValueError(f"there is no rank {self._rank} of {self._n_ranks}: they count from 0")
        self._model, self._path = model, None if path is None else os.fspath(path)
        self._tokenizer, self._tokens, self._source_tokens = tokenizer, tokens, source_tokens
        self._name = name or getattr(model, "name_or_path", "") or type(model).__name__
        self._item, self._only, self._split = item, None if only is None else re.compile(only), split
        self._run = f"{os.getenv('MASTER_ADDR', '')}:{os.getenv('MASTER_PORT', '')}" if run is None else run
        self._running = _Running()
        self._clear()

    def _clear(self) -> None:
        self._layers: List[_Layer] = []
        self._returned: Dict[str, List[_Layer]] = {}  # by what the model calls them
        self._hidden: Optional[Array] = None
        self._texts: Dict[str, Sequence[Any]] = {}  # of input_ids and decoder_input_ids

    def __enter__(self) -> capture:
        import torch

        with contextlib.ExitStack() as undo:
            self._watch(torch, undo)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self._undo.close()
        if kind is None and self._path is not None:
            self.save(self._path)

    def _watch(self, torch: Any, undo: contextlib.ExitStack) -> None:
        def replace(owner: Any, name: str, value: Any) -> None:
            undo.callback(functools.partial(setattr, owner, name, vars(owner)[name]) if name in vars(owner)
                          else functools.partial(delattr, owner, name))
            setattr(owner, name, value)

        def watch(function: Callable[..., Any], watcher: Callable[..., Any], *before: Any) -> Callable[..., Any]:
            return functools.wraps(function)(functools.partial(watcher, function, *before))

        for name, module in self._model.named_modules():
            if isinstance(module, torch.nn.MultiheadAttention):
                record = functools.partial(self._multi_head, module)
                replace(module, "forward", watch(module.forward, self._attention, record))
            elif hasattr(module, "activation_relu_or_gelu"):
                # The fused pass of nn.TransformerEncoderLayer does not call its attention.
                replace(module, "activation_relu_or_gelu", 0)
            replace(module, "forward", watch(module.forward, self._module if name else self._whole, name))
        functional = torch.nn.functional
        original = getattr(functional, "scaled_dot_product_attention", None)
        if original is not None:
            replace(functional, "scaled_dot_product_attention",
                    watch(original, self._attention, self._scaled_dot_product))
        utilities = sys.modules.get("transformers.modeling_utils")
        functions = getattr(utilities, "ALL_ATTENTION_FUNCTIONS", {})
        for name in list(functions):
            original = functions[name]
            undo.callback(functions.__setitem__, name, original)
            record = functools.partial(self._function, list(inspect.signature(original).parameters)[5:])
            functions[name] = watch(original, self._attention, record)

    def _module(self, forward: Callable[..., Any], name: str, /, *args: Any, **kwargs: Any) -> Any:
        """A module within the model, or the model, whose name is empty. It may return its weights."""
        running, before = self._running, len(self._layers)
        if name and not running.modules:
            return forward(*args, **kwargs)
        running.modules += (name,)
        try:
            output = forward(*args, **kwargs)
        finally:
            running.modules = running.modules[:-1]
        if isinstance(output, tuple) and len(self._layers) == before and not running.is_within:
            weights = next((each for each in output[1:] if getattr(each, "ndim", 0) == 4 and _are_shares(each)), None)
            if weights is not None:
                self._layers.append(self._returned_layer(name, weights))
        return output

    def _returned_layer(self, module: str, weights: Any) -> _Layer:
        return _Layer(module, {"attentions": np.array(array_of(weights[self._item], in_16_bits=True))})

    def _whole(self, forward: Callable[..., Any], name: str, /, *args: Any, **kwargs: Any) -> Any:
        if self._running.modules:
            return forward(*args, **kwargs)
        self._clear()
        parameters = inspect.signature(forward).parameters
        given = {**dict(zip(parameters, args)), **kwargs}
        config = getattr(self._model, "config", None)
        if config is not None and getattr(config, "_attn_implementation", None) in (None, "eager"):
            passes_on = any(each.kind == each.VAR_KEYWORD for each in parameters.values())
            for option in ("output_attentions", "output_hidden_states", "return_dict"):
                if option not in given and (option in parameters or passes_on and hasattr(config, "output_attentions")):
                    kwargs[option] = True
        output = self._module(forward, name, *args, **kwargs)
        for text, ids in (("input_ids", given.get("input_ids", args[0] if args else None)),
                          ("decoder_input_ids", given.get("decoder_input_ids"))):
            if getattr(ids, "ndim", 0) == 2 and not ids.is_floating_point():
                row = ids[self._item].tolist()
                self._texts[text] = self._tokenizer.convert_ids_to_tokens(row) if self._tokenizer else row
        for part in ("attentions", "decoder_attentions", "cross_attentions", "encoder_attentions"):
            weights = getattr(output, part, None)
            if isinstance(weights, tuple):
                self._returned[part] = [self._returned_layer(f"{part}.{i}", each) for i, each in enumerate(weights)
                                        if getattr(each, "ndim", 0) == 4]
        hidden = getattr(output, "hidden_states", None)
        if isinstance(hidden, tuple) and all(getattr(each, "ndim", 0) == 3 for each in hidden):
            self._hidden = np.stack([array_of(each[self._item]) for each in hidden])
        return output

    def _attention(self, function: Callable[..., Any], record: Callable[..., None], /, *args: Any, **kwargs: Any) -> Any:
        """An attention function, with what records its arguments."""
        running = self._running
        if not running.modules or running.is_within:
            return function(*args, **kwargs)
        record(*args, **kwargs)
        running.is_within = True
        try:
            return function(*args, **kwargs)
        finally:
            running.is_within = False

    def _record(self, rows: Sequence[Any], scale: Optional[float], *masks: Optional[Array], diagonal: Optional[int]) -> None:
        """Records queries, keys and values [heads, tokens, width] of the text, of which only keys up to the diagonal are
        seen if there is one. The arrays are copies, as a model may go on in the same memory."""
        queries, keys, values = (np.array(array_of(each)) for each in rows)
        n, m = queries.shape[1], keys.shape[1]
        causal = None if diagonal is None else np.tri(n, m, diagonal, dtype=np.bool_)
        self._layers.append(_Layer(self._running.modules[-1], {"queries": queries, "keys": keys, "values": values},
                                   float(queries.shape[-1]) ** -0.5 if scale is None else scale,
                                   _combined_mask((n, m), (causal, *masks))))

    def _rows_of(self, *tensors: Any) -> List[Any]:
        """What an attention function is given, [batch, heads, tokens, width] or with one head [batch, tokens, width], as
        [heads, tokens, width] of the text."""
        for each in tensors:
            if not 2 <= each.ndim <= 4:
                raise ValueError(f"attention of {each.ndim} axes cannot be captured: they are [batch, heads, tokens, width]")
        of_text = [each[self._item] if each.ndim > 2 else each for each in tensors]
        return [each if each.ndim == 3 else each[None] for each in of_text]

    def _row_of_mask(self, mask: Any, n_axes: int = 4) -> Optional[Array]:
        """The mask of the text, [queries, keys] or [heads, queries, keys]."""
        if mask is None:
            return None
        if mask.ndim == n_axes:
            mask = mask[self._item if mask.shape[0] > 1 else 0]
        return array_of(mask[0] if mask.ndim == 3 and mask.shape[0] == 1 else mask)

    def _scaled_dot_product(self, query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
                            is_causal: bool = False, scale: Optional[float] = None, **_: Any) -> None:
        self._record(self._rows_of(query, key, value), scale, self._row_of_mask(attn_mask, max(query.ndim, 3)),
                     diagonal=0 if is_causal else None)

    def _function(self, names: Sequence[str], module: Any, query: Any, key: Any, value: Any, attention_mask: Any = None,
                  *args: Any, **kwargs: Any) -> None:
        """An attention function of Transformers, with the names of its last parameters."""
        given = {**dict(zip(names, args)), **kwargs}
        for name in ("softcap", "s_aux", "sinks"):
            if given.get(name) is not None:
                raise ValueError(f"attention with {name} has other weights than the softmax of its scores, and cannot "
                                 "be captured: load the model with attn_implementation=\"eager\"")
        if attention_mask is not None and not hasattr(attention_mask, "detach"):
            raise ValueError(f"a mask that is a {type(attention_mask).__name__} cannot be captured: load the model with "
                             "attn_implementation=\"eager\" or \"sdpa\"")
        n, m = query.shape[-2], key.shape[-2]
        diagonal = near = mask = None
        if getattr(attention_mask, "ndim", 0) == 4:
            mask = self._row_of_mask(attention_mask[..., :m])
        else:
            if attention_mask is not None:  # 1 for tokens that are no padding
                mask = array_of(attention_mask[self._item])[..., :m].astype(np.bool_)
            is_causal = given.get("is_causal")
            if getattr(module, "is_causal", True) if is_causal is None else is_causal:
                diagonal = m - n
            if given.get("sliding_window"):
                near = ~np.tri(n, m, m - n - given["sliding_window"], dtype=np.bool_)
        self._record(self._rows_of(query, key, value), given.get("scaling"), mask, near, diagonal=diagonal)

    def _multi_head(self, module: Any, query: Any, key: Any, value: Any, key_padding_mask: Any = None,
                    need_weights: bool = True, attn_mask: Any = None, average_attn_weights: bool = True,
                    is_causal: bool = False) -> None:
        """An nn.MultiheadAttention, in whose boolean masks True hides."""
        if module.bias_k is not None or module.add_zero_attn:
            raise ValueError("an nn.MultiheadAttention with add_bias_kv or add_zero_attn has keys that are no tokens, "
                             "and cannot be captured")
        from torch.nn.functional import linear

        weights = module.in_proj_weight.chunk(3) if module.in_proj_weight is not None else (
            module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
        biases = module.in_proj_bias.chunk(3) if module.in_proj_bias is not None else (None,) * 3
        rows = []
        for given, weight, bias in zip((query, key, value), weights, biases):
            if given.ndim == 3:
                given = given[self._item] if module.batch_first else given[:, self._item]
            made = linear(given, weight, bias)
            rows.append(made.reshape(made.shape[0], module.num_heads, -1).transpose(0, 1))
        if attn_mask is not None and attn_mask.ndim == 3:
            attn_mask = attn_mask.reshape(-1, module.num_heads, *attn_mask.shape[1:])[self._item]
        if key_padding_mask is not None and key_padding_mask.ndim == 2:
            key_padding_mask = key_padding_mask[self._item]
        masks = [None if mask is None else array_of(mask) for mask in (attn_mask, key_padding_mask)]
        masks = [~mask if mask is not None and mask.dtype == np.bool_ else mask for mask in masks]
        self._record(rows, None, *masks, diagonal=0 if is_causal and attn_mask is None else None)

    def _chosen(self) -> List[_Layer]:
        """The layers that `only` chooses among the modules, or else among what the model returned. Without it, the model's
        own attention: that of the decoder if it has two stacks."""
        only = self._only
        if only is not None:
            returned = [each for layers in self._returned.values() for each in layers]
            chosen = ([each for each in layers if only.search(each.module)] for layers in (self._layers, returned))
            return next(filter(None, chosen), [])
        own = self._returned.get("attentions") or self._returned.get("decoder_attentions") or []
        are_same = [each.shape() for each in own] == [each.shape() for each in self._layers]
        return own if own and not are_same else self._layers

    def _labels(self, module: str, n: int, m: int) -> Tuple[Sequence[Any], Optional[Sequence[Any]]]:
        """The texts of a module's n queries and m keys, as far as they are known; of the keys only if they are others."""
        texts = self._texts.get("input_ids", [])
        source: Optional[Sequence[Any]] = self._source_tokens
        has_two = getattr(getattr(self._model, "config", None), "is_encoder_decoder", False)
        is_cross = bool(re.search("cross|encoder_attn|encdec|decoder.*multihead_attn", module.lower()))
        if is_cross and source is None:
            source = texts if len(texts) == m else range(m)
        if re.match(r"cross|(.*\.)?decoder", module):
            texts = self._texts.get("decoder_input_ids", [] if has_two or is_cross else texts)
        texts = texts if len(texts) == n else range(n)
        return self._tokens if self._tokens is not None else texts, source

    def tensors(self) -> Dict[str, Array]:
        """What save() writes: "queries" [layers, heads, queries, d_head], "keys", "values", "mask" [queries, keys] and
        "scale" if they are the same of all layers, and otherwise "attentions" [layers, heads, queries, keys]."""
        layers = self._chosen()
        if not layers:
            raise ValueError("nothing was captured: call the model inside of “with headscope.capture(…)”, and see that its "
                             "attention is nn.MultiheadAttention, scaled_dot_product_attention or Transformers' and in “only”")
        first = layers[0]
        for each in layers:
            if each.shape() != first.shape():
                names = ", ".join(sorted({re.sub(r"\d+", "N", layer.module) for layer in layers}))
                raise ValueError(f"the attention of {first.module} has the shape {list(first.shape())}, but that of "
                                 f"{each.module} {list(each.shape())}: choose with only=… one kind of {names}")
        kinds = [(each.scale, {name: array.shape for name, array in each.tensors.items()}) for each in layers]
        are_alike = all(kind == kinds[0] and np.array_equal(each.mask, first.mask) for kind, each in zip(kinds, layers))
        seen = [each.tensors if are_alike else {"attentions": each.weights()} for each in layers]
        found = {name: np.stack(of_one_type([each[name] for each in seen])) for name in seen[0]}
        if "queries" in found:
            found["scale"] = np.array([first.scale], np.float32)
            if first.mask is not None:
                found["mask"] = first.mask
        if self._hidden is not None and len(self._hidden) == len(layers) + 1:
            found["hidden_states"] = self._hidden
        return found

    def save(self, path: FileName) -> None:
        """Writes what was captured, or the part of this process."""
        path = os.fspath(path)
        if self._split is None or self._n_ranks == 1:
            if self._rank == 0:
                self._write(path)
            return
        count = _saves[path] = _saves.get(path, 0) + 1
        parts = [f"{path}.{count}.part-{rank}-of-{self._n_ranks}" for rank in range(self._n_ranks)]
        try:
            self._write(parts[self._rank], split=self._split, run=self._run)
        finally:
            if self._wait is not None:  # also after an error, so that the others do not wait for ever
                self._wait()
        if self._wait is None or self._rank == 0:
            _join_once(path, parts, self._run)

    def _write(self, path: str, **more: str) -> None:
        tensors, first = self.tensors(), self._chosen()[0]
        metadata = metadata_of(*self._labels(first.module, *first.shape()[1:]), self._name)
        write_safetensors(path, tensors, {**metadata, **more})


# The axis along which the parts of processes are joined.
_AXES = {"layers": 0, "heads": 1}

_saves: Dict[str, int] = {}  # how often this process has written a part of a file


def _join_once(path: str, parts: List[str], run: str) -> None:
    """Joins the parts if all are there, and of this run: those that another run left are written again by this one. Only
    one process can rename the first part."""
    taken = f"{parts[0]}.joining"
    try:
        if any(read_safetensors(each)[1].get("run") != run for each in parts):
            return
        os.rename(parts[0], taken)
    except FileNotFoundError:
        return
    try:
        join(path, [taken, *parts[1:]])
    except BaseException:
        os.rename(taken, parts[0])
        raise
    for each in (taken, *parts[1:]):
        os.remove(each)


def join(path: FileName, parts: Sequence[FileName]) -> None:
    """Joins the parts that the processes of a model wrote, in the order of their ranks, to one capture."""
    read = [read_safetensors(each) for each in parts]
    if not read:
        raise ValueError("there are no parts to join")
    first, metadata = read[0]
    axis = _AXES[metadata.get("split", "layers")]
    joined = {}
    for tensors, about in read:
        if about.get("run") != metadata.get("run"):
            raise ValueError(f"the parts are of different runs: “{metadata.get('run')}” and “{about.get('run')}”")
        if tensors.keys() != first.keys():
            raise ValueError(f"a part has {', '.join(sorted(tensors))}, but another {', '.join(sorted(first))}: the "
                             "processes captured different things")
    for name, tensor in first.items():
        each = of_one_type([tensors[name] for tensors, _ in read])
        are_equal = all(np.array_equal(tensor, other) for other in each)
        if name == "hidden_states" and axis == 0:  # what leaves a layer enters the next one
            joined[name] = np.concatenate([rows[:-1] for rows in each[:-1]] + [each[-1]])
        elif tensor.ndim == 4:
            joined[name] = np.concatenate(each, axis)
        elif name == "mask" and axis == 1 and not (are_equal and tensor.ndim == 2):
            joined[name] = np.concatenate([np.broadcast_to(mask, (tensors["queries"].shape[1], *mask.shape[-2:]))
                                           for mask, (tensors, _) in zip(each, read)])
        elif are_equal:
            joined[name] = tensor
        else:
            raise ValueError(f"the parts have a different “{name}”, but all layers of a capture share one")
    write_safetensors(path, joined, {name: value for name, value in metadata.items() if name not in ("split", "run")})


def _processes() -> Any:
    """The rank of this process and how many there are, as torch.distributed knows, and what waits for all of them."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return 0, 1, None
    return distributed.get_rank(), distributed.get_world_size(), distributed.barrier


def _are_shares(weights: Any) -> bool:
    """Whether the rows of a tensor sum to 1, as those of attention weights do."""
    return weights.is_floating_point() and bool(
        ((weights[..., -1, :].float().sum(-1) - 1.0).abs() < 0.05).all() and (weights >= 0.0).all())
