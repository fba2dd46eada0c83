"""Decisions, bonuses and messages. In: a quality control. Out: tables for a service's own page."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.settings import read_toml
from memeloc.sheets import write_sheet_table
from memeloc.survey.design.planning import Pace, Rates, read_rates
from memeloc.survey.model import Sheet
from memeloc.survey.quality.checking import CheckReport
from memeloc.survey.quality.decisions import CODE_ENTERED, READ, SENT, decisions
from memeloc.survey.quality.participants import PAID, WAITING, typed_otherwise, words_of
from memeloc.survey.targets.places import clean_id
from memeloc.survey.targets.protocol import disagree
from memeloc.survey.targets.registry import make_target
from memeloc.survey.targets.resolver import import_file
from memeloc.workspace.stored_survey import Agree, StoredSurvey, SurveyState, recruiter
from memeloc.workspace.survey_answers import Checked, SurveyAnswers
from memeloc.workspace.survey_teams import team_sheets

_GROUPS = ("retained", "excluded", "absent", "everybody")


class SurveyPeople:
    """Lists for a recruitment service, of what to do about people; each has the service's own ids
    as far as its exports (`exported`) name them, which are stored as hashes."""

    def __init__(self, survey: StoredSurvey) -> None:
        self.survey = survey
        self.answers = SurveyAnswers(survey)

    def decide(
        self,
        out: str | Path,
        *,
        exported: Sequence[str | Path] = (),
        minutes: float = 0,
        same: Mapping[str, str] | None = None,
        implicit_count: bool = False,
        reject_fast: bool = False,
        send: bool = False,
        agree: Agree = disagree,
    ) -> dict[str, Any]:
        """List for the recruitment service whom to approve, ask to return, or reject.

        Who entered the code of a sheet's end without answers is looked at; the evidence has people
        of the sheet whom the service does not know, those first whose id differs by a slip.

        Return the `counts` of actions, the `decisions`, the `file`, how many were `sent` to what
        end, how many are `unknown`, as they have no id of the service's here, and by reason the
        rows that were `not_read` and do not say whose they are.

        Args:
            out: the list, a .csv file.
            minutes: that a sheet takes; 0 for what people were given.
            same: by an id under which answers came, as of `check`, the service's id of that person,
                who typed it otherwise; it is kept, until it is taken back by an empty id.
            implicit_count: whether implicit checks count beside a failed explicit one.
            reject_fast: whether exceptionally fast ones are rejected; else they are paid.
            send: whether the service is given the decisions.
            agree: is given the counts as a sentence before; only True goes on.

        Raises:
            InputError: the minutes are not known.
        """
        for answered, participant in (same or {}).items():
            (who,) = self.answers.stored_ids([answered])
            service_id = self.survey.hashed(clean_id(participant))
            self.survey.store.add_same(self.survey.name, who, service_id)
        checked, sent_minutes = self.answers.checked(), self.survey.minutes
        by_sheet = {
            sheet.id: minutes or sent_minutes[sheet.batch]
            for sheet in checked.sheets
            if minutes or sheet.batch in sent_minutes
        }
        if not by_sheet:
            raise InputError("How long does a sheet take? Nothing went out yet; give --minutes")
        service = recruiter()
        rates = read_rates(self.survey.settings(service))
        unread: dict[str, Counter[str]] = defaultdict(Counter)
        for target, person, reason in self.survey.store.rejected(self.survey.name):
            if target != service and reason not in READ:
                unread[person][reason] += 1
        texts = {
            culture.locale.tag: self.survey.texts(culture)
            for culture in self.survey.design.cultures
        }
        decided = decisions(
            checked.report,
            by_sheet,
            {sheet.id: texts[sheet.culture.locale.tag] for sheet in checked.sheets},
            rewards={sheet: rates.reward(math.ceil(time)) for sheet, time in by_sheet.items()},
            unread=unread,
            implicit_count=implicit_count,
            reject_fast=reject_fast,
        )
        ids = self._plain_ids(service, exported)
        for number, each in enumerate(decided):
            if CODE_ENTERED in each.evidence and each.participant in ids:
                typed = map(self.survey.hashed, typed_otherwise(ids[each.participant]))
                if near := {*typed} & {*each.evidence["perhaps"]}:
                    evidence = {**each.evidence, "perhaps": sorted(near)}
                    decided[number] = replace(each, evidence=evidence)
        rows = [
            {
                **asdict(each),
                "rules": " ".join(each.rules),
                "earned": "" if each.earned is None else f"{each.earned} {rates.currency}",
                "not_read": json.dumps(each.evidence) if each.action == "look" else "",
            }
            for each in decided
        ]
        listed = _write(out, _DECISION, rows, ids)
        sent: Mapping[str, int] = {}
        if send:
            recruiting = self.survey.target(service)
            to_send = [decision for decision in decided if decision.action in SENT]
            sent = recruiting.decide(to_send, ids, SurveyState(self.survey, service), agree=agree)
        return {
            "survey": self.survey.name,
            "counts": dict(sorted(Counter(decision.action for decision in decided).items())),
            "decisions": decided,
            "file": listed["file"],
            "sent": dict(sorted(sent.items())),
            "unknown": listed["unknown"],
            "not_read": dict(sorted(unread[""].items())),
        }

    def shortfalls(self, checked: Checked) -> list[dict[str, Any]]:
        """Return the sheets that took a culture's retained people longer than they were paid for.

        They are paid for the minutes that the sheet says, or those of the service's settings where
        these are more.
        """
        settings = self.survey.settings(recruiter())
        least = int(settings.get("minutes", 0))
        promised = {batch: max(minutes, least) for batch, minutes in self.survey.minutes.items()}
        return shortfalls(checked.sheets, checked.paces(), promised, read_rates(settings))

    def bonus(
        self,
        out: str | Path,
        *,
        each: Decimal | None = None,
        reason: str = "",
        exported: Sequence[str | Path] = (),
    ) -> dict[str, Any]:
        """List whom to pay a bonus.

        Return the `bonuses` (see `bonus_rows`), their `total` without the service's fee, the
        `currency`, `shortfalls`, the `file`, and how many are `unknown`.

        Args:
            each: what each retained person gets; None makes up for sheets that took longer than
                was promised, for all whose work is paid.
            reason: a word that tells this bonus from others of the same people.
        """
        checked = self.answers.checked()
        short = self.shortfalls(checked)
        bonuses = bonus_rows(checked.report, short, each, reason)
        currency = read_rates(self.survey.settings(recruiter())).currency
        rows = [{**row, "amount": f"{row['amount']:.2f}", "currency": currency} for row in bonuses]
        return {
            "survey": self.survey.name,
            "bonuses": bonuses,
            "total": sum((row["amount"] for row in bonuses), Decimal(0)),
            "currency": currency,
            "shortfalls": short,
            **_write(out, _BONUS, rows, self._plain_ids(recruiter(), exported)),
        }

    def message(
        self,
        out: str | Path,
        texts: Mapping[str, str],
        *,
        to: str = "everybody",
        cultures: Collection[str] = (),
        exported: Sequence[str | Path] = (),
    ) -> dict[str, Any]:
        """List whom to write what; `texts`, `to` and `cultures` are those of `message_rows`.

        Return the `messages`, by text to how many it goes (`texts`), the `file`, and how many are
        `unknown`.

        Raises:
            InputError: there is no such group, or no text in a person's language.
        """
        checked = self.answers.checked()
        for code in cultures:
            self.survey.design.culture(code)
        messages = message_rows(checked.report, checked.sheets, texts, to, cultures)
        return {
            "survey": self.survey.name,
            "messages": messages,
            "texts": dict(Counter(row["text"] for row in messages)),
            **_write(out, _MESSAGE, messages, self._plain_ids(recruiter(), exported)),
        }

    def _plain_ids(self, service: str, exported: Sequence[str | Path]) -> dict[str, str]:
        """Return ids by what is stored of them, as far as the service's exports name them."""
        ids: dict[str, str] = {}
        target, to_send = make_target(service), self.survey.as_sent()[0]
        for path in exported:
            for person in import_file(target, Path(path), to_send).participants:
                for plain in filter(None, (person.participant, person.submission)):
                    ids[plain] = ids[self.survey.store.hash_participant(plain)] = plain
        same = self.survey.store.same_people(self.survey.name)
        return ids | {answered: ids[who] for who, answered in same.items() if who in ids}

    def team(self, people: str | Path | None = None) -> dict[str, Any]:
        """Return who of a named team is to fill which sheet, and what came.

        `people` is the team's table, for the names: only hashes are stored.

        Raises:
            InputError: the survey has no named team, or another one than the table's.
        """
        return team_sheets(self.survey, None if people is None else Path(people))


