"""A release, read back. In: the folder of a release. Out: `PublishedRelease`, checked.

Its pictures and their rows are read as every published table of memes is, by
`memeloc.collect.datasets` in the layout `memeloc`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from memeloc.errors import InputError
from memeloc.files import file_sha256, read_head
from memeloc.publish.folder import RELEASE, files_of
from memeloc.tables import read_table, text_of

_PICTURES = ("data", "pictures")
"""Folders of pictures and their rows."""
_CAPTIONS = ("meme_id", "template", "language", "text", "stage")
COLLECTED = "collected"
"""The stage of a finished meme's text, which is no caption of a template."""


@dataclass(frozen=True)
class PublishedRelease:
    """A release on disk, of which every file is as it was published.

    Attributes:
        layout: that it was written in.
        files: all, by their paths with `/`.
    """

    folder: Path
    layout: str
    files: tuple[str, ...]

    @property
    def beside_pictures(self) -> tuple[str, ...]:
        return tuple(name for name in self.files if PurePosixPath(name).parts[0] not in _PICTURES)

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(PurePosixPath(name).stem for name in self.files if name.startswith("tables/"))

    @cached_property
    def captions(self) -> dict[tuple[str, str], dict[str, str]]:
        """By meme and template the captions, by language; without texts of finished memes.

        Raises:
            InputError: the table `captions` is broken.
        """
        captions: dict[tuple[str, str], dict[str, str]] = {}
        for name in self.files:
            path = PurePosixPath(name)
            if path.stem == "captions" and path.parent == PurePosixPath("tables"):
                for meme, template, language, text, stage in _rows(self.folder / name):
                    if stage != COLLECTED:
                        captions.setdefault((meme, template), {})[language] = text
        return captions


def is_release(folder: Path) -> bool:
    return (folder / RELEASE).is_file() and files_of(folder) is not None


def open_release(folder: Path) -> PublishedRelease:
    """A release, after all of its files were compared with what release.json says.

    Raises:
        InputError: it is none, or a file is missing, changed, or outside the folder.
    """
    read_head(folder / RELEASE)
    values = files_of(folder)
    if values is None:
        raise InputError(f"{RELEASE} is broken; publish the dataset again.", file=folder)
    for name, noted in values["files"].items():
        path = PurePosixPath(name)
        file = folder.joinpath(*path.parts)
        is_inside = not path.is_absolute() and path.parts and ".." not in path.parts
        if not is_inside or not file.resolve().is_relative_to(folder.resolve()):
            raise InputError(f"{RELEASE} names {name[:80]!r}, which is outside of it.", file=folder)
        if not file.is_file():
            raise InputError("is missing in the release; get it again.", file=file)
        if not isinstance(noted, dict) or file_sha256(file) != noted.get("sha256"):
            raise InputError(
                "is not as it was published (its SHA-256 is another); get it again, or remove "
                f"{RELEASE} to import the folder like one that others made.",
                file=file,
            )
    files = (*values["files"], RELEASE)
    return PublishedRelease(folder, str(values.get("layout", ""))[:40], files)


def _rows(path: Path) -> Iterator[list[str]]:
    table = read_table(path, _CAPTIONS)
    for row in table.rows:
        if row.error:
            raise InputError(row.error, file=path, row=row.number)
        cells = dict(zip(row.header.names, row.cells, strict=False))
        yield [text_of(cells.get(name)) for name in _CAPTIONS]
