"""A table of captions becomes a parallel set. In: table, templates, fonts. Out: OUT, and a summary.

OUT/LANGUAGE/TEMPLATE/MEME_ID.jpg are the pictures, LANGUAGE being the table's column; OUT/manifest/
has tables with a row for each; OUT/index.html shows them; OUT/skipped.csv names what of the table
was left out. With `to="webdataset"` the pictures are in OUT/shards/ instead, as tar files that
WebDataset reads, each picture with its row beside it, and there is no page; with "parquet" as
tables with a column of pictures.

A set has one picture of a meme in a language. A run is a join of the captions and of the rows that
are there (`join`): a picture whose inputs hash as its row says, and whose file is there, is left
alone, and the rest is made in shards (`shards`). A shard is pictures and then the table of their
rows; nothing that is there is changed. What was replaced leaves its table in the end (`rewriting`),
and what the table has no caption for is marked there as such (the column `in_table`), and goes only
with `prune`. The file OUT/.memeloc/running says that a run has begun and not come to its end.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from memeloc.captions import CaptionsTable, read_captions
from memeloc.engine import ShardMap, map_shards
from memeloc.engine.machines import Checked, alike, seeing
from memeloc.errors import InputError
from memeloc.locales import Registry, default
from memeloc.model import Template
from memeloc.object_storage import Folder, folder_at
from memeloc.picture_writers import SUFFIXES, check_layout
from memeloc.render.sets.inputs import PictureInputs
from memeloc.render.sets.join import Join, shard_size
from memeloc.render.sets.manifest import FORMER, SHARDS, STATE, name_of, number_of
from memeloc.render.sets.out_folder import (
    SKIPPED,
    KeptPictures,
    RunningMark,
    check_owner,
    hold,
    see_folder,
)
from memeloc.render.sets.page import write_page
from memeloc.render.sets.report import Progress, Report, Summary
from memeloc.render.sets.rewriting import rewrite
from memeloc.render.sets.rows import Rows
from memeloc.render.sets.shards import PictureMaker
from memeloc.render.settings import RenderSettings
from memeloc.tables.frames import Frame, as_file, of_frame
from memeloc.templates import load_templates
from memeloc.templates.loading import problems_by_name
from memeloc.temporary_database import naming_full_folder

__all__ = ["Progress", "RenderSettings", "Summary", "render_table"]


@naming_full_folder()
def render_table(
    table: str | Path | Frame,
    out: str | Path | Folder,
    settings: RenderSettings = RenderSettings(),
    *,
    progress: Progress | None = None,
    shard_map: ShardMap = map_shards,
    left_out: Mapping[str, Collection[str]] | None = None,
    **options: Any,
) -> Summary:
    """Render the captions of a table into the folder `out`.

    It can be stopped at any instant and called again: what was finished is not made twice. With
    `jobs` above 1 a script must call it under `if __name__ == "__main__":`.

    Args:
        table: the captions table, see `memeloc.captions`; or a data frame of pandas, polars or
            another library, whose first row is row 1.
        out: the folder, which is made; or its address in object storage, as `s3://bucket/set`,
            see `memeloc.object_storage`.
        settings: how, in which languages.
        progress: gets how far it is.
        shard_map: how the shards are spread.
        left_out: by column, the memes whose caption is to be left out.
        options: fields of `RenderSettings` in the place of those of `settings`, as
            `languages="de,hi"`.

    Raises:
        InputError: table, languages, fonts or settings are wrong, or nothing can be rendered, or
            another run is at work in `out`, or `out` has files of somebody's own under names that
            a run writes, or an id cannot be a file's name on every system. Nothing was written.
        MissingError: a font is not installed.
        ServiceError: the storage cannot be reached, or refuses.
    """
    began = time.monotonic()
    settings = replace(settings, **options)
    check_layout(settings.to)
    registry = registry_of(settings)
    templates, notes = load_templates(settings.templates)
    place = folder_at(out)
    with as_file(table) as path:
        captions = read_captions(
            path,
            templates,
            None if settings.languages == "all" else settings.languages,
            source=settings.source_language,
            locales=registry,
            left_out=left_out,
            wrong_templates=problems_by_name(notes),
        )
        if settings.strict:
            captions.check()
        columns = tuple(column.name for column in captions.languages)
        summary = Summary(place, columns, layout=settings.to)
        check_owner(place, [SHARDS] if SUFFIXES[settings.to] else columns)
        is_new = STATE not in place.names()
        if is_new:
            captions.check_names()
        summary.notes += [*notes, *captions.ignored]
        with hold(place):
            rows = Rows({name: rank for rank, name in enumerate(captions.table.columns)})
            rows.load(place)
            if not is_new:
                captions.check_names(rows.ids())
            run = _Run(place, settings, templates, registry, captions, rows, summary, progress)
            run.make(shard_map)
            run.finish()
            summary.notes += captions.warnings.sentences()
        if isinstance(table, Frame):
            summary.input_problems = [of_frame(error, path) for error in summary.input_problems]
            summary.notes = [of_frame(error, path) for error in summary.notes]
    summary.seconds = time.monotonic() - began
    return summary


def registry_of(settings: RenderSettings) -> Registry:
    """Return the locales that settings name.

    Raises:
        InputError: a folder is not there, or one of its files is wrong.
    """
    return Registry.load(settings.locales) if settings.locales else default()


class _Run:
    """One run into a set that is held for it."""

    def __init__(
        self,
        place: Folder,
        settings: RenderSettings,
        templates: Mapping[str, Template],
        registry: Registry,
        table: CaptionsTable,
        rows: Rows,
        summary: Summary,
        progress: Progress | None,
    ) -> None:
        self._place, self._settings, self._registry = place, settings, registry
        self._rows, self._summary = rows, summary
        _check_same_layout(settings.to, rows, place)
        self._running = RunningMark(place)
        kept = KeptPictures(place, settings.to, self._running)
        if self._running.is_cut_off:
            kept.clean(rows.shards())
        languages = rows.languages()
        noted = [column.name for column in table.others if column.name in languages]
        table = replace(table, noted=noted)
        locales = {column.name: column.locale for column in (*table.languages, table.source)}
        self._maker = PictureMaker(place, settings, templates, locales)
        faces = {box.style.face for template in templates.values() for box in template.boxes}
        library = self._maker.renderer.fonts
        library.check(registry, locales.values(), faces)
        summary.notes += map(InputError, library.notes(locales.values(), faces))
        total = table.count()
        self._size = shard_size(total)
        self._report = Report(summary, progress, total)
        renderer = self._maker.renderer
        self._inputs = PictureInputs(renderer, settings, templates, locales, table.source.name)
        names = [*rows.tables, *place.names(SHARDS)]
        runs = [number_of(name)[0] for name in names]
        self._join = Join(
            table,
            settings,
            templates,
            self._maker,
            self._inputs,
            rows,
            kept,
            self._running,
            self._report,
            1 + max([self._running.cut_off_run, *runs]),
        )

    def make(self, shard_map: ShardMap) -> None:
        """Make all pictures that are not there yet."""
        shards = self._join.shards(self._size)
        first = list(islice(shards, 2))
        if not first:
            return
        self._begin()
        make = self._maker.run
        if shard_map is not map_shards:  # perhaps on other machines
            folder = self._place.path and self._place.path.absolute()
            see = partial(see_folder, Folder(folder) if folder else self._place)
            make = Checked(seeing(alike(make, self._maker.tools), self._inputs.images), see)
        jobs = self._settings.jobs if len(first) > 1 else 1
        shard_map(make, chain(first, shards), jobs=jobs, on_done=self._join.done)

    def _begin(self) -> None:
        self._running.begin(self._join.run)

    def _new_name(self) -> str:
        self._join.number += 1
        return name_of(self._join.run, self._join.number - 1)

    def finish(self) -> None:
        """Write anew what lost rows, and what shows the set, where that says something else now."""
        join, place, rows = self._join, self._place, self._rows
        self._summary.notes += self._inputs.notes
        join.settle_the_others()
        if FORMER in rows.tables:
            self._note_taken_over()
        rewrite(place, rows, self._size, self._new_name, self._begin)
        if self._settings.to == "files":
            write_page(place, self._registry, rows, self._begin)
        self._report.end()
        self._write_skipped()
        self._running.end()

    def _note_taken_over(self) -> None:
        """Say what became of a set made before, and remove what only such a set has."""
        self._begin()
        self._summary.notes.append(
            InputError(
                f"was made by an earlier version: {self._join.taken_over:,} pictures of it with "
                "the same text and size were taken over as they are; --force paints them anew.",
                file=self._place.address(FORMER),
            )
        )
        for entry in [
            *self._place.entries(f"{STATE}/parts"),
            self._place.entry(f"{STATE}/sources.parquet"),
        ]:
            if entry is not None:
                self._place.remove(entry.key)

    def _write_skipped(self) -> None:
        """Write what was left out of the table, in the place of what the last run left out."""
        content = self._report.skipped.content()
        is_there = SKIPPED in self._place.names()
        if content and not (is_there and self._place.read(SKIPPED) == content):
            self._begin()
            self._place.write(SKIPPED, content)
        elif is_there and not content:
            self._begin()
            self._place.remove(SKIPPED)


def _check_same_layout(layout: str, rows: Rows, place: Folder) -> None:
    """See that a set is all single files, or all files of many: its readers look in one place.

    Raises:
        InputError: there are pictures of another kind.
    """
    names = {suffix: name for name, suffix in SUFFIXES.items()}
    for suffix in rows.layouts():
        if (there := names.get(suffix, "files")) != layout:
            has = "shards" if suffix else "single files"
            raise InputError(
                f"The set in this folder has its pictures in {has}: render with --to {there}, or "
                "name another folder.",
                file=place.address(""),
            )
