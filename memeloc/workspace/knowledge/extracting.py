"""Extraction as passes. In: settings, a recipe. Out: `Pass`es: a dimension each, then the links."""

from __future__ import annotations

from typing import Any

from memeloc.errors import MemelocError
from memeloc.knowledge.dimensions import read_recipe
from memeloc.knowledge.extraction import Extraction
from memeloc.knowledge.extraction.reading import meme_knowledge
from memeloc.language_models import Question
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.knowledge.running import AskedMeme, Pass, Run
from memeloc.workspace.knowledge.settings import KnowledgeSettings


def extraction_run(workspace: WorkspaceFolder, settings: KnowledgeSettings, model: str) -> Run:
    """A run that extracts all dimensions of a recipe, and links at the end.

    Raises:
        InputError: there is no such recipe, prompt or model, or nothing to ask about.
    """
    settings = settings.with_full_paths()
    recipe = read_recipe(settings.recipe)
    passes = extraction_passes(workspace, Extraction(recipe, settings.prompt))
    return Run(workspace, settings, model, recipe.name, passes)


def extraction_passes(workspace: WorkspaceFolder, extraction: Extraction) -> list[Pass]:
    """A pass a dimension, in the recipe's order, and one of links where the recipe has them."""
    recipe = extraction.recipe
    passes = [
        Pass(
            "extract",
            dimension.id,
            extraction.sha256,
            _Asks(workspace, extraction, dimension.id),
            tuple(("extract", each) for each in recipe.contexts[dimension.id]),
        )
        for dimension in recipe.dimensions
    ]
    if recipe.link:

        def link(meme: AskedMeme) -> Question[Any] | None:
            if not meme.answers:
                return None
            knowledge = meme_knowledge(list(meme.answers.values()), recipe)
            return extraction.link_question(meme.input, knowledge)

        needs = tuple(each.key for each in passes)
        passes.append(Pass("link", recipe.link, extraction.sha256, link, needs))
    return passes


class _Asks:
    """Gives the question about a dimension of a meme, with what was found before."""

    def __init__(self, workspace: WorkspaceFolder, extraction: Extraction, dimension: str) -> None:
        self.workspace, self.extraction, self.dimension = workspace, extraction, dimension
        self._languages: dict[str, str] = {}

    def __call__(self, meme: AskedMeme) -> Question[Any]:
        recipe = self.extraction.recipe
        answers = list(meme.answers.values())
        knowledge = meme_knowledge(answers, recipe) if answers else None
        language = self._languages.get(meme.language)
        if language is None:
            language = self._languages[meme.language] = language_name(self.workspace, meme.language)
        return self.extraction.question(self.dimension, meme.input, knowledge, language)


def language_name(workspace: WorkspaceFolder, tag: str) -> str:
    """A language for a model, such as `German (de)`; its tag alone where there is no locale."""
    try:
        return f"{workspace.locale(tag).name} ({tag})"
    except MemelocError:
        return f"the language {tag}"
