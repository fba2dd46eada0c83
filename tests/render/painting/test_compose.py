"""Blending is held by the same sums in floating point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memeloc.render.painting.compose import Compositor, Ink, rgb

colours = st.integers(0, 0xFFFFFF).map(lambda value: f"#{value:06x}") | st.sampled_from(
    ["#ffffff", "#FFFFFF", "#000000"]
)


def reference(
    pixels: NDArray[np.uint32], planes: NDArray[np.uint8], fill: str, outline: str
) -> NDArray[np.float64]:
    """background * (1 - o) + outline * (o - f) + fill * f, by channel."""
    channels = pixels.view(np.uint8).reshape(*pixels.shape, 4)[..., :3].astype(float)
    around = planes[..., :1] / 255
    letter = planes[..., -1:] / 255
    colour = (around - letter) * np.array(rgb(outline)) + letter * np.array(rgb(fill))
    result: NDArray[np.float64] = channels * (1 - around) + colour
    return result


@given(st.integers(0, 2**32 - 1), colours, colours, st.sampled_from([1, 2]))
def test_blending_is_within_two_levels_of_the_exact_sums(
    seed: int, fill: str, outline: str, count: int
) -> None:
    random = np.random.default_rng(seed)
    height, width = random.integers(1, 40, 2)
    pixels = random.integers(0, 2**32, (height, width), np.uint32)
    planes = random.choice(
        [0, 255, *random.integers(0, 256, 6)], (height, width, count)
    ).astype(np.uint8)  # fmt: skip
    planes[..., 0] = planes.max(axis=2)
    expected = reference(pixels, planes, fill, outline)
    untouched = pixels[planes[..., 0] == 0]
    bare = planes[..., 0] == 0
    Compositor().blend(pixels, planes.copy(), Ink(fill, outline))
    ours = pixels.view(np.uint8).reshape(height, width, 4)[..., :3]
    assert np.abs(ours - expected).max() <= 2
    assert (pixels[bare] & 0xFFFFFF == untouched & 0xFFFFFF).all()


@pytest.mark.parametrize("fill", ["#ffffff", "#000000", "#12ab9f"])
def test_full_coverage_is_the_colour_itself(fill: str) -> None:
    pixels = np.full((3, 3), 0xFF804020, np.uint32)
    Compositor().blend(pixels, np.full((3, 3, 2), 255, np.uint8), Ink(fill, "#ff0000"))
    colours = pixels.view(np.uint8).reshape(3, 3, 4)[..., :3]
    assert np.abs(colours.astype(int) - rgb(fill)).max() <= 1


def test_a_part_of_a_picture_is_blended_in_place() -> None:
    pixels = np.zeros((8, 8), np.uint32)
    masks = np.full((2, 3, 1), 255, np.uint8)
    Compositor().blend(pixels[2:4, 1:4], masks, Ink("#ffffff", "#000000"))
    painted = np.zeros((8, 8), bool)
    painted[2:4, 1:4] = True
    assert ((pixels & 0xFFFFFF != 0) == painted).all()
