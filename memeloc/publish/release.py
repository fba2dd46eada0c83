"""What is published, and how much it is. In: pictures, tables, what a team says. Out: `Release`.

`PICTURE_COLUMNS` is one table for the writers, the card and Croissant, so that all of them say the
same. A file of pictures is named for its split, or stands in a folder that is, and in a folder
named for its language where it has one language only: `data/de/train-00000-of-00002.parquet`,
`data/de/test/metadata.parquet`, `pictures-test.csv`. Tables are `tables/NAME.parquet` or the like.
"""

from __future__ import annotations

import datetime
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, field_validator

from memeloc.errors import InputError
from memeloc.settings import read_toml

if TYPE_CHECKING:
    import pandas as pd

OnProgress = Callable[[str, int, int | None], None]
"""Gets what is being done (such as "pictures"), how many more are done, and how many there are."""
_DOI = re.compile(r"10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;\-.()\[\]\\]+")
"""As CITATION.cff has it."""
FORMATS = {
    ".parquet": "application/x-parquet",
    ".csv": "text/csv",
    ".jsonl": "application/jsonlines",
    ".tar": "application/x-tar",
}
"""Files of data by their suffix, and what Croissant calls them."""
ALL = "default"
"""The config with the pictures of all languages."""
_WHOLE = "train"
"""The split of a table, as Hugging Face calls what is not split."""
ANSWERS, LABELS, MODEL_LABELS = "answers", "labels", "model_labels"
ANNOTATOR, CULTURE, ITEM = "annotator", "culture", "meme_id"
"""Columns of the table of answers."""
_SHOWN = 24
"""Pictures of a contact sheet: four rows of six are seen at once where cards are read."""
_FEW = 6
"""Templates, below which a sheet with one picture of each would not fill its first row."""


class About(BaseModel):
    """The team's description of its dataset: the section `[release]` of memeloc.toml.

    Attributes:
        licence: of the dataset, an SPDX identifier such as `CC-BY-4.0`.
        authors: people as `Family, Given`, groups by their name.
        date: on which this version goes out, as `2026-11-23`.
        doi: without address, as `10.5281/zenodo.1234567`.
        maintenance: who answers questions, and how errors are corrected.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: str = ""
    title: str = ""
    version: str = "1.0.0"
    description: str = ""
    licence: str = ""
    authors: tuple[str, ...] = ()
    homepage: str = ""
    intended_use: str = ""
    limitations: str = ""
    content_warning: str = ""
    consent: str = ""
    wages: str = ""
    terms: str = ""
    date: str = ""
    doi: str = ""
    maintenance: str = ""

    @field_validator("date")
    @classmethod
    def _is_day(cls, value: str) -> str:
        try:
            if value and datetime.date.fromisoformat(value).isoformat() != value:
                raise ValueError
        except ValueError:
            raise ValueError("write the day as 2026-11-23") from None
        return value

    @field_validator("doi")
    @classmethod
    def _is_doi(cls, value: str) -> str:
        if value and not _DOI.fullmatch(value):
            raise ValueError("write it without address, as 10.5281/zenodo.1234567")
        return value


@dataclass(frozen=True, slots=True)
class ReleasedPicture:
    """One meme in one language.

    Attributes:
        path: where it stands in the release, `LANGUAGE/NAME.jpg`, with `/`.
        file: the picture, or None where pictures stay behind.
        row: what is known of it, by name; what is published of that are `PICTURE_COLUMNS`.
    """

    meme: str
    language: str
    split: str
    path: str
    file: Path | None
    row: Mapping[str, Any]

    def content(self) -> bytes:
        """Return the bytes of the picture's file. Raise InputError if it cannot be read, or is
        another one than the one that was recorded."""
        assert self.file is not None
        try:
            content = self.file.read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=self.file) from error
        if hashlib.sha256(content).hexdigest() != self.row.get("sha256"):
            raise InputError(
                "is another picture than the one that was recorded; render the set again",
                file=self.file,
            )
        return content

    @property
    def values(self) -> dict[str, Any]:
        """Return the values of `PICTURE_COLUMNS`; None for what is not known."""
        values = {column.name: self.row.get(column.name) for column in PICTURE_COLUMNS}
        values.update(meme_id=self.meme, language=self.language)
        values.update(split=self.split, path=self.path)
        return values


@dataclass(frozen=True, slots=True, eq=False)
class ReleaseTable:
    """A table beside the pictures; joined to them, and to others, by ids such as `meme_id`.

    Attributes:
        columns: by column what it is, for the card and Croissant; of every column.
    """

    name: str
    frame: pd.DataFrame
    title: str
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A dataset to publish.

    Attributes:
        languages: tags, in the order in which they are shown; the first is the source language.
        pictures: a new iterator over all pictures, sorted by split, then as the manifest has them;
            a million pictures are never all held.
        counts: pictures by (language, split).
        tables: by name: `memes`, `answers`, `labels`, `model_labels`, `people`, and others.
        files: further files by their path in the release: taxonomies, annotation guides.
        provenance: versions, seeds, hashes, models, prompts, the funnel; JSON values.
        unread: captions that no person read, by language.
        unread_texts: texts of surveys that no person read, by language.
        texts: further files by their path in the release, whose content is given.
        notes: sentences for who publishes: what was left out and why.
    """

    about: About
    languages: tuple[str, ...]
    pictures: Callable[[], Iterator[ReleasedPicture]]
    counts: Mapping[tuple[str, str], int]
    tables: Mapping[str, ReleaseTable] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    unread: Mapping[str, int] = field(default_factory=dict)
    unread_texts: Mapping[str, int] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def splits(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(split for _, split in self.counts))


