"""A template made of a picture, and the view of its boxes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from memeloc.templates import (
    add_template,
    load_template,
    open_picture,
    preview,
)
from tests.templates.conftest import BOX, Make, striped


class TestAdd:
    def test_keeps_nothing_but_the_pixels(self, tmp_path: Path) -> None:
        exif = Image.Exif()
        exif[0x010F] = "a camera maker"
        exif[0x0112] = 6
        path = tmp_path / "photo.jpg"
        striped((80, 60)).save(path, exif=exif, comment=b"a remark")
        folder = add_template(path, tmp_path / "to")
        content = (folder / "picture.jpg").read_bytes()
        assert b"camera" not in content
        assert b"remark" not in content
        with Image.open(folder / "picture.jpg") as picture:
            assert picture.size == (60, 80)
            assert not picture.getexif()

    @given(title=st.text(max_size=40))
    def test_any_file_name_gives_a_toml_that_reads(
        self, title: str, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        root = tmp_path_factory.mktemp("add")
        safe = title.encode("utf-8", "ignore").decode().replace("/", "").replace("\0", "")[:40]
        path = root / f"{safe}z.png"
        Image.new("RGB", (4, 4)).save(path)
        assert load_template(add_template(path, root / "to")).image.exists()


def test_preview_draws_each_box_where_it_is(make: Make) -> None:
    folder = make(
        'image = "picture.png"\n' + BOX + BOX.replace("top", "low").replace("y = 0.1", "y = 0.6"),
        size=(400, 300),
    )
    template = load_template(folder)
    before, after = open_picture(template.image), preview(template)
    assert after.size == before.size
    changed = [after.getpixel((200, y)) != before.getpixel((200, y)) for y in (15, 75, 150, 225)]
    assert changed == [False, True, False, True]
