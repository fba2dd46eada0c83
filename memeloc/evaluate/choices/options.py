"""Options as they were shown. In: their markers and names. Out: what in a text means each of them.

A marker is recognised in other alphabets and digits, by its place: where `a` and `b` were shown,
`ख` is the second. A name is recognised in other words and languages by the concepts of the files
of languages: `Hassrede` is `Hate`, and `not hateful` its contrary `Non-hate`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from memeloc.evaluate.choices.folding import END_OF_WORD, WORD, folded
from memeloc.evaluate.choices.languages import any_of, gather, languages

_ALPHABETS = (
    "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "а в с",
    "а б в г д е ж з",
    "α β γ δ ε ζ η θ",
    "क ख ग घ ङ",
    "अ ब स द",
    "ए बी सी डी ई",
    "ا ب ج د ه",
    "ا ب ت ث ج",
    "الف ب پ ت",
    "א ב ג ד ה",
    "ক খ গ ঘ ঙ",
    "அ ஆ இ ஈ",
    "ก ข ค ง จ",
    "가 나 다 라 마",
    "ㄱ ㄴ ㄷ ㄹ",
    "ア イ ウ エ オ",
    "あ い う え お",
    "甲 乙 丙 丁 戊",
    "1 2 3 4 5 6 7 8 9 10 11 12",
    "一 二 三 四 五",
    "१ २ ३ ४ ५",
)
"""Letters and digits that count options. The first that has all markers shown is theirs; in the
others a letter means the option at its place."""

_ARTICLES = frozenset("aeiouyаиоуявксεηοאהוכ") | {"ا", "ب", "و"}
"""Markers that are words of some language too (an article, "and", "in")."""

_CLAUSE = ".,;:!?\n()。，；：！？、।…"
Side = tuple[str, bool]
"""A concept, and whether it or its contrary is meant."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Where a text names an option: from `start`, a negation included, to `end`."""

    start: int
    end: int
    option: int


@dataclass(frozen=True, eq=False)
class Options:
    """Options and their meanings.

    Attributes:
        markers: folded, in the order shown.
        names: folded; labels: as they were given.
        sides: what each name means; two options with one concept are each other's contraries.
    """

    markers: tuple[str, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    sides: tuple[Side, ...]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def by_marker(self) -> dict[str, int]:
        """Of each marker as shown its place."""
        return {marker: place for place, marker in enumerate(self.markers) if marker}

    @cached_property
    def by_equal(self) -> dict[str, int]:
        """The same of other alphabets, where no marker shown is written so."""
        equal: dict[str, int] = {}
        own = set(self.markers)
        if not any(self.markers):
            return {}
        for alphabet in _ALPHABETS:
            letters = alphabet.split()
            if own.isdisjoint(letters):
                for place, letter in enumerate(letters[: len(self)]):
                    equal.setdefault(folded(letter), place)
        return {letter: place for letter, place in equal.items() if letter not in own}

    @cached_property
    def by_side(self) -> dict[Side, int]:
        """Of a concept, or its contrary, the option that means it."""
        sides = {side: place for place, side in enumerate(self.sides)}
        if len(self) == 2 and self.sides[0][0] != self.sides[1][0]:
            for place, (concept, positive) in enumerate(self.sides):
                sides[concept, not positive] = 1 - place
        return sides

    @cached_property
    def marker_pattern(self) -> re.Pattern[str]:
        """A marker as a word of its own, of the own alphabet or another."""
        letters = sorted([*self.by_marker, *self.by_equal], key=lambda each: (-len(each), each))
        return re.compile(f"(?:{'|'.join(map(re.escape, letters)) or '(?!)'}){END_OF_WORD}")

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], Side]]:
        phrases: dict[Side, list[str]] = {}
        for name, side in zip(self.names, self.sides, strict=True):
            phrases.setdefault(side, []).append(name)
        for concept in sorted({concept for concept, _ in self.sides}):
            phrases.setdefault((concept, True), []).extend(_concepts().get(concept, ()))
            phrases.setdefault((concept, False), []).extend(_concepts().get(f"{concept}_not", ()))
        return [(re.compile(any_of(words)), side) for side, words in phrases.items() if words]

    def mentions(self, text: str) -> list[Mention]:
        """Where a folded text names options, in order; the longest of those that overlap."""
        hits = [
            (match.start(), match.end(), side)
            for pattern, side in self._patterns
            for match in pattern.finditer(text)
        ]
        hits.sort(key=lambda hit: (hit[0], -hit[1], hit[2]))
        mentions: list[Mention] = []
        taken, last = 0, ""
        for start, end, (concept, positive) in hits:
            if start < taken:  # `non-hate` and `hate speech` in `non-hate speech`: one mention
                if concept == last and end > taken:
                    mentions[-1] = replace(mentions[-1], end=end)
                    taken = end
                continue
            before, after = negation(text, start, end, taken)
            if start - before or after - end:
                positive = not positive
            taken = after
            place = self.by_side.get((concept, positive))
            last = concept if place is not None else ""
            if place is not None:
                mentions.append(Mention(before, after, place))
        return mentions

    def is_article(self, marker: str) -> bool:
        """Whether a marker alone may be a word or the number of a list."""
        return marker in _ARTICLES or marker.isdecimal()


