"""Backgrounds come back: plain ones exactly, others about as well as can be guessed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from PIL import Image

from memeloc.errors import InputError
from memeloc.localise.protocol import Restorer
from memeloc.localise.restoring import Auto, Laplace, NavierStokes, Telea, make_restorer
from memeloc.localise.texts import find_texts, mask_of
from tests.localise.drawn import EN, SIZE, box, drawn, gradient, plain, psnr, stripes

TEXT = "when the build passes // on the first try"


def whitening_model(path: Path, channels: int = 1) -> Path:
    """A model that paints what is masked in white: picture * (1 - mask) + mask."""
    picture = helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 3, "h", "w"])
    mask = helper.make_tensor_value_info("mask", TensorProto.FLOAT, [1, channels, "h", "w"])
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, 3, "h", "w"])
    one = helper.make_tensor("one", TensorProto.FLOAT, [1], [1.0])
    nodes = [
        helper.make_node("Sub", ["one", "mask"], ["rest"]),
        helper.make_node("Mul", ["picture", "rest"], ["kept"]),
        helper.make_node("Add", ["kept", "mask"], ["out"]),
    ]
    graph = helper.make_graph(nodes, "white", [picture, mask], [out], [one])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("name", ["auto", "laplace", "telea", "navier-stokes", "onnx"])
def test_every_restorer_keeps_its_contract(name: str, tmp_path: Path) -> None:
    if name == "onnx":
        name = str(whitening_model(tmp_path / "white.onnx"))
    restorer: Restorer = make_restorer(name)
    picture = np.asarray(stripes())
    mask = np.zeros(picture.shape[:2], bool)
    mask[40:60, 50:200] = True
    before = picture.copy()
    restored = restorer.restore(picture, mask)
    assert restored.shape == picture.shape
    assert restored.dtype == np.uint8
    assert (restored[~mask] == picture[~mask]).all()
    assert (picture == before).all()
    assert (restored[mask] != picture[mask]).any()
    assert (restorer.restore(picture, mask) == restored).all()
    nothing = restorer.restore(picture, np.zeros_like(mask))
    assert (nothing == picture).all()


def test_an_onnx_model_paints_what_is_masked(tmp_path: Path) -> None:
    restorer = make_restorer(str(whitening_model(tmp_path / "white.onnx")))
    picture = np.asarray(stripes())
    mask = np.zeros(picture.shape[:2], bool)
    mask[100:140, 50:200] = True
    assert (restorer.restore(picture, mask)[mask] >= 250).all()


def test_a_model_that_takes_no_mask_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not take a picture"):
        make_restorer(str(whitening_model(tmp_path / "two.onnx", channels=3)))
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    with pytest.raises(InputError, match="not an ONNX model"):
        make_restorer(str(tmp_path / "broken.onnx"))
    with pytest.raises(InputError, match="no such model"):
        make_restorer(str(tmp_path / "none.onnx"))
    with pytest.raises(InputError, match="Did you mean 'telea'"):
        make_restorer("tela")


def test_a_plain_background_is_exact(tmp_path: Path) -> None:
    meme = drawn(plain(), "two melons", box(kind="bubble"), folder=tmp_path)
    mask = mask_of(find_texts(meme.meme, meme.lines, EN), SIZE)
    assert (Auto().restore(meme.meme, mask) == meme.clean).all()


def test_a_smooth_background_comes_back_at_30_decibels(tmp_path: Path) -> None:
    meme = drawn(gradient(), TEXT, folder=tmp_path, quality=90)
    mask = mask_of(find_texts(meme.meme, meme.lines, EN), SIZE)
    assert psnr(Auto().restore(meme.meme, mask), meme.clean, meme.letters) >= 30


def test_stripes_are_nearer_than_teleas_with_the_true_mask(tmp_path: Path) -> None:
    meme = drawn(stripes(), TEXT, folder=tmp_path, quality=90)
    mask = mask_of(find_texts(meme.meme, meme.lines, EN), SIZE)
    best = psnr(Telea().restore(meme.meme, meme.letters), meme.clean, meme.letters)
    assert psnr(Auto().restore(meme.meme, mask), meme.clean, meme.letters) >= best + 6


def test_light_that_falls_off_leaves_no_ghosts_of_letters(tmp_path: Path) -> None:
    bubble = np.repeat(np.linspace(236, 222, SIZE[1])[:, None], SIZE[0], axis=1)
    ground = Image.fromarray(np.dstack([bubble, bubble - 12, bubble]).astype(np.uint8))
    meme = drawn(ground, "two melons", box(kind="bubble"), folder=tmp_path)
    mask = mask_of(find_texts(meme.meme, meme.lines, EN), SIZE)
    assert np.abs(Auto().restore(meme.meme, mask).astype(int) - meme.clean).max() <= 2


@pytest.mark.parametrize("ground", [gradient(), stripes()])
def test_laplace_is_nearer_than_opencvs_ways(ground: Image.Image, tmp_path: Path) -> None:
    meme = drawn(ground, TEXT, folder=tmp_path, quality=90)
    mask = mask_of(find_texts(meme.meme, meme.lines, EN), SIZE)
    ours, *others = (
        psnr(way.restore(meme.meme, mask), meme.clean, meme.letters)
        for way in (Laplace(), NavierStokes(), Telea())
    )
    assert ours > max(others)


@pytest.mark.parametrize("shape", [(1, 5), (2, 2), (7, 1), (100, 3)])
def test_laplace_takes_pictures_of_any_shape(shape: tuple[int, int]) -> None:
    picture, mask = np.full((*shape, 3), 77, np.uint8), np.ones(shape, bool)
    mask[0, -1] = False
    assert (Laplace().restore(picture, mask) == 77).all()
