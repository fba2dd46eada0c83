"""Labels from answers. In: a long table of answers. Out: a label an item and culture, and needs.

The definition is the one of multi3hate 3.3: the majority among the retained answers; "I don't know"
is stored and left out of the vote; a tie is no label and asks for more answers. A label follows
from the votes alone, so another "I don't know" never changes it; whether an item has enough
answers is said beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memeloc.errors import InputError
from memeloc.survey.model import Check, Sheet, Submission, entry_id
from memeloc.survey.quality.checking import sent
from memeloc.survey.quality.rules import Settling
from memeloc.survey.taxonomy import Taxonomy

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Names = NDArray[np.object_]

COLUMNS = ("item", "culture", "participant", "label")
"""What a table of answers has: the meme's id, the culture's code, who, and the label's id."""

BETWEEN = "|"
"""What stands between several answers in one cell."""

STATES = ("settled", "short", "tied", "given up")
"""Enough answers and a label; too few answers; no label yet; no label, and the limit reached."""


@dataclass(frozen=True, slots=True)
class Need:
    """Answers that are still to be asked for.

    Attributes:
        item: the meme's id.
        culture: its code.
        answers: how many more.
        reason: `short` or `tied`.
    """

    item: str
    culture: str
    answers: int
    reason: str


@dataclass(frozen=True)
class Settled:
    """Labels and votes.

    Attributes:
        table: sorted by item and culture, with `item`, `culture`, `label` (empty for none),
            `state` (one of `STATES`), `answers` (with "I don't know"), `votes` (without),
            `abstained`, and a column `votes.LABEL` for each label that takes part in the vote.
        needs: what the next batches have to ask, in the table's order.
    """

    table: pd.DataFrame
    needs: tuple[Need, ...]

    @property
    def open(self) -> dict[tuple[str, str], int]:
        """By item and culture how many more answers are needed, as `build.build_next` takes it."""
        return {(need.item, need.culture): need.answers for need in self.needs}

    def as_json(self) -> list[dict[str, Any]]:
        """A row an item and culture as JSON values; votes are those labels that have any."""
        named = [name for name in self.table.columns if name.startswith("votes.")]
        counts = self.table[named].to_numpy().tolist()
        labels = [name.removeprefix("votes.") for name in named]
        columns = ("item", "culture", "label", "state", "answers", "abstained")
        plain = [self.table[name].to_numpy(dtype=object).tolist() for name in columns]
        return [
            {
                "item": item,
                "culture": culture,
                "label": label,
                "state": state,
                "answers": answers,
                "abstained": abstained,
                "votes": {name: n for name, n in zip(labels, votes, strict=True) if n},
            }
            for item, culture, label, state, answers, abstained, votes in zip(
                *plain, counts, strict=True
            )
        ]


