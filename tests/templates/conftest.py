"""What the tests of templates share: folders written for a test, and how a refusal reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from memeloc.errors import InputError

BOX = '[[box]]\nname = "top"\nx = 0.1\ny = 0.1\nwidth = 0.8\nheight = 0.3\n'
MINIMAL = 'image = "picture.png"\n' + BOX

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a template's folder and return its path."""

    def make_template(
        toml: str | bytes = MINIMAL,
        name: str = "mine",
        size: tuple[int, int] = (40, 30),
        under: str = "templates",
    ) -> Path:
        folder = tmp_path / under / name
        folder.mkdir(parents=True)
        Image.new("RGB", size, "#336699").save(folder / "picture.png")
        content = toml.encode() if isinstance(toml, str) else toml
        (folder / "template.toml").write_bytes(content)
        return folder

    return make_template


def refusal(action: Callable[[], object]) -> str:
    """The sentence with which an action is refused."""
    with pytest.raises(InputError) as caught:
        action()
    return str(caught.value)


def striped(size: tuple[int, int], colour: str = "#d02020") -> Image.Image:
    """White with a coloured band at the top."""
    picture = Image.new("RGB", size, "white")
    ImageDraw.Draw(picture).rectangle((0, 0, size[0], size[1] // 4), fill=colour)
    return picture
