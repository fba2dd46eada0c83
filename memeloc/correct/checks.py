"""What a corrected caption should be looked at for. In: a caption and its box. Out: warnings.

Warnings are for people: nothing is ever changed by them. Each check is one function of the list
CHECKS; it gets a `Checked` and yields sentences.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fontTools import unicodedata as ucd

from memeloc.model import Locale

_HIDDEN = re.compile("[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_EXPECTED_HIDDEN = {"\u200b": {"km", "my", "th", "lo"}, "\u00ad": set()}
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffd]")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_CODE = re.compile(r"\{[^{}]*\}|\S*[+_/@\\\d]\S*")
"""Words that no language changes: placeholders, key names, file names, addresses, versions."""

_SPACES = re.compile("[ \u00a0\u202f]{2,}")
_PAIRS = {
    "(": ")",
    "[": "]",
    "{": "}",
    "（": "）",
    "「": "」",
    "『": "』",
    "【": "】",
    "«": "»",
    "“": "”",
}
_OTHER_QUOTES = {"bg", "cs", "de", "he", "hr", "sk", "sr"}
_FULL_WIDTH = {"Hans", "Hant", "Jpan"}
_HALF = re.compile(r"(?<=[\u3040-\u30ff\u4e00-\u9fff])[,.!?;:](?![A-Za-z0-9])")
_UNASKED = {"Armn", "Jpan", "Khmr", "Laoo", "Mymr", "Thai"}
"""Scripts whose questions may do without a mark at their end."""

_KIN = {
    "Jpan": {"Hira", "Kana", "Hani"},
    "Hans": {"Hani"},
    "Hant": {"Hani", "Bopo"},
    "Kore": {"Hang", "Hani"},
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A caption under examination.

    Attributes:
        meme_id: for the report.
        locale: of the text.
        source: the source caption's parts.
        parts: the text.
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
    """One finding.

    Attributes:
        meme_id, language: of the caption.
        part: index of the part, or -1 for the whole caption.
        check: its name.
        message: a sentence.
    """

    meme_id: str
    language: str
    part: int
    check: str
    message: str


Findings = Iterator[tuple[int, str]]


def _empty(item: Checked) -> Findings:
    for index, source in enumerate(item.source):
        text = item.parts[index] if index < len(item.parts) else ""
        if source.strip() and not text.strip():
            yield index, "the part is empty, the source's is not"
        elif text.strip() and not source.strip():
            yield index, "the part has text, the source's is empty"
    if len(item.parts) > len(item.source):
        yield -1, f"there are {len(item.parts)} parts, the source has {len(item.source)}"


def _same(item: Checked) -> Findings:
    for index, (source, text) in enumerate(zip(item.source, item.parts, strict=False)):
        letters = [char for char in _CODE.sub("", source) if char.isalpha()]
        if len(letters) > 3 and source.strip().casefold() == text.strip().casefold():
            yield index, "the text is the same as the source"


def _script(item: Checked) -> Findings:
    expected = _KIN.get(item.locale.script, {item.locale.script})
    for index, text in enumerate(item.parts):
        scripts = Counter(
            script
            for char in _CODE.sub("", text)
            if char.isalpha() and (script := ucd.script(char)) not in ("Zyyy", "Zinh")
        )
        total = sum(scripts.values())
        inside = sum(scripts[script] for script in expected)
        source = item.source[index] if index < len(item.source) else ""
        if total > 3 and inside < total / 2 and text.strip() != source.strip():
            names = ", ".join(sorted(set(scripts) - expected))
            yield index, f"most letters are {names}, not {item.locale.script}"
        elif item.locale.script != "Latn" and _mixed_word(text, expected):
            yield index, f"a word mixes scripts: {_mixed_word(text, expected)!r}"
        elif item.locale.script == "Latn" and _mixed_word(text, {"Latn"}):
            yield index, f"a word mixes scripts: {_mixed_word(text, {'Latn'})!r}"


def _mixed_word(text: str, expected: set[str]) -> str:
    words: list[str] = re.findall(r"[^\W\d_]+", text)
    for word in words:
        scripts = {ucd.script(char) for char in word} - {"Zyyy", "Zinh"}
        if (
            len(scripts) > 1
            and scripts <= {"Latn", "Cyrl", "Grek", "Armn"}
            and not scripts <= expected
        ):
            return word
    return ""


def _hidden(item: Checked) -> Findings:
    language = item.locale.tag.split("-")[0]
    for index, text in enumerate(item.parts):
        names = sorted(
            {
                unicodedata.name(char, f"U+{ord(char):04X}")
                for char in _HIDDEN.findall(text)
                if language not in _EXPECTED_HIDDEN.get(char, set())
            }
        )
        if names:
            yield index, f"holds invisible characters: {', '.join(names)}"
        if _CONTROL.search(text):
            yield index, "holds control or broken characters"


def _punctuation(item: Checked) -> Findings:
    for index, text in enumerate(item.parts):
        for opening, closing in _PAIRS.items():
            if opening == "“" and item.locale.tag.split("-")[0] in _OTHER_QUOTES:
                continue
            if text.count(opening) != text.count(closing):
                yield index, f"{opening} and {closing} do not pair up"
        if text.count('"') % 2:
            yield index, 'an odd number of " marks'
        if item.locale.script in _FULL_WIDTH and _HALF.search(text):
            yield index, "half-width punctuation after an ideograph or kana"
        if item.locale.tag == "es":
            for opening, closing in (("¿", "?"), ("¡", "!")):
                if text.count(opening) < min(text.count(closing), 1):
                    yield index, f"{closing} without {opening}"
        source = item.source[index] if index < len(item.source) else ""
        if item.locale.script not in _UNASKED and text.strip() and _asks(source) != _asks(text):
            yield index, "only one of source and text ends with a question mark"


def _asks(text: str) -> bool:
    return re.search(r"[?？؟\u037e;፧][^\w]*$", text) is not None


def _digits(item: Checked) -> Findings:
    for index, text in enumerate(item.parts):
        source = item.source[index] if index < len(item.source) else ""
        before, after = _numbers(source), _numbers(text)
        gone = before - after
        # "four" may become "4", and 6:30 "6 h 30"; a number that was there has to stay.
        if gone and "".join(before.elements()) != "".join(after.elements()):
            new = ", ".join((after - before).elements())
            instead = f", {new} instead" if new else ""
            yield index, f"the number {', '.join(gone.elements())} is gone{instead}"


def _numbers(text: str) -> Counter[str]:
    plain = "".join(str(unicodedata.digit(char, char)) for char in text)
    return Counter(re.sub(r"[.,:]", "", number) for number in _NUMBER.findall(plain))


def _spaces(item: Checked) -> Findings:
    for index, text in enumerate(item.parts):
        if _SPACES.search(text):
            yield index, "two spaces in a row"


def _capacity(item: Checked) -> Findings:
    for index, (text, size) in enumerate(zip(item.parts, item.sizes, strict=False)):
        if text.strip() and size < item.locale.smallest_size:
            yield index, f"too long for its box: it would be set at {size:.0f} pixels"


def _fonts(item: Checked) -> Findings:
    if item.lacking is None:
        return
    for index, text in enumerate(item.parts):
        lacking = sorted(set(item.lacking(text)))
        if lacking:
            yield index, f"no font draws {' '.join(lacking)}"


CHECKS: dict[str, Callable[[Checked], Findings]] = {
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
    return [
        CaptionWarning(item.meme_id, item.locale.tag, part, name, message)
        for name, function in CHECKS.items()
        for part, message in function(item)
    ]
