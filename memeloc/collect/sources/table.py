"""Tables with pictures. In: a table, or a folder with some. Out: finished memes.

Hateful Memes and HarMeme, which have sources of their own, are layouts of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path

from memeloc.collect.datasets.layouts import Layout, layout_of
from memeloc.collect.datasets.reader import TablesSource
from memeloc.collect.protocol import Dataset, dataset_at


@dataclass
class TableSource(TablesSource):
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
