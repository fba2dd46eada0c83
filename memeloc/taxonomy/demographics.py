"""What can be asked about the person. In: ids of shipped questions. Out: a taxonomy with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.settings import read_toml, validate
from memeloc.taxonomy.model import Question, Taxonomy

_FILE = Path(__file__).parent / "demographics.toml"

MOST_OF_LIFE = "most-of-life"
"""The question whether somebody spent most of their life in the country (multi3hate 3.3)."""


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid")

    questions: tuple[Question, ...] = Field(alias="question")


@cache
def demographic_questions() -> dict[str, Question]:
    """The shipped questions about the person by id, in their order."""
    block = validate(_Block, read_toml(_FILE), "the demographic questions", file=_FILE)
    return {question.id: replace(question, about="person") for question in block.questions}


def with_demographics(taxonomy: Taxonomy, ids: Sequence[str]) -> Taxonomy:
    """The taxonomy, and these questions about the person at the sheet's end, in their own order.

    Raises:
        InputError: there is no such question, or the taxonomy has another one of that id.
    """
    shipped = demographic_questions()
    for id in ids:
        if id not in shipped:
            raise InputError(
                f"There is no question {id[:40]!r} about the person; there are {', '.join(shipped)}"
            )
        if taxonomy.question(id) is not None:
            raise InputError(
                f"{taxonomy.name} has a question {id!r} of its own; leave one of them out"
            )
    asked = tuple(question for id, question in shipped.items() if id in ids)
    own = tuple(question.id for question in asked)
    return replace(taxonomy, questions=(*taxonomy.questions, *asked), demographics=own)
