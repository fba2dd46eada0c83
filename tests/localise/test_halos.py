"""Soft shadows and glow go with the letters that cast them, on any background."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter

from memeloc.localise.protocol import Mask, Pixels
from memeloc.localise.restoring import make_restorer
from memeloc.localise.texts import Text, find_texts, mask_of
from tests.localise.drawn import EN, SIZE, Drawn, box, drawn, gradient, psnr, stripes


def with_halo(
    ground: Image.Image, colour: str, offset: tuple[int, int], blur: float, folder: Path
) -> tuple[Drawn, Pixels]:
    """A meme whose white letters cast a shadow, or glow, and its picture as a JPEG."""
    where = box(0.3, 0.35, outline_width=0.0)
    meme = drawn(ground, "two melons", where, folder=folder)
    cast = Image.fromarray(meme.letters.astype(np.uint8) * 255)
    cast = cast.filter(ImageFilter.GaussianBlur(blur)).point(lambda level: min(255, 2 * level))
    cast = cast.transform(cast.size, Image.Transform.AFFINE, (1, 0, -offset[0], 0, 1, -offset[1]))
    picture = ground.copy()
    picture.paste(Image.new("RGB", SIZE, colour), mask=cast)
    picture.paste(Image.fromarray(meme.meme), mask=Image.fromarray(meme.letters))
    file = folder / "meme.jpg"
    picture.save(file, quality=90)
    return meme, np.asarray(Image.open(file).convert("RGB"))


def around(letters: Mask, pixels: int) -> Mask:
    grown = Image.fromarray(letters.astype(np.uint8) * 255)
    return np.asarray(grown.filter(ImageFilter.MaxFilter(2 * pixels + 1))) > 0


@pytest.mark.parametrize(
    ("ground", "colour", "offset", "blur", "least"),
    [
        pytest.param(gradient(), "#000000", (0, 0), 4, 30, id="shadow-on-sky"),
        pytest.param(gradient(), "#000000", (4, 4), 3, 30, id="cast-to-one-side"),
        pytest.param(gradient(), "#ffe080", (0, 0), 4, 30, id="glow-on-sky"),
        pytest.param(stripes(), "#000000", (0, 0), 4, 20, id="shadow-on-stripes"),
    ],
)
def test_a_halo_is_taken_out_with_its_letters(
    ground: Image.Image,
    colour: str,
    offset: tuple[int, int],
    blur: float,
    least: float,
    tmp_path: Path,
) -> None:
    meme, pixels = with_halo(ground, colour, offset, blur, tmp_path)
    texts: tuple[Text, ...] = find_texts(pixels, meme.lines, EN)
    restored = make_restorer("auto").restore(pixels, mask_of(texts, SIZE))
    assert psnr(restored, meme.clean, around(meme.letters, 12)) >= least


@pytest.mark.parametrize("ground", [gradient(), stripes()])
def test_letters_without_a_halo_keep_their_mask(ground: Image.Image, tmp_path: Path) -> None:
    meme = drawn(ground, "when the build passes // on the first try", folder=tmp_path, quality=85)
    texts = find_texts(meme.meme, meme.lines, EN)
    assert [text.strokes.halo for text in texts if text.strokes] == [0.0, 0.0]


def test_a_card_below_the_letters_is_no_halo(tmp_path: Path) -> None:
    ground = stripes()
    ImageDraw.Draw(ground, "RGBA").rectangle((40, 128, 440, 220), (64, 64, 64, 205))
    meme = drawn(ground, "two melons", box(0.36, 0.25, outline_width=0.0), folder=tmp_path)
    assert [
        text.strokes.halo for text in find_texts(meme.meme, meme.lines, EN) if text.strokes
    ] == [0.0]


def test_letters_with_a_halo_get_an_outline_for_it(tmp_path: Path) -> None:
    meme, pixels = with_halo(stripes(), "#000000", (4, 4), 3, tmp_path)
    (text,) = find_texts(pixels, meme.lines, EN)
    assert text.style is not None
    assert (text.style.outline, text.style.outline_width > 0) == ("#000000", True)


def test_letters_that_are_lost_on_a_cloud_are_taken_out_with_their_line(tmp_path: Path) -> None:
    ground = stripes()
    cloud = 0.3 * SIZE[0], 60, 0.5 * SIZE[0], 300
    ImageDraw.Draw(ground).ellipse(cloud, "#ffffff")
    meme, pixels = with_halo(ground, "#000000", (4, 4), 3, tmp_path)
    (text,) = find_texts(pixels, meme.lines, EN)
    assert (meme.letters & ~mask_of([text], SIZE)).sum() <= 0.01 * meme.letters.sum()
