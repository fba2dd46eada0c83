"""Rules that answer multiple-choice questions unread. In: a question's texts. Out: probabilities.

A good question is one that such rules answer no better than chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from memeloc.locales.words import plain_words

CHANCE, LONGEST = "chance", "longest option"
QUESTION_WORDS, CAPTION_WORDS = "most words of the question", "most words of the caption"
RULES = {
    CHANCE: "any option with the same probability",
    LONGEST: "the option with the most letters",
    QUESTION_WORDS: "the option of whose words the question has the largest share",
    CAPTION_WORDS: "the option of whose words the caption has the largest share",
}


def right_by_rules(
    options: Sequence[str],
    right: int,
    language: str,
    question: str = "",
    caption: str = "",
    never: Collection[str] = (),
) -> dict[str, float]:
    """Return by rule how probably it chooses the right option; of equal ones by it, any.

    A rule whose text, the question or caption, is empty says nothing, and is left out. `never` are
    options that are right in no question, see `never_right`: nobody who guesses takes them.

    >>> right_by_rules(["a cat", "tea", "rain"], 0, "en", "Who is the cat?")
    {'chance': 0.3333333333333333, 'longest option': 1.0, 'most words of the question': 1.0}
    """
    possible = [float(place == right or each not in never) for place, each in enumerate(options)]
    liked = {CHANCE: possible, LONGEST: [float(len(option)) for option in options]}
    for name, text in ((QUESTION_WORDS, question), (CAPTION_WORDS, caption)):
        if text:
            liked[name] = [overlap(option, text, language) for option in options]
    return {
        name: (values[right] == max(values)) / values.count(max(values))
        for name, values in liked.items()
    }


def never_right(questions: Iterable[tuple[Sequence[str], str]]) -> dict[str, int]:
    """Return the options that many questions have and none is answered by, with their number.

    Args:
        questions: of each its options, and the right one.
    """
    shown, right = Counter[str](), set()
    for options, answer in questions:
        shown.update(options)
        right.add(answer)
    return {option: n for option, n in shown.items() if n >= _MANY and option not in right}


_MANY = 20
"""Questions with an option: that one of four is right in none of 20 has a chance of 0.3 %."""


def overlap(option: str, text: str, language: str) -> float:
    """Return the share of an option's different words that a text has, too; 0 without words.

    >>> overlap("A sleeping cat", "Where does the cat sleep?", "en")
    0.3333333333333333
    """
    words = _words(option, language)
    return len(words & _words(text, language)) / len(words) if words else 0.0


@lru_cache(maxsize=1 << 16)  # a question's texts are compared with one another
def _words(text: str, language: str) -> frozenset[str]:
    return frozenset(plain_words(text, language))
