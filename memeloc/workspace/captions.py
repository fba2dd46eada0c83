"""Captions in and out. In: a captions table. Out: what was imported, tables, states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.locales.tags import listed_tags
from memeloc.model import Acceptance
from memeloc.sheets import write_sheet, write_sheet_table
from memeloc.store.captions.versions import ALL_LANGUAGES
from memeloc.store.records import (
    Accept,
    CaptionStatus,
    DropRecord,
    FileRecord,
    ImportSummary,
    Kind,
)
from memeloc.workspace.part import Part

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.captions import CaptionProblem, CaptionRow

COLLECTED = ("items", "verdicts", "pictures", "templates", "funnel")
"""The tables of what was collected, see `memeloc.workspace.curating.collected_tables`."""

_EXAMPLES = 100
"""Problems of a table that a result holds one by one."""
_LISTED = 10
"""Templates that memes wait for, that a sentence names."""


@dataclass(slots=True)
class ImportResult(ImportSummary):
    """What an import of a captions table did.

    Attributes:
        empty: empty cells of languages other than the source, by column: still to translate.
        problems: other problems of the table, by kind.
        left_out: the first hundred of them, as sentences with file, row and column.
        notes: columns and templates that were left out, and warnings of captions that were not.
        waiting: imported memes whose template is not there yet, by its name; they are left out of
            pictures until it is.
    """

    empty: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)
    left_out: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    waiting: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class ExportResult:
    """A table of the workspace as a file; of captions, which of them are in it."""

    table: str
    rows: int
    file: Path
    acceptance: Acceptance | None = None


class Captions(Part):
    """Captions in and out."""

    def import_table(
        self,
        path: str | Path,
        *,
        languages: Sequence[str] | None = None,
        templates: Sequence[Path] = (),
        strict: bool = False,
        dry_run: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> ImportResult:
        """Import a captions table, see `memeloc.captions`; the same table again adds nothing.

        A source caption that differs becomes a new version; a cell of another language becomes the
        caption (stage `imported`) unless it is what was imported last or what stands there now. So
        importing an old table again undoes no correction. Captions may come before their templates.
        What people wrote stands when its source changes, and is outdated until somebody has looked
        at it (`ImportResult.outdated`).

        Args:
            path: CSV, JSON Lines or Parquet.
            languages: of the columns to import besides the source; None is all.
            templates: folders of templates besides the workspace's.
            strict: store nothing when anything is wrong in the table, or a template unknown.
            dry_run: say what would become of it, and store nothing.

        Raises:
            InputError: it is not a captions table, or has nothing to import.
        """
        from memeloc.captions import read_captions
        from memeloc.templates import load_templates

        workspace, path = self._workspace, Path(path)
        known, wrong = workspace.templates, workspace.template_problems
        if templates:
            known, wrong = load_templates((*workspace.folders("templates"), *templates))
        source = workspace.source.tag
        if languages is not None:
            languages = [source, *listed_tags(languages)]
        table = read_captions(
            path,
            known,
            languages,
            source=source,
            locales=workspace.locales,
            known_ids=self._store.captions.ids(),
            new_templates=not strict,
        )
        if strict:
            table.check()
        result = ImportResult(notes=[str(note) for note in (*wrong, *table.ignored)])

        def note(problem: CaptionProblem) -> None:
            column = problem.error.column
            if problem.kind == "empty caption" and column and column != table.source.name:
                result.empty[column] += 1
                return
            result.problems[problem.kind] += 1
            if len(result.left_out) < _EXAMPLES:
                result.left_out.append(str(problem.error))

        def counted() -> Iterator[CaptionRow]:
            for row in table.rows(note):
                if row.template not in known and row.source is not None:
                    result.waiting[row.template] += 1
                yield row

        tags = {column.name: column.locale.tag for column in table.languages}
        rows = table.count() // len(table.languages)
        summary = self._store.captions.import_rows(
            counted(),
            tags,
            source,
            FileRecord("captions", path.name, file_sha256(path), rows),
            lambda more: on_progress(more, rows) if on_progress else None,
            dry_run=dry_run,
        )
        for each in fields(summary):
            setattr(result, each.name, getattr(summary, each.name))
        result.notes += map(str, table.warnings())
        if result.outdated:
            result.notes.append(outdated_sentence(result.outdated))
        if result.waiting:
            result.notes.append(_waiting(result.waiting, known))
        return result

    def table(
        self, name: str = "captions", *, captions: Accept = "any", selected: bool = False
    ) -> pd.DataFrame:
        """A table of the workspace as a frame: captions (a row a meme, a column a language),
        history (a row for every version), memes, corrections, cases, drops, memory, sheets,
        failures (translations that failed and were billed), files; of what was collected items,
        verdicts, pictures, templates, funnel (see `memeloc.workspace.curating.collected_tables`).

        Args:
            captions: of the table `captions`, which are in it: `accepted`, `corrected` (these
                also) or `any` (but what is dropped); see `memeloc.store.captions.states`.
            selected: of the tables of what was collected, only what is selected.

        Raises:
            InputError: there is no such table, or an option is of another.
        """
        _check_table(name, captions, selected)
        if name in COLLECTED:
            from memeloc.store.exports import as_frame
            from memeloc.workspace.curating.collected_tables import open_table

            return as_frame(*open_table(self._workspace, name, selected=selected))
        return self._store.exports.frame(name, self._tags(), captions, self._rounds)

    def export(
        self, name: str, to: str | Path, *, captions: Accept = "any", selected: bool = False
    ) -> ExportResult:
        """Write a table (see `table`) to a .csv, .jsonl or .parquet file; see `memeloc.sheets`."""
        _check_table(name, captions, selected)
        if name in COLLECTED:
            from memeloc.workspace.curating.collected_tables import open_table

            table = open_table(self._workspace, name, selected=selected)
            file, rows = write_sheet_table(Path(to), *table)
            return ExportResult(name, rows, file)
        tags, export = self._tags(), self._store.exports.write
        file, rows = write_sheet(
            Path(to), lambda draft: export(name, draft, tags, captions, self._rounds)
        )
        acceptance = self.acceptance(captions) if name == "captions" else None
        return ExportResult(name, rows, file, acceptance)

    def states(
        self, languages: Sequence[str] | None = None, *, kind: Kind = "caption"
    ) -> list[CaptionStatus]:
        """The state of each caption, see `memeloc.store.captions.states`; None is all languages."""
        return self._store.captions.states(self._wanted(languages), kind, self._rounds)

    def acceptance(self, captions: Accept, languages: Sequence[str] | None = None) -> Acceptance:
        """How many captions something takes by their states, and how many it leaves out and why."""
        return self._store.captions.acceptance(captions, self._wanted(languages), self._rounds)

    def drop(
        self,
        meme_ids: Collection[str],
        why: str,
        *,
        languages: Sequence[str] | None = None,
        person: str,
    ) -> int:
        """Drop memes, such as those whose wordplay no language has: leave them out of everything.

        Nothing of them is deleted. `languages` are those they are dropped in; None, or with the
        source language, is all. Returns how many memes and languages were not dropped before.

        Raises:
            InputError: there is no such meme.
        """
        tags = self._dropped_in(languages)
        return self._store.drops.add(meme_ids, tags, dropped=True, person=person, comment=why)

    def take_back(
        self,
        meme_ids: Collection[str],
        why: str = "",
        *,
        languages: Sequence[str] | None = None,
        person: str,
    ) -> int:
        """Take the dropping of memes back, in some languages or (None) in all; how many it was of.

        Raises:
            InputError: there is no such meme.
        """
        tags = self._dropped_in(languages)
        if languages is None:
            tags = list({row.language for row in self.dropped() if row.meme_id in meme_ids})
        return self._store.drops.add(meme_ids, tags, dropped=False, person=person, comment=why)

    def dropped(self) -> list[DropRecord]:
        """What is dropped now, oldest first."""
        return self._store.drops.find()

    def _dropped_in(self, languages: Sequence[str] | None) -> list[str]:
        tags = [self._workspace.locale(tag).tag for tag in listed_tags(languages or ())]
        everywhere = languages is None or self._workspace.source.tag in tags
        return [ALL_LANGUAGES] if everywhere else tags

    @property
    def _rounds(self) -> int:
        return self._workspace.settings.correction.rounds

    def _wanted(self, languages: Sequence[str] | None) -> list[str] | None:
        if languages is None:
            return None
        return [self._workspace.locale(tag).tag for tag in listed_tags(languages)]

    def _tags(self) -> list[str]:
        return [locale.tag for locale in (self._workspace.source, *self._workspace.languages)]


def _check_table(table: str, captions: Accept, selected: bool) -> None:
    from memeloc.store.exports import TABLES

    if table not in (*TABLES, *COLLECTED):
        there = ", ".join((*TABLES, *COLLECTED))
        raise InputError(f"There is no table {table[:40]!r}; there are {there}.")
    if captions != "any" and table != "captions":
        raise InputError(
            f"Only the table captions leaves captions out by their states, not {table[:40]!r}."
        )
    if (selected and table not in COLLECTED) or (selected and table == "funnel"):
        others = ", ".join(name for name in COLLECTED if name != "funnel")
        raise InputError(f"Only {others} leave out what is not selected, not {table[:40]!r}.")


def _waiting(waiting: Counter[str], known: Collection[str]) -> str:
    """The sentence for memes whose templates are not there yet, with known names that are near."""
    listed = []
    for name, count in waiting.most_common(_LISTED):
        near = get_close_matches(name, known, 1, 0.8)
        hint = f"; did you mean {near[0]}?" if near else ""
        listed.append(f"{name} ({count:,}{hint})")
    more = [f"and {len(waiting) - _LISTED:,} more"] if len(waiting) > _LISTED else []
    memes, templates = waiting.total(), len(waiting)
    return (
        f"{memes:,} {'meme waits' if memes == 1 else 'memes wait'} for {templates:,} "
        f"{'template' if templates == 1 else 'templates'}: {', '.join([*listed, *more])}. "
        "They are left out of pictures until the templates are there."
    )


def outdated_sentence(outdated: Counter[str]) -> str:
    """Return a sentence on what an import left outdated, and what to do about it."""
    count = counted(outdated.total(), "text that people wrote is", "texts that people wrote are")
    languages = ", ".join(f"{tag} {number:,}" for tag, number in sorted(outdated.items()))
    return (
        f"{count} outdated now, for the source has changed ({languages}), and in use until "
        "somebody has looked: memeloc correct export --langs TAG --only changed, which shows a "
        "machine's suggestion beside each if `memeloc translate` comes first."
    )
