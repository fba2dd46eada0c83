"""Reading a choice. In: an answer, the options in the order that was shown. Out: a `Choice`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """What an answer chooses.

    Attributes:
        name: of the option; empty when there is none.
        invalid: whether it chooses none of the options, or several.
        refused: whether the model would not answer; such an answer is invalid too.
        rule: name of the rule that decided, as the files of rules name it.
        explanation: what the answer says besides, empty when it says nothing.
    """

    name: str
    invalid: bool
    refused: bool
    rule: str
    explanation: str = ""


def read_choice(
    answer: str,
    options: Sequence[tuple[str, str]],
    *,
    language: str = "en",
    prompt: str = "",
) -> Choice:
    """The option that an answer in words chooses.

    Args:
        answer: as the model wrote it.
        options: marker and name of each, in the order shown: `[("a", "Hate"), ("b", "Non-hate")]`.
        language: of the prompt, a BCP-47 tag; rules of English always apply too.
        prompt: what was asked; an answer that repeats it is read from behind it.
    """
    wanted = answer.strip().lower()
    for marker, name in options:
        if wanted in (marker.lower(), name.lower()):
            return Choice(name, False, False, "option")
    return Choice("", True, False, "none")
