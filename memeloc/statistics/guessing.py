"""Rules that answer multiple-choice questions unread. In: a question's texts. Out: probabilities.

A good question is one that such rules answer no better than chance.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    options: Sequence[str], right: int, language: str, question: str = "", caption: str = ""
) -> dict[str, float]:
    """Return by rule how probably it chooses the right option; of equal ones by it, any.

    A rule whose text, the question or caption, is empty says nothing, and is left out.

    >>> right_by_rules(["a cat", "tea", "rain"], 0, "en", "Who is the cat?")
    {'chance': 0.3333333333333333, 'longest option': 1.0, 'most words of the question': 1.0}
    """
    liked = {CHANCE: [0.0] * len(options), LONGEST: [float(len(option)) for option in options]}
    for name, text in ((QUESTION_WORDS, question), (CAPTION_WORDS, caption)):
        if text:
            liked[name] = [overlap(option, text, language) for option in options]
    return {
        name: (values[right] == max(values)) / values.count(max(values))
        for name, values in liked.items()
    }


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
