"""An answer that is read, and what it asserts. In: folded text. Out: mentions of options."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memeloc.evaluate.choices.folding import Folded
from memeloc.evaluate.choices.languages import asked_after, doubts, refusals
from memeloc.evaluate.choices.options import Mention, Options
from memeloc.evaluate.choices.places import Hit
from memeloc.evaluate.choices.transcripts import without_lists


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """An answer that is read: `text` folded, `original` as written, `prompt` folded."""

    whole: Folded
    options: Options
    language: str
    prompt: str

    @property
    def text(self) -> str:
        """The answer, folded."""
        return self.whole.text


def asserted(context: Context, text: str = "") -> list[Mention]:
    """The options that a text names, but in quotations and where it only wonders."""
    text = text or searchable(context)
    text = _QUOTED.sub(lambda match: " " * len(match.group()), text)
    return [
        mention
        for mention in context.options.mentions(text)
        if not is_doubted(text, mention.start) and not asked_after().match(text, mention.end)
    ]


_QUOTED = re.compile(
    r"[\"“„«「](?:[^\"”“»」\n]*\s){3}[^\"”“»」\n]*[\"”“»」]|(?<!\w)'(?:[^'\n]*\s){3}[^'\n]*'(?!\w)"
)
"""Quotations of four words and more: captions, not answers."""


def is_doubted(text: str, at: int) -> bool:
    """Whether the clause around a place only wonders, or refuses."""
    clause = max(text.rfind(mark, 0, at) for mark in ".,;:!?\n()。，；：！？।")
    start = max(clause + 1, at - 70)
    return bool(doubts().search(text, start, at) or refusals().search(text, start, at))


def is_wondered(text: str, start: int, hit: Hit) -> bool:
    """Whether a question stands behind words for an answer: "answer if it is hate or not"."""
    _, at, end = hit
    return bool(doubts().search(text, start, at) or asked_after().match(text, end))


def is_refusal(context: Context) -> bool:
    """Whether the answer refuses anywhere."""
    return bool(refusals().search(context.text))


def searchable(context: Context) -> str:
    """The answer without lists of the options."""
    return without_lists(context.text, context.options)
