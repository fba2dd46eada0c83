"""Captions in and out. In: a captions table. Out: what was imported, tables, states."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.items import OWN_NAME
from memeloc.locales.tags import listed_tags
from memeloc.model import Acceptance
from memeloc.sheets import write_sheet, write_sheet_table
from memeloc.store import records
from memeloc.store.captions.versions import ALL_LANGUAGES
from memeloc.workspace.folder import Part

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.captions import CaptionRow
    from memeloc.tables.rows import Frame

COLLECTED = ("items", "verdicts", "pictures", "templates", "funnel")
"""The tables of what was collected, see `memeloc.workspace.selecting`."""

_NOT_SELECTED = (
    "The caption was collected and is no meme yet: memeloc select makes memes of those that pass."
)
_EXAMPLES = 100
"""Problems of a table that a result holds one by one."""


class Captions(Part):
    """Captions in and out."""

    def import_table(
        self,
        table: str | Path | Frame,
        *,
        languages: Sequence[str] | None = None,
        templates: Sequence[Path] = (),
        state: records.Translations = "given",
        by: str = "",
        strict: bool = False,
        dry_run: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> records.ImportRecord:
        """Import a captions table, see `memeloc.captions`; the same table again adds nothing.

        A source caption that differs becomes a new version; a cell of another language becomes the
        caption unless it is what was imported last or what stands there now. So importing an old
        table again undoes no correction. Captions may come before their templates. What people
        wrote stands when its source changes, and is outdated until somebody has looked at it. Rows
        of captions that were collected and are not selected are left out.

        Args:
            table: a file (CSV, a workbook, JSON Lines, Parquet), or a frame of pandas, polars or
                pyarrow.
            languages: of the columns to import besides the source; None is all.
            templates: folders of templates besides the workspace's; those that the table names are
                copied into the workspace.
            state: what the captions that translate the source are: `given` as they are by people,
                or a `machine`'s, which people correct; these never take the place of people's.
            by: the person or the translator who made them.
            strict: store nothing when anything is wrong in the table, or a template unknown.
        """
        from memeloc.captions import CaptionProblem, read_captions

        workspace, store = self._workspace, self._store
        source, ids = workspace.source.tag, store.captions.ids()
        if languages is not None:
            languages = [source, *listed_tags(languages)]
        usable, wrong = workspace.templates_with(templates)
        read = read_captions(
            table,
            usable,
            languages,
            source=source,
            locales=workspace.locales,
            known_ids=ids,
            new_templates=not strict,
        )
        if strict:
            read.check()
        if templates:
            named = {row["template"] for row in read.table.rows} & usable.keys()
            workspace.keep_templates({name: usable[name] for name in sorted(named)}, dry_run)
        record = records.ImportRecord(notes=[str(note) for note in (*wrong, *read.ignored)])
        waiting = {item.details.get(OWN_NAME) for item in store.items.find("caption")} - {*ids}

        def note(problem: CaptionProblem) -> None:
            column = problem.error.column
            if problem.kind == "empty caption" and column and column != read.source.name:
                record.empty[column] += 1
                return
            record.problems[problem.kind] += 1
            is_first = record.problems[problem.kind] == 1
            if is_first or (problem.kind != "not selected" and len(record.left_out) < _EXAMPLES):
                record.left_out.append(str(problem.error))

        def checked() -> Iterator[CaptionRow]:
            for row in read.rows(note):
                if row.meme_id in waiting:
                    error = InputError(_NOT_SELECTED, file=read.table.path, row=row.row)
                    note(CaptionProblem("not selected", error, len(row.captions)))
                    continue
                if row.template not in usable and row.source is not None:
                    record.waiting[row.template] += 1
                yield row

        path, rows = read.table.path, read.count() // len(read.languages)
        if path.is_file():
            sha256 = file_sha256(path)
        else:  # a frame is known by what its cells hold
            cells = (repr(row.cells) for row in read.table.rows)
            text = "".join([repr(read.table.columns), *cells])
            sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        store.captions.import_rows(
            checked(),
            {column.name: column.locale.tag for column in read.languages},
            source,
            records.FileRecord("captions", path.name, sha256, rows),
            lambda more: on_progress(more, rows) if on_progress else None,
            state=state,
            by=by,
            record=record,
            dry_run=dry_run,
        )
        record.notes += [*map(str, read.warnings()), *record.what_follows(usable)]
        return record

    def table(
        self, name: str = "captions", *, captions: records.Accept = "any", selected: bool = False
    ) -> pd.DataFrame:
        """Return a table of the workspace as a frame.

        There are captions (a row a meme, a column a language), history (a row for every version),
        memes, corrections, cases, drops, memory, sheets, failures (translations that failed and
        were billed), files; of what was collected items, verdicts, pictures, templates, funnel (see
        `memeloc.workspace.selecting`).

        Args:
            captions: of the table `captions`, which are in it: `accepted`, `corrected` (these
                also) or `any` (but what is dropped); see `memeloc.store.captions.states`.
            selected: of the tables of what was collected, only what is selected.
        """
        _check_table(name, captions, selected)
        if name in COLLECTED:
            from memeloc.store.exports import as_frame
            from memeloc.workspace.selecting import open_table

            return as_frame(*open_table(self._workspace, name, selected=selected))
        return self._store.exports.frame(name, self._workspace.tags, captions, self._rounds)

    def export(
        self, name: str, to: str | Path, *, captions: records.Accept = "any", selected: bool = False
    ) -> dict[str, Any]:
        """Write a table (see `table`) to a .csv, .jsonl or .parquet file; return its name, how many
        rows it has, its file, and of captions the `Acceptance`."""
        _check_table(name, captions, selected)
        if name in COLLECTED:
            from memeloc.workspace.selecting import open_table

            table = open_table(self._workspace, name, selected=selected)
            file, rows = write_sheet_table(Path(to), *table)
        else:
            tags, write = self._workspace.tags, self._store.exports.write
            file, rows = write_sheet(
                Path(to), lambda draft: write(name, draft, tags, captions, self._rounds)
            )
        acceptance = self.acceptance(captions) if name == "captions" else None
        return {"table": name, "rows": rows, "file": file, "acceptance": acceptance}

    def states(
        self, languages: Sequence[str] | None = None, *, kind: records.Kind = "caption"
    ) -> list[records.CaptionStatus]:
        """Return the state of each caption, see `memeloc.store.captions.states`."""
        return self._store.captions.states(self._wanted(languages), kind, self._rounds)

    def acceptance(
        self, captions: records.Accept, languages: Sequence[str] | None = None
    ) -> Acceptance:
        """Count the captions that something takes by their states, and those it leaves out."""
        return self._store.captions.acceptance(captions, self._wanted(languages), self._rounds)

    def drop(
        self,
        meme_ids: Collection[str],
        why: str = "",
        *,
        languages: Sequence[str] | None = None,
        person: str,
        take_back: bool = False,
    ) -> int:
        """Drop memes, such as those whose wordplay no language has: leave them out of everything.
        Nothing of them is deleted. `languages` are those they are dropped in; None, or with the
        source language, is all. With `take_back` they are brought back. Return how many memes and
        languages were not dropped before, or were."""
        tags = self._wanted(languages)
        if tags is None and take_back:
            tags = list({row.language for row in self.dropped() if row.meme_id in meme_ids})
        elif tags is None or self._workspace.source.tag in tags:
            tags = [ALL_LANGUAGES]
        return self._store.drops.add(
            meme_ids, tags, dropped=not take_back, person=person, comment=why
        )

    def dropped(self) -> list[records.DropRecord]:
        return self._store.drops.find()

    @property
    def _rounds(self) -> int:
        return self._workspace.settings.correction.rounds

    def _wanted(self, languages: Sequence[str] | None) -> list[str] | None:
        if languages is None:
            return None
        return [self._workspace.locale(tag).tag for tag in listed_tags(languages)]


def _check_table(table: str, captions: records.Accept, selected: bool) -> None:
    from memeloc.store.exports import TABLES

    if table not in (*TABLES, *COLLECTED):
        names = ", ".join((*TABLES, *COLLECTED))
        raise InputError(f"There is no table {table[:40]!r}; there are {names}.")
    if captions != "any" and table != "captions":
        raise InputError(
            f"Only the table captions leaves captions out by their states, not {table[:40]!r}."
        )
    if selected and table not in COLLECTED[:-1]:
        others = ", ".join(COLLECTED[:-1])
        raise InputError(f"Only {others} leave out what is not selected, not {table[:40]!r}.")
