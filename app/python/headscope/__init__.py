"""Headscope in Python: every stage of every attention head as a NumPy array, without files and without copies.

    import headscope

    m = headscope.load("stories")          # a bundled model, a folder, a GGUF file, a module of PyTorch
    t = m.run("The cat sat on the mat")
    t.pattern[2, 0]                        # [queries, keys], of layer 2, head 0
    print(t.explain("decoder.layers.2.self.heads.0.weights", "mat", "cat"))
    headscope.show(t)                      # in a notebook the live page, elsewhere the window

Rows are queries, columns are keys; layers, heads and tokens count from 0. Wrong arguments raise ValueError, and names
that a pass lacks KeyError, with the sentence that the program says; what fails otherwise is a RuntimeError.
"""

from ._capture import capture, join
from ._model import Explanation, Figure, Model, Patches, Tables, Trace, load
from ._show import View, connect, head_view, model_view, show

__all__ = ["Explanation", "Figure", "Model", "Patches", "Tables", "Trace", "View", "capture", "connect", "head_view", "join",
           "load", "model_view", "show"]
