"""Questions about memes. In: nothing. Out: `MemeQuestion`, with its options in a seeded order."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemeQuestion:
    """A question that tests whether a model understands a dimension of a meme.

    Attributes:
        meme: id of the meme or collected item.
        version: language of the meme's version, a tag; empty if not known.
        dimension: the dimension's id.
        language: of the question and its options, a tag.
        correct, plausible, implausible, none: the options by what they are.
        explanation: why the right one is right.
        statements: ids of the statements that it was made of; empty where it was made of the
            definition and the picture, for the dimension has none.
        model: that made it.
        content: SHA-256 of what the model was given of the meme.
    """

    meme: str
    version: str
    dimension: str
    language: str
    question: str
    correct: str
    plausible: str
    implausible: str
    none: str
    explanation: str
    statements: tuple[str, ...] = ()
    model: str = ""
    content: str = ""

    @property
    def id(self) -> str:
        """The meme's and the dimension's id."""
        return f"{self.meme}/{self.dimension}"

    def options(self, seed: int) -> tuple[str, ...]:
        """All four, in an order that depends on the seed, the meme and the dimension alone."""
        options = [self.correct, self.plausible, self.implausible, self.none]
        random.Random(f"{seed} {self.version} {self.id}").shuffle(options)
        return tuple(options)
