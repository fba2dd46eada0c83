"""Hyphenation: last, by the language's patterns, never without a hyphen where a script has one."""

from __future__ import annotations

import pyphen
import pytest

from memeloc.fonts import FontLibrary
from memeloc.locales import default
from memeloc.locales.hyphens import dictionary
from memeloc.render.typesetting import fit
from memeloc.render.typesetting.hyphenation import _patterns, cluster_points, points, respelt
from memeloc.render.typesetting.itemize import Itemizer
from memeloc.render.typesetting.layout import PartLayout, lay_out
from memeloc.render.typesetting.part import Bounds

FONTS = FontLibrary()


def laid(
    text: str, tag: str, width: float = 300, height: float = 200, largest: float = 60
) -> PartLayout:
    locale = default().get(tag)
    itemizer = Itemizer(FONTS.stack(locale, "plain"))
    return lay_out(text, locale, itemizer, Bounds(width, height, largest, 0.06, 1.0))


def texts(layout: PartLayout) -> list[str]:
    return [line.text for line in layout.lines]


def split(text: str, tag: str) -> str:
    """The text with a hyphen at each place where its language may break it."""
    places = points(text, [(0, len(text))], default().get(tag))
    return respelt(text, places)[0].replace("\u00ad", "-").replace("\u200b", "|")


@pytest.mark.parametrize(
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
    ],
)
def test_words_break_where_their_language_breaks_them(tag: str, text: str, expected: str) -> None:
    assert split(text, tag) == expected


def test_a_word_that_gains_too_little_stays_whole() -> None:
    word = "Großraumbüro"
    whole = laid(word, "de", 300, 40)
    assert texts(whole) == [word]
    assert not whole.hyphenated


@pytest.mark.parametrize(
    ("text", "gain"), [("das Kaffeehausfenster", 2), ("DAS KAFFEEHAUSFENSTER", 3)]
)
def test_a_hyphen_gains_two_steps_in_capitals_three(text: str, gain: int) -> None:
    seen = set()
    for width in range(150, 700, 20):
        layout, without = laid(text, "de", width), laid(text, "fi", width)  # no patterns of Finnish
        seen.add(bool(layout.hyphenated))
        if layout.hyphenated:
            assert fit.LADDER.index(layout.size) >= fit.LADDER.index(without.size) + gain
    assert seen == {True, False}


def test_spelling_changes_where_a_line_ends_and_nowhere_else() -> None:
    text = "hosszúszőrű"
    places = points(text, [(0, len(text))], default().get("hu"))
    first, second = [(0, 5), (5, 14)], [(0, 9), (9, 14)]
    assert respelt(text, places)[0] == "hosz\u00adszú\u00adszőrű"
    assert respelt(text, places, first) == ("hosz\u00adszúszőrű", [(0, 5), (5, 13)])
    assert respelt(text, places, second) == ("hosszú\u00adszőrű", [(0, 7), (7, 12)])
    assert respelt(text, places, [(0, 14)]) == (text, [(0, 11)])


@pytest.mark.parametrize(
    ("tag", "word"), [("en", "a" * 30), ("tr", "ş" * 30), ("hi", "कि" * 15), ("ru", "щ" * 25)]
)
def test_no_line_breaks_a_word_without_a_hyphen(tag: str, word: str) -> None:
    layout = laid(word, tag, 150)
    assert layout.broken_word
    assert len(layout.lines) > 1
    assert all(line[-1] in "\u2010-" for line in texts(layout)[:-1])
    assert "".join(line.rstrip("\u2010-") for line in texts(layout)) == word


def test_a_file_name_breaks_behind_its_underscores() -> None:
    layout = laid("report_final_really", "en", 200, 100)
    assert texts(layout) == ["report_", "final_really"]
    assert not layout.hyphenated
    assert not layout.broken_word


def test_an_authors_soft_hyphens_are_the_only_ones_of_their_word() -> None:
    layout = laid("Lebensmittelinforma\u00adtionsdurchführungsverordnung", "de", 400)
    assert layout.hyphenated == ("Lebensmittelinforma-tionsdurchführungsverordnung",)


def test_points_between_clusters_leave_scripts_without_hyphens_alone() -> None:
    assert not cluster_points("سيستعملونها กกกก 123", [(0, 20)])
    assert [point.start for point in cluster_points("ab1cd", [(0, 5)])] == [1, 4]


@pytest.mark.parametrize("name", ["hu_HU", "ca", "el_GR", "ru_RU"])
def test_patterns_parsed_when_asked_for_are_pyphens(name: str) -> None:
    words = ["asszonnyal", "meggyőződés", "intel·ligència", "απαγορεύεται", "достопримечательность"]
    lazy = _patterns(name)
    full = pyphen.Pyphen(filename=dictionary(name), left=3, right=3, cache=False)
    for word in words:
        found, wanted = lazy.positions(word), full.positions(word)
        assert [(at, at.data) for at in found] == [(at, at.data) for at in wanted]
