"""Correcting. In: a workspace, the sheets that people send back. Out: sheets, captions, reports.

How sheets are filled stands in `memeloc.workspace.correction_sheets`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from memeloc.correct.checks import CaptionWarning, Checked, check
from memeloc.correct.compare import compared
from memeloc.correct.consistency import check_together
from memeloc.correct.glossary import check_terms
from memeloc.correct.model import Answer, Case, Sheet
from memeloc.correct.placing import identify, place
from memeloc.correct.reading import OUTCOME_COLUMNS, answers, outcome_rows, read_sheet, sheet_id
from memeloc.correct.report import Report, make_report, report_page
from memeloc.correct.settling import FORM, Decision, by_rule, case_rows, decisions
from memeloc.correct.sharing import share as shared_out
from memeloc.correct.sheet_form import sheet_form, sheet_rows
from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.model import Caption, Locale, Template
from memeloc.render.typesetting.breaks import clusters
from memeloc.sheets import read_form, write_archive, write_form, write_outcomes
from memeloc.sheets.writing import FORMATS
from memeloc.store.captions.sheets import Only
from memeloc.store.records import ACCEPTING, FileRecord, Kind
from memeloc.store.surveys.survey_texts import ENGLISH, survey_text_key
from memeloc.workspace.correction_sheets import make_sheet
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.part import Part
from memeloc.workspace.survey_texts import store_shipped_texts, survey_text_ids

_FILES = {"caption": "", "transcript": "transcripts-", "survey": "survey-"}
Row = dict[str, Any]
Texts = Mapping[str, tuple[str, ...]]


class Correcting(Part):
    """Having people correct the captions: sheets out, answers in, differences settled."""

    @cached_property
    def cases(self) -> Cases:
        """What is to be settled."""
        return Cases(self._workspace)

    def export_sheets(
        self,
        languages: Sequence[str],
        people: Sequence[str] = ("",),
        *,
        share: bool = False,
        round_: int = 1,
        format: str = "xlsx",
        kind: Kind = "caption",
        only: Only = "new",
        ids: Sequence[str] | None = None,
        allow_same_person: bool = False,
        taxonomy: str = "",
        out: Path | None = None,
        pictures: bool = True,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> list[Row]:
        """Write a sheet of captions for each person and language to correct.

        Return of each the `language`, `person`, how many `texts` it has, its `file` (None without
        texts), the `archive` with its pictures where the file itself holds none, and how many texts
        were `left_out`, because the person has answered them in another round.

        Args:
            people: who get them; their names stay with every answer.
            share: each caption is for one of them, in even shares; else for all of them.
            round_: of correction; 2 shows the result of 1.
            format: xlsx, csv, xliff or po.
            only: which texts, see `Only`.
            ids: only these memes (of the texts of surveys, their names), whatever `only` says.
            allow_same_person: do not leave out what the person has answered in another round.
            taxonomy: of the texts of surveys, only this one's and those of every survey.
            out: the file of the one sheet; None is LANG-rROUND-NAME.KIND in the workspace's folder.
                What somebody has changed there stays, see `memeloc.sheets.write_sheet`.
            pictures: show each meme with the text to be corrected.

        Raises:
            InputError: they have answered all of it in another round, or a caption that was
                unclaimed has gone out to somebody else in the meantime.
        """
        if format not in FORMATS:
            raise InputError(f"A sheet is {', '.join(FORMATS)}, not {format[:40]!r}.")
        locales = [self._workspace.locale(language) for language in languages]
        if out is not None and len(locales) * len(people) > 1:
            raise InputError("There are several sheets, and one file: leave the file's name away.")
        if kind == "survey":
            shipped = store_shipped_texts(self._store, locales, taxonomy)
            ids = shipped if ids is None else survey_text_ids(ids)
            only = only if ids is shipped else "all"
        elif ids is not None:
            only = "all"
        rows: list[Row] = []
        for locale in locales:
            asked = {
                person: self._store.sheets.to_correct(
                    locale.tag, round_, person, only=only, meme_ids=ids, kind=kind
                )
                for person in people
            }
            if share:
                holders = self._store.sheets.holders(locale.tag, round_)
                all_ids = dict.fromkeys(item.meme_id for items in asked.values() for item in items)
                whose = shared_out(all_ids, people, holders)
            for person, items in asked.items():
                if share:
                    items = [item for item in items if whose.get(item.meme_id) == person]
                wanted = [item for item in items if allow_same_person or not item.own_rounds]
                row: Row = {"language": locale.tag, "person": person, "texts": len(wanted)}
                row |= {"file": None, "archive": None, "left_out": len(items) - len(wanted)}
                rows.append(row)
                if not wanted:
                    continue
                name = f"{locale.tag}-{_FILES[kind]}r{round_}{f'-{person}' if person else ''}"
                sheet = make_sheet(
                    self._workspace,
                    wanted,
                    locale,
                    round_,
                    person,
                    kind,
                    pictures=pictures,
                    on_progress=on_progress,
                )
                cells = sheet_rows(sheet)
                row["file"] = write_form(
                    out or self._folder() / f"{name}{FORMATS[format]}",
                    sheet_form(sheet),
                    cells,
                    format=format,
                    # Before the file is there: no sheet is in people's hands that is not known.
                    before=partial(self._store_sheet, sheet, format, only == "unclaimed"),
                )
                row["archive"] = write_archive(row["file"], cells)
        if not any(row["texts"] for row in rows) and any(row["left_out"] for row in rows):
            names = ", ".join(row["person"] for row in rows if row["left_out"])
            raise InputError(
                f"{names} has answered all {sum(row['left_out'] for row in rows):,} of these in "
                "another round, and this one is for somebody else: export it for another person, "
                "or with --allow-same-person."
            )
        return rows

    def _store_sheet(self, sheet: Sheet, format: str, unclaimed: bool, place: Path) -> None:
        named = replace(sheet, format=format, name=place.name)
        self._store.sheets.add(named, unclaimed=unclaimed)

    def _folder(self) -> Path:
        """Return the workspace's folder, as one would type it where the program runs."""
        root = (self._workspace.root or Path()).absolute()
        here = Path.cwd()
        return root.relative_to(here) if root.is_relative_to(here) else root

    def import_sheet(
        self,
        path: str | Path,
        *,
        of: str = "",
        languages: Sequence[str] | None = None,
        round_: int = 0,
        person: str = "",
        allow_same_person: bool = False,
        dry_run: bool = False,
        report: bool = False,
    ) -> Row:
        """Take back a sheet that a person filled in, in one transaction.

        Each answer is placed, already known, kept to be settled, or refused. The same file twice
        changes nothing. Nothing that anybody typed is overwritten.

        Return the `file`; whether this very one had been imported (`seen_before`; nothing is stored
        then); how many answers came to each of the `outcomes`; the `answers` of which there is more
        to say than that they were placed; `problems`, rows that could not be read; `warnings` about
        the texts; how many rows and answers are `left_out` of the workspace; how many captions of
        the `sheet` are `unanswered` still; the `report`; transcripts that were read in an `earlier`
        picture of their item, whose answers count no more.

        Args:
            of, languages, round_, person: the sheet's id, and what else is known of it, where the
                file has lost it.
            allow_same_person: else what the person has answered in another round, too, is a case.
            dry_run: say what would become of it, and store nothing.
            report: write a table of what became of each row beside the file, for the person.

        Raises:
            InputError: the file cannot be read, it is not clear which sheet it is, or it is
                another than was said.
        """
        path = Path(path)
        find, locale = self._store.sheets.find, self._workspace.locale

        filled = read_sheet(path, self._sent)
        known = self._sent(sheet_id(filled)) or self._sent(of)
        tags = None if languages is None else [locale(tag).tag for tag in languages]
        sheet, who = identify(
            filled,
            [known] if known else find(locale),
            sheet_id=of,
            languages=tags,
            round_=round_,
            person=person,
        )
        given = answers(filled, sheet)
        before: dict[str, Sequence[Answer]] = {}

        def decide(sources: Texts, earlier: Mapping[str, Sequence[Answer]]) -> list[Answer]:
            before.update(earlier)
            return place(
                given,
                sheet,
                sources,
                earlier,
                file=path,
                person=who,
                allow_same_person=allow_same_person,
            )

        placed = self._store.corrections.add(
            FileRecord("answers", path.name, filled.sha256, len(given)),
            sheet,
            decide,
            also={answer.meme_id for answer in given},
            dry_run=dry_run,
        )
        stored = placed or []
        corrected = {
            answer.meme_id: answer.parts
            for answer in stored
            if answer.outcome in (*ACCEPTING, "case")
            and answer.status == "corrected"
            and answer.reason not in ("not understood", "part lost")
        }
        kind: Kind = sheet.kind  # type: ignore[assignment]
        _, warnings = warnings_about(self._workspace, sheet.language, kind, corrected)
        written = None
        if report and placed is not None:
            look_at: dict[tuple[str, int], list[str]] = {}
            for warning in warnings:
                place_ = warning.meme_id, max(warning.part + 1, 1)
                look_at.setdefault(place_, []).append(warning.message)
            rows = list(outcome_rows(filled, placed, look_at))
            written = write_outcomes(path, OUTCOME_COLUMNS, rows)
        outcomes = Counter(answer.outcome for answer in stored)
        known_before: Iterable[Answer] = chain.from_iterable(before.values())
        if placed is None:
            known_before = self._store.corrections.find(sheet.language.tag)
        done = {
            answer.meme_id
            for answer in (*stored, *known_before)
            if (answer.person, answer.round) == (who, sheet.round)
            and answer.outcome not in ("noted", "stray", "refused")
        }
        return {
            "file": path,
            "sheet": sheet.id,
            "seen_before": placed is None,
            "note": filled.note,
            "outcomes": dict(outcomes.most_common()),
            "answers": [each for each in stored if each.outcome != "placed" or each.message],
            "problems": filled.problems,
            "warnings": warnings,
            "left_out": len(filled.problems) + outcomes["refused"],
            "unanswered": sum(item.meme_id not in done for item in sheet.items),
            "report": written,
            "earlier": self._of_earlier_pictures(kind, stored),
        }

    def _sent(self, id: str) -> Sheet | None:
        """Return the sheet of an id, as it went out."""
        return next(iter(self._store.sheets.find(self._workspace.locale, sheet_id=id)), None)

    def _of_earlier_pictures(self, kind: str, answers: Sequence[Answer]) -> list[str]:
        if kind != "transcript":
            return []
        now = {transcript.meme_id for transcript in self._store.transcripts.all().values()}
        return [answer.meme_id for answer in answers if answer.meme_id not in now]

    def withdraw(self, path: str | Path, *, person: str, why: str = "") -> Row:
        """Take back the import of a sheet: its answers count no more.

        Captions that stood by them go back to what stood before, and the cases that they opened are
        closed; the same file can be imported again. Return how many `answers` were taken back, and
        the memes whose captions `stay`, for later work stands on top.

        Raises:
            InputError: the file was not imported, or was withdrawn.
        """
        path = Path(path)
        try:
            answers, stay = self._store.corrections.withdraw(
                read_sheet(path, self._sent).sha256, person=person, comment=why
            )
        except InputError as error:
            raise InputError(error.message, file=path) from error
        return {"file": path, "answers": len(answers), "stay": stay}

    def status(self) -> Row:
        """Return the `sheets` that are out with whom, of each what came back, and how many cases
        are `to_settle`."""
        standing = [each for each in self._store.corrections.find() if each.standing]
        answered = Counter(answer.sheet for answer in standing)
        corrected = Counter(each.sheet for each in standing if each.status == "corrected")
        to_settle = self._store.cases.open_counts()
        sheets = [
            {
                "sheet": sheet.id,
                "kind": sheet.kind,
                "language": sheet.language.tag,
                "round": sheet.round,
                "person": sheet.person,
                "file": sheet.name,
                "sent": len(sheet.items),
                "answered": answered[sheet.id],
                "corrected": corrected[sheet.id],
                "to_settle": to_settle[sheet.kind, sheet.language.tag, sheet.round],
            }
            for sheet in self._store.sheets.find(self._workspace.locale)
        ]
        return {"sheets": sheets, "to_settle": to_settle.total()}

    def check(
        self, languages: Sequence[str] | None = None, *, kind: Kind = "caption"
    ) -> tuple[int, list[CaptionWarning]]:
        """Return how many texts there are, and what they should be looked at for: each by itself,
        and beside the others of its language."""
        total, warnings = 0, list[CaptionWarning]()
        for locale in self._workspace.locales_of(languages):
            texts, about = warnings_about(self._workspace, locale, kind)
            total += texts
            warnings += about
        return total, warnings

    def compare(
        self,
        languages: Sequence[str] | None = None,
        *,
        meme_ids: Sequence[str] | None = None,
        changed: bool = False,
        kind: Kind = "caption",
    ) -> list[Row]:
        """Return who changed what, caption by caption, see `memeloc.correct.compare.compared`; in
        every language with answers by default.

        With `changed`, only answers that changed something.
        """
        return [
            row
            for locale in self._answered(languages, kind)
            for row in compared(
                self._store.comparisons.standing(locale.tag, kind),
                self._store.corrections.comments(locale.tag, kind),
                locale,
            )
            if (not meme_ids or row["meme_id"] in meme_ids)
            and not (changed and row["before"] == row["after"])
        ]

    def report(
        self,
        languages: Sequence[str] | None = None,
        *,
        kind: Kind = "caption",
        to: Path | None = None,
    ) -> Report:
        """Return what correction taught: how much was touched, by whom, how far, and what most
        often.

        In every language with answers by default; `to` is an HTML file to write, too.
        """
        locales = self._answered(languages, kind)
        texts = self._store.comparisons
        report = make_report(
            ((locale, texts.standing(locale.tag, kind)) for locale in locales),
            ((locale, texts.machine_and_final(locale.tag, kind)) for locale in locales),
            (
                comment
                for locale in locales
                for comment in self._store.corrections.comments(locale.tag, kind)
            ),
        )
        if to is not None:
            page = report_page(report, {locale.tag: locale for locale in locales})
            with replacing(to) as temporary:
                temporary.write_text(page, encoding="utf-8")
        return report

    def _answered(self, languages: Sequence[str] | None, kind: Kind) -> list[Locale]:
        """Return the languages with answers, of these or of all."""
        tags = self._store.comparisons.languages(kind)
        if languages is None:
            return [self._workspace.locale(tag) for tag in tags]
        return [each for each in self._workspace.locales_of(languages) if each.tag in tags]


