"""Datasets on disk. In: a table, or a folder with tables or pictures. Out: finished memes.

Hateful Memes and HarMeme are layouts of tables that have sources of their own. On the Hugging Face
Hub datasets have four forms, all of which may stand in one folder: Parquet, or Arrow as
`save_to_disk` writes it, with a column of pictures (a struct of `bytes` and `path`, or bytes);
WebDataset shards; pictures with a table metadata.csv, .jsonl or .parquet whose column `file_name`
names them; and pictures in folders that are named by their class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.collect.datasets.folder import DatasetFolder, NotTakenError, read_picture
from memeloc.collect.datasets.layouts import Layout, layout_of
from memeloc.collect.datasets.reader import Found, TablesSource
from memeloc.collect.datasets.records import unread_tables
from memeloc.collect.protocol import Dataset, TablePreview, dataset_at
from memeloc.errors import InputError
from memeloc.items import FoundPicture, FoundTemplate, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

_PACKED = (".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".7z", ".rar", ".gz", ".zst")
_SPLITS = frozenset({"train", "test", "validation", "valid", "val", "dev", "data", "images"})


@dataclass
class TableSource(TablesSource):
    """Tables with pictures. Columns that are not named are those of a known layout, else guessed.

    Args:
        path: a table (CSV, TSV, JSON Lines, JSON, Parquet, tar, xlsx, ods), or a folder with some.
        layout: what it is laid out as: hateful-memes, harmeme, mami, armeme, prop2hate, multioff,
            charmemes, imgflip575k, memecap, telegram, gallery-dl, img2dataset, memeloc, any, or a
            TOML file of yours; without, what it looks like.
        pictures: the folder with the pictures of one table, where it is not the table's own.
        image: the column with the pictures' names, paths, addresses or bytes.
        text: the column with the text in the pictures.
        label: columns that are labels, as COLUMN or QUESTION=COLUMN.
        id: the column with what identifies a meme; without, its picture's name.
        split: the column with the split; without, the table's name or folder, where that says one.
        language_column: the column with the memes' language.
        created: the column with the date.
        template: the column with the template's name.
        meme: the column with what a meme is called in all its languages.
        language: tag of the language of all memes.
        terms: licence or terms of use; without, what the folder's README or licence says.
    """

    name = "table"
    summary = "tables with pictures beside them, or with addresses: CSV, JSON Lines, JSON, Parquet"
    usage = (
        "memes.csv --dry-run",
        "memes.csv --image img_path --text text --label label --id id --split split",
    )

    path: Path
    _: KW_ONLY
    layout: str = ""
    pictures: Path | None = None
    image: str = ""
    text: str = ""
    label: tuple[str, ...] = ()
    id: str = ""
    split: str = ""
    language_column: str = ""
    created: str = ""
    template: str = ""
    meme: str = ""
    language: str = ""
    terms: str = ""

    @cached_property
    def layouts(self) -> Sequence[Layout]:
        return [layout_of(self.layout)] if self.layout else []

    def dataset(self) -> Dataset:
        """Return the folder, or the one table: tables of one folder may have ids of their own."""
        folder = super().dataset()
        if not self.path.is_file():
            return folder
        table = dataset_at(self.path)
        return Dataset(f"{folder.name}/{table.name}", table.root)


@dataclass
class HatefulMemesSource(TablesSource):
    """Hateful Memes, or a dataset in its form.

    Args:
        path: the folder with train.jsonl and the like, or one such file.
        language: tag of the language that the memes are in.
        question: the name under which `label` is kept.
        terms: licence or terms of use; without, what the folder's licence file says.
    """

    name = "hateful-memes"
    summary = "Hateful Memes on disk: JSON Lines with id, img, label and text"

    path: Path
    _: KW_ONLY
    language: str = "en"
    question: str = "hateful"
    terms: str = ""

    @cached_property
    def layouts(self) -> Sequence[Layout]:
        return [layout_of(self.name).model_copy(update={"questions": (self.question,)})]


@dataclass
class HarMemeSource(TablesSource):
    """HarMeme (Harm-C and Harm-P), or a dataset in its form.

    Args:
        path: the folder with the pictures and annotations/, or one table.
        language: tag of the language that the memes are in.
        terms: licence or terms of use; without, what the folder's licence file says.
    """

    name = "harmeme"
    summary = "HarMeme on disk: JSON Lines with id, image, labels and text"

    path: Path
    _: KW_ONLY
    language: str = "en"
    terms: str = ""


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


@dataclass
class FolderSource:
    """A folder of pictures, with all folders in it.

    Args:
        path: the folder.
        templates: the pictures are templates to write on, not finished memes.
        language: tag of the language that the memes are in.
        terms: licence or terms of use; without, what the folder's licence file says.
    """

    name = "folder"
    summary = "a plain folder of pictures"

    path: Path
    _: KW_ONLY
    templates: bool = False
    language: str = ""
    terms: str = ""

    def dataset(self) -> Dataset:
        return dataset_at(self.path)

    def collect(self, fetcher: Fetcher) -> Iterator[FoundPicture | FoundTemplate | Refusal]:
        """Read the folder; tables in it are refused, for the source `table` reads those."""
        dataset = DatasetFolder(self.name, self.path, self.terms, "a folder of pictures")

        def read(path: Path) -> Iterator[FoundPicture | FoundTemplate]:
            key, name = dataset.key_of(path), dataset.key_of(Path(path.stem))
            origin, content = dataset.origin(key, key), read_picture(path)
            if self.templates:
                yield FoundTemplate(origin, name, content)
            else:
                yield FoundPicture(origin, content, name=name, language=self.language)

        is_empty = True
        for result in dataset.read_pictures(read):
            is_empty = False
            yield result
        if is_empty:
            raise InputError("there are no pictures in it", file=self.path)
        yield from unread_tables(dataset)
