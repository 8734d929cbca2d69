"""What notebooks and the window show."""

from __future__ import annotations

import html
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from typing import Any, Optional, Sequence

import numpy as np

from . import _core
from ._capture import Array, array_of, metadata_of, of_one_type, write_safetensors
from ._model import Figure, Patches, Trace, load, new_folder, words_of


class View:
    """A trace as a notebook shows it: the live page of the program, or a figure where the page is not built."""

    def __init__(self, trace: Trace, height: int, options: Any):
        self.trace, self._height, self._options = trace, height, options

    def _repr_html_(self) -> str:
        figure = Figure(self.trace, self._options)
        try:
            page = figure.data("html").decode()
        except (RuntimeError, ValueError):
            return figure.data("svg").decode()
        # The page needs nothing of the notebook, in whose origin it would run without the sandbox.
        return (f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: {self._height}px; border: 0" '
                'sandbox="allow-scripts allow-downloads" allow="clipboard-write" title="Headscope"></iframe>')

    def open(self) -> subprocess.Popen:  # type: ignore[type-arg]
        """Opens the window on it, without waiting for the end of the window."""
        if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            raise RuntimeError("there is no display here: use a notebook, or write a figure with .figure().save(…)")
        built = os.path.join(os.path.dirname(_core.__file__), "..", "..", "headscope")
        program = shutil.which("headscope") or (built if os.path.isfile(built) else None)
        if program is None:
            raise RuntimeError("headscope is not on the PATH: add a checkout's .build/release, install it, or use a notebook")
        folder = new_folder()
        scene = os.path.join(folder.name, "shown.headscope")
        self.trace._pass.save_scene(scene, words_of(self._options, folder.name))
        window = subprocess.Popen([program, scene, *words_of({"page": self._options.get("page")}, folder.name)])
        # The scene names the files of the model, so both folders stay as long as the window, for which a script waits.
        threading.Thread(target=lambda *_: window.wait(), args=(folder, self)).start()
        return window


def show(what: Any, tokens: Optional[Sequence[str]] = None, *, source_tokens: Optional[Sequence[str]] = None,
         name: str = "attention", item: int = 0, height: int = 720, **options: Any) -> Optional[View]:
    """Shows a trace, a patch, or attention weights: in a notebook as the cell's result, elsewhere in the window.

    Attention weights are one tensor [layers, heads, queries, keys], or what Transformers returns with
    output_attentions=True: a tensor [batch, heads, queries, keys] for each layer, of which `item` of the batch is shown.
    `tokens` are the texts of the queries, and `source_tokens` those of the keys if they belong to another text. `options`
    are those of `headscope render`, such as page="lines", layer=3, head=5."""
    if isinstance(what, Patches):
        what, options = what.trace, {"page": "compare", **options}
    if not isinstance(what, Trace):
        if tokens is None:
            raise ValueError("attention weights are shown with their tokens: show(attention, tokens)")
        what = trace_of(what, tokens, source_tokens, name, item)
    view = View(what, height, options)
    ipython = sys.modules.get("IPython")
    if ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None:
        return view
    view.open()
    return None


def trace_of(attention: Any, tokens: Sequence[str], source_tokens: Optional[Sequence[str]] = None,
             name: str = "attention", item: int = 0) -> Trace:
    """Attention weights as show() takes them, as the trace of a capture."""
    folder = new_folder()
    model = load(write_attention(folder.name, attention, tokens, source_tokens, name, item))
    model._keeps = folder
    return model.run()


def write_attention(folder: str, attention: Any, tokens: Sequence[str], source_tokens: Optional[Sequence[str]], name: str,
                    item: int) -> str:
    path = os.path.join(folder, "attention.safetensors")
    write_safetensors(path, {"attentions": layers_of(attention, item)}, metadata_of(tokens, source_tokens, name))
    return path


