"""Answers of models about what memes mean. In: nothing. Out: `KnowledgeAnswer`, as it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Step = Literal["extract", "link", "ask"]
"""Extracting a dimension, linking toxicity to what it rests on, making a question."""
Status = Literal["answered", "refused", "wrong"]
"""Whether there is a value, the model would not answer, or never answered as it was asked to."""


@dataclass(frozen=True, slots=True)
class KnowledgeAnswer:
    """What a model answered about one dimension of a meme.

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
        """What one answer is stored of; a newer one of the same supersedes it."""
        return (
            *(self.item, self.content, self.version, self.step, self.dimension, self.recipe),
            *(self.language, self.model, self.prompt),
        )
