"""One survey. In: its name. Out: `Survey`, whose methods are the steps from sheets to labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict

from memeloc.errors import InputError
from memeloc.survey.design import preannotation
from memeloc.survey.design.build import build
from memeloc.survey.design.pay import read_rates
from memeloc.survey.design.planning import SurveyPlan, plan
from memeloc.survey.labels.models import (
    METHODS,
    QuestionAgreement,
    aggregate,
    differences,
    survey_agreement,
)
from memeloc.survey.labels.progress import SurveyStatus, survey_status
from memeloc.survey.labels.settling import (
    STATES,
    Settled,
    Unsettled,
    as_json,
    beside_labels,
    people_table,
    to_discuss,
)
from memeloc.survey.quality.checking import retained
from memeloc.survey.rewards import Shortfall
from memeloc.survey.serving import read_serve_settings
from memeloc.survey.targets.protocol import LookedUp, Lookup, refuse_prelabels
from memeloc.workspace.serving import ServedSurvey
from memeloc.workspace.surveys.analyzing import Analyzing
from memeloc.workspace.surveys.building import BuildResult, build_result
from memeloc.workspace.surveys.collected import changed_pictures
from memeloc.workspace.surveys.deciding import Deciding
from memeloc.workspace.surveys.exporting import Exporting
from memeloc.workspace.surveys.importing import Importing
from memeloc.workspace.surveys.labelling import Labelling
from memeloc.workspace.surveys.stored import CLOSED, Frame, OnProgress, offering, recruiter
from memeloc.workspace.surveys.teams import (
    assigned_to,
    next_batches,
    note_assigned,
    team_of,
    team_sheets,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class NextBatch:
    """A batch of what is open; see `memeloc.survey.model.Batch`."""

    batch: str
    round: int
    memes: tuple[str, ...]
    cultures: tuple[str, ...]
    answers: int


@dataclass(frozen=True)
class SettleResult:
    """The labels by now.

    Attributes:
        labels: a row for each meme and culture, with the votes.
        states: by culture, how many labels are in each of `settling.STATES`.
        next: the batches that were made of what is open.
        discuss: what is open, and nobody more is asked about: for a discussion.
        differences: where Dawid-Skene or MACE differ from the majority; None when not asked for.
        to_ask: labels that are open and need more answers than open places can give.
        places: how many people are to be asked about these in the next round.
        cost: what these are paid, fee and tax included; None where no pay is named, by a wage in
            memeloc.toml or by a study at the recruitment service.
        withdrawn: ids of the sheets that were planned, and ask for more than is needed by now.
        unsent: batches of further rounds that never went out.
        texts: how many corrected texts became the transcripts of their finished memes.
        last_round: the newest round there was before.
        table: the labels, a row an item and culture; see `settling.Settled`, and a column for each
            further question, see `further.beside_labels`; of finished memes `picture`, its SHA-256.
        answers: the retained answers, a row each, and memes that could not be shown; see
            `settling.answers_table`.
        people: what is known of the retained people; see `people_table`.
    """

    __pydantic_config__ = ConfigDict(arbitrary_types_allowed=True)

    survey: str
    labels: tuple[Mapping[str, Any], ...]
    states: Mapping[str, Mapping[str, int]]
    next: tuple[NextBatch, ...]
    discuss: tuple[Unsettled, ...]
    differences: tuple[Mapping[str, Any], ...] | None
    to_ask: int
    places: int
    cost: SurveyPlan | None
    withdrawn: tuple[str, ...]
    unsent: tuple[str, ...]
    texts: int
    last_round: int
    table: Frame
    answers: Frame
    people: Frame


@dataclass(frozen=True)
class StatusResult(SurveyStatus):
    """How far the survey `survey` is; money in `currency`.

    Sheets that took longer than promised are `shortfalls`; `agreement` is how far those who are
    retained agree, by culture and question; `changed` are finished memes whose picture is another
    one since the survey was built, so that all answers are about the earlier one.
    """

    survey: str = ""
    currency: str = ""
    shortfalls: tuple[Shortfall, ...] = ()
    agreement: tuple[QuestionAgreement, ...] = ()
    changed: tuple[str, ...] = ()


class Survey(Exporting, Importing, Deciding, Labelling, Analyzing):
    """A survey of the workspace, by its name.

    Raises:
        InputError: there is no survey of that name.
    """

    def plan(
        self, rates: Mapping[str, object] | None = None, *, seconds: float | None, loss: float
    ) -> SurveyPlan:
        """What the survey takes: people, minutes and money by culture.

        `rates` are `wage`, `currency`, `fee` and `vat`, else as memeloc.toml has them; a meme takes
        `seconds`, else what the culture's retained people took so far; `loss` is the share that
        checks exclude.
        """
        return plan(
            self.batches,
            self.design,
            read_rates(self.settings(recruiter()), rates or {}),
            paces=self.paces(),
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
        """Choose a balanced set by the pre-annotation, and assign it to the survey's batches.

        It has `total` memes, in these shares of the outcomes; without `fewest_votes` a meme is not
        chosen.

        Raises:
            InputError: there was no pre-annotation, or there are not enough memes.
        """
        wanted = preannotation.balance(total, harmful, harmless, tied)
        if preannotation.ROUND not in self.rounds:
            raise InputError(f"{self.name} has no pre-annotation; build it with --preannotate.")
        answers = self.checked().answers(lambda number: number == preannotation.ROUND)
        outcomes = preannotation.outcomes(
            list(zip(answers["item"], answers["label"], strict=True)),
            self.memes,
            self.taxonomy,
            fewest_votes=fewest_votes,
        )
        memes = preannotation.choose(outcomes, self.memes, wanted, seed=self.design.seed)
        chosen = {meme: self.memes[meme] for meme in memes}
        batches = build(chosen, self.design, self.taxonomy)
        new = self._store.add_batches(self.name, batches)
        there = Counter(outcomes.values())
        taken = {str(kind): (wanted[kind], there[kind]) for kind in preannotation.KINDS}
        return build_result(self.name, batches, chosen, new, outcomes=taken)

    def look_up(self, out: Path | None = None) -> LookedUp:
        """Look up the ids of the recruitment service's filters that the cultures need.

        They are kept in `out`; in the workspace's file by default.

        Raises:
            MissingError: the service's token is missing.
            ServiceError: the service cannot be reached.
        """
        target = self.target(next(offering(Lookup)))
        assert isinstance(target, Lookup)
        return target.look_up(self.design.cultures, self.workspace.root or Path(), out)

    def settle(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        close: bool = False,
        next_round: bool = False,
        models: bool = False,
        on_progress: OnProgress = lambda more, total: None,
    ) -> SettleResult:
        """Settle the retained answers into one label a meme and culture.

        Sheets that an earlier settling planned, and that ask for what is known by now, are
        withdrawn where they never went out.

        Args:
            settings: of `Settling`, such as `{"most": 9}`; before memeloc.toml's.
            close: whether nothing more comes for sheets that are out.
            next_round: whether batches are made of memes that are short of answers or tied, less
                the places that are still open.
            models: whether Dawid-Skene and MACE stand beside the majority.
            on_progress: counts the models of a culture.

        Raises:
            InputError: there is no such setting.
            MissingError: models are asked for, and crowd-kit is not installed.
        """
        checked, settling = self.checked(), self.settling(settings or {})
        answers = checked.answers(lambda number: number > 0)
        if close:
            came = {submission.sheet for submission in checked.submissions}
            rounds = [sheet.round for sheet in checked.sheets if sheet.id in came]
            self.put_state(CLOSED, "round", max([self._closed_round(), *rounds]))
        last_round, standing = self.last_round, self.standing(checked, settling)
        settled, further, needs = standing.settled, standing.further, standing.needs
        rows, labels = settled.as_json(), settled.table
        if checked.questions:
            labels = beside_labels(labels, further, self.taxonomy)
            values = as_json(further)
            for row in rows:
                row["further"] = values.get((row["item"], row["culture"]), {})
        if self.pictures:
            labels = labels.assign(picture=labels["item"].map(self.pictures))
            for row in rows:
                row["picture"] = self.pictures[row["item"]]
        self._store.add_result(self.name, "labels", settling.model_dump(mode="json"), rows)
        texts = self.note_texts(further)
        before = self.batches
        fresh, assigned = next_batches(self, needs, round=max(2, last_round + 1))
        asked_again = standing.coming.union(
            (meme, code) for batch in fresh for meme in batch.memes for code in batch.cultures
        )
        service = self.settings(recruiter())
        is_paid = bool(fresh) and ("wage" in service or bool(self.state(recruiter())))
        if next_round and fresh:
            note_assigned(self, assigned)
            self._store.add_batches(self.name, fresh)
        discuss = to_discuss(standing.open_questions, asked_again)
        places = sum(len(batch.cultures) * batch.answers for batch in fresh)
        left = {"to_ask": 0 if next_round else places, "discuss": len(discuss)}
        self.workspace.store.progress.note("settled", {self.name: left})
        sent = self.minutes
        counts = labels.groupby(["culture", "state"]).size().to_dict()
        cultures = set(labels["culture"])
        return SettleResult(
            self.name,
            tuple(rows),
            {
                culture.code: {state: int(counts.get((culture.code, state), 0)) for state in STATES}
                for culture in self.design.cultures
                if culture.code in cultures
            },
            tuple(
                NextBatch(batch.id, batch.round, batch.memes, batch.cultures, batch.answers)
                for batch in (fresh if next_round else ())
            ),
            discuss,
            self._differences(answers, settled, on_progress) if models else None,
            len(needs),
            places,
            plan(fresh, self.design, read_rates(service), paces=checked.paces(), loss=0)
            if is_paid
            else None,
            standing.withdrawn,
            tuple(batch.id for batch in before if batch.round > 1 and batch.id not in sent),
            texts,
            last_round,
            labels,
            checked.answers(lambda number: number > 0, not_shown=True),
            people_table(
                retained(checked.submissions, checked.report),
                checked.sheets,
                self._store.participants(self.name),
                self.taxonomy,
            ),
        )

    def team(self, people: str | Path | None = None) -> dict[str, Any]:
        """Who of a named team is to fill which sheet, and what came.

        `people` is the team's table, for the names: only hashes are stored.

        Raises:
            InputError: the survey has no named team, or another one than the table's.
        """
        return team_sheets(self, None if people is None else Path(people))

    def status(self, *, wage: str = "") -> StatusResult:
        """How far the survey is: answers wanted, in and retained; ties; money spent and owed.

        Money is counted from what the service's export says of each submission, at the `wage` an
        hour or memeloc.toml's.
        """
        checked = self.checked()
        answers = checked.answers(lambda number: number > 0)
        rates = read_rates(self.settings(recruiter()), {"wage": wage})
        minutes, rewards = self.minutes, None
        if minutes:
            longest = max(minutes.values())
            rewards = {
                sheet.id: rates.reward(minutes.get(sheet.batch, longest))
                for sheet in checked.sheets
            }
        last = self._closed_round()
        status = survey_status(
            checked.sheets,
            checked.submissions,
            checked.report,
            settled=self.settled(answers, self.settling({}))[0],
            participants=self._store.participants(self.name),
            rewards=rewards,
            fee=rates.fee,
            closed={sheet.id for sheet in checked.sheets if sheet.round <= last},
        )
        return StatusResult(
            **vars(status),
            survey=self.name,
            currency=rates.currency,
            shortfalls=self.shortfalls(checked),
            agreement=survey_agreement(answers, self.taxonomy),
            changed=changed_pictures(self),
        )

    def serve(
        self,
        *,
        contact: str = "",
        pictures: str | Path = "out",
        cultures: Sequence[str] = (),
        settings: Mapping[str, Any] | None = None,
        on_progress: OnProgress = lambda more, total: None,
    ) -> ServedSurvey:
        """What a server needs to show the sheets of all rounds that are not closed.

        Args:
            contact: whom annotators may ask, as they read it; empty for that of the last export.
            pictures: the folder that rendering made.
            cultures: codes; all by default.
            settings: of `ServeSettings`; before memeloc.toml's.
            on_progress: counts examples that are rendered.

        Raises:
            InputError: a picture or the contact is missing, a setting cannot be, or people are to
                see what a model answered, which pages do not show.
        """
        refuse_prelabels("a server", self.name, self.prelabels)
        known = self.known_sheets()
        chosen = read_serve_settings({**self.settings("serve"), **(settings or {})})
        pack, _ = self.packed(
            contact=contact,
            pictures=Path(pictures),
            cultures=cultures,
            rounds=self.open_rounds,
            on_progress=on_progress,
        )
        # Who is at a sheet that asks for what is known by now may end it; nobody begins it.
        sheets = [replace(row, wanted=0) if row.id in known else row for row in pack.sheets]
        team = (team_of(self), assigned_to(self))
        return ServedSurvey(self, replace(pack, sheets=tuple(sheets)), chosen, self.rules, team)

    @property
    def open_rounds(self) -> tuple[int, ...]:
        """The rounds that more may come of, in order; a pre-annotation until there is another."""
        rounds, closed = self.rounds, self._closed_round()
        return tuple(number for number in rounds if number > closed or rounds == (0,))

    def _differences(
        self, answers: pd.DataFrame, settled: Settled, on_progress: OnProgress
    ) -> tuple[Mapping[str, Any], ...]:
        """Where models of annotators differ from the majority; cultures are modelled apart."""
        import pandas as pd

        parts = [part for _, part in answers.groupby("culture", sort=True)] or [answers]
        modelled = {}
        for method in METHODS:
            tables = []
            for part in parts:
                tables.append(aggregate(part, self.taxonomy, method, seed=self.design.seed))
                on_progress(1, len(METHODS) * len(parts))
            modelled[method.replace("-", "_")] = pd.concat(tables, ignore_index=True)
        rows = differences(settled, **modelled).to_dict(orient="records")
        return tuple({str(name): value for name, value in row.items()} for row in rows)
