"""Captures the attention of any model of PyTorch while it runs."""

from __future__ import annotations

import functools
import json
import os
import re
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._tensors import Array, array_of, read_safetensors, stored, write_safetensors


def metadata_of(tokens: Sequence[str], source_tokens: Optional[Sequence[str]], name: str) -> Dict[str, str]:
    metadata = {"tokens": json.dumps([str(each) for each in tokens]), "name": name}
    if source_tokens is not None:
        metadata["source_tokens"] = json.dumps([str(each) for each in source_tokens])
    return metadata


class _Layer:
    """What was seen of one attention layer: its weights [heads, queries, keys], or queries [heads, tokens, width], keys,
    values, scale and mask, from which the program computes them."""

    def __init__(self, module: str, weights: Optional[Array] = None, queries: Optional[Array] = None,
                 keys: Optional[Array] = None, values: Optional[Array] = None, scale: Optional[float] = None,
                 mask: Optional[Array] = None) -> None:
        self.module, self.weights, self.queries, self.keys, self.values = module, weights, queries, keys, values
        self.scale = scale if scale is not None or queries is None else float(queries.shape[-1]) ** -0.5
        self.mask = mask

    def shape(self) -> Tuple[int, ...]:
        if self.queries is None or self.keys is None:
            return self.weights.shape if self.weights is not None else ()
        return (*self.queries.shape[:2], self.keys.shape[1])

    def sizes(self) -> Optional[List[Tuple[int, ...]]]:
        """The shapes of queries, keys and values. None if the weights alone are known."""
        rows = (self.queries, self.keys, self.values)
        return None if any(each is None for each in rows) else [each.shape for each in rows if each is not None]

    def computed_weights(self) -> Array:
        if self.weights is not None:
            return self.weights
        assert self.queries is not None and self.keys is not None
        keys = np.repeat(self.keys, self.queries.shape[0] // self.keys.shape[0], axis=0)
        scores = np.einsum("hqd,hkd->hqk", self.queries, keys) * self.scale
        if self.mask is not None:
            scores = np.where(self.mask, scores, -np.inf) if self.mask.dtype == np.bool_ else scores + self.mask
        top = scores.max(axis=-1, keepdims=True)
        powers = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
        total = powers.sum(axis=-1, keepdims=True)
        return (powers / np.where(total > 0.0, total, 1.0)).astype(np.float32)


def _combined_mask(n_queries: int, n_keys: int, is_causal: bool, *masks: Any) -> Optional[Array]:
    """Masks whose True means “may attend”, or that are added, as one of either kind. None if nothing is hidden."""
    allowed: Any = np.tri(n_queries, n_keys, dtype=np.bool_) if is_causal else None
    added: Any = None
    for mask in masks:
        if mask is None:
            continue
        if mask.dtype == np.bool_:
            allowed = mask if allowed is None else allowed & mask
        elif (mask == 0.0).all() or (mask <= -1e4).any() and ((mask == 0.0) | (mask <= -1e4)).all():
            # A mask that only hides is written as one that only hides.
            allowed = mask == 0.0 if allowed is None else allowed & (mask == 0.0)
        else:
            added = mask if added is None else added + mask
    if allowed is None and added is None:
        return None
    if added is not None and allowed is not None:
        added = np.where(allowed, added, -np.inf)
    mask = np.broadcast_to(allowed if added is None else added,
                           np.broadcast_shapes(np.shape(allowed if added is None else added), (n_queries, n_keys)))
    if mask.dtype == np.bool_ and mask.all():
        return None
    return mask if mask.dtype == np.bool_ else mask.astype(np.float32)


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
    rank, n_ranks   of several processes, each of which runs a part of the model; the default is torch.distributed's
    split           what the processes share: "layers", one after the other, or the "heads" of each layer

    Each of several processes writes a part beside the file, and the last one joins them. Where they have no folder in
    common, join() does it.
    """

    def __init__(self, model: Any, path: Union[str, os.PathLike[str], None] = None, *, tokenizer: Any = None,
                 tokens: Optional[Sequence[str]] = None, source_tokens: Optional[Sequence[str]] = None,
                 name: Optional[str] = None, item: int = 0, only: Optional[str] = None, rank: Optional[int] = None,
                 n_ranks: Optional[int] = None, split: str = "layers"):
        if not hasattr(model, "named_modules"):
            raise ValueError(f"a {type(model).__name__} cannot be watched: give a torch.nn.Module")
        if split not in _AXES:
            raise ValueError(f"split is “{split}”, but processes share layers or heads")
        self._model, self._path = model, None if path is None else os.fspath(path)
        self._tokenizer, self._tokens, self._source_tokens = tokenizer, tokens, source_tokens
        self._name = name or getattr(model, "name_or_path", "") or type(model).__name__
        self._item, self._only, self._split = item, re.compile(only or ""), split
        self._rank, self._n_ranks = _place_among_ranks() if rank is None or n_ranks is None else (rank, n_ranks)
        self._undo: List[Callable[[], None]] = []
        self._clear()

    def _clear(self) -> None:
        self._layers: List[_Layer] = []
        self._hidden: Optional[Array] = None
        self._inside: List[str] = []
        self._is_within = False

    # What is watched

    def __enter__(self) -> capture:
        import torch

        try:
            self._watch(torch)
        except BaseException:
            self._stop()
            raise
        return self

    def _watch(self, torch: Any) -> None:
        for name, module in self._model.named_modules():
            enter = module.register_forward_pre_hook(lambda _module, _inputs, name=name: self._inside.append(name))
            leave = module.register_forward_hook(self._leave)
            self._undo += [enter.remove, leave.remove]
            if isinstance(module, torch.nn.MultiheadAttention):
                self._replace(module, "forward", functools.partial(self._multi_head, module))
            elif hasattr(module, "activation_relu_or_gelu"):
                # The fused pass of nn.TransformerEncoderLayer does not call its attention.
                kept = module.activation_relu_or_gelu
                self._replace(module, "activation_relu_or_gelu", lambda *_: 0, wraps=False)
        functional = torch.nn.functional
        if hasattr(functional, "scaled_dot_product_attention"):
            self._replace(functional, "scaled_dot_product_attention", self._scaled_dot_product)
        utilities = sys.modules.get("transformers.modeling_utils")
        functions = getattr(utilities, "ALL_ATTENTION_FUNCTIONS", {})
        for name in list(functions):
            original = functions[name]
            functions[name] = functools.wraps(original)(functools.partial(self._function, original))
            self._undo.append(functools.partial(functions.__setitem__, name, original))
        self._replace(self._model, "forward", self._whole)

    def _replace(self, owner: Any, name: str, watcher: Callable[..., Any], wraps: bool = True) -> None:
        """Puts a function that is given the original one in its place."""
        original, is_own = getattr(owner, name), name in vars(owner)
        value = functools.wraps(original)(functools.partial(watcher, original)) if wraps else watcher(original)
        setattr(owner, name, value)
        self._undo.append(functools.partial(setattr, owner, name, original) if is_own
                          else functools.partial(delattr, owner, name))

    def _stop(self) -> None:
        while self._undo:
            self._undo.pop()()

    def __exit__(self, kind: Any, *_: Any) -> None:
        self._stop()
        if kind is None and self._path is not None:
            self.save(self._path)

    def _leave(self, _module: Any, _inputs: Any, output: Any) -> None:
        name = self._inside.pop() if self._inside else ""
        if self._is_within or not isinstance(output, tuple):
            return
        for each in output[1:]:
            if getattr(each, "ndim", 0) == 4 and each.is_floating_point() and _are_shares(each):
                weights = stored(each)[self._item]
                known = any(layer.module.startswith(name) for layer in self._layers)
                if not known:
                    self._layers.append(_Layer(name, weights))

    def _whole(self, forward: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._clear()
        self._inside.append("")
        implementation = getattr(getattr(self._model, "config", None), "_attn_implementation", None)
        is_asked = hasattr(self._model, "config") and implementation in (None, "eager")
        if is_asked:
            kwargs = {"output_attentions": True, "output_hidden_states": True, **kwargs, "return_dict": True}
        output = forward(*args, **kwargs)
        ids = kwargs.get("input_ids", args[0] if args else None)
        if self._tokens is None and getattr(ids, "ndim", 0) == 2 and not ids.is_floating_point():
            row = ids[self._item].tolist()
            self._tokens = self._tokenizer.convert_ids_to_tokens(row) if self._tokenizer else [str(each) for each in row]
        for name in ("attentions", "decoder_attentions"):
            weights = getattr(output, name, None) if is_asked else None
            if weights is not None and weights[0] is not None:
                self._layers = [_Layer(f"{name}.{i}", stored(each)[self._item]) for i, each in enumerate(weights)]
        hidden = getattr(output, "hidden_states", None) if is_asked else None
        if hidden is not None and not isinstance(hidden, str) and hasattr(hidden[0], "ndim"):
            self._hidden = np.stack([array_of(each)[self._item] for each in hidden])
        return output

    def _record(self, queries: Any, keys: Any, values: Any, mask: Optional[Array], scale: Optional[float]) -> None:
        made = [array_of(each) for each in (queries, keys, values)]
        rows = dict(zip(("queries", "keys", "values"), (each[self._item] if each.ndim == 4 else each for each in made)))
        module = next((each for each in reversed(self._inside) if each), "")
        self._layers.append(_Layer(module, scale=scale, mask=mask, **rows))

    def _row_of_mask(self, mask: Any, n_axes: int = 4) -> Optional[Array]:
        """The mask of the text, [queries, keys] or [heads, queries, keys]."""
        if mask is None:
            return None
        array = array_of(mask)
        if array.ndim == n_axes:
            array = array[self._item if array.shape[0] > 1 else 0]
        return array[0] if array.ndim == 3 and array.shape[0] == 1 else array

    def _within(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls a function whose own calls of attention functions are not recorded again."""
        before, self._is_within = self._is_within, True
        try:
            return function(*args, **kwargs)
        finally:
            self._is_within = before

    def _scaled_dot_product(self, function: Callable[..., Any], query: Any, key: Any, value: Any, attn_mask: Any = None,
                            dropout_p: float = 0.0, is_causal: bool = False, **kwargs: Any) -> Any:
        if not self._is_within:
            mask = _combined_mask(query.shape[-2], key.shape[-2], is_causal, self._row_of_mask(attn_mask))
            self._record(query, key, value, mask, kwargs.get("scale"))
        return self._within(function, query, key, value, attn_mask, dropout_p, is_causal, **kwargs)

    def _function(self, function: Callable[..., Any], module: Any, query: Any, key: Any, value: Any,
                  attention_mask: Any = None, *args: Any, **kwargs: Any) -> Any:
        """An attention function of Transformers."""
        if not self._is_within:
            n, m = query.shape[-2], key.shape[-2]
            mask = self._row_of_mask(attention_mask)
            if mask is not None and getattr(attention_mask, "ndim", 0) == 2:  # 1 for tokens that are no padding
                mask = array_of(attention_mask)[self._item].astype(np.bool_)
            elif mask is not None:
                mask = mask[..., :m]
            is_causal = kwargs.get("is_causal")
            is_causal = getattr(module, "is_causal", False) if is_causal is None else is_causal
            near = None
            if kwargs.get("sliding_window"):
                near = ~np.tri(n, m, m - n - kwargs["sliding_window"], dtype=np.bool_)
            given_all = mask is not None and attention_mask.ndim == 4
            mask = _combined_mask(n, m, bool(is_causal) and n == m and not given_all, mask, near)
            self._record(query, key, value, mask, kwargs.get("scaling"))
        return self._within(function, module, query, key, value, attention_mask, *args, **kwargs)

    def _multi_head(self, module: Any, forward: Callable[..., Any], query: Any, key: Any, value: Any,
                    key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None, *args: Any,
                    **kwargs: Any) -> Any:
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
        masks = [None if mask is None else array_of(mask) for mask in (attn_mask, key_padding_mask)]
        if masks[0] is not None and masks[0].ndim == 3:
            masks[0] = masks[0].reshape(-1, module.num_heads, *masks[0].shape[1:])[self._item]
        if masks[1] is not None and masks[1].ndim == 2:
            masks[1] = masks[1][self._item]
        masks = [~mask if mask is not None and mask.dtype == np.bool_ else mask for mask in masks]
        n, m = rows[0].shape[1], rows[1].shape[1]
        mask = _combined_mask(n, m, bool(kwargs.get("is_causal")) and masks[0] is None, *masks)
        self._record(rows[0], rows[1], rows[2], mask, None)
        return self._within(forward, query, key, value, key_padding_mask, need_weights, attn_mask, *args, **kwargs)

    # What is written

    def tensors(self) -> Dict[str, Array]:
        """What save() writes: "queries" [layers, heads, queries, d_head], "keys", "values", "mask" [queries, keys] and
        "scale" if they are the same of all layers, and otherwise "attentions" [layers, heads, queries, keys]."""
        layers = [each for each in self._layers if self._only.search(each.module)]
        if not layers:
            raise ValueError("nothing was captured: call the model inside of “with headscope.capture(…)”, and see that its "
                             "attention is nn.MultiheadAttention, scaled_dot_product_attention or a model of Transformers")
        first = layers[0]
        for each in layers:
            if each.shape() != first.shape():
                names = ", ".join(sorted({re.sub(r"\d+", "N", layer.module) for layer in layers}))
                raise ValueError(f"the attention of {first.module} has the shape {list(first.shape())}, but that of "
                                 f"{each.module} {list(each.shape())}: choose with only=… one kind of {names}")
        mask = first.mask
        if all(each.sizes() is not None and each.sizes() == first.sizes() and each.scale == first.scale
               and _are_equal(each.mask, mask) for each in layers):
            found = {name: np.stack([getattr(each, name) for each in layers]) for name in ("queries", "keys", "values")}
            found["scale"] = np.array([first.scale], np.float32)
            if mask is not None:
                found["mask"] = mask
        else:
            found = {"attentions": np.stack([each.computed_weights() for each in layers])}
        if self._hidden is not None and len(self._hidden) == len(layers) + 1:
            found["hidden_states"] = self._hidden
        return found

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes what was captured, or the part of this process."""
        path, tensors = os.fspath(path), self.tensors()
        shape = next(tensors[name] for name in ("attentions", "queries") if name in tensors).shape
        tokens = self._tokens if self._tokens is not None else [str(i) for i in range(shape[2])]
        metadata = metadata_of(tokens, self._source_tokens, self._name)
        if self._n_ranks == 1:
            write_safetensors(path, tensors, metadata)
            return
        parts = [f"{path}.part-{rank}-of-{self._n_ranks}" for rank in range(self._n_ranks)]
        write_safetensors(parts[self._rank], tensors, {**metadata, "split": self._split})
        if all(os.path.exists(each) for each in parts):
            try:
                os.close(os.open(f"{path}.joining", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
            try:
                if all(os.path.exists(each) for each in parts):
                    join(path, parts)
                    for each in parts:
                        os.remove(each)
            finally:
                os.remove(f"{path}.joining")


# The axis along which the parts of processes are joined.
_AXES = {"layers": 0, "heads": 1}


def join(path: Union[str, os.PathLike[str]], parts: Sequence[Union[str, os.PathLike[str]]]) -> None:
    """Joins the parts that the processes of a model wrote, in the order of their ranks, to one capture."""
    read = [read_safetensors(os.fspath(each)) for each in parts]
    first, metadata = read[0]
    axis = _AXES[metadata.pop("split", "layers")]
    joined = {}
    for name, tensor in first.items():
        if any(name not in tensors for tensors, _ in read):
            raise ValueError(f"a part has {name}, but another has not: the processes captured different things")
        each = [tensors[name] for tensors, _ in read]
        if name == "hidden_states" and axis == 0:  # what leaves a layer enters the next one
            joined[name] = np.concatenate([rows[:-1] for rows in each[:-1]] + [each[-1]])
        else:
            if tensor.ndim != 4 and name != "hidden_states" and not all(np.array_equal(tensor, other) for other in each):
                raise ValueError(f"the parts have different {name}s, but all layers of a capture share one")
            joined[name] = np.concatenate(each, axis) if tensor.ndim == 4 else tensor
    write_safetensors(os.fspath(path), joined, metadata)


def _place_among_ranks() -> Tuple[int, int]:
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return 0, 1


def _are_equal(a: Optional[Array], b: Optional[Array]) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _are_shares(weights: Any) -> bool:
    """Whether the rows of a tensor sum to 1, as those of attention weights do."""
    sums = weights[..., -1, :].float().sum(-1)
    return bool(((sums - 1.0).abs() < 0.05).all()) and bool((weights >= 0.0).all())
