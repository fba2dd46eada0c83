"""Knowledge as it is stored. In: a workspace, a recipe, a model. Out: `MemeKnowledge`s."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memeloc.errors import InputError
from memeloc.knowledge.dimensions import Recipe, read_recipe
from memeloc.knowledge.extraction import knowledge_of
from memeloc.knowledge.statements import MemeKnowledge
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.knowledge.settings import KnowledgeSettings


@dataclass(frozen=True)
class StoredKnowledge:
    """What a model found by a recipe; `settings` are of its newest run."""

    workspace: WorkspaceFolder
    recipe: Recipe
    model: str
    settings: KnowledgeSettings

    def memes(
        self, *, version: str | None = None, language: str | None = None
    ) -> Iterator[MemeKnowledge]:
        """What was found in each meme, sorted by meme, version and statements' language.

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
    """What each model found by each recipe, in the order of their first answers.

    Raises:
        InputError: a team's own recipe cannot be read any more.
    """
    pairs = workspace.store.knowledge.extractions()
    return [stored_knowledge(workspace, recipe, model) for recipe, model in pairs]


def stored_knowledge(
    workspace: WorkspaceFolder, recipe: str = "", model: str = ""
) -> StoredKnowledge:
    """What a model found by a recipe (its name or file); those of the newest answer where empty.

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
