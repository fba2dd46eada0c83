"""Which pairs of duplicates a person looks at. In: verdicts of dedup, ids, chance. Out: pairs.

In an audit each removed item is looked at beside the one that stays instead of it; who calls them
different brings it back (charmemes 4.3: 30 of what was removed were restored).
"""

from __future__ import annotations

from collections.abc import Sequence

from memeloc.curate.duplicates.dedup import FILTER
from memeloc.curate.review import ErrorRate, ReviewQuestion, draw, left_for
from memeloc.curate.verdict import PAIR, Judgement, Pair
from memeloc.errors import InputError
from memeloc.workspace.folder import WorkspaceFolder

_SCORES = ("distance", "text", "picture_likeness", "text_likeness")


def _with_kept(workspace: WorkspaceFolder) -> dict[str, Pair]:
    """Return by item that goes, or may go, the pair of it and the one that stays."""
    pairs: dict[str, Pair] = {}
    for by_filter in workspace.store.curation.verdicts(FILTER).values():
        verdict = by_filter[FILTER]
        stays = verdict.evidence.get("kept")
        if stays is None:
            continue
        through = verdict.evidence.get("with", stays)
        scores = {name: verdict.evidence[name] for name in _SCORES if name in verdict.evidence}
        reason = str(verdict.evidence.get("sentence", verdict.reason))
        if through != stays:
            # What was measured is of another pair.
            scores, reason = {}, f"By way of {through}: {reason}"
        first, second = sorted((verdict.item, str(stays)))
        outcome = "duplicate" if verdict.verdict == "drop" else "ask"
        stage = verdict.evidence["stage"]
        pairs[verdict.item] = Pair(first, second, stage, outcome, scores, reason)  # type: ignore[arg-type]
    return pairs


def chosen_pairs(workspace: WorkspaceFolder, ids: Sequence[str]) -> list[str]:
    """Return pairs as they are asked about; of an item alone it is that with what stays."""
    with_kept = _with_kept(workspace)
    subjects = []
    for id_ in ids:
        if PAIR not in id_ and id_ not in with_kept:
            raise InputError(f"{id_} is no duplicate of another; name a pair, as 'ID{PAIR}ID'")
        pair = PAIR.join(sorted(set(id_.split(PAIR)))) if PAIR in id_ else with_kept[id_].subject
        if pair.count(PAIR) != 1:
            raise InputError(f"{id_[:80]!r} is no pair of two items")
        subjects.append(pair)
    return list(dict.fromkeys(subjects))


def removed(workspace: WorkspaceFolder) -> list[Pair]:
    """Return each removed duplicate with what stays, but for those that people decided on."""
    pairs = _with_kept(workspace).values()
    return [pair for pair in pairs if pair.outcome == "duplicate" and pair.stage != "people"]


def drawn_pairs(
    workspace: WorkspaceFolder,
    question: ReviewQuestion,
    person: str,
    only: str | Sequence[str],
    count: int,
    seed: int,
) -> list[str]:
    """Return removed duplicates by chance; `only` is `new` or `all`."""
    if question.which != "pairs":
        raise InputError(f"an audit is of removed duplicates, not of {question.name}")
    if only not in ("new", "all"):
        raise InputError("an audit is drawn by chance: leave out either the ids or --audit")
    drawn = draw([pair.subject for pair in removed(workspace)], count, seed)
    if only == "all":
        return drawn
    return left_for(person, drawn, workspace.store.curation.judgements(question.name))


def audit_result(
    workspace: WorkspaceFolder, question: ReviewQuestion, answers: Sequence[Judgement]
) -> str:
    """Return what answers about pairs say of those that were removed; empty when nothing."""
    subjects = {pair.subject for pair in removed(workspace)} if question.which == "pairs" else {}
    counted = [
        answer.answer
        for answer in answers
        if answer.subject in subjects and answer.answer in ("same", "different")
    ]
    if not counted:
        return ""
    rate = ErrorRate.of(counted.count("different"), len(counted))
    return (
        f"of {rate.judged:,} removed duplicates {rate.wrong:,} are different, {rate}; "
        "memeloc dedup brings those back"
    )
