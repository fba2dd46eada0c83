"""Statements extracted from a meme. In: nothing. Out: `KnowledgeAnswer`s as stored,
`MemeKnowledge`.

A dimension's answer names entities (a cat, a phrase, an event), relations between them, and
statements about them. Later dimensions are shown what earlier ones found, and refer to it by id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Step = Literal["extract", "link", "ask"]
"""Extracting a dimension, linking toxicity to what it rests on, making a question."""
Status = Literal["answered", "refused", "wrong"]
"""Whether there is a value, the model would not answer, or never answered as it was asked to."""
State = Literal["answered", "empty", "missing"]
"""A dimension has statements; the model found none; or there is no answer that could be read."""


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that a meme shows, says or refers to.

    Attributes:
        id: unique within its meme: lower-case ASCII letters, digits and "-", at most 60.
        label: its name, in the statements' language.
        kind: one of the kinds of its dimension, such as `person`; empty where none fits.
        dimension: the one that named it first.
    """

    id: str
    label: str
    kind: str
    dimension: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of an entity to another; `name` is one of the dimension's."""

    source: str
    name: str
    target: str
    dimension: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a dimension about a meme.

    Attributes:
        id: the dimension's id and a number from 1, such as `toxicity-1`.
        text: in the statements' language.
        entities: ids of those that it is about.
        value: one of the dimension's values, such as the type of toxicity; empty without one.
        rests_on: ids of statements of other dimensions that it rests on, found by the linking step.
    """

    id: str
    dimension: str
    text: str
    entities: tuple[str, ...] = ()
    value: str = ""
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of an answer.

    Attributes:
        model: as it was asked for; `server_model`, what the server calls it.
        prompt: SHA-256 of the messages with their pictures' keys, in hex.
        date: when it was answered, in UTC (ISO 8601).
        settings: what was sent and the like.
    """

    model: str
    server_model: str = ""
    prompt: str = ""
    date: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DimensionKnowledge:
    """A dimension's answer; `reason` says why it is missing."""

    dimension: str
    state: State
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    statements: tuple[Statement, ...] = ()
    reason: str = ""
    provenance: Provenance | None = None


@dataclass(frozen=True, slots=True)
class MemeKnowledge:
    """The statements of a model on a meme, dimension by dimension.

    Attributes:
        meme: id of the meme or collected item.
        content: SHA-256 of what the model was given of it.
        version: language of the meme's version that was looked at, a tag; empty if not known.
        language: of labels and statements, a tag.
        recipe: name of the recipe of dimensions.
        model: as it was asked for.
        dimensions: in the recipe's order.
        linked: provenance of the linking step; None where it was not run.
        notes: what was dropped of the linking step's answer, a sentence each.
    """

    meme: str
    content: str
    version: str
    language: str
    recipe: str
    model: str
    dimensions: tuple[DimensionKnowledge, ...] = ()
    linked: Provenance | None = None
    notes: tuple[str, ...] = ()

    def statements(self) -> Iterator[Statement]:
        return (each for dimension in self.dimensions for each in dimension.statements)

    def entities(self) -> dict[str, Entity]:
        return {each.id: each for dimension in self.dimensions for each in dimension.entities}


@dataclass(frozen=True, slots=True)
class KnowledgeAnswer:
    """A model's answer about one dimension of a meme.

    Attributes:
        item: id of the meme or collected item.
        content: SHA-256 of what the model was given; see `MemeInput`.
        version: language of the meme's version, a tag; empty if not known.
        dimension: the dimension's id.
        recipe: name of the recipe of dimensions.
        language: of the statements or the question, a tag.
        model: as it was asked for; `settings` has what the server calls it.
        prompt: SHA-256 of all that is the same for every meme: texts, form, recipe.
        value: the answer, by the names of its form; empty where the status is not `answered`.
        answer: as the model wrote it; of a refusal, what it wrote instead.
        settings: what was sent, the question's SHA-256, tokens and the like.
        cost: in `currency`; 0 where the answer was known.
        created_at: ISO 8601; empty before it is stored.
    """

    item: str
    content: str
    version: str
    step: Step
    dimension: str
    recipe: str
    language: str
    model: str
    prompt: str
    status: Status
    value: Mapping[str, Any] = field(default_factory=dict)
    answer: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 0.0
    currency: str = ""
    created_at: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """Return what one answer is stored of; a newer one of the same supersedes it."""
        return (
            *(self.item, self.content, self.version, self.step, self.dimension, self.recipe),
            *(self.language, self.model, self.prompt),
        )
