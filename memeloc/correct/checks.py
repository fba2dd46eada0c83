"""Checks of corrected captions. In: captions and their boxes. Out: warnings.

Warnings are for people: nothing is ever changed by them. A false warning is worse than one that is
missing: people stop reading them. `check` looks at each part of a caption, `check_terms` for a
glossary's terms, `check_together` for what only several captions tell.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, zip_longest

from rapidfuzz import fuzz

from memeloc.damaged_text import damage
from memeloc.glossary import Term, shown, terms_in
from memeloc.locales.tags import count_scripts, letter_scripts
from memeloc.locales.words import SearchedText, words
from memeloc.model import Locale

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+(?:[.,:٫٬]\d+)*")
_GROUPED = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'’](?=\d{3}(?!\d))")
_FULL_HOUR = re.compile(r"(?<=\d)\s?[:.,hH]\s?00(?![.,]?\d)")
_AFTERNOON = re.compile(r"(\d{1,2})([:.]\d\d)?\s?p\.?\s?m\b", re.IGNORECASE)
_ALWAYS = re.compile(r"(?<!\d)24\s?/\s?7(?!\d)")
"""Said in other words in most languages."""
_IN_WORDS = {*map(str, range(13)), "20", "100", "1000"}
"""Numbers that are written as words often enough."""

_HANDLE = re.compile(r"(?<![\w.@＠])[@＠]\w{2,}|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HASHTAG = re.compile(r"(?<!\w)[#＃](?=\w*[^\W\d_])\w+")
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"]*[^\s<>\".,;:!?)\]]")
_MARK = re.compile("[@＠#＃]|//|www")
"""What one of these has."""

_TOKEN = re.compile(r"[^\W\d_]+|\n|[^\w\s'’]")
_SENTENCE_ENDS = frozenset('.!?…:;\n"“”„«»‘(—–-/•|')


def lost_numbers(source: str, text: str) -> tuple[list[str], list[str]]:
    """Return the numbers of a source that its translation lacks, and those that it has instead.

    >>> lost_numbers("19 tabs at 8 pm", "20:00 वजे १८ टैब")
    (['19'], ['18'])
    """
    if not _DIGIT.search(source):
        return [], []
    plain = _plain(_ALWAYS.sub("", source))
    before, after = (
        [re.sub(r"\D", "", number) for number in _NUMBER.findall(each)]
        for each in (plain, _plain(text))
    )
    lost, new = Counter(before) - Counter(after), Counter(after) - Counter(before)
    # 6:30 may become 6 h 30, which is two.
    if not lost or "".join(before) == "".join(after):
        return [], []
    later = {}
    for hour, minutes in _AFTERNOON.findall(plain):
        rest = minutes.strip(":.")
        later[str(int(hour)) + rest] = later[hour + rest] = str(int(hour) + 12) + rest
    for number in list(lost.elements()):
        for other in new:
            # 5k and 5000, 10,000 and 1万: one is the other times a hundred or more.
            short, long = sorted((number, other), key=len)
            is_scaled = len(long) - len(short) > 1 and long == short.ljust(len(long), "0")
            if is_scaled or later.get(number) == other:
                lost -= Counter([number])
                new -= Counter([other])
                break
    numerals = (char for char in text if unicodedata.numeric(char, None) is not None)
    is_in_words = lost.keys() <= _IN_WORDS or not all(map(str.isdecimal, numerals))
    if not new and is_in_words:
        return [], []
    return list(lost.elements()), list(new.elements()) if lost else []


def _plain(text: str) -> str:
    """Return the text with ASCII digits, without what groups them and full hours' minutes."""
    plain = "".join(str(unicodedata.decimal(char, char)) for char in text)
    return re.sub(r"(?<![\d.,:])0(?=\d[:h])", "", _FULL_HOUR.sub("", _GROUPED.sub("", plain)))


def lost_marks(source: str, text: str) -> Iterator[str]:
    """Yield the handles of a source that its translation lacks; hashtags and addresses, where the
    translation has fewer of them: they may have been translated."""
    if not _MARK.search(source):
        return
    folded = text.casefold()
    for pattern, exact in ((_HANDLE, True), (_HASHTAG, False), (_ADDRESS, False)):
        marks = list(dict.fromkeys(pattern.findall(source)))
        if exact or len(set(pattern.findall(text))) < len(marks):
            yield from (mark for mark in marks if mark.casefold() not in folded)


