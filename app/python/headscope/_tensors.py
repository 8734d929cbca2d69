"""Arrays and files that other modules of the package share."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import sys
import tempfile
from typing import IO, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def is_array(value: Any) -> bool:
    """Whether a value is an array of NumPy, a tensor of PyTorch, or anything else that NumPy can read without asking."""
    return hasattr(value, "__array__")


def array_of(value: Any) -> Array:
    """The numbers of an array or a tensor, wherever and in whatever precision it is."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if value.is_floating_point():
            value = value.float()
    return np.asarray(value)


def stored(value: Any) -> Array:
    """The same in 16 bits if it has 16 bits. NumPy has no bfloat16, whose bits are returned as uint16."""
    kind = str(getattr(value, "dtype", ""))
    if kind == "torch.bfloat16":
        import torch

        return value.detach().cpu().view(torch.int16).numpy().view(np.uint16)
    return value.detach().cpu().numpy() if kind == "torch.float16" else array_of(value)


def of_one_type(arrays: Sequence[Array]) -> List[Array]:
    """What stored() returned, of one type: the bits of bfloat16 are decoded beside other types."""
    if all(each.dtype == arrays[0].dtype for each in arrays):
        return list(arrays)
    return [(each.astype(np.uint32) << 16).view(np.float32) if each.dtype == np.uint16 else each for each in arrays]


def pandas() -> Optional[Any]:
    """The module pandas, if it is there and works."""
    try:
        import pandas as module
    except ImportError:
        return None
    return module


def in_notebook() -> bool:
    """Whether what a cell returns is displayed as HTML."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


_TYPES = {"F32": np.dtype(np.float32), "BOOL": np.dtype(np.bool_), "F16": np.dtype(np.float16),
          "BF16": np.dtype(np.uint16)}


def _name_of_type(array: Array) -> str:
    return next((name for name, kind in _TYPES.items() if kind == array.dtype), "F32")


@contextlib.contextmanager
def replacing(path: Union[str, os.PathLike[str]]) -> Iterator[IO[bytes]]:
    """A file beside another one, which it replaces when it is whole."""
    path = os.fspath(path)
    mask = os.umask(0)
    os.umask(mask)
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(path) or ".", prefix=".headscope-", delete=False) as file:
        try:
            yield file
            file.flush()
            os.chmod(file.name, 0o666 & ~mask)
            os.replace(file.name, path)
        except BaseException:
            os.remove(file.name)
            raise


def write_safetensors(path: str, tensors: Mapping[str, Array], metadata: Mapping[str, str]) -> None:
    """Writes what stored() returns, booleans, and everything else as float32. A killed process leaves no half of a file."""
    header: Dict[str, Any] = {"__metadata__": dict(metadata)}
    end = 0
    for name, array in tensors.items():
        kind = _name_of_type(array)
        size = array.size * _TYPES[kind].itemsize
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with replacing(path) as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            file.write(np.ascontiguousarray(array, _TYPES[_name_of_type(array)]).data)


def read_safetensors(path: str) -> Tuple[Dict[str, Array], Dict[str, str]]:
    """The tensors that write_safetensors() wrote, mapped and not read, and the metadata."""
    with open(path, "rb") as file:
        start = file.read(8)
        length = int.from_bytes(start, "little")
        if len(start) < 8 or length > os.path.getsize(path) - 8:
            raise ValueError(f"{path} is no whole safetensors file")
        header = json.loads(file.read(length))
    metadata = header.pop("__metadata__", {})
    data = np.memmap(path, np.uint8, "r", 8 + length)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = data[begin:end].view(_TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors, metadata


class Folder(contextlib.ExitStack):
    """A temporary folder, which is made when something is written into it."""

    _made: Optional[str] = None

    def new_file(self, extension: str) -> str:
        if self._made is None:
            self._made = self.enter_context(tempfile.TemporaryDirectory(prefix="headscope-"))
        return os.path.join(self._made, f"{len(os.listdir(self._made))}.{extension}")


def words_of(options: Mapping[str, Any], folder: Folder) -> List[str]:
    """Options of the command line, given as keyword arguments. `line_share=0.9` is --line-share 0.9, `True` is an option
    without a value, a list repeats its option, and an array becomes a file in `folder`."""
    words: List[str] = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or name == "against":
            continue
        if isinstance(value, Mapping):
            words += [f"{option}={key}={'@' + _saved(each, folder) if is_array(each) else each}"
                      for key, each in value.items()]
        elif isinstance(value, (list, tuple)):
            for each in value:
                words += words_of({name: each}, folder)
        elif isinstance(value, bool):
            words.append(option if value else f"{option}=false")
        else:
            text = str(_saved(value, folder) if is_array(value) else value)
            words += [f"{option}={text}"] if text else [option, text]
    against = options.get("against") or ()
    for each in [against] if isinstance(against, Mapping) else against:
        words += ["--against", *words_of(each, folder)]
    return words


def _saved(value: Any, folder: Folder) -> Any:
    array = array_of(value)
    if array.ndim == 0:
        return array.item()
    path = folder.new_file("npy")
    np.save(path, array if array.dtype == np.bool_ else array.astype(np.float32))
    return path
