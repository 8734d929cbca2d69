"""Arrays and files that other modules of the package share."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

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
            file.writelines([len(text).to_bytes(8, "little"), text, *arrays])
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
