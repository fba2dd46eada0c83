"""Knowledge as it is stored. In: a workspace, a recipe, a model. Out: `MemeKnowledge`s."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator

from memeloc.errors import InputError
from memeloc.knowledge.dimensions import Recipe, read_recipe
from memeloc.knowledge.extraction import knowledge_of
from memeloc.knowledge.statements import MemeKnowledge
from memeloc.language_models.prompts import Input, MemeInput
from memeloc.locales.tags import canonical, is_well_formed
from memeloc.workspace.folder import WorkspaceFolder
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
        """Return the language of statements and questions about a meme, a tag; else English."""
        return self.statements_language or item.version or "en"

    @field_validator("statements_language")
    @classmethod
    def _tag(cls, tag: str) -> str:
        if tag and not is_well_formed(canonical(tag)):
            raise ValueError(f"{tag[:40]!r} is no language tag; write one such as de or pt-BR")
        return canonical(tag)


@dataclass(frozen=True)
class StoredKnowledge:
    """The knowledge that a model found by a recipe; `settings` are of its newest run."""

    workspace: WorkspaceFolder
    recipe: Recipe
    model: str
    settings: KnowledgeSettings

    def memes(
        self, *, version: str | None = None, language: str | None = None
    ) -> Iterator[MemeKnowledge]:
        """Return what was found in each meme, sorted by meme, version and statements' language.

        Args:
            version, language: only these, tags; None for any.
        """
        answers = self.workspace.store.knowledge.find(
            recipe=self.recipe.name, model=self.model, language=language
        )
        for knowledge in knowledge_of(answers, self.recipe):
            if version in (None, knowledge.version):
                yield knowledge


def every_stored(workspace: WorkspaceFolder) -> list[StoredKnowledge]:
    """Return what each model found by each recipe, in the order of their first answers.

    Raises:
        InputError: a team's own recipe cannot be read any more.
    """
    pairs = workspace.store.knowledge.extractions()
    return [stored_knowledge(workspace, recipe, model) for recipe, model in pairs]


def stored_knowledge(
    workspace: WorkspaceFolder, recipe: str = "", model: str = ""
) -> StoredKnowledge:
    """Return what a model found by a recipe (name or file); of the newest answer where empty.

    Raises:
        InputError: nothing was extracted yet, or not by these.
    """
    named = read_recipe(recipe).name if recipe.endswith(".toml") else recipe
    newest = workspace.store.knowledge.newest(
        step="extract", recipe=named or None, model=model or None
    )
    if newest is None:
        by = " and ".join(each[:60] for each in (recipe, model) if each)
        raise InputError(
            f"Nothing was extracted{f' by {by}' if by else ''} yet; memeloc knowledge extract "
            "--model NAME asks a model."
        )
    settings = KnowledgeSettings.model_validate(newest.settings.get("run", {}))
    own = recipe if recipe.endswith(".toml") else settings.recipe
    return StoredKnowledge(workspace, read_recipe(own), newest.model, settings)
