"""Datasets in the forms of the Hugging Face Hub, on disk. In: a folder or file. Out: memes.

Four forms, all of which may stand in one folder: Parquet, or Arrow as `save_to_disk` writes it,
with a column of pictures (a struct of `bytes` and `path`, or bytes); WebDataset shards; pictures
with a table metadata.csv, .jsonl or .parquet whose column `file_name` names them; and pictures in
folders that are named by their class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.collect.datasets.folder import NotTakenError, read_picture
from memeloc.collect.datasets.layouts import Layout, layout_of
from memeloc.collect.datasets.reader import Found, TablesSource
from memeloc.collect.protocol import TablePreview
from memeloc.errors import InputError
from memeloc.items import FoundPicture

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

_PACKED = (".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".7z", ".rar", ".gz", ".zst")
_SPLITS = frozenset({"train", "test", "validation", "valid", "val", "dev", "data", "images"})


@dataclass
class HuggingFaceSource(TablesSource):
    """A dataset in a form of the Hugging Face Hub.

    Args:
        path: a folder, or one Parquet file.
        image: the column of pictures; without, one named image or the like.
        text: the column of the text in the pictures; without, one named text, caption or the like.
        label: columns that are labels; without, those whose names begin with label.
        language: tag of the language; without, what a column named language says.
        terms: licence or terms of use; without, what the folder's README or licence says.
    """

    name = "huggingface"
    summary = "a dataset as on the Hugging Face Hub: Parquet with pictures, shards, an image folder"

    path: Path
    _: KW_ONLY
    image: str = ""
    text: str = ""
    label: tuple[str, ...] = ()
    language: str = ""
    terms: str = ""

    @cached_property
    def layouts(self) -> Sequence[Layout]:
        return [layout_of("image-folder"), layout_of("huggingface")]

    def preview(self) -> list[TablePreview]:
        """Return how each table would be read; a folder of pictures need not have one."""
        return super().preview() if self.tables else []

    def collect(self, fetcher: Fetcher) -> Iterator[Found]:
        if self.path.is_file():
            yield from super().collect(fetcher)
            return
        is_empty = not self.tables
        if self.tables:
            yield from self.read_tables(fetcher)
        for result in self.folder.read_pictures(self._picture):
            is_empty = False
            yield result
        if is_empty:
            packed = [path.name for path in self.folder.files if path.name.endswith(_PACKED)]
            hint = f"; unpack {packed[0][:80]} first" if packed else ""
            raise InputError(f"there are neither tables nor pictures in it{hint}", file=self.path)
        if not self.tables:
            yield from self.unread()

    def _picture(self, path: Path) -> Iterator[FoundPicture]:
        """A picture of which no table says anything; its folder may be its class."""
        if path in self.folder.pictures_read:
            return
        # Below a table of metadata folders are no classes, as in the library `datasets`.
        described = (table.parent for table in self.tables if table.stem == "metadata")
        if any(path.is_relative_to(folder) for folder in described):
            raise NotTakenError("not in the table", "no row of the metadata names it")
        key = self.folder.key_of(path)
        kind = self.folder.key_of(path.parent).rpartition("/")[2]
        yield FoundPicture(
            self.folder.origin(key, key),
            read_picture(path),
            name=self.folder.key_of(Path(path.stem)),
            language=self.language,
            labels={} if kind in ("", ".") or kind.lower() in _SPLITS else {"label": kind},
        )
