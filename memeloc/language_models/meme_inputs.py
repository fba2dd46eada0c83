"""What is labelled. In: nothing of memeloc but pictures for models. Out: `MemeInput`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memeloc.language_models import Picture

Input = Literal["picture", "text", "both"]
"""What a model is given of a meme."""


@dataclass(frozen=True, slots=True)
class MemeInput:
    """A meme that a model is asked about.

    Attributes:
        id: of the item or meme.
        content: SHA-256 of what the model is given; labels of another content do not count.
        text: its text, parts joined by ` // `; empty where the model is given the picture alone.
        language: of the text, a tag; empty where it is not known.
        version: language of the meme itself, whatever of it the model is given; empty where it is
            not known.
        picture: None where the model is given the text alone.
    """

    id: str
    content: str
    text: str = ""
    language: str = ""
    picture: Picture | None = None
    version: str = ""

    @property
    def input(self) -> Input:
        """What the model is given of it."""
        if self.picture is None:
            return "text"
        return "both" if self.text else "picture"
