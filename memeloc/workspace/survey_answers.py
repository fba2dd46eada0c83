"""Quality control. In: a stored survey. Out: who is retained, each exclusion with its evidence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict

from memeloc.errors import InputError
from memeloc.sheets import write_sheet_table
from memeloc.store.surveys.serving import last_values
from memeloc.store.tables.types import now
from memeloc.survey.design.planning import Pace, measured_paces
from memeloc.survey.labels.models import QuestionAgreement, survey_agreement
from memeloc.survey.labels.settling import answers_table
from memeloc.survey.model import Sheet, Submission
from memeloc.survey.quality.checking import (
    TIMED_OUT,
    Absent,
    CheckReport,
    Exclusion,
    Remark,
    retained,
)
from memeloc.survey.quality.checking import check as check_submissions
from memeloc.survey.quality.rules import Keep, Rules, read_rules
from memeloc.survey.serving import raw_submission
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.resolver import SERVED, resolve
from memeloc.survey.texts import TaxonomyTexts
from memeloc.taxonomy import LABEL
from memeloc.workspace.stored_survey import Frame, StoredSurvey
from memeloc.workspace.survey_imports import ImportResult, import_files
from memeloc.workspace.survey_teams import not_assigned

if TYPE_CHECKING:
    import pandas as pd


FEWEST_LETTERS = 8
"""Letters of a stored id that name a person, where nobody else's begins with them."""

_ABOUT = ("sheet", "submitted", "item", "question", "answer", "expected")


@dataclass(frozen=True)
class CheckResult:
    """What quality control found: how many submissions there are, and pass every rule.

    Attributes:
        by_culture: by code, how many are retained, and how many there are.
        by_rule: how many submissions each rule excluded.
        set_aside: each exclusion with its evidence.
        warnings: what a person should look at.
        absent: people at the service of whom no answers came.
        agreement: how far those who are retained agree, by culture and question.
        table: `sheet`, `submission`, `participant`, `rule` and `evidence` (JSON) of each exclusion.
    """

    __pydantic_config__ = ConfigDict(arbitrary_types_allowed=True)

    survey: str
    submissions: int
    retained: int
    by_culture: Mapping[str, tuple[int, int]]
    by_rule: Mapping[str, int]
    rules: Rules
    set_aside: tuple[Exclusion, ...]
    warnings: tuple[Remark, ...]
    absent: tuple[Absent, ...]
    agreement: tuple[QuestionAgreement, ...]
    table: Frame


