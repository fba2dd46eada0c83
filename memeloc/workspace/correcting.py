"""Correcting. In: a workspace, the sheets that people send back. Out: sheets, captions, reports."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Literal

from memeloc.correct.checks import CaptionWarning, Checked, check, check_terms, check_together
from memeloc.correct.model import Case, Match, Sheet, text_key
from memeloc.correct.placing import identify, place
from memeloc.correct.reading import OUTCOME_COLUMNS, answers, outcome_rows, read_sheet, sheet_id
from memeloc.correct.report import compared, make_report, report_page
from memeloc.correct.settling import FORM, Decision, by_rule, case_rows, decisions
from memeloc.correct.sheet_form import (
    given_up_lines,
    new_sheet,
    shared_out,
    sheet_form,
    sheet_rows,
)
from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.glossary import terms_in
from memeloc.model import SEPARATOR, Caption, Locale
from memeloc.placeholders import placeholders
from memeloc.sheets import SheetForm, read_form, write_archive, write_form
from memeloc.sheets.writing import FORMATS
from memeloc.store.captions.sheets import Only
from memeloc.store.records import ACCEPTING, FileRecord, Kind
from memeloc.store.surveys.survey_texts import ENGLISH, survey_text_id, survey_text_key
from memeloc.templates.capacity import capacity
from memeloc.templates.pictures import PICTURE_SIDE, kept_picture, small_picture
from memeloc.translate import TranslationItem, TranslationMemory
from memeloc.translate.protocol import merged
from memeloc.workspace.folder import Part, WorkspaceFolder
from memeloc.workspace.stored_survey import store_shipped_texts

_FILES = {"caption": "", "transcript": "transcripts-", "survey": "survey-"}
Row = dict[str, Any]
Texts = Mapping[str, tuple[str, ...]]


class Correcting(Part):
    """Having people correct the captions: sheets out, answers in, differences settled."""

    @cached_property
    def cases(self) -> Cases:
        """Cases that people differ on."""
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
            share: each caption is for one of `people`: whoever has it on a sheet of that round
                already, else who has the fewest, so that shares are even; else for all of them.
            only: which texts, see `Only`; or `ids` of memes (of the texts of surveys, their names).
            allow_same_person: do not leave out what the person has answered in another round.
            taxonomy: of the texts of surveys, only this one's and those of every survey.
            out: the file of the one sheet; None is LANG-rROUND-NAME.KIND in the workspace's folder.
                What somebody has changed there stays, see `memeloc.sheets.write_sheet`.
        """
        if format not in FORMATS:
            raise InputError(f"A sheet is {', '.join(FORMATS)}, not {format[:40]!r}.")
        locales = [self._workspace.locale(language) for language in languages]
        if out is not None and len(locales) * len(people) > 1:
            raise InputError("There are several sheets, and one file: leave the file's name away.")
        if kind == "survey":
            shipped = store_shipped_texts(self._store, locales, taxonomy)
            if ids is None:
                ids = shipped
            else:  # named by their keys, or by their ids
                ids = [survey_text_id(survey_text_key(name) or name) for name in ids]
                only = "all"
        elif ids is not None:
            only = "all"
        find = partial(self._store.sheets.to_correct, only=only, meme_ids=ids, kind=kind)
        # Named as one would type it where the program runs.
        root, here = (self._workspace.root or Path()).absolute(), Path.cwd()
        root = root.relative_to(here) if root.is_relative_to(here) else root
        rows: list[Row] = []
        for locale in locales:
            asked = {person: find(locale.tag, round_, person) for person in people}
            if share:
                memes = dict.fromkeys(item.meme_id for items in asked.values() for item in items)
                whose = shared_out(memes, people, self._store.sheets.holders(locale.tag, round_))
                for person, items in asked.items():
                    asked[person] = [item for item in items if whose[item.meme_id] == person]
            for person, items in asked.items():
                wanted = [item for item in items if allow_same_person or not item.own_rounds]
                row: Row = {"language": locale.tag, "person": person, "texts": len(wanted)}
                row |= {"file": None, "archive": None, "left_out": len(items) - len(wanted)}
                rows.append(row)
                if not wanted:
                    continue
                source = locale if kind == "transcript" else self._source(kind)
                sheet = new_sheet(wanted, locale, source, round_, person, kind)
                sheet = self._filled(sheet, pictures, on_progress)
                cells = sheet_rows(sheet)
                name = f"{locale.tag}-{_FILES[kind]}r{round_}{f'-{person}' if person else ''}"
                row["file"] = write_form(
                    out or root / f"{name}{FORMATS[format]}",
                    sheet_form(sheet),
                    cells,
                    format=format,
                    # Before the file is there: no sheet is in people's hands that is not known.
                    before=lambda file, sheet=sheet: self._store.sheets.add(  # type: ignore[misc]
                        replace(sheet, format=format, name=file.name),
                        unclaimed=only == "unclaimed",
                    ),
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

    def _source(self, kind: Kind) -> Locale:
        return self._workspace.locale(ENGLISH) if kind == "survey" else self._workspace.source

    def _filled(
        self, sheet: Sheet, pictures: bool, on_progress: Callable[[int, int], None] | None
    ) -> Sheet:
        """Return a sheet with the room that boxes have, a small picture, similar translations and
        terms of each caption. Transcripts have the picture that they were read in; the texts of
        surveys have none, and say which placeholders they keep."""
        workspace, locale, source = self._workspace, sheet.language, sheet.source_language
        glossary, memory = [], TranslationMemory()
        if sheet.kind != "transcript":
            glossary = [term for term in workspace.glossary.terms(locale) if term.names]
            kind: Kind = sheet.kind  # type: ignore[assignment]
            memory = TranslationMemory(self._store.memory.find(source.tag, locale.tag, kind))
        made = []
        for item, picture in zip(sheet.items, _pictures(workspace, sheet, pictures), strict=True):
            template, count = workspace.templates.get(item.template), len(item.source)
            names = [box.name for box in template.boxes] if template else map(str, range(1, 99))
            notes = ["waits to be settled"] * item.open_case
            notes += ["outdated: the source has changed since"] * bool(item.before)
            notes += given_up_lines(item.history, locale.tag)
            marks = placeholders(" ".join(item.source)) if sheet.kind == "survey" else ()
            notes += [f"keep as it is: {' '.join(marks)}"] * bool(marks)
            asked = TranslationItem(item.meme_id, Caption(item.source), source, locale)
            matches = (
                Match(
                    match.percent,
                    merged(asked, match.unit.source).parts,
                    merged(asked, match.texts).parts,
                    match.unit.origin,
                )
                for match in (memory.nearest(asked) if memory else ())
                if match.unit is not None
            )
            # All of another text stands in the first part where it has others than the caption.
            before, suggestion = (
                each if len(each) in (0, count) else (SEPARATOR.join(each),)
                for each in (item.before, item.suggestion)
            )
            shown = replace(
                item,
                boxes=tuple(name for name, _ in zip(names, item.source, strict=False)),
                capacities=capacity(template, locale)[:count],
                picture=picture,
                note="; ".join(notes),
                before=before,
                suggestion=suggestion,
                matches=tuple(matches),
                terms=tuple(terms_in(glossary, item.source, source)),
            )
            made.append(shown)
            if on_progress is not None:
                on_progress(1, len(sheet.items))
        return replace(sheet, items=tuple(made))

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
        """Take back a sheet that a person filled in, whole and once.

        Return whether this very `file` had been imported (`seen_before`; nothing is stored then);
        how many answers came to each of the `outcomes`, see `memeloc.correct.placing`; the
        `answers` of which there is more to say than that they were placed; `problems`, rows that
        could not be read; `warnings` about the texts; how many rows and answers are `left_out` of
        the workspace; how many captions of the `sheet` are `unanswered` still; transcripts that
        were read in an `earlier` picture of their item, whose answers count no more.

        Args:
            of, languages, round_, person: the sheet's id, and what else is known of it, where the
                file has lost it.
            allow_same_person: else what the person has answered in another round, too, is a case.
            report: write a table of what became of each row beside the file, for the person.
        """
        path, locale = Path(path), self._workspace.locale
        filled = read_sheet(path, self._sent)
        sent = self._sent(sheet_id(filled)) or self._sent(of)
        sheet, who = identify(
            filled,
            [sent] if sent else self._store.sheets.find(locale),
            sheet_id=of,
            languages=languages and [locale(language).tag for language in languages],
            round_=round_,
            person=person,
        )
        filled_in = answers(filled, sheet)
        before = self._store.corrections.find(sheet.language.tag)
        placed = self._store.corrections.add(
            FileRecord("answers", path.name, filled.sha256, len(filled_in)),
            sheet,
            partial(
                place, filled_in, sheet, file=path, person=who, allow_same_person=allow_same_person
            ),
            also={answer.meme_id for answer in filled_in},
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
            look_at = defaultdict[tuple[str, int], list[str]](list)
            for warning in warnings:
                look_at[warning.meme_id, max(warning.part + 1, 1)].append(warning.message)
            suffix = ".xlsx" if path.suffix.lower() in (".xlsx", ".ods") else ".csv"
            beside = path.with_name(f"{path.stem}-import{suffix}")
            rows = [*outcome_rows(filled, placed, look_at)]
            written = write_form(beside, SheetForm("Your import", OUTCOME_COLUMNS), rows)
        outcomes = Counter(answer.outcome for answer in stored)
        done = {
            answer.meme_id
            for answer in chain(stored, before)
            if (answer.person, answer.round) == (who, sheet.round)
            and answer.outcome not in ("noted", "stray", "refused")
        }
        earlier: list[str] = []
        if kind == "transcript":
            now = {transcript.meme_id for transcript in self._store.transcripts.all().values()}
            earlier = [answer.meme_id for answer in stored if answer.meme_id not in now]
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
            "earlier": earlier,
        }

    def _sent(self, id: str) -> Sheet | None:
        return next(iter(self._store.sheets.find(self._workspace.locale, sheet_id=id)), None)

    def withdraw(self, path: str | Path, *, person: str, why: str = "") -> Row:
        """Take back the import of a sheet: captions that stood by its answers go back to what stood
        before, the cases that these opened are closed, and the same file can be imported again.
        Return how many `answers` were taken back, and the memes whose captions `stay`, for later
        work stands on top."""
        sha256 = read_sheet(Path(path), self._sent).sha256
        try:
            taken, stay = self._store.corrections.withdraw(sha256, person=person, comment=why)
        except InputError as error:
            raise InputError(error.message, file=path) from error
        return {"file": Path(path), "answers": len(taken), "stay": stay}

    def status(self) -> Row:
        """Return the `sheets` that are out with whom, of each what came back, and how many cases
        are `to_settle`."""
        standing = [each for each in self._store.corrections.find() if each.standing]
        answered = Counter(answer.sheet for answer in standing)
        corrected = Counter(each.sheet for each in standing if each.status == "corrected")
        to_settle = self._store.cases.open_counts()
        rows = []
        for sheet in self._store.sheets.find(self._workspace.locale):
            tag, id = sheet.language.tag, sheet.id
            row: Row = {"sheet": id, "kind": sheet.kind, "language": tag, "round": sheet.round}
            row |= {"person": sheet.person, "file": sheet.name, "sent": len(sheet.items)}
            row |= {"answered": answered[id], "corrected": corrected[id]}
            rows.append(row | {"to_settle": to_settle[sheet.kind, tag, sheet.round]})
        return {"sheets": rows, "to_settle": to_settle.total()}

    def check(
        self, languages: Sequence[str] | None = None, *, kind: Kind = "caption"
    ) -> tuple[int, list[CaptionWarning]]:
        """Return how many texts there are, and what they should be looked at for: each by itself,
        and beside the others of its language."""
        locales = self._workspace.locales_of(languages)
        checked = [warnings_about(self._workspace, locale, kind) for locale in locales]
        return sum(total for total, _ in checked), [each for _, some in checked for each in some]

    def compare(
        self,
        languages: Sequence[str] | None = None,
        *,
        meme_ids: Sequence[str] | None = None,
        changed: bool = False,
        kind: Kind = "caption",
    ) -> list[Row]:
        """Return who changed what, caption by caption, see `memeloc.correct.report.compared`: of
        these memes or all, and only what `changed` something or all."""
        rows = (
            compared(
                self._store.comparisons.standing(locale.tag, kind),
                self._store.corrections.comments(locale.tag, kind),
                locale,
            )
            for locale in self._answered(languages, kind)
        )
        return [
            row
            for row in chain.from_iterable(rows)
            if (not meme_ids or row["meme_id"] in meme_ids)
            and not (changed and row["before"] == row["after"])
        ]

    def report(
        self,
        languages: Sequence[str] | None = None,
        *,
        kind: Kind = "caption",
        to: Path | None = None,
    ) -> dict[str, list[Any]]:
        """Return what correction taught, see `memeloc.correct.report.make_report`; `to` is an HTML
        file to write, too."""
        locales = self._answered(languages, kind)
        texts, comments = self._store.comparisons, self._store.corrections.comments
        report = make_report(
            ((locale, texts.standing(locale.tag, kind)) for locale in locales),
            ((locale, texts.machine_and_final(locale.tag, kind)) for locale in locales),
            (comment for locale in locales for comment in comments(locale.tag, kind)),
        )
        if to is not None:
            page = report_page(report, {locale.tag: locale for locale in locales})
            with replacing(to) as temporary:
                temporary.write_text(page, encoding="utf-8")
        return report

    def _answered(self, languages: Sequence[str] | None, kind: Kind) -> list[Locale]:
        tags = self._store.comparisons.languages(kind)
        if languages is None:
            return [self._workspace.locale(tag) for tag in tags]
        return [each for each in self._workspace.locales_of(languages) if each.tag in tags]


class Cases(Part):
    """Captions that people differ on, or could not do, and the decisions about it."""

    def open(
        self, languages: Sequence[str] | None = None, *, kind: Kind | None = None
    ) -> list[Case]:
        """Return what waits to be settled, oldest first; of some languages and a kind, or all."""
        tags = {self._workspace.locale(language).tag for language in languages or ()}
        cases = self._store.cases.find(kind=kind)
        return [case for case in cases if languages is None or case.language in tags]

    def find(self, case: int) -> Case:
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
        """Settle a case: accept an answer by its number, type a text (parts joined by ` // `), drop
        the meme in this language or in all, or (none of them) keep the caption as it is; return as
        `decide_from`. A later decision supersedes; the same one again changes nothing."""
        parts = None if text is None else Caption.parse(text).parts
        decision = {"case": case, "accept": accept, "parts": parts, "drop": drop}
        return self._decide([decision | {"comment": comment}], person)

    def write(self, path: Path, languages: Sequence[str] | None = None) -> tuple[Path, int]:
        """Write the open cases to a sheet to decide in, a row a case; return where, and how many
        there are."""
        cases = self.open(languages)
        return write_form(path, FORM, case_rows(cases)), len(cases)

    def decide_from(self, path: Path, *, person: str) -> Row:
        """Take the decisions of a sheet that `write` made, all or none; return how many were
        `settled` and `dropped`, and `warnings` about the texts that they settle on."""
        decided = [*decisions(read_form(path, FORM, needed=(("case", "take"), ("case", "text"))))]
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
        """Settle the open cases that a rule decides, see `memeloc.correct.settling.by_rule`."""
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
        texts = defaultdict[tuple[str, Kind], dict[str, tuple[str, ...]]](dict)
        for version in filter(lambda version: version.parts, versions):
            kind: Kind = "survey" if survey_text_key(version.meme_id) else "caption"
            texts[version.language, kind][version.meme_id] = version.parts
        warnings = list[CaptionWarning]()
        for (tag, kind), settled in texts.items():
            locale = self._workspace.locale(tag)
            warnings += warnings_about(self._workspace, locale, kind, settled, together=False)[1]
        dropped = sum(bool(row.get("drop")) for row in decided)
        return {"settled": len(ids), "dropped": dropped, "warnings": warnings}


def warnings_about(
    workspace: WorkspaceFolder,
    locale: Locale,
    kind: Kind,
    drafts: Texts | None = None,
    *,
    together: bool = True,
) -> tuple[int, list[CaptionWarning]]:
    """Return how many texts of a kind there are, and what they should be looked at for: each by
    itself, and (`together`) beside the others of the language. Transcripts, and captions whose
    template is not there, have nothing to be checked against. With `drafts`, by meme, it is about
    these texts only, as if they stood already."""
    source = workspace.locale(ENGLISH) if kind == "survey" else workspace.source
    terms = workspace.glossary.terms(locale)

    def captions(meme_ids: Iterable[str] | None = None) -> Iterator[tuple[Checked, str]]:
        ids = None if meme_ids is None else list(meme_ids)
        for row in workspace.store.comparisons.texts(locale.tag, kind, ids):
            parts = row.parts if drafts is None else drafts.get(row.meme_id, row.parts)
            yield Checked(row.meme_id, locale, row.source, parts, source.tag), row.template

    warnings, total = list[CaptionWarning](), 0
    for caption, name in captions(drafts):
        total += 1
        template = workspace.templates.get(name)
        if kind == "transcript" or (kind == "caption" and template is None):
            continue
        if template is not None:
            drawn = Caption(caption.parts[: len(template.boxes)])
            sizes = workspace.renderer.sizes(template, drawn, locale, exact=False)
            lacking = partial(workspace.renderer.lacking, template, locale)
            caption = replace(caption, sizes=sizes, lacking=lacking)
        warnings += check(caption)
        warnings += check_terms(caption, terms, source)
    if together and kind != "transcript" and total:
        warnings += check_together((caption for caption, _ in captions()), drafts)
    return total, warnings


def _pictures(workspace: WorkspaceFolder, sheet: Sheet, is_shown: bool) -> Iterator[Path | None]:
    """Yield the picture of each item; a transcript's is the one that it was read in."""
    if not is_shown:
        yield from repeat(None, len(sheet.items))
        return
    root, renderer = workspace.root or Path(), workspace.renderer
    transcripts = [item.meme_id for item in sheet.items] if sheet.kind == "transcript" else []
    read_in = workspace.store.transcripts.pictures(transcripts)
    for item in sheet.items:
        template = workspace.templates.get(item.template)
        if template is None:
            yield small_picture(root, read_in.get(item.meme_id))
            continue
        shows = (
            f"{renderer.fingerprint(template, sheet.language)}|{PICTURE_SIDE}|{text_key(item.base)}"
        )
        drawn = partial(renderer.render, template, Caption(item.base), sheet.language)
        yield kept_picture(root, shows, lambda drawn=drawn: drawn().image)  # type: ignore[misc]