class connect:
    """The window of this user that was started with `headscope --listen`."""

    def __init__(self, path: Optional[str] = None):
        self._path = path or _core.window_socket()
        self._ask({})

    def push(self, attention: Any, tokens: Sequence[str], *, source_tokens: Optional[Sequence[str]] = None,
             name: str = "attention", item: int = 0) -> None:
        """Shows attention weights, as show() takes them, in the window. Layer, head and page stay as they are selected
        there. What is pushed of the same tokens, for every step of a training loop, say, is one subject: the window
        follows the newest, and a time line looks back by the names. It keeps up to 48 steps, evenly spread over all that
        were pushed, or as many as take 512 MiB."""
        with new_folder() as folder:
            problem = self._ask({"path": write_attention(folder, attention, tokens, source_tokens, name, item)})
        if problem:
            raise ValueError(problem)

    def _ask(self, message: Any) -> str:
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.settimeout(60.0)
                connection.connect(self._path)
                connection.sendall(json.dumps(message).encode() + b"\n")
                answer = b"".join(iter(lambda: connection.recv(4096), b"")).decode()
            except socket.timeout as error:
                raise RuntimeError(f"the window that listens on {self._path} does not answer") from error
            except OSError as error:
                raise RuntimeError(f"no window listens on {self._path}: start one with “headscope --listen”") from error
        if not answer.endswith("\n"):
            raise RuntimeError(f"the window that listens on {self._path} closed the connection without an answer")
        return answer.strip()


def layers_of(attention: Any, item: int = 0) -> Array:
    """Attention weights as [layers, heads, queries, keys]."""
    if isinstance(attention, (list, tuple)):
        layers = [array_of(each, in_16_bits=True) for each in attention if each is not None]
        if not layers:
            raise ValueError("the model returned no attention weights: load it with attn_implementation=\"eager\" and "
                             "call it with output_attentions=True, or use headscope.capture(), which needs neither")
        return np.stack(of_one_type([each[item] if each.ndim == 4 else each for each in layers]))
    array = array_of(attention, in_16_bits=True)
    array = array[:, item] if array.ndim == 5 else array
    if not 2 <= array.ndim <= 4:
        raise ValueError(f"attention weights have the axes [layers, heads, queries, keys], not {array.ndim} axes")
    return array[(None,) * (4 - array.ndim)]


def head_view(attention: Any = None, tokens: Optional[Sequence[str]] = None, *, layer: Optional[int] = None,
              heads: Optional[Sequence[int]] = None, **options: Any) -> None:
    """BertViz's call: lines between the tokens, from the heads of a layer. With cross_attention, encoder_tokens and
    decoder_tokens, the attention of a decoder to a source."""
    picked = ",".join(f"{layer or 0}.{head}" for head in heads) if heads else None
    _bertviz(attention, tokens, page="lines", layer=layer or 0, picked_heads=picked, **options)


def model_view(attention: Any = None, tokens: Optional[Sequence[str]] = None, **options: Any) -> None:
    """BertViz's call: every head of every layer at once."""
    _bertviz(attention, tokens, page="heads", **options)


def _bertviz(attention: Any, tokens: Optional[Sequence[str]], *, encoder_attention: Any = None,
             decoder_attention: Any = None, cross_attention: Any = None, encoder_tokens: Optional[Sequence[str]] = None,
             decoder_tokens: Optional[Sequence[str]] = None, include_layers: Optional[Sequence[int]] = None,
             prettify_tokens: bool = True, sentence_b_start: Optional[int] = None, html_action: str = "view",
             **options: Any) -> None:
    """Tokens are shown as words in any case."""
    if sentence_b_start is not None or html_action != "view":
        raise ValueError("Headscope has no options like BertViz's sentence_b_start and html_action")
    if cross_attention is not None:
        options["source_tokens"] = encoder_tokens
    given = ((cross_attention, decoder_tokens), (attention, tokens), (encoder_attention, encoder_tokens),
             (decoder_attention, decoder_tokens))
    attention, tokens = next((each for each in given if each[0] is not None), (None, None))
    if include_layers is not None:
        attention = [attention[layer] for layer in include_layers]
    view = show(attention, tokens, **options)
    if view is not None:
        from IPython.display import display

        display(view)
