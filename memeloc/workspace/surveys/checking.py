"""Quality control. In: a stored survey. Out: who is retained, each exclusion with its evidence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict

from memeloc.errors import InputError
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
from memeloc.survey.quality.rules import Rules, read_rules
from memeloc.survey.serving.places import raw_submission
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.targets.resolver import SERVED, resolve
from memeloc.workspace.surveys.stored import Frame, StoredSurvey
from memeloc.workspace.surveys.teams import not_assigned

if TYPE_CHECKING:
    import pandas as pd


FEWEST_LETTERS = 8
"""Letters of a stored id that name a person, where nobody else's begins with them."""


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
    """The quality control of what is there by now."""

    rules: Rules
    report: CheckReport
    sheets: tuple[Sheet, ...]
    submissions: list[Submission]
    questions: tuple[str, ...]
    """Ids of the further questions that are asked of items."""

    def answers(self, rounds: Callable[[int], bool], *, not_shown: bool = False) -> pd.DataFrame:
        """The retained answers to the sheets of some rounds, and what was `not_shown` if asked."""
        sheets = [sheet for sheet in self.sheets if rounds(sheet.round)]
        table = answers_table(retained(self.submissions, self.report), sheets, self.questions)
        return table if not_shown else table[table["label"] != ""].reset_index(drop=True)

    def paces(self) -> dict[str, Pace]:
        """By culture code, how long retained people took; see `measured_paces`."""
        return measured_paces(retained(self.submissions, self.report), self.sheets)


class Checking(StoredSurvey):
    """Quality control."""

    def check(
        self,
        rules: Mapping[str, Any] | None = None,
        *,
        without: Sequence[str] = (),
        exclude: Sequence[str] = (),
    ) -> CheckResult:
        """Exclude what fails quality control, each with its evidence; nothing is deleted.

        The last rules are those of all that follows, until another check.

        Args:
            rules: settings by rule, such as `{"speed": {"fewest": 5}}`; before memeloc.toml's.
            without: rules that are switched off.
            exclude: people whose submissions are excluded, such as outliers, besides those of
                memeloc.toml; by their ids as they came, or as they are stored, of which the first
                letters are enough (see `FEWEST_LETTERS`).

        Raises:
            InputError: there is no such rule or setting, or nobody of such an id.
        """
        import pandas as pd

        checked = self.checked(self._rules(rules or {}, without, exclude))
        self.workspace.store.progress.note("checked", {self.name: {}})
        report = checked.report
        cultures = {sheet.id: sheet.culture.code for sheet in checked.sheets}
        everybody = Counter(cultures.get(judged.sheet, "?") for judged in report.judged)
        kept = Counter(cultures.get(sheet, "?") for sheet, _ in report.retained)
        codes = dict.fromkeys(culture.code for culture in self.design.cultures)
        people = {judged.key: judged.participant for judged in report.judged}
        excluded = [
            (
                *row.key,
                people.get(row.key, ""),
                row.rule,
                json.dumps(dict(row.evidence), ensure_ascii=False, sort_keys=True),
            )
            for row in report.set_aside
        ]
        columns = ["sheet", "submission", "participant", "rule", "evidence"]
        return CheckResult(
            self.name,
            len(report.judged),
            len(report.retained),
            {
                code: (kept[code], everybody[code])
                for code in codes | dict.fromkeys(sorted(everybody))
                if everybody[code]
            },
            report.counts(),
            checked.rules,
            report.set_aside,
            report.warnings,
            report.absent,
            survey_agreement(checked.answers(lambda number: number > 0), self.taxonomy),
            pd.DataFrame(excluded, columns=columns),
        )

    @property
    def rules(self) -> Rules:
        """The rules of the last check, or memeloc.toml's before the first one."""
        last = self._store.result(self.name, "check")
        return self._rules({}, (), ()) if last is None else read_rules(last[0])

    def checked(self, rules: Rules | None = None, *, keep: bool = True) -> Checked:
        """Check what is there by now, by the last rules by default.

        The report is stored, but for who only looks: `keep` is False.
        """
        rules = rules or self.rules
        sheets, submissions = self.sheets, self.submissions
        submissions += self._expired(sheets, submissions)
        rules = _without_absent(rules, submissions)
        people = self._store.participants(self.name)
        no_votes = [label.id for label in self.taxonomy.labels if label.role != "vote"]
        superseded = self._store.submissions(self.name, superseded=True)
        report = check_submissions(
            submissions, sheets, people, rules, abstain=no_votes, superseded=superseded
        )
        remarks = sorted((*report.warnings, *not_assigned(self)), key=lambda row: row.rule)
        report = replace(report, warnings=tuple(remarks))
        if keep:
            values = rules.model_dump(mode="json")
            self._store.add_result(self.name, "check", values, report.as_json())
        questions = tuple(asked.id for asked in self.taxonomy.about("item", "picture"))
        return Checked(rules, report, sheets, submissions, questions)

    def _expired(
        self, sheets: tuple[Sheet, ...], submissions: Sequence[Submission]
    ) -> list[Submission]:
        """What was answered at served places whose time is over, as submissions that timed out.

        It is stored nowhere: whoever comes back may go on, as long as there is room.
        """
        expired = self.workspace.store.serving.expired(self.name, now())
        texts = {culture.locale.tag: self.texts(culture) for culture in self.design.cultures}
        sent = {(submission.sheet, submission.participant) for submission in submissions}
        records = [
            replace(
                raw_submission(place, last_values(answers), answers[-1].created_at),
                status=TIMED_OUT,
            )
            for place, answers in expired
            if (place.sheet, place.participant) not in sent
        ]
        pack = SurveyPack(self.name, sheets, self.taxonomy, texts if records else {})
        imported = resolve(records, pack, source=SERVED, file=SERVED)
        return [submission for submission in imported.submissions if submission.answers]

    def paces(self) -> dict[str, Pace]:
        """By culture code, how long retained people took so far; only where enough are known."""
        return self.checked().paces()

    def _rules(
        self, changed: Mapping[str, Any], without: Sequence[str], exclude: Sequence[str]
    ) -> Rules:
        values: dict[str, Any] = dict(self.settings("check"))
        off = {rule: {"on": False} for rule in without}
        for rule, settings in (*off.items(), *changed.items()):
            values[rule] = {**values.get(rule, {}), **settings}
        rules = read_rules(values)
        if not (names := dict.fromkeys((*rules.outlier.people, *exclude))):
            return rules
        known = {submission.participant for submission in self.submissions} - {""}
        people = [_beginning(name, known) or self._store.hash_participant(name) for name in names]
        for name, stored in zip(names, people, strict=True):
            if stored not in known and name in exclude:
                raise InputError(f"Nobody of the id {name[:80]!r} has answered {self.name}.")
        return rules.model_copy(
            update={"outlier": rules.outlier.model_copy(update={"people": tuple(people)})}
        )


def _beginning(name: str, known: Collection[str]) -> str:
    """The stored id that this is, or that alone begins with it; empty for none."""
    if name in known:
        return name
    matches = [id for id in known if len(name) >= FEWEST_LETTERS and id.startswith(name)]
    return matches[0] if len(matches) == 1 else ""


def _without_absent(rules: Rules, submissions: Sequence[Submission]) -> Rules:
    """Rules that name nobody who sent nothing, or was erased."""
    known = {submission.participant for submission in submissions}
    people = tuple(name for name in rules.outlier.people if name in known)
    return rules.model_copy(update={"outlier": rules.outlier.model_copy(update={"people": people})})
