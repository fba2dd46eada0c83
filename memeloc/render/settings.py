"""Settings of a rendered set. In: what is asked for. Out: `RenderSettings`, declared once.

`render_table`, a workspace's `render` and the command line take the same fields by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.errors import InputError
from memeloc.render.encode import Settings, setting

if TYPE_CHECKING:
    from memeloc.locales import Registry
    from memeloc.model import Template
    from memeloc.picture_writers import Layout

Places = str | Path | Sequence[str | Path]
"""Files or folders: one, or several."""


@dataclass(frozen=True)
class RenderSettings(Settings):
    """How a table of captions becomes a set of pictures.

    Attributes:
        languages: tags, one text of tags with commas between, or "all" for every language column.
        to: how pictures are kept: "files"; or "webdataset" or "parquet": many in a file of
            OUT/shards, without single files and page.
        templates: folders of templates besides the built-in ones; or templates by name, in the
            place of all others.
        fonts: that come before memeloc's own, see `memeloc.fonts.FontLibrary`.
        locales: folders of locales besides the built-in ones; or a registry, in the place of them.
        source_language: the language that sizes are compared with; None is the table's first.
        jobs: processes.
        strict: end before anything is rendered when anything is wrong in the table.
        force: render also what is unchanged.
        prune: remove the pictures of earlier runs that the table has no caption for.
    """

    languages: str | Sequence[str] = setting(
        "all",
        "Languages to render, as de,es,hi,zh; or all, for every column.",
        name="--langs",
        metavar="TAGS",
    )
    to: Layout = setting(
        "files",
        "files; webdataset: DIR/shards, as tar files; or parquet: there, with pictures in it.",
        metavar="LAYOUT",
    )
    templates: Places | Mapping[str, Template] = setting(
        (), "A folder of templates or pictures of yours; may be repeated."
    )
    fonts: Places = setting((), "A font of yours, used first; may be repeated.")
    locales: Places | Registry = setting(
        (), "A folder of locales of yours (one TOML each); may be repeated."
    )
    source_language: str | None = setting(
        None,
        "The language that sizes are compared with.",
        name="--source",
        metavar="TAG",
        show_default="the table's first",
    )
    jobs: int = setting(1, "Processes.")
    strict: bool = setting(False, "Do nothing if anything in the table is wrong.")
    force: bool = setting(False, "Render what is unchanged, too.")
    prune: bool = setting(
        False, "Remove pictures of earlier runs that the table has no caption for."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.jobs < 1:
            raise InputError(f"There is at least 1 process, not {self.jobs}.")


def listed(places: Places) -> list[str | Path]:
    """Return one place, or several, as a list.

    >>> listed("out"), listed(["a", "b"])
    (['out'], ['a', 'b'])
    """
    return [places] if isinstance(places, str | Path) else [*places]
