"""Questions as they are stored. In: a workspace, a recipe, a model. Out: `QuestionSet`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memeloc.errors import InputError
from memeloc.knowledge.answers import KnowledgeAnswer
from memeloc.knowledge.questions.asking import question_of
from memeloc.knowledge.questions.question import MemeQuestion
from memeloc.knowledge.statements import MemeKnowledge
from memeloc.language_models.meme_inputs import MemeInput
from memeloc.workspace.evaluating.own_memes import rendered_pictures
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.knowledge.settings import KnowledgeSettings
from memeloc.workspace.knowledge.stored import StoredKnowledge, stored_knowledge
from memeloc.workspace.model_inputs import meme_inputs
from memeloc.workspace.survey_memes import RENDERED


@dataclass(frozen=True)
class QuestionSet:
    """The questions that a model wrote about memes as they are now.

    Attributes:
        prompt: SHA-256 of what it was asked, and of which extraction.
        settings: of the newest run; `of`, the model that extracted.
        answers: of the step `ask`, right or not.
    """

    workspace: WorkspaceFolder
    recipe: str
    model: str
    prompt: str
    of: str
    settings: KnowledgeSettings
    answers: tuple[KnowledgeAnswer, ...]

    @cached_property
    def questions(self) -> list[MemeQuestion]:
        """Those that are right, by meme, in the recipe's order of dimensions."""
        order = {item.id: place for place, item in enumerate(self._items)}
        dimensions = list(self._stored.recipe.by_id)
        kept = [question_of(each) for each in self._current if each.status == "answered"]
        return sorted(kept, key=lambda q: (order[q.meme], dimensions.index(q.dimension)))

    @property
    def versions(self) -> list[str]:
        """The languages of the memes."""
        return sorted({each.version for each in self.questions})

    @cached_property
    def knowledge(self) -> dict[str, MemeKnowledge]:
        """By meme what was found in it."""
        versions = {each.meme: (each.version, each.language) for each in self.questions}
        return {
            each.meme: each
            for each in self._stored.memes()
            if versions.get(each.meme) == (each.version, each.language)
        }

    @cached_property
    def captions(self) -> dict[str, str]:
        """By meme its text, where it has one, whatever the model was given."""
        with_text = "text" if self.settings.collected == RENDERED else "both"
        given = meme_inputs(self.workspace, self.settings.model_copy(update={"input": with_text}))
        return {item.id: item.text for item in given if item.text}

    @cached_property
    def pictures(self) -> dict[str, Path]:
        """By meme its picture, where it has one."""
        ids = {each.meme: each.version for each in self.questions}
        if self.settings.collected == RENDERED:
            rendered = rendered_pictures(Path(self.settings.pictures or ""), {*ids.values()})
            return {meme: path for (meme, tag), path in rendered.items() if ids.get(meme) == tag}
        items = self.workspace.store.items.find("picture", list(ids))
        return {item.id: item.path for item in items if item.path is not None}

    def missing(self) -> dict[str, int]:
        """How many questions there are not, by the reason."""
        counts: Counter[str] = Counter(
            each.status for each in self._current if each.status != "answered"
        )
        wanted = len(self._items) * len(self._stored.recipe.dimensions)
        left = wanted - len(self._current)
        return {**counts, "not asked": left} if left else dict(counts)

    @cached_property
    def _current(self) -> list[KnowledgeAnswer]:
        """The answers about the memes as they are now."""
        asked = {
            (item.id, item.content, item.version, self.settings.language_of(item))
            for item in self._items
        }
        return [a for a in self.answers if (a.item, a.content, a.version, a.language) in asked]

    @cached_property
    def _stored(self) -> StoredKnowledge:
        return stored_knowledge(self.workspace, self.settings.recipe, self.of)

    @cached_property
    def _items(self) -> list[MemeInput]:
        return meme_inputs(self.workspace, self.settings)


def question_set(
    workspace: WorkspaceFolder, *, recipe: str = "", model: str = "", lang: str = ""
) -> QuestionSet:
    """The questions that were written last.

    Args:
        recipe, model, lang: only these: the recipe's name, who wrote the questions, the memes'
            language; empty for any.

    Raises:
        InputError: there are none.
    """
    answers = [
        each
        for each in workspace.store.knowledge.find(
            step="ask", recipe=recipe or None, model=model or None
        )
        if lang in ("", each.version)
    ]
    if not answers:
        raise InputError(
            "There are no such questions yet; memeloc knowledge ask --model NAME has a model write "
            "them."
        )
    newest = answers[-1]
    key = (newest.recipe, newest.model, newest.prompt)
    settings = KnowledgeSettings.model_validate(newest.settings["run"])
    of_run = [e for e in answers if (e.recipe, e.model, e.prompt) == key]
    return QuestionSet(workspace, *key, newest.settings["of"], settings, tuple(of_run))
