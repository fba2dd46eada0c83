"""Sounds that come again: rhymes and alliteration. In: a caption's words. Out: hints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from memeloc.curate.hints.sounds import sounds
from memeloc.curate.hints.words import Word

_RUN = 3
"""Words in a row that begin alike."""


def echoes(words: Sequence[Word]) -> Iterator[str]:
    """Rhymes at the ends of parts and clauses or of neighbours, and alliteration."""
    dictionary = sounds()
    clauses = [
        list(group) for _, group in groupby(words, key=lambda word: (word.part, word.clause))
    ]
    ends = [clause[-1] for clause in clauses if clause[-1].content]
    pairs = [(one, two) for at, one in enumerate(ends) for two in ends[at + 1 :]]
    for clause in clauses:
        pairs += [(one, two) for one, two in pairwise(clause) if one.content and two.content]
    reported: set[tuple[str, str]] = set()
    for one, two in pairs:
        key = one.plain, two.plain
        if one.plain != two.plain and key not in reported and dictionary.rhyme(*key):
            reported.add(key)
            yield f'"{one.text}" and "{two.text}" rhyme'
    for clause in clauses:
        content = [word for word in clause if word.content]
        for onset, group in groupby(content, key=lambda word: dictionary.onset(word.plain)):
            run = list(group)
            if onset and len({word.plain for word in run}) >= _RUN:
                yield " ".join(f'"{word.text}"' for word in run) + " begin alike"
