"""Letters are found pixel by pixel, with their colours, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from bench.backgrounds import make_background
from memeloc.localise.texts import Text, find_texts, mask_of, read_lines
from memeloc.model import Locale
from memeloc.ocr.protocol import Line
from tests.localise.drawn import EN, SIZE, Drawn, box, drawn, gradient, plain, stripes

TEXT = "when the build passes // on the first try"


def texts(meme: Drawn) -> tuple[Text, ...]:
    return find_texts(meme.meme, meme.lines, EN)


@pytest.mark.parametrize("ground", [gradient(), stripes(), plain(), plain("#101820")])
@pytest.mark.parametrize("quality", [0, 85])
def test_all_letters_are_masked_and_little_else(
    ground: Image.Image, quality: int, tmp_path: Path
) -> None:
    meme = drawn(ground, TEXT, folder=tmp_path, quality=quality)
    mask = mask_of(texts(meme), SIZE)
    assert (meme.letters & ~mask).sum() <= 0.01 * meme.letters.sum()
    assert (mask & ~meme.letters).sum() <= 0.9 * meme.letters.sum()


@pytest.mark.parametrize(
    ("fill", "outline"),
    [("#ffffff", "#000000"), ("#ffee00", "#000000"), ("#d01030", "#ffffff")],
)
def test_fill_and_outline_are_known_by_their_colours(
    fill: str, outline: str, tmp_path: Path
) -> None:
    meme = drawn(stripes(), TEXT, box(fill=fill, outline=outline), box(0.65), folder=tmp_path)
    style = texts(meme)[0].style
    assert style is not None
    for read, truth in ((style.fill, fill), (style.outline, outline)):
        apart = np.array([int(read[at : at + 2], 16) for at in (1, 3, 5)]) - [
            int(truth[at : at + 2], 16) for at in (1, 3, 5)
        ]
        assert np.abs(apart).max() <= 8
    assert style.outline_width == pytest.approx(0.06, abs=0.02)


def test_what_is_as_white_as_the_letters_is_not_masked(tmp_path: Path) -> None:
    ground = gradient()
    cloud = (30, 5, 450, 90)
    ImageDraw.Draw(ground).ellipse(cloud, "#ffffff")
    white = np.all(np.asarray(ground) == 255, axis=-1)
    meme = drawn(ground, TEXT, folder=tmp_path)
    masked = mask_of(texts(meme), SIZE)[white & ~meme.letters]
    assert masked.mean() < 0.6


def test_dark_text_on_a_plain_background_has_no_outline(tmp_path: Path) -> None:
    meme = drawn(plain(), "two melons", box(kind="bubble"), folder=tmp_path)
    (text,) = texts(meme)
    assert text.strokes is not None
    assert text.strokes.background == (244, 240, 224)
    assert text.strokes.outline is None
    assert text.doubts == ()


def test_letters_that_a_spot_of_light_joins_are_masked(tmp_path: Path) -> None:
    ground = plain("#56b66b")
    ImageDraw.Draw(ground).ellipse((310, 20, 460, 300), "#8cdc9e")
    meme = drawn(ground, "two melons", box(kind="bubble"), folder=tmp_path)
    (text,) = texts(meme)
    assert (meme.letters & ~mask_of([text], SIZE)).sum() <= 0.01 * meme.letters.sum()


def test_a_picture_without_lines_has_no_texts() -> None:
    assert find_texts(np.asarray(gradient()), [], EN) == ()


def test_text_in_the_picture_itself_is_doubtful(tmp_path: Path) -> None:
    """Letters on a cloth are shaded as it is, those that were laid over a picture are not."""
    meme = drawn(stripes(), "two melons", box(kind="bubble", fill="#ffffff"), folder=tmp_path)
    folds = 0.6 + 0.35 * np.sin(np.arange(SIZE[0]) / 9)[None, :, None]
    shaded = (meme.meme * folds).astype(np.uint8)
    assert [bool(text.doubts) for text in texts(replace(meme, meme=shaded))] == [True]
    assert [text.doubts for text in texts(meme)] == [()]


@pytest.mark.parametrize(
    ("ground", "style"),
    [
        pytest.param("gradient", {"fill": "#c8c8c8"}, id="low-contrast"),
        pytest.param(
            "sky",
            {"fill": "#ffffff", "outline": "#000000", "outline_width": 0.06, "max_size": 0.036},
            id="small-with-thin-outline",
        ),
        pytest.param("drawing", {"fill": "#ffffff"}, id="bare-on-a-drawing"),
    ],
)
def test_letters_that_are_hard_to_tell_are_all_masked(
    ground: str, style: dict[str, Any], tmp_path: Path
) -> None:
    size = 600, 450
    picture = Image.fromarray(make_background(ground, size, 3))
    where = box(kind="plain", **style)
    meme = drawn(picture, "when the build passes", where, folder=tmp_path, quality=88)
    (text,) = texts(meme)
    assert text.doubts == ()
    left = meme.letters & ~mask_of([text], size)
    assert left.sum() <= 0.06 * meme.letters.sum()


def test_letters_that_the_reader_cut_off_are_masked_and_asked_about(tmp_path: Path) -> None:
    meme = drawn(stripes(), "two melons", box(), folder=tmp_path)
    (line,) = meme.lines
    left, top, right, bottom = line.box
    left += 0.16 * (right - left)
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    cut = Line("O MELONS", (left, top, right, bottom), 0.98, corners=corners)
    (text,) = find_texts(meme.meme, [cut], EN)
    assert text.doubts == ("letters beside it were not read",)
    assert (meme.letters & ~mask_of([text], SIZE)).sum() <= 0.01 * meme.letters.sum()


def cut_off(meme: Drawn, share: float) -> Line:
    """The only line of a meme as a reader has it that lost a share of it at the end."""
    left, top, right, bottom = meme.lines[0].box
    right -= share * (right - left)
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return Line(meme.lines[0].text, (left, top, right, bottom), 0.98, corners=corners)


@pytest.mark.parametrize("share", [0.12, 0.2, 0.3])
def test_letters_that_end_just_beyond_a_lines_reach_are_masked(
    share: float, tmp_path: Path
) -> None:
    meme = drawn(stripes(), "two melons", box(), folder=tmp_path)
    (text,) = find_texts(meme.meme, [cut_off(meme, share)], EN)
    assert (meme.letters & ~mask_of([text], SIZE)).sum() <= 0.01 * meme.letters.sum()


def test_what_was_cut_off_a_line_on_a_plain_background_is_masked(tmp_path: Path) -> None:
    meme = drawn(plain(), "two melons at a lamp", box(kind="bubble"), folder=tmp_path)
    (text,) = find_texts(meme.meme, [cut_off(meme, 0.1)], EN)
    assert (meme.letters & ~mask_of([text], SIZE)).sum() <= 0.01 * meme.letters.sum()


def test_a_drawn_line_below_a_text_is_the_pictures(tmp_path: Path) -> None:
    meme = drawn(plain(), "two melons", box(kind="bubble"), folder=tmp_path)
    left, _, right, bottom = (round(edge) for edge in meme.lines[0].box)
    image, middle = Image.fromarray(meme.meme), (left + right) // 2
    ImageDraw.Draw(image).line((left, bottom + 6, middle, bottom + 6), "#b0a890", 4)
    (text,) = find_texts(np.asarray(image), meme.lines, EN)
    assert text.doubts == ()
    assert not mask_of([text], SIZE)[bottom + 6, left:middle].any()


@pytest.mark.parametrize("joined", [False, True])
def test_only_what_stands_apart_beside_a_text_is_masked(joined: bool, tmp_path: Path) -> None:
    meme = drawn(gradient(), "two melons", box(), folder=tmp_path)
    _, top, right, bottom = (round(edge) for edge in meme.lines[0].box)
    image = Image.fromarray(meme.meme)
    start = right - 12 if joined else right + 3  # behind the last letter, or an emoji
    emoji = (start, top + 8, right + bottom - top - 10, bottom - 8)
    ImageDraw.Draw(image).ellipse(emoji, "#ffdd00")
    (text,) = find_texts(np.asarray(image), meme.lines, EN)
    middle = mask_of([text], SIZE)[(top + bottom) // 2, (right + 8 + emoji[2]) // 2]
    assert middle == (not joined)


def test_emoji_that_the_letters_outline_rings_are_masked_on_a_pattern(tmp_path: Path) -> None:
    where = box(fill="#d01030", outline="#ffffff")
    meme = drawn(stripes(), "tea", where, folder=tmp_path)
    _, top, right, bottom = (round(edge) for edge in meme.lines[0].box)
    image, side = Image.fromarray(meme.meme), bottom - top - 16
    draw = ImageDraw.Draw(image)
    middles = []
    for place, fill in enumerate(("#ffdd00", "#ffffff")):  # the second is white as the outline is
        left = right + 5 + place * (side + 8)
        draw.ellipse((left, top + 8, left + side, bottom - 8), fill, "#ffffff", 4)
        middles.append((left + side // 2, (top + bottom) // 2))
        x, y = middles[-1]
        draw.ellipse((x - 6, y - 6, x + 6, y + 6), "#c00020")
    (text,) = find_texts(np.asarray(image), meme.lines, EN)
    mask = mask_of([text], SIZE)
    assert [bool(mask[y, x]) for x, y in middles] == [True, True]
    assert text.doubts == ()


def test_a_white_spot_beside_letters_with_a_white_outline_is_no_emoji(tmp_path: Path) -> None:
    meme = drawn(stripes(), "tea", box(fill="#d01030", outline="#ffffff"), folder=tmp_path)
    _, top, right, bottom = (round(edge) for edge in meme.lines[0].box)
    image = Image.fromarray(meme.meme)
    spot = (right + 5, top + 8, right + bottom - top - 11, bottom - 8)
    ImageDraw.Draw(image).ellipse(spot, "#ffffff")
    (text,) = find_texts(np.asarray(image), meme.lines, EN)
    assert not mask_of([text], SIZE)[(top + bottom) // 2, (spot[0] + spot[2]) // 2]


def loose(meme: Drawn, share: float) -> Line:
    """The only line of a meme with so many of its heights more above and below it."""
    left, top, right, bottom = meme.lines[0].box
    room = share * (bottom - top)
    top, bottom = top - room, bottom + room
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return Line(meme.lines[0].text, (left, top, right, bottom), 0.98, corners=corners)


def test_white_letters_on_light_grey_are_told_from_it(tmp_path: Path) -> None:
    ground = plain("#d4d4d4")
    ImageDraw.Draw(ground).rectangle((200, 0, 280, SIZE[1]), "#101010")
    meme = drawn(ground, "two melons", box(), folder=tmp_path)
    (text,) = find_texts(meme.meme, [loose(meme, 0.3)], EN)
    assert text.style is not None
    assert text.style.fill == "#ffffff"


@pytest.mark.parametrize("share", [0.6, 1.2])
def test_of_text_on_a_card_all_is_found_in_a_box_that_leaves_it(
    share: float, tmp_path: Path
) -> None:
    ground = stripes()
    ImageDraw.Draw(ground).rectangle((0, 144, SIZE[0], 202), "#ffffff")
    where = box(0.42, 0.12, kind="bubble")
    meme = drawn(ground, "“two, at 3:07…”", where, folder=tmp_path)
    (text,) = find_texts(meme.meme, [loose(meme, share)], EN)
    mask = mask_of([text], SIZE)
    assert (meme.letters & ~mask).sum() <= 0.01 * meme.letters.sum()
    assert not mask[:144].any()


def test_unread_drawings_in_the_picture_are_no_texts(tmp_path: Path) -> None:
    from dataclasses import replace

    meme = drawn(stripes(), "two melons", box(kind="bubble", fill="#ffffff"), folder=tmp_path)
    assert find_texts(meme.meme, [replace(meme.lines[0], text="", confidence=0.0)], EN) == ()


def test_a_line_that_the_reader_is_unsure_of_is_doubtful(tmp_path: Path) -> None:
    from dataclasses import replace

    meme = drawn(gradient(), "two melons", box(), folder=tmp_path)
    (text,) = find_texts(meme.meme, [replace(meme.lines[0], confidence=0.5)], EN)
    assert text.doubts == ("the reader is unsure of it (0.50)",)


def test_text_that_was_seen_and_not_read_is_masked_and_asked_about(tmp_path: Path) -> None:
    from dataclasses import replace

    meme = drawn(gradient(), "two melons", box(), folder=tmp_path)
    (text,) = find_texts(meme.meme, [replace(meme.lines[0], text="", confidence=0.0)], EN)
    assert text.doubts == ("it could not be read",)
    assert (meme.letters & ~mask_of([text], SIZE)).sum() <= 0.01 * meme.letters.sum()


@pytest.mark.filterwarnings("error")
def test_an_unread_line_may_reach_out_of_the_picture(tmp_path: Path) -> None:
    meme = drawn(gradient(), "two melons and a lamp at home", box(), folder=tmp_path)
    left, top, right, bottom = meme.lines[0].box
    corners = ((-left, top), (right, top), (right, bottom), (-left, bottom))
    line = Line("", (-left, top, right, bottom), 0.0, corners=corners)
    (text,) = find_texts(meme.meme, [line], EN)
    assert text.doubts[0] == "it could not be read"


def test_a_line_that_was_not_read_belongs_to_the_text_it_stands_in(tmp_path: Path) -> None:
    from dataclasses import replace

    meme = drawn(gradient(), "two melons and a lamp for sale", box(), folder=tmp_path)
    first, second = meme.lines
    (text,) = find_texts(meme.meme, [first, replace(second, text="", confidence=0.0)], EN)
    assert text.region.text == first.text
    assert "a line of it could not be read" in text.doubts
    assert (meme.letters & ~mask_of([text], SIZE)).sum() <= 0.01 * meme.letters.sum()


def test_the_box_of_a_text_has_the_emoji_beside_it(tmp_path: Path) -> None:
    meme = drawn(gradient(), "two melons", box(), folder=tmp_path)
    _, top, right, bottom = (round(edge) for edge in meme.lines[0].box)
    image = Image.fromarray(meme.meme)
    end = right + bottom - top - 15
    ImageDraw.Draw(image).ellipse((right + 3, top + 8, end, bottom - 8), "#ffdd00")
    (text,) = find_texts(np.asarray(image), meme.lines, EN)
    assert (text.region.box[0] + text.region.box[2]) * SIZE[0] == pytest.approx(end, abs=2)


def test_emoji_in_a_line_of_their_own_belong_to_the_text_above(tmp_path: Path) -> None:
    meme = drawn(gradient(), "two melons", box(), folder=tmp_path)
    left, top, _, bottom = (round(edge) for edge in meme.lines[0].box)
    side, below = bottom - top - 12, bottom + 8
    image = Image.fromarray(meme.meme)
    draw = ImageDraw.Draw(image)
    for x, fill in ((left, "#ffdd00"), (left + side + 4, "#d01030")):
        draw.ellipse((x, below, x + side, below + side), fill, "#000000", 4)
    corners = ((left, below), (left + side, below), (left + side, below + side),
               (left, below + side))  # fmt: skip
    emoji = Line("", (left, below, left + side, below + side), 0.0, corners=corners)
    (text,) = find_texts(np.asarray(image), [*meme.lines, emoji], EN)
    mask = mask_of([text], SIZE)
    assert mask[below + side // 2, left : left + 2 * side : side // 2].all()
    assert (text.region.box[1] + text.region.box[3]) * SIZE[1] == pytest.approx(below + side, abs=3)


def test_an_emoji_beside_a_line_is_no_letter_that_was_not_read(tmp_path: Path) -> None:
    meme = drawn(plain(), "two melons", box(kind="bubble", max_size=0.08), folder=tmp_path)
    (below,) = meme.lines
    side = round(below.box[3] - below.box[1]) - 8
    left, top = round(below.box[2]) + 8, round(below.box[1]) + 4
    image = Image.fromarray(meme.meme)
    draw = ImageDraw.Draw(image)
    draw.rectangle((left, top, left + side, top + side), "#ffdd00")
    draw.ellipse((left + side // 4, top + 4, left + side // 2, top + side // 2), "#101010")
    (text,) = find_texts(np.asarray(image), meme.lines, EN)
    assert text.doubts == ()
    assert mask_of([text], SIZE)[top + side // 2, left : left + side : 8].all()


def test_a_reading_that_is_too_short_for_its_line_is_doubtful(tmp_path: Path) -> None:
    meme = drawn(gradient(), "two melons", box(), folder=tmp_path)
    (text,) = find_texts(meme.meme, [replace(meme.lines[0], text="TW")], EN)
    assert text.doubts == ("letters beside it were not read",)


def test_text_read_as_another_script_is_doubtful(tmp_path: Path) -> None:
    from dataclasses import replace

    meme = drawn(gradient(), "two melons", box(), folder=tmp_path)
    (text,) = find_texts(meme.meme, [replace(meme.lines[0], text="十" * 10)], EN)
    assert text.doubts == ("it was read as another script than that of English",)


class _Reader:
    """Reads nothing in pictures, and all in black letters on white."""

    name = version = "made"

    def __init__(self, line: Line) -> None:
        self.line = line

    def read(self, pictures: Sequence[Image.Image], locale: Locale) -> list[list[Line]]:
        (picture,) = pictures
        pure = set(np.unique(np.asarray(picture))) <= {0, 255}
        return [[self.line if pure else replace(self.line, text="tvvo", confidence=0.4)]]

    def lacks(self, locale: Locale) -> str:
        return ""


def test_what_was_read_badly_is_read_again_from_its_letters(tmp_path: Path) -> None:
    meme = drawn(stripes(), "two melons", box(), folder=tmp_path, quality=85)
    lines = read_lines(Image.fromarray(meme.meme), _Reader(meme.lines[0]), EN)
    assert [line.text for line in lines] == ["TWO MELONS"]
