"""Face, size, case and alignment are measured in the picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.localise.boxes import text_boxes
from memeloc.localise.regions import find_regions
from memeloc.localise.styles import alignment, is_upper
from memeloc.localise.texts import find_texts
from memeloc.model import TextBox
from memeloc.ocr.protocol import Line
from tests.localise.drawn import EN, SIZE, Drawn, box, drawn, gradient, plain, stripes


def first_box(meme: Drawn) -> TextBox:
    return text_boxes(meme.meme, find_texts(meme.meme, meme.lines, EN), EN)[0]


@pytest.mark.parametrize("quality", [0, 85])
def test_size_and_face_are_those_of_the_poster(quality: int, tmp_path: Path) -> None:
    meme = drawn(stripes(), "two melons, a lamp", box(), folder=tmp_path, quality=quality)
    style = first_box(meme).style
    assert (style.name, style.face, style.uppercase) == ("poster", "poster", True)
    assert style.max_size * SIZE[1] == pytest.approx(meme.parts[0].font_size, rel=0.05)


def test_a_thin_outline_has_its_colour_though_it_blends(tmp_path: Path) -> None:
    where = box(0.3, 0.07, kind="plain", fill="#ffffff", outline="#000000", outline_width=0.06)
    for ground in (gradient(), stripes()):
        meme = drawn(ground, "two melons, a lamp", where, folder=tmp_path, quality=85)
        assert first_box(meme).style.outline == "#000000"


@pytest.mark.parametrize(
    ("text", "upper"),
    [("ЩЕПОТКА сколько, ЭТО В КИЛОБАЙТАХ?", True), ("HR ok", False), ("Two", False), ("", False)],
)
def test_capitals_are_told_though_a_reader_errs(text: str, upper: bool) -> None:
    assert is_upper(text) == upper


def test_plain_text_is_plain(tmp_path: Path) -> None:
    made = drawn(plain(), "two melons, a lamp", box(kind="bubble"), folder=tmp_path)
    lines = [type(line)(line.text.lower(), line.box, 0.98, corners=line.corners)
             for line in made.lines]  # fmt: skip
    style = first_box(Drawn(made.clean, made.meme, made.letters, lines, made.parts)).style
    assert (style.name, style.face, style.uppercase) == ("bubble", "plain", False)
    assert style.outline_width == 0


def test_the_box_is_around_the_ink(tmp_path: Path) -> None:
    meme = drawn(gradient(), "two melons // no onion", folder=tmp_path, quality=85)
    for text, part in zip(find_texts(meme.meme, meme.lines, EN), meme.parts, strict=True):
        assert part.ink is not None
        x, y, width, height = text.region.box
        found = x * SIZE[0], y * SIZE[1], (x + width) * SIZE[0], (y + height) * SIZE[1]
        assert found == pytest.approx(part.ink, abs=3)


def test_a_box_gains_room_and_stays_in_the_picture(tmp_path: Path) -> None:
    meme = drawn(gradient(), "two melons // no onion", folder=tmp_path)
    texts = find_texts(meme.meme, meme.lines, EN)
    for text, made in zip(texts, text_boxes(meme.meme, texts, EN), strict=True):
        x, y, width, height = text.region.box
        assert made.x <= x
        assert made.y <= y
        assert made.x + made.width >= x + width
        assert made.y + made.height >= y + height
        assert 0 <= made.x < made.x + made.width <= 1
        assert 0 <= made.y < made.y + made.height <= 1


@pytest.mark.parametrize(
    ("texts", "align"),
    [
        (("no, it was", "only a lamp and a cat"), "start"),
        (("TWO MELONS, A", "LAMP, NO ONION"), "center"),
    ],
)
def test_alignment_is_told_by_the_edges(texts: tuple[str, str], align: str) -> None:
    places = ((164, 553), (150, 627)) if align == "center" else ((100, 300), (100, 500))
    lines = []
    for index, (text, (left, right)) in enumerate(zip(texts, places, strict=True)):
        top, bottom = 70.0 * index, 70.0 * index + 68
        corners = ((left, top), (right, top), (right, bottom), (left, bottom))
        lines.append(Line(text, (left, top, right, bottom), 0.9, corners=corners))
    (region,) = find_regions(lines, (720, 640), EN)
    assert alignment(region, (720, 640), EN) == align


def test_captions_of_one_look_have_one_face_and_are_no_larger(tmp_path: Path) -> None:
    meme = drawn(gradient(), "two melons, no onion // I", folder=tmp_path, quality=85)
    made = find_texts(meme.meme, meme.lines, EN)
    assert [text.style.face for text in made if text.style] == ["poster", "poster"]
    for text, part in zip(made, meme.parts, strict=True):
        assert text.style is not None
        assert text.style.max_size * SIZE[1] <= 1.05 * part.font_size


def test_a_short_line_in_the_middle_of_a_card_has_room_on_both_sides(tmp_path: Path) -> None:
    made = first_box(drawn(plain(), "I", box(kind="bubble"), folder=tmp_path))
    assert made.align == "center"
    assert made.x + made.width / 2 == pytest.approx(0.5, abs=0.02)
    assert made.width > 0.3
