"""The Unicode Bidirectional Algorithm, UAX #9, whole (rules of Unicode 15; N0 since 6.3).

In: a paragraph of text in logical order, and its base direction. Out: an embedding level for each
code point (even runs left to right, odd right to left), and the order in which a line's items are
displayed. Shaping and mirroring (L3, L4) are left to HarfBuzz, white space at a line's end (L1) is
not drawn.

Classes are bytes, one letter a character (bidi_data.LETTERS), so that most rules are one regular
expression or one translation over the whole of an isolating run sequence. The letters:
``L R``, ``A`` (AL), ``E`` (EN), ``N`` (AN), ``+`` (ES), ``%`` (ET), ``,`` (CS), ``M`` (NSM),
``Z`` (BN), ``B S``, ``W`` (WS), ``O`` (ON), ``a`` (LRE), ``b`` (RLE), ``c`` (LRO), ``d`` (RLO),
``p`` (PDF), ``x`` (LRI), ``y`` (RLI), ``z`` (FSI), ``i`` (PDI).
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from functools import cache
from itertools import compress
from typing import Final, Literal, NamedTuple

from memeloc.render.typesetting.bidi_data import (
    BRACKETS,
    CANONICAL,
    CLASSES,
    DIRECTED,
    LETTERS,
    STARTS,
)

Base = Literal["ltr", "rtl"] | None
"""The base direction of a paragraph; None finds it from the first strong character (P2, P3)."""

MAX_DEPTH: Final = 125  # BD2
MAX_BRACKETS: Final = 63  # BD16

_REMOVED: Final = b"Zabcdp"  # X9

_find_directed = re.compile(f"[{DIRECTED}]").search
_find_bracket = re.compile(f"[{re.escape(BRACKETS)}]").search
_each_bracket = re.compile(f"[{re.escape(BRACKETS)}]").finditer
_find_explicit = re.compile(b"[abcdpxyzi]").search
_each_explicit = re.compile(b"[abcdpxyziB]").finditer
_each_isolate = re.compile(b"[xyziB]").finditer
_find_against_right = re.compile(b"[LEN]").search
_find_strong = re.compile(b"[LRAxyz]").search
_find_removed = re.compile(b"[Zabcdp]").search
_split_removed = re.compile(b"[Zabcdp]").split
_each_run = re.compile(rb"(.)\1*+", re.DOTALL).finditer

_w1 = re.compile(b"([^M])(M++)").sub
_w2 = re.compile(b"A[^LRA]++").sub
_w4 = re.compile(b"(?<=E)[+,](?=E)").sub
_w4_arabic = re.compile(b"(?<=N),(?=N)").sub
_w5 = re.compile(b"[E%]++").sub
_w7 = re.compile(b"L[^LR]++").sub
# ES, ET and CS that are left over are neutral by W6.
_n1_left = re.compile(b"(?<=L)[BSWO+%,xyzi]++(?=L)").sub
_n1_right = re.compile(b"(?<=[REN])[BSWO+%,xyzi]++(?=[REN])").sub

_KEPT: Final = bytes(letter not in _REMOVED for letter in range(256))
_NUMBERS_STRONG: Final = bytes.maketrans(b"EN", b"RR")  # N0: numbers count as R
_CLOSING: Final = {
    CANONICAL.get(opening, opening): CANONICAL.get(closing, closing)
    for opening, closing in zip(BRACKETS[::2], BRACKETS[1::2], strict=True)
}
_NAMES: Final = {letter: name for name, letter in LETTERS.items()}
_MEMO: Final = 1 << 16


class _ClassTable(dict[int, str]):
    """Maps a code point to its class's letter, for str.translate; remembers, up to a bound."""

    def __missing__(self, code: int) -> str:
        letter = CLASSES[bisect(STARTS, code) - 1]
        if len(self) < _MEMO:
            self[code] = letter
        return letter


_class_of: Final = _ClassTable()


class Resolved(NamedTuple):
    """A paragraph's embedding levels.

    Attributes:
        level: the paragraph's own, 0 or 1.
        levels: one byte a code point, 0 to 126, as it is after I2; L1 changes only white space at
            a line's end, which is not drawn. Characters that X9 removes have the level of the
            character before them, or the paragraph's.
    """

    level: int
    levels: bytes


