"""Correcting. In: a workspace, the sheets that people send back. Out: sheets, captions, reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memeloc.correct.checks import CaptionWarning
from memeloc.correct.lost_rows import complete
from memeloc.correct.model import Comment
from memeloc.correct.placing import PlacedAnswer, identify, place
from memeloc.correct.report import Judgement, PostEdit, Report, make_report, report_page
from memeloc.correct.row_report import row_results, write_row_report
from memeloc.correct.sharing import Share
from memeloc.correct.sheets import read_sheet, suffix_of, write_sheet
from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.model import Locale
from memeloc.store.captions.sheets import Only
from memeloc.store.records import ACCEPTING, FileRecord, Kind, SheetRecord
from memeloc.workspace.correcting.cases import Cases
from memeloc.workspace.correcting.checking import caption_warnings, language_warnings
from memeloc.workspace.correcting.comparing import ComparedAnswer, compared
from memeloc.workspace.correcting.sheets import make_sheet
from memeloc.workspace.part import Part
from memeloc.workspace.survey_texts import store_shipped_texts, survey_text_ids

_FILES = {"caption": "", "transcript": "transcripts-", "survey": "survey-"}


@dataclass(frozen=True, slots=True)
class SheetExport:
    """A sheet that went out: how many texts it has, its file (None without texts), the language.

    `archive` is the sheet with its pictures, where the file itself holds none; `left_out` are texts
    that the person has answered in another round.
    """

    texts: int
    file: Path | None
    language: str
    archive: Path | None = None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class SheetImport:
    """What became of a sheet that came back.

    Attributes:
        seen_before: whether this very file had been imported; nothing is stored then.
        outcomes: how many answers came to each outcome.
        answers: those of which there is more to say than that they were placed.
        problems: rows that could not be read.
        warnings: about the texts that were placed, or wait to be settled.
        left_out: how many rows and answers are not in the workspace.
        report: the table of what became of each row, if it was asked for.
        earlier: transcripts that were read in a picture that is another by now: the answers are
            kept with that picture's, and count no more.
    """

    file: Path
    seen_before: bool
    outcomes: Mapping[str, int]
    answers: Sequence[PlacedAnswer]
    problems: Sequence[InputError]
    warnings: Sequence[CaptionWarning]
    left_out: int
    report: Path | None = None
    earlier: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SheetStatus:
    """A sheet that is out, and how many of its texts came back or wait to be settled."""

    sheet: str
    kind: str
    language: str
    round: int
    person: str
    file: str
    sent: int
    answered: int
    corrected: int
    to_settle: int


@dataclass(frozen=True, slots=True)
class CorrectionStatus:
    """What is out with whom, and how many texts wait to be settled."""

    sheets: Sequence[SheetStatus]
    to_settle: int


@dataclass(frozen=True, slots=True)
class CaptionCheck:
    """How many texts were looked at, and what they should be looked at for."""

    texts: int
    warnings: Sequence[CaptionWarning]


class Correcting(Part):
    """Having people correct the captions: sheets out, answers in, differences settled."""

    @cached_property
    def cases(self) -> Cases:
        """What is to be settled."""
        return Cases(self._workspace)

    def export_sheet(
        self,
        language: str,
        *,
        person: str = "",
        round_: int = 1,
        format: str = "xlsx",
        kind: Kind = "caption",
        only: Only = "new",
        ids: Sequence[str] | None = None,
        share: str = "",
        allow_same_person: bool = False,
        taxonomy: str = "",
        out: Path | None = None,
        pictures: bool = True,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> SheetExport:
        """Write a sheet of captions for one person to correct.

        Args:
            person: who gets it; stays with every answer.
            round_: of correction; 2 shows the result of 1.
            format: a name of `memeloc.correct.sheets.FORMATS`.
            only: which texts, see `Only`.
            ids: only these memes (of the texts of surveys, their names), whatever `only` says.
            share: `1/2` and the like: only these, see `memeloc.correct.sharing`.
            allow_same_person: do not leave out what the person has answered in another round.
            taxonomy: of the texts of surveys, only this one's and those of every survey.
            out: the file; None is LANG-rROUND-NAME.KIND in the working directory. What somebody
                has changed there stays, see `memeloc.sheets.write_sheet`.
            pictures: show each meme with the text to be corrected.

        Raises:
            InputError: the person has answered all of it in another round, or a caption that was
                unclaimed has gone out to somebody else in the meantime.
        """
        suffix = suffix_of(format)
        locale = self._workspace.locale(language)
        if kind == "survey":
            shipped = store_shipped_texts(self._store, [locale], taxonomy)
            ids = shipped if ids is None else survey_text_ids(ids)
            only = only if ids is shipped else "all"
        elif ids is not None:
            only = "all"
        items = self._store.sheets.to_correct(
            locale.tag,
            round_,
            person,
            only=only,
            meme_ids=ids,
            kind=kind,
            share=Share.parse(share) if share else None,
        )
        own = [item for item in items if item.own_rounds and not allow_same_person]
        if own and len(own) == len(items):
            raise InputError(
                f"{person} has answered all {len(own):,} of these in round "
                f"{own[0].own_rounds[0]}, and another round is for somebody else: export it for "
                "another person, or with --allow-same-person."
            )
        items = [item for item in items if allow_same_person or not item.own_rounds]
        if not items:
            return SheetExport(0, None, locale.tag)
        name = f"{locale.tag}-{_FILES[kind]}r{round_}{f'-{person}' if person else ''}"
        path = out or Path(name + suffix)
        sheet = make_sheet(
            self._workspace,
            items,
            locale,
            round_,
            person,
            kind,
            pictures=pictures,
            on_progress=on_progress,
        )

        def store(place: Path) -> None:
            # Before the file is there: no sheet is in people's hands that is not known here.
            self._store.sheets.add(
                SheetRecord(
                    id=sheet.id,
                    language=locale.tag,
                    source_language=sheet.source_language.tag,
                    round=round_,
                    person=person,
                    created=sheet.created,
                    format=format,
                    name=place.name,
                    kind=kind,
                ),
                [(item.meme_id, item.source.id, item.base.id) for item in items],
                unclaimed=only == "unclaimed",
            )

        file, archive = write_sheet(sheet, path, format, before=store)
        return SheetExport(len(items), file, locale.tag, archive, len(own))

    def import_sheet(
        self,
        path: str | Path,
        *,
        language: str = "",
        round_: int = 0,
        person: str = "",
        allow_same_person: bool = False,
        dry_run: bool = False,
        report: bool = False,
    ) -> SheetImport:
        """Take back a sheet that a person filled in, in one transaction.

        Each answer is placed, already known, kept to be settled, or refused. The same file twice
        changes nothing. Nothing that anybody typed is overwritten.

        Args:
            language, round_, person: what is known of it where the file has lost it.
            allow_same_person: else what the person has answered in another round, too, is a case.
            dry_run: say what would become of it, and store nothing.
            report: write a table of what became of each row beside the file, for the person.

        Raises:
            InputError: the file cannot be read, or it is not clear which sheet it is.
        """
        path = Path(path)
        answers = read_sheet(path)
        sheet = identify(
            answers,
            self._store.sheets.sent(answers.sheet),
            language=self._workspace.locale(language).tag if language else "",
            round_=round_,
            person=person,
        )
        answers = complete(answers, sheet)
        added = self._store.corrections.add(
            FileRecord("answers", answers.file.name, answers.sha256, len(answers.answers)),
            sheet.id,
            lambda known: place(
                answers,
                known.sheet,
                known.memes,
                person=person,
                allow_same_person=allow_same_person,
            ),
            also={answer.meme_id for answer in answers.answers},
            dry_run=dry_run,
        )
        corrected = [
            (answer.meme_id, answer.parts)
            for answer in added.answers
            if answer.outcome in (*ACCEPTING, "case") and answer.status == "corrected"
        ]
        locale = self._workspace.locale(sheet.language)
        warnings = caption_warnings(self._workspace, corrected, locale)
        written = None
        if report and not added.seen:
            written = write_row_report(row_results(answers, added.answers, warnings), path)
        return SheetImport(
            file=path,
            seen_before=added.seen,
            outcomes=dict(added.outcomes.most_common()),
            answers=[
                answer for answer in added.answers if answer.outcome != "placed" or answer.message
            ],
            problems=answers.problems,
            warnings=warnings,
            left_out=len(answers.problems) + added.outcomes["refused"],
            report=written,
            earlier=self._of_earlier_pictures(sheet.kind, added.answers),
        )

    def _of_earlier_pictures(self, kind: str, answers: Sequence[PlacedAnswer]) -> list[str]:
        if kind != "transcript":
            return []
        now = {transcript.meme_id for transcript in self._store.transcripts.all().values()}
        return [answer.meme_id for answer in answers if answer.meme_id not in now]

    def status(self) -> CorrectionStatus:
        """What is out with whom, what came back, and what is left to settle."""
        answered: Counter[str] = Counter()
        corrected: Counter[str] = Counter()
        for correction in self._store.corrections.find():
            if correction.standing:
                answered[correction.sheet_id] += 1
                corrected[correction.sheet_id] += correction.status == "corrected"
        to_settle = self._store.cases.open_counts()
        sheets = [
            SheetStatus(
                sheet=sheet.id,
                kind=sheet.kind,
                language=sheet.language,
                round=sheet.round,
                person=sheet.person,
                file=sheet.name,
                sent=len(self._store.sheets.texts(sheet.id)),
                answered=answered[sheet.id],
                corrected=corrected[sheet.id],
                to_settle=to_settle[sheet.kind, sheet.language, sheet.round],
            )
            for sheet in self._store.sheets.find()
        ]
        return CorrectionStatus(sheets, to_settle.total())

    def check(
        self, languages: Sequence[str] | None = None, *, kind: Kind = "caption"
    ) -> CaptionCheck:
        """Look at captions as they stand: each by itself, and beside the others of its language."""
        total, warnings = 0, list[CaptionWarning]()
        for locale in self._workspace.locales_of(languages):
            texts, about = language_warnings(self._workspace, locale, kind)
            total += texts
            warnings += about
        return CaptionCheck(total, warnings)

    def compare(
        self,
        languages: Sequence[str] | None = None,
        *,
        meme_ids: Sequence[str] | None = None,
        changed: bool = False,
        kind: Kind = "caption",
    ) -> list[ComparedAnswer]:
        """Who changed what, caption by caption; in every language with answers by default.

        A comment without an answer has a row, too. With `changed`, only answers that changed
        something.
        """
        judgements = self._judgements(languages, kind)
        return [
            row
            for row in compared(judgements, self._comments(languages, kind))
            if (not meme_ids or row.meme_id in meme_ids)
            and not (changed and row.before == row.after)
        ]

    def report(
        self,
        languages: Sequence[str] | None = None,
        *,
        kind: Kind = "caption",
        to: Path | None = None,
    ) -> Report:
        """What correction taught: how much was touched, by whom, how far, and what most often.

        In every language with answers by default; `to` is an HTML file to write, too.
        """
        report = make_report(
            self._judgements(languages, kind),
            self._post_edits(languages, kind),
            self._comments(languages, kind),
        )
        if to is not None:
            tags = {row.language for row in report.rows} | {row.language for row in report.comments}
            locales = {tag: self._workspace.locale(tag) for tag in tags}
            with replacing(to) as temporary:
                temporary.write_text(report_page(report, locales), encoding="utf-8")
        return report

    def _judgements(self, languages: Sequence[str] | None, kind: Kind) -> Iterator[Judgement]:
        """Everybody's standing answers, beside what their sheets showed."""
        for locale in self._answered(languages, kind):
            for answer in self._store.comparisons.standing(locale.tag, kind):
                yield Judgement(
                    meme_id=answer.meme_id,
                    locale=locale,
                    round=answer.round,
                    person=answer.person,
                    status=answer.status,
                    before=answer.base,
                    after=answer.parts,
                    comment=answer.comment,
                    created=answer.created_at,
                )

    def _post_edits(self, languages: Sequence[str] | None, kind: Kind) -> Iterator[PostEdit]:
        for locale in self._answered(languages, kind):
            for row in self._store.comparisons.machine_and_final(locale.tag, kind):
                yield PostEdit(locale, row.machine, row.final)

    def _comments(self, languages: Sequence[str] | None, kind: Kind) -> Iterator[Comment]:
        for locale in self._answered(languages, kind):
            yield from self._store.corrections.comments(locale.tag, kind)

    def _answered(self, languages: Sequence[str] | None, kind: Kind) -> list[Locale]:
        """The languages with answers, of these or of all."""
        tags = self._store.comparisons.languages(kind)
        if languages is None:
            return [self._workspace.locale(tag) for tag in tags]
        return [each for each in self._workspace.locales_of(languages) if each.tag in tags]
