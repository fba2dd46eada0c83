"""Sheets out. In: a stored survey, a target. Out: the target's files, forms or drafts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.design import preannotation
from memeloc.survey.design.build import PREANNOTATION, build
from memeloc.survey.design.planning import longest, plan, read_rates
from memeloc.survey.serving import read_serve_settings
from memeloc.survey.targets.protocol import (
    Prelabels,
    SheetsToSend,
    disagree,
    refuse_other_kinds,
    refuse_prelabels,
)
from memeloc.survey.texts import readers
from memeloc.workspace.serving import SurveyServer
from memeloc.workspace.sheets_to_send import note_texts, sheets_to_send, stale_pictures
from memeloc.workspace.stored_survey import (
    PRELABELS,
    Agree,
    OnProgress,
    StoredSurvey,
    SurveyState,
    offering,
    recruiter,
)
from memeloc.workspace.survey_building import BuildResult, build_result
from memeloc.workspace.survey_labels import SurveyLabels
from memeloc.workspace.survey_memes import changed_pictures


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What went out.

    Attributes:
        survey, target: their names; `sheets` are ids.
        minutes: that people read a sheet takes; `measured` is why they are more than was asked for:
            what retained people took, 0 if they took no longer.
        files: those that a person opens or uploads first.
        pushed: what was made at the service, or would be, a row a sheet.
        english: by language, how many texts are in English for want of a translation.
        changed: finished memes whose picture is another one since the survey was built; the one
            that it was built of went out.
        stale: memes and languages whose picture shows an earlier caption.
        warnings: what about the study people do not read anywhere, a sentence each.
        read_by: by language, the native speakers who have read the texts that ship in it.
        known: ids of the sheets that stay here, as they ask about what is known by now.
        missing: what keeps people from being sent to the sheets, and the command that completes it.
    """

    survey: str
    target: str
    sheets: tuple[str, ...]
    minutes: int
    measured: int
    files: tuple[Path, ...]
    pushed: tuple[Mapping[str, Any], ...]
    english: Mapping[str, int]
    stale: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    read_by: Mapping[str, tuple[str, ...]]
    changed: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class SurveySheets:
    """Sheets of a survey."""

    def __init__(self, survey: StoredSurvey) -> None:
        self.survey = survey
        self.labels = SurveyLabels(survey)
        self.answers = self.labels.answers

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
        on_progress: OnProgress = lambda more, total: None,
    ) -> ExportResult:
        """Write the sheets for a target, or make them at its service.

        Args:
            contact: whom annotators may ask, as they read it; empty for memeloc.toml's, or that of
                the last export.
            pictures: the folder that rendering made.
            out: where to; surveys/NAME/TARGET in the working directory by default.
            cultures: codes; all by default.
            round: batches of which round, or `all`; the newest by default.
            minutes: that a sheet takes; 0 takes what people were given before, or works it out.
                Never less than retained people took, so that nobody is paid below the wage.
            push: make forms or drafts at the service, instead of files; a `dry_run` only returns
                what it would make, `publish` also publishes what costs money.
            agree: is given the costs as a sentence before; only True goes on.
            on_progress: counts examples that are rendered and sheets that are written.

        Raises:
            InputError: a picture or the contact is missing, or the target cannot show a sheet.
            MissingError: a package or credentials for the service are missing.
            ServiceError: the service refused, or could not be reached.
        """
        folder = Path("surveys") / self.survey.name / target if out is None else Path(out)
        pictures = Path(pictures)
        made_by = self.survey.target(target, options)
        refuse_other_kinds(made_by, self.survey.taxonomy)
        if not made_by.shows_prelabels:
            refuse_prelabels(target, self.survey.name, self.prelabels)
        if push and not made_by.offers("push"):
            names = " or ".join(offering("push"))
            raise InputError(f"{target} makes nothing at a service; --push goes to {names}")
        if not push and folder.exists() and not folder.is_dir():
            raise InputError("is a file; name a folder by --out", file=folder)
        if not push and folder.resolve() == pictures.resolve():
            raise InputError("has the pictures in it; name another folder by --out", file=folder)
        rounds = self._rounds(str(round))
        sent = tuple(f"{batch.id}-" for batch in self.survey.batches if batch.round in rounds)
        known = self.labels.known_sheets(keep=not dry_run)
        known = tuple(sheet for sheet in known if sheet.startswith(sent))
        to_send, measured = self.prepare(
            contact=contact,
            pictures=pictures,
            cultures=cultures,
            rounds=rounds,
            minutes=minutes,
            known=known,
            dry_run=dry_run,
            on_progress=on_progress,
        )
        to_send = replace(to_send, prelabels=self.prelabels)
        parts = len(to_send.examples) + len(to_send.sheets)
        pushed: Sequence[Mapping[str, Any]] = ()
        files: Sequence[Path] = ()
        if push:
            state = SurveyState(self.survey, target)
            pushed = made_by.push(to_send, state, dry_run=dry_run, publish=publish, agree=agree)
        else:
            files = made_by.export(to_send, folder, on_sheet=lambda: on_progress(1, parts))
            if (codes := getattr(made_by, "codes", None)) is not None:
                self.survey.put_state(target, "codes", codes)
        english = {
            tag: len(texts.lacking(self.survey.taxonomy)) for tag, texts in to_send.texts.items()
        }
        return ExportResult(
            self.survey.name,
            target,
            tuple(sheet.id for sheet in to_send.sheets),
            to_send.minutes,
            measured,
            tuple(files),
            tuple(pushed),
            {tag: count for tag, count in english.items() if count},
            stale_pictures(self.survey, to_send),
            tuple(
                self.survey.workspace.settings.study.warnings(tuple(to_send.texts), to_send.contact)
            ),
            {tag: readers(tag) for tag in to_send.texts},
            changed_pictures(self.survey),
            known,
            tuple(made_by.missing(to_send)),
        )

    def prepare(
        self,
        *,
        contact: str = "",
        pictures: Path,
        cultures: Sequence[str] = (),
        rounds: Sequence[int],
        minutes: int = 0,
        known: Collection[str] = (),
        dry_run: bool = False,
        on_progress: OnProgress = lambda more, total: None,
    ) -> tuple[SheetsToSend, int]:
        """The sheets of some rounds with all that people see, noted as what goes out.

        And the minutes that retained people took, where they are more than `minutes`, else 0.
        Sheets that are `known` are left out; nothing is noted of a `dry_run`.

        Raises:
            InputError: a picture or the contact is missing, or nothing is left to go out.
        """
        contact = contact.strip() or self.survey.workspace.settings.study.contact.strip()
        contact = contact or str(self.survey.state("export").get("contact", ""))
        if not contact:
            raise InputError(
                "Name whom annotators may ask, as they read it: --contact ADDRESS, or contact "
                "under [study] in memeloc.toml"
            )
        design = self.survey.design
        people = [design.culture(code) for code in cultures] or list(design.cultures)
        batches = [batch for batch in self.survey.batches if batch.round in rounds]
        codes = {culture.code for culture in people}
        wanted = {f"{batch.id}-{code}" for batch in batches for code in codes & {*batch.cultures}}
        if wanted <= set(known):
            raise InputError(
                f"Nothing goes out: these sheets of {self.survey.name} ask about what is known by "
                f"now. memeloc survey settle {self.survey.name} says what is open, and plans it "
                "anew with --next; --round sends the sheets of another round."
            )
        parts = len(people) * len(self.survey.taxonomy.examples) + len(wanted)
        given = self.survey.minutes
        measured, paces = 0, self.answers.paces()
        if not minutes and all(batch.id in given for batch in batches):
            minutes = max((given[batch.id] for batch in batches), default=0)
        elif minutes:
            measured = longest(batches, people, paces)
            measured = measured if measured > minutes else 0
            minutes = max(minutes, measured)
        prepared = sheets_to_send(
            self.survey,
            people,
            rounds,
            pictures=pictures,
            contact=contact,
            minutes=minutes,
            paces=paces,
            on_example=lambda: on_progress(1, parts),
        )
        to_send = self.survey.with_state(prepared)
        to_send = replace(
            to_send, sheets=tuple(row for row in to_send.sheets if row.id not in known)
        )
        if dry_run:
            return to_send, measured
        self.survey.put_state("export", "contact", contact)
        for batch_id in {sheet.batch for sheet in to_send.sheets}:
            self.survey.put_state("minutes", batch_id, to_send.minutes)
        note_texts(self.survey, to_send)
        return to_send, measured

    @property
    def prelabels(self) -> Prelabels | None:
        """What a model answered about the memes, where people are to see it."""
        shown = self.survey.state(PRELABELS).get("labels")
        return None if shown is None else Prelabels(shown["model"], shown["memes"])

    def _rounds(self, wanted: str) -> tuple[int, ...]:
        rounds = self.survey.rounds
        if not wanted:
            return (self.survey.last_round,)
        if wanted == "all":
            return rounds
        if not wanted.isdecimal() or int(wanted) not in rounds:
            known = ", ".join(map(str, rounds))
            raise InputError(
                f"{self.survey.name} has no round {wanted[:20]!r}; it has {known}, or all."
            )
        return (int(wanted),)

    def plan(
        self, rates: Mapping[str, object] | None = None, *, seconds: float | None, loss: float
    ) -> dict[str, Any]:
        """What the survey takes: people, minutes and money by culture.

        `rates` are `wage`, `currency`, `fee` and `vat`, else as memeloc.toml has them; a meme takes
        `seconds`, else what the culture's retained people took so far; `loss` is the share that
        checks exclude.
        """
        return plan(
            self.survey.batches,
            self.survey.design,
            read_rates(self.survey.settings(recruiter()), rates or {}),
            paces=self.answers.paces(),
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
        if PREANNOTATION not in self.survey.rounds:
            raise InputError(
                f"{self.survey.name} has no pre-annotation; build it with --preannotate."
            )
        answers = self.answers.checked().answers(lambda number: number == PREANNOTATION)
        outcomes = preannotation.outcomes(
            list(zip(answers["item"], answers["label"], strict=True)),
            self.survey.memes,
            self.survey.taxonomy,
            fewest_votes=fewest_votes,
        )
        memes = preannotation.choose(
            outcomes, self.survey.memes, wanted, seed=self.survey.design.seed
        )
        chosen = {meme: self.survey.memes[meme] for meme in memes}
        batches = build(chosen, self.survey.design, self.survey.taxonomy)
        new = self.survey.store.add_batches(self.survey.name, batches)
        there = Counter(outcomes.values())
        taken = {str(kind): (wanted[kind], there[kind]) for kind in preannotation.KINDS}
        return build_result(self.survey, batches, chosen, new, outcomes=taken)

    def look_up(self, out: Path | None = None) -> Mapping[str, Any]:
        """Look up the ids of the recruitment service's filters that the cultures need.

        They are kept in `out`; in the workspace's file by default.

        Raises:
            MissingError: the service's token is missing.
            ServiceError: the service cannot be reached.
        """
        target = self.survey.target(next(offering("look_up")))
        return target.look_up(
            self.survey.design.cultures, self.survey.workspace.root or Path(), out
        )

    def serve(
        self,
        *,
        contact: str = "",
        pictures: str | Path = "out",
        cultures: Sequence[str] = (),
        settings: Mapping[str, Any] | None = None,
        on_progress: OnProgress = lambda more, total: None,
    ) -> SurveyServer:
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
        refuse_prelabels("a server", self.survey.name, self.prelabels)
        known = self.labels.known_sheets()
        chosen = read_serve_settings({**self.survey.settings("serve"), **(settings or {})})
        to_send, _ = self.prepare(
            contact=contact,
            pictures=Path(pictures),
            cultures=cultures,
            rounds=self.survey.open_rounds,
            on_progress=on_progress,
        )
        # Who is at a sheet that asks for what is known by now may end it; nobody begins it.
        sheets = [replace(row, wanted=0) if row.id in known else row for row in to_send.sheets]
        to_send = replace(to_send, sheets=tuple(sheets))
        return SurveyServer(self.survey, to_send, chosen, self.answers)