def resolve(text: str, base: Base = None) -> Resolved:
    r"""Resolve the embedding levels of one paragraph: rules P2 to I2 of UAX #9.

    Any string will do, also one with lone surrogates. A paragraph separator (class B) belongs at
    the end; elsewhere it gets the paragraph's level and ends what is embedded.

    >>> list(resolve("a \u05d0 2").levels)
    [0, 0, 1, 1, 2]
    """
    if base != "rtl" and (text.isascii() or _find_directed(text) is None):
        # No number is next to a right-to-left letter, nothing is embedded: all is level 0.
        return Resolved(0, bytes(len(text)))
    return _resolve(text.translate(_class_of).encode("ascii"), text, base)


def level_runs(levels: bytes) -> list[tuple[int, int, int]]:
    """Give the runs of one level in logical order: start, end, level (BD7)."""
    return [(match.start(), match.end(), match[1][0]) for match in _each_run(levels)]


def visual_order(levels: Sequence[int]) -> list[int]:
    """Give the logical indices of a line's items in display order, left to right: rule L2.

    An item is a character or a whole run; each level is 0 to 126. Items of a run of an odd level
    come out reversed, so a caller that orders runs leaves their insides to the shaper.

    >>> visual_order([0, 1, 2, 1, 0])
    [0, 3, 2, 1, 4]
    """
    line = bytes(levels)
    order = list(range(len(line)))
    if not line:
        return order
    # What is reversed at a level stays within its span, so spans can be read off the line itself.
    for level in range(max(line), (min(line) | 1) - 1, -1):
        for match in _at_least(level).finditer(line):
            start, end = match.span()
            order[start:end] = order[start:end][::-1]
    return order


def bidi_class(char: str) -> str:
    """Give the short name of one character's Bidi_Class, such as "L", "AL" or "NSM"."""
    return _NAMES[_class_of[ord(char)]]


@cache
def _at_least(level: int) -> re.Pattern[bytes]:
    return re.compile(b"[" + re.escape(bytes([level])) + b"-\x7f]++")


def _resolve(classes: bytes, text: str, base: Base) -> Resolved:
    """Resolve a paragraph from its classes; text is for its brackets only and may be empty."""
    explicit = _find_explicit(classes) is not None
    isolates = _isolates(classes) if explicit else {}
    if base is None:
        level = _first_strong(classes, 0, len(classes), isolates)
    else:
        level = int(base == "rtl")
    if level and not explicit and _find_against_right(classes) is None:
        # Nothing that a right-to-left paragraph would raise: all is level 1.
        return Resolved(1, b"\x01" * len(classes))
    if text and _find_bracket(text) is None:
        text = ""
    types, embedding = classes, b""
    if explicit:
        types, embedding = _explicit(classes, level, isolates)
    removed = _find_removed(classes) is not None
    if removed:  # X9
        keep = classes.translate(_KEPT)
        types = bytes(compress(types, keep))
        embedding = bytes(compress(embedding, keep))
        text = "".join(compress(text, keep))
    if explicit:
        levels = _sequences(classes.translate(None, _REMOVED), types, text, level, embedding)
    else:
        direction = b"R" if level else b"L"
        levels = _sequence(types, text, level, direction, direction)
    if removed:
        levels = _put_back(classes, levels, level)
    return Resolved(level, levels)


def _first_strong(classes: bytes, start: int, end: int, isolates: dict[int, int]) -> int:
    """P2 and P3: 1 if the first strong character outside isolates is R or AL, else 0."""
    while match := _find_strong(classes, start, end):
        at = match.start()
        if classes[at] in b"xyz":
            start = isolates.get(at, end)
        else:
            return int(classes[at] != ord("L"))
    return 0


