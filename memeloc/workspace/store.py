"""The workspace. In: a folder, or a database's URL. Out: `Workspace`, all of whose work is stored.

Each method is one transaction, or several that can be interrupted between any two and run again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from memeloc.errors import InputError
from memeloc.model import Caption, Locale, Template
from memeloc.workspace import (
    answers_in,
    caption_versions,
    counting,
    importing,
    memory,
    settling,
    sheets_out,
    storing_files,
)
from memeloc.workspace.database import Database, WorkspaceError
from memeloc.workspace.migrating import migrate
from memeloc.workspace.nouns import (
    AddedAnswers,
    CaptionVersion,
    CaseRecord,
    CorrectionRecord,
    FileRecord,
    ImportSummary,
    KnownSheet,
    LanguageStatus,
    MemoryUnit,
    Need,
    SentText,
    SheetRecord,
    ToCorrect,
    ToTranslate,
)
from memeloc.workspace.settings import FILE, Settings, database_url, first_file, read_settings

if TYPE_CHECKING:
    from memeloc.locales import Registry

DATABASE_FILE = "memeloc.db"
_KEPT = 100
"""Problems of a table that a summary holds."""


class Workspace:
    """A team's memes, captions and all that people said of them, in one folder and one database.

    Use it as a context manager, or `close` it. Every method may raise WorkspaceError when the
    database cannot be reached, read or written; nothing of a failed step is stored.

    Attributes:
        root: the folder, None for a workspace opened by its database's URL.
        settings: what memeloc.toml says.
        database: where the data are.
    """

    def __init__(self, root: Path | None, settings: Settings, database: Database) -> None:
        self.root = root
        self.settings = settings
        self.database = database
        migrate(database)

    # Opening and closing

    @classmethod
    def create(
        cls, folder: str | Path, *, source: str = "en", languages: Sequence[str] = ()
    ) -> Workspace:
        """Make a workspace in `folder`, which is made if need be; what stands there stays.

        Args:
            folder: where.
            source: tag of the language that the captions are written in.
            languages: tags of those to translate into.

        Raises:
            InputError: there is a workspace already, or a tag is unknown.
        """
        from memeloc.locales import default

        root = Path(folder)
        file = root / FILE
        if file.exists():
            raise InputError("There is a workspace here already.", file=file)
        registry = default()
        tags = list(dict.fromkeys(registry.get(tag).tag for tag in languages))
        words = first_file(registry.get(source).tag, tags)
        root.mkdir(parents=True, exist_ok=True)
        _write(file, words)
        for name in ("templates", "fonts"):
            (root / name).mkdir(exist_ok=True)
        return cls.open(root)

    @classmethod
    def find(cls, start: str | Path | None = None) -> Workspace:
        """Open the workspace of `start` (by default the working directory) or of a folder above.

        Raises:
            InputError: there is none.
        """
        return cls.open(workspace_folder(start))

    @classmethod
    def open(cls, where: str | Path) -> Workspace:
        """Open a workspace by its folder, or by its database's URL (with the default settings).

        An older database is brought to the newest schema.

        Raises:
            InputError: there is no workspace, or its settings are wrong.
            WorkspaceError: the database cannot be used.
        """
        if isinstance(where, str) and "://" in where:
            return cls(None, Settings(), Database(where))
        root = Path(where)
        file = root / FILE
        if not file.is_file():
            raise InputError(
                f"There is no workspace here ({FILE} is missing); `memeloc init` makes one.",
                file=root,
            )
        settings = read_settings(file)
        url = database_url(settings)
        return cls(root, settings, Database(url if url else root / DATABASE_FILE))

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # What the settings name

    def folders(self, kind: str) -> tuple[Path, ...]:
        """The folders (or files) that a setting `templates`, `fonts` or `locales` names and that
        are there; relative ones are in the workspace's folder."""
        if self.root is None:
            return ()
        named = [self.root / name for name in getattr(self.settings, kind)]
        return tuple(path for path in named if path.exists())

    @cached_property
    def font_files(self) -> tuple[Path, ...]:
        """The font files that come before memeloc's own."""
        found: list[Path] = []
        for path in self.folders("fonts"):
            if path.is_dir():
                kinds = {".ttf", ".otf", ".ttc", ".otc"}
                found += sorted(one for one in path.iterdir() if one.suffix.lower() in kinds)
            else:
                found.append(path)
        return tuple(found)

    @cached_property
    def locales(self) -> Registry:
        """The built-in locales and the workspace's own."""
        from memeloc.locales import Registry, default

        folders = self.folders("locales")
        return Registry.load(*folders) if folders else default()

    @cached_property
    def _templates(self) -> tuple[dict[str, Template], list[InputError]]:
        from memeloc.templates import load_templates

        return load_templates(self.folders("templates"))

    @property
    def templates(self) -> Mapping[str, Template]:
        """The built-in templates and the workspace's own, by name."""
        return self._templates[0]

    @property
    def template_problems(self) -> list[InputError]:
        """What is wrong with templates that were left out."""
        return self._templates[1]

    def locale(self, tag: str) -> Locale:
        """The locale a user means by `tag`; data are stored under its tag (zh is zh-Hans).

        Raises:
            InputError: there is none.
        """
        return self.locales.get(tag)

    @cached_property
    def source(self) -> Locale:
        """The language that captions are written in."""
        return self.locale(self.settings.source)

    @cached_property
    def languages(self) -> tuple[Locale, ...]:
        """The languages to translate into, as memeloc.toml lists them."""
        found = (self.locale(tag) for tag in self.settings.languages)
        return tuple(dict.fromkeys(one for one in found if one.tag != self.source.tag))

    # Captions

    def import_captions(
        self,
        path: str | Path,
        *,
        languages: Sequence[str] | None = None,
        templates: Sequence[Path] = (),
        strict: bool = False,
        on_progress: Callable[[int], None] | None = None,
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
            on_progress: is told how many more rows are stored.

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
            summary.problems[problem.kind] += 1
            if len(summary.examples) < _KEPT:
                summary.examples.append(problem)

        columns = importing.Columns(
            {column.name: column.locale.tag for column in table.languages},
            table.source.locale.tag,
        )
        file = FileRecord("captions", path.name, storing_files.sha256_of(path))
        importing.store_rows(self.database, table.rows(note), columns, file, summary, on_progress)
        return summary

    def current(
        self, language: str, meme_ids: Collection[str] | None = None
    ) -> dict[str, CaptionVersion]:
        """The current captions of a language, by meme, in the memes' order."""
        tag = self.locale(language).tag
        with self.database.read() as connection:
            if meme_ids is not None:
                return caption_versions.current_of(connection, tag, meme_ids)
            query = caption_versions.current_query(tag)
            rows = connection.execute(query)
            return {row.meme_id: caption_versions.version_of(row) for row in rows}

    def to_translate(
        self,
        language: str,
        only: Need | None = None,
        meme_ids: Collection[str] | None = None,
    ) -> list[ToTranslate]:
        """Captions that have no translation (`new`), or one of an earlier source (`changed`)."""
        tag = self.locale(language).tag
        with self.database.read() as connection:
            return list(caption_versions.to_translate(connection, tag, only, meme_ids))

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
    ) -> list[ToCorrect]:
        """The captions of a round for a sheet, in the memes' order; see `sheets_out.Only`.

        The text to be corrected is what the rounds before have left: two people of one round get
        the same, and round 2 gets the result of round 1.
        """
        tag = self.locale(language).tag
        with self.database.read() as connection:
            return list(
                sheets_out.items_to_correct(connection, tag, round_, person, only, meme_ids)
            )

    def record_sheet(self, sheet: SheetRecord, items: Sequence[tuple[str, int, int]]) -> bool:
        """Store which versions a sheet shows; False when the sheet is there already.

        Args:
            sheet: what it is.
            items: meme id, source version's id and base version's id, in the sheet's order.
        """
        with self.database.write() as connection:
            return sheets_out.record_sheet(connection, sheet, items)

    def sheets(self, language: str | None = None) -> list[SheetRecord]:
        """The sheets that went out, oldest first."""
        tag = None if language is None else self.locale(language).tag
        with self.database.read() as connection:
            return sheets_out.find_sheets(connection, tag)

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
        self, language: str | None = None, meme_ids: Collection[str] | None = None
    ) -> list[CorrectionRecord]:
        """What people answered, oldest first; standing is relative to the current source."""
        tag = None if language is None else self.locale(language).tag
        with self.database.read() as connection:
            return answers_in.find_corrections(connection, tag, meme_ids)

    def cases(
        self, language: str | None = None, *, decided: bool | None = False
    ) -> list[CaseRecord]:
        """What is left to settle; `decided` True gives what was settled, None both."""
        tag = None if language is None else self.locale(language).tag
        with self.database.read() as connection:
            return settling.find_cases(connection, tag, decided=decided)

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

        Returns the id of the version that settles it, None when the caption is kept. A later
        decision supersedes; the same one again changes nothing.

        Raises:
            InputError: there is no such case, or the answer is none of it.
        """
        with self.database.write() as connection:
            return settling.decide(
                connection, case_id, person=person, accept=accept, parts=parts, comment=comment
            )

    # Memory

    def memory(self, language: str, source_language: str | None = None) -> list[MemoryUnit]:
        """The translation memory of a pair of languages, oldest first: later ones are newer."""
        source = self.source.tag if source_language is None else self.locale(source_language).tag
        tag = self.locale(language).tag
        with self.database.read() as connection:
            return list(memory.find_units(connection, source, tag))

    def add_memory(self, units: Sequence[MemoryUnit], file: FileRecord | None = None) -> int:
        """Add units from outside (TMX); how many were new."""
        with self.database.write() as connection:
            return memory.add_units(connection, units, file)

    # Looking at it

    def status(self) -> list[LanguageStatus]:
        """How far each language is, the source language first."""
        wanted = [locale.tag for locale in self.languages]
        with self.database.read() as connection:
            return counting.count_languages(connection, wanted)

    def count_memes(self) -> int:
        """How many memes there are."""
        with self.database.read() as connection:
            return counting.count_memes(connection)


def workspace_folder(start: str | Path | None = None) -> Path:
    """The folder with memeloc.toml: `start` (by default the working directory) or one above it.

    Raises:
        InputError: there is none.
    """
    begin = Path.cwd() if start is None else Path(start).resolve()
    for folder in (begin, *begin.parents):
        if (folder / FILE).is_file():
            return folder
    raise InputError(
        "There is no workspace here, nor in any folder above; `memeloc init` makes one.",
        file=begin,
    )


def _write(file: Path, words: str) -> None:
    """Write a file whole or not at all."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        temporary.write_text(words, encoding="utf-8")
        os.replace(temporary, file)  # noqa: PTH105
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise WorkspaceError(f"{file}: cannot be written ({error.strerror}).") from error
