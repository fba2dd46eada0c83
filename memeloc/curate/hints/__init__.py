"""Hints of wordplay. In: a caption, and what is known of its picture. Out: hints, no verdicts.

By lists, for English: idioms, set phrases in which a word stands for one that sounds or is spelt
like it, and words that sound alike. The lists miss most wordplay; people decide.

>>> from memeloc.items import Item, Origin
>>> item = Item("c", "caption", Origin("test", "c"), parts=("seas the day",), language="en")
>>> print(in_words(hints(item)))
idiom: "seas the day" plays on "seize the day"
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

from rapidfuzz.distance import Levenshtein

from memeloc.items import Item

MOST = 8  # hints that are given of a caption at the most
_LONGEST = 120  # words of a caption, and of what is known of a picture, that are looked at
_SHORTEST = 3
"""Letters of words that a hint is given of for their sound alone: shorter ones are everywhere."""
_ALIKE = 0.5
"""Share of letters that a word has in common with the one whose place it takes in a phrase of three
words or more. Of 120 puns written for a test 21 are seen by it and none of 120 plain captions;
at 0.4 "makes a strange noise" plays on "making a scene"."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?")
_OWNERS = frozenset(("my", "your", "his", "her", "its", "our", "their", "one's", "whose"))
_SLOTS = frozenset(("one's", "oneself", "someone"))


Phrase = tuple[tuple[str, ...], bool]  # its words, and whether it is an idiom


class _Lists(NamedTuple):
    """The lists: words that say little, verbs by their forms without a usual ending, phrases by the
    stems of their first and of their second words (that begin with any word, under an empty one),
    what sounds like a word, each as words, and what a word may be heard as."""

    common: frozenset[str]
    irregular: Mapping[str, str]
    phrases: tuple[Mapping[str, list[Phrase]], Mapping[str, list[Phrase]]]
    sounds: Mapping[str, list[tuple[str, ...]]]
    heard: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Hint:
    """Something that may be wordplay: of which kind, and for people which words, and why."""

    kind: Literal["homophone", "idiom", "model"]
    evidence: str


def hints(item: Item, template: Item | None = None) -> list[Hint]:
    """Return what may be wordplay in a caption, or in a picture's text, by lists.

    One that is not in English has no hints; one of unknown language counts as English. The template
    is for puns on what the picture shows.
    """
    if not _is_english(item):
        return []
    words = _words(item.parts)
    about = [] if template is None else [template.name, template.description, *template.keywords]
    found = [
        *(Hint("idiom", text) for text in _idioms(words)),
        *(Hint("homophone", text) for text in _homophones(words, _words(about))),
    ]
    return list(dict.fromkeys(found))[:MOST]


def hint_line(item: Item, template: Item | None = None) -> str:
    """Return the hints of lists as one line; where there is no list, that."""
    if not _is_english(item):
        return f"no hints: there are no lists for {item.language}, only for English"
    return in_words(hints(item, template))


def in_words(hints: Iterable[Hint]) -> str:
    """Return hints as one line, for a sheet's column."""
    return "; ".join(f"{hint.kind}: {hint.evidence}" for hint in hints)


def _is_english(item: Item) -> bool:
    return item.language.replace("_", "-").split("-")[0].lower() in ("", "en")


def _words(texts: Sequence[str]) -> list[str]:
    whole = unicodedata.normalize("NFKC", "\n".join(texts))
    return [match[0].rstrip("'’") for match in _WORD.finditer(whole)][:_LONGEST]


def _plain(word: str) -> str:
    return word.lower().replace("’", "'")


def _idioms(words: Sequence[str]) -> Iterator[str]:
    """Yield idioms that stand in a caption, and phrases that are played on, in words for people."""
    plain = [_plain(word) for word in words]
    spans = []
    for begin, end, phrase, is_idiom in _phrases_in(plain):
        spans.append((begin, end))
        is_whole = all(map(_fits, phrase, plain[begin:end]))
        if is_idiom and is_whole:
            yield f'"{" ".join(words[begin:end])}" is an idiom'
        elif not is_whole:
            yield f'"{" ".join(words[begin:end])}" plays on "{" ".join(phrase)}"'
    for at, word in enumerate(plain):
        for heard in _lists().sounds.get(word.replace("-", ""), ()):
            more = len(heard) - 1
            for begin, last, phrase, _ in _phrases_in([*plain[:at], *heard, *plain[at + 1 :]]):
                end = last - more
                is_inside = any(a <= begin and end <= b for a, b in spans)
                if begin <= at < end and not is_inside and end - begin > 1 - more:
                    yield f'"{" ".join(words[begin:end])}" plays on "{" ".join(phrase)}"'


