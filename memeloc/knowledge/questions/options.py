"""What options of questions may be. In: texts, their language. Out: sentences of what is wrong.

What makes a question useless is found at once and sent back to the model that wrote it: options
that are the same, an answer that stands in the question, "all of the above".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from memeloc.errors import InputError
from memeloc.locales.words import plain_words
from memeloc.settings import parse_toml

LONGEST = 200
"""Characters of a question and of an option at the most."""
LONGEST_EXPLANATION = 1000

_MARKED = re.compile(r"^\(?[A-Da-d1-4][.):]\s")
"""An option with a letter or number of its own in front."""


def none_of_the_others(language: str) -> str:
    """The fourth option in a language.

    Raises:
        InputError: there is no text of it; `MemeQuestion.none` may be any other.

    >>> none_of_the_others("en"), none_of_the_others("de-AT")
    ('None of the others', 'Keine der anderen')
    """
    texts = _texts(language)
    if not texts:
        known = ", ".join(_shipped())
        raise InputError(
            f"There is no text for “None of the others” in {language[:40]!r}; give it by --none. "
            f"There are {known}."
        )
    return str(texts["none"])


def problems(question: str, options: Sequence[str], language: str, none: str) -> Iterator[str]:
    """What is wrong with a question, in sentences that a model understands.

    Args:
        options: the right one first, without the fourth.
        language: of all of them, a tag.
        none: the fourth option.
    """
    texts = {"the question": question} | dict(zip(_NAMES, options, strict=True))
    for name, text in texts.items():
        if not text or len(text) > LONGEST:
            yield f"{name} has {len(text)} characters; it must have 1 to {LONGEST}"
    seen = {_compared(none, language): f"the fourth option, {none!r}, which is added to yours"}
    for name, option in zip(_NAMES, options, strict=True):
        words = _compared(option, language)
        if words in seen:
            yield f"{name} is the same as {seen[words]}; all options must differ"
        seen.setdefault(words, name)
    right = _compared(options[0], language)
    if _holds(_compared(question, language), right):
        yield "the question holds the right answer; ask without giving it away"
    # Phrases about other options, in the questions' language and in English.
    phrases = (*_texts(language).get("about_others", ()), *_texts("en")["about_others"])
    for name, option in zip(_NAMES, options, strict=True):
        words = _compared(option, language)
        if any(_holds(words, _compared(each, language)) for each in phrases):
            yield f"{name} is about the other options ({option[:60]!r}); name something instead"
        if _MARKED.match(option):
            yield f"{name} begins with a letter or number; leave it out"


_NAMES = ("correct", "plausible", "implausible")


def _compared(text: str, language: str) -> tuple[str, ...]:
    """The words of a text without case, width and punctuation; a text without words is itself."""
    return tuple(plain_words(text, language)) or (unicodedata.normalize("NFKC", text).strip(),)


def _holds(words: Sequence[str], part: Sequence[str]) -> bool:
    """Whether words hold others, one after another."""
    last = len(words) - len(part)
    return any(part) and any(
        tuple(words[at : at + len(part)]) == tuple(part) for at in range(last + 1)
    )


def _texts(language: str) -> dict[str, Any]:
    shipped = _shipped()
    return shipped.get(language) or shipped.get(language.partition("-")[0].lower()) or {}


@cache
def _shipped() -> dict[str, dict[str, Any]]:
    return parse_toml((files(__package__) / "options.toml").read_text("utf-8"))
