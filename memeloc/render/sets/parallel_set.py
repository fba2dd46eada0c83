"""A table of captions becomes a parallel set. In: table, templates, fonts. Out: OUT, and a summary.

OUT/LANGUAGE/TEMPLATE/MEME_ID.jpg are the pictures, LANGUAGE being the table's column; OUT/
manifest.parquet has a row for each; OUT/index.html shows them; OUT/skipped.csv names what of the
table was left out. With `to="webdataset"` the pictures are in OUT/shards/ instead, as tar files
that WebDataset reads, each picture with its row beside it, and there is no page; with "parquet"
as tables with a column of pictures.

A set has one picture of a meme in a language. A run into the folder of another adds to its set:
what it makes takes the place of what was there of the same meme and language, and all else stays,
in manifest and page too. What the table has no caption for is marked there as such (the column
`in_table`), and goes only with `prune`. In a folder that is not memeloc's nothing is written over.

A run goes over the table once, a shard of memes at a time. A picture whose inputs hash as the
manifest says, and whose file is there, is left alone. OUT/.memeloc/ holds the parts of finished
shards until the end; the file `running` in it says that a run has begun and not come to its end.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from memeloc.captions import read_captions
from memeloc.engine import ShardMap, map_shards
from memeloc.locales import Registry, default
from memeloc.object_storage import Folder, folder_at
from memeloc.render.encode import Format, Settings
from memeloc.render.sets.manifest import known_ids
from memeloc.render.sets.out_folder import SKIPPED, SkippedFile, check_owner, hold
from memeloc.render.sets.picture_shards import storage_of
from memeloc.render.sets.run import Progress, Run
from memeloc.render.sets.set_folder import set_folder
from memeloc.render.sets.storage import Layout
from memeloc.render.sets.summary import Summary
from memeloc.tables.frames import Frame, as_file, of_frame
from memeloc.templates import load_templates
from memeloc.templates.loading import problems_by_name
from memeloc.temporary_database import naming_full_folder

__all__ = ["Progress", "Summary", "render_table"]


@naming_full_folder()
def render_table(
    table: str | Path | Frame,
    out: str | Path | Folder,
    *,
    languages: str | Sequence[str],
    templates: Sequence[Path] = (),
    fonts: Sequence[str | Path] = (),
    locales: Sequence[Path] = (),
    format: Format = "jpg",
    quality: int = 90,
    max_side: int | None = None,
    jobs: int = 1,
    parity: bool = False,
    strict: bool = False,
    force: bool = False,
    prune: bool = False,
    source_language: str | None = None,
    left_out: Mapping[str, Collection[str]] | None = None,
    to: Layout = "files",
    progress: Progress | None = None,
    shard_map: ShardMap = map_shards,
) -> Summary:
    """Render the captions of a table, in the languages asked for, into the folder `out`.

    It can be stopped at any instant and called again: what was finished is not made twice. With
    `jobs` above 1 a script must call it under `if __name__ == "__main__":`.

    Args:
        table: the captions table, see `memeloc.captions`; or a data frame of pandas, polars or
            another library, whose first row is row 1.
        out: the folder, which is made; or its address in object storage, as `s3://bucket/set`,
            see `memeloc.object_storage`.
        languages: tags, one tag, or "all" for every language column.
        templates: folders of templates besides the built-in ones.
        fonts: fonts that come before memeloc's own, see `FontLibrary`.
        locales: folders of locales besides the built-in ones.
        format, quality, max_side, parity: see `Settings`.
        jobs: processes.
        strict: end before anything is rendered when anything is wrong in the table.
        force: render also what is unchanged.
        prune: remove the pictures of earlier runs that the table has no caption for.
        source_language: the language that sizes are compared with; None is the table's first.
        left_out: by column, the memes whose caption is to be left out.
        to: "files"; or "webdataset" or "parquet": shards in `out`/shards, without single files and
            page.
        progress: gets how far it is.
        shard_map: how the shards are spread.

    Raises:
        InputError: table, languages, fonts or settings are wrong, or nothing can be rendered, or
            another run is at work in `out`, or `out` has files of somebody's own under names that
            a run writes, or an id cannot be a file's name on every system. Nothing was written.
        MissingError: a font is not installed.
        ServiceError: the storage cannot be reached, or refuses.
    """
    began = time.monotonic()
    settings = Settings(format, quality, max_side, parity)
    registry = Registry.load(*locales) if locales else default()
    by_name, notes = load_templates(templates)
    place = folder_at(out)
    storage = storage_of(to, place)
    with as_file(table) as path, set_folder(place) as folder:
        captions = read_captions(
            path,
            by_name,
            None if languages == "all" else languages,
            source=source_language,
            locales=registry,
            left_out=left_out,
            wrong_templates=problems_by_name(notes),
        )
        if strict:
            captions.check()
        columns = tuple(column.name for column in captions.languages)
        summary = Summary(place, columns, layout=to)
        check_owner(folder.path, storage.names(columns), shown=place.address(""))
        captions.check_names(known_ids(folder.path))
        summary.notes += [*notes, *captions.ignored]
        with (
            hold(folder.path),
            SkippedFile(folder.path / SKIPPED) as skipped,
            closing(
                Run(
                    captions,
                    by_name,
                    settings,
                    fonts,
                    registry,
                    summary,
                    folder,
                    storage,
                    skipped,
                    force,
                    prune,
                )
            ) as run,
        ):
            run.on_progress(progress)
            run.render(jobs, shard_map)
            run.finish()
            summary.notes += captions.warnings.sentences()
        folder.publish()  # with what was skipped, which is whole only now
        if isinstance(table, Frame):
            summary.input_problems = [of_frame(error, path) for error in summary.input_problems]
            summary.notes = [of_frame(error, path) for error in summary.notes]
    summary.seconds = time.monotonic() - began
    return summary