Share = Annotated[float, Field(gt=0, le=1)]
SPLITS = {"train": 0.8, "validation": 0.1, "test": 0.1}
"""The shares of the splits by default, under the names that `datasets` knows."""


class ReleaseSettings(About):
    """All of [release]: the description of the dataset, and what of the workspace goes out.

    Attributes:
        captions: which captions go out: `accepted`, `corrected` (these also) or `any` (also what a
            machine translated and nobody read; the card says how many).
        surveys: names of the surveys whose answers and labels go out; None is all.
        demographics: what may be published of annotators: ids of questions about the person, and
            facts of recruitment services, the most important first.
        smallest_cell: an annotator's demographics go out only where so many people of the culture
            have the same ones.
        free_text: whether answers that people typed freely go out.
        splits: shares of the splits by name; they are made to sum up to 1.
        seed: another one draws other splits.
        model_labels: tables of what models answered: `meme_id`, `model`, `label`, and optionally
            `culture`, as `memeloc analyze --models` takes them.
        files: further files and folders of the workspace that go out, such as knowledge graphs.
    """

    captions: Literal["accepted", "corrected", "any"] = "any"
    surveys: tuple[str, ...] | None = None
    demographics: tuple[str, ...] = ()
    smallest_cell: int = Field(default=5, ge=1)
    free_text: bool = False
    splits: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,29}$")], Share] = Field(
        default=SPLITS, min_length=1
    )
    seed: int = 0
    model_labels: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@cache
def described() -> dict[str, dict[str, str]]:
    """Return by table what each column is, and the `titles` of all."""
    return read_toml(Path(__file__).with_name("tables.toml"))


class PictureColumn(NamedTuple):
    """A column: of which type a value is (text, integer, number), what it is for people, and its
    depth, 1 for a list and 2 for a list of lists."""

    name: str
    type: str
    title: str
    depth: int = 0


_BOX = "left, top, right, bottom in px; of turned text the x and y of four corners"

PICTURE_COLUMNS: tuple[PictureColumn, ...] = (
    PictureColumn("meme_id", "text", "the meme, the same in all languages"),
    PictureColumn("language", "text", "language of the text in the picture, a BCP 47 tag"),
    PictureColumn("split", "text", "split; all pictures of a template are in the same one"),
    PictureColumn("template", "text", "the picture that the text stands on"),
    PictureColumn("path", "text", "of the picture: LANGUAGE/NAME"),
    PictureColumn("sha256", "text", "of the picture's file"),
    PictureColumn("width", "integer", "px"),
    PictureColumn("height", "integer", "px"),
    PictureColumn("text", "text", "the caption, its parts joined by ' // '"),
    PictureColumn("alt", "text", "alternative text: the caption's own words on one line"),
    PictureColumn("parts", "text", "names of the template's text boxes", 1),
    PictureColumn("lines", "text", "of each text box the text of its lines", 2),
    PictureColumn("line_boxes", "integer", f"of each line: {_BOX}", 2),
    PictureColumn("words", "text", "words in the order of reading", 1),
    PictureColumn("word_boxes", "integer", f"of each word: {_BOX}", 2),
    PictureColumn("word_lines", "integer", "the line of each word, by its number, from 0 on", 1),
    PictureColumn("font_size", "number", "of each text box, px", 1),
    PictureColumn("fonts", "text", "of each text box the font families", 2),
    PictureColumn("contrast", "number", "of each text box, WCAG 2 contrast ratio, 1 to 21", 1),
    PictureColumn("problems", "text", "what is wrong with how the text is drawn", 1),
    PictureColumn("url", "text", "where the picture was collected; empty of a rendered one"),
    PictureColumn("template_source", "text", "where the template's picture is from"),
    PictureColumn("template_licence", "text", "under what terms"),
)
"""The columns of the pictures in every layout; the picture itself stands beside them."""