def answers_table(submissions: Iterable[Submission], sheets: Sequence[Sheet]) -> pd.DataFrame:
    """The answers to memes as a long table; checks and skipped entries are left out.

    Of a person who answered a meme in several submissions the first one sent counts. Submissions
    without a participant are of a person each.

    Args:
        submissions: those that are retained (`checking.retained`).
        sheets: those of the survey; an answer to an entry that its sheet has not is left out.

    Returns:
        `COLUMNS`, and `second`: the ids of what was answered to the second question, with `BETWEEN`
        between them.
    """
    memes_of = {
        sheet.id: (
            sheet.culture.code,
            frozenset(entry_id(one) for one in sheet.entries if not isinstance(one, Check)),
        )
        for sheet in sheets
    }
    rows: dict[tuple[str, str, str], tuple[str, str]] = {}
    for submission in sorted(submissions, key=sent):
        if submission.sheet not in memes_of:
            continue
        culture, memes = memes_of[submission.sheet]
        person = submission.participant or f"{submission.sheet}/{submission.id}"
        for answer in submission.answers:
            if answer.label and answer.entry in memes:
                value = (answer.label, BETWEEN.join(answer.second))
                rows.setdefault((answer.entry, culture, person), value)
    table = [(*key, *value) for key, value in rows.items()]
    return pd.DataFrame(table, columns=[*COLUMNS, "second"], dtype=object)


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
        taxonomy: whose labels they are.
        settings: see `Settling`.
        wanted: item and culture of all that has been asked, for those without an answer.
        pending: by item and culture, how many answers are still to come from places that are open;
            they are not asked for again.

    Raises:
        InputError: a column is missing, a label is not the taxonomy's, or a person gave two
            different answers to one item in one culture.
    """
    settings = settings or Settling()
    for name in COLUMNS:
        if name not in answers.columns:
            columns = ", ".join(COLUMNS)
            raise InputError(f"a table of answers has the columns {columns}", column=name)
    ids = [label.id for label in taxonomy.labels]
    labels, names = _codes(answers["label"])
    unknown = next((name for name in names if name and name not in ids), None)
    if unknown is not None:
        names_known = ", ".join(ids)
        raise InputError(
            f"there is no label {unknown[:60]!r} in {taxonomy.name}; there are {names_known}",
            column="label",
        )
    places = np.array([ids.index(name) if name else -1 for name in names], dtype=np.int64)
    use = np.flatnonzero(places[labels] >= 0) if len(labels) else labels
    label = places[labels[use]] if len(use) else use
    items, item_names = _codes(answers["item"], [one for one, _ in wanted])
    cultures, culture_names = _codes(answers["culture"], [one for _, one in wanted])
    people, people_names = _codes(answers["participant"])
    width = max(len(culture_names), 1)
    cell = items[use] * width + cultures[use]
    order, again, differs = _repeated(cell, people[use], label)
    if differs.any():
        at = order[1:][differs][0]
        raise InputError(
            f"{people_names[people[use[at]]][:60]!r} gave two different answers to "
            f"{item_names[items[use[at]]][:60]!r} in {culture_names[cultures[use[at]]][:60]!r}; "
            "keep the one that counts"
        )
    once = np.delete(order, np.flatnonzero(again) + 1)
    item_places, culture_places = _places(item_names), _places(culture_names)
    asked = np.array(
        [item_places[item] * width + culture_places[culture] for item, culture in wanted],
        dtype=np.int64,
    )
    cells = np.unique(np.concatenate([cell, asked]))
    place = np.searchsorted(cells, cell[once]) * len(ids) + label[once]
    counts = np.bincount(place, minlength=len(cells) * len(ids)).reshape(len(cells), len(ids))
    voting = [number for number, one in enumerate(taxonomy.labels) if not one.abstain]
    votes, total = counts[:, voting], counts.sum(axis=1)
    winner = _winners(votes, [taxonomy.labels[number].severity for number in voting], settings)
    choices = np.array([*(ids[number] for number in voting), ""], dtype=object)
    table = pd.DataFrame(
        {
            "item": item_names[cells // width],
            "culture": culture_names[cells % width],
            "label": choices[winner],
            "state": _states(winner < len(voting), total, settings),
            "answers": total,
            "votes": votes.sum(axis=1),
            "abstained": total - votes.sum(axis=1),
            **{f"votes.{ids[number]}": counts[:, number] for number in voting},
        }
    )
    return Settled(table, _needs(table, settings, pending or {}))


def _codes(column: pd.Series[Any], names_too: Sequence[str] = ()) -> tuple[Ints, Names]:
    """Each value's place among the sorted different values; a missing one is an empty text."""
    values = column.astype(object).where(column.notna(), "")
    codes, names = pd.factorize(values)
    texts = [str(name) for name in names]
    different = sorted({*texts, *names_too})
    places = _places(different)
    order = np.array([places[name] for name in texts], dtype=np.int64)
    sorted_names = np.empty(len(different), dtype=object)
    sorted_names[:] = different
    return order[codes] if len(texts) else np.zeros(0, dtype=np.int64), sorted_names


def _places(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def _repeated(cell: Ints, people: Ints, label: Ints) -> tuple[Ints, Flags, Flags]:
    """An order of the rows, and which of its rows but the first repeat the person and cell before.

    The second flags are those of them with another label.
    """
    order = np.lexsort((label, people, cell))
    same = (np.diff(cell[order]) == 0) & (np.diff(people[order]) == 0)
    return order, same, same & (np.diff(label[order]) != 0)


def _winners(votes: Ints, severities: Sequence[int], settings: Settling) -> Ints:
    """By cell the column of the label that wins; the one after the last for none."""
    none = votes.shape[1]
    severity = np.array(severities, dtype=np.int64)
    if settings.rule == "most severe":
        ahead = votes >= settings.severe_votes
        return _single(_most_severe(ahead, severity), none)
    best = votes.max(axis=1, initial=0)
    ahead = (votes == best[:, None]) & (best[:, None] > 0)
    if settings.rule == "absolute majority":
        ahead &= 2 * best[:, None] > votes.sum(axis=1)[:, None]
    if settings.ties == "most severe":
        ahead = _most_severe(ahead, severity)
    return _single(ahead, none)


def _most_severe(ahead: Flags, severity: Ints) -> Flags:
    """Of those ahead in each row, the ones of the highest severity."""
    ranks = np.where(ahead, severity[None, :], -1)
    best = ranks.max(axis=1, initial=-1)
    return np.asarray(ahead & (ranks == best[:, None]))


def _single(ahead: Flags, none: int) -> Ints:
    if not none:
        return np.zeros(len(ahead), dtype=np.int64)
    return np.where(ahead.sum(axis=1) == 1, ahead.argmax(axis=1), none)


def _states(labelled: Flags, total: Ints, settings: Settling) -> Names:
    limit = max(settings.most, settings.answers)
    states = np.full(len(total), "settled", dtype=object)
    states[~labelled] = "tied"
    states[~labelled & (total >= limit)] = "given up"
    states[total < settings.answers] = "short"
    return states


def _needs(
    table: pd.DataFrame, settings: Settling, pending: Mapping[tuple[str, str], int]
) -> tuple[Need, ...]:
    limit = max(settings.most, settings.answers)
    open_ones = table[table["state"].isin(("short", "tied"))]
    needs = []
    columns = [
        open_ones[name].to_numpy(dtype=object).tolist()
        for name in ("item", "culture", "state", "answers")
    ]
    for item, culture, state, answers in zip(*columns, strict=True):
        more = settings.answers - answers if state == "short" else settings.extra
        more = min(more, limit - answers) - pending.get((item, culture), 0)
        if more > 0:
            needs.append(Need(item, culture, more, state))
    return tuple(needs)
