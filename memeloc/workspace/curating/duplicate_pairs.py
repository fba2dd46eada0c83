"""Which pairs of duplicates a person looks at. In: verdicts of dedup, ids, chance. Out: pairs."""

from __future__ import annotations

from collections.abc import Sequence

from memeloc.curate.duplicates.audit import audited, compared_with, removed_pairs
from memeloc.curate.duplicates.dedup import FILTER
from memeloc.curate.duplicates.pairs import PAIR, Pair
from memeloc.curate.review import ReviewQuestion, draw, left_for
from memeloc.curate.verdict import Judgement, Verdict
from memeloc.errors import InputError
from memeloc.workspace.folder import WorkspaceFolder


def chosen_pairs(workspace: WorkspaceFolder, ids: Sequence[str]) -> list[str]:
    """Pairs as they are asked about; of an item alone it is that with the one that stays."""
    with_kept = compared_with(_dedup_verdicts(workspace))
    subjects = []
    for id_ in ids:
        if PAIR not in id_ and id_ not in with_kept:
            raise InputError(f"{id_} is no duplicate of another; name a pair, as 'ID{PAIR}ID'")
        pair = PAIR.join(sorted(set(id_.split(PAIR)))) if PAIR in id_ else with_kept[id_].subject
        if pair.count(PAIR) != 1:
            raise InputError(f"{id_[:80]!r} is no pair of two items")
        subjects.append(pair)
    return list(dict.fromkeys(subjects))


def _dedup_verdicts(workspace: WorkspaceFolder) -> list[Verdict]:
    by_item = workspace.store.curation.verdicts(FILTER)
    return [verdict[FILTER] for verdict in by_item.values()]


def removed(workspace: WorkspaceFolder) -> list[Pair]:
    """Each removed duplicate with the one that stays, but for those that people decided on."""
    return removed_pairs(_dedup_verdicts(workspace))


def drawn_pairs(
    workspace: WorkspaceFolder,
    question: ReviewQuestion,
    person: str,
    only: str | Sequence[str],
    count: int,
    seed: int,
) -> list[str]:
    """Removed duplicates by chance; `only` is `new` or `all`."""
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
    rate = audited(removed(workspace), answers if question.which == "pairs" else ())
    if not rate.judged:
        return ""
    return (
        f"of {rate.judged:,} removed duplicates {rate.wrong:,} are different, {rate}; "
        "memeloc dedup brings those back"
    )
