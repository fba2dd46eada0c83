"""Tests, intervals and texts of figures that several stages share. In: numbers. Out: p, bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from math import erfc, isnan, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from memeloc.arrays import Floats
from memeloc.errors import MissingError
from memeloc.locales.words import plain_words

if TYPE_CHECKING:
    import pandas as pd

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


def scipy_stats() -> Any:
    """Return scipy.stats, which has no types; raise MissingError if it is not installed."""
    return scipy_module("stats")


def scipy_module(name: str) -> Any:
    """Return a module of scipy, as `scipy_stats`."""
    try:
        return import_module(f"scipy.{name}")
    except ImportError as error:
        message = "This analysis needs scipy: pip install 'memeloc[analyze]'"
        raise MissingError(message) from error


def two_sided(z: float) -> float:
    """Return the probability that a standard normal value lies as far from 0 as z; NaN of NaN.

    >>> round(two_sided(-1.959964), 6)
    0.05
    """
    return erfc(abs(z) / sqrt(2))


def holm(p_values: ArrayLike) -> Floats:
    """P-values corrected for their number, by Holm's step-down procedure (1979).

    NaN, of a test that was not defined, stays NaN and does not count.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, dtype=float)
    corrected = np.full(values.shape, np.nan)
    defined = np.flatnonzero(~np.isnan(values))
    order = defined[np.argsort(values[defined], kind="stable")]
    times = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(values[order] * times), 1.0)
    return corrected


def wilson(count: ArrayLike, total: ArrayLike, confidence: float) -> tuple[Floats, Floats]:
    """Return the score interval of a share, count / total (Wilson 1927); NaN where the total is 0.

    Unlike a bootstrap's it has a width where all or none of the items count.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    n = np.asarray(total, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.asarray(count, dtype=float) / n
        middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        reach = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # Exactly 0 and 1 there, but for rounding.
    low: Floats = np.where(share == 0, 0, middle - reach)
    high: Floats = np.where(share == 1, 1, middle + reach)
    return low, high


def percent(share: float) -> str:
    """Return a share for a sentence.

    >>> percent(0.4425), percent(float("nan"))
    ('44.2 %', 'not defined')
    """
    return "not defined" if isnan(share) else f"{100 * share:.1f} %"


def percent_with_interval(share: float, low: float, high: float) -> str:
    """Return a share with its interval for a sentence.

    >>> percent_with_interval(0.74, 0.701, 0.779)
    '74.0 % [70.1, 77.9]'
    """
    return percent(share) + ("" if isnan(low) else f" [{100 * low:.1f}, {100 * high:.1f}]")


def with_interval(value: float, low: float, high: float) -> str:
    """Return a coefficient with its interval for a sentence.

    >>> with_interval(0.5123, 0.46, 0.56)
    '0.512 [0.460, 0.560]'
    """
    if isnan(value):
        return "not defined"
    return f"{value:.3f}" + ("" if isnan(low) else f" [{low:.3f}, {high:.3f}]")


def p_text(p: float) -> str:
    """Return a p-value for a sentence.

    >>> p_text(0.0312), p_text(0.00001)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def rows_of(frame: pd.DataFrame) -> list[Any]:
    """Return the rows of a table, each with its cells as attributes."""
    return list(frame.itertuples(index=False))
