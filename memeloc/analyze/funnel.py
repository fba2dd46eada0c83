"""Counts from stage to stage. In: counts from stage to stage, `Answers`. Out: rows, one a stage.

What was left out, and why, belongs beside every figure (charmemes 4.3, multi3hate 3.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from memeloc.analyze.answers import Answers, Settings
from memeloc.arrays import NO_LABEL
from memeloc.counts import counted
from memeloc.reports.figures import tidy

_LABELS = "labels (of an item in a culture)"


@dataclass(frozen=True, slots=True)
class Step:
    """A stage: how many there are `of` something (a plural), and why there are no more.

    `why` counts by reason those that were left out; one may have several reasons.
    """

    of: str
    stage: str
    count: int
    why: Mapping[str, int] = field(default_factory=dict)


def funnel(answers: Answers, settings: Settings, earlier: Sequence[Step] = ()) -> pd.DataFrame:
    """Return the stages before there were answers, and from answers to votes and labels.

    By what is counted and stage `count`, `share` of the first stage, and `out`: how many fewer
    there are than at the stage before, and, with the item `STAGE: REASON`, how many of them have a
    reason.
    """
    labels = answers.table["label"]
    known = labels.isin(answers.labels)
    no_votes = {
        str(label): int(out) for label, out in sorted(labels[~known].value_counts().items())
    }
    votes = answers.votes.sum(axis=2) > 0
    labelled = answers.majority != NO_LABEL
    cells, most = int(votes.sum()), int(labelled.sum())
    cultures = counted(len(answers.cultures), "culture")
    steps = [
        *earlier,
        Step("answers", "given", len(labels)),
        Step("answers", "that vote", int(known.sum()), no_votes),
        Step("items", "answered", len(answers.names)),
        Step("items", "with a vote in a culture", int(votes.any(axis=1).sum())),
        Step("items", f"with a vote in each of {cultures}", int(votes.all(axis=1).sum())),
        Step("items", f"with a label in each of {cultures}", int(labelled.all(axis=1).sum())),
        Step(_LABELS, "with votes", cells),
        Step(_LABELS, "with a majority", most, {"tie": cells - most} if cells > most else {}),
    ]
    nan = float("nan")
    rows: list[tuple[str, str, float, float]] = []
    for step in steps:
        rows.append((step.of, step.stage, step.count, nan))
        rows += [(step.of, f"{step.stage}: {why}", nan, out) for why, out in step.why.items()]
    frame = pd.DataFrame(rows, columns=["group", "item", "count", "out"])
    stages = frame["count"].dropna().groupby(frame["group"])
    frame.insert(3, "share", frame["count"] / stages.transform("first").clip(lower=1))
    frame["out"] = frame["out"].fillna(-stages.diff())
    figures = tidy("funnel", frame, "counted at each stage")
    return figures[figures["value"].notna()]
