"""Hyphenation: last, by the language's patterns, never without a hyphen where a script has one."""

from __future__ import annotations

from memeloc.locales import default
from memeloc.render.typesetting.fit import Bounds
from memeloc.render.typesetting.hyphenation import marked, points
from tests.each import each
from tests.render.typesetting.laying import laid, texts


def box(width: float, picture_width: float = 0) -> Bounds:
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
    layout = laid(text * 2, "hu", box(300), "plain")
    whole = "".join(line.rstrip("\u2010") for line in texts(layout))
    cuts = [len(line) - 1 for line in texts(layout)[:-1]]
    assert len(whole) == 2 * len(text) + sum("sz\u2010" in line for line in texts(layout))
    assert cuts


@each(
    ("tag", "word"),
    [("en", "bcdfgh" * 4), ("tr", "aşkım" * 4), ("hi", "किताबघर" * 4), ("ru", "щбрвф" * 4)],
)
def test_no_line_breaks_a_word_without_a_hyphen(tag: str, word: str) -> None:
    layout = laid(word, tag, box(150), "plain", hyphenation="")
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
    layout = laid(text, tag, box(200, 500), "plain")
    assert "".join(texts(layout)) == text
    assert len(layout.lines) > 1
    assert all(line.startswith(unit) for line in texts(layout)[1:])
    assert layout.size >= 0.05 * 500
    assert not layout.broken_word
    assert not layout.hyphenated
    assert layout.divided == ("|".join(texts(layout)),)
