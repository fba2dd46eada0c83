"""Decisions for a recruitment service. In: a quality control. Out: approve, return, reject."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memeloc.errors import InputError
from memeloc.survey.model import Sheet
from memeloc.survey.quality.decisions import Decision, decisions
from memeloc.survey.quality.report import CheckReport
from memeloc.survey.targets.registry import make_target
from memeloc.survey.targets.resolver import import_file
from memeloc.tables import write_table
from memeloc.workspace.surveys.packs import sent_packs
from memeloc.workspace.surveys.services import Agree, decider, send_decisions, with_state
from memeloc.workspace.surveys.stored import StoredSurvey

_COLUMNS = ("action", "submission", "participant", "study", "sheet", "category", "message", "rules")


@dataclass(frozen=True, slots=True)
class DecideResult:
    """What was decided.

    Attributes:
        survey: the survey's name.
        counts: how many there are of each action.
        decisions: all of them.
        file: where they are listed.
        sent: how many came to what at the service; empty when nothing was sent.
        unknown: how many have no id of the service's here.
    """

    survey: str
    counts: Mapping[str, int]
    decisions: tuple[Decision, ...]
    file: Path
    sent: Mapping[str, int]
    unknown: int


def decide(
    survey: StoredSurvey,
    report: CheckReport,
    sheets: Sequence[Sheet],
    out: Path,
    exported: Sequence[Path],
    minutes: float,
    *,
    implicit_count: bool,
    reject_fast: bool,
    agree: Agree | None,
) -> DecideResult:
    """See `Survey.decide`; with `agree` the service is given the decisions."""
    given = survey.minutes
    by_sheet = {sheet.id: given[sheet.batch] for sheet in sheets if sheet.batch in given}
    if not (minutes or by_sheet):
        raise InputError("How long does a sheet take? Nothing went out yet; give --minutes")
    decided = decisions(
        report,
        sheets,
        minutes or by_sheet,
        implicit_count=implicit_count,
        reject_fast=reject_fast,
    )
    service = decider(survey)
    ids = _plain_ids(survey, service.name, exported)
    rows = [
        (
            one.action,
            ids.get(one.service, one.service),
            ids.get(one.participant, one.participant),
            one.study,
            one.sheet,
            one.category,
            one.message,
            " ".join(one.rules),
        )
        for one in decided
    ]
    write_table(out, _COLUMNS, rows)
    sent: Mapping[str, int] = {}
    if agree is not None:
        sent = send_decisions(survey, service, decided, ids, agree)
    return DecideResult(
        survey.name,
        dict(sorted(Counter(one.action for one in decided).items())),
        tuple(decided),
        out,
        dict(sorted(sent.items())),
        sum(one.service not in ids for one in decided),
    )


def _plain_ids(survey: StoredSurvey, service: str, exported: Sequence[Path]) -> dict[str, str]:
    """By what is stored of an id, the id, as far as the service's exports name it."""
    ids: dict[str, str] = {}
    if not exported:
        return ids
    target, pack = make_target(service), with_state(survey, sent_packs(survey)[0])
    for path in exported:
        for person in import_file(target, path, pack).participants:
            for plain in filter(None, (person.participant, person.submission)):
                ids[plain] = ids[survey.workspace.store.surveys.hash_participant(plain)] = plain
    return ids