def _isolates(classes: bytes) -> dict[int, int]:
    """BD9: map each isolate initiator to its PDI and back; those without a partner are absent."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for match in _each_isolate(classes):
        at, letter = match.start(), match[0]
        if letter == b"i":
            if opened:
                initiator = opened.pop()
                pairs[initiator] = at
                pairs[at] = initiator
        elif letter == b"B":
            opened.clear()
        else:
            opened.append(at)
    return pairs


def _explicit(classes: bytes, base: int, isolates: dict[int, int]) -> tuple[bytes, bytes]:
    """X1 to X8: the classes after overrides, and each character's explicit level."""
    types = bytearray(classes)
    levels = bytearray(len(classes))
    # The directional status stack: embedding level, override (0 or a letter), whether isolate.
    stack = [(base, 0, False)]
    overflow_isolates = overflow_embeddings = valid_isolates = 0
    level, override = base, 0
    done = 0
    for match in _each_explicit(classes):
        at = match.start()
        if done < at:  # X6, for all that stands between two controls
            levels[done:at] = bytes([level]) * (at - done)
            if override:
                types[done:at] = bytes([override]) * (at - done)
        done = at + 1
        control = classes[at]
        if control in b"abcd":  # X2 to X5
            new = level + 1 | 1 if control in b"bd" else (level | 1) + 1
            if new <= MAX_DEPTH and not overflow_isolates and not overflow_embeddings:
                override = {ord("c"): ord("L"), ord("d"): ord("R")}.get(control, 0)
                level = new
                stack.append((level, override, False))
            elif not overflow_isolates:
                overflow_embeddings += 1
        elif control in b"xyz":  # X5a to X5c
            levels[at] = level
            if override:
                types[at] = override
            right = control == ord("y") or (
                control == ord("z")
                and _first_strong(classes, at + 1, isolates.get(at, len(classes)), isolates)
            )
            new = level + 1 | 1 if right else (level | 1) + 1
            if new <= MAX_DEPTH and not overflow_isolates and not overflow_embeddings:
                valid_isolates += 1
                level, override = new, 0
                stack.append((level, 0, True))
            else:
                overflow_isolates += 1
        elif control == ord("i"):  # X6a
            if overflow_isolates:
                overflow_isolates -= 1
            elif valid_isolates:
                overflow_embeddings = 0
                while not stack.pop()[2]:
                    pass
                valid_isolates -= 1
                level, override, _ = stack[-1]
            levels[at] = level
            if override:
                types[at] = override
        elif control == ord("p"):  # X7
            if overflow_isolates:
                continue
            if overflow_embeddings:
                overflow_embeddings -= 1
            elif not stack[-1][2] and len(stack) > 1:
                stack.pop()
                level, override, _ = stack[-1]
        else:  # X8
            levels[at] = base
            del stack[1:]
            overflow_isolates = overflow_embeddings = valid_isolates = 0
            level, override = base, 0
    rest = len(classes) - done
    levels[done:] = bytes([level]) * rest
    if override:
        types[done:] = bytes([override]) * rest
    return bytes(types), bytes(levels)


def _sequences(classes: bytes, types: bytes, text: str, base: int, embedding: bytes) -> bytes:
    """X10: resolve each isolating run sequence of a paragraph without its X9 characters.

    classes are the original ones, types those after overrides.
    """
    isolates = _isolates(classes)
    sequences: list[list[tuple[int, int]]] = []
    waiting: dict[int, list[tuple[int, int]]] = {}
    for start, end, _ in level_runs(embedding):  # BD13
        before = isolates.get(start, start)
        sequence = waiting.pop(before, None) if before < start else None
        if sequence is None:
            sequence = []
            sequences.append(sequence)
        sequence.append((start, end))
        if isolates.get(end - 1, 0) >= end:
            waiting[end - 1] = sequence
    levels = bytearray(embedding)
    for sequence in sequences:
        start, end = sequence[0][0], sequence[-1][1]
        level = embedding[start]
        before = embedding[start - 1] if start else base
        # A sequence that ends in an isolate initiator that no PDI closes faces the paragraph.
        faces_base = classes[end - 1] in b"xyz" and end - 1 not in isolates
        after = embedding[end] if end < len(embedding) and not faces_base else base
        sos = b"R" if max(level, before) & 1 else b"L"
        eos = b"R" if max(level, after) & 1 else b"L"
        inside = b"".join([types[first:last] for first, last in sequence])
        chars = "".join([text[first:last] for first, last in sequence]) if text else ""
        resolved = _sequence(inside, chars, level, sos, eos)
        done = 0
        for first, last in sequence:
            levels[first:last] = resolved[done : done + last - first]
            done += last - first
    return bytes(levels)


