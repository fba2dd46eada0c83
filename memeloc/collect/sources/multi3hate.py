"""A checkout of Multi3Hate. In: its folder. Out: templates, finished memes in each language.

`data/memes/LANGUAGE/ID.jpg`, `data/captions/LANGUAGE.csv` (Meme ID, Template Name, Original
(English), Translation) and `data/final_annotations.csv` (Meme ID, and a column for each country).
Bui et al. 2024, arXiv:2411.03888. The copy on the Hugging Face Hub is Parquet: see the source
`huggingface`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.collect.datasets.folder import (
    DatasetFolder,
    NotTakenError,
    details_of,
    parts_of,
    read_picture,
)
from memeloc.collect.datasets.records import Record, open_records, read_records
from memeloc.collect.page_values import without_empty
from memeloc.collect.protocol import Dataset, dataset_at
from memeloc.errors import InputError
from memeloc.items import FoundCaption, FoundPicture, FoundTemplate, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

QUESTION = "hateful"
"""The name under which a country's own label of the memes in its language is kept."""

COUNTRIES = {"en": "US", "de": "DE", "es": "MX", "hi": "IN", "zh": "CN"}
"""Whose people annotated the memes of a language (section 3.3)."""

_ID, _TEMPLATE = "Meme ID", "Template Name"
_TRANSLATION, _ENGLISH = "Translation", "Original (English)"
_COLUMNS = (_ID, _TEMPLATE, _TRANSLATION, _ENGLISH)

Found = FoundTemplate | FoundPicture | FoundCaption | Refusal


@dataclass
class Multi3HateSource:
    """A checkout of Multi3Hate.

    Args:
        path: the checkout, or its folder data.
        languages: only these; without, all that have captions.
        captions: also take the texts as captions of their templates, for which there is no picture.
        terms: licence or terms of use; without, what the checkout says.
    """

    name = "multi3hate"
    summary = "a checkout of Multi3Hate: memes in five languages with their labels"

    path: Path
    _: KW_ONLY
    languages: tuple[str, ...] = ()
    captions: bool = False
    terms: str = ""

    def dataset(self) -> Dataset:
        root = self.path.resolve()
        return dataset_at(root.parent if root.name == "data" else root)

    def collect(self, fetcher: Fetcher) -> Iterator[Found]:
        what = "a checkout of Multi3Hate, with data/captions and data/memes"
        folder = DatasetFolder(self.name, self.path, self.terms, what)
        data = folder.root / "data"
        data = data if data.is_dir() else folder.root
        tables = self._tables(folder, data / "captions", what)
        labels: dict[str, dict[str, str]] = {}

        def answers(row: Record) -> Iterator[Found]:
            countries = {country: row.text(country) for country in COUNTRIES.values()}
            labels[_meme_id(_needed(row, _ID))] = without_empty(countries)
            yield from ()

        annotations = data / "final_annotations.csv"
        if annotations.is_file() and not folder.is_outside(annotations):
            rows = _rows(folder, annotations, (_ID,))
            yield from read_records(folder, annotations, rows, answers)
        templates: set[str] = set()
        for table in tables:
            pictures: dict[str, Path] = {}
            for path in folder.read_pictures(lambda path: [path], data / "memes" / table.stem):
                if isinstance(path, Refusal):
                    yield path
                else:
                    pictures.setdefault(_meme_id(path.stem), path)
            memes = self._memes(folder, table.stem, pictures, labels, templates)
            rows = _rows(folder, table, (_ID, _TEMPLATE))
            is_only = len(tables) == 1
            yield from read_records(folder, table, rows, memes, strict=is_only)

    def _memes(
        self,
        folder: DatasetFolder,
        language: str,
        pictures: dict[str, Path],
        labels: dict[str, dict[str, str]],
        templates: set[str],
    ) -> Callable[[Record], Iterator[Found]]:
        """What makes memes of rows of a language; `templates` are those that came already."""
        seen: set[str] = set()

        def read(row: Record) -> Iterator[Found]:
            meme, template = _meme_id(_needed(row, _ID)), _needed(row, _TEMPLATE)
            if meme in seen:
                raise NotTakenError("another of the same id", f"{meme!r} stood before it")
            seen.add(meme)
            if template not in templates:
                templates.add(template)
                yield FoundTemplate(folder.origin(template, row.file), template)
            key = f"{language}/{meme}"
            english = row.text(_ENGLISH)
            text = row.text(_TRANSLATION) or (english if language == "en" else "")
            answers = labels.get(meme, {})
            own = answers.get(COUNTRIES.get(language, ""), "")
            details = without_empty({"meme": meme, "english": english, QUESTION: answers})
            details |= details_of(row.cells, _COLUMNS)
            if self.captions and text:
                origin = folder.origin(f"captions/{key}", row.place)
                yield FoundCaption(origin, template, parts_of(text), language, details=details)
            if meme not in pictures:
                raise NotTakenError("no picture", f"there is no picture {key} in data/memes")
            yield FoundPicture(
                folder.origin(key, row.place),
                read_picture(pictures[meme], key),
                name=template,
                parts=parts_of(text),
                language=language,
                template=template,
                labels={QUESTION: own} if own else {},
                details=details,
            )

        return read

    def _tables(self, folder: DatasetFolder, captions: Path, what: str) -> list[Path]:
        """The captions' tables, one a language, English first."""
        tables = {
            table.stem: table
            for table in sorted(captions.glob("*.csv"))
            if table.is_file() and not folder.is_outside(table)
        }
        if not tables:
            raise InputError(f"there are no captions in data/captions; give {what}", file=self.path)
        for language in self.languages:
            if language not in tables:
                raise InputError(
                    f"there are no captions in {language[:40]!r}, but in {', '.join(tables)}",
                    file=captions,
                )
        wanted = self.languages or sorted(tables, key=lambda tag: (tag != "en", tag))
        return [tables[language] for language in wanted]


def _rows(folder: DatasetFolder, table: Path, required: Sequence[str]) -> Iterator[Record]:
    yield from open_records(folder, table, required).rows()


def _needed(row: Record, column: str) -> str:
    value = row.text(column)
    if not value:
        raise NotTakenError("not readable", f"its {column} is missing")
    return value


def _meme_id(text: str) -> str:
    """A meme's number as one text: pandas writes 12 as 12.0, and file names may have zeros."""
    whole = text.strip().removesuffix(".0")
    return str(int(whole)) if whole.isascii() and whole.isdecimal() else whole
