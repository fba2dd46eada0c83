"""Stacking lines: close where their ink allows it, even, and nothing ever touches."""

from __future__ import annotations

import numpy as np
import pytest

from memeloc.locales import default
from memeloc.render.background import Background, Canvas
from memeloc.render.painting.paint import Area, Painter
from memeloc.render.painting.pixels import Ink
from memeloc.render.typesetting.fit import Bounds
from memeloc.render.typesetting.layout import PartLayout
from memeloc.render.typesetting.lines import (
    Line,
    ink_extent,
    set_line,
)
from tests.each import each
from tests.render.sentences import SENTENCES
from tests.render.typesetting.laying import laid, shaped

MARGIN = 0.06
HARD = {
    "vi": "Ặ Ế Ỗ quỷ quyệt ngã nghiêng Ặ Ẫ Ổ Ỡ gỳ gỵ",
    "pt": "AÇÃO É ÇÂÇÊ NÃO QUÊ ÀS ÇÇÇ ÂÂÂ ÇÂ",
    "tr": "İŞĞÜÇ ŞİÇİ ĞŞÇ İĞÜ ŞŞ İİ ÇÇ",
    "th": "ปู่ญี่ปุ่นกู้ภัยที่ฐานปั้นกู้ญู่ปี้",
    "ar": "لٍّ إِنِّي أُحِبُّ الشَّايَ يَجِيءُ عِنْدَ الظُّهْرِ جِيمِ",
    "en": "z\u0351\u0352\u0353\u0354\u0355\u0356 a\u0317\u0316\u0318\u0351\u0357\u0346 jgy l\u0323",
    "my": "ကြွေးကြွို့ ဗျို့ ကျွန်ုပ်တို့ ညွှန့် မြွှို့",
    "km": "ស្ត្រីខ្មែរ ញ៉ាំ ក្រៀ្យ ប្រុស្រី ឆ្នាំ",
}  # fmt: skip


def lines_of(texts: list[str], tag: str) -> list[Line]:
    locale = default().get(tag)
    return [set_line(shaped(text, tag, "poster"), 0, len(text), locale) for text in texts]


@each("tag", sorted({*SENTENCES, *HARD}))
def test_no_ink_of_two_lines_touches(tag: str) -> None:
    for text in (HARD.get(tag) or SENTENCES[tag][0], SENTENCES[tag][1]):
        layout = laid(text, tag, Bounds(260, 340, 60, MARGIN, 1.0))
        area = Area(20, 10, 280, 350, 0.0, "center", "middle", MARGIN)
        covered = np.zeros((360, 300), np.int32)
        for index, line in enumerate(layout.lines):
            canvas = Canvas(Background(np.full(covered.shape, 0xFFFFFFFF, np.uint32)))
            blanks = [
                line if at == index else Line("", 0, [], 0, 0, line_at.top, line_at.bottom)
                for at, line_at in enumerate(layout.lines)
            ]
            alone = PartLayout(layout.size, layout.baselines, blanks)
            Painter().paint(canvas, alone, area, Ink("#000000", "#000000"))
            covered += (canvas.pixels & 255) < 128
        assert covered.max() == 1, layout


def test_a_parts_extent_is_all_its_ink() -> None:
    lines = lines_of([".", "Ệ"], "vi")
    above, below = ink_extent(lines, (0.0, 0.5))
    assert above == pytest.approx(lines[1].top - 0.5)
    assert below == pytest.approx(0.5 - lines[1].bottom)
