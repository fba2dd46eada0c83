"""How extraction stands. In: a workspace. Out: what was found, what is missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from memeloc.knowledge.answers import KnowledgeAnswer
from memeloc.knowledge.extraction.reading import NOT_ASKED
from memeloc.knowledge.statements import MemeKnowledge
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.knowledge.stored import every_stored

_REASONS = 20
"""Sentences about what is missing that are given."""


@dataclass(frozen=True, slots=True)
class DimensionStatus:
    """A dimension: memes by its state, and how much was found in them.

    Attributes:
        empty: the model found no statement.
        missing: there is no answer that could be read; `open`, none yet.
    """

    dimension: str
    answered: int
    empty: int
    missing: int
    open: int
    entities: int
    relations: int
    statements: int


@dataclass(frozen=True, slots=True)
class KnowledgeStatus:
    """How far an extraction is: a recipe, a model, a language of memes and one of statements.

    Attributes:
        linked: memes with an answer of the linking step; `links`, what statements rest on.
        cost: by currency, of all answers that are stored, questions too.
        reasons: sentences about what is missing, the first; `notes`, what was dropped of links.
    """

    recipe: str
    model: str
    version: str
    language: str
    memes: int
    dimensions: tuple[DimensionStatus, ...]
    linked: int
    links: int
    cost: Mapping[str, float]
    last: str
    reasons: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def statements(self) -> int:
        """Of all dimensions."""
        return sum(each.statements for each in self.dimensions)


@dataclass(frozen=True, slots=True)
class KnowledgeStatusList:
    """All extractions of a workspace."""

    extractions: tuple[KnowledgeStatus, ...]


def status_of(workspace: WorkspaceFolder) -> KnowledgeStatusList:
    """How all extractions stand.

    Raises:
        InputError: a team's own recipe cannot be read any more.
    """
    answers = workspace.store.knowledge.find()
    extractions = []
    for stored in every_stored(workspace):
        recipe, model = stored.recipe.name, stored.model
        memes: dict[tuple[str, str], list[MemeKnowledge]] = defaultdict(list)
        for each in stored.memes():
            memes[each.version, each.language].append(each)
        for (version, language), knowledge in memes.items():
            own = [
                answer
                for answer in answers
                if (answer.recipe, answer.model, answer.version, answer.language)
                == (recipe, model, version, language)
            ]
            extractions.append(_status(knowledge, own))
    return KnowledgeStatusList(tuple(extractions))


def _status(memes: list[MemeKnowledge], answers: list[KnowledgeAnswer]) -> KnowledgeStatus:
    first = memes[0]
    cost: Counter[str] = Counter()
    for answer in answers:
        cost[answer.currency] += answer.cost  # type: ignore[assignment]
    reasons = [
        f"{meme.meme}, {each.dimension}: {each.reason}"
        for meme in memes
        for each in meme.dimensions
        if each.state == "missing" and each.reason != NOT_ASKED
    ]
    return KnowledgeStatus(
        *(first.recipe, first.model, first.version, first.language, len(memes)),
        tuple(_dimension(memes, place) for place in range(len(first.dimensions))),
        sum(meme.linked is not None for meme in memes),
        sum(len(each.rests_on) for meme in memes for each in meme.statements()),
        {currency: round(value, 6) for currency, value in cost.items()},
        max(answer.created_at for answer in answers),
        tuple(reasons[:_REASONS]),
        tuple(f"{meme.meme}: {note}" for meme in memes for note in meme.notes)[:_REASONS],
    )


def _dimension(memes: list[MemeKnowledge], place: int) -> DimensionStatus:
    dimensions = [meme.dimensions[place] for meme in memes]
    states = Counter("open" if each.reason == NOT_ASKED else each.state for each in dimensions)
    return DimensionStatus(
        dimensions[0].dimension,
        *(states["answered"], states["empty"], states["missing"], states["open"]),
        sum(len(each.entities) for each in dimensions),
        sum(len(each.relations) for each in dimensions),
        sum(len(each.statements) for each in dimensions),
    )
