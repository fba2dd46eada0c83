"""Which finished memes are used. In: pictures, verdicts, people's answers. Out: those, a funnel.

What HarMeme rejects (section 4.2), AraHarMeme discards (section 3.2) and CHARMemes removes (section
4.3) are filters and stages of deduplication; here every picture goes out at the first that it does
not pass, in the order that the settings give.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from memeloc.curate.selecting.settings import SelectSettings
from memeloc.curate.selecting.stages import (
    DUPLICATES,
    NOT_PASSED,
    TOPICS,
    Chosen,
    People,
    Work,
    outcome_of,
    passed,
    take,
)
from memeloc.curate.verdict import Verdict, Verdicts
from memeloc.items import Item

_DUPLICATES = {
    "bytes": "same file",
    "hash": "near hash",
    "copy": "cropped, framed, marked or mirrored",
    "likeness": "similar by models",
    "people": "decided by people",
}
"""Stages of deduplication as a funnel names them, in its order; those of other names come last."""
_ON_REQUEST = frozenset({"copy"})
"""Stages that stand in a funnel only where something went out by them."""


def select_pictures(
    pictures: Sequence[Item],
    verdicts: Verdicts,
    settings: SelectSettings,
    *,
    people: People | None = None,
    missing: Collection[str] = (),
    not_run: Collection[str] = (),
) -> Chosen:
    """Choose finished memes, given as they were collected, stage by stage.

    Duplicates go first where `settings.filters` does not say when, and `settings.duplicates` does
    not keep them. `missing` are pictures whose stored file is not there, `not_run` stages of
    deduplication that were left out. What people answered (`answers_of`) counts before any verdict.
    """
    people = people or {}
    work = Work(pictures, "picture")
    ids = {item.id for item in pictures}
    own = {item: by for item, by in verdicts.items() if item in ids}

    def picture(item: Item) -> str:
        if not item.picture:
            return "has no picture"
        return "its file is missing" if item.id in missing else ""

    work.stage("picture", picture)
    names = {name for by in own.values() for name in by} - NOT_PASSED
    skipped = {TOPICS} if settings.duplicates == "out" else {TOPICS, DUPLICATES}
    order = [name for name in settings.filters or sorted(names) if name not in skipped]
    if DUPLICATES not in {*order, *skipped}:
        order.insert(0, DUPLICATES)
    for name in order:
        judged = {item: by[name] for item, by in own.items() if name in by}
        if name == DUPLICATES:
            was_run = bool(judged) or DUPLICATES in settings.filters
            _without_duplicates(work, judged, people, settings, was_run, not_run)
        else:
            work.stage(name, passed(name, judged, people, settings.asked, (), ids))
    take(work, settings)
    return Chosen(tuple(item.id for item in work.left), work.stages, work.out)


def _without_duplicates(
    work: Work,
    verdicts: Mapping[str, Verdict],
    people: People,
    settings: SelectSettings,
    was_run: bool,
    not_run: Collection[str],
) -> None:
    """A stage of the funnel for each stage of deduplication, and one for what is not decided."""

    def why(item: Item) -> str:
        if item.id not in verdicts and not was_run:
            return ""
        return outcome_of(DUPLICATES, verdicts.get(item.id), item.id, people, settings.asked)

    by_stage = {
        item: str(verdict.evidence.get("stage", ""))
        for item, verdict in verdicts.items()
        if verdict.verdict == "drop"
    }
    used = {*by_stage.values()}
    stages = [stage for stage in _DUPLICATES if stage in used or stage not in _ON_REQUEST]
    for stage in (*stages, *sorted(used - {*_DUPLICATES})):
        name = _DUPLICATES.get(stage, stage or "other")
        work.stage(
            f"duplicates: {name}{' (not run)' if stage in not_run else ''}",
            lambda item, stage=stage: (  # type: ignore[misc]
                why(item) if by_stage.get(item.id) == stage else ""
            ),
        )
    work.stage("duplicates: not decided", why)
