"""Labels from answers. In: a long table of answers. Out: a label an item and culture, and needs.

The definition is the one of multi3hate 3.3: the majority among the retained answers; "I don't know"
is stored and left out of the vote; a tie is no label and asks for more answers. A label follows
from the votes alone, so another "I don't know" never changes it; whether an item has enough
answers stands beside it. Whoever skipped an item gave no answer. An item that more than half reject
is rejected; one that just half reject is tied (harmeme B.3, charmemes C: annotators may say that an
item is invalid).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.arrays import Ints
from memeloc.errors import InputError
from memeloc.survey.model import Answer, Sheet, Submission
from memeloc.survey.quality.rows import sent
from memeloc.survey.quality.rules import Settling
from memeloc.taxonomy import Taxonomy

if TYPE_CHECKING:
    import pandas as pd


COLUMNS = ("item", "culture", "participant", "label")
SHOWN = "shown_ms"
"""What a table of answers has: the meme's id, the culture's code, who, and the label's id."""

BETWEEN = "|"
"""What stands between several answers in one cell."""

_NO_LIMIT = 1_000_000

STATES = ("settled", "short", "tied", "given up", "rejected", "decided")
"""Enough answers and a label; too few answers; no label yet; no label, and the limit reached; more
than half say that the item is invalid; people decided together, see `labels.decided`."""


@dataclass(frozen=True)
class Settled:
    """Labels and votes.

    Attributes:
        table: sorted by item and culture, with `item`, `culture`, `label` (empty for none),
            `state` (one of `STATES`), `answers` (all but skips), `votes` (for labels), `abstained`,
            `rejected` (how many reject the item), `reasons` (of a rejected one, the most frequent
            first, with `BETWEEN` between), and `votes.LABEL` for each label that is voted for.
        needs: by item and culture how many more answers to ask for, as `build_next` takes it.
    """

    table: pd.DataFrame
    needs: Mapping[tuple[str, str], int]

    def labels(self) -> dict[tuple[str, str], str]:
        rows = self.table[["item", "culture", "label"]].to_numpy()
        return {(item, culture): label for item, culture, label in rows}

    def as_json(self) -> list[dict[str, Any]]:
        columns = ["item", "culture", "label", "state"]
        columns += ["answers", "abstained", "rejected", "reasons"]
        votes = self.table.filter(regex=r"^votes\.")
        labels = [name.removeprefix("votes.") for name in votes.columns]
        rows = zip(self.table[columns].to_numpy().tolist(), votes.to_numpy().tolist(), strict=True)
        return [
            {
                **dict(zip(columns, values, strict=True)),
                "votes": {label: n for label, n in zip(labels, counts, strict=True) if n},
            }
            for values, counts in rows
        ]


def answers_table(
    submissions: Iterable[Submission], sheets: Sequence[Sheet], questions: Sequence[str] = ()
) -> pd.DataFrame:
    """The answers of retained submissions to memes as a long table, without entries left empty.

    Memes that could not be shown are there, without a label.

    Of a person who answered a meme in several submissions the first one sent counts. Submissions
    without a participant are of a person each.

    Returns:
        `COLUMNS`, `SHOWN` (for how many milliseconds the picture was seen, 0 for one that could not
        be shown, None where that was not measured), and a column for each of `questions` (ids):
        what was answered, several answers with `BETWEEN` between them.
    """
    import pandas as pd

    memes_of = {sheet.id: set(sheet.memes) for sheet in sheets}
    cultures = {sheet.id: sheet.culture.code for sheet in sheets}
    rows: dict[tuple[str, str, str], Answer] = {}
    for submission in sorted(submissions, key=sent):
        memes = memes_of.get(submission.sheet, ())
        person = submission.participant or f"{submission.sheet}/{submission.id}"
        for answer in submission.answers:
            if answer.entry in memes and (answer.label or answer.shown == 0):
                key = (answer.entry, cultures[submission.sheet], person)
                if not rows.setdefault(key, answer).label:
                    rows[key] = answer
    table = [
        (
            *(*key, answer.label, answer.shown),
            *(BETWEEN.join(answer.given(question)) for question in questions),
        )
        for key, answer in rows.items()
    ]
    return pd.DataFrame(table, columns=[*COLUMNS, SHOWN, *questions], dtype=object)


def given_answers(answers: pd.DataFrame) -> pd.DataFrame:
    """The rows with a label of a long table with `COLUMNS`.

    Raises:
        InputError: a column is missing.
    """
    for name in COLUMNS:
        if name not in answers.columns:
            columns = ", ".join(COLUMNS)
            raise InputError(f"a table of answers has the columns {columns}", column=name)
    labelled = answers["label"].notna() & (answers["label"] != "")
    return answers.loc[labelled, list(COLUMNS)].astype(object)


