"""Options as they were shown. In: their markers and names. Out: where a text chooses them.

A marker is recognised in other alphabets and digits, by its place: where `a` and `b` were shown,
`ख` is the second. A name is recognised in other words and languages by the concepts of the files
of languages: `Hassrede` is `Hate`, and `not hateful` its contrary `Non-hate`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from memeloc.evaluate.choices.languages import (
    END_OF_WORD,
    WORD,
    any_of,
    folded,
    has_words,
    languages,
    phrases,
    refusals,
    words_of,
)

BOTH, CONTRADICTION = -1, -2
"""In the place of an option: several are chosen; a marker contradicts the name beside it."""

_ALPHABETS = re.split(
    r"\s+\|\s+",
    """\
a b c d e f g h i j k l m n o p q r s t u v w x y z | а в с | а б в г д е ж з | α β γ δ ε ζ η θ
| क ख ग घ ङ | अ ब स द | ए बी सी डी ई | ا ب ج د ه | ا ب ت ث ج | الف ب پ ت | א ב ג ד ה | ক খ গ ঘ ঙ
| அ ஆ இ ஈ | ก ข ค ง จ | 가 나 다 라 마 | ㄱ ㄴ ㄷ ㄹ | ア イ ウ エ オ | あ い う え お
| 甲 乙 丙 丁 戊 | 1 2 3 4 5 6 7 8 9 10 11 12 | 一 二 三 四 五 | १ २ ३ ४ ५""",
)
"""Letters and digits that count options. The first that has all markers shown is theirs; in the
others a letter means the option at its place."""
ARTICLES = frozenset("aeiouyаиоуявксεηοאהוכابو")
"""Markers that are words of some language too (an article, "and", "in")."""
CLAUSE = ".,;:!?\n()。，；：！？、।…"

Side = tuple[str, bool]
"""A concept, and whether it or its contrary is meant."""


class Hit(NamedTuple):
    """An option's place (or BOTH, CONTRADICTION), and from where to where it was read."""

    option: int
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Options:
    """Options and their meanings.

    Attributes:
        markers, names: folded, in the order shown; labels: the names as they were.
        letters: places by marker, of other alphabets too where no marker shown is written so.
        marker: a marker as a word of its own.
        sides: the places of concepts; two options with one concept are each other's contraries.
        patterns: words for a side.
        lists: all options, or rows of them, one after the other.
    """

    markers: tuple[str, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    letters: dict[str, int]
    marker: re.Pattern[str]
    sides: dict[Side, int]
    patterns: tuple[tuple[re.Pattern[str], Side], ...]
    lists: re.Pattern[str]

    def mentions(self, text: str) -> list[Hit]:
        """Return where a folded text names options, in order, negations included."""
        hits = sorted(
            (match.start(), -match.end(), side)
            for pattern, side in self.patterns
            for match in pattern.finditer(text)
        )
        mentions: list[Hit] = []
        taken, last = 0, ""
        for start, minus_end, (concept, positive) in hits:
            end = -minus_end
            if start < taken:  # `non-hate` and `hate speech` in `non-hate speech`: one mention
                if concept == last and end > taken:
                    mentions[-1] = mentions[-1]._replace(end=end)
                    taken = end
                continue
            before, taken = negation(text, start, end, taken)
            place = self.sides.get((concept, positive == (before == start and taken == end)))
            last = concept if place is not None else ""
            if place is not None:
                mentions.append(Hit(place, before, taken))
        return mentions


@lru_cache(maxsize=4096)
def known_options(shown: tuple[tuple[str, str], ...]) -> Options:
    """Return options and their meanings, worked out once."""
    names = tuple(" ".join(folded(name).split()) for _, name in shown)
    markers = tuple(folded(marker).strip(" .):(-[]") for marker, _ in shown)
    letters: dict[str, int] = {}
    for alphabet in map(str.split, _ALPHABETS if any(markers) else ()):
        if not {*markers} & {*alphabet}:
            for place, letter in enumerate(alphabet[: len(names)]):
                letters.setdefault(folded(letter), place)
    letters |= {marker: place for place, marker in enumerate(markers) if marker}
    longest = sorted(letters, key=lambda letter: (-len(letter), letter))
    sides = _sides(names)
    words: dict[Side, list[str]] = {}
    for name, (concept, is_meant) in zip(names, sides, strict=True):
        words.setdefault((concept, is_meant), []).append(name)
        words.setdefault((concept, True), []).extend(phrases(concept))
        words.setdefault((concept, False), []).extend(phrases(f"{concept}_not"))
    places = {side: place for place, side in enumerate(sides)}
    if len(sides) == 2 and sides[0][0] != sides[1][0]:
        places |= {(concept, not is_meant): 1 - n for n, (concept, is_meant) in enumerate(sides)}
    rows = [
        re.escape(marker) + r"\W{0,4}" + re.escape(name).replace(r"\ ", r"\s+")
        for marker, name in zip(markers, names, strict=True)
    ]
    between = r"(?:\W{0,8}|\W{1,4}(?:\w{1,4}|oder|atau|veya|또는)\W{1,4})"
    return Options(
        markers,
        names,
        tuple(name for _, name in shown),
        letters,
        re.compile(f"(?:{'|'.join(map(re.escape, longest)) or '(?!)'}){END_OF_WORD}"),
        places,
        tuple((re.compile(words_of(each)), side) for side, each in words.items() if each),
        re.compile(rf"(?<!\w)\W?{between.join(rows)}(?!\w)|(?!)"),
    )


@cache
def _concepts() -> dict[str, re.Pattern[str]]:
    names = {name for lists in languages().values() for name in lists if name.startswith("names.")}
    return {name: re.compile(any_of(name)) for name in sorted(names)}


def _sides(names: Sequence[str]) -> list[Side]:
    """Return what names mean; one that means what another means too has a concept of its own."""
    possible: list[list[Side]] = []
    for name in names:
        meanings: list[Side] = []
        for key, pattern in _concepts().items():
            concept = key.removesuffix("_not")
            match = pattern.search(name)
            if match is not None and match.group() == name:
                meanings.append((concept, key == concept))
            elif match is not None and key == concept:
                start, end = negation(name, *match.span(), 0)
                rest = f"{name[:start]} {name[end:]}".split()
                if (start, end) != match.span() and len(rest) <= 2:
                    meanings.append((concept, False))
        possible.append(meanings)
    positive = {concept for meanings in possible for concept, is_meant in meanings if is_meant}
    sides = [
        min(meanings, key=lambda side: (not side[1], side[0] not in positive), default=(name, True))
        for name, meanings in zip(names, possible, strict=True)
    ]
    sides = [
        side if sides.count(side) == 1 else (name, True)
        for name, side in zip(names, sides, strict=True)
    ]
    for place, name in enumerate(names):  # "not tea" beside "tea"
        for other in sorted({*names} & {concept for concept, _ in sides} - {name}):
            at = name.find(other)
            if at >= 0 and negation(name, at, at + len(other), 0) == (0, len(name)):
                sides[place] = (other, False)
    return sides


@cache
def _around() -> dict[str, re.Pattern[str]]:
    """Return patterns of negations, and of what may stand around an option."""
    marks = f"[^{WORD}]*"
    glued = r"|(?<!\w)(?:non|un|in|anti)$|\w+n't"
    patterns = {
        "before": any_of("before") + glued,
        **{name: any_of(name) for name in ("after", "only", "but")},
        "opening": rf"{marks}(?:{any_of('option')}{marks})?",
        "joined": rf"[\s*'\")\].]*(?:{any_of('and')}|[,/&|+、，\n])[\s*'\"(\[]*",
        "wrong": rf"{marks}{any_of('wrong')}",
        "ends": rf"{marks}(?:(?:{'|'.join(map(re.escape, phrases('ends')))}){marks})?",
        "because": rf"{marks}{any_of('because')}",
        "because of a": rf"{marks}{any_of('because', language='en')}",
    }
    return {name: re.compile(pattern) for name, pattern in patterns.items()}


def negation(text: str, start: int, end: int, taken: int) -> tuple[int, int]:
    """Return from where to where a mention stands with its negation, if it has one.

    A negation before it stands in the same clause, at most 60 letters off (8 in scripts without
    spaces); one behind it at most 25. One negation goes with the next name only: `taken` is where
    the name before ends.
    """
    patterns = _around()
    clause = max([taken, start - 60, *(text.rfind(mark, 0, start) + 1 for mark in CLAUSE)])
    for match in patterns["but"].finditer(text, clause, start):
        clause = match.end()
    head = patterns["only"].sub(lambda match: "_" * len(match.group()), text[clause:start])
    for match in patterns["before"].finditer(head):
        if len(head) - match.end() <= 8 or not _is_unspaced(match.group()):
            return clause + match.start(), end
    stops = [place for mark in CLAUSE if (place := text.find(mark, end)) >= 0]
    tail = patterns["but"].split(text[end : min([len(text), end + 25, *stops])])[0]
    behind = patterns["after"].search(tail)
    if behind is not None and (behind.start() <= 8 or not _is_unspaced(behind.group())):
        return start, end + behind.end()
    return start, end


def _is_unspaced(text: str) -> bool:
    return any("\u3040" <= letter <= "\u9fff" or letter >= "\uac00" for letter in text)


_CLOSED = re.compile(
    r"(?!\.\w\.)['\"’”»」*`_]*\s*[.:;,!?)\]}|/=>。，：；）、！？-]|[*`\"”»」_]|\s*\n|\W*$"
)
"""What follows a marker that stands for itself."""
_FILL = re.compile(r"\W*(?:a|an|the|eine?|das|un|una|uno|le|la|el|it is|this is|es|ist|yes|no)?\W*")
"""What may stand before a name at the beginning."""


def option_at(text: str, options: Options) -> Hit | None:
    """Return the option at the beginning of a folded text: a marker, a name, or both.

    A marker counts where something other than a further word follows: "a meme" has none.
    """
    patterns = _around()
    led = patterns["opening"].match(text)
    at = led.end() if led else 0
    match = options.marker.match(text, at)
    name = _name_at(text, options, at, is_strict=match is not None)
    if name is not None and (match is None or name.end > match.end() + 3):
        link = patterns["joined"].match(text, name.end)
        other = _name_at(text, options, link.end(), is_strict=True) if link else None
        if other is not None and other.option != name.option:
            return Hit(BOTH, at, other.end)
        bracket = re.compile(r"\s*[(\[]\s*(\w+)\s*[)\]]").match(text, name.end)  # `Hate (a)`
        place = options.letters.get(bracket[1], name.option) if bracket else name.option
        return Hit(name.option if place == name.option else CONTRADICTION, at, name.end)
    if match is None:
        return None
    letter, end = match.group(), match.end()
    place = options.letters[letter]
    link = patterns["joined"].match(text, end)
    another = options.marker.match(text, link.end()) if link else None
    if link and another and options.letters[another.group()] != place:
        follows = text[another.end() :]  # `a and b`, `a/b`, `a, b`, or alone on a line
        if not re.match(r"\s*\w" if "\n" in link.group() else r"\s+\w\w+\s+\w", follows):
            return Hit(BOTH, at, end)
    word = has_words(text, end)
    beside_at = word.start() if word else len(text)
    beside = _name_at(text, options, beside_at, is_strict=True)
    # `class 2 is`, but not `2 cats`
    is_article = (letter in ARTICLES or letter.isdecimal()) and not has_words(text[:at])
    if beside is not None:
        is_word = is_article and not letter.isdecimal() and text[end:beside_at].isspace()
        is_same = is_word or beside.option == place
        return Hit(beside.option if is_same else CONTRADICTION, at, beside.end)
    rest = text[end:]
    stands_alone = (
        _CLOSED.match(rest)
        or patterns["ends"].fullmatch(rest)
        or patterns["because of a" if is_article else "because"].match(rest)
        or (not is_article and re.match(r"\s+\w\w", rest))
    )
    return Hit(place, at, end) if stands_alone and not patterns["wrong"].match(rest) else None


def option_alone(text: str, options: Options) -> Hit | None:
    """Return the option that a folded text consists of."""
    bare = text.strip()
    marked = re.match(r"a\s*:\s*(\w+)\W*$|\W*(?:\d{1,2}[.)]\s+)?(\w+)(?:\W+\2)*\W*$", bare)
    if marked is not None:  # `A: b` and `1) b` number the answer; `b b` repeats it
        marker = marked.group(1) or marked.group(2)
        is_numbered = bare[0].isdecimal() and "1" in options.markers
        if marker in options.markers and (marked.group(1) or not is_numbered):
            return Hit(options.markers.index(marker), 0, len(text))
    for place, pair in enumerate(zip(options.markers, options.names, strict=True)):
        if bare and bare in pair:
            return Hit(place, 0, len(text))
    hit = option_at(text, options)
    if hit is None or not _around()["ends"].fullmatch(text, hit.end):
        return None
    return Hit(hit.option, 0, len(text))


def _name_at(text: str, options: Options, at: int, *, is_strict: bool) -> Hit | None:
    """Return the option that is named at a place of a text, and where its name ends."""
    head = text[at : at + 400]
    for mention in options.mentions(head)[:1]:
        before = head[: mention.start]
        is_near = not has_words(before) or (not is_strict and _FILL.fullmatch(before))
        if is_near and not refusals().search(head[: mention.end]):
            return Hit(mention.option, at, at + mention.end)
    # Of a long name its first letters alone: an answer that was cut off.
    start = text[at:].strip(" .\"'*…")
    cut = [place for place, name in enumerate(options.names) if name.startswith(start)]
    return Hit(cut[0], at, len(text)) if len(start) >= 12 and len(cut) == 1 else None


_LINE = re.compile(
    rf"^[ \t>*#•-]*(?:[(\[（【]([{WORD}]{{1,3}})[)\]）】]"
    rf"|([{WORD}]{{1,3}})[*]{{0,2}}\s?[:.)：．、）-])"
    r"[:.：]?[*]{0,2}[ \t]*(\S.*?)[ \t]*$"
)
"""A line of a list of options: `a: Hate`, `(A) Hate`, `**1.** Hate`."""
_ROW = re.compile(rf"(?<![{WORD}])[(\[]?([{WORD}]{{1,2}})[)\]]?\s?[:.)：]\s*")
"""The beginning of an option in one line with others."""


def shown_options(prompt: str) -> list[tuple[str, str]]:
    """Return the options that a prompt lists, as markers and names; none where it lists none.

    Recognised by rule, in any language: lines one below the other that begin with the first, the
    second and further letters of an alphabet, or such options in one line. The last are taken.

    >>> shown_options("Choose:\\na: Hate\\nb: Non-hate\\n")
    [('a', 'Hate'), ('b', 'Non-hate')]
    """
    best: list[tuple[str, str]] = []
    run: list[tuple[str, str]] = []
    for line in prompt.splitlines():
        match = _LINE.match(line)
        if match is not None:
            pair = (match.group(1) or match.group(2), match.group(3).strip(" *\t;,"))
            run = next((to for to in ([*run, pair], [pair]) if _counts(to)), [])
        elif line.strip():
            run = []
        if len(run) >= 2 and len(run) >= (len(best) if run[:1] == best[:1] else 0):
            best = run
    for line in () if best else prompt.splitlines():
        marks: list[re.Match[str]] = []
        for mark in _ROW.finditer(line):
            longer = ([*marks, mark], [mark])
            marks = next((to for to in longer if _counts([(each[1], "") for each in to])), marks)
        if len(marks) >= 2:
            ends = [mark.start() for mark in marks[1:]] + [len(line)]
            best = [
                (mark[1], line[mark.end() : end].strip(" ,;.()[]"))
                for mark, end in zip(marks, ends, strict=True)
            ]
    return best


def _counts(pairs: Sequence[tuple[str, str]]) -> bool:
    """Return whether markers are the first letters of an alphabet."""
    markers = [folded(marker) for marker, _ in pairs]
    return any(
        [folded(letter) for letter in alphabet.split()[: len(markers)]] == markers
        for alphabet in _ALPHABETS
    )
