"""Messages to annotators. In: a quality control, texts by language. Out: who is written what.

Nothing is sent from here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from memeloc.errors import InputError
from memeloc.survey.model import Sheet
from memeloc.survey.quality.checking import CheckReport
from memeloc.survey.quality.participants import words_of

GROUPS = ("retained", "excluded", "absent", "everybody")
"""Who can be written to, beside those whom a rule of quality control excludes."""


@dataclass(frozen=True, slots=True)
class Message:
    """A text for a person about a submission; ids are as stored, as of `Decision`."""

    participant: str
    service: str
    sheet: str
    text: str


def write_messages(
    report: CheckReport,
    sheets: Iterable[Sheet],
    texts: Mapping[str, str],
    to: str,
    cultures: Collection[str] = (),
) -> list[Message]:
    """A message for each person of a group who has a submission at the service, once each.

    Args:
        texts: by language tag; the one under an empty tag is for all other languages.
        to: one of `GROUPS` (absent: the service has them, and no answers came), or a rule's name.
        cultures: codes; all when empty.

    Raises:
        InputError: there is no such group or rule, or no text in a person's language.
    """
    by_id = {sheet.id: sheet for sheet in sheets}
    written: dict[str, Message] = {}
    for participant, service, sheet_id in _group(report, by_id, to):
        sheet = by_id.get(sheet_id)
        if not service or participant in written:
            continue
        if cultures and (sheet is None or sheet.culture.code not in cultures):
            continue
        tag = "" if sheet is None else sheet.culture.locale.tag
        text = texts.get(tag) or texts.get("")
        if not text:
            raise InputError(
                f"There is no text for people who read {tag or 'an unknown language'}; add it to "
                "the file of texts, by the language's tag, or name the cultures."
            )
        written[participant] = Message(participant, service, sheet_id, text)
    return list(written.values())


def _group(report: CheckReport, sheets: Mapping[str, Sheet], to: str) -> list[tuple[str, str, str]]:
    """Participant, submission at the service and sheet of those who are meant."""
    rules = report.counts()
    if to not in GROUPS and to not in rules:
        known = ", ".join((*GROUPS, *rules))
        raise InputError(f"Nobody is {to[:40]!r}; messages go to {known}.")
    absent = [
        (row.participant, row.service, min(words_of(row.study) & sheets.keys(), default=""))
        for row in report.absent
    ]
    if to == "absent":
        return absent
    retained = set(report.retained)
    judged = [
        (row.participant, row.service, row.sheet)
        for row in report.judged
        if to == "everybody"
        or (
            (row.key in retained) == (to == "retained")
            and (to in GROUPS or any(reason.rule == to for reason in report.reasons[row.key]))
        )
    ]
    return [*judged, *(absent if to == "everybody" else ())]
