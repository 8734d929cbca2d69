"""Captures the attention of any model of PyTorch while it runs."""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import sys
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._tensors import Array, array_of, of_one_type, read_safetensors, stored, write_safetensors


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


def _combined_mask(n_queries: int, n_keys: int, *masks: Any) -> Optional[Array]:
    """Masks whose True means “may attend”, or that are added, as one of either kind. None if nothing is hidden."""
    allowed: Any = None
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


class _Running(threading.local):
    """What a thread runs of the watched model. Other models and other threads, and what is computed again for the
    gradients, are not recorded."""

    def __init__(self) -> None:
        self.depth = 0
        self.is_within = False  # an attention function, whose own calls of others are not recorded again
        self.inside: List[Tuple[str, int]] = []  # the modules, with the number of layers recorded before each


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
                    "heads" of each layer. Without it, each runs the whole model, and rank 0 alone writes the file
    run             a name that the processes of one run share; the default is MASTER_ADDR and MASTER_PORT

    With `split`, every process writes a part beside the file, and one of them joins the parts. Where they have no folder
    in common, join() does it.
    """

    def __init__(self, model: Any, path: Union[str, os.PathLike[str], None] = None, *, tokenizer: Any = None,
                 tokens: Optional[Sequence[str]] = None, source_tokens: Optional[Sequence[str]] = None,
                 name: Optional[str] = None, item: int = 0, only: Optional[str] = None, rank: Optional[int] = None,
                 n_ranks: Optional[int] = None, split: Optional[str] = None, run: Optional[str] = None):
        if not hasattr(model, "named_modules"):
            raise ValueError(f"a {type(model).__name__} cannot be watched: give a torch.nn.Module")
        if split is not None and split not in _AXES:
            raise ValueError(f"split is “{split}”, but processes share layers or heads")
        if (rank is None) != (n_ranks is None):
            raise ValueError("rank and n_ranks are given together, or neither of them")
        self._waits = rank is None
        self._rank, self._n_ranks = _place_among_ranks() if rank is None or n_ranks is None else (rank, n_ranks)
        if not 0 <= self._rank < self._n_ranks:
            raise ValueError(f"there is no rank {self._rank} of {self._n_ranks}: they count from 0")
        self._model, self._path = model, None if path is None else os.fspath(path)
        self._tokenizer, self._tokens, self._source_tokens = tokenizer, tokens, source_tokens
        self._name = name or getattr(model, "name_or_path", "") or type(model).__name__
        self._item, self._only, self._split = item, None if only is None else re.compile(only), split
        environment = (os.environ.get(each, "") for each in ("MASTER_ADDR", "MASTER_PORT"))
        self._run = ":".join(environment) if run is None else run
        self._undo: List[Callable[[], None]] = []
        self._running = _Running()
        self._clear()

    def _clear(self) -> None:
        self._layers: List[_Layer] = []
        self._returned: Dict[str, List[_Layer]] = {}  # by what the model calls them
        self._hidden: Optional[Array] = None
        self._texts: Dict[str, List[str]] = {}  # of input_ids and decoder_input_ids

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
            if name:
                enter = module.register_forward_pre_hook(functools.partial(self._enter, name))
                leave = module.register_forward_hook(functools.partial(self._leave, name))
                self._undo += [enter.remove, leave.remove]
            if isinstance(module, torch.nn.MultiheadAttention):
                self._replace(module, "forward", functools.partial(self._multi_head, module))
            elif hasattr(module, "activation_relu_or_gelu"):
                # The fused pass of nn.TransformerEncoderLayer does not call its attention.
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

    def _enter(self, name: str, *_: Any) -> None:
        if self._running.depth:
            self._running.inside.append((name, len(self._layers)))

    def _leave(self, name: str, _module: Any, _inputs: Any, output: Any) -> None:
        running, before = self._running, -1
        while running.depth and running.inside:  # A module that raised an error was not left.
            left, before = running.inside.pop()
            if left == name:
                break
        if before < 0 or running.is_within or not isinstance(output, tuple) or len(self._layers) > before:
            return
        for each in output[1:]:
            if getattr(each, "ndim", 0) == 4 and each.is_floating_point() and _are_shares(each):
                self._layers.append(_Layer(name, np.array(stored(each[self._item]))))
                return

    def _whole(self, forward: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        running = self._running
        if running.depth:
            return forward(*args, **kwargs)
        self._clear()
        parameters = inspect.signature(forward).parameters
        given = {**dict(zip(parameters, args)), **kwargs}
        config = getattr(self._model, "config", None)
        if config is not None and getattr(config, "_attn_implementation", None) in (None, "eager"):
            passes_on = any(each.kind == each.VAR_KEYWORD for each in parameters.values())
            for name in ("output_attentions", "output_hidden_states", "return_dict"):
                if name not in given and (name in parameters or passes_on and hasattr(config, "output_attentions")):
                    kwargs[name] = True
        running.depth, running.is_within, running.inside = 1, False, [("", 0)]
        try:
            output = forward(*args, **kwargs)
            self._leave("", self._model, args, output)
        finally:
            running.depth = 0
        for name, ids in (("input_ids", given.get("input_ids", args[0] if args else None)),
                          ("decoder_input_ids", given.get("decoder_input_ids"))):
            if getattr(ids, "ndim", 0) == 2 and not ids.is_floating_point():
                row = ids[self._item].tolist()
                self._texts[name] = (self._tokenizer.convert_ids_to_tokens(row) if self._tokenizer
                                     else [str(each) for each in row])
        for name in ("attentions", "decoder_attentions", "cross_attentions", "encoder_attentions"):
            weights = getattr(output, name, None)
            if isinstance(weights, tuple):
                self._returned[name] = [_Layer(f"{name}.{i}", np.array(stored(each[self._item])))
                                        for i, each in enumerate(weights) if getattr(each, "ndim", 0) == 4]
        hidden = getattr(output, "hidden_states", None)
        if isinstance(hidden, tuple) and all(getattr(each, "ndim", 0) == 3 for each in hidden):
            self._hidden = np.stack([array_of(each[self._item]) for each in hidden])
        return output

    def _record(self, rows: Sequence[Any], mask: Optional[Array], scale: Optional[float]) -> None:
        """Records queries, keys and values [heads, tokens, width] of the text. The arrays are copies, as a model may go on
        in the same memory."""
        queries, keys, values = (np.array(array_of(each)) for each in rows)
        self._layers.append(_Layer(self._running.inside[-1][0], None, queries, keys, values, scale, mask))

    def _is_recording(self) -> bool:
        return self._running.depth > 0 and not self._running.is_within

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
        array = np.array(array_of(mask))
        return array[0] if array.ndim == 3 and array.shape[0] == 1 else array

    def _within(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls a function whose own calls of attention functions are not recorded again."""
        running = self._running
        before, running.is_within = running.is_within, True
        try:
            return function(*args, **kwargs)
        finally:
            running.is_within = before

    def _scaled_dot_product(self, function: Callable[..., Any], query: Any, key: Any, value: Any, attn_mask: Any = None,
                            dropout_p: float = 0.0, is_causal: bool = False, **kwargs: Any) -> Any:
        if self._is_recording():
            rows = self._rows_of(query, key, value)
            n, m = query.shape[-2], key.shape[-2]
            causal = np.tri(n, m, dtype=np.bool_) if is_causal else None
            mask = _combined_mask(n, m, causal, self._row_of_mask(attn_mask, max(query.ndim, 3)))
            self._record(rows, mask, kwargs.get("scale"))
        return self._within(function, query, key, value, attn_mask, dropout_p, is_causal, **kwargs)

    def _function(self, function: Callable[..., Any], module: Any, query: Any, key: Any, value: Any,
                  attention_mask: Any = None, *args: Any, **kwargs: Any) -> Any:
        """An attention function of Transformers."""
        if self._is_recording():
            given = {**dict(zip(list(inspect.signature(function).parameters)[5:], args)), **kwargs}
            for name in ("softcap", "s_aux", "sinks"):
                if given.get(name) is not None:
                    raise ValueError(f"attention with {name} has other weights than the softmax of its scores, and cannot "
                                     "be captured: load the model with attn_implementation=\"eager\"")
            if attention_mask is not None and not hasattr(attention_mask, "detach"):
                raise ValueError(f"a mask that is a {type(attention_mask).__name__} cannot be captured: load the model with "
                                 "attn_implementation=\"eager\" or \"sdpa\"")
            n, m = query.shape[-2], key.shape[-2]
            causal = near = mask = None
            if getattr(attention_mask, "ndim", 0) == 4:
                mask = self._row_of_mask(attention_mask[..., :m])
            else:
                if attention_mask is not None:  # 1 for tokens that are no padding
                    mask = array_of(attention_mask[self._item])[..., :m].astype(np.bool_)
                is_causal = given.get("is_causal")
                if getattr(module, "is_causal", True) if is_causal is None else is_causal:
                    causal = np.tri(n, m, m - n, dtype=np.bool_)
                if given.get("sliding_window"):
                    near = ~np.tri(n, m, m - n - given["sliding_window"], dtype=np.bool_)
            self._record(self._rows_of(query, key, value), _combined_mask(n, m, causal, mask, near), given.get("scaling"))
        return self._within(function, module, query, key, value, attention_mask, *args, **kwargs)

    def _multi_head(self, module: Any, forward: Callable[..., Any], query: Any, key: Any, value: Any,
                    key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None, *args: Any,
                    **kwargs: Any) -> Any:
        """An nn.MultiheadAttention, in whose boolean masks True hides."""
        if not self._is_recording():
            return forward(query, key, value, key_padding_mask, need_weights, attn_mask, *args, **kwargs)
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
        masks = [None if mask is None else np.array(array_of(mask)) for mask in (attn_mask, key_padding_mask)]
        if masks[0] is not None and masks[0].ndim == 3:
            masks[0] = masks[0].reshape(-1, module.num_heads, *masks[0].shape[1:])[self._item]
        if masks[1] is not None and masks[1].ndim == 2:
            masks[1] = masks[1][self._item]
        masks = [~mask if mask is not None and mask.dtype == np.bool_ else mask for mask in masks]
        n, m = rows[0].shape[1], rows[1].shape[1]
        is_causal = kwargs.get("is_causal", args[1] if len(args) > 1 else False)
        causal = np.tri(n, m, dtype=np.bool_) if is_causal and masks[0] is None else None
        self._record(rows, _combined_mask(n, m, causal, *masks), None)
        return self._within(forward, query, key, value, key_padding_mask, need_weights, attn_mask, *args, **kwargs)

    # What is written

    def _chosen(self) -> List[_Layer]:
        """The layers that `only` chooses among the modules, or else among what the model returned. Without it, the model's
        own attention: that of the decoder if it has two stacks."""
        returned = [each for layers in self._returned.values() for each in layers]
        if self._only is not None:
            only = self._only
            return [each for each in self._layers if only.search(each.module)] or [
                each for each in returned if only.search(each.module)]
        own = self._returned.get("attentions") or self._returned.get("decoder_attentions") or []
        are_same = [each.shape() for each in own] == [each.shape() for each in self._layers]
        return own if own and not are_same else self._layers

    def _labels(self, module: str, n: int, m: int) -> Tuple[Sequence[str], Optional[Sequence[str]]]:
        """The texts of the queries and keys of a module, as far as they are known, and those of the keys only if they are
        others."""
        texts, source = self._texts.get("input_ids", []), self._source_tokens
        has_two = getattr(getattr(self._model, "config", None), "is_encoder_decoder", False)
        is_cross = re.search("cross|encoder_attn|encdec|decoder.*multihead_attn", module.lower()) is not None
        if is_cross and source is None:
            source = texts if len(texts) == m else [str(i) for i in range(m)]
        if re.match(r"cross|(.*\.)?decoder", module):
            texts = self._texts.get("decoder_input_ids", [] if has_two or is_cross else texts)
        texts = texts if len(texts) == n else [str(i) for i in range(n)]
        return self._tokens if self._tokens is not None else texts, source

    def tensors(self) -> Dict[str, Array]:
        """What save() writes: "queries" [layers, heads, queries, d_head], "keys", "values", "mask" [queries, keys] and
        "scale" if they are the same of all layers, and otherwise "attentions" [layers, heads, queries, keys]."""
        layers = self._chosen()
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
            found = {"attentions": np.stack(of_one_type([each.computed_weights() for each in layers]))}
        if self._hidden is not None and len(self._hidden) == len(layers) + 1:
            found["hidden_states"] = self._hidden
        return found

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes what was captured, or the part of this process."""
        if self._split is None and self._rank > 0:
            return
        path = os.fspath(path)
        if self._split is None or self._n_ranks == 1:
            self._write(path, {})
            return
        count = _saves[path] = _saves.get(path, 0) + 1
        run = f"{self._run} {count}"
        parts = [f"{path}.{count}.part-{rank}-of-{self._n_ranks}" for rank in range(self._n_ranks)]
        distributed = _distributed() if self._waits else None
        try:
            self._write(parts[self._rank], {"split": self._split, "run": run})
        finally:
            if distributed is not None:  # also after an error, so that the others do not wait for ever
                distributed.barrier()
        if (distributed is None or self._rank == 0) and all(_is_part_of(run, each) for each in parts):
            _join_once(path, parts)

    def _write(self, path: str, more: Dict[str, str]) -> None:
        tensors, first = self.tensors(), self._chosen()[0]
        metadata = metadata_of(*self._labels(first.module, *first.shape()[1:]), self._name)
        write_safetensors(path, tensors, {**metadata, **more})


# The axis along which the parts of processes are joined.
_AXES = {"layers": 0, "heads": 1}

_saves: Dict[str, int] = {}  # how often this process has written a part of a file


def _is_part_of(run: str, path: str) -> bool:
    """Whether a part is there and of this run, and not left by another one, whose process will not write it again."""
    try:
        return read_safetensors(path)[1].get("run") == run
    except FileNotFoundError:
        return False


def _join_once(path: str, parts: List[str]) -> None:
    """Joins the parts, unless another process does it: only one can rename the first part."""
    taken = f"{parts[0]}.joining"
    try:
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


def join(path: Union[str, os.PathLike[str]], parts: Sequence[Union[str, os.PathLike[str]]]) -> None:
    """Joins the parts that the processes of a model wrote, in the order of their ranks, to one capture."""
    read = [read_safetensors(os.fspath(each)) for each in parts]
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
        if name == "hidden_states" and axis == 0:  # what leaves a layer enters the next one
            joined[name] = np.concatenate([rows[:-1] for rows in each[:-1]] + [each[-1]])
        elif tensor.ndim == 4 and name != "mask" and name != "hidden_states":
            joined[name] = np.concatenate(each, axis)
        elif all(np.array_equal(tensor, other) for other in each) and tensor.ndim < 3:
            joined[name] = tensor
        elif name == "mask" and axis == 1:
            joined[name] = np.concatenate([np.broadcast_to(mask, (tensors["queries"].shape[1], *mask.shape[-2:]))
                                           for mask, (tensors, _) in zip(each, read)])
        elif all(np.array_equal(tensor, other) for other in each):
            joined[name] = tensor
        else:
            raise ValueError(f"the parts have a different “{name}”, but all layers of a capture share one")
    write_safetensors(os.fspath(path), joined,
                      {name: value for name, value in metadata.items() if name not in ("split", "run")})


def _distributed() -> Any:
    """torch.distributed, if it is in use."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    return distributed if distributed is not None and distributed.is_available() and distributed.is_initialized() else None


def _place_among_ranks() -> Tuple[int, int]:
    distributed = _distributed()
    return (0, 1) if distributed is None else (distributed.get_rank(), distributed.get_world_size())


def _are_equal(a: Optional[Array], b: Optional[Array]) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _are_shares(weights: Any) -> bool:
    """Whether the rows of a tensor sum to 1, as those of attention weights do."""
    sums = weights[..., -1, :].float().sum(-1)
    return bool(((sums - 1.0).abs() < 0.05).all()) and bool((weights >= 0.0).all())