def settle(
    answers: pd.DataFrame,
    taxonomy: Taxonomy,
    settings: Settling | None = None,
    *,
    wanted: Sequence[tuple[str, str]] = (),
    pending: Mapping[tuple[str, str], int] | None = None,
) -> Settled:
    """Settle what has been answered.

    Args:
        answers: a long table with `COLUMNS`, in any order; rows without a label are no answers, and
            a row that is there twice counts once.
        wanted: item and culture of all that has been asked, for those without an answer.
        pending: by item and culture, how many answers are still to come from places that are open;
            they are not asked for again.

    Raises:
        InputError: a column is missing, a label is not the taxonomy's, or a person gave two
            different answers to one item in one culture.
    """
    import pandas as pd

    settings = settings or Settling()
    ids = [label.id for label in taxonomy.labels]
    by_person: dict[tuple[str, str, str], str] = {}
    for item, culture, who, label in given_answers(answers).itertuples(index=False, name=None):
        if label not in ids:
            raise InputError(
                f"there is no label {label[:60]!r} in {taxonomy.name}; there are {', '.join(ids)}",
                column="label",
            )
        if by_person.setdefault((item, culture, who), label) != label:
            raise InputError(
                f"{who[:60]!r} gave two different answers to {item[:60]!r} in {culture[:60]!r}; "
                "keep the one that counts"
            )
    votes = Counter((item, culture, label) for (item, culture, _), label in by_person.items())
    cells = sorted({*((item, culture) for item, culture, _ in votes), *wanted})
    rows = [[votes[item, culture, label] for label in ids] for item, culture in cells]
    counts = np.array(rows, dtype=np.int64).reshape(len(cells), len(ids))
    voting, rejecting = taxonomy.of_role("vote"), taxonomy.of_role("reject")
    voted, abstained, rejected = (
        counts[:, [ids.index(label.id) for label in labels]]
        for labels in (voting, taxonomy.of_role("abstain"), rejecting)
    )
    for_label, against = voted.sum(axis=1), rejected.sum(axis=1)
    total = for_label + abstained.sum(axis=1) + against
    winner = _winners(voted, np.array([label.severity for label in voting]), settings)
    winner[(against >= for_label) & (against > 0)] = len(voting)
    limit = limit_of(settings)
    state = np.select(
        [
            total < settings.answers,
            against > for_label,
            winner < len(voting),
            total >= limit,
        ],
        ["short", "rejected", "settled", "given up"],
        "tied",
    )
    reasons = [label.id for label in rejecting]
    table = pd.DataFrame(
        {
            "item": [item for item, _ in cells],
            "culture": [culture for _, culture in cells],
            "label": np.array([*(label.id for label in voting), ""], dtype=object)[winner],
            "state": state.astype(object),
            "answers": total,
            "votes": for_label,
            "abstained": abstained.sum(axis=1),
            "rejected": against,
            "reasons": [
                _reasons(reasons, row) if each == "rejected" else ""
                for each, row in zip(state, rejected.tolist(), strict=True)
            ],
            **{f"votes.{label.id}": column for label, column in zip(voting, voted.T, strict=True)},
        }
    )
    more = np.where(state == "short", settings.answers - total, settings.extra)
    more = np.where(np.isin(state, ("short", "tied")), np.minimum(more, limit - total), 0)
    needs = dict(zip(cells, more.tolist(), strict=True))
    for cell, coming in (pending or {}).items():
        needs[cell] = needs.get(cell, 0) - coming
    return Settled(table, {cell: count for cell, count in needs.items() if count > 0})


def limit_of(settings: Settling) -> int:
    return max(settings.most, settings.answers) if settings.most else _NO_LIMIT


def _winners(votes: Ints, severity: Ints, settings: Settling) -> Ints:
    """By row the column of the label that wins; the one after the last for none."""
    top = votes.max(axis=1, initial=1, keepdims=True)
    ahead = votes >= settings.severe_votes if settings.rule == "most severe" else votes == top
    if settings.rule == "absolute majority":
        ahead &= 2 * top > votes.sum(axis=1, keepdims=True)
    if "most severe" in (settings.rule, settings.ties):
        ranks = np.where(ahead, severity, -1)
        ahead &= ranks == ranks.max(axis=1, keepdims=True)
    winners: Ints = np.where(ahead.sum(axis=1) == 1, ahead.argmax(axis=1), votes.shape[1])
    return winners


def _reasons(reasons: Sequence[str], counts: Sequence[int]) -> str:
    given = [(-count, place) for place, count in enumerate(counts) if count]
    return BETWEEN.join(reasons[place] for _, place in sorted(given))
