"""Sheets out. In: a stored survey, a target. Out: the target's files, forms or drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.workspace.surveys.packs import note_texts, pack_to_send
from memeloc.workspace.surveys.services import Agree, check_push, push_pack, with_state, writer
from memeloc.workspace.surveys.stored import OnProgress, StoredSurvey


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What went out.

    Attributes:
        survey: the survey's name.
        target: the target's.
        sheets: ids of the sheets.
        minutes: that people are told a sheet takes.
        files: those that a person opens or uploads first.
        pushed: what was made at the service, or would be, a row a sheet.
        english: by language, how many texts are in English for want of a translation.
        stale: memes and languages whose picture shows an earlier caption.
    """

    survey: str
    target: str
    sheets: tuple[str, ...]
    minutes: int
    files: tuple[Path, ...]
    pushed: tuple[Mapping[str, Any], ...]
    english: Mapping[str, int]
    stale: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PushRequest:
    """How sheets are made at a service.

    Attributes:
        publish: whether what costs money is published.
        agree: is given the costs before.
        dry_run: whether nothing is made.
    """

    publish: bool
    agree: Agree
    dry_run: bool


def export(
    survey: StoredSurvey,
    target: str,
    folder: Path,
    *,
    contact: str,
    pictures: Path,
    cultures: Sequence[str],
    round_: int | str,
    minutes: int,
    options: Mapping[str, Any],
    push: PushRequest | None,
    on_progress: OnProgress,
) -> ExportResult:
    """See `Survey.export`; without `push` the files are written to `folder`."""
    made_by = writer(survey, target, options)
    if push is not None:
        check_push(made_by)
    contact = contact.strip() or str(survey.state("export").get("contact", ""))
    if not contact:
        raise InputError("Name whom annotators may ask, as they read it: --contact ADDRESS")
    if push is None:
        _check_folder(folder, pictures)
    rounds = _rounds(survey, str(round_))
    people = [survey.design.culture(code) for code in cultures] or list(survey.design.cultures)
    sheets = sum(
        culture.code in batch.cultures
        for batch in survey.batches
        if batch.round in rounds
        for culture in people
    )
    parts = len(people) * len(survey.taxonomy.examples) + sheets
    packed = pack_to_send(
        survey,
        people,
        rounds,
        pictures=pictures,
        contact=contact,
        minutes=minutes or _minutes_given(survey, rounds),
        on_example=lambda: on_progress(1, parts),
    )
    pack = with_state(survey, packed.pack)
    survey.put_state("export", "contact", contact)
    for batch in {sheet.batch for sheet in pack.sheets}:
        survey.put_state("minutes", batch, pack.minutes)
    note_texts(survey, pack)
    pushed: Sequence[Mapping[str, Any]] = ()
    files: Sequence[Path] = ()
    if push is None:
        files = made_by.export(pack, folder, on_sheet=lambda: on_progress(1, parts))
    else:
        pushed = push_pack(
            survey,
            made_by,
            pack,
            publish=push.publish,
            agree=push.agree,
            dry_run=push.dry_run,
        )
    return ExportResult(
        survey.name,
        target,
        tuple(sheet.id for sheet in pack.sheets),
        pack.minutes,
        tuple(files),
        tuple(pushed),
        packed.english,
        packed.stale,
    )


def _minutes_given(survey: StoredSurvey, rounds: Sequence[int]) -> int:
    """The minutes that these rounds' people were given; 0 while some never went out."""
    given = survey.minutes
    batches = [batch.id for batch in survey.batches if batch.round in rounds]
    if not all(batch in given for batch in batches):
        return 0
    return max((given[batch] for batch in batches), default=0)


def _check_folder(folder: Path, pictures: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError("is a file; name a folder by --out", file=folder)
    if folder.resolve() == pictures.resolve():
        raise InputError("has the pictures in it; name another folder by --out", file=folder)


def _rounds(survey: StoredSurvey, wanted: str) -> tuple[int, ...]:
    rounds = survey.rounds
    if not rounds:
        raise InputError(f"The survey {survey.name} has no batches.")
    if not wanted:
        return rounds[-1:]
    if wanted == "all":
        return rounds
    if not wanted.isdecimal() or int(wanted) not in rounds:
        known = ", ".join(map(str, rounds))
        raise InputError(f"{survey.name} has no round {wanted[:20]!r}; it has {known}, or all.")
    return (int(wanted),)
