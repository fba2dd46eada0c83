"""Asking for questions as passes. In: what was extracted, a model. Out: a `Run`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memeloc.errors import InputError
from memeloc.knowledge.dimensions import Dimension
from memeloc.knowledge.extraction.reading import NOT_ASKED
from memeloc.knowledge.questions.asking import QuestionWriting, made_of
from memeloc.knowledge.statements import MemeKnowledge, Statement
from memeloc.language_models import Question
from memeloc.language_models.questions import content_hash
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.knowledge.extracting import language_name
from memeloc.workspace.knowledge.running import AskedMeme, Pass, Run
from memeloc.workspace.knowledge.stored import stored_knowledge


@dataclass(frozen=True, slots=True)
class AskSettings:
    """Of which extraction questions are asked for, and how.

    Attributes:
        recipe, of: of the extraction, and the model that made it; the newest one's where empty.
        lang: of the captions; that of the extraction where empty.
        none: the fourth option; empty for “None of the others” in the questions' language.
        seed: of the model's random numbers.
    """

    recipe: str = ""
    of: str = ""
    lang: str = ""
    none: str = ""
    seed: int = 0


def question_run(workspace: WorkspaceFolder, settings: AskSettings, model: str) -> Run:
    """A run that has a model write a question about each dimension of what was extracted.

    Raises:
        InputError: nothing was extracted yet, or there is no fourth option in a language.
    """
    stored = stored_knowledge(workspace, settings.recipe, settings.of)
    writing = QuestionWriting(stored.recipe, settings.none)
    knowledge = {(each.meme, each.version, each.language): each for each in stored.memes()}
    prompt = content_hash([writing.sha256, stored.model])
    passes = []
    for dimension in stored.recipe.dimensions:
        asks = _Asks(workspace, writing, dimension, knowledge, stored.model)
        passes.append(Pass("ask", dimension.id, prompt, asks.question, recorded=asks.recorded))
    own: dict[str, Any] = {"seed": settings.seed}
    if settings.lang:
        own["language"] = workspace.locale(settings.lang).tag
    run = Run(workspace, stored.settings.model_copy(update=own), model, stored.recipe.name, passes)
    extracted = {(each.meme, each.content) for each in knowledge.values()}
    if not any((item.id, item.content) in extracted for item in run.items):
        raise InputError(
            "None of the memes as they are now was extracted by these; run memeloc knowledge "
            "extract again."
        )
    for language in sorted({run.settings.language_of(item) for item in run.items}):
        writing.fourth(language)
    return run


@dataclass(frozen=True)
class _Asks:
    """Gives the question about a dimension of a meme; None where it was not extracted yet."""

    workspace: WorkspaceFolder
    writing: QuestionWriting
    dimension: Dimension
    knowledge: Mapping[tuple[str, str, str], MemeKnowledge]
    of: str

    def question(self, meme: AskedMeme) -> Question[Any] | None:
        statements = self._statements(meme)
        if statements is None:
            return None
        name = language_name(self.workspace, meme.language)
        return self.writing.question(meme.input, self.dimension, statements, meme.language, name)

    def recorded(self, meme: AskedMeme) -> Mapping[str, Any]:
        """What is stored with an answer: what the question was made of, and the fourth option."""
        return {
            "statements": [each.id for each in self._statements(meme) or ()],
            "none": self.writing.fourth(meme.language),
            "of": self.of,
        }

    def _statements(self, meme: AskedMeme) -> tuple[Statement, ...] | None:
        known = self.knowledge.get((meme.input.id, meme.input.version, meme.language))
        if known is None or known.content != meme.input.content:
            return None
        id = self.dimension.id
        asked = any(e.dimension == id and e.reason != NOT_ASKED for e in known.dimensions)
        return made_of(known, id) if asked else None
