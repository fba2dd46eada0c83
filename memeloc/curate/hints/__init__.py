"""Where wordplay may be. In: a caption, and what is known of its picture. Out: hints, no verdicts.

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
from typing import Any, Literal

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
    if not _knows(item.language):
        return []
    words = _words(item.parts)
    about = [] if template is None else [template.name, template.description, *template.keywords]
    found = [
        *(Hint("idiom", text) for text in _idioms(words)),
        *(Hint("homophone", text) for text in _homophones(words, _words(about))),
    ]
    return list(dict.fromkeys(found))[:MOST]


def hint_line(item: Item, template: Item | None = None, by_model: Sequence[Hint] = ()) -> str:
    """Return the hints of lists and those of a model as one line; where there is no list, that."""
    if not _knows(item.language) and not by_model:
        return f"no hints: there are no lists for {item.language}, only for English"
    return in_words([*hints(item, template), *by_model])


def in_words(hints: Iterable[Hint]) -> str:
    """Return hints as one line, for a sheet's column."""
    return "; ".join(f"{hint.kind}: {hint.evidence}" for hint in hints)


def _knows(language: str) -> bool:
    return language.replace("_", "-").split("-")[0].lower() in ("", "en")


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
        if is_idiom and all(map(_fits, phrase, plain[begin:end])):
            yield f'"{" ".join(words[begin:end])}" is an idiom'
        elif not all(map(_fits, phrase, plain[begin:end])):
            yield f'"{" ".join(words[begin:end])}" plays on "{" ".join(phrase)}"'
    for at, word in enumerate(plain):
        for heard in _sounds().get(word.replace("-", ""), ()):
            changed = [*plain[:at], *heard, *plain[at + 1 :]]
            more = len(heard) - 1
            for begin, end, phrase, _ in _phrases_in(changed):
                whole = (begin, end - more)
                is_inside = any(a <= begin and end - more <= b for a, b in spans)
                if begin <= at < end - more and not is_inside and whole[1] - begin > 1 - more:
                    text = " ".join(words[begin : end - more])
                    yield f'"{text}" plays on "{" ".join(phrase)}"'


def _phrases_in(words: Sequence[str]) -> Iterator[tuple[int, int, tuple[str, ...], bool]]:
    """Yield where phrases stand, or are played on, which, and whether they are idioms.

    Of several in one place only the longest.
    """
    found: list[tuple[int, int, tuple[str, ...], bool]] = []
    for at in range(len(words)):
        for phrase, is_idiom in _phrases_from(words[at : at + 2]):
            here = words[at : at + len(phrase)]
            pairs = [pair for pair in zip(phrase, here, strict=False) if not _fits(*pair)]
            if len(here) < len(phrase) or len(pairs) > 1 or (pairs and len(phrase) < _SHORTEST):
                continue
            if all(_is_alike(*pair) for pair in pairs):
                found.append((at, at + len(phrase), phrase, is_idiom))
    for row in found:
        inside = (a <= row[0] and row[1] <= b and (a, b) != row[:2] for a, b, *_ in found)
        if not any(inside):
            yield row


def _phrases_from(words: Sequence[str]) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield phrases that may begin with the first of two words, or have the second in its place."""
    for place, word in enumerate(words):
        yield from _phrases()[place].get(_stem(word), ())
    yield from _phrases()[0].get("", ())


def _is_alike(wanted: str, word: str) -> bool:
    is_other = _means_something(word) and wanted not in _SLOTS and _stem(wanted) != _stem(word)
    return is_other and Levenshtein.normalized_similarity(wanted, word) >= _ALIKE


def _fits(wanted: str, word: str) -> bool:
    """Return whether a word of a caption is one of a phrase, or stands where it leaves room."""
    if wanted == "one's":
        return word in _OWNERS or word.endswith("'s")
    if wanted == "oneself":
        return word.endswith(("self", "selves"))
    return wanted == "someone" or _stem(word) == _stem(wanted)


def _homophones(words: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
    """Yield what sounds like something else, in words for people; `shown` names the picture."""
    plain = {_plain(word): word for word in words if _means_something(word)}
    for one, other in combinations(plain, 2):
        if (other,) in _sounds().get(one, ()):
            yield f'"{plain[one]}" and "{plain[other]}" sound the same'
    for name in shown:
        for word, text in plain.items():
            if _means_something(name) and (_plain(name),) in _sounds().get(word, ()):
                yield f'"{text}" sounds like "{name}" of the picture'
    for word in words:
        if heard := _lists()["heard"].get(_plain(word).replace("-", "")):
            yield f'"{word}" may be heard as "{heard}"'


def _means_something(word: str) -> bool:
    return len(word) >= _SHORTEST and _plain(word) not in _common()


@cache
def _lists() -> Mapping[str, Any]:
    folder = Path(__file__).parent
    files = (folder / "idioms.en.toml", folder / "homophones.en.toml")
    return {
        key: value
        for file in files
        for key, value in tomllib.loads(file.read_text("utf-8")).items()
    }


@cache
def _common() -> frozenset[str]:
    return frozenset(_lists()["common"].split())


@cache
def _irregular() -> Mapping[str, str]:
    forms = _lists()["irregular"].items()
    return {form: verb for verb, text in forms for form in text.split()}


@cache
def _phrases() -> tuple[Mapping[str, list[tuple[tuple[str, ...], bool]]], ...]:
    """Return phrases, and whether they are idioms, by the stems of their first and second words.

    Those that begin with any word stand under an empty one.
    """
    by_word: tuple[dict[str, list[tuple[tuple[str, ...], bool]]], ...] = ({}, {})
    for section in ("idioms", "phrases"):
        for line in filter(None, _lists()[section].splitlines()):
            phrase = tuple(map(_plain, _words([line])))
            for known, word in zip(by_word, phrase, strict=False):
                key = "" if word in _SLOTS else _stem(word)
                known.setdefault(key, []).append((phrase, section == "idioms"))
    return by_word


@cache
def _sounds() -> Mapping[str, list[tuple[str, ...]]]:
    sounds: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for line in filter(None, _lists()["groups"].splitlines()):
        group = line.lower().split()
        for word in group:
            sounds[word] += [(other,) for other in group if other != word]
    for word, heard in _lists()["heard"].items():
        sounds[word].append(tuple(heard.lower().split()))
    return dict(sounds)


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    """Return a word without its usual endings; only to compare with other stems.

    >>> [_stem(word) for word in ("kicks", "kicked", "kicking", "stopping", "tries", "tried")]
    ['kick', 'kick', 'kick', 'stop', 'try', 'try']
    """
    word = _irregular().get(word, word)
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
