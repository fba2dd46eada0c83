"""A table of captions becomes a parallel set. In: table, templates, fonts. Out: OUT, and a summary.

OUT/LANGUAGE/TEMPLATE/MEME_ID.jpg are the pictures, LANGUAGE being the table's column; OUT/manifest/
has tables with a row for each; OUT/index.html shows them; OUT/skipped.csv names what of the table
was left out. With `to="webdataset"` the pictures are in OUT/shards/ instead, as tar files that
WebDataset reads, each picture with its row beside it, and there is no page; with "parquet" as
tables with a column of pictures.

A set has one picture of a meme in a language. A run is a join of the captions and of the rows that
are there (`join`): a picture whose inputs hash as its row says, and whose file is there, is left
alone, and the rest is made in shards (`shards`). A shard is pictures and then the table of their
rows; nothing that is there is changed. What was replaced leaves its table in the end (`rewrite`),
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

from memeloc.captions import read_captions
from memeloc.engine import Checked, ShardMap, alike, map_shards, seeing
from memeloc.errors import InputError
from memeloc.files import naming_full_folder
from memeloc.locales import Registry, default
from memeloc.object_storage import Folder, folder_at
from memeloc.picture_writers import SUFFIXES, check_layout
from memeloc.render.sets.join import Join, Progress, Summary, rewrite, shard_size
from memeloc.render.sets.manifest import FORMER, SHARDS, STATE
from memeloc.render.sets.out_folder import OutFolder, check_owner, hold, see_folder
from memeloc.render.sets.page import write_page
from memeloc.render.sets.rows import Rows
from memeloc.render.sets.shards import PictureMaker
from memeloc.render.settings import RenderSettings
from memeloc.tables.rows import Frame
from memeloc.templates import load_templates
from memeloc.templates.loading import problems_by_name

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
    `jobs` above 1 a script must call it under `if __name__ == "__main__":`. Raise InputError if
    table, languages, fonts or settings are wrong, or nothing can be rendered, or another run is at
    work in `out`, or `out` has files of somebody's own under names that a run writes, or an id
    cannot be a file's name on every system (nothing was written then); MissingError if a font is
    not installed; ServiceError if the storage cannot be reached, or refuses.

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
    """
    began = time.monotonic()
    settings = replace(settings, **options)
    check_layout(settings.to)
    registry = registry_of(settings)
    templates, notes = load_templates(settings.templates)
    place = folder_at(out)
    captions = read_captions(
        table,
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
    summary = Summary(place, columns, layout=settings.to, progress=progress)
    check_owner(place, [SHARDS] if SUFFIXES[settings.to] else columns)
    is_new = STATE not in place.names()
    if is_new:
        captions.check_names()
    summary.notes += [*notes, *captions.ignored]
    with hold(place):
        rows = Rows({name: rank for rank, name in enumerate(captions.table.columns)})
        rows.load(place)
        rows.check_layout(settings.to, place)
        if not is_new:
            captions.check_names(rows.distinct("meme_id"))
        folder = OutFolder(place, settings.to, rows.tables)
        if folder.is_cut_off:
            folder.clean({*rows.distinct("shard")})
        rendered = {*rows.distinct("language")}
        captions.others = [column for column in captions.others if column.name in rendered]
        locales = dict((*captions.languages, captions.source))
        maker = PictureMaker(place, settings, templates, locales, captions.source.name)
        faces = {box.style.face for template in templates.values() for box in template.boxes}
        fonts = maker.renderer.fonts
        fonts.check(registry, locales.values(), faces)
        summary.notes += map(InputError, fonts.notes(locales.values(), faces))
        summary.total = captions.count()
        if progress is not None:
            progress(0, summary.total)
        join = Join(captions, maker, rows, folder, summary)
        _make(join, shard_map)
        for template in join.templates():
            for note in template.notes:
                summary.note(note, template.image.parent)
        join.settle_the_others()
        if FORMER in rows.tables:
            summary.note(
                f"was made by an earlier version: {join.taken_over:,} pictures of it with the "
                "same text and size were taken over as they are; --force paints them anew.",
                place.address(FORMER),
            )
        rewrite(join, shard_size(summary.total))
        if summary.page:
            write_page(place, registry, rows, folder.begin)
        summary.end(folder.begin)
        folder.end()
        summary.notes += captions.warnings()
    summary.seconds = time.monotonic() - began
    return summary


def registry_of(settings: RenderSettings) -> Registry:
    """Return the locales that settings name; raise InputError where one of them is wrong."""
    return Registry.load(settings.locales) if settings.locales else default()


def _make(join: Join, shard_map: ShardMap) -> None:
    shards = join.shards(shard_size(join.summary.total))
    first = list(islice(shards, 2))
    if not first:
        return
    join.folder.begin()
    make = join.maker.run
    if shard_map is not map_shards:  # perhaps on other machines
        see = partial(see_folder, join.summary.out.absolute())
        images = {template.image for template in join.templates()}
        make = Checked(make, [see, seeing(images), alike(join.maker.tools)])
    jobs = join.maker.settings.jobs if len(first) > 1 else 1
    shard_map(make, chain(first, shards), jobs=jobs, on_done=join.done)
