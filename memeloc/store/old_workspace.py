"""The workspace. In: what stages made and people said. Out: `Workspace`, which stores and finds it.

Each method is one transaction, or several that can be interrupted between any two and run again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select

from memeloc.errors import InputError
from memeloc.model import Caption
from memeloc.store import (
    answers_in,
    caption_versions,
    counting,
    exporting,
    importing,
    memory,
    settling,
    sheets_out,
    storing_files,
)
from memeloc.store.records import (
    AddedAnswers,
    CaptionVersion,
    CaseRecord,
    CorrectionRecord,
    FileRecord,
    ImportSummary,
    Kind,
    KnownSheet,
    LanguageStatus,
    MemoryUnit,
    Need,
    SentText,
    SheetRecord,
    ToCorrect,
    ToTranslate,
)
from memeloc.store.store import Store
from memeloc.store.survey_texts import Worded
from memeloc.store.tables import memes

if TYPE_CHECKING:
    import pandas as pd


_KEPT = 100
"""Problems of a table that a summary holds."""


class Workspace(Worded):
    """A team's memes, captions and all that people said of them, in one folder and one database.

    Use it as a context manager, or `close` it. Every method may raise WorkspaceError when the
    database cannot be reached, read or written; nothing of a failed step is stored.
    """

    @cached_property
    def store(self) -> Store:
        """The same data as repositories."""
        return Store(self.root, self.database)

    # Captions

    def import_captions(
        self,
        path: str | Path,
        *,
        languages: Sequence[str] | None = None,
        templates: Sequence[Path] = (),
        strict: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> ImportSummary:
        """Import a captions table, see `memeloc.captions`; the same table again adds nothing.

        A source caption that differs becomes a new version; a cell of another language becomes the
        caption (stage `imported`) unless it is what was imported last or what stands there now. So
        importing an old table again undoes no correction.

        Args:
            path: CSV, JSON Lines or Parquet.
            languages: tags of the columns to import besides the source; None is all.
            templates: folders of templates besides the workspace's.
            strict: store nothing when anything is wrong in the table.
            on_progress: is told how many more rows are settled, and how many there are.

        Raises:
            InputError: it is no captions table, or has nothing to import.
        """
        from memeloc.captions import CaptionProblem, read_captions
        from memeloc.templates import load_templates

        path = Path(path)
        known, wrong = dict(self.templates), list(self.template_problems)
        if templates:
            known, wrong = load_templates((*self.folders("templates"), *templates))
        if languages is not None:
            languages = [self.source.tag, *languages]
        table = read_captions(path, known, languages, source=self.source.tag, locales=self.locales)
        if strict:
            table.check()
        summary = ImportSummary(notes=[*wrong, *table.ignored])

        def note(problem: CaptionProblem) -> None:
            column = problem.error.column
            if problem.kind == "empty caption" and column and column != table.source.name:
                summary.empty[column] += 1
                return
            summary.problems[problem.kind] += 1
            if len(summary.examples) < _KEPT:
                summary.examples.append(problem)

        columns = importing.Columns(
            {column.name: column.locale.tag for column in table.languages},
            table.source.locale.tag,
        )
        rows = table.count() // len(table.languages)
        file = FileRecord("captions", path.name, storing_files.sha256_of(path), rows)

        def advance(more: int) -> None:
            if on_progress is not None:
                on_progress(more, rows)

        importing.store_rows(self.database, table.rows(note), columns, file, summary, advance)
        return summary

    def current(
        self,
        language: str,
        meme_ids: Collection[str] | None = None,
        kind: Kind = "caption",
    ) -> dict[str, CaptionVersion]:
        """The current captions of a language, by meme, in the memes' order."""
        tag = self.locale(language).tag
        with self.database.read() as connection:
            if meme_ids is not None:
                return caption_versions.current_of(connection, tag, meme_ids)
            query = caption_versions.current_query(tag, kind=kind)
            rows = connection.execute(query)
            return {row.meme_id: caption_versions.version_of(row) for row in rows}

    def to_translate(
        self,
        language: str,
        only: Need | None = None,
        meme_ids: Collection[str] | None = None,
        kind: Kind = "caption",
    ) -> list[ToTranslate]:
        """Captions that have no translation (`new`), or one of an earlier source (`changed`)."""
        tag = self.locale(language).tag
        with self.database.read() as connection:
            return list(caption_versions.to_translate(connection, tag, only, meme_ids, kind))

    def add_translation(
        self,
        meme_id: str,
        language: str,
        caption: Caption,
        *,
        source_id: int,
        translator: str,
        marks: Sequence[str] = (),
        characters: int = 0,
        cost: float = 0.0,
        currency: str = "",
        replace: bool = False,
    ) -> int | None:
        """Store one machine translation as it comes, and return its version's id.

        Returns None, and stores nothing, when the caption has a translation of the same source
        already (a second run, another process), or one that a person wrote. So a run can be killed
        and repeated.

        Args:
            meme_id, language, caption: what was translated into what.
            source_id: `ToTranslate.source.id`, the version that was translated.
            translator: its name.
            marks: what a corrector should know.
            characters, cost, currency: what was billed.
            replace: supersede another machine translation of the same source.

        Raises:
            InputError: the caption is empty or a part has ` // ` in it.
        """
        tag = self.locale(language).tag
        with self.database.write(relaxed=True) as connection:
            return caption_versions.add_translation(
                connection,
                meme_id,
                tag,
                caption.parts,
                source_id=source_id,
                translator=translator,
                marks=marks,
                characters=characters,
                cost=cost,
                currency=currency,
                replace=replace,
            )

    # Sheets

    def items_to_correct(
        self,
        language: str,
        round_: int,
        person: str = "",
        *,
        only: sheets_out.Only = "new",
        meme_ids: Collection[str] | None = None,
        kind: Kind = "caption",
    ) -> list[ToCorrect]:
        """The captions of a round for a sheet, in the memes' order; see `sheets_out.Only`.

        The text to be corrected is what the rounds before have left: two people of one round get
        the same, and round 2 gets the result of round 1.
        """
        tag = self.locale(language).tag
        with self.database.read() as connection:
            return list(
                sheets_out.items_to_correct(connection, tag, round_, person, only, meme_ids, kind)
            )

    def record_sheet(self, sheet: SheetRecord, items: Sequence[tuple[str, int, int]]) -> bool:
        """Store which versions a sheet shows; False when the sheet is there already.

        Args:
            sheet: what it is.
            items: meme id, source version's id and base version's id, in the sheet's order.
        """
        with self.database.write() as connection:
            return sheets_out.record_sheet(connection, sheet, items)

    def sheets(self, language: str | None = None, *, kind: Kind | None = None) -> list[SheetRecord]:
        """The sheets that went out, oldest first; all, or those of a language or kind."""
        tag = None if language is None else self.locale(language).tag
        with self.database.read() as connection:
            return sheets_out.find_sheets(connection, tag, kind=kind)

    def sheet_items(self, sheet_id: str) -> dict[str, SentText]:
        """What a sheet showed, by meme, in its order; empty when there is no such sheet."""
        with self.database.read() as connection:
            return sheets_out.sent_texts(connection, sheet_id)

    # Answers

    def file(self, kind: str, sha256: str) -> FileRecord | None:
        """The imported file with this content, if there is one."""
        with self.database.read() as connection:
            return storing_files.find_file(connection, kind, sha256)

    def known_sheet(self, sheet_id: str, also: Collection[str] = ()) -> KnownSheet:
        """What placing answers needs to know, for a look without storing (`--dry-run`).

        Raises:
            InputError: there is no such sheet.
        """
        with self.database.read() as connection:
            return answers_in.known_sheet(connection, sheet_id, also)

    def add_answers(
        self,
        file: FileRecord,
        sheet_id: str,
        decide: answers_in.Decide,
        also: Collection[str] = (),
    ) -> AddedAnswers:
        """Store a file of answers, whole or not at all, and once.

        Args:
            file: `FileRecord("answers", name, sha256, rows)`.
            sheet_id: the sheet that came back.
            decide: gets what is known (`KnownSheet`) and returns what becomes of each answer. It is
                called within the transaction, so that nothing changes meanwhile, and is not called
                when the very same file was stored before.
            also: ids of memes in the file; those beyond the sheet's are looked up too.

        Raises:
            InputError: there is no such sheet, or a placed text cannot be a caption.
        """
        with self.database.write() as connection:
            return answers_in.add_answers(connection, file, sheet_id, also, decide)

    def corrections(
        self,
        language: str | None = None,
        meme_ids: Collection[str] | None = None,
        *,
        kind: Kind | None = None,
    ) -> list[CorrectionRecord]:
        """What people answered, oldest first; standing is relative to the current source.

        Of texts of one kind, or of all.
        """
        tag = None if language is None else self.locale(language).tag
        with self.database.read() as connection:
            return answers_in.find_corrections(connection, tag, meme_ids, kind=kind)

    def cases(
        self,
        language: str | None = None,
        *,
        decided: bool | None = False,
        kind: Kind | None = None,
    ) -> list[CaseRecord]:
        """What is left to settle; `decided` True gives what was settled, None both.

        Of texts of one kind, or of all.
        """
        tag = None if language is None else self.locale(language).tag
        with self.database.read() as connection:
            return settling.find_cases(connection, tag, decided=decided, kind=kind)

    def decide(
        self,
        case_id: int,
        *,
        person: str,
        accept: int | None = None,
        parts: Sequence[str] | None = None,
        comment: str = "",
    ) -> int | None:
        """Settle a case: accept an answer, type a text, or (neither) keep the caption as it is.

        Returns the id of the version that settles it, None when there is no text to settle on. A
        later decision supersedes; the same one again changes nothing.

        Raises:
            InputError: there is no such case, or the answer is none of it.
        """
        with self.database.write() as connection:
            return settling.decide(
                connection, case_id, person=person, accept=accept, parts=parts, comment=comment
            )

    # Memory

    def memory(
        self, language: str, source_language: str | None = None, kind: Kind = "caption"
    ) -> list[MemoryUnit]:
        """The translation memory of a pair of languages, oldest first: later ones are newer.

        It has what came from files, and what people accepted of texts of a kind.
        """
        source = self.source.tag if source_language is None else self.locale(source_language).tag
        tag = self.locale(language).tag
        with self.database.read() as connection:
            return list(memory.find_units(connection, source, tag, kind))

    def add_memory(self, units: Sequence[MemoryUnit], file: FileRecord | None = None) -> int:
        """Add units from outside (TMX); how many were new."""
        with self.database.write() as connection:
            return memory.add_units(connection, units, file)

    # Looking at it

    def status(self, kind: Kind = "caption") -> list[LanguageStatus]:
        """How far each language is, the source language first."""
        wanted = [locale.tag for locale in self.languages] if kind != "transcript" else []
        with self.database.read() as connection:
            return counting.count_languages(connection, wanted, kind)

    def table(self, name: str) -> pd.DataFrame:
        """A table as a pandas frame; `exporting.TABLES` names them, and what they have.

        `captions` has a row a meme and a column a language, `history` a row for every version.

        Raises:
            InputError: there is no such table.
        """
        import pandas as pd

        with self.database.read() as connection:
            table = exporting.export_table(connection, name, self._tags())
            frame = pd.DataFrame.from_records(
                list(table.rows), columns=[column.name for column in table.columns]
            )
        for column in table.columns:
            if column.kind == "time":
                frame[column.name] = pd.to_datetime(frame[column.name], utc=True)
            elif column.kind == "integer":
                frame[column.name] = frame[column.name].astype("Int64")
        return frame

    def export(self, name: str, path: str | Path) -> int:
        """Write a table to a .csv, .jsonl or .parquet file; how many rows it has.

        Raises:
            InputError: there is no such table, or the file cannot be written.
        """
        from memeloc.tables import write_table

        with self.database.read() as connection:
            table = exporting.export_table(connection, name, self._tags())
            return write_table(Path(path), table.columns, table.rows)

    @contextmanager
    def captions_file(self) -> Iterator[Path]:
        """The current captions as a temporary captions table, gone when the block ends.

        Raises:
            InputError: there are none.
        """
        import tempfile

        with tempfile.TemporaryDirectory(prefix="memeloc-") as folder:
            path = Path(folder) / "captions.parquet"
            if not self.export("captions", path):
                raise InputError(
                    "The workspace has no captions yet; `memeloc import TABLE` brings some.",
                    file=self.root,
                )
            yield path

    def _tags(self) -> list[str]:
        return [self.source.tag, *(locale.tag for locale in self.languages)]

    def templates_of_memes(self) -> dict[str, str]:
        """The template's name of each meme, in the memes' order."""
        query = (
            select(memes.c.id, memes.c.template)
            .where(caption_versions.is_active())
            .order_by(memes.c.number)
        )
        with self.database.read() as connection:
            return {row.id: row.template for row in connection.execute(query)}

    def count_memes(self) -> int:
        """How many memes there are."""
        with self.database.read() as connection:
            return counting.count_memes(connection)
