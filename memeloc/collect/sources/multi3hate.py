"""A checkout of Multi3Hate. In: its folder. Out: templates, finished memes in each language.

`data/memes/LANGUAGE/ID.jpg`, `data/captions/LANGUAGE.csv` (Meme ID, Template Name, Original
(English), Translation) and `data/final_annotations.csv` (Meme ID, and a column for each country).
A meme is one in all its languages. Bui et al. 2024, arXiv:2411.03888. The copy on the Hugging Face
Hub is Parquet: see the source `huggingface`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.collect.datasets.folder import (
    DatasetFolder,
    NotTakenError,
    details_of,
    parts_of,
    stem_of,
)
from memeloc.collect.datasets.records import Record, open_records, read_records
from memeloc.collect.page_values import without_empty
from memeloc.collect.protocol import Dataset, dataset_at
from memeloc.errors import InputError
from memeloc.items import MEME, FoundCaption, FoundPicture, FoundTemplate, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

QUESTION = "hateful"
"""The name under which a country's own label of the memes in its language is kept."""

COUNTRIES = {"en": "US", "de": "DE", "es": "MX", "hi": "IN", "zh": "CN"}
"""Whose people annotated the memes of a language (section 3.3)."""

_ID, _TEMPLATE = "Meme ID", "Template Name"
_TRANSLATION, _ENGLISH = "Translation", "Original (English)"

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
        data = folder.root / "data" if (folder.root / "data").is_dir() else folder.root
        tables = {
            table.stem: table
            for table in sorted((data / "captions").glob("*.csv"), key=lambda t: t.stem != "en")
            if table.is_file() and not folder.is_outside(table)
        }
        if not tables:
            raise InputError(f"there are no captions in data/captions; give {what}", file=self.path)
        for language in self.languages:
            if language not in tables:
                raise InputError(
                    f"there are no captions in {language[:40]!r}, but in {', '.join(tables)}",
                    file=data / "captions",
                )
        labels: dict[str, dict[str, str]] = {}

        def answers(row: Record) -> Iterator[Found]:
            by_country = {country: row.text(country) for country in COUNTRIES.values()}
            labels[_meme_of(row)] = without_empty(by_country)
            yield from ()

        annotations = data / "final_annotations.csv"
        if annotations.is_file() and not folder.is_outside(annotations):
            rows = _rows(folder, annotations, _ID)
            yield from read_records(folder, annotations, rows, answers)
        seen: set[str] = set()
        languages = self.languages or tuple(tables)
        for language in languages:
            pictures = data / "memes" / language
            read = partial(self._read, folder, fetcher, language, pictures, labels, seen)
            rows = _rows(folder, tables[language], _ID, _TEMPLATE)
            is_only = len(languages) == 1
            yield from read_records(folder, tables[language], rows, read, strict=is_only)

    def _read(
        self,
        folder: DatasetFolder,
        fetcher: Fetcher,
        language: str,
        pictures: Path,
        labels: dict[str, dict[str, str]],
        seen: set[str],
        row: Record,
    ) -> Iterator[Found]:
        """Yield what a row of a language is; `seen` are templates and memes that came already."""
        meme, template = _meme_of(row), row.text(_TEMPLATE)
        if not template:
            raise NotTakenError("not readable", f"its {_TEMPLATE} is missing")
        key = f"{language}/{meme}"
        if key in seen:
            raise NotTakenError("another of the same id", f"{meme!r} stood before it")
        if template not in seen:
            yield FoundTemplate(folder.origin(template, row.file), template)
        seen |= {key, template}
        english = row.text(_ENGLISH)
        text = row.text(_TRANSLATION) or (english if language == "en" else "")
        answers = labels.get(meme, {})
        label = answers.get(COUNTRIES.get(language, ""), "")
        details = without_empty({MEME: meme, "english": english, QUESTION: answers})
        details |= details_of(row.cells, (_ID, _TEMPLATE, _TRANSLATION, _ENGLISH))
        if self.captions and text:
            origin = folder.origin(f"captions/{key}", row.place)
            yield FoundCaption(origin, template, parts_of(text), language, details=details)
        picture = folder.picture(meme, pictures, fetcher)
        if picture.path is None or pictures not in picture.path.parents:
            raise NotTakenError("no picture", f"there is no picture {key} in data/memes")
        yield FoundPicture(
            folder.origin(key, row.place),
            picture.content,
            name=template,
            parts=parts_of(text),
            language=language,
            template=template,
            labels=without_empty({QUESTION: label}),
            details=details,
        )


def _rows(folder: DatasetFolder, table: Path, *required: str) -> Iterator[Record]:
    yield from open_records(folder, table, required).rows()


def _meme_of(row: Record) -> str:
    """Return a meme's number as one text: pandas writes 12 as 12.0, and file names have zeros."""
    if not (text := row.text(_ID)):
        raise NotTakenError("not readable", f"its {_ID} is missing")
    return stem_of(text)
