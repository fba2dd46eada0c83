"""Hints at wordplay by a language model, in any language. In: captions. Out: hints, no verdicts.

A hint is given only for words that stand in the caption: a model also sees what is not there.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from pydantic import BaseModel, Field

from memeloc.curate.hints import MOST, Hint
from memeloc.items import Item
from memeloc.language_models import Question
from memeloc.language_models.prompts import Prompt, read_prompt
from memeloc.model import SEPARATOR


class Found(BaseModel):
    """One piece of wordplay."""

    words: str = Field(description="the words, exactly as they stand in the text")
    why: str = Field("", description="one short sentence")


class Wordplay(BaseModel):
    """All that the model found."""

    found: list[Found]


@cache
def _prompt() -> Prompt:
    shipped = files("memeloc.curate") / "prompts" / "wordplay.toml"
    return read_prompt(shipped, {"caption": {"language", "caption"}})


def question(item: Item) -> Question[Wordplay]:
    """What is asked of a caption."""
    caption = SEPARATOR.join(part for part in item.parts if part.strip())
    values = {"language": item.language or "unknown", "caption": caption}
    return Question(_prompt().fill("caption", values), Wordplay)


def read_hints(item: Item, answer: Wordplay) -> list[Hint]:
    """The hints of an answer, those that name words of the caption."""
    text = _plain(" ".join(item.parts))
    hints = [
        Hint("model", f'"{piece.words.strip()[:100]}": {piece.why.strip()[:200]}')
        for piece in answer.found
        if _plain(piece.words) and _plain(piece.words) in text
    ]
    return list(dict.fromkeys(hints))[:MOST]


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").replace(SEPARATOR.strip(), " ").split())
