"""What a corrected caption should be looked at for. In: captions and their boxes. Out: warnings.

Warnings are for people: nothing is ever changed by them. A false warning is worse than one that is
missing: people stop reading them. Each of CHECKS gets one part of a caption and yields sentences;
`check_terms` looks for a glossary's terms, `check_together` for what only several captions tell.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rapidfuzz import fuzz

from memeloc.correct.kept import is_written_by_its_owner, lost_marks, lost_numbers, names
from memeloc.damaged_text import damage
from memeloc.glossary import Term, shown, terms_in
from memeloc.locales.tags import count_scripts, letter_scripts
from memeloc.locales.words import SearchedText, words
from memeloc.model import Locale

_HIDDEN = re.compile("[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_SPACE_BREAKERS = {"km", "my", "th", "lo"}
"""Languages that write zero-width spaces between words."""
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffd]")
_WORD = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"\{[^{}]*\}|\S*[+_/@\\\d]\S*")
"""Words that no language changes: placeholders, key names, file names, addresses, versions."""

_SPACES = re.compile("[ \u00a0\u202f]{2,}")
_OPENING, _CLOSING = "([{（「『【«“", ")]}）」』】»”"
_OTHER_QUOTES = {"bg", "cs", "de", "he", "hr", "sk", "sr"}
_FULL_WIDTH = {"Hans", "Hant", "Jpan"}
_HALF = re.compile(r"(?<=[\u3040-\u30ff\u4e00-\u9fff])[,.!?;:](?![A-Za-z0-9])")
_ASKING = re.compile(r"[?？؟\u037e;፧][^\w]*$")
_UNASKED = {"Armn", "Jpan", "Khmr", "Laoo", "Mymr", "Thai"}
"""Scripts whose questions may do without a mark at their end."""

_CASED = {"Latn", "Cyrl", "Grek", "Armn"}
"""Scripts with capitals."""

_LEAST_WORDS = {"two ways": 2, "same text": 4}
"""A shorter source means what its caption makes of it; a shorter text may well say two things."""
_SIMILAR = 80.0
"""In percent (rapidfuzz's ratio): sources so similar may have the same translation."""
_NAME_CAPTIONS, _NAME_KEPT = 5, 0.8
"""A name is to be kept that so many captions have, and such a share of their texts."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A caption under examination: its text, the text's locale, the source caption's parts.

    Attributes:
        source_language: its tag, if it is known.
        sizes: the font size that each part would get, in pixels; empty where that is not checked.
        lacking: gives the grapheme clusters of a text that the locale's fonts lack, if that is
            checked.
    """

    meme_id: str
    locale: Locale
    source: tuple[str, ...]
    parts: tuple[str, ...]
    source_language: str = ""
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
    """One part of a caption; the texts are empty where it has fewer parts.

    `whole` are the source and the text of the caption, `scripts` those that the language's text may
    be in.
    """

    caption: Checked
    source: str
    text: str
    size: float
    whole: tuple[str, str]
    language: str
    scripts: frozenset[str]


def _empty(part: _Part) -> Iterator[str]:
    if part.source.strip() and not part.text.strip():
        yield "the part is empty, the source's is not"
    elif part.text.strip() and not part.source.strip():
        yield "the part has text, the source's is empty"


def _same(part: _Part) -> Iterator[str]:
    bare, text = (
        "".join(filter(str.isalnum, each.casefold())) for each in (part.source, part.text)
    )
    if bare != text or part.caption.source_language.split("-")[0] == part.language:
        return
    # Names, numbers, exclamations and borrowed words are the same in many languages.
    plain = _CODE.sub("", part.source)
    ordinary = set(words(plain, part.caption.locale)) - set(names(plain))
    different = {word.casefold() for word in ordinary if len(word) > 1 and word[0].isalpha()}
    if set(count_scripts(plain)) & part.scripts:
        is_left = len(different) > 2
    else:
        is_left = len(different) > 1 or any(len(word) > 3 and word.islower() for word in ordinary)
    if is_left:
        yield "the text is the same as the source"


def _capitals(part: _Part) -> Iterator[str]:
    if part.caption.locale.script not in _CASED:
        return
    capitals = sum(map(str.isupper, part.text))
    # Fewer may be an abbreviation.
    if capitals > 5 and part.text.isupper() and any(map(str.islower, part.source)):
        yield "the text is all in capitals, the source is not"


def _damaged(part: _Part) -> Iterator[str]:
    for found in damage(part.text, part.caption.locale):
        yield f"{found.sentence[:1].lower()}{found.sentence[1:].rstrip('.')}"


def _script(part: _Part) -> Iterator[str]:
    expected = part.scripts
    plain = _CODE.sub("", part.text)
    if _other_scripts(plain, expected) and part.text.strip() != part.source.strip():
        # Names may stay as they are.
        kept = {word.casefold() for word in _WORD.findall(part.source) if word != word.lower()}
        rest = [word for word in words(plain, part.caption.locale) if word.casefold() not in kept]
        if others := _other_scripts("".join(rest), expected):
            yield f"most letters are {', '.join(sorted(others))}, not {part.caption.locale.script}"


def _other_scripts(text: str, expected: frozenset[str]) -> set[str]:
    """The unexpected scripts of a text that is mostly in them."""
    scripts = count_scripts(text)
    total = scripts.total()
    inside = sum(scripts[script] for script in expected)
    return set(scripts) - expected if total > 3 and inside < total / 2 else set()


def _hidden(part: _Part) -> Iterator[str]:
    expected = "\u200b" if part.language in _SPACE_BREAKERS else ""
    hidden = set(_HIDDEN.findall(part.text)) - set(expected)
    if hidden:
        characters = sorted(unicodedata.name(char, f"U+{ord(char):04X}") for char in hidden)
        yield f"holds invisible characters: {', '.join(characters)}"
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
    if part.caption.locale.script in _FULL_WIDTH and _HALF.search(text):
        yield "half-width punctuation after an ideograph or kana"
    for opening, closing in (("¿", "?"), ("¡", "!")):
        if part.caption.locale.tag == "es" and closing in text and opening not in text:
            yield f"{closing} without {opening}"
    asks, asked = (_ASKING.search(each) is not None for each in (text, part.source))
    if asks != asked and part.caption.locale.script not in _UNASKED:
        yield "only one of source and text ends with a question mark"


def _digits(part: _Part) -> Iterator[str]:
    lost, new = lost_numbers(part.source, part.text)
    # Another part may have taken it, where the order of words is another.
    if lost and lost_numbers(*part.whole)[0]:
        instead = f", {', '.join(new)} instead" if new else ""
        yield f"the number {', '.join(lost)} is gone{instead}"


def _names(part: _Part) -> Iterator[str]:
    source, text = part.whole
    lost = [mark for mark in lost_marks(part.source, part.text) if mark in lost_marks(source, text)]
    lost += [
        word
        for word in _WORD.findall(_CODE.sub("", part.source))
        if is_written_by_its_owner(word)
        and set(count_scripts(word)) <= part.scripts
        and word.casefold() not in text.casefold()
    ]
    if lost:
        yield f"the text lacks {', '.join(dict.fromkeys(lost))}"


def _spaces(part: _Part) -> Iterator[str]:
    if _SPACES.search(part.text):
        yield "two spaces in a row"


def _capacity(part: _Part) -> Iterator[str]:
    if part.size < part.caption.locale.smallest_size:
        yield f"too long for its box: it would be set at {part.size:.0f} pixels"


def _fonts(part: _Part) -> Iterator[str]:
    lacking = part.caption.lacking
    if lacking is not None and (clusters := sorted(set(lacking(part.text)))):
        yield f"no font draws {' '.join(clusters)}"


CHECKS: dict[str, Callable[[_Part], Iterator[str]]] = {
    "part": _empty,
    "same as source": _same,
    "capitals": _capitals,
    "damaged text": _damaged,
    "script": _script,
    "hidden characters": _hidden,
    "punctuation": _punctuation,
    "numbers": _digits,
    "names": _names,
    "spaces": _spaces,
    "capacity": _capacity,
    "fonts": _fonts,
}
"""All checks, by the name they have in a report."""


def check(item: Checked) -> list[CaptionWarning]:
    """Run every check on a caption."""
    sizes = [*item.sizes, *[math.inf] * max(len(item.source), len(item.parts))]
    texts = zip_longest(item.source, item.parts, fillvalue="")
    whole = " ".join(item.source), " ".join(item.parts)
    language, scripts = item.locale.tag.split("-")[0], letter_scripts(item.locale.script)
    parts = [
        _Part(item, source, text, size, whole, language, scripts)
        for (source, text), size in zip(texts, sizes, strict=False)
    ]
    warnings = [
        CaptionWarning(item.meme_id, item.locale.tag, index, name, message)
        for name, function in CHECKS.items()
        for index, part in enumerate(parts)
        if part.text.strip() or name == "part"
        for message in function(part)
    ]
    if len(item.parts) > len(item.source):
        message = f"there are {len(item.parts)} parts, the source has {len(item.source)}"
        warnings.insert(0, CaptionWarning(item.meme_id, item.locale.tag, -1, "part", message))
    return warnings


def check_terms(
    caption: Checked, terms: Iterable[Term], source: Locale
) -> Iterator[CaptionWarning]:
    """Yield a warning for each term of a caption's source (in the language `source`) of which the
    text has no wanted form, in whatever part, and for each forbidden form that it has.

    `terms` are all of the caption's language.
    """
    locale = caption.locale
    texts = [SearchedText(part, locale) for part in caption.parts]
    for term in (
        terms_in(terms, caption.source, source) if any(map(str.strip, caption.parts)) else ()
    ):
        if term.wanted and not any(text.has(form) for form in term.wanted for text in texts):
            message = f"{shown(term.names)!r} is to be {shown(term.wanted)!r}"
            yield CaptionWarning(caption.meme_id, locale.tag, -1, "glossary", message)
        for index, text in enumerate(texts):
            wanted = [place for form in term.wanted for place in text.places(form)]
            for form in term.forbidden:
                places = text.places(form)
                if all(any(a <= start and end <= b for a, b in wanted) for start, end in places):
                    continue  # within a wanted form it may stand
                instead = f"; it is to be {shown(term.wanted)!r}" if term.wanted else ""
                message = f"{shown([form])!r} is forbidden{instead}"
                yield CaptionWarning(caption.meme_id, locale.tag, index, "glossary", message)


def check_together(
    captions: Iterable[Checked], asked: Collection[str] | None = None
) -> Iterator[CaptionWarning]:
    """Look over all captions of a language: names that are lost where nearly all other captions
    keep them, sources translated in two ways, different sources with one translation.

    Each deviating text is one warning, at the first caption that has it; a text is deviating that
    fewer captions have than another.

    Args:
        asked: the memes to warn about; all where it is None.
    """
    times, kept, lost = Counter[str](), Counter[str](), list[tuple[Checked, str]]()
    # By check and what is the same: by what differs, the captions, parts and texts that have it.
    groups = defaultdict[tuple[str, str], dict[str, list[tuple[Checked, int, str]]]](dict)
    for caption in captions:
        whole = "\n".join(caption.source), "\n".join(caption.parts)
        for name in names(whole[0]):
            times[name.casefold()] += 1
            if name.casefold() in whole[1].casefold():
                kept[name.casefold()] += 1
            elif asked is None or caption.meme_id in asked:
                lost.append((caption, name))
        for part, (source, text) in enumerate(zip(caption.source, caption.parts, strict=False)):
            if source.strip() and text.strip():
                same = groups["two ways", _folded(source)].setdefault(_letters(text), [])
                same.append((caption, part, text))
        same = groups["same text", _letters(whole[1])].setdefault(_folded(whole[0]), [])
        same.append((caption, -1, whole[0]))
    for caption, name in lost:
        count = times[name.casefold()]
        if count >= _NAME_CAPTIONS and kept[name.casefold()] / count >= _NAME_KEPT:
            message = f"the text lacks {name}, which other captions keep"
            yield CaptionWarning(caption.meme_id, caption.locale.tag, -1, "names", message)
    for (check, _), variants in groups.items():
        usual, *others = sorted(variants.values(), key=len, reverse=True)
        first, part, text = usual[0]
        if not others:
            continue
        counted = first.source[part] if part >= 0 else "\n".join(first.parts)
        if sum(word[0].isalpha() for word in words(counted, first.locale)) < _LEAST_WORDS[check]:
            continue
        for variant in others:
            about = [each for each in variant if asked is None or each[0].meme_id in asked]
            if not about:
                continue
            caption, part, own = about[0]
            if check == "same text":
                message = f"{first.meme_id} has the same text for another source: {text!r}"
                is_deviating = fuzz.ratio(own.casefold(), text.casefold()) < _SIMILAR
            else:
                message = f"the same source is translated otherwise in {first.meme_id}: {text!r}"
                # Within one meme, what is repeated may be worded in another way each time.
                is_deviating = caption.meme_id != first.meme_id
            if is_deviating:
                yield CaptionWarning(caption.meme_id, caption.locale.tag, part, check, message)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _letters(text: str) -> str:
    """Return a text without marks and spaces, which make no other translation."""
    return "".join(char for char in text.casefold() if unicodedata.category(char)[0] in "LMN")