@lru_cache(maxsize=4096)
def known_options(options: tuple[tuple[str, str], ...]) -> Options:
    """Options and their meanings, worked out once."""
    labels = tuple(name for _, name in options)
    names = tuple(" ".join(folded(name).split()) for name in labels)
    markers = tuple(folded(marker).strip(" .):(-[]") for marker, _ in options)
    return Options(markers, names, labels, _sides(names))


def _sides(names: Sequence[str]) -> tuple[Side, ...]:
    """What names mean; a name that means what another means too has a concept of its own."""
    candidates = [list(_meanings(name)) for name in names]
    positive = {concept for sides in candidates for concept, is_ in sides if is_}
    sides: list[Side] = []
    for name, possible in zip(names, candidates, strict=True):
        possible.sort(key=lambda side: (not side[1], side[0] not in positive))
        sides.append(possible[0] if possible else (f"={name}", True))
    for place, (name, side) in enumerate(zip(names, sides, strict=True)):
        if sides.count(side) > 1:
            sides[place] = (f"={name}", True)
    for place, name in enumerate(names):
        for other, (concept, is_) in zip(names, tuple(sides), strict=True):
            if concept.startswith("=") and is_ and other != name and _is_contrary(name, other):
                sides[place] = (concept, False)
    return tuple(sides)


def _meanings(name: str) -> Iterator[Side]:
    for key, pattern in _concept_patterns().items():
        concept = key.removesuffix("_not")
        match = pattern.search(name)
        if match is None:
            continue
        if match.group() == name:
            yield concept, key == concept
        elif key == concept:
            start, end = negation(name, *match.span(), 0)
            rest = f"{name[:start]} {name[end:]}".split()
            if (start < match.start() or end > match.end()) and len(rest) <= 2:
                yield concept, False


def _is_contrary(name: str, other: str) -> bool:
    at = name.find(other)
    if at < 0:
        return False
    start, end = negation(name, at, at + len(other), 0)
    return start == 0 and end == len(name) and name != other


@lru_cache(maxsize=1)
def _concepts() -> dict[str, list[str]]:
    concepts: dict[str, list[str]] = {}
    for language in languages().values():
        for concept, words in language.names.items():
            concepts.setdefault(concept, []).extend(words)
    return concepts


@lru_cache(maxsize=1)
def _concept_patterns() -> dict[str, re.Pattern[str]]:
    return {concept: re.compile(any_of(words)) for concept, words in _concepts().items()}


@lru_cache(maxsize=1)
def _negations() -> tuple[re.Pattern[str], ...]:
    glued = r"|(?<!\w)(?:non|un|in|anti)$|\w+n't"
    return (
        re.compile(any_of(gather("before")) + glued),
        re.compile(any_of(gather("after"))),
        re.compile(any_of(gather("only"))),
        re.compile(any_of(gather("but"))),
    )


