"""What line ends cost. In: the pieces of a part, its locale. Out: what a line's end at each costs.

All costs are in steps of the ladder of sizes (`fit.LADDER`, 5.9 % each): an end that costs two is
taken where every better one makes the text more than two steps smaller. The search, and what
uneven lines cost, are in `fit`.

An end costs least behind punctuation and most within a phrase. To that comes what makes readers
stumble: a line that ends with a word which belongs to the next (an article, a preposition, a
conjunction, a number before its noun), begins with one that belongs to the word before, or parts
one word from its clause ("IN TOTAL, SINCE / THURSDAY"). The words are in each locale's TOML.
Values are set by eye, over the starter set in all its languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memeloc.locales.casing import uppercase
from memeloc.model import Locale

SENTENCE = 0.0
"""An end behind a full stop, a question or exclamation mark, a dash or an ellipsis."""
CLAUSE = 0.25
"""An end behind a comma, a colon, a bracket or a quotation, before one that opens; at a space in
Thai."""
BEFORE_LINK = 0.6
"""An end between two words, the second of which opens a phrase: a preposition, an article."""
PLAIN = 1.0
"""An end between two words, or two phrases of a language without spaces."""
WITHIN_COMPOUND = 2.5
"""An end behind a hyphen, a slash or a soft hyphen, without a space."""
WITHIN_PHRASE = 6.0
"""An end between two words that BudouX sees as one phrase, or within a word; added."""
HANGING = 4.0
"""A word at the end of a line that belongs to the next, or a number before its noun, its unit or
its sign; added."""
LINKED = 2.0
"""A word at the begin of a line that belongs to the last; added."""
STUB = 1.5
"""The first word of a clause at the end of a line, or a short last one at its begin; added."""
STUB_LENGTH = 5
"""Characters of a short word, its punctuation among them."""

_SENTENCE_ENDS = frozenset(".!?…。！？।॥؟۔‥—–።፧៕\u037e·~～")
_CLAUSE_ENDS = frozenset(',;:、，；：؛٫)]}）］｝〉》」』】”’»"؍՝፣፤၊။・')
_OPENING = frozenset("([{（［｛〈《「『【“«„‘‚—–¿¡")
_AROUND = "".join(_SENTENCE_ENDS | _CLAUSE_ENDS | _OPENING) + "%‹›'\u2066\u2067\u2068\u2069"
_NUMERALS = frozenset("一二两兩三四五六七八九十百千万萬半几幾")
_NUMBER_SIGNS = frozenset("№§#€$£¥₹₽₺₩₫฿₪")
_UNIT_SIGNS = _NUMBER_SIGNS | frozenset("%‰°")
_NUMBERED = frozenset({"nr", "no", "núm", "art", "kap", "cap", "vol", "fig", "pág", "стр", "гл"})
_JOINED_BY = frozenset("-/\u00ad\u2010_&+\u05be")


@lru_cache(maxsize=256)
def _linked_words(locale: Locale) -> tuple[dict[str, float], frozenset[str]]:
    """Return what words cost at the end of a line, and those that begin none, in upper case too.

    Some of the former are two words, between which a line would end.
    """
    better, next_, previous = (
        {
            form
            for word in words
            for form in (word, uppercase(word, locale), uppercase(word[0], locale) + word[1:])
        }
        for words in (locale.better_with_next, locale.keep_with_next, locale.keep_with_previous)
    )
    to_next = dict.fromkeys(better, LINKED) | dict.fromkeys(next_, HANGING)
    return to_next, frozenset(previous)


def end_costs(pieces: Sequence[str], locale: Locale) -> list[float]:
    """Return what it costs to end a line behind each piece of a paragraph, in ladder steps.

    Pieces have the white space at their ends. The last cost is 0.0: there the paragraph ends.
    """
    number = len(pieces)
    words = [piece.strip() for piece in pieces]
    to_next, to_previous = _linked_words(locale)
    unspaced = bool(locale.phrase_model)
    costs = [
        _between(piece, word, after, unspaced, to_next, to_previous)
        for piece, word, after in zip(pieces, words, words[1:], strict=False)
    ]
    strong = [cost <= CLAUSE for cost in costs]
    for index in range(number - 1):
        if strong[index]:
            continue
        ends_clause = index < number - 2 and strong[index + 1]
        if (index > 0 and strong[index - 1]) or (
            ends_clause and len(words[index + 1]) <= STUB_LENGTH
        ):
            costs[index] += STUB
    costs.append(0.0)
    return costs


def _between(
    piece: str,
    word: str,
    after: str,
    unspaced: bool,
    to_next: dict[str, float],
    to_previous: frozenset[str],
) -> float:
    """Return the cost of an end between a piece and the next word, by those two alone."""
    if not word or not after:
        return SENTENCE
    last, first = word[-1], after[0]
    # A full stop after an initial, an ordinal or a numbered noun ends no sentence: "J. Doe",
    # "5. Mai", "31. Dezember", "Nr. 5". By form alone, in all languages: of "We lost by 15. You
    # won" the better line end is lost. A number of three digits is seldom an ordinal.
    stem = word[:-1].lstrip("(„“\"'") if last == "." else ""
    is_dotted = stem != "" and (
        len(stem) == 1
        or (len(stem) < 3 and stem.isdecimal())
        or (first.isdecimal() and stem.lower() in _NUMBERED)
    )
    if last in _SENTENCE_ENDS and not is_dotted:
        return SENTENCE
    if last in _CLAUSE_ENDS:
        return CLAUSE
    spaced = piece[-1].isspace()
    if first in _OPENING:
        cost = CLAUSE
    elif unspaced:
        at_number = last.isdecimal() or first.isdecimal()
        cost = CLAUSE if (spaced and not at_number) or last == "_" else PLAIN
    else:
        cost = PLAIN if spaced or last not in _JOINED_BY else WITHIN_COMPOUND
    head, tail = after.strip(_AROUND), word.lstrip(_AROUND)
    is_apart = unspaced and spaced  # a space ends what a word could belong to
    hanging = 0.0
    if not is_apart:
        hanging = to_next.get(tail) or to_next.get(tail.rpartition("’")[2], 0.0)
        hanging = hanging or to_next.get(f"{tail} {head}", 0.0)
    if hanging:
        cost += hanging
    elif is_dotted or (last in _NUMBER_SIGNS and first.isdecimal()):
        cost += HANGING
    elif last.isdecimal() or (unspaced and last in _NUMERALS):
        is_counted = first.isalpha() or first in _UNIT_SIGNS
        cost += HANGING if is_counted and head not in to_next else 0.0
    elif head.isdecimal() and (unspaced or not after[-1].isdecimal()):
        cost += LINKED / 2  # "Chapter / 1:"
    if not first.isalnum() and not any(map(str.isalnum, after)):
        cost += LINKED  # an emoji belongs to the words before it
    elif head in to_previous and not is_apart:
        cost += LINKED
    elif cost == PLAIN and head in to_next:
        return BEFORE_LINK
    return cost
