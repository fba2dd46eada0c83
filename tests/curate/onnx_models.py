"""Two tiny ONNX models, made here: colours of a picture, and a bag of words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

_OPSET = [helper.make_opsetid("", 17)]
WORDS = ("[PAD]", "[UNK]", "when", "it", "is", "monday", "my", "cat", "dog")


def _save(graph: onnx.GraphProto, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    model = helper.make_model(graph, opset_imports=_OPSET, ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def write_picture_model(path: Path, size: int = 32) -> None:
    """Means of 8 x 8 pixels: (N, 3, size, size) to (N, 3 n n)."""
    given = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["n", 3, size, size])
    result = helper.make_tensor_value_info("features", TensorProto.FLOAT, ["n", None])
    nodes = [
        helper.make_node("AveragePool", ["pixels"], ["map"], kernel_shape=[8, 8], strides=[8, 8]),
        helper.make_node("Flatten", ["map"], ["features"], axis=1),
    ]
    _save(helper.make_graph(nodes, "pictures", [given], [result]), path)


def write_map_model(path: Path, size: int = 32) -> None:
    """The picture itself as a map of features: (N, 3, size, size)."""
    shape = ["n", 3, size, size]
    given = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, shape)
    result = helper.make_tensor_value_info("map", TensorProto.FLOAT, shape)
    nodes = [helper.make_node("Identity", ["pixels"], ["map"])]
    _save(helper.make_graph(nodes, "map", [given], [result]), path)


def write_text_model(path: Path) -> None:
    """One direction a word: ids (N, L) to (N, L, words); and tokenizer.json beside it."""
    table = np.eye(len(WORDS), dtype=np.float32)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["n", "l"])
    mask = helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["n", "l"])
    result = helper.make_tensor_value_info("states", TensorProto.FLOAT, ["n", "l", len(WORDS)])
    same = helper.make_tensor_value_info("seen", TensorProto.INT64, ["n", "l"])
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["states"]),
        helper.make_node("Identity", ["attention_mask"], ["seen"]),
    ]
    graph = helper.make_graph(
        nodes, "texts", [ids, mask], [result, same], [numpy_helper.from_array(table, "table")]
    )
    _save(graph, path)
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(path.parent / "tokenizer.json"))
