"""Boxes of lines and words: within each other, and around the ink that is in the picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from memeloc.locales import default
from memeloc.locales.words import word_spans
from memeloc.model import Template, TextBox, TextStyle
from memeloc.render import Renderer

WIDTH, HEIGHT = 480, 320
CAPTIONS = {
    "en": "the office fire drill, again!",
    "de": "Donaudampfschiff im Büro",
    "ar": "لا إله في الشاي v2 اليوم",
    "he": "שלום (hello) עולם 12",
    "hi": "क्षत्रिय ज्ञान की बिल्ली",
    "th": "ฉันตากผ้า แล้วฝนตก",
    "zh": "你好，世界（办公室）的猫",
    "ja": "会議が「また」延びました。",
    "ko": "회의가 또 길어졌다",
    "my": "မြန်မာ ကြောင်",
    "ur": "چائے تیار ہے",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    image = tmp_path_factory.mktemp("templates") / "plain.png"
    Image.new("RGB", (WIDTH, HEIGHT), "#4477aa").save(image)
    box = TextBox("middle", 0.2, 0.25, 0.6, 0.5, style=TextStyle(max_size=0.12))
    return Template("plain", image, (box,))


def _inside(box: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return other[0] <= box[0] < box[2] <= other[2] and other[1] <= box[1] < box[3] <= other[3]


_LETTERS = st.text("abgim fj.,-(é) ابتلاش 12 कखिक्षा 你好世界， ฉันตาก ff", min_size=1, max_size=40)


@given(_LETTERS.filter(lambda text: any(map(str.isalnum, text))), st.sampled_from(["en", "ar"]))
def test_words_lie_in_their_line_and_lines_in_the_ink(
    renderer: Renderer, template: Template, text: str, language: str
) -> None:
    part = renderer.render(template, text, language).proof.parts[0]
    if part.ink is None:
        return
    assert len(part.boxes.lines) == len(part.lines)
    for line in part.boxes.lines:
        assert line is None or _inside(line, part.ink)
    for word in part.boxes.words:
        line = part.boxes.lines[word.line]
        assert line is not None
        assert _inside(word.box, line)


@pytest.mark.parametrize("language", CAPTIONS)
def test_boxes_go_around_the_ink_in_the_picture(
    renderer: Renderer, template: Template, language: str
) -> None:
    rendered = renderer.render(template, CAPTIONS[language], language)
    (part,) = rendered.proof.parts
    assert [word.text for word in part.boxes.words] == [
        line[slice(*span)]
        for line in part.lines
        for span in word_spans(line, default().get(language))
    ]
    difference = ImageChops.difference(rendered.image, Image.open(template.image))
    ink = np.asarray(difference).any(axis=2)
    covered = np.zeros_like(ink)
    for word in part.boxes.words:
        left, top, right, bottom = word.box
        covered[top:bottom, left:right] = True
        assert ink[top:bottom, left:right].any()
        # No looser than a pixel and a half and the outline's antialiasing.
        rows, columns = np.nonzero(ink[top:bottom, left:right])
        assert rows.min() <= 3
        assert bottom - top - 1 - rows.max() <= 3
        assert columns.min() <= 3
        assert right - left - 1 - columns.max() <= 3
    assert not (ink & ~covered).any()
