"""Answers in. In: a stored survey, files that came back. Out: who is retained, lists of people.

Each exclusion has its evidence; nothing is deleted.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from memeloc.errors import InputError, MemelocError
from memeloc.files import file_sha256
from memeloc.settings import read_toml
from memeloc.sheets import write_sheet_table
from memeloc.store.records import FileRecord
from memeloc.store.surveys.serving import last_values
from memeloc.store.tables.types import now
from memeloc.survey.design.planning import shortfalls
from memeloc.survey.design.tables import read_team
from memeloc.survey.labels.checked import FEWEST_LETTERS, PERSON_COLUMNS, Checked, person_rows
from memeloc.survey.model import Sheet, Submission
from memeloc.survey.quality.checking import TIMED_OUT, Remark, typed_otherwise
from memeloc.survey.quality.checking import check as check_submissions
from memeloc.survey.quality.decisions import (
    CODE_ENTERED,
    READ,
    SENT,
    bonus_rows,
    decisions,
    message_rows,
)
from memeloc.survey.quality.rules import Rules, read_rules
from memeloc.survey.serving import raw_submission
from memeloc.survey.targets import returned
from memeloc.survey.targets.places import IDS, clean_id
from memeloc.survey.targets.protocol import Imported, SheetsToSend, disagree
from memeloc.survey.targets.resolver import SERVED, import_file, make_target, recognise, resolve
from memeloc.workspace.stored_survey import (
    TEAM,
    Agree,
    OnProgress,
    StoredSurvey,
    SurveyState,
    recruiter,
)

_TOGETHER = 500
"""Submissions that are stored together; a transaction costs as much as some of them."""


def owner_of_ids(survey: StoredSurvey, ids: str) -> str:
    """Return whose people's numbers are, as said now or before; empty where nobody has."""
    if ids not in ("", *IDS):
        raise InputError(f"--ids is one of {', '.join(IDS)}, not {ids[:40]!r}")
    before = str(survey.state("import").get("ids", ""))
    if ids and before not in ("", ids):
        raise InputError(f"It was said before: --ids {before}. That cannot change any more.")
    return ids or before


def add_files(
    survey: StoredSurvey, files: Sequence[returned.FileRead], words: frozenset[str]
) -> Sequence[Mapping[str, Any]]:
    """Store what files held, all or none; return what was new of each, as in `ImportResult.files`.
    Only a file's kind is kept, for its name often is its participant's id, and of rejected rows
    what is of the survey's own `words`."""
    records = []
    for path, kind, imported in files:
        rows = len(imported.submissions) + len(imported.participants)
        records.append((FileRecord("submissions", kind, file_sha256(path), rows), imported))
    return survey.store.add_files(survey.name, records, words=words)


