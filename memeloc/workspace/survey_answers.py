"""Quality control. In: a stored survey. Out: who is retained, each exclusion with its evidence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.sheets import write_sheet_table
from memeloc.store.surveys.serving import last_values
from memeloc.store.tables.types import now
from memeloc.survey.design.planning import Pace, measured_paces
from memeloc.survey.labels.models import QuestionAgreement, survey_agreement
from memeloc.survey.labels.settling import answers_table
from memeloc.survey.model import Sheet, Submission
from memeloc.survey.quality.checking import TIMED_OUT, CheckReport
from memeloc.survey.quality.checking import check as check_submissions
from memeloc.survey.quality.rules import Rules, read_rules
from memeloc.survey.serving import raw_submission
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.resolver import SERVED, resolve
from memeloc.survey.texts import TaxonomyTexts
from memeloc.taxonomy import LABEL
from memeloc.workspace.stored_survey import StoredSurvey
from memeloc.workspace.survey_imports import ImportResult, import_files
from memeloc.workspace.survey_teams import not_assigned

if TYPE_CHECKING:
    import pandas as pd

FEWEST_LETTERS = 8
"""Letters of a stored id that name a person, where nobody else's begins with them."""


@dataclass(frozen=True)
class Checked:
    """The quality control of what is there by now."""

    survey: StoredSurvey
    rules: Rules
    report: CheckReport
    sheets: tuple[Sheet, ...]
    submissions: list[Submission]

    @property
    def retained(self) -> list[Submission]:
        return self.report.retained

    @cached_property
    def _tables(self) -> dict[bool, pd.DataFrame]:
        questions = [each.id for each in self.survey.taxonomy.about("item", "picture")]
        tables = {}
        for is_before in (False, True):
            sheets = [sheet for sheet in self.sheets if (sheet.round == 0) == is_before]
            tables[is_before] = answers_table(self.retained, sheets, questions)
        return tables

    def answers(self, *, preannotation: bool = False, not_shown: bool = False) -> pd.DataFrame:
        """Return the retained answers, of the pre-annotation or all else, and what was `not_shown`
        if asked."""
        table = self._tables[preannotation]
        return table if not_shown else table[table["label"] != ""].reset_index(drop=True)

    def paces(self) -> dict[str, Pace]:
        """Return by culture code how long retained people took; see `measured_paces`."""
        return measured_paces(self.retained, self.sheets)

    @cached_property
    def agreement(self) -> tuple[QuestionAgreement, ...]:
        return survey_agreement(self.answers(), self.survey.taxonomy)

    @property
    def table(self) -> pd.DataFrame:
        """`sheet`, `submission`, `participant`, `rule` and `evidence` (JSON) of each exclusion."""
        import pandas as pd

        rows = [
            (*row.key, row.participant, rule, _json(evidence))
            for row in self.report.judged
            for rule, evidence in sorted(row.reasons.items())
        ]
        columns = ["sheet", "submission", "participant", "rule", "evidence"]
        return pd.DataFrame(rows, columns=columns)

    def summary(self) -> dict[str, Any]:
        """Return how many submissions there are, and are retained, in all and `by_culture`; how
        many each rule excluded (`by_rule`), each exclusion with its evidence (`set_aside`), what a
        person should look at (`warnings`), people at the service without answers (`absent`), and
        the `agreement` of the retained by culture and question, and the `cause` why nothing is
        retained of what came."""
        report = self.report
        cultures = {sheet.id: sheet.culture.code for sheet in self.sheets}
        everybody = Counter(cultures.get(judged.sheet, "?") for judged in report.judged)
        retained = Counter(cultures.get(row.sheet, "?") for row in report.retained)
        codes = dict.fromkeys(culture.code for culture in self.survey.design.cultures)
        return {
            "survey": self.survey.name,
            "submissions": len(report.judged),
            "retained": len(report.retained),
            "by_culture": {
                code: (retained[code], everybody[code])
                for code in codes | dict.fromkeys(sorted(everybody))
                if everybody[code]
            },
            "by_rule": report.counts(),
            "rules": self.rules,
            "set_aside": report.set_aside,
            "warnings": report.warnings,
            "absent": report.absent,
            "agreement": self.agreement,
            "cause": self.why_none(),
        }

    def why_none(self) -> str:
        """Return why nothing is retained of what came, with the command that goes on."""
        name = self.survey.name
        if self.report.retained:
            return ""
        if judged := self.report.judged:
            rules = ", ".join(f"{rule} {n:,}" for rule, n in self.report.counts().items())
            return (
                f"all of {counted(len(judged), 'submission')} are excluded ({rules}); see why: "
                f"memeloc survey check {name} --out excluded.csv"
            )
        rejected = Counter(reason for _, _, reason in self.survey.store.rejected(name))
        if rejected:
            reasons = ", ".join(f"{reason} {n:,}" for reason, n in rejected.most_common())
            return (
                f"all rows that came were rejected ({reasons}); take in answers to its sheets: "
                f"memeloc survey import {name} FILES"
            )
        return ""