def negation(text: str, start: int, end: int, taken: int) -> tuple[int, int]:
    """From where to where a mention stands with its negation; what was given where it has none.

    A negation before it stands in the same clause, at most 60 letters off (8 in scripts without
    spaces); one behind it at most 25. One negation goes with the next name only: `taken` is where
    the name before ends.
    """
    before, after, only, but = _negations()
    clause = max([taken, start - 60, *(text.rfind(mark, 0, start) + 1 for mark in _CLAUSE)])
    for match in but.finditer(text, clause, start):
        clause = match.end()
    head = only.sub(lambda match: "_" * len(match.group()), text[clause:start])
    for match in before.finditer(head):
        gap = head[match.end() :]
        if not _is_unspaced(match.group()) or len(gap) <= 8:
            return clause + match.start(), end
    stops = [place for mark in _CLAUSE if (place := text.find(mark, end)) >= 0]
    tail = text[end : min([len(text), end + 25, *stops])]
    if (turn := but.search(tail)) is not None:
        tail = tail[: turn.start()]
    match_after = after.search(tail)
    if match_after is not None and (
        not _is_unspaced(match_after.group()) or match_after.start() <= 8
    ):
        return start, end + match_after.end()
    return start, end


def _is_unspaced(text: str) -> bool:
    return any("\u3040" <= letter <= "\u9fff" or letter >= "\uac00" for letter in text)


_LINE = re.compile(
    rf"^[ \t>*#•-]*(?:[(\[（【]([{WORD}]{{1,3}})[)\]）】]"
    rf"|([{WORD}]{{1,3}})[*]{{0,2}}\s?[:.)：．、）-])"
    r"[:.：]?[*]{0,2}[ \t]*(\S.*?)[ \t]*$"
)
"""A line of a list of options: `a: Hate`, `(A) Hate`, `**1.** Hate`."""
_ROW = re.compile(rf"(?<![{WORD}])[(\[]?([{WORD}]{{1,2}})[)\]]?\s?[:.)：]\s*")


def shown_options(prompt: str) -> list[tuple[str, str]]:
    """The options that a prompt lists, as markers and names; none where it lists none.

    Recognised by rule, in any language: lines one below the other that begin with the first, the
    second and further letters of an alphabet. The last such lines are taken.

    >>> shown_options("Choose:\\na: Hate\\nb: Non-hate\\n")
    [('a', 'Hate'), ('b', 'Non-hate')]
    """
    best: list[tuple[str, str]] = []
    run: list[tuple[str, str]] = []
    for line in prompt.splitlines():
        match = _LINE.match(line)
        pair = None
        if match is not None:
            pair = (match.group(1) or match.group(2), match.group(3).strip(" *\t;,"))
        if pair is not None and run and _follows([marker for marker, _ in run], pair[0]):
            run.append(pair)
        elif pair is not None and _follows([], pair[0]):
            run = [pair]
        elif line.strip():
            run = []
        if len(run) >= 2 and len(run) >= (len(best) if run[:1] == best[:1] else 0):
            best = list(run)
    return best or _shown_in_row(prompt)


def _shown_in_row(prompt: str) -> list[tuple[str, str]]:
    """Options in one line: `a: Hate b: Non-hate`, `(A) cat, (B) dog`."""
    best: list[tuple[str, str]] = []
    for line in prompt.splitlines():
        run: list[tuple[str, int, int]] = []
        for match in _ROW.finditer(line):
            marker = match.group(1)
            if _follows([each for each, _, _ in run], marker):
                run.append((marker, match.start(), match.end()))
            elif _follows([], marker):
                run = [(marker, match.start(), match.end())]
        if len(run) >= 2:
            ends = [start for _, start, _ in run[1:]] + [len(line)]
            best = [
                (marker, line[start:end].strip(" ,;.()[]"))
                for (marker, _, start), end in zip(run, ends, strict=True)
            ]
    return best


def _follows(markers: Sequence[str], marker: str) -> bool:
    wanted = [*map(folded, markers), folded(marker)]
    return any(
        [folded(letter) for letter in alphabet.split()][: len(wanted)] == wanted
        for alphabet in _ALPHABETS
    )