class SurveyAnswers:
    """Answers of a survey: what comes in, and who is retained."""

    def __init__(self, survey: StoredSurvey) -> None:
        self.survey = survey

    def import_files(
        self,
        files: Sequence[str | Path],
        *,
        kind: str = "",
        options: Mapping[str, Any] | None = None,
        ids: str = "",
        dry_run: bool = False,
        on_progress: OnProgress = lambda more, total: None,
    ) -> returned.ImportResult:
        """Take in answers, and what a recruitment service reports of people.

        The same file twice, or an older one later, changes nothing. A file that cannot be read
        keeps no other out; it is among the result's problems.

        Args:
            files: files that came back, or folders of them.
            kind: the target's name; by default what the file's content shows.
            ids: whose people's numbers are (`culture`, `file` or `everybody`); kept from then on.
        """
        survey = self.survey
        if kind:
            make_target(kind, options)  # an option that it lacks is no file's fault
        ids = owner_of_ids(survey, ids)
        versions, stored = survey.as_sent(), survey.store.submissions(survey.name)
        words = frozenset[str]().union(*(version.words for version in versions))
        paths, passed_over = returned.expanded([Path(file) for file in files], kind)
        done: list[tuple[returned.FileRead, Mapping[str, Any]]] = []
        problems: list[str] = []
        together: list[list[returned.FileRead]] = [[]]
        target, people = kind, {sent.participant for sent in stored}
        for path, likely in paths.items():
            try:
                returned.check_answers_file(path)
                target = likely or recognise(path, likely=target).name
                if made := make_target(target).read_made(path, versions[0]):
                    for sheet, values in made.items() if not dry_run else ():
                        survey.put_state(target, sheet, dict(values))
                    done.append(((path, target, Imported()), {"made": len(made)}))
                else:
                    imported = returned.read_returned(versions, path, target, options, ids)
                    if ids:
                        returned.refuse_known(imported, people, survey.hashed)
                    if sum(len(each.submissions) for _, _, each in together[-1]) >= _TOGETHER:
                        together.append([])
                    together[-1].append((path, target, imported))
            except MemelocError as error:
                problems.append(str(error))
            on_progress(1, len(paths))
        if not ids:  # whose numbers are one person's is asked about before any of them is stored
            read = [(path.name, imported) for group in together for path, _, imported in group]
            returned.ask_whose_ids(read, survey.all_sheets, stored, survey.hashed)
        for group in together:
            try:
                new = [{}] * len(group) if dry_run else add_files(survey, group, words)
                done += zip(group, new, strict=True)
            except MemelocError as error:
                problems.append(str(error))
        if ids and done and not dry_run:
            survey.put_state("import", "ids", ids)
        return returned.import_result(survey.name, done, passed_over, problems)

    def check(
        self,
        rules: Mapping[str, Any] | None = None,
        *,
        without: Sequence[str] = (),
        exclude: Sequence[str] = (),
        keep: Sequence[str] = (),
        why: str = "",
    ) -> Checked:
        """Exclude what fails quality control, each with its evidence.

        The last rules are those of all that follows, until another check; decisions about people
        stay until they are decided otherwise.

        Args:
            rules: settings by rule, such as `{"speed": {"fewest": 5}}`; before memeloc.toml's.
            without: rules that are switched off.
            exclude: people whose submissions are excluded, such as outliers, besides those of
                memeloc.toml; by their ids as they came, or as they are stored, of which the first
                letters are enough (see `FEWEST_LETTERS`).
            keep: people who are retained whatever the rules say, as who contested a check with a
                reason (`why`); only who did not agree, or took it back, stays excluded.
        """
        if keep and not why.strip():
            raise InputError("Say why they are kept: --why TEXT")
        values: dict[str, Any] = dict(self.survey.settings("check"))
        off = {rule: {"on": False} for rule in without}
        for rule, settings in (*off.items(), *(rules or {}).items()):
            values[rule] = {**values.get(rule, {}), **settings}
        named = self._read_rules(values)
        last = self.survey.store.result(self.survey.name, "check")
        before = read_rules(last[0]) if last else named
        out, keeping = self.stored_ids(exclude), self.stored_ids(keep)
        excluded = dict.fromkeys((*before.outlier.people, *named.outlier.people, *out))
        reasons = before.keep.people | named.keep.people | dict.fromkeys(keeping, why.strip())
        checked = self.checked(
            named.about(
                [who for who in excluded if who not in keeping],
                {who: reason for who, reason in reasons.items() if who not in out},
            )
        )
        self.survey.workspace.store.progress.note("checked", {self.survey.name: {}})
        return checked

    @property
    def rules(self) -> Rules:
        """The rules of the last check, or memeloc.toml's before the first one."""
        last = self.survey.store.result(self.survey.name, "check")
        return read_rules(last[0]) if last else self._read_rules(self.survey.settings("check"))

    def checked(self, rules: Rules | None = None, *, keep: bool = True) -> Checked:
        """Check what is there by now, by the last rules by default. The report is stored, but for
        who only looks: `keep` is False."""
        survey, rules = self.survey, rules or self.rules
        sheets, submissions = survey.all_sheets, survey.submissions
        submissions += self._expired(sheets, submissions)
        # Rules name nobody who sent nothing, or was erased.
        people = {submission.participant for submission in submissions}
        rules = rules.about(
            [who for who in rules.outlier.people if who in people],
            {who: why for who, why in rules.keep.people.items() if who in people},
        )
        report = check_submissions(
            submissions,
            sheets,
            survey.store.participants(survey.name),
            rules,
            abstain=[label.id for label in survey.taxonomy.labels if label.role != "vote"],
            superseded=survey.store.submissions(survey.name, superseded=True),
        )
        remarks = sorted((*report.warnings, *self._not_assigned()), key=lambda row: row.rule)
        report = replace(report, warnings=tuple(remarks))
        if keep:
            values = rules.model_dump(mode="json")
            survey.store.add_result(survey.name, "check", values, report.as_json())
        rejected = Counter[str]()
        if not report.judged:
            rejected.update(reason for _, _, reason in survey.store.rejected(survey.name))
        about = (survey.name, survey.taxonomy, survey.design.cultures)
        counts = dict(rejected.most_common())
        return Checked(*about, rules, report, sheets, submissions, counts)

    def _read_rules(self, values: Mapping[str, Any]) -> Rules:
        """Return rules with people as they are stored."""
        rules = read_rules(values)
        keeping = self.stored_ids(rules.keep.people, anybody=True)
        excluded = self.stored_ids(rules.outlier.people, anybody=True)
        return rules.about(excluded, dict(zip(keeping, rules.keep.people.values(), strict=True)))

    def _not_assigned(self) -> list[Remark]:
        """Return submissions of people to whom the sheet was not given; none is excluded for it."""
        survey, remarks = self.survey, list[Remark]()
        if (team := survey.team) is None:
            return []
        places, assigned = {who: place for place, who in team.people.items()}, survey.assigned
        people = {sheet.id: assigned.get(sheet.batch, ()) for sheet in survey.all_sheets}
        for sent in survey.submissions:
            place = places.get(sent.participant) or places.get(survey.hashed(sent.participant))
            if sent.sheet in people and place not in people[sent.sheet]:
                evidence = {"place": place or "not of the team"}
                remarks.append(Remark("not assigned", sent.sheet, (sent.id,), evidence))
        return remarks

    def _expired(
        self, sheets: tuple[Sheet, ...], submissions: Iterable[Submission]
    ) -> list[Submission]:
        """Return what was answered at places whose time is over, as submissions that timed out. It
        is stored nowhere: whoever comes back may go on, as long as there is room."""
        survey = self.survey
        sent = {(submission.sheet, submission.participant) for submission in submissions}
        records = [
            replace(
                raw_submission(place, last_values(answers), answers[-1].created_at),
                status=TIMED_OUT,
            )
            for place, answers in survey.workspace.store.serving.expired(survey.name, now())
            if (place.sheet, place.participant) not in sent
        ]
        cultures = survey.design.cultures if records else ()
        texts = {culture.locale.tag: survey.texts(culture) for culture in cultures}
        has_team = bool(survey.state(TEAM))
        to_send = SheetsToSend(survey.name, sheets, survey.taxonomy, texts, has_team=has_team)
        imported = resolve(records, to_send, source=SERVED, file=SERVED)
        return [submission for submission in imported.submissions if submission.answers]

    def stored_ids(self, ids: Iterable[str], *, anybody: bool = False) -> list[str]:
        """Return people as they are stored; raise InputError if one of them has sent nothing, and
        may not be `anybody`."""
        ids = list(dict.fromkeys(ids))
        sent = {row.participant for row in self.survey.submissions} - {""} if ids else set()
        people = []
        for id in ids:
            begin = [each for each in sent if len(id) >= FEWEST_LETTERS and each.startswith(id)]
            if id in sent:
                begin = [id]
            who = begin[0] if len(begin) == 1 else self.survey.hashed(id)
            if who not in sent and not anybody:
                raise InputError(f"Nobody of the id {id[:80]!r} has answered {self.survey.name}.")
            people.append(who)
        return people

    def about(self, person: str, out: str | Path) -> dict[str, Any]:
        """Write all that the survey has of a person (as of `check`), for the person to read and to
        contest, see `person_rows`; return the `file`, and how many `rows` it has."""
        (who,) = self.stored_ids([person])
        survey, checked = self.survey, self.checked(keep=False)
        services = survey.store.participants(survey.name)
        decided = survey.store.decisions(survey.name)
        rows = person_rows(checked, who, survey.texts, services, decided)
        file, count = write_sheet_table(Path(out), PERSON_COLUMNS, rows)
        return {"survey": survey.name, "file": file, "rows": count}