class SurveyAnswers:
    """Answers of a survey: what comes in, and who is retained."""

    def __init__(self, survey: StoredSurvey) -> None:
        self.survey = survey

    def import_files(self, files: Sequence[str | Path], **options: Any) -> ImportResult:
        """Take in answers; see `memeloc.workspace.survey_imports.import_files`."""
        return import_files(self.survey, files, **options)

    def check(
        self,
        rules: Mapping[str, Any] | None = None,
        *,
        without: Sequence[str] = (),
        exclude: Sequence[str] = (),
        keep: Sequence[str] = (),
        why: str = "",
    ) -> Checked:
        """Exclude what fails quality control, each with its evidence; nothing is deleted.

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

        Raises:
            InputError: there is no such rule or setting, nobody of such an id, or no reason.
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
        """Check what is there by now, by the last rules by default.

        The report is stored, but for who only looks: `keep` is False.
        """
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
        remarks = sorted((*report.warnings, *not_assigned(survey)), key=lambda row: row.rule)
        report = replace(report, warnings=tuple(remarks))
        if keep:
            values = rules.model_dump(mode="json")
            survey.store.add_result(survey.name, "check", values, report.as_json())
        return Checked(survey, rules, report, sheets, submissions)

    def _read_rules(self, values: Mapping[str, Any]) -> Rules:
        """Return rules with people as they are stored."""
        rules = read_rules(values)
        keeping = self.stored_ids(rules.keep.people, anybody=True)
        excluded = self.stored_ids(rules.outlier.people, anybody=True)
        return rules.about(excluded, dict(zip(keeping, rules.keep.people.values(), strict=True)))

    def about(self, person: str, out: str | Path) -> dict[str, Any]:
        """Write all that the survey has of a person, for the person to read and to contest.

        That is when each sheet was sent, every answer in the language of the sheet, what checks
        expected, what services report, and what excludes a sheet. Return the `file`, and how many
        `rows` it has.

        Args:
            person: as of `check`.
            out: .csv, .xlsx, .jsonl or .parquet.

        Raises:
            InputError: nobody of that id has answered.
        """
        (who,) = self.stored_ids([person])
        survey, checked = self.survey, self.checked(keep=False)
        rows: list[tuple[str, ...]] = []
        for judged in (each for each in checked.report.judged if each.participant == who):
            sent, sheet, on = judged.sent, judged.sheet, judged.on
            rows.append((sheet, str(sent.submitted or ""), "", "status", sent.status, ""))
            if consent := sent.presented.get("consent"):
                agreed = f"version {consent.get('version')}, {consent.get('language')}"
                rows.append((sheet, str(consent.get("at")), "", "consent", agreed, ""))
            shown = on and TaxonomyTexts(survey.texts(on.culture), survey.taxonomy)
            asked = {LABEL: shown.question, **shown.asked} if shown else {}
            right = {check.id: check.expected for check, _ in judged.checks}
            for answer in sent.answers:
                for question in dict.fromkeys((LABEL, *answer.values)):
                    names = shown.answers.get(question, {}) if shown else {}
                    chosen = ", ".join(names.get(each, each) for each in answer.get(question))
                    expected = right.get(answer.entry, "") if question == LABEL else ""
                    if chosen or expected:
                        text = asked.get(question, question)
                        cells = (text, chosen, names.get(expected, expected))
                        rows.append((sheet, "", answer.entry, *cells))
            for rule, evidence in sorted(judged.reasons.items()):
                rows.append((sheet, "", "", f"excluded by {rule}", _json(evidence), ""))
            for remark in checked.report.warnings:
                if remark.rule == "kept" and judged.submission in remark.submissions:
                    rows.append((sheet, "", "", "kept", str(remark.evidence["why"]), ""))
        for service in survey.store.participants(survey.name):
            if service.participant == who:
                facts = {"status": service.status, **service.facts}
                rows += [("", "", service.study, *fact, "") for fact in facts.items()]
        for decided in survey.workspace.store.label_decisions.find(survey.name):
            if who in decided.people:
                label = "".join(decided.values.get(LABEL, ()))
                rows.append(("", "", decided.item, "took part in deciding", label, ""))
        columns = ("sheet", "submitted", "item", "question", "answer", "expected")
        file, count = write_sheet_table(Path(out), columns, rows)
        return {"survey": survey.name, "file": file, "rows": count}

    def _expired(
        self, sheets: tuple[Sheet, ...], submissions: Iterable[Submission]
    ) -> list[Submission]:
        """Return what was answered at places whose time is over, as submissions that timed out.

        It is stored nowhere: whoever comes back may go on, as long as there is room.
        """
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
        has_team = bool(survey.state("team"))
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


def _json(evidence: Mapping[str, Any]) -> str:
    return json.dumps(dict(evidence), ensure_ascii=False, sort_keys=True)
