"""One survey. In: its name. Out: `Survey`, whose methods are the steps from sheets to labels."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from memeloc.errors import InputError
from memeloc.survey.design import preannotation
from memeloc.survey.design.build import build_next
from memeloc.survey.design.planning import SurveyPlan, plan, read_rates, reward_for, work_of
from memeloc.survey.labels.aggregation import METHODS, aggregate, differences
from memeloc.survey.labels.progress import survey_status
from memeloc.survey.labels.second import settle_second
from memeloc.survey.labels.settling import STATES, answers_table
from memeloc.survey.labels.settling import settle as settle_answers
from memeloc.survey.model import Batch, Check, Sheet, Submission
from memeloc.survey.quality.checking import COMPLETE, retained
from memeloc.survey.quality.checking import check as check_submissions
from memeloc.survey.quality.report import CheckReport
from memeloc.survey.quality.rules import Rules, Settling, read_rules, read_settling
from memeloc.survey.targets.protocol import LookedUp
from memeloc.workspace.surveys.building import BuildResult, choose_memes
from memeloc.workspace.surveys.deciding import DecideResult, decide
from memeloc.workspace.surveys.exporting import ExportResult, PushRequest, export
from memeloc.workspace.surveys.importing import ImportResult, import_files
from memeloc.workspace.surveys.results import CheckResult, NextBatch, SettleResult, StatusResult
from memeloc.workspace.surveys.services import Agree, disagree, look_up
from memeloc.workspace.surveys.stored import OnProgress, StoredSurvey, silent

_CLOSED = "closed"


@dataclass(frozen=True)
class _Checked:
    """The quality control of what is there by now."""

    rules: Rules
    report: CheckReport
    sheets: tuple[Sheet, ...]
    submissions: list[Submission]

    @cached_property
    def retained(self) -> list[Submission]:
        return retained(self.submissions, self.report)

    def answers(self, rounds: Callable[[int], bool]) -> pd.DataFrame:
        """The retained answers to the sheets of some rounds."""
        return answers_table(self.retained, [one for one in self.sheets if rounds(one.round)])


class Survey(StoredSurvey):
    """A survey of the workspace, by its name.

    Raises:
        InputError: there is no survey of that name.
    """

    def plan(
        self, rates: Mapping[str, object] | None = None, *, seconds: float | None, loss: float
    ) -> SurveyPlan:
        """What the survey takes: people, minutes and money by culture.

        Args:
            rates: `wage`, `currency`, `fee`, `vat`; else as memeloc.toml has them.
            seconds: that a meme takes; None for what people took so far, or an assumption.
            loss: share of submissions that checks set aside.
        """
        return plan(
            work_of(self.batches),
            self.design,
            read_rates(self.settings("prolific"), rates or {}),
            pace=self.pace(),
            seconds=seconds,
            loss=loss,
        )

    def choose(
        self,
        total: int = 300,
        *,
        harmful: float = 0.4,
        harmless: float = 0.4,
        tied: float = 0.2,
        fewest_votes: int = 1,
    ) -> BuildResult:
        """Choose a balanced set by the pre-annotation, and deal it into the survey's batches.

        Args:
            total: memes in all.
            harmful, harmless, tied: shares of the outcomes.
            fewest_votes: votes without which a meme is not chosen.

        Raises:
            InputError: there was no pre-annotation, or there are not enough memes.
        """
        balance = preannotation.Balance.of(total, harmful, harmless, tied)
        if preannotation.ROUND not in self.rounds:
            raise InputError(f"{self.name} has no pre-annotation; build it with --preannotate.")
        answers = self._checked().answers(lambda number: number == preannotation.ROUND)
        pairs = list(zip(answers["item"], answers["label"], strict=True))
        return choose_memes(self, pairs, balance, fewest_votes=fewest_votes)

    def export(
        self,
        target: str,
        *,
        contact: str = "",
        pictures: str | Path = "out",
        out: str | Path | None = None,
        cultures: Sequence[str] = (),
        round: int | str = "",
        minutes: int = 0,
        options: Mapping[str, Any] | None = None,
        push: bool = False,
        publish: bool = False,
        agree: Agree = disagree,
        dry_run: bool = False,
        on_progress: OnProgress = silent,
    ) -> ExportResult:
        """Write the sheets for a target, or make them at its service.

        Args:
            target: the target's name.
            contact: whom annotators may ask, as they read it; empty for that of the last export.
            pictures: the folder that rendering made.
            out: where to; surveys/NAME/TARGET in the working directory by default.
            cultures: codes; all by default.
            round: batches of which round, or `all`; the newest by default.
            minutes: that a sheet takes; 0 takes what people were given before, or works it out.
            options: settings of the target's.
            push: whether forms or drafts are made at the service, instead of files.
            publish: whether what is pushed and costs money is published.
            agree: is given the costs as a sentence before; only True goes on.
            dry_run: whether a push makes nothing, and what it would make is returned.
            on_progress: is given how many more examples are rendered or sheets written, and how
                many there are.

        Raises:
            InputError: a picture or the contact is missing, or the target cannot show a sheet.
            MissingError: a package or credentials for the service are missing.
            ServiceError: the service refused, or could not be reached.
        """
        return export(
            self,
            target,
            Path("surveys") / self.name / target if out is None else Path(out),
            contact=contact,
            pictures=Path(pictures),
            cultures=cultures,
            round_=round,
            minutes=minutes,
            options=options or {},
            push=PushRequest(publish, agree, dry_run) if push else None,
            on_progress=on_progress,
        )

    def import_files(
        self,
        files: Sequence[str | Path],
        *,
        kind: str = "",
        options: Mapping[str, Any] | None = None,
        plain_ids: bool = False,
        dry_run: bool = False,
        on_progress: OnProgress = silent,
    ) -> ImportResult:
        """Take in answers, and what a recruitment service reports of people.

        The same file twice, or an older one later, changes nothing. A file that cannot be read
        keeps no other out; it is among the result's problems.

        Args:
            files: files that came back, or folders of them.
            kind: the target's name; by default what the file's content shows.
            options: settings of the target's.
            plain_ids: whether people's ids are stored as they are, not as keyed hashes.
            dry_run: whether nothing is stored.
            on_progress: is given how many more files are read, and how many there are.
        """
        return import_files(
            self,
            [Path(file) for file in files],
            kind,
            options or {},
            plain_ids=plain_ids,
            dry_run=dry_run,
            on_progress=on_progress,
        )

    def check(
        self, rules: Mapping[str, Any] | None = None, *, without: Sequence[str] = ()
    ) -> CheckResult:
        """Set aside what fails quality control, each with its evidence; nothing is deleted.

        The last rules hold for all that follows, until another check.

        Args:
            rules: settings by rule, such as `{"speed": {"fewest": 5}}`; before memeloc.toml's.
            without: rules that are switched off.

        Raises:
            InputError: there is no such rule or setting.
        """
        checked = self._checked(self._rules(rules or {}, without))
        report = checked.report
        cultures = {sheet.id: sheet.culture.code for sheet in checked.sheets}
        whole = Counter(cultures.get(one.sheet, "?") for one in report.judged)
        good = Counter(cultures.get(sheet, "?") for sheet, _ in report.retained)
        codes = [one.code for one in self.design.cultures if whole[one.code]]
        codes += sorted(set(whole).difference(codes))
        people = {one.key: one.participant for one in report.judged}
        return CheckResult(
            self.name,
            len(report.judged),
            len(report.retained),
            {code: (good[code], whole[code]) for code in codes},
            report.counts(),
            checked.rules,
            report.set_aside,
            report.warnings,
            report.absent,
            pd.DataFrame(
                [
                    (
                        *one.key,
                        people.get(one.key, ""),
                        one.rule,
                        json.dumps(dict(one.evidence), ensure_ascii=False, sort_keys=True),
                    )
                    for one in report.set_aside
                ],
                columns=["sheet", "submission", "participant", "rule", "evidence"],
            ),
        )

    def decide(
        self,
        out: str | Path,
        *,
        exported: Sequence[str | Path] = (),
        minutes: float = 0,
        implicit_count: bool = False,
        reject_fast: bool = False,
        send: bool = False,
        agree: Agree = disagree,
    ) -> DecideResult:
        """List for the recruitment service whom to approve, ask to return, or reject.

        Args:
            out: the list, a .csv file.
            exported: the service's exports, which have the ids that are stored as hashes.
            minutes: that a sheet takes; 0 for what people were given.
            implicit_count: whether implicit checks count beside a failed explicit one.
            reject_fast: whether exceptionally fast ones are rejected; else they are paid.
            send: whether the service is given the decisions.
            agree: is given the counts as a sentence before; only True goes on.

        Raises:
            InputError: the minutes are not known.
        """
        checked = self._checked()
        return decide(
            self,
            checked.report,
            checked.sheets,
            Path(out),
            [Path(file) for file in exported],
            minutes,
            implicit_count=implicit_count,
            reject_fast=reject_fast,
            agree=agree if send else None,
        )

    def look_up(self, out: Path | None = None) -> LookedUp:
        """Look up the ids of the recruitment service's filters that the cultures need.

        Args:
            out: where they are kept; the workspace's file by default.

        Raises:
            MissingError: the service's token is missing.
            ServiceError: the service cannot be reached.
        """
        return look_up(self, out)

    def settle(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        close: bool = False,
        next_round: bool = True,
        models: bool = False,
        on_progress: OnProgress = silent,
    ) -> SettleResult:
        """Settle the retained answers into one label a meme and culture.

        Memes that are short of answers or tied become the next batches, less the places that are
        still open.

        Args:
            settings: of `Settling`, such as `{"most": 9}`; before memeloc.toml's.
            close: whether nothing more comes for sheets that are out.
            next_round: whether batches are made of what is open.
            models: whether Dawid-Skene and MACE stand beside the majority.
            on_progress: is given how many more models of a culture are done, and how many there
                are.

        Raises:
            InputError: there is no such setting.
            MissingError: models are asked for, and crowd-kit is not installed.
        """
        checked = self._checked()
        settling = self._settling(settings or {})
        answers = checked.answers(lambda number: number > 0)
        if close:
            self._close(checked)
        settled = settle_answers(
            answers,
            self.taxonomy,
            settling,
            wanted=self._wanted(),
            pending=self._pending(checked),
        )
        rows, labels = settled.as_json(), settled.table
        if self.taxonomy.second is not None:
            second = settle_second(answers, settled, self.taxonomy)
            labels = labels.merge(second[["item", "culture", "second"]], "left").fillna("")
            rows = [
                {**row, "second": chosen}
                for row, chosen in zip(rows, labels["second"], strict=True)
            ]
        self._store.add_labels(self.name, settling.model_dump(mode="json"), rows)
        before = self.batches
        last_round = max((batch.round for batch in before), default=0)
        fresh: tuple[Batch, ...] = ()
        if next_round and settled.needs:
            fresh = build_next(
                settled.open,
                list(self.memes.items()),
                self.design,
                self.taxonomy,
                round=max(2, last_round + 1),
            )
            self._store.add_batches(self.name, fresh)
        apart = None
        if models:
            modelled = self._modelled(answers, on_progress)
            apart = _records(differences(settled, **modelled))
        sent = self.minutes
        counts = labels.groupby(["culture", "state"]).size().to_dict()
        cultures = set(labels["culture"])
        return SettleResult(
            self.name,
            tuple(rows),
            {
                one.code: {state: int(counts.get((one.code, state), 0)) for state in STATES}
                for one in self.design.cultures
                if one.code in cultures
            },
            tuple(
                NextBatch(one.id, one.round, one.memes, one.cultures, one.answers) for one in fresh
            ),
            apart,
            len(settled.needs),
            tuple(one.id for one in before if one.round > 1 and one.id not in sent),
            last_round,
            labels,
            answers,
        )

    def status(self, *, wage: str = "") -> StatusResult:
        """How far the survey is: answers wanted, in and retained; ties; money spent and owed.

        Money is counted from what the service's export says of each submission.

        Args:
            wage: pay an hour; else as memeloc.toml has it.
        """
        checked = self._checked()
        settled = settle_answers(
            checked.answers(lambda number: number > 0),
            self.taxonomy,
            self._settling({}),
            wanted=self._wanted(),
        )
        rates = read_rates(self.settings("prolific"), {"wage": wage})
        minutes, rewards = self.minutes, None
        if minutes:
            longest = max(minutes.values())
            rewards = {
                one.id: reward_for(minutes.get(one.batch, longest), rates) for one in checked.sheets
            }
        last = self._closed_round()
        status = survey_status(
            checked.sheets,
            checked.submissions,
            checked.report,
            settled=settled,
            participants=self._store.participants(self.name),
            rewards=rewards,
            fee=rates.fee,
            closed={sheet.id for sheet in checked.sheets if sheet.round <= last},
        )
        return StatusResult(**vars(status), survey=self.name, currency=rates.currency)

    def _checked(self, rules: Rules | None = None) -> _Checked:
        """Check what is there by now; by the last rules, or memeloc.toml's, by default."""
        if rules is None:
            last = self._store.check(self.name)
            rules = self._rules({}, ()) if last is None else read_rules(last[0])
        sheets, submissions = self.sheets, self.submissions
        people = self._store.participants(self.name)
        report = check_submissions(submissions, sheets, people, rules)
        self._store.add_check(self.name, rules.model_dump(mode="json"), report.as_json())
        return _Checked(rules, report, sheets, submissions)

    def _rules(self, changed: Mapping[str, Any], without: Sequence[str]) -> Rules:
        values: dict[str, Any] = dict(self.settings("check"))
        off = {rule: {"on": False} for rule in without}
        for rule, settings in (*off.items(), *changed.items()):
            values[rule] = {**values.get(rule, {}), **settings}
        return read_rules(values)

    def _settling(self, changed: Mapping[str, Any]) -> Settling:
        values = {"answers": self.design.answers, **self.settings("settle"), **changed}
        return read_settling(values)

    def _wanted(self) -> list[tuple[str, str]]:
        """Every meme and culture that a label is wanted of."""
        return sorted(
            {
                (meme, code)
                for batch in self.batches
                if batch.round > 0
                for meme in batch.memes
                for code in batch.cultures
            }
        )

    def _closed_round(self) -> int:
        """The last round of which nothing more comes; 0 for none."""
        return int(self.state(_CLOSED).get("round", 0))

    def _close(self, checked: _Checked) -> None:
        """Note the rounds that something came of: nothing more comes of them."""
        came = {submission.sheet for submission in checked.submissions}
        rounds = [sheet.round for sheet in checked.sheets if sheet.id in came]
        self.put_state(_CLOSED, "round", max([self._closed_round(), *rounds]))

    def _pending(self, checked: _Checked) -> dict[tuple[str, str], int]:
        """Answers that are still to come, from open places of sheets."""
        closed = self._closed_round()
        came = Counter(one.sheet for one in checked.submissions if one.status == COMPLETE)
        pending: dict[tuple[str, str], int] = defaultdict(int)
        for sheet in checked.sheets:
            places = sheet.wanted - came[sheet.id]
            if sheet.round <= closed or places <= 0:
                continue
            for entry in sheet.entries:
                if not isinstance(entry, Check):
                    pending[entry.meme_id, sheet.culture.code] += places
        return dict(pending)

    def _modelled(self, answers: pd.DataFrame, on_progress: OnProgress) -> dict[str, pd.DataFrame]:
        """The labels of each model of annotators; cultures are modelled apart."""
        parts = [part for _, part in answers.groupby("culture", sort=True)] or [answers]
        modelled = {}
        for method in METHODS:
            tables = []
            for part in parts:
                tables.append(aggregate(part, self.taxonomy, method, seed=self.design.seed))
                on_progress(1, len(METHODS) * len(parts))
            modelled[method.replace("-", "_")] = pd.concat(tables, ignore_index=True)
        return modelled


def _records(table: pd.DataFrame) -> tuple[Mapping[str, Any], ...]:
    """The rows of a table by column."""
    return tuple(
        {str(name): value for name, value in row.items()} for row in table.to_dict(orient="records")
    )
