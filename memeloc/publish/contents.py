"""What is in a release. In: a `Release`, a folder that a writer filled. Out: files, numbers.

A file of pictures is named for its split, or stands in a folder that is, and in a folder named for
its language where it has one language only: `data/de/train-00000-of-00002.parquet`,
`data/de/test/metadata.parquet`, `pictures-test.csv`. Tables are `tables/NAME.parquet` or the like.
Other files are no data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from memeloc.publish.columns import PICTURE_COLUMNS
from memeloc.publish.release import Release, ReleasedPicture

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
        """Whether the pictures stand beside a table of their rows."""
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


@dataclass(frozen=True, slots=True)
class Culture:
    """How much a culture answered; `per_item` the fewest and the most answers of an item."""

    name: str
    annotators: int
    answers: int
    items: int
    per_item: tuple[int, int]


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
        cultures: of the answers, by name.
    """

    pictures: int = 0
    has_files: bool = False
    memes: set[str] = field(default_factory=set)
    suffixes: set[str] = field(default_factory=set)
    terms: Counter[tuple[str, str]] = field(default_factory=Counter)
    incomplete: set[str] = field(default_factory=set)
    shown: list[ReleasedPicture] = field(default_factory=list)
    cultures: list[Culture] = field(default_factory=list)


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
            per_item = (int(items.min()), int(items.max()))
            people = int(rows[ANNOTATOR].nunique())
            summary.cultures.append(Culture(str(name), people, len(rows), len(items), per_item))
    return summary