_BONUS = ("submission=service", "participant", "sheet", "amount", "currency", "reason")
_MESSAGE = ("submission=service", "participant", "sheet", "text")
_DECISION = (
    *("action", "submission=service", "participant", "study", "sheet", "category", "message"),
    *("rules", "earned", "not_read"),
)


def message_rows(
    report: CheckReport,
    sheets: Iterable[Sheet],
    texts: Mapping[str, str],
    to: str,
    cultures: Collection[str] = (),
) -> list[dict[str, str]]:
    """Return `participant`, `service` and `sheet` as they are stored, and a `text`, for each person
    of a group who has a submission at the service.

    Args:
        texts: by language tag; the one under an empty tag is for all other languages.
        to: retained, excluded, absent (the service has them, and no answers came), everybody, or a
            rule's name.
        cultures: codes; all when empty.

    Raises:
        InputError: there is no such group or rule, or no text in a person's language.
    """
    by_id = {sheet.id: sheet for sheet in sheets}
    rules = report.counts()
    if to not in _GROUPS and to not in rules:
        raise InputError(f"Nobody is {to[:40]!r}; messages go to {', '.join((*_GROUPS, *rules))}.")
    people = []
    for row in report.judged:
        if to in ("everybody", "excluded" if row.reasons else "retained", *row.reasons):
            people.append((row.participant, row.service, row.sheet))
    for absent in report.absent if to in ("absent", "everybody") else ():
        sheet_id = min(words_of(absent.study) & by_id.keys(), default="")
        people.append((absent.participant, absent.service, sheet_id))
    rows: dict[str, dict[str, str]] = {}
    for participant, service, sheet_id in people:
        sheet = by_id.get(sheet_id)
        is_asked = not cultures or (sheet is not None and sheet.culture.code in cultures)
        if not service or participant in rows or not is_asked:
            continue
        tag = "" if sheet is None else sheet.culture.locale.tag
        text = texts.get(tag) or texts.get("")
        if not text:
            raise InputError(
                f"There is no text for people who read {tag or 'an unknown language'}; add it to "
                "the file of texts, by the language's tag, or name the cultures."
            )
        about = {"participant": participant, "service": service, "sheet": sheet_id}
        rows[participant] = {**about, "text": text}
    return list(rows.values())


