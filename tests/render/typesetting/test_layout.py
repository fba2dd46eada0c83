"""Laying out: lines in order, stacked close, spaced as in East Asia, hyphenated last."""

from __future__ import annotations

import numpy as np
import pytest

from memeloc.locales import default
from memeloc.render.background import Background, Canvas
from memeloc.render.painting.paint import Area, Painter
from memeloc.render.painting.pixels import Ink
from memeloc.render.typesetting import fit
from memeloc.render.typesetting.fit import Bounds
from memeloc.render.typesetting.hyphenation import marked, points
from memeloc.render.typesetting.layout import PartLayout
from memeloc.render.typesetting.lines import Line, ink_extent, set_line
from memeloc.render.typesetting.part import Part
from tests.each import each
from tests.render.sentences import SENTENCES
from tests.render.typesetting.laying import laid, shaped, texts


def box(width: float = 400, height: float = 200, largest: float = 80) -> Bounds:
    return Bounds(width, height, largest, 0.06, 1.0)


def glyphs(line: Line) -> list[int]:
    return [glyph[0] for run in line.runs for glyph in run.glyphs]


@each("tag", sorted(SENTENCES))
def test_one_line_is_taken_where_the_search_takes_it(tag: str) -> None:
    locale = default().get(tag)
    count = 0
    for text in SENTENCES[tag]:
        for width, height in ((900, 60), (500, 40), (3000, 90), (200, 200), (120, 30)):
            part = Part([shaped(text, tag)], locale, box(width, height))
            fitted = part.fit(0)
            searched = part._best(part.whole, frozenset(), 0)
            if fitted and len(fitted.lines) == 1:
                count += 1
                assert fitted == searched
            else:
                assert fitted is None or not searched or len(searched.lines) > 1
    assert count >= 2


@each("tag", sorted(SENTENCES))
def test_a_sentence_fits_its_box_whole(tag: str) -> None:
    for text in SENTENCES[tag]:
        layout = laid(text, tag, box())
        assert not layout.broken_word
        assert not layout.missing
        assert not layout.truncated
        words = "".join(line.rstrip("\u2010") for line in texts(layout))
        assert "".join(words.split()) == "".join(text.split())
        assert layout.size in fit.LADDER
        assert layout.size >= default().get(tag).smallest_size
        for line in layout.lines:
            assert (line.right - line.left + 0.12) * layout.size <= 400
        assert (sum(ink_extent(layout.lines, layout.baselines)) + 0.12) * layout.size <= 200


def test_a_word_is_broken_only_when_no_legible_size_helps() -> None:
    word = "kahvemolasi" * 4  # in Turkish, for which there are no patterns
    whole = laid(word, "tr", box(400, 100))
    assert texts(whole) == [word]
    assert not whole.broken_word
    broken = laid(word, "tr", box(150, 200))
    assert broken.broken_word
    assert "".join(line.rstrip("\u2010") for line in texts(broken)) == word
    assert broken.size >= default().get("tr").smallest_size


def test_a_soft_hyphen_shows_only_at_the_end_of_a_line() -> None:
    text = "Donau\u00addampf\u00adschiff"
    paragraph = shaped(text, "de")
    locale = default().get("de")
    hyphen = paragraph.runs[0].face.font.get_nominal_glyph(ord("\u2010"))
    assert hyphen not in glyphs(set_line(paragraph, 0, len(text), locale))
    first = set_line(paragraph, 0, 6, locale)
    assert glyphs(first)[-1] == hyphen
    assert glyphs(first)[:-1] == glyphs(set_line(shaped("Donau", "de"), 0, 5, locale))
    assert glyphs(set_line(paragraph, 6, len(text), locale)).count(hyphen) == 0


def test_half_a_megabyte_is_laid_out_in_time() -> None:
    layout = laid("all work and no play " * 25_000, "en", box())
    assert layout.truncated > 500_000
    assert layout.lines


@each("text", ["\u20dda", "a\u20dd a", "\u0489\u0489", "\u102c\u1031", "jjj"])
@each("tag", ["en", "my"])
def test_ink_that_hangs_over_its_advance_fits_too(text: str, tag: str) -> None:
    for width in range(20, 200, 9):
        layout = laid(text, tag, box(width, 400, 400))
        for line in layout.lines:
            assert (line.right - line.left + 0.12) * layout.size <= width - 2 + 1e-6


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


def width(text: str, tag: str = "ja") -> float:
    return shaped(text, tag).positions[-1]


@each(
    ("tag", "text", "ems"),
    [
        ("ja", "水。」水", 3.5),
        ("ja", "「『水』」", 4.0),
        ("ja", "水」「水", 3.5),
        ("ja", "水、「水", 3.5),
        ("ja", "水」・「水", 4.0),
        ("ja", "水」　「水", 4.0),
        ("ja", "水？」水", 4.0),
        ("ja", "「水」水", 4.0),
        ("zh-Hans", "说：“水！”", 5.0),
        ("zh-Hans", "水？！”水", 4.0),
        ("zh-Hans", "《水》、《水》", 6.0),
        ("zh-Hant", "水。」水", 4.0),
        ("zh-Hant", "水」。水", 3.5),
        ("en", "水。」水", 3.5),
    ],
)
def test_marks_that_meet_lose_their_blanks(tag: str, text: str, ems: float) -> None:
    assert width(text, tag) == pytest.approx(ems)


