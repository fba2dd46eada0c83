"""Luminance and contrast as WCAG publishes them, and pictures kept within bounds."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from memeloc.model import Template
from memeloc.render import background
from memeloc.render.background import (
    Backgrounds,
    Canvases,
    as_image,
    contrast,
    load_background,
    relative_luminance,
)
from tests.each import each


def template(path: Path, name: str = "t") -> Template:
    return Template(name, path, ())


@each(
    ("fill", "other", "ratio"),
    [
        # Pairs whose ratio WCAG's techniques and WebAIM's checker give.
        ("#000000", "#ffffff", 21.0),
        ("#777777", "#ffffff", 4.48),
        ("#767676", "#ffffff", 4.54),
        ("#ff0000", "#ffffff", 4.00),
        ("#0000ff", "#ffffff", 8.59),
        ("#008000", "#ffffff", 5.14),
        ("#ffff00", "#000000", 19.56),
        ("#123456", "#123456", 1.0),
    ],
)
def test_contrast_is_wcags(fill: str, other: str, ratio: float) -> None:
    measured = contrast(relative_luminance(fill), relative_luminance(other))
    assert measured == pytest.approx(ratio, abs=0.006)
    assert measured == contrast(relative_luminance(other), relative_luminance(fill))


def test_pictures_used_long_ago_are_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.new("RGB", (100, 100)).save(tmp_path / "a.png")
    monkeypatch.setattr(background, "BUDGET", 100_000)  # two of them
    backgrounds = Backgrounds()
    first = backgrounds.get(template(tmp_path / "a.png", "t0"))
    assert backgrounds.get(template(tmp_path / "a.png", "t0")) is first
    for number in range(1, 4):
        backgrounds.get(template(tmp_path / "a.png", f"t{number}"))
    assert backgrounds.get(template(tmp_path / "a.png", "t0")) is not first


def test_memory_is_reused_only_when_nobody_holds_it(tmp_path: Path) -> None:
    Image.new("RGB", (10, 10), "#102030").save(tmp_path / "a.png")
    scene = load_background(template(tmp_path / "a.png"), None)
    canvases = Canvases()
    held = [canvases.canvas_of(scene) for _ in range(3)]
    for number, canvas in enumerate(held):
        canvas.rows(0, 10).fill(number)
    assert [int(canvas.pixels[3, 3]) for canvas in held] == [0, 1, 2]
    place = canvas.strip().ctypes.data
    image = as_image(canvas.pixels)
    del held, canvas
    again = canvases.canvas_of(scene)
    again.rows(0, 10).fill(9)
    assert again.strip().ctypes.data == place
    assert image.getpixel((3, 3)) == (2, 0, 0)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["one", "other", "wide"]),
            st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted), max_size=3),
        ),
        max_size=8,
    )
)
def test_a_canvas_shows_its_ground_whatever_was_painted_before(
    painted: list[tuple[str, list[list[int]]]],
) -> None:
    noise = np.random.default_rng(5)
    scenes = {
        name: background.Background(noise.integers(0, 1 << 32, (30, width), np.uint32))
        for name, width in (("one", 20), ("other", 20), ("wide", 21))
    }
    canvases = Canvases()
    for name, touched in painted:
        canvas = canvases.canvas_of(scenes[name])
        assert canvas.background is scenes[name]
        assert (canvas.pixels == scenes[name].pixels).all()
        expected = scenes[name].pixels.copy()
        for number, (first, after) in enumerate(touched):
            canvas.rows(first, after).fill(number)
            expected[first:after] = number
        assert (canvas.pixels == expected).all()
        spans = sorted(canvas.bands)
        assert all(before[1] <= span[0] for before, span in itertools.pairwise(spans))
        rows = [row for first, after in spans for row in range(first, after)]
        assert (canvas.strip() == expected[rows]).all()