@dataclass(frozen=True, slots=True)
class DataFiles:
    """The pictures of a language, or a table.

    Attributes:
        config: the language's tag, `ALL` for those of all languages, or the table's name.
        suffix: of all files, one of `FORMATS`.
        splits: by split the files, relative to the release, with `/`, sorted; a table is one split.
    """

    config: str
    suffix: str
    splits: Mapping[str, list[str]]
    is_table: bool = False

    @property
    def paths(self) -> list[str]:
        return [path for paths in self.splits.values() for path in paths]

    @property
    def is_folder(self) -> bool:
        """Return whether the pictures stand beside a table of their rows."""
        return any(PurePosixPath(path).stem == "metadata" for path in self.paths)


def find_data(release: Release, folder: Path) -> list[DataFiles]:
    """Return what a writer put into a folder: languages in the release's order, then tables."""
    pictures: dict[str, dict[str, list[str]]] = {tag: {} for tag in (ALL, *release.languages)}
    tables: dict[str, list[str]] = {name: [] for name in release.tables}
    for file in sorted(folder.rglob("*")):
        path = PurePosixPath(file.relative_to(folder).as_posix())
        if path.suffix not in FORMATS or str(path) in {*release.files, *release.texts}:
            continue
        if path.parts[0] == "tables" and path.stem in tables:
            tables[path.stem].append(str(path))
            continue
        parts = (*path.parts[:-1], path.stem)
        language = next((part for part in parts[:-1] if part in pictures), ALL)
        for split in release.splits:
            named = re.compile(rf"(pictures-)?{re.escape(split)}(-\d+(-of-\d+)?)?")
            if any(map(named.fullmatch, parts)):
                pictures[language].setdefault(split, []).append(str(path))
    data = []
    for config, by_split in pictures.items():
        if by_split:
            splits = {split: by_split[split] for split in release.splits if split in by_split}
            suffix = PurePosixPath(next(iter(splits.values()))[0]).suffix
            data.append(DataFiles(config, suffix, splits))
    for name, paths in tables.items():
        if paths:
            suffix = PurePosixPath(paths[0]).suffix
            data.append(DataFiles(name, suffix, {_WHOLE: paths}, is_table=True))
    return data


@dataclass(slots=True)
class Summary:
    """The numbers of a release.

    Attributes:
        pictures: how many there are in all languages and splits.
        suffixes: how names of pictures end, such as `.jpg`.
        terms: by where templates are from and under what licence, how many pictures.
        incomplete: columns of numbers that lack some.
        shown: pictures for a contact sheet, one a template, the languages by turns; of few
            templates one in each language.
        cultures: of the answers, by name: how many annotators, answers, items, and the fewest and
            the most answers of an item (`per_item`).
    """

    pictures: int = 0
    has_files: bool = False
    memes: set[str] = field(default_factory=set)
    suffixes: set[str] = field(default_factory=set)
    terms: Counter[tuple[str, str]] = field(default_factory=Counter)
    incomplete: set[str] = field(default_factory=set)
    shown: list[ReleasedPicture] = field(default_factory=list)
    cultures: dict[str, dict[str, Any]] = field(default_factory=dict)


def summarise(release: Release) -> Summary:
    """Return the numbers of a release; looks at each picture's row once, and holds few."""
    summary = Summary()
    shown: dict[str, ReleasedPicture] = {}
    in_all_languages: dict[tuple[str, str], ReleasedPicture] = {}
    languages: dict[str, str] = {}
    numbers = [column.name for column in PICTURE_COLUMNS if column.type != "text"]
    for picture in release.pictures():
        row = picture.row
        summary.pictures += 1
        summary.memes.add(picture.meme)
        summary.suffixes.add(PurePosixPath(picture.path).suffix)
        summary.terms[
            str(row.get("template_source") or ""), str(row.get("template_licence") or "")
        ] += 1
        summary.incomplete.update(name for name in numbers if row.get(name) is None)
        summary.has_files |= picture.file is not None
        template = str(row.get("template") or picture.meme)
        if len(in_all_languages) < _SHOWN:
            in_all_languages.setdefault((template, picture.language), picture)
        if template not in shown and len(shown) < _SHOWN:
            languages[template] = release.languages[len(shown) % len(release.languages)]
            shown[template] = picture
        elif languages.get(template) == picture.language != shown[template].language:
            shown[template] = picture
    summary.shown = list((shown if len(shown) >= _FEW else in_all_languages).values())
    table = release.tables.get(ANSWERS)
    if table is not None and {ANNOTATOR, CULTURE, ITEM} <= set(table.frame.columns):
        for name, rows in table.frame.groupby(CULTURE, sort=True):
            items = rows.groupby(ITEM).size()
            summary.cultures[str(name)] = {
                "annotators": int(rows[ANNOTATOR].nunique()),
                "answers": len(rows),
                "items": len(items),
                "per_item": (int(items.min()), int(items.max())),
            }
    return summary