def _phrases_in(words: Sequence[str]) -> list[tuple[int, int, tuple[str, ...], bool]]:
    """Return where phrases stand, or are played on, which, and whether they are idioms.

    Of several in one place only the longest. In a phrase of three words or more one word may be
    another that has letters in common with it.
    """
    found: list[tuple[int, int, tuple[str, ...], bool]] = []
    first, second = _lists().phrases
    for at, word in enumerate(words):
        after = second.get(_stem(words[at + 1]), []) if at + 1 < len(words) else []
        for phrase, is_idiom in [*first.get(_stem(word), []), *after, *first.get("", [])]:
            here = words[at : at + len(phrase)]
            others = [pair for pair in zip(phrase, here, strict=False) if not _fits(*pair)]
            if len(here) < len(phrase) or len(others) > (len(phrase) >= _SHORTEST):
                continue
            if all(
                _says_much(other)
                and wanted not in _SLOTS
                and _stem(wanted) != _stem(other)
                and Levenshtein.normalized_similarity(wanted, other) >= _ALIKE
                for wanted, other in others
            ):
                found.append((at, at + len(phrase), phrase, is_idiom))
    return [
        row
        for row in found
        if not any(a <= row[0] and row[1] <= b and (a, b) != row[:2] for a, b, *_ in found)
    ]


def _fits(wanted: str, word: str) -> bool:
    """Return whether a word of a caption is one of a phrase, or stands where it leaves room."""
    if wanted == "one's":
        return word in _OWNERS or word.endswith("'s")
    if wanted == "oneself":
        return word.endswith(("self", "selves"))
    return wanted == "someone" or _stem(word) == _stem(wanted)


def _homophones(words: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
    """Yield what sounds like something else, in words for people; `shown` names the picture."""
    sounds, heard = _lists().sounds, _lists().heard
    plain = {_plain(word): word for word in words if _says_much(word)}
    for one, other in combinations(plain, 2):
        if (other,) in sounds.get(one, ()):
            yield f'"{plain[one]}" and "{plain[other]}" sound the same'
    for name in filter(_says_much, shown):
        for word, text in plain.items():
            if (_plain(name),) in sounds.get(word, ()):
                yield f'"{text}" sounds like "{name}" of the picture'
    for word in words:
        if meant := heard.get(_plain(word).replace("-", "")):
            yield f'"{word}" may be heard as "{meant}"'


def _says_much(word: str) -> bool:
    return len(word) >= _SHORTEST and _plain(word) not in _lists().common


@cache
def _lists() -> _Lists:
    folder = Path(__file__).parent
    names = ("idioms.en.toml", "homophones.en.toml")
    idioms, sounds_alike = (tomllib.loads((folder / name).read_text("utf-8")) for name in names)
    values = idioms | sounds_alike
    forms = {form: verb for verb, text in values["irregular"].items() for form in text.split()}
    sounds: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for line in filter(None, values["groups"].splitlines()):
        group = line.lower().split()
        for word in group:
            sounds[word] += [(other,) for other in group if other != word]
    for word, heard in values["heard"].items():
        sounds[word].append(tuple(heard.lower().split()))
    phrases: tuple[dict[str, list[Phrase]], dict[str, list[Phrase]]] = ({}, {})
    for section in ("idioms", "phrases"):
        for line in filter(None, values[section].splitlines()):
            phrase = tuple(map(_plain, _words([line])))
            for by_word, word in zip(phrases, phrase, strict=False):
                key = "" if word in _SLOTS else _stem_of(word, forms)
                by_word.setdefault(key, []).append((phrase, section == "idioms"))
    common = frozenset(values["common"].split())
    return _Lists(common, forms, phrases, dict(sounds), values["heard"])


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return _stem_of(word, _lists().irregular)


def _stem_of(word: str, irregular: Mapping[str, str]) -> str:
    """Return a word without its usual endings; only to compare with other stems.

    >>> [_stem_of(word, {}) for word in ("kicks", "kicked", "kicking", "stopping", "tried")]
    ['kick', 'kick', 'kick', 'stop', 'try']
    """
    word = irregular.get(word, word)
    for ending in ("'s", "ing", "ied", "ies", "ed", "es", "s"):
        begin = word[: -len(ending)]
        if not word.endswith(ending) or len(begin) < 2:
            continue
        if ending in ("ied", "ies"):
            return begin + "y"
        if not re.search("[aeiouy]", begin):
            continue
        if ending == "s" and word.endswith(("ss", "us", "is")):
            break
        if ending == "es" and not begin.endswith(("s", "x", "z", "ch", "sh", "o")):
            continue
        if ending in ("ing", "ed") and begin[-1] == begin[-2] and begin[-1] not in "lsz":
            begin = begin[:-1]
        return begin[:-1] if begin.endswith("e") and len(begin) > 3 else begin
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