def shortfalls(
    sheets: Iterable[Sheet], paces: Mapping[str, Pace], promised: Mapping[str, int], rates: Rates
) -> list[dict[str, Any]]:
    """Return the sheets whose people took longer than they were promised: `sheet`, `culture`,
    minutes `promised` and `measured`, of how many retained `people`, and by the wage what each is
    short of (`due`). Prolific asks for more pay then ("Prolific's payment principles",
    researcher-help.prolific.com/hc/en-gb/articles/4407695146002).

    `paces` are by culture code, see `measured_paces`; `promised` are minutes by batch id, of what
    went out.
    """
    short = []
    for sheet in sheets:
        code = sheet.culture.code
        pace, minutes = paces.get(code), promised.get(sheet.batch, 0)
        if pace and minutes and (measured := pace.minutes(len(sheet.entries))) > minutes:
            numbers = {"promised": minutes, "measured": measured, "people": pace.measured}
            due = rates.reward(measured) - rates.reward(minutes)
            short.append({"sheet": sheet.id, "culture": code, **numbers, "due": due})
    return short


def bonus_rows(
    report: CheckReport, short: Iterable[Mapping[str, Any]], each: Decimal | None, reason: str = ""
) -> list[dict[str, Any]]:
    """Return the `amount` of each bonus, in the currency of the reward, and its `reason`, a word
    that tells one bonus of a submission from another.

    Whose work is paid, or waits to be, gets what the sheet is `short` of; or `each` retained person
    gets the same.
    """
    due = {row["sheet"]: row["due"] for row in short}
    return [
        {
            "participant": row.participant,
            "service": row.service,
            "sheet": row.sheet,
            "amount": each or due[row.sheet],
            "reason": reason or ("thanks" if each else "time"),
        }
        for row in report.judged
        if row.service
        and (not row.reasons if each else row.sheet in due and row.status.upper() in PAID | WAITING)
    ]


def _write(
    out: str | Path,
    columns: Sequence[str],
    rows: Sequence[Mapping[str, str]],
    ids: Mapping[str, str],
) -> dict[str, Any]:
    """Write a list with the service's ids; return its `file`, and how many rows are `unknown`.

    A column is `field`, or `heading=field`.
    """
    fields = [column.rpartition("=")[2] for column in columns]
    lines = [[ids.get(cell, cell) for cell in (row[name] for name in fields)] for row in rows]
    headings = [column.partition("=")[0] for column in columns]
    file, _ = write_sheet_table(Path(out), headings, lines)
    return {"file": file, "unknown": sum(row["service"] not in ids for row in rows)}


def read_texts(text: str, file: Path | None) -> dict[str, str]:
    """Read messages by language tag: one for all, or those of a TOML `TAG = "text"`.

    Raises:
        InputError: there is neither or both, or the file holds something else.
    """
    if bool(text.strip()) == (file is not None):
        raise InputError("Write the message as --text, or name a file of texts by --texts.")
    if file is None:
        return {"": text.strip()}
    values = read_toml(file)
    if not values or not all(isinstance(value, str) and value.strip() for value in values.values()):
        raise InputError('The file holds a line a language, as de = "Danke!"', file=file)
    return {tag: str(value).strip() for tag, value in values.items()}
