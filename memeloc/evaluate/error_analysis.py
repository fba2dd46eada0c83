"""Where models go wrong. In: answers of models and gold. Out: confusion, in sections of a report.

charmemes B looks at harmful items only, and finds that errors often stay within a severity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.arrays import Floats
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.metrics import confusion, measure
from memeloc.reports.sections import Bars, Heatmap, Section, Table

if TYPE_CHECKING:
    import pandas as pd

INVALID = "(none)"
"""What stands for an answer that chooses no label."""
PLOTTED = 4
"""Models whose confusion is drawn: those with the best macro F1; tables have all."""

_TOLD_APART = ("input", "prompt_language", "country")
"""What answers of a model differ in, where it was asked in several ways; see `ModelAnswers`."""
_CONFUSED = {
    "model": "its name, with what else its answers differ in",
    "gold": "the right label",
    "predicted": f"the label that the model gave; {INVALID} where it gave none",
    "items": "answers",
    "share": "of the answers on items with that right label, 0 to 1",
}


@dataclass(frozen=True, slots=True)
class Severities:
    """Which labels are harmful, and how grave.

    Attributes:
        group: by label its severity (charmemes: high, mid, contextual); empty without such.
        harmless: labels of items that harm nobody.
    """

    group: Mapping[str, str]
    harmless: frozenset[str]

    def harmful(self, labels: Sequence[str]) -> list[int]:
        """The places of the labels that are harmful."""
        return [at for at, label in enumerate(labels) if label not in self.harmless]


def confusion_sections(
    answers: ModelAnswers, gold: Gold, severities: Severities | None = None
) -> tuple[Section, ...]:
    """Confusion of each model; with severities also among the harmful, and by severity.

    Answers to all prompts of a condition are counted together, and memes of all languages.

    Args:
        gold: what is right, by its first culture; items without a label do not count.
        severities: of the labels; None leaves out what needs them.
    """
    counts = _counts(answers, gold, gold.cultures[0])
    sections = [_whole(counts, gold.labels)]
    if severities is not None and len(severities.harmful(gold.labels)) > 1:
        sections.append(_among_harmful(counts, gold.labels, severities))
        if severities.group:
            sections.append(_by_severity(counts, gold.labels, severities))
    return tuple(sections)


def _counts(answers: ModelAnswers, gold: Gold, culture: str) -> dict[str, Floats]:
    """By model the confusion counts, the model with the best macro F1 first."""
    place = {label: at for at, label in enumerate(gold.labels)}
    table = answers.table.assign(_gold=answers.table["item"].map(gold.table[culture]))
    table = table[table["_gold"].isin(list(place))]
    within = table.groupby("model")[list(_TOLD_APART)].nunique()
    varying = [name for name in _TOLD_APART if (within[name] > 1).any()]
    counts: dict[str, Floats] = {}
    for names, rows in table.groupby(["model", *varying], sort=False):
        right = np.asarray(rows["_gold"].map(place), dtype=np.int64)
        given = np.asarray(rows["choice"].map(place).fillna(-1), dtype=np.int64)
        name = ", ".join(str(each) for each in names if each != "")
        counts[name] = confusion(right, given, len(place))
    return dict(sorted(counts.items(), key=lambda each: -float(measure(each[1]).f1)))


def _whole(counts: Mapping[str, Floats], labels: Sequence[str]) -> Section:
    method = "Answers by right and by given label; the share is of those with that right label."
    columns = [*labels, INVALID]
    return Section(
        "confusion",
        "Confusion",
        (
            Table(
                "confusion",
                "Right and given labels",
                _long(counts, labels, columns),
                _CONFUSED,
                method,
            ),
        ),
        _heatmaps("confusion", counts, labels, columns, method),
    )


def _among_harmful(
    counts: Mapping[str, Floats], labels: Sequence[str], severities: Severities
) -> Section:
    kept = severities.harmful(labels)
    names = [labels[at] for at in kept]
    own = {model: cells[np.ix_(kept, kept)] for model, cells in counts.items()}
    method = (
        "Items that are harmful and were given a harmful label (CHARMemes B, Figure 5); the share "
        "is of those with that right label."
    )
    rows = [
        (model, cells.sum(), np.trace(cells), np.trace(cells) / max(cells.sum(), 1))
        for model, cells in own.items()
    ]
    columns = {
        "model": _CONFUSED["model"],
        "items": "answers on harmful items that gave a harmful label",
        "right": "of them with the right label",
        "accuracy": "the share that is right, 0 to 1",
    }
    import pandas as pd

    summary = pd.DataFrame(rows, columns=list(columns)).astype({"items": int, "right": int})
    return Section(
        "confusion-harmful",
        "Confusion among the harmful only",
        (
            Table("confusion-harmful", "Right among the harmful", summary, columns, method),
            Table(
                "confusion-harmful-labels",
                "Right and given labels among the harmful",
                _long(own, names, names),
                _CONFUSED,
                method,
            ),
        ),
        _heatmaps("confusion-harmful", own, names, names, method),
    )


OUTCOMES = {
    "right": "the right label",
    "same": "another label of the same severity",
    "other": "a label of another severity",
    "harmless": "a label of what harms nobody",
    "invalid": "no label",
}


def _by_severity(
    counts: Mapping[str, Floats], labels: Sequence[str], severities: Severities
) -> Section:
    groups = list(dict.fromkeys(severities.group[labels[at]] for at in severities.harmful(labels)))
    rows: list[dict[str, Any]] = []
    for model, cells in counts.items():
        for group in groups:
            rows.append(
                {"model": model, "severity": group, **_outcomes(cells, labels, severities, group)}
            )
    method = (
        "Of the answers on items of a severity the share that gave each kind of label. The last "
        "two columns: of errors that stay among the harmful, the share within the severity, and "
        "what it would be if each error fell on a harmful label at random, all alike."
    )
    columns = {
        "model": _CONFUSED["model"],
        "severity": "of the right label",
        "items": "answers on items of it",
        **{name: f"share that gave {meaning}, 0 to 1" for name, meaning in OUTCOMES.items()},
        "within": "of errors among the harmful, the share within the severity, 0 to 1",
        "within_by_chance": "the same, of errors at random, 0 to 1",
    }
    title = "Errors within a severity"
    table = Table.of("severity", title, rows, columns, method)
    frame = table.frame
    plots = []
    for number, model in enumerate(list(counts)[:PLOTTED]):
        shares = frame[frame["model"] == model].set_index("severity")[list(OUTCOMES)]
        name, about = f"severity-{number + 1}", f"{model}: what was given, by severity"
        plots.append(Bars(name, about, shares, "share of answers", method, stacked=True))
    sentences = tuple(_sentence(model, rows) for model, rows in frame.groupby("model", sort=False))
    return Section("severity", title, (table,), tuple(plots), tuple(filter(None, sentences)))


def _sentence(model: Any, rows: pd.DataFrame) -> str:
    """What share of errors among the harmful stayed within a severity, over all severities."""
    same, other = ((rows[name] * rows["items"]).sum() for name in ("same", "other"))
    if not same + other:
        return ""
    errors = rows["items"] * (rows["same"] + rows["other"])
    chance = (rows["within_by_chance"] * errors).sum() / errors.sum()
    return (
        f"Of the errors of {model} among the harmful {same / (same + other):.0%} stayed within "
        f"the severity; errors at random would in {chance:.0%}."
    )


def _outcomes(
    cells: Floats, labels: Sequence[str], severities: Severities, group: str
) -> dict[str, float]:
    harmful = severities.harmful(labels)
    own = [at for at in harmful if severities.group[labels[at]] == group]
    total = float(cells[own].sum())
    right = float(cells[own, own].sum())
    same = float(cells[np.ix_(own, own)].sum()) - right
    other = float(cells[np.ix_(own, harmful)].sum()) - right - same
    invalid = float(cells[own, -1].sum())
    harmless = total - right - same - other - invalid
    shares = dict(zip(OUTCOMES, (right, same, other, harmless, invalid), strict=True))
    chance = (len(own) - 1) / (len(harmful) - 1)
    return {
        "items": int(total),
        **{name: count / total if total else np.nan for name, count in shares.items()},
        "within": same / (same + other) if same + other else np.nan,
        "within_by_chance": chance,
    }


def _long(
    counts: Mapping[str, Floats], rows: Sequence[str], columns: Sequence[str]
) -> pd.DataFrame:
    """Pairs of labels that occur, errors before what is right, the most frequent first."""
    import pandas as pd

    cells = [
        (model, right, given, int(own[at, to]), own[at, to] / own[at].sum())
        for model, own in counts.items()
        for at, right in enumerate(rows)
        for to, given in enumerate(columns)
        if own[at, to]
    ]
    cells.sort(key=lambda cell: (cell[1] == cell[2], -cell[3]))
    return pd.DataFrame(cells, columns=list(_CONFUSED))


def _heatmaps(
    name: str,
    counts: Mapping[str, Floats],
    rows: Sequence[str],
    columns: Sequence[str],
    method: str,
) -> tuple[Heatmap, ...]:
    """A heatmap of shares for each of the best models; rows that do not occur are left out."""
    import pandas as pd

    plots = []
    for number, (model, own) in enumerate(list(counts.items())[:PLOTTED]):
        totals = own.sum(axis=1)
        kept = [int(at) for at in np.flatnonzero(totals)]
        shares = pd.DataFrame(
            own[kept] / totals[kept, None], [rows[at] for at in kept], list(columns)
        )
        if INVALID in shares and not shares[INVALID].any():
            shares = shares.drop(columns=INVALID)
        title = f"{model}: given label (column) by right label (row)"
        plots.append(Heatmap(f"{name}-{number + 1}", title, shares, method))
    return tuple(plots)
