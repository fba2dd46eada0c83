"""Tables with pictures. In: a table, or a folder with some. Out: finished memes.

Hateful Memes and HarMeme, which have sources of their own, are layouts of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from memeloc.collect.datasets.layouts import ROLES, layout_of
from memeloc.collect.datasets.memes import TableOptions
from memeloc.collect.datasets.reader import DatasetTables, Found, folder_of
from memeloc.collect.protocol import Dataset, TablePreview, dataset_at

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher


@dataclass
class Tables(ABC):
    """A source whose memes are rows of tables."""

    name: ClassVar[str]
    path: Path

    @abstractmethod
    def _tables(self) -> DatasetTables:
        """The tables that are read."""

    def dataset(self) -> Dataset:
        """The folder; of one table, the folder of the dataset that it belongs to."""
        return dataset_at(folder_of(self.path))

    def collect(self, fetcher: Fetcher) -> Iterator[Found]:
        """Read the tables; only pictures that a table has the address of are fetched.

        Raises:
            InputError: there is no such folder or file, or no table in it that can be read.
        """
        yield from self.opened.read(fetcher)

    def preview(self) -> list[TablePreview]:
        """How each table would be read.

        Raises:
            InputError: there is no such folder or file, or no table in it.
        """
        return self.opened.preview()

    @cached_property
    def opened(self) -> DatasetTables:
        """The tables, opened once."""
        return self._tables()


@dataclass
class TableSource(Tables):
    """Tables with pictures. Columns that are not named are those of a known layout, else guessed.

    Args:
        path: a table (CSV, TSV, JSON Lines, JSON, Parquet, tar, xlsx, ods), or a folder with some.
        layout: what it is laid out as: hateful-memes, harmeme, mami, armeme, prop2hate, multioff,
            charmemes, telegram, gallery-dl, img2dataset, memeloc, any, or a TOML file of yours;
            without, what it looks like.
        pictures: the folder with the pictures of one table, where it is not the table's own.
        image: the column with the pictures' names, paths, addresses or bytes.
        text: the column with the text in the pictures.
        label: columns that are labels, as COLUMN or QUESTION=COLUMN.
        id: the column with what identifies a meme; without, its picture's name.
        split: the column with the split; without, the table's name or folder, where that says one.
        language_column: the column with the memes' language.
        created: the column with the date.
        template: the column with the template's name.
        language: tag of the language of all memes.
        terms: licence or terms of use; without, what the folder's README or licence says.
    """

    name = "table"
    summary = "tables with pictures beside them, or with addresses: CSV, JSON Lines, JSON, Parquet"
    examples = (
        "memes.csv --dry-run",
        "memes.csv --image img_path --text text --label label --id id --split split",
    )

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
    language: str = ""
    terms: str = ""

    def dataset(self) -> Dataset:
        """The folder, or the one table: tables of one folder may have ids of their own."""
        folder = dataset_at(folder_of(self.path))
        if not self.path.is_file():
            return folder
        table = dataset_at(self.path)
        return Dataset(f"{folder.name}/{table.name}", table.root)

    def _tables(self) -> DatasetTables:
        asked = {"language": self.language_column}
        asked |= {role: getattr(self, role, "") for role in ROLES if role != "language"}
        layouts = (layout_of(self.layout),) if self.layout else ()
        options = TableOptions(asked, self.label, self.language)
        return DatasetTables(self.name, self.path, options, layouts, self.terms, self.pictures)


@dataclass
class HatefulMemesSource(Tables):
    """Hateful Memes, or a dataset in its form.

    Args:
        path: the folder with train.jsonl and the like, or one such file.
        language: tag of the language that the memes are in.
        question: the name under which `label` is kept.
        terms: licence or terms of use; without, what the folder's licence file says.
    """

    name = "hateful-memes"
    summary = "Hateful Memes on disk: JSON Lines with id, img, label and text"

    _: KW_ONLY
    language: str = "en"
    question: str = "hateful"
    terms: str = ""

    def _tables(self) -> DatasetTables:
        layout = layout_of(self.name).model_copy(update={"questions": (self.question,)})
        options = TableOptions(language=self.language)
        return DatasetTables(self.name, self.path, options, [layout], self.terms)


@dataclass
class HarMemeSource(Tables):
    """HarMeme (Harm-C and Harm-P), or a dataset in its form.

    Args:
        path: the folder with the pictures and annotations/, or one table.
        language: tag of the language that the memes are in.
        terms: licence or terms of use; without, what the folder's licence file says.
    """

    name = "harmeme"
    summary = "HarMeme on disk: JSON Lines with id, image, labels and text"

    _: KW_ONLY
    language: str = "en"
    terms: str = ""

    def _tables(self) -> DatasetTables:
        options = TableOptions(language=self.language)
        return DatasetTables(self.name, self.path, options, [layout_of(self.name)], self.terms)
