"""A checkout of Multi3Hate. In: its folder. Out: templates, finished memes in each language.

`data/memes/LANGUAGE/ID.jpg`, `data/captions/LANGUAGE.csv` (Meme ID, Template Name, Original
(English), Translation) and `data/final_annotations.csv` (Meme ID, and a column for each country).
Bui et al. 2024, arXiv:2411.03888. The copy on the Hugging Face Hub is Parquet: see the source
`huggingface`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.collect.sources.dataset_files import (
    NotTakenError,
    Row,
    check_dataset,
    details_of,
    parts_of,
    read_checked,
    relative,
    table_rows,
    terms_of,
    walk_pictures,
)
from memeloc.errors import InputError
from memeloc.items import FoundCaption, FoundPicture, FoundTemplate, Origin, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

NAME = "multi3hate"

QUESTION = "hateful"
"""The name under which a country's own label of the memes in its language is kept."""

COUNTRIES = {"en": "US", "de": "DE", "es": "MX", "hi": "IN", "zh": "CN"}
"""Whose people annotated the memes of a language (section 3.3)."""

_ID, _TEMPLATE = "Meme ID", "Template Name"
_TRANSLATION, _ENGLISH = "Translation", "Original (English)"
_KNOWN = (_ID, _TEMPLATE, _TRANSLATION, _ENGLISH)

Found = FoundTemplate | FoundPicture | FoundCaption | Refusal


class Multi3HateSource:
    """A checkout of Multi3Hate.

    Args:
        path: the checkout, or its folder data.
        languages: only these; without, all that have captions.
        captions: also take the texts as captions of their templates, for which there is no picture.
        terms: licence or terms of use; without, what the checkout says.
    """

    name = NAME
    summary = "a checkout of Multi3Hate: memes in five languages with their labels"

    def __init__(
        self,
        path: Path,
        *,
        languages: tuple[str, ...] = (),
        captions: bool = False,
        terms: str = "",
    ) -> None:
        self.path = path
        self.languages = languages
        self.captions = captions
        self.terms = terms

    def collect(self, fetcher: Fetcher) -> Iterator[Found]:
        """Read the checkout; nothing is fetched.

        Raises:
            InputError: there is no such folder, or no captions in it.
        """
        what = "a checkout of Multi3Hate, with data/captions and data/memes"
        root = check_dataset(self.path, what)
        data = root / "data" if (root / "data").is_dir() else root
        tables = self._tables(data, what)
        terms = self.terms or terms_of(root)
        labels, wrong = _labels(data, root)
        yield from wrong
        templates: set[str] = set()
        for language, table in tables.items():
            pictures, refused = _pictures(data / "memes" / language, root)
            yield from refused
            seen: set[str] = set()
            for row in _rows(table, root, (_ID, _TEMPLATE), len(tables) > 1):
                try:
                    row.check()
                    meme, template = _meme_id(row.text(_ID)), row.need(_TEMPLATE).strip()
                    if not meme:
                        raise NotTakenError("not readable", "its Meme ID is missing")
                    if meme in seen:
                        raise NotTakenError("another of the same id", f"{meme!r} stood before it")
                except NotTakenError as error:
                    yield row.refusal(NAME, error)
                    continue
                seen.add(meme)
                if template not in templates:
                    templates.add(template)
                    yield FoundTemplate(Origin(NAME, template, row.file, terms), template)
                yield from self._memes(
                    row, meme, template, language, pictures.get(meme), labels.get(meme, {}), terms
                )

    def _tables(self, data: Path, what: str) -> dict[str, Path]:
        """The captions' tables by language, English first."""
        folder = data / "captions"
        root = data.resolve()
        found = {
            one.stem: one
            for one in sorted(folder.glob("*.csv"))
            if one.is_file() and one.resolve().is_relative_to(root)
        }
        if not found:
            raise InputError(f"there are no captions in data/captions; give {what}", file=self.path)
        for language in self.languages:
            if language not in found:
                raise InputError(
                    f"there are no captions in {language[:40]!r}, but in {', '.join(found)}",
                    file=folder,
                )
        wanted = self.languages or sorted(found, key=lambda one: (one != "en", one))
        return {language: found[language] for language in wanted}

    def _memes(
        self,
        row: Row,
        meme: str,
        template: str,
        language: str,
        picture: Path | None,
        labels: Mapping[str, str],
        terms: str,
    ) -> Iterator[Found]:
        key = f"{language}/{meme}"
        text = row.text(_TRANSLATION).strip()
        english = row.text(_ENGLISH).strip()
        text = text or (english if language == "en" else "")
        own = labels.get(COUNTRIES.get(language, ""), "")
        details: dict[str, Any] = {"meme": meme, "english": english, QUESTION: dict(labels)}
        details = {name: value for name, value in details.items() if value}
        details |= details_of(row.cells, _KNOWN)
        where = row.place
        if self.captions and text:
            origin = Origin(NAME, f"captions/{key}", where, terms)
            yield FoundCaption(origin, template, parts_of(text), language, details=details)
        try:
            if picture is None:
                raise NotTakenError("no picture", f"there is no picture {key} in data/memes")
            content = read_checked(picture, key)
        except NotTakenError as error:
            yield row.refusal(NAME, error)
            return
        yield FoundPicture(
            Origin(NAME, key, where, terms),
            content,
            name=template,
            parts=parts_of(text),
            language=language,
            template=template,
            labels={QUESTION: own} if own else {},
            details=details,
        )


def _rows(table: Path, root: Path, required: tuple[str, ...], more: bool) -> Iterator[Row]:
    """A table's rows; one that cannot be read is a row that says so where there is `more`."""
    try:
        yield from table_rows(table, root, required)
    except InputError as error:
        if not more:
            raise
        yield Row(relative(table, root), 0, {}, error.message)


def _meme_id(text: str) -> str:
    """A meme's number as one text: pandas writes 12 as 12.0, and file names may have zeros."""
    text = text.strip()
    whole = text[:-2] if text.endswith(".0") else text
    return str(int(whole)) if whole.isascii() and whole.isdecimal() else whole


def _pictures(folder: Path, root: Path) -> tuple[dict[str, Path], list[Refusal]]:
    """The pictures of a language by their meme's number, in whatever folders below it."""
    found: dict[str, Path] = {}
    refused: list[Refusal] = []
    if folder.is_dir() and folder.resolve().is_relative_to(root):
        for path, wrong in walk_pictures(folder.resolve()):
            if wrong is None:
                found.setdefault(_meme_id(path.stem), path)
            else:
                where = relative(path, root)
                refused.append(Refusal(NAME, where, wrong.reason, wrong.sentence))
    return found, refused


def _labels(data: Path, root: Path) -> tuple[dict[str, dict[str, str]], list[Refusal]]:
    """What each country's people answered about a meme, by its number; values as written."""
    path = data / "final_annotations.csv"
    if not path.is_file() or not path.resolve().is_relative_to(root):
        return {}, []
    labels: dict[str, dict[str, str]] = {}
    refused: list[Refusal] = []
    for row in _rows(path, root, (_ID,), True):
        try:
            row.check()
            meme = _meme_id(row.need(_ID))
        except NotTakenError as error:
            refused.append(row.refusal(NAME, error))
            continue
        answers = {country: row.text(country).strip() for country in COUNTRIES.values()}
        labels[meme] = {country: value for country, value in answers.items() if value}
    return labels, refused
