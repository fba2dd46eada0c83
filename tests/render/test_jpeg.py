"""JPEGs put together of kept rows: byte for byte those that Pillow makes of the whole picture."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from memeloc.render import Rendered, Renderer
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
