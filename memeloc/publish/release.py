"""What is published. In: a rendered set, tables, what a team says of them. Out: `Release`."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from memeloc.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

OnProgress = Callable[[str, int, int | None], None]
"""Gets what is being done (such as "pictures"), how many more are done, and how many there are."""
_DOI = re.compile(r"10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;\-.()\[\]\\]+")
"""As CITATION.cff has it."""


class About(BaseModel):
    """What a team says of its dataset: the section `[release]` of memeloc.toml.

    Attributes:
        licence: of the dataset, an SPDX identifier such as `CC-BY-4.0`.
        authors: people as `Family, Given`, groups by their name.
        date: on which this version goes out, as `2026-11-23`.
        doi: without address, as `10.5281/zenodo.1234567`.
        maintenance: who answers questions, and how errors are corrected.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

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
        row: what is known of it, by name; what is published of that are `columns.PICTURE_COLUMNS`.
    """

    meme: str
    language: str
    split: str
    path: str
    file: Path | None
    row: Mapping[str, Any]

    def content(self) -> bytes:
        """The bytes of the picture's file.

        Raises:
            InputError: it cannot be read, or is another one than the one that was recorded.
        """
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

    @classmethod
    def of(
        cls, name: str, rows: Iterable[Any], title: str, columns: Mapping[str, str]
    ) -> ReleaseTable:
        import pandas as pd

        return cls(name, pd.DataFrame(list(rows), columns=list(columns)), title, columns)


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
        notes: what was left out and why, as sentences for who publishes.
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
