"""JPEGs put together of kept rows: byte for byte those that Pillow makes of the whole picture."""

from __future__ import annotations

import gc
import weakref
from io import BytesIO

import numpy as np
import pytest
import skia
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from memeloc.render import Rendered, Renderer, encode
from memeloc.render.background import Background, Canvas, Canvases, as_image
from memeloc.render.encode import JpegEncoder
from memeloc.render.settings import Settings
from memeloc.templates import load_templates
from tests.each import each

SETTINGS = Settings("jpg", 90)
CAPTIONS = (
    "one // two",
    "three",
    " // only the last",
    "",
    "a rather // long one\nof several lines",
)


def by_pillow(canvas: Canvas, quality: int = 90) -> bytes:
    """The whole picture encoded at once, with a restart marker after each row of blocks."""
    buffer = BytesIO()
    as_image(canvas.pixels).save(buffer, "JPEG", quality=quality, restart_marker_rows=1)
    return buffer.getvalue()


def rendered(renderer: Renderer, name: str) -> list[Rendered]:
    template = load_templates()[0][name]
    boxes = len(template.boxes)
    cut = [" // ".join(caption.split(" // ")[:boxes]) for caption in CAPTIONS]
    return [renderer.render(template, caption, "en") for caption in cut]


@each("name", sorted(load_templates()[0]))
def test_a_file_is_that_of_the_whole_picture_encoded_at_once(name: str) -> None:
    encoder = JpegEncoder(SETTINGS)
    for made in rendered(Renderer(), name):
        assert encoder.encode(made.canvas) == by_pillow(made.canvas)


@given(
    width=st.integers(1, 70),
    height=st.integers(1, 150),
    quality=st.sampled_from([1, 50, 90, 100]),
    painted=st.lists(
        st.lists(st.tuples(st.integers(0, 150), st.integers(0, 150)), max_size=3), max_size=5
    ),
)
def test_whatever_rows_are_touched(
    width: int, height: int, quality: int, painted: list[list[tuple[int, int]]]
) -> None:
    chance = np.random.default_rng(height)
    background = Background(chance.integers(0, 1 << 32, (height, width), np.uint32))
    encoder, canvases = JpegEncoder(Settings("jpg", quality)), Canvases()
    for touched in painted:
        canvas = canvases.canvas_of(background)
        for rows in touched:
            first, after = sorted(min(row, height) for row in rows)
            target = canvas.rows(first, after)
            target[:] = chance.integers(0, 1 << 32, target.shape, np.uint32)
        assert encoder.encode(canvas) == by_pillow(canvas, quality)


def test_restart_markers_change_nothing_that_is_seen() -> None:
    for made in rendered(Renderer(), "robot-chef"):
        content = JpegEncoder(SETTINGS).encode(made.canvas)
        plain = BytesIO()
        made.image.save(plain, "JPEG", quality=90)
        with Image.open(BytesIO(content)) as ours, Image.open(plain) as theirs:
            assert ours.tobytes() == theirs.tobytes()
        assert len(content) < 1.01 * plain.tell()


def test_another_decoder_sees_the_same() -> None:
    encoder = JpegEncoder(SETTINGS)
    for made in rendered(Renderer(), "summit-snail"):
        content = encoder.encode(made.canvas)
        image = skia.Image.MakeFromEncoded(skia.Data(content))
        seen = image.toarray(colorType=skia.kRGBA_8888_ColorType)[..., :3].astype(int)
        with Image.open(BytesIO(content)) as ours:
            assert np.abs(seen - np.asarray(ours)).max() <= 3  # decoders round in their own ways


def test_of_a_second_picture_only_rows_with_text_are_encoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heights: list[int] = []

    def noted(image: Image.Image, settings: Settings) -> bytes:
        heights.append(image.height)
        return real(image, settings)

    real = encode.encode
    monkeypatch.setattr(encode, "encode", noted)
    background = Background(np.random.default_rng(2).integers(0, 1 << 32, (100, 40), np.uint32))
    encoder, canvases = JpegEncoder(SETTINGS), Canvases()
    for first, after in ((0, 20), (0, 20), (90, 99), (90, 99), (0, 0), (16, 32)):
        canvas = canvases.canvas_of(background)
        canvas.rows(first, after).fill(0)
        encoder.encode(canvas)
        del canvas
    # Rows of blocks are 16 high, the seventh has the last 4 rows. The background is encoded once.
    assert heights == [100, 32, 32, 16 + 4, 16 + 4, 16]


def test_rows_are_kept_no_longer_than_their_ground() -> None:
    encoder = JpegEncoder(SETTINGS)
    background = Background(np.zeros((40, 40), np.uint32))
    gone = weakref.ref(background)
    encoder.encode(Canvases().canvas_of(background))
    del background
    gc.collect()
    assert gone() is None
