"""Extraction as passes. In: settings, a recipe. Out: `Pass`es: a dimension each, then the links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memeloc.errors import MemelocError
from memeloc.knowledge.dimensions import Recipe, read_recipe
from memeloc.knowledge.extraction import Extraction
from memeloc.knowledge.extraction.reading import read_answers
from memeloc.knowledge.statements import DimensionKnowledge
from memeloc.language_models import Question
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.knowledge.running import AskedMeme, Key, Pass, Run
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
            tuple(("extract", each.id) for each in recipe.dimensions[:place]),
        )
        for place, dimension in enumerate(recipe.dimensions)
    ]
    if recipe.link:
        needs = tuple(each.key for each in passes)

        def link(meme: AskedMeme) -> Question[Any] | None:
            return extraction.link_question(
                meme.input, _knowledge(meme, recipe), open=_open(meme, needs)
            )

        passes.append(Pass("link", recipe.link, extraction.sha256, link, needs))
    return passes


class _Asks:
    """Gives the question about a dimension of a meme, with what was found before."""

    def __init__(self, workspace: WorkspaceFolder, extraction: Extraction, dimension: str) -> None:
        self.workspace, self.extraction, self.dimension = workspace, extraction, dimension
        self._languages: dict[str, str] = {}

    def __call__(self, meme: AskedMeme) -> Question[Any]:
        recipe = self.extraction.recipe
        needs: list[Key] = [("extract", each) for each in recipe.contexts[self.dimension]]
        language = self._languages.get(meme.language)
        if language is None:
            language = self._languages[meme.language] = language_name(self.workspace, meme.language)
        return self.extraction.question(
            self.dimension, meme.input, _knowledge(meme, recipe), language, open=_open(meme, needs)
        )


def _knowledge(meme: AskedMeme, recipe: Recipe) -> dict[str, DimensionKnowledge]:
    """What was found so far, by dimension; an answer is read once."""
    extracted = {
        dimension: answer for (step, dimension), answer in meme.answers.items() if step == "extract"
    }
    return read_answers(extracted, recipe, meme.knowledge)


def _open(meme: AskedMeme, needs: Sequence[Key]) -> int:
    """How many answers are not there yet; nothing is asked but when there are none."""
    return sum(key not in meme.answers for key in needs)


def language_name(workspace: WorkspaceFolder, tag: str) -> str:
    """A language for a model, such as `German (de)`; its tag alone where there is no locale."""
    try:
        return f"{workspace.locale(tag).name} ({tag})"
    except MemelocError:
        return f"the language {tag}"
