"""The memes that localising is measured on: the same each time, and their truth is theirs."""

from __future__ import annotations

import numpy as np
import pytest

from bench.backgrounds import BUSY, SMOOTH, make_background
from bench.finished_memes import KINDS, FinishedMeme, finished_memes
from tests.each import each


@pytest.fixture(scope="module")
def memes(tmp_path_factory: pytest.TempPathFactory) -> list[FinishedMeme]:
    return list(finished_memes(tmp_path_factory.mktemp("memes"), 4))


@each("kind", [*SMOOTH, *BUSY])
def test_background_is_the_same_for_a_seed(kind: str) -> None:
    first, second, other = (make_background(kind, (40, 30), seed) for seed in (1, 1, 2))
    assert first.shape == (30, 40, 3)
    assert (first == second).all()
    assert (first != other).any()


def test_pixels_without_text_are_the_backgrounds_but_for_jpeg(memes: list[FinishedMeme]) -> None:
    for meme in memes:
        differing = np.abs(meme.image.astype(int) - meme.clean)[~meme.text]
        assert differing.mean() < 12, meme.name


def test_ink_of_the_proof_holds_all_pixels_of_text(memes: list[FinishedMeme]) -> None:
    for meme in memes:
        if KINDS[meme.kind].under is not None:  # shadow and glow lie around the ink
            continue
        outside = meme.text.copy()
        for part in meme.parts.values():
            left, top, right, bottom = part.ink or (0, 0, 0, 0)
            outside[top:bottom, left:right] = False
        assert not outside.any(), meme.name
