"""Labels of models for others. In: labellings, published memes. Out: rows of `model_labels`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from memeloc.errors import InputError
from memeloc.label.rounds import Outcome
from memeloc.language_models.job import sent_counts
from memeloc.taxonomy import LABEL
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.labels import Labelling, labellings

Row = tuple[str, str, str, str, str, str, float | None, str]
"""A row of the table `model_labels`."""


def labelled_rows(
    workspace: WorkspaceFolder, items: Mapping[str, str], published: Collection[str]
) -> tuple[list[Row], list[str]]:
    """Return what models labelled: a row for what all rounds agree on, and one for each round.

    Args:
        items: the memes of collected items, by item.
        published: the memes that go out.

    Returns:
        The rows; and sentences about labels that stay behind.
    """
    rows: list[Row] = []
    notes: list[str] = []
    if not workspace.store.model_labels.labellings():
        return rows, notes
    for labelling in labellings(workspace):
        try:
            rows += _rows(labelling, items, published)
        except InputError as error:
            notes.append(f"Labels by {labelling.labelled.model} stay behind: {error}")
    return rows, notes


def _rows(
    labelling: Labelling, items: Mapping[str, str], published: Collection[str]
) -> Iterator[Row]:
    settings = defaultdict(list)
    for answer in labelling.answers:
        settings[answer.item].append(answer.settings)
    for outcome in labelling.outcomes:
        meme = items.get(outcome.item, outcome.item)
        if meme not in published:
            continue
        model, about = labelling.labelled.model, _about(labelling, outcome)
        about["sent"] = sent_counts(settings[outcome.item])
        if outcome.state == "accepted":
            subcategory = "|".join(outcome.subcategories)
            yield meme, "", LABEL, model, outcome.label, subcategory, None, _json(about)
        for number, labels in enumerate(outcome.rounds, 1):
            if labels:
                given = {**about, "given": [str(label) for label in labels]}
                question = f"{LABEL}, round {number}"
                yield meme, "", question, model, labels[0].category, "", None, _json(given)


def _about(labelling: Labelling, outcome: Outcome) -> dict[str, Any]:
    settings = labelling.settings
    return {
        "taxonomy": labelling.labelled.taxonomy,
        "prompt": labelling.labelled.prompt,
        "rounds": settings.rounds,
        "equal": settings.equal,
        "state": outcome.state,
    }


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True)
