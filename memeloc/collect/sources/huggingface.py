"""Datasets in the forms of the Hugging Face Hub, on disk. In: a folder or file. Out: memes.

Four forms, all of which may stand in one folder: Parquet, or Arrow as `save_to_disk` writes it,
with a column of pictures (a struct of `bytes` and `path`, or bytes); WebDataset shards; pictures
with a table metadata.csv, .jsonl or .parquet whose column `file_name` names them; and pictures in
folders that are named by their class.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.collect.datasets.layouts import layout_of
from memeloc.collect.datasets.memes import TableOptions
from memeloc.collect.datasets.reader import DatasetTables, Found
from memeloc.collect.protocol import TablePreview
from memeloc.collect.sources.dataset_files import NotTakenError, read_picture
from memeloc.collect.sources.table import Tables
from memeloc.errors import InputError
from memeloc.items import FoundPicture

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

_PACKED = (".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".7z", ".rar", ".gz", ".zst")
_SPLITS = frozenset({"train", "test", "validation", "valid", "val", "dev", "data", "images"})


@dataclass
class HuggingFaceSource(Tables):
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

    _: KW_ONLY
    image: str = ""
    text: str = ""
    label: tuple[str, ...] = ()
    language: str = ""
    terms: str = ""

    def _tables(self) -> DatasetTables:
        options = TableOptions({"image": self.image, "text": self.text}, self.label, self.language)
        layouts = [layout_of("image-folder"), layout_of("huggingface")]
        return DatasetTables(self.name, self.path, options, layouts, self.terms)

    def preview(self) -> list[TablePreview]:
        """How each table would be read; a folder of pictures need not have one.

        Raises:
            InputError: there is no such folder or file.
        """
        return self.opened.preview() if self.opened.tables else []

    def collect(self, fetcher: Fetcher) -> Iterator[Found]:
        """Read the files; nothing is fetched.

        Raises:
            InputError: there is no such folder or file, it is broken, or has no pictures.
        """
        tables = self.opened
        is_empty = not tables.tables
        if not is_empty:
            yield from tables.read(fetcher, strict=self.path.is_file())
        if self.path.is_file():
            return
        dataset = tables.dataset
        described = [path.parent for path in tables.tables if path.stem == "metadata"]

        def read(path: Path) -> Iterator[FoundPicture]:
            if path in tables.pictures_read:
                return
            # Below a table of metadata folders are no classes, as in the library `datasets`.
            if any(path.is_relative_to(folder) for folder in described):
                raise NotTakenError("not in the table", "no row of the metadata names it")
            key = dataset.key_of(path)
            kind = dataset.key_of(path.parent).rpartition("/")[2]
            yield FoundPicture(
                dataset.origin(key, key),
                read_picture(path),
                name=dataset.key_of(Path(path.stem)),
                language=self.language,
                labels={} if kind in ("", ".") or kind.lower() in _SPLITS else {"label": kind},
            )

        for result in dataset.read_pictures(read):
            is_empty = False
            yield result
        if is_empty:
            packed = [path.name for path in dataset.files() if path.name.endswith(_PACKED)]
            hint = f"; unpack {packed[0][:80]} first" if packed else ""
            raise InputError(f"there are neither tables nor pictures in it{hint}", file=self.path)
        if not tables.tables:
            yield from tables.unread()