def names(source: str) -> list[str]:
    """Return the words of a text that begin with a capital within a sentence.

    In headings, where most words do, and in text that is all capitals, there are none.

    >>> names("When Ada meets Monday. The end")
    ['Ada', 'Monday']
    """
    if not any(map(str.isupper, source[1:])):
        return []
    capitalised, total, begins = [], 0, True
    for token in _TOKEN.findall(source):
        if token.isalpha():
            total += 1
            if not begins and len(token) > 2 and token[0].isupper() and not token.isupper():
                capitalised.append(token)
        begins = token in _SENTENCE_ENDS
    # In five words, of which most begin with a capital, capitals do not tell names.
    return capitalised if total < 5 or len(capitalised) < total / 2 else []


def is_written_by_its_owner(word: str) -> bool:
    """Return whether capitals stand within a word, as in the names that companies write so.

    >>> [is_written_by_its_owner(word) for word in ("YouTube", "Tube", "TUBE")]
    [True, False, False]
    """
    return len(word) > 3 and any(a.islower() and b.isupper() for a, b in pairwise(word))


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


def _beside_the_source(part: _Part) -> Iterator[tuple[str, str]]:
    caption, source, text = part.caption, part.source, part.text
    if source.strip() and not text.strip():
        yield "part", "the part is empty, the source's is not"
        return
    if not text.strip():
        return
    if not source.strip():
        yield "part", "the part has text, the source's is empty"
    both = (source.casefold(), text.casefold())
    bare, other = ("".join(filter(str.isalnum, each)) for each in both)
    if bare == other and caption.source_language.split("-")[0] != part.language:
        # Names, numbers, exclamations and borrowed words are the same in many languages.
        plain = _CODE.sub("", source)
        ordinary = set(words(plain, caption.locale)) - set(names(plain))
        different = {word.casefold() for word in ordinary if len(word) > 1 and word[0].isalpha()}
        is_left = len(different) > 1 or any(len(word) > 3 and word.islower() for word in ordinary)
        if set(count_scripts(plain)) & part.scripts:
            is_left = len(different) > 2
        if is_left:
            yield "same as source", "the text is the same as the source"
    # Fewer capitals may be an abbreviation.
    is_cased = caption.locale.script in _CASED and sum(map(str.isupper, text)) > 5
    if is_cased and text.isupper() and any(map(str.islower, source)):
        yield "capitals", "the text is all in capitals, the source is not"
    lost, new = lost_numbers(source, text)
    # Another part may have taken it, where the order of words is another.
    if lost and lost_numbers(*part.whole)[0]:
        instead = f", {', '.join(new)} instead" if new else ""
        yield "numbers", f"the number {', '.join(lost)} is gone{instead}"
    marks = [mark for mark in lost_marks(source, text) if mark in lost_marks(*part.whole)]
    marks += [
        word
        for word in _WORD.findall(_CODE.sub("", source))
        if is_written_by_its_owner(word)
        and set(count_scripts(word)) <= part.scripts
        and word.casefold() not in part.whole[1].casefold()
    ]
    if marks:
        yield "names", f"the text lacks {', '.join(dict.fromkeys(marks))}"


def _letters_of(part: _Part) -> Iterator[tuple[str, str]]:
    text, locale = part.text, part.caption.locale
    for found in damage(text, locale):
        yield "damaged text", f"{found.sentence[:1].lower()}{found.sentence[1:].rstrip('.')}"
    plain = _CODE.sub("", text)
    if _other_scripts(plain, part.scripts) and text.strip() != part.source.strip():
        # Names may stay as they are.
        source_words = {
            word.casefold() for word in _WORD.findall(part.source) if word != word.lower()
        }
        rest = [word for word in words(plain, locale) if word.casefold() not in source_words]
        if others := _other_scripts("".join(rest), part.scripts):
            yield "script", f"most letters are {', '.join(sorted(others))}, not {locale.script}"
    hidden = set(_HIDDEN.findall(text))
    if hidden := hidden - set("\u200b" if part.language in _SPACE_BREAKERS else ""):
        characters = sorted(unicodedata.name(char, f"U+{ord(char):04X}") for char in hidden)
        yield "hidden characters", f"holds invisible characters: {', '.join(characters)}"
    if _CONTROL.search(text):
        yield "hidden characters", "holds control or broken characters"
    lacking = part.caption.lacking
    if lacking is not None and (clusters := sorted(set(lacking(text)))):
        yield "fonts", f"no font draws {' '.join(clusters)}"