@each(
    ("tag", "text", "gap"),
    [
        ("ja", "水API", 0.25),
        ("ja", "カ10時", 0.5),
        ("ja", "éの", 0.25),
        ("zh-Hans", "用API", 0.125),
        ("zh-Hant", "10點", 0.125),
        ("ko", "水API", 0),
        ("en", "水API", 0),
    ],
)
def test_letters_beside_characters_get_space(tag: str, text: str, gap: float) -> None:
    parts = sum(width(char, tag) for char in text)
    assert width(text, tag) == pytest.approx(parts + gap, abs=0.03)  # Latin letters are kerned


def test_a_line_does_not_begin_or_end_with_blank() -> None:
    text = "「水水」水。"
    marks = shaped(text, "ja").spacing
    assert marks.lead[0] == marks.trail[3] == marks.trail[5] == 0.5
    size = laid(text, "ja", Bounds(208, 400, 40, 0.0, 1.2), "plain").size
    assert size * 5 <= 208 - 2 < size * 6


def narrow(width: float, picture_width: float = 0) -> Bounds:
    return Bounds(width, 200, 60, 0.06, 1.0, "center", picture_width)


def split(text: str, tag: str) -> str:
    """The text with a hyphen at each place where its language may break it."""
    places = points(text, [(0, len(text))], default().get(tag))
    return marked(text, places)[0].replace("\u00ad", "-").replace("\u200b", "|")


@each(
    ("tag", "text", "expected"),
    [
        ("de", "Donaudampfschifffahrt", "Donau-dampf-schiff-fahrt"),
        ("de", "GROẞRAUMBÜROTÜR,", "GROẞ-RAUM-BÜ-RO-TÜR,"),
        ("en", "“refrigerator”", "“refrig-er-a-tor”"),
        ("es", "infraestructura", "infra-es-truc-tura"),
        ("fr", "anticonstitutionnellement", "anti-cons-ti-tu-tion-nel-le-ment"),
        ("hu", "kisasszonnyal", "kis-asz-szony-nyal"),
        ("hu", "HOSSZÚSZŐRŰEK", "HOSZ-SZÚ-SZŐ-RŰEK"),
        ("nl", "vergaderingen", "ver-ga-de-rin-gen"),
        ("el", "θερμοστάτης", "θερ-μο-στάτης"),
        ("en", "cat", "cat"),
        ("en", "REPORT_FINAL_v7", "REPORT_|FINAL_|v7"),
        ("tr", "termostatlarımızdan", "termostatlarımızdan"),
        ("en", "refri\u00adgerator", "refri-gerator"),
        ("fi", "SÄHKÖPOSTISSA", "SÄH-KÖ-POS-TISSA"),
        ("ru", "электростанция", "элек-тро-стан-ция"),
        ("uk", "водонагрівач", "водо-на-г-рі-вач"),
        ("bg", "електростанция", "елек-т-рос-тан-ция"),
        ("sr", "електростанција", "елек-тро-стан-ција"),
        ("de", "#donaudampfschifffahrt", "#donau|dampf|schiff|fahrt"),
        ("de", "@kapitänsmützenfabrik", "@kapi|täns|müt|zen|fa|brik"),
        ("de", "donaudampfer@schifffahrt.example", "donaudampfer@|schifffahrt.|example"),
        ("en", "https://tea.example/refrigerators", "https://tea.|example/|refrigerators"),
    ],
)
def test_words_break_where_their_language_breaks_them(tag: str, text: str, expected: str) -> None:
    assert split(text, tag) == expected


def test_spelling_changes_where_a_line_ends_and_nowhere_else() -> None:
    text = "hosszúszőrű"
    places = points(text, [(0, len(text))], default().get("hu"))
    assert marked(text, places) == ("hosz\u00adszú\u00adszőrű", [5, 9])
    layout = laid(text * 2, "hu", narrow(300), "plain")
    whole = "".join(line.rstrip("\u2010") for line in texts(layout))
    cuts = [len(line) - 1 for line in texts(layout)[:-1]]
    assert len(whole) == 2 * len(text) + sum("sz\u2010" in line for line in texts(layout))
    assert cuts


@each(
    ("tag", "word"),
    [("en", "bcdfgh" * 4), ("tr", "aşkım" * 4), ("hi", "किताबघर" * 4), ("ru", "щбрвф" * 4)],
)
def test_no_line_breaks_a_word_without_a_hyphen(tag: str, word: str) -> None:
    layout = laid(word, tag, narrow(150), "plain", hyphenation="")
    assert layout.broken_word
    assert len(layout.lines) > 1
    assert all(line[-1] in "\u2010-" for line in texts(layout)[:-1])
    assert "".join(line.rstrip("\u2010-") for line in texts(layout)) == word


@each(
    ("tag", "text", "unit"),
    [
        ("en", "NOOOOOOOOOOOOOOOOOOOOOOOOOOO", "O"),
        ("en", "hahahahahahahahahahahahahahaha", "ha"),
        ("es", "¡jajajajajajajajajajajajajaja!", "ja"),
        ("ar", "هههههههههههههههههههههههههههههههه", "ه"),
        ("th", "55555555555555555555555555555555", "5"),
        ("hi", "हाहाहाहाहाहाहाहाहाहाहाहाहाहाहाहाहाहा", "हा"),
        ("ko", "ㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋㅋ", "ㅋ"),
    ],
)
def test_a_scream_breaks_between_its_letters_without_a_hyphen(
    tag: str, text: str, unit: str
) -> None:
    layout = laid(text, tag, narrow(200, 500), "plain")
    assert "".join(texts(layout)) == text
    assert len(layout.lines) > 1
    assert all(line.startswith(unit) for line in texts(layout)[1:])
    assert layout.size >= 0.05 * 500
    assert not layout.broken_word
    assert not layout.hyphenated
    assert layout.divided == ("|".join(texts(layout)),)
