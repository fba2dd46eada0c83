"""Reading a choice. In: an answer, the options in the order that was shown. Out: a `Choice`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memeloc.evaluate.choices.asserting import Context
from memeloc.evaluate.choices.folding import fold, folded, is_word
from memeloc.evaluate.choices.options import known_options
from memeloc.evaluate.choices.rules import read
from memeloc.evaluate.choices.transcripts import answer_in, behind_options

_LONGEST = 100_000, 6_000
"""Letters of what was stored, and of the answer in it, that are read: half of them at its beginning
and half at its end."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What an answer chooses.

    Attributes:
        name: of the option; empty when there is none.
        invalid: whether it chooses none of the options, or several.
        refused: whether the model would not answer; such an answer is invalid too.
        rule: name of the rule that decided, see `memeloc.evaluate.choices.rules`.
        explanation: what the answer says besides, empty when it says nothing.
    """

    name: str
    invalid: bool
    refused: bool
    rule: str
    explanation: str = ""


def read_choice(
    answer: str, options: Sequence[tuple[str, str]], *, language: str = "en", prompt: str = ""
) -> Choice:
    """The option that an answer in words chooses.

    >>> options = [("a", "Hate"), ("b", "Non-hate")]
    >>> read_choice("The answer is (b), for it is friendly.", options).name
    'Non-hate'
    >>> read_choice("I'm sorry, I can't help with that.", options).refused
    True

    Args:
        answer: as the model wrote it, or as it was stored: with the prompt before it, the roles of
            a chat template, reasoning in tags.
        options: marker and name of each, in the order shown: `[("a", "Hate"), ("b", "Non-hate")]`.
            A marker may be empty.
        language: of the prompt, a BCP-47 tag: its words for yes and no are read, and English ones.
            Everything else is read in all languages that there are rules of.
        prompt: what was asked; an answer that repeats it is read from behind it, and only where it
            asks a question of yes or no are these answers.
    """
    known = known_options(tuple((str(marker), str(name)) for marker, name in options))
    stored = answer_in(_bounded(answer, _LONGEST[0]), prompt)
    if stored.is_unfinished:
        return Choice("", True, False, "unfinished reasoning", stored.reasoning)
    text = fold(_bounded(stored.text, _LONGEST[1]))
    whole = behind_options(text, known)
    listed = text.original.removesuffix(whole.original)
    asked = folded("\n".join((prompt, stored.shown, listed)))
    reading = read(Context(whole, known, language, asked))
    if reading.rule == "empty" and (stored.shown or any(map(is_word, answer))):
        reading = type(reading)(None, "only the prompt")
    explanation = reading.explanation or stored.reasoning
    if reading.option is None:
        return Choice("", True, reading.is_refused, reading.rule, explanation)
    return Choice(known.labels[reading.option], False, False, reading.rule, explanation)


def _bounded(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest // 2]}\n{text[-longest // 2 :]}"
