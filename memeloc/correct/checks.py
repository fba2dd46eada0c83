"""What a corrected caption should be looked at for. In: a caption and its box. Out: warnings.

Warnings are for people: nothing is ever changed by them. Each check is one function of the list
CHECKS; it gets one part of a caption and yields sentences.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from fontTools import unicodedata as ucd

from memeloc.locales.scripts import count_scripts, letter_scripts
from memeloc.model import Locale

_HIDDEN = re.compile("[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_SPACE_BREAKERS = {"km", "my", "th", "lo"}
"""Languages that write zero-width spaces between words."""
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffd]")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_CODE = re.compile(r"\{[^{}]*\}|\S*[+_/@\\\d]\S*")
"""Words that no language changes: placeholders, key names, file names, addresses, versions."""

_SPACES = re.compile("[ \u00a0\u202f]{2,}")
_OPENING, _CLOSING = "([{（「『【«“", ")]}）」』】»”"
_OTHER_QUOTES = {"bg", "cs", "de", "he", "hr", "sk", "sr"}
_FULL_WIDTH = {"Hans", "Hant", "Jpan"}
_HALF = re.compile(r"(?<=[\u3040-\u30ff\u4e00-\u9fff])[,.!?;:](?![A-Za-z0-9])")
_UNASKED = {"Armn", "Jpan", "Khmr", "Laoo", "Mymr", "Thai"}
"""Scripts whose questions may do without a mark at their end."""

_LOOK_ALIKE = {"Latn", "Cyrl", "Grek", "Armn"}
"""Scripts whose letters can be mistaken for one another's."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A caption under examination: its text, the text's locale, the source caption's parts.

    Attributes:
        sizes: the font size that each part would get, in pixels; empty where that is not checked.
        lacking: gives the grapheme clusters of a text that the locale's fonts lack, if that is
            checked.
    """

    meme_id: str
    locale: Locale
    source: tuple[str, ...]
    parts: tuple[str, ...]
    sizes: Sequence[float] = ()
    lacking: Callable[[str], Sequence[str]] | None = None


@dataclass(frozen=True, slots=True)
class CaptionWarning:
    """One finding; `part` is the index of a part, or -1 for the whole caption."""

    meme_id: str
    language: str
    part: int
    check: str
    message: str


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of a caption; the texts are empty where it has fewer parts."""

    caption: Checked
    source: str
    text: str
    size: float

    @property
    def script(self) -> str:
        return self.caption.locale.script

    @property
    def language(self) -> str:
        return self.caption.locale.tag.split("-")[0]


def _empty(part: _Part) -> Iterator[str]:
    if part.source.strip() and not part.text.strip():
        yield "the part is empty, the source's is not"
    elif part.text.strip() and not part.source.strip():
        yield "the part has text, the source's is empty"


def _same(part: _Part) -> Iterator[str]:
    letters = [char for char in _CODE.sub("", part.source) if char.isalpha()]
    if len(letters) > 3 and part.source.strip().casefold() == part.text.strip().casefold():
        yield "the text is the same as the source"


def _script(part: _Part) -> Iterator[str]:
    expected = letter_scripts(part.script)
    scripts = count_scripts(_CODE.sub("", part.text))
    total = scripts.total()
    inside = sum(scripts[script] for script in expected)
    if total > 3 and inside < total / 2 and part.text.strip() != part.source.strip():
        names = ", ".join(sorted(set(scripts) - expected))
        yield f"most letters are {names}, not {part.script}"
        return
    for word in re.findall(r"[^\W\d_]+", part.text):
        mixed = {ucd.script(char) for char in word} - {"Zyyy", "Zinh"}
        if len(mixed) > 1 and mixed <= _LOOK_ALIKE and not mixed <= expected:
            yield f"a word mixes scripts: {word!r}"
            return


def _hidden(part: _Part) -> Iterator[str]:
    expected = "\u200b" if part.language in _SPACE_BREAKERS else ""
    hidden = set(_HIDDEN.findall(part.text)) - set(expected)
    names = sorted(unicodedata.name(char, f"U+{ord(char):04X}") for char in hidden)
    if names:
        yield f"holds invisible characters: {', '.join(names)}"
    if _CONTROL.search(part.text):
        yield "holds control or broken characters"


def _punctuation(part: _Part) -> Iterator[str]:
    text = part.text
    for opening, closing in zip(_OPENING, _CLOSING, strict=True):
        if opening == "“" and part.language in _OTHER_QUOTES:
            continue
        if text.count(opening) != text.count(closing):
            yield f"{opening} and {closing} do not pair up"
    if text.count('"') % 2:
        yield 'an odd number of " marks'
    if part.script in _FULL_WIDTH and _HALF.search(text):
        yield "half-width punctuation after an ideograph or kana"
    for opening, closing in (("¿", "?"), ("¡", "!")):
        if part.caption.locale.tag == "es" and closing in text and opening not in text:
            yield f"{closing} without {opening}"
    if part.script not in _UNASKED and text.strip() and _asks(part.source) != _asks(text):
        yield "only one of source and text ends with a question mark"


def _asks(text: str) -> bool:
    return re.search(r"[?？؟\u037e;፧][^\w]*$", text) is not None


def _digits(part: _Part) -> Iterator[str]:
    before, after = _numbers(part.source), _numbers(part.text)
    gone = before - after
    # "four" may become "4", and 6:30 "6 h 30"; a number that was there has to stay.
    if gone and "".join(before.elements()) != "".join(after.elements()):
        new = ", ".join((after - before).elements())
        instead = f", {new} instead" if new else ""
        yield f"the number {', '.join(gone.elements())} is gone{instead}"


def _numbers(text: str) -> Counter[str]:
    plain = "".join(str(unicodedata.digit(char, char)) for char in text)
    return Counter(re.sub(r"[.,:]", "", number) for number in _NUMBER.findall(plain))


def _spaces(part: _Part) -> Iterator[str]:
    if _SPACES.search(part.text):
        yield "two spaces in a row"


def _capacity(part: _Part) -> Iterator[str]:
    if part.text.strip() and part.size < part.caption.locale.smallest_size:
        yield f"too long for its box: it would be set at {part.size:.0f} pixels"


def _fonts(part: _Part) -> Iterator[str]:
    lacking = part.caption.lacking
    if lacking is not None and (clusters := sorted(set(lacking(part.text)))):
        yield f"no font draws {' '.join(clusters)}"


CHECKS: dict[str, Callable[[_Part], Iterator[str]]] = {
    "part": _empty,
    "same as source": _same,
    "script": _script,
    "hidden characters": _hidden,
    "punctuation": _punctuation,
    "numbers": _digits,
    "spaces": _spaces,
    "capacity": _capacity,
    "fonts": _fonts,
}
"""All checks, by the name they have in a report."""


def check(item: Checked) -> list[CaptionWarning]:
    """Run every check on a caption."""
    sizes = [*item.sizes, *[math.inf] * max(len(item.source), len(item.parts))]
    texts = zip_longest(item.source, item.parts, fillvalue="")
    parts = [
        _Part(item, source, text, size) for (source, text), size in zip(texts, sizes, strict=False)
    ]
    warnings = [
        CaptionWarning(item.meme_id, item.locale.tag, index, name, message)
        for name, function in CHECKS.items()
        for index, part in enumerate(parts)
        for message in function(part)
    ]
    if len(item.parts) > len(item.source):
        message = f"there are {len(item.parts)} parts, the source has {len(item.source)}"
        warnings.insert(0, CaptionWarning(item.meme_id, item.locale.tag, -1, "part", message))
    return warnings
