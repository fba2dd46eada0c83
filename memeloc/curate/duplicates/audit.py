"""Checking what was removed. In: verdicts of deduplication, answers. Out: pairs, an error rate.

Each removed item is looked at beside the one that stays instead of it; who calls them different
brings it back (charmemes 4.3: 30 of what was removed were restored).
"""

from __future__ import annotations

from collections.abc import Iterable

from memeloc.curate.duplicates.pairs import Pair
from memeloc.curate.review import ErrorRate
from memeloc.curate.verdict import Judgement, Verdict

_SCORES = ("distance", "text", "picture_likeness", "text_likeness")


def compared_with(verdicts: Iterable[Verdict]) -> dict[str, Pair]:
    """By item that goes, or may go: the pair of it and the one that stays; see `Pair`.

    Args:
        verdicts: those of deduplication, the newest of each item.
    """
    pairs: dict[str, Pair] = {}
    for verdict in verdicts:
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
        pairs[verdict.item] = Pair(
            first,
            second,
            verdict.evidence["stage"],
            "duplicate" if verdict.verdict == "drop" else "ask",
            scores,
            reason,
        )
    return pairs


def removed_pairs(verdicts: Iterable[Verdict]) -> list[Pair]:
    """Each removed item with the one that stays, but for those that people decided on."""
    pairs = compared_with(verdicts).values()
    return [pair for pair in pairs if pair.outcome == "duplicate" and pair.stage != "people"]


def audited(removed: Iterable[Pair], judgements: Iterable[Judgement]) -> ErrorRate:
    """Of the removed pairs that these answers call the same or different, how many are different.

    An answer of `unsure` does not count.
    """
    subjects = {pair.subject for pair in removed}
    answers = [
        judgement.answer
        for judgement in judgements
        if judgement.subject in subjects and judgement.answer in ("same", "different")
    ]
    return ErrorRate.of(answers.count("different"), len(answers))
