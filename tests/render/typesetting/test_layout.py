"""Laying out: lines in order, joined and hyphenated rightly, never broken without need."""

from __future__ import annotations

from memeloc.locales import default
from memeloc.render.typesetting import fit
from memeloc.render.typesetting.fit import Bounds
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