class Cases(Part):
    """What people differ on, or could not do, and the decisions about it."""

    def open(
        self, languages: Sequence[str] | None = None, *, kind: Kind | None = None
    ) -> list[Case]:
        """Return what waits to be settled, oldest first; of some languages and a kind, or all."""
        tags = None if languages is None else self._tags(languages)
        found = self._store.cases.find(kind=kind)
        return [case for case in found if tags is None or case.language in tags]

    def count(self, languages: Sequence[str] | None = None) -> int:
        """Return how many are open, in some languages or all."""
        tags = None if languages is None else self._tags(languages)
        counts = self._store.cases.open_counts().items()
        return sum(count for (_, own, _), count in counts if tags is None or own in tags)

    def _tags(self, languages: Sequence[str]) -> list[str]:
        return [self._workspace.locale(language).tag for language in languages]

    def find(self, case: int) -> Case:
        """Return a case by its number, open or decided.

        Raises:
            InputError: there is no such case.
        """
        for found in self._store.cases.find(decided=None, ids=[case]):
            return found
        raise InputError(f"There is no case {case}; `memeloc correct settle` lists them.")

    def decide(
        self,
        case: int,
        *,
        person: str,
        accept: int | None = None,
        text: str | None = None,
        drop: Literal["", "drop", "drop all"] = "",
        comment: str = "",
    ) -> Row:
        """Settle a case: accept an answer, type a text, drop the meme in this language or in all,
        or (none of them) keep the caption as it is; return as `decide_from`.

        A later decision supersedes; the same one again changes nothing. `case` and `accept` are
        numbers, as `open` gives them; the parts of `text` are joined by ` // `.

        Raises:
            InputError: there is no such case, or the answer is not one of it.
        """
        parts = None if text is None else Caption.parse(text).parts
        decision = {"case": case, "accept": accept, "parts": parts, "drop": drop}
        return self._decide([decision | {"comment": comment}], person)

    def write(self, path: Path, languages: Sequence[str] | None = None) -> tuple[Path, int]:
        """Write the open cases to a sheet to decide in; return where, and how many there are.

        A row a case; the column `take` is for an answer's number, `keep`, `drop` or `drop all`,
        `text` for another text, `comment` for why. Its ending says the format.
        """
        cases = self.open(languages)
        return write_form(path, FORM, case_rows(cases)), len(cases)

    def decide_from(self, path: Path, *, person: str) -> Row:
        """Take the decisions of a sheet that `write` made, all or none; return how many were
        `settled` and `dropped`, and `warnings` about the texts that they settle on.

        Raises:
            InputError: a row is wrong; nothing is stored then.
        """
        filled = read_form(path, FORM, needed=(("case", "take"), ("case", "text")))
        decided = list(decisions(filled))
        try:
            return self._decide(decided, person)
        except InputError as error:
            typed = {row["row"] for row in decided if "parts" in row}
            column = "text" if error.row in typed else "take"
            raise InputError(error.message, file=path, row=error.row, column=column) from error

    def prefer(
        self,
        rule: str,
        *,
        person: str,
        languages: Sequence[str] | None = None,
        comment: str = "",
    ) -> Row:
        """Settle by rule the open cases that it decides; the rule stands with each decision.

        `rule` is `person:NAME`, `round:N` or `majority`, see `memeloc.correct.settling.by_rule`.

        Raises:
            InputError: it is no rule.
        """
        open_cases = self.open(languages)
        texts = {case.id for case in open_cases if survey_text_key(case.meme_id)}
        decided = [
            {**row, "comment": f"{row['comment']}; {comment}" if comment else row["comment"]}
            for row in by_rule(rule, open_cases)
            if not ("drop" in row and row["case"] in texts)  # a survey needs all of its texts
        ]
        return self._decide(decided, person)

    def _decide(self, decided: Sequence[Decision], person: str) -> Row:
        ids = self._store.cases.decide(decided, person=person)
        # A decision without a text makes no version; a picture without text needs no check.
        versions = self._store.captions.versions([each for each in ids if each is not None])
        texts: dict[tuple[str, Kind], dict[str, tuple[str, ...]]] = {}
        for version in filter(lambda version: version.parts, versions):
            kind: Kind = "survey" if survey_text_key(version.meme_id) else "caption"
            texts.setdefault((version.language, kind), {})[version.meme_id] = version.parts
        warnings = [
            warning
            for (tag, kind), given in texts.items()
            for warning in warnings_about(
                self._workspace, self._workspace.locale(tag), kind, given, together=False
            )[1]
        ]
        dropped = sum(bool(row.get("drop")) for row in decided)
        return {"settled": len(ids), "dropped": dropped, "warnings": warnings}