@dataclass(frozen=True)
class Checked:
    """The quality control of what is there by now; `questions` are ids of those besides the label
    that are asked of items."""

    rules: Rules
    report: CheckReport
    sheets: tuple[Sheet, ...]
    submissions: list[Submission]
    questions: tuple[str, ...]

    @cached_property
    def retained(self) -> list[Submission]:
        return retained(self.submissions, self.report)

    @cached_property
    def _tables(self) -> dict[bool, pd.DataFrame]:
        return {
            is_before: answers_table(
                self.retained,
                [sheet for sheet in self.sheets if (sheet.round == 0) == is_before],
                self.questions,
            )
            for is_before in (False, True)
        }

    def answers(self, *, preannotation: bool = False, not_shown: bool = False) -> pd.DataFrame:
        """Return the retained answers, of the pre-annotation or all else, and what was `not_shown`
        if asked."""
        table = self._tables[preannotation]
        return table if not_shown else table[table["label"] != ""].reset_index(drop=True)

    def paces(self) -> dict[str, Pace]:
        """Return by culture code how long retained people took; see `measured_paces`."""
        return measured_paces(self.retained, self.sheets)


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
    ) -> CheckResult:
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
        import pandas as pd

        checked = self.checked(self._rules(rules or {}, without, exclude, keep, why))
        self.survey.workspace.store.progress.note("checked", {self.survey.name: {}})
        report = checked.report
        cultures = {sheet.id: sheet.culture.code for sheet in checked.sheets}
        everybody = Counter(cultures.get(judged.sheet, "?") for judged in report.judged)
        kept = Counter(cultures.get(sheet, "?") for sheet, _ in report.retained)
        codes = dict.fromkeys(
            [*(each.code for each in self.survey.design.cultures), *sorted(everybody)]
        )
        people = {judged.key: judged.participant for judged in report.judged}
        excluded = [
            (*row.key, people.get(row.key, ""), row.rule, _json(row.evidence))
            for row in report.set_aside
        ]
        columns = ["sheet", "submission", "participant", "rule", "evidence"]
        return CheckResult(
            self.survey.name,
            len(report.judged),
            len(report.retained),
            {code: (kept[code], everybody[code]) for code in codes if everybody[code]},
            report.counts(),
            checked.rules,
            report.set_aside,
            report.warnings,
            report.absent,
            survey_agreement(checked.answers(), self.survey.taxonomy),
            pd.DataFrame(excluded, columns=columns),
        )

    @property
    def rules(self) -> Rules:
        """The rules of the last check, or memeloc.toml's before the first one."""
        last = self.survey.store.result(self.survey.name, "check")
        return self._rules() if last is None else read_rules(last[0])

    def checked(self, rules: Rules | None = None, *, keep: bool = True) -> Checked:
        """Check what is there by now, by the last rules by default.

        The report is stored, but for who only looks: `keep` is False.
        """
        rules = rules or self.rules
        sheets, submissions = self.survey.all_sheets, self.survey.submissions
        submissions += self._expired(sheets, submissions)
        # Rules name nobody who sent nothing, or was erased.
        known = {submission.participant for submission in submissions}
        rules = _about(
            rules,
            [who for who in rules.outlier.people if who in known],
            {who: why for who, why in rules.keep.people.items() if who in known},
        )
        report = check_submissions(
            submissions,
            sheets,
            self.survey.store.participants(self.survey.name),
            rules,
            abstain=[label.id for label in self.survey.taxonomy.labels if label.role != "vote"],
            superseded=self.survey.store.submissions(self.survey.name, superseded=True),
        )
        remarks = sorted((*report.warnings, *not_assigned(self.survey)), key=lambda row: row.rule)
        report = replace(report, warnings=tuple(remarks))
        if keep:
            values = rules.model_dump(mode="json")
            self.survey.store.add_result(self.survey.name, "check", values, report.as_json())
        questions = tuple(asked.id for asked in self.survey.taxonomy.about("item", "picture"))
        return Checked(rules, report, sheets, submissions, questions)

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
        (who,) = self.stored_ids([person], named=[person])
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
                    given = ", ".join(names.get(each, each) for each in answer.get(question))
                    expected = right.get(answer.entry, "") if question == LABEL else ""
                    text = asked.get(question, question)
                    if given or expected:
                        cells = (text, given, names.get(expected, expected))
                        rows.append((sheet, "", answer.entry, *cells))
            rows += [
                (sheet, "", "", f"excluded by {reason.rule}", _json(reason.evidence), "")
                for reason in checked.report.reasons.get(judged.key, ())
            ]
            rows += [
                (sheet, "", "", "kept", str(remark.evidence["why"]), "")
                for remark in checked.report.warnings
                if remark.rule == "kept" and judged.submission in remark.submissions
            ]
        for service in survey.store.participants(survey.name):
            if service.participant == who:
                facts = {"status": service.status, **service.facts}
                rows += [("", "", service.study, *fact, "") for fact in facts.items()]
        for decided in survey.workspace.store.label_decisions.find(survey.name):
            if who in decided.people:
                label = "".join(decided.values.get(LABEL, ()))
                rows.append(("", "", decided.item, "took part in deciding", label, ""))
        file, count = write_sheet_table(Path(out), _ABOUT, rows)
        return {"survey": survey.name, "file": file, "rows": count}

    def _expired(
        self, sheets: tuple[Sheet, ...], submissions: Sequence[Submission]
    ) -> list[Submission]:
        """What was answered at served places whose time is over, as submissions that timed out.

        It is stored nowhere: whoever comes back may go on, as long as there is room.
        """
        sent = {(submission.sheet, submission.participant) for submission in submissions}
        records = [
            replace(
                raw_submission(place, last_values(answers), answers[-1].created_at),
                status=TIMED_OUT,
            )
            for place, answers in self.survey.workspace.store.serving.expired(
                self.survey.name, now()
            )
            if (place.sheet, place.participant) not in sent
        ]
        cultures = self.survey.design.cultures if records else ()
        texts = {culture.locale.tag: self.survey.texts(culture) for culture in cultures}
        to_send = SheetsToSend(
            self.survey.name,
            sheets,
            self.survey.taxonomy,
            texts,
            has_team=bool(self.survey.state("team")),
        )
        imported = resolve(records, to_send, source=SERVED, file=SERVED)
        return [submission for submission in imported.submissions if submission.answers]

    def paces(self) -> dict[str, Pace]:
        """By culture code, how long retained people took so far; only where enough are known."""
        return self.checked().paces()

    def _rules(
        self,
        changed: Mapping[str, Any] | None = None,
        without: Sequence[str] = (),
        exclude: Sequence[str] = (),
        keep: Sequence[str] = (),
        why: str = "",
    ) -> Rules:
        values: dict[str, Any] = dict(self.survey.settings("check"))
        off = {rule: {"on": False} for rule in without}
        for rule, settings in (*off.items(), *(changed or {}).items()):
            values[rule] = {**values.get(rule, {}), **settings}
        if keep and not why.strip():
            raise InputError("Say why they are kept: --why TEXT")
        rules = read_rules(values)
        last = self.survey.store.result(self.survey.name, "check")
        before = read_rules(last[0]) if last else rules
        excluded = self.stored_ids([*rules.outlier.people, *exclude], named=exclude)
        kept = dict(
            zip(self.stored_ids(rules.keep.people), rules.keep.people.values(), strict=True)
        )
        now_kept = dict.fromkeys(self.stored_ids(keep, named=keep), why.strip())
        kept = {**before.keep.people, **kept, **now_kept}
        now_excluded = set(self.stored_ids(exclude, named=exclude))
        return _about(
            rules,
            [
                who
                for who in dict.fromkeys((*before.outlier.people, *excluded))
                if who not in now_kept
            ],
            {who: reason for who, reason in kept.items() if who not in now_excluded},
        )

    def stored_ids(self, ids: Collection[str], named: Collection[str] = ()) -> list[str]:
        """Return people as they are stored; of those `named` here, somebody has to be there."""
        known = (
            {submission.participant for submission in self.survey.submissions} - {""}
            if ids
            else set()
        )
        people = []
        for id in dict.fromkeys(ids):
            begin = [each for each in known if len(id) >= FEWEST_LETTERS and each.startswith(id)]
            is_stored = id in known or len(begin) != 1
            who = (id if id in known else self.survey.hashed(id)) if is_stored else begin[0]
            if who not in known and id in named:
                raise InputError(f"Nobody of the id {id[:80]!r} has answered {self.survey.name}.")
            people.append(who)
        return people


def _about(rules: Rules, excluded: Sequence[str], kept: Mapping[str, str]) -> Rules:
    """Return rules with the people who are excluded and kept by a person's decision."""
    outlier = rules.outlier.model_copy(update={"people": tuple(excluded)})
    keep = Keep(on=rules.keep.on, people=dict(kept))
    return rules.model_copy(update={"outlier": outlier, "keep": keep})


def _json(evidence: Mapping[str, Any]) -> str:
    return json.dumps(dict(evidence), ensure_ascii=False, sort_keys=True)
