"""How extraction stands. In: a workspace. Out: what was found, what is missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from memeloc.knowledge.answers import KnowledgeAnswer
from memeloc.knowledge.extraction import NOT_ASKED
from memeloc.knowledge.statements import MemeKnowledge
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.knowledge.stored import every_stored

_REASONS = 20
"""Sentences about what is missing that are given."""


def status_of(workspace: WorkspaceFolder) -> dict[str, list[dict[str, Any]]]:
    """Return how far the `extractions` of a workspace are: each recipe, model, language of memes
    and language of statements.

    `linked` are memes with an answer of the linking step, `links` what statements rest on, `cost`
    is by currency of all answers that are stored, questions too; `reasons` are the first sentences
    about what is missing, and `notes` about what was dropped of links. Of a dimension memes are
    `empty` in which the model found no statement, `missing` where there is no answer that could be
    read, and `open` where there is none yet.

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
    return {"extractions": extractions}


def _status(memes: list[MemeKnowledge], answers: list[KnowledgeAnswer]) -> dict[str, Any]:
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
    return {
        **{name: getattr(first, name) for name in ("recipe", "model", "version", "language")},
        "memes": len(memes),
        "dimensions": [_dimension(memes, place) for place in range(len(first.dimensions))],
        "linked": sum(meme.linked is not None for meme in memes),
        "links": sum(len(each.rests_on) for meme in memes for each in meme.statements()),
        "cost": {currency: round(value, 6) for currency, value in cost.items()},
        "last": max(answer.created_at for answer in answers),
        "reasons": reasons[:_REASONS],
        "notes": [f"{meme.meme}: {note}" for meme in memes for note in meme.notes][:_REASONS],
    }


def _dimension(memes: list[MemeKnowledge], place: int) -> dict[str, Any]:
    dimensions = [meme.dimensions[place] for meme in memes]
    states = Counter("open" if each.reason == NOT_ASKED else each.state for each in dimensions)
    found = ("entities", "relations", "statements")
    return {
        "dimension": dimensions[0].dimension,
        **{state: states[state] for state in ("answered", "empty", "missing", "open")},
        **{name: sum(len(getattr(each, name)) for each in dimensions) for name in found},
    }
