"""Memes on one picture are found, and what only looks alike is not joined."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.curate.duplicates.hashing import hash_picture
from memeloc.localise.aligning import group_pictures
from tests.localise.drawn_memes import CAPTIONS, draw_memes, save, worn
from tests.localise.posts import draw_posts

pytest.importorskip("cv2")


def groups(paths: list[Path]) -> list[list[str]]:
    found = group_pictures({path: hash_picture(path) for path in paths})
    return [[path.stem for path in group] for group in found]


@pytest.mark.parametrize("count", [10, pytest.param(20, marks=pytest.mark.slow)])
def test_posts_of_different_people_on_plain_ground_are_joined_with_nothing(
    tmp_path: Path, count: int
) -> None:
    posts = draw_posts(tmp_path, count)
    assert groups(posts) == [[post.stem] for post in posts]


@pytest.mark.parametrize("kind", ["valley", "drawing", "sky"])
def test_memes_on_one_picture_are_joined_scaled_cropped_and_with_a_bar(
    tmp_path: Path, kind: str
) -> None:
    paths = save(worn(draw_memes(tmp_path, kind, 5, CAPTIONS)), tmp_path, "meme")
    others = save(draw_memes(tmp_path, "foliage", 9, CAPTIONS[:2]), tmp_path, "other")
    expected = [[path.stem for path in paths], [path.stem for path in others]]
    assert groups([*paths, *others]) == expected