_BONUS = ("submission=service", "participant", "sheet", "amount", "currency", "reason")
_MESSAGE = ("submission=service", "participant", "sheet", "text")
_DECISION = (
    *("action", "submission=service", "participant", "study", "sheet", "category", "message"),
    *("rules", "earned", "not_read"),
)
"""Columns of lists for the service: `field`, or `heading=field`."""


class SurveyPeople:
    """Lists for a recruitment service, of what to do about people; each has the service's own ids
    as far as its exports (`exported`) name them, which are stored as hashes. Each method returns
    also the list's `file`, and how many are `unknown`, without an id of the service's here."""

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

        Return the `counts` of actions, the `decisions`, how many were `sent` to what end, and by
        reason the rows that were `not_read` and do not say whose they are.

        Args:
            minutes: that a sheet takes; 0 for what people were given.
            same: by an id under which answers came, as of `check`, the service's id of that person,
                who typed it otherwise; it is kept, until it is taken back by an empty id.
            implicit_count: whether implicit checks count beside a failed explicit one.
            reject_fast: whether exceptionally fast ones are rejected; else they are paid.
            send: whether the service is given the decisions.
            agree: is given the counts as a sentence before; only True goes on.
        """
        survey = self.survey
        for answered, participant in (same or {}).items():
            (who,) = self.answers.stored_ids([answered])
            survey.store.add_same(survey.name, who, survey.hashed(clean_id(participant)))
        checked, sent_minutes = self.answers.checked(), survey.minutes
        by_sheet = {
            sheet.id: minutes or sent_minutes[sheet.batch]
            for sheet in checked.sheets
            if minutes or sheet.batch in sent_minutes
        }
        if not by_sheet:
            raise InputError("How long does a sheet take? Nothing went out yet; give --minutes")
        service = recruiter()
        rates = survey.rates()
        unread: dict[str, Counter[str]] = defaultdict(Counter)
        for target, person, reason in survey.store.rejected(survey.name):
            if target != service and reason not in READ:
                unread[person][reason] += 1
        texts = {each.locale.tag: survey.texts(each) for each in survey.design.cultures}
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
                typed = map(survey.hashed, typed_otherwise(ids[each.participant]))
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
            to_send = [decision for decision in decided if decision.action in SENT]
            state = SurveyState(survey, service)
            sent = survey.target(service).decide(to_send, ids, state, agree=agree)
        return {
            "survey": survey.name,
            "counts": dict(sorted(Counter(decision.action for decision in decided).items())),
            "decisions": decided,
            "file": listed["file"],
            "sent": dict(sorted(sent.items())),
            "unknown": listed["unknown"],
            "not_read": dict(sorted(unread[""].items())),
        }

    def shortfalls(self, checked: Checked) -> list[dict[str, Any]]:
        """Return the sheets that took a culture's retained people longer than they were paid for:
        the minutes that the sheet says, or those of the service's settings where these are more."""
        least = int(self.survey.settings(recruiter()).get("minutes", 0))
        promised = {batch: max(minutes, least) for batch, minutes in self.survey.minutes.items()}
        return shortfalls(checked.sheets, checked.paces(), promised, self.survey.rates())

    def bonus(
        self,
        out: str | Path,
        *,
        each: Decimal | None = None,
        reason: str = "",
        exported: Sequence[str | Path] = (),
    ) -> dict[str, Any]:
        """List whom to pay a bonus: what `each` retained person gets, or None to make up for sheets
        that took longer than was promised, for all whose work is paid. `reason` is a word that
        tells this bonus from others of the same people.

        Return the `bonuses` (see `bonus_rows`), their `total` without the service's fee, the
        `currency`, and `shortfalls`.
        """
        checked = self.answers.checked()
        short = self.shortfalls(checked)
        bonuses = bonus_rows(checked.report, short, each, reason)
        currency = self.survey.rates().currency
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
        """List whom to write what; `texts`, `to` and `cultures` are those of `message_rows`. Return
        the `messages`, and by text to how many it goes (`texts`)."""
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
                    ids[plain] = ids[self.survey.hashed(plain)] = plain
        same = self.survey.store.same_people(self.survey.name)
        return ids | {answered: ids[who] for who, answered in same.items() if who in ids}

    def team(self, people: str | Path | None = None) -> dict[str, Any]:
        """Return who of a named team is to fill which of the `sheets` (of how many `memes`), and
        whose `came`. `participant` is empty without `people`, the team's table: only hashes are
        stored."""
        survey, team = self.survey, self.survey.team
        if team is None:
            raise InputError(f"{survey.name} has no named team; whoever comes is asked.")
        names = dict.fromkeys(team.people, "")
        if people is not None:
            names |= read_team(Path(people)).people
            if any(survey.hashed(names[place]) != who for place, who in team.people.items()):
                raise InputError(f"{survey.name} was built with another team", file=people)
        came = {
            (sent.sheet, who)
            for sent in survey.submissions
            for who in (sent.participant, survey.hashed(sent.participant))
        }
        assigned, sheets = survey.assigned, survey.all_sheets
        rows = [
            {
                "place": place,
                "participant": names[place],
                "sheet": sheet.id,
                "round": sheet.round,
                "memes": len(sheet.memes),
                "came": (sheet.id, who) in came,
            }
            for place, who in team.people.items()
            for sheet in sheets
            if place in assigned.get(sheet.batch, ())
        ]
        return {"survey": survey.name, "people": len(team.people), "sheets": rows}


def _write(
    out: str | Path,
    columns: Sequence[str],
    rows: Sequence[Mapping[str, str]],
    ids: Mapping[str, str],
) -> dict[str, Any]:
    """Write a list with the service's ids; return its `file`, and how many rows are `unknown`."""
    fields = [column.rpartition("=")[2] for column in columns]
    lines = [[ids.get(cell, cell) for cell in (row[name] for name in fields)] for row in rows]
    headings = [column.partition("=")[0] for column in columns]
    file, _ = write_sheet_table(Path(out), headings, lines)
    return {"file": file, "unknown": sum(row["service"] not in ids for row in rows)}


def read_texts(text: str, file: Path | None) -> dict[str, str]:
    """Read messages by language tag: one for all, or those of a TOML `TAG = "text"`. Raise
    InputError if there is neither or both, or the file holds something else."""
    if bool(text.strip()) == (file is not None):
        raise InputError("Write the message as --text, or name a file of texts by --texts.")
    if file is None:
        return {"": text.strip()}
    values = read_toml(file)
    if not values or not all(isinstance(value, str) and value.strip() for value in values.values()):
        raise InputError('The file holds a line a language, as de = "Danke!"', file=file)
    return {tag: str(value).strip() for tag, value in values.items()}
