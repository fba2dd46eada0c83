"""What an analysis rests on. In: counts from stage to stage, `Answers`. Out: the `Section` funnel.

What was left out, and why, belongs beside every figure (charmemes 4.3, multi3hate 3.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memeloc.analyze.answers import NO_LABEL, Answers
from memeloc.analyze.settings import Settings
from memeloc.counts import counted
from memeloc.reports.sections import Bars, Section, Table

NAME = "funnel"
_LABELS = "labels (of an item in a culture)"


@dataclass(frozen=True, slots=True)
class Step:
    """How many there are at a stage.

    Attributes:
        of: what is counted, in the plural: `memes`, `answers`.
        why: of those that are there no more by reason how many; one may have several reasons.
    """

    of: str
    stage: str
    count: int
    why: Mapping[str, int] = field(default_factory=dict)


def funnel(answers: Answers, settings: Settings) -> Section:
    """The stages that a table of answers shows by itself."""
    return funnel_section(answer_steps(answers))


def answer_steps(answers: Answers) -> list[Step]:
    """From answers to votes, and from items to labels."""
    labels = answers.table["label"]
    known = labels.isin(answers.labels)
    by_label = labels[~known].value_counts()
    why = {str(label): int(count) for label, count in sorted(by_label.items())}
    votes = answers.votes.sum(axis=2) > 0
    labelled = answers.majority != NO_LABEL
    cells = int(votes.sum())
    ties = cells - int(labelled.sum())
    cultures = counted(len(answers.cultures), "culture")
    return [
        Step("answers", "given", len(labels)),
        Step("answers", "that vote", int(known.sum()), why),
        Step("items", "answered", len(answers.names)),
        Step("items", "with a vote in a culture", int(votes.any(axis=1).sum())),
        Step("items", f"with a vote in each of {cultures}", int(votes.all(axis=1).sum())),
        Step("items", f"with a label in each of {cultures}", int(labelled.all(axis=1).sum())),
        Step(_LABELS, "with votes", cells),
        Step(_LABELS, "with a majority", int(labelled.sum()), {"tie": ties} if ties else {}),
    ]


def funnel_section(steps: Sequence[Step]) -> Section:
    """The section: a table of all stages, and a bar for each."""
    import pandas as pd

    rows = []
    last: dict[str, int] = {}
    for step in steps:
        before = last.get(step.of)
        out = None if before is None else before - step.count
        why = ", ".join(f"{reason}: {count:,}" for reason, count in step.why.items())
        rows.append((step.of, step.stage, step.count, out, why))
        last[step.of] = step.count
    frame = pd.DataFrame(rows, columns=["of", "stage", "left", "out", "why"])
    frame["out"] = frame["out"].astype("Int64")
    method = "Counted at each stage; what went out is the difference to the stage before."
    table = Table(
        NAME,
        "From stage to stage",
        frame,
        {
            "of": "what is counted",
            "stage": "the stage",
            "left": "how many are there",
            "out": "how many fewer than at the stage before; of the first not defined",
            "why": "reasons and how many have each; there may be several reasons",
        },
        method,
    )
    return Section(
        NAME,
        "What the analysis rests on",
        (table,),
        (_bars(steps),),
        figures={f"{step.of}: {step.stage}": step.count for step in steps},
    )


def _bars(steps: Sequence[Step]) -> Bars:
    """What is left of the first stage, of everything that has several stages."""
    import pandas as pd

    stages = Counter(step.of for step in steps)
    first: dict[str, int] = {}
    for step in steps:
        first.setdefault(step.of, step.count)
    shares = {
        f"{step.of} {step.stage}: {step.count:,}": step.count / (first[step.of] or 1)
        for step in steps
        if stages[step.of] > 1
    }
    return Bars(
        NAME,
        "What is left of each first stage",
        pd.DataFrame({"share": list(shares.values())}, index=list(shares)),
        "share of the first stage",
        "Counted at each stage, as a share of the first one of the same kind.",
    )