def _other_scripts(text: str, expected: frozenset[str]) -> set[str]:
    """Return the unexpected scripts of a text that is mostly in them."""
    scripts = count_scripts(text)
    total = scripts.total()
    inside = sum(scripts[script] for script in expected)
    return set(scripts) - expected if total > 3 and inside < total / 2 else set()


def _marks_of(part: _Part) -> Iterator[tuple[str, str]]:
    text, locale = part.text, part.caption.locale
    for opening, closing in zip(_OPENING, _CLOSING, strict=True):
        if opening == "“" and part.language in _OTHER_QUOTES:
            continue
        if text.count(opening) != text.count(closing):
            yield "punctuation", f"{opening} and {closing} do not pair up"
    if text.count('"') % 2:
        yield "punctuation", 'an odd number of " marks'
    if locale.script in _FULL_WIDTH and _HALF.search(text):
        yield "punctuation", "half-width punctuation after an ideograph or kana"
    for opening, closing in (("¿", "?"), ("¡", "!")):
        if locale.tag == "es" and closing in text and opening not in text:
            yield "punctuation", f"{closing} without {opening}"
    asks, asked = (_ASKING.search(each) is not None for each in (text, part.source))
    if asks != asked and locale.script not in _UNASKED:
        yield "punctuation", "only one of source and text ends with a question mark"
    if _SPACES.search(text):
        yield "spaces", "two spaces in a row"
    if part.size < locale.smallest_size:
        yield "capacity", f"too long for its box: it would be set at {part.size:.0f} pixels"


CHECKS = (
    "part", "same as source", "capitals", "damaged text", "script", "hidden characters",
    "punctuation", "numbers", "names", "spaces", "capacity", "fonts",
)  # fmt: skip
"""All checks, by the name they have in a report, in its order."""


def check(item: Checked) -> list[CaptionWarning]:
    """Run every check on a caption."""
    sizes = [*item.sizes, *[math.inf] * max(len(item.source), len(item.parts))]
    texts = zip_longest(item.source, item.parts, fillvalue="")
    whole = " ".join(item.source), " ".join(item.parts)
    language, scripts = item.locale.tag.split("-")[0], letter_scripts(item.locale.script)
    warnings = list[CaptionWarning]()
    for index, ((source, text), size) in enumerate(zip(texts, sizes, strict=False)):
        part = _Part(item, source, text, size, whole, language, scripts)
        found = _beside_the_source(part)
        if text.strip():
            found = chain(found, _letters_of(part), _marks_of(part))
        warnings += [CaptionWarning(item.meme_id, item.locale.tag, index, *each) for each in found]
    warnings.sort(key=lambda warning: CHECKS.index(warning.check))
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
    times, unchanged, lost = Counter[str](), Counter[str](), list[tuple[Checked, str]]()
    # By check and what is the same: by what differs, the captions, parts and texts that have it.
    groups = defaultdict[tuple[str, str], dict[str, list[tuple[Checked, int, str]]]](dict)
    for caption in captions:
        whole = "\n".join(caption.source), "\n".join(caption.parts)
        for name in names(whole[0]):
            times[name.casefold()] += 1
            if name.casefold() in whole[1].casefold():
                unchanged[name.casefold()] += 1
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
        if count >= _NAME_CAPTIONS and unchanged[name.casefold()] / count >= _NAME_KEPT:
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
            caption, part, spelling = about[0]
            if check == "same text":
                message = f"{first.meme_id} has the same text for another source: {text!r}"
                is_deviating = fuzz.ratio(spelling.casefold(), text.casefold()) < _SIMILAR
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
