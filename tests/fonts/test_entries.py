"""What fonts a user asks for: for all text, for a language, for a style."""

from __future__ import annotations

import pytest

from memeloc.errors import InputError
from memeloc.fonts import FontLibrary
from memeloc.fonts.library import FontEntry
from memeloc.locales import default
from memeloc.model import FaceName
from tests.each import each

ANTON = FontLibrary().families["anton"].path
SANS = FontLibrary().families["noto-sans"].path


@each(
    ("entry", "parsed"),
    [
        ("My.ttf", ("My.ttf", "", None)),
        ("My.ttf:wght=650,wdth=80", ("My.ttf:wght=650,wdth=80", "", None)),
        ("ur=My.ttf:wght=650", ("My.ttf:wght=650", "ur", None)),
        ("de:comic=Comic Neue", ("Comic Neue", "de", "comic")),
        (":plain=My.ttf", ("My.ttf", "", "plain")),
        ("zh-Hant=C:/fonts/My.ttf", ("C:/fonts/My.ttf", "zh-Hant", None)),
    ],
)
def test_an_entry_is_read(entry: str, parsed: tuple[str, str, FaceName | None]) -> None:
    assert FontEntry.parse(entry) == FontEntry(*parsed)
    assert FontEntry.parse(str(FontEntry.parse(entry))) == FontEntry(*parsed)


@each(
    ("tag", "face", "family"),
    [
        ("de", "plain", "Anton-Regular"),
        ("de", "poster", "anton"),
        ("en", "plain", "noto-sans"),
        ("zh-Hans", "poster", "NotoSans[wdth,wght]"),
        ("zh-Hant", "poster", "NotoSans[wdth,wght]"),
    ],
)
def test_a_font_is_first_where_it_is_asked_for(tag: str, face: FaceName, family: str) -> None:
    library = FontLibrary([f"de:plain={ANTON}", f"zh={SANS}"])
    assert library.stack(default().get(tag), face).primary.family == family


def test_what_is_asked_for_and_missing_fails_at_once() -> None:
    with pytest.raises(InputError, match="no font of this system has that name"):
        FontLibrary(["ur=No Such Nastaliq"])


def test_an_unknown_style_is_named_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"no style 'comix' .* poster, plain, comic"):
        FontEntry.parse("de:comix=Comic Neue")
