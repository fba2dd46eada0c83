"""How knowledge is extracted. In: options of a run. Out: `KnowledgeSettings`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator

from memeloc.language_models.prompts import Input, MemeInput
from memeloc.locales.tags import canonical, is_well_formed
from memeloc.workspace.model_inputs import InputSettings


class KnowledgeSettings(InputSettings):
    """Asking a model what memes mean; its defaults are M-QUEST's, where the paper states them.

    Attributes:
        input: what the model is given; the picture alone by default, as there.
        recipe: dimensions and their order, one that ships or a TOML file.
        prompt: a TOML file; empty for the shipped texts.
        statements_language: of labels, statements and questions, a tag; empty for the meme's own,
            or English where that is not known.
    """

    input: Input | Literal[""] = "picture"
    recipe: str = "m-quest"
    prompt: str = ""
    statements_language: str = ""
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 0.0
    seed: int = 0

    paths: ClassVar[tuple[str, ...]] = ("pictures", "recipe", "prompt")

    def language_of(self, item: MemeInput) -> str:
        """Of statements and questions about a meme, a tag; English where none is known."""
        return self.statements_language or item.version or "en"

    @field_validator("statements_language")
    @classmethod
    def _tag(cls, tag: str) -> str:
        if tag and not is_well_formed(canonical(tag)):
            raise ValueError(f"{tag[:40]!r} is no language tag; write one such as de or pt-BR")
        return canonical(tag)