def warnings_about(
    workspace: WorkspaceFolder,
    locale: Locale,
    kind: Kind,
    given: Mapping[str, tuple[str, ...]] | None = None,
    *,
    together: bool = True,
) -> tuple[int, list[CaptionWarning]]:
    """Return how many texts of a kind there are, and what they should be looked at for: each by
    itself, and (`together`) beside the others of the language.

    Transcripts, and captions whose template is not there, have nothing to be checked against. With
    `given`, by meme, it is about these texts only, as if they stood already.
    """
    source = workspace.locale(ENGLISH) if kind == "survey" else workspace.source
    terms = workspace.glossary.terms(locale)

    def captions(meme_ids: Iterable[str] | None = None) -> Iterator[tuple[Checked, str]]:
        ids = None if meme_ids is None else list(meme_ids)
        for row in workspace.store.comparisons.texts(locale.tag, kind, ids):
            parts = row.parts if given is None else given.get(row.meme_id, row.parts)
            yield Checked(row.meme_id, locale, row.source, parts, source.tag), row.template

    asked, warnings, total = list[Checked](), list[CaptionWarning](), 0
    for caption, name in captions(given):
        total += 1
        if given is not None:
            asked.append(caption)
        template = workspace.templates.get(name)
        if kind == "transcript" or (kind == "caption" and template is None):
            continue
        if template is not None:
            drawn = Caption(caption.parts[: len(template.boxes)])
            caption = replace(
                caption,
                sizes=workspace.renderer.sizes(template, drawn, locale, exact=False),
                lacking=_lacking(workspace, template, locale),
            )
        warnings += check(caption)
        warnings += check_terms(caption, terms, source)
    if together and kind != "transcript" and (given is None or asked):
        warnings += check_together(lambda: (caption for caption, _ in captions()), asked)
    return total, warnings


def _lacking(
    workspace: WorkspaceFolder, template: Template, locale: Locale
) -> Callable[[str], Sequence[str]]:
    """Return a function: the grapheme clusters of a text that a font of the boxes lacks."""
    fonts = workspace.renderer.fonts
    stacks = {fonts.stack(locale, box.style.face) for box in template.boxes}

    def lacking(text: str) -> list[str]:
        ends = clusters(text)
        pieces = {text[a:b] for a, b in zip([0, *ends], ends, strict=False)}
        return [
            piece
            for piece in pieces
            if piece.strip() and not all(stack.font_for(piece) for stack in stacks)
        ]

    return lacking