def _sequence(types: bytes, text: str, level: int, sos: bytes, eos: bytes) -> bytes:
    """W1 to I2 for one isolating run sequence: its levels; text is empty or has its brackets."""
    marks = types if text else b""  # N0 asks which characters were NSM before W1
    types = sos + types + eos
    if b"M" in types:
        types = _w1(_mark, types)
    if b"A" in types:
        if b"E" in types:
            types = _w2(_arabic_numbers, types)
        types = types.replace(b"A", b"R")  # W3
    if b"E" in types:
        types = _w4(b"E", types)
        if b"%" in types:
            types = _w5(_terminators, types)
    if b"N," in types:
        types = _w4_arabic(b"N", types)
    if b"E" in types and b"L" in types:
        types = _w7(_left_numbers, types)
    if text and _find_bracket(text):
        types = _brackets(types, text, level, marks)
    # N1; where both sides agree with the embedding direction, N2 gives the same.
    if level & 1:
        if b"L" in types:
            types = _n1_left(_to_left, types)
    else:
        types = _n1_right(_to_right, types)
    return types[1:-1].translate(_implicit(level))


def _mark(match: re.Match[bytes]) -> bytes:
    before, marks = match.groups()
    return before + (b"O" if before in b"xyzi" else before) * len(marks)


def _arabic_numbers(match: re.Match[bytes]) -> bytes:
    return match[0].replace(b"E", b"N")


def _terminators(match: re.Match[bytes]) -> bytes:
    return b"E" * len(match[0]) if b"E" in match[0] else match[0]


def _left_numbers(match: re.Match[bytes]) -> bytes:
    return match[0].replace(b"E", b"L")


def _to_left(match: re.Match[bytes]) -> bytes:
    return b"L" * len(match[0])


def _to_right(match: re.Match[bytes]) -> bytes:
    return b"R" * len(match[0])


@cache
def _implicit(level: int) -> bytes:
    """N2, I1 and I2 as a table from letters to levels, for one embedding level."""
    table = bytearray([level]) * 256
    for letter in b"LEN" if level & 1 else b"R":
        table[letter] = level + 1
    if not level & 1:
        table[ord("E")] = table[ord("N")] = level + 2
    return bytes(table)


def _brackets(types: bytes, text: str, level: int, marks: bytes) -> bytes:
    """N0: give paired brackets a direction. types has sos before and eos after text's classes."""
    resolved = bytearray(types)
    strong = bytearray(types.translate(_NUMBERS_STRONG))
    inward, outward = (b"R", b"L") if level & 1 else (b"L", b"R")
    context, seen = types[:1], 1
    for opening, closing in _bracket_pairs(types, text):
        # What lies before this bracket: the last strong character since the one looked from last.
        left, right = strong.rfind(b"L", seen, opening), strong.rfind(b"R", seen, opening)
        if left != right:
            context = b"L" if left > right else b"R"
        seen = opening
        if strong.find(inward, opening + 1, closing) >= 0:
            direction = inward
        elif strong.find(outward, opening + 1, closing) >= 0:
            direction = outward if context == outward else inward
        else:
            continue
        for at in (opening, closing):
            end = at + 1  # marks lacks sos: its item at stands after the bracket
            while end <= len(marks) and marks[end - 1] == ord("M"):
                end += 1
            resolved[at:end] = strong[at:end] = direction * (end - at)
    return bytes(resolved)


def _bracket_pairs(types: bytes, text: str) -> list[tuple[int, int]]:
    """BD16: the positions in types of paired brackets, in order of the opening ones."""
    pairs: list[tuple[int, int]] = []
    expected: list[str] = []
    positions: list[int] = []
    for match in _each_bracket(text):
        at = match.start() + 1
        if types[at] != ord("O"):
            continue
        char = CANONICAL.get(match[0], match[0])
        if char in _CLOSING:
            if len(positions) == MAX_BRACKETS:
                break
            expected.append(_CLOSING[char])
            positions.append(at)
        elif char in expected:
            while expected.pop() != char:
                positions.pop()
            pairs.append((positions.pop(), at))
    pairs.sort()
    return pairs


def _put_back(classes: bytes, levels: bytes, base: int) -> bytes:
    """Give the characters that X9 removed the level of the character before them."""
    full = bytearray()
    done = 0
    for part in _split_removed(classes):
        full += levels[done : done + len(part)]
        done += len(part)
        full.append(full[-1] if full else base)
    full.pop()  # one gap less than parts
    return bytes(full)
