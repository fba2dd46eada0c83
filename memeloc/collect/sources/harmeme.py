"""The HarMeme dataset on disk. In: its folder, or one of its tables. Out: finished memes.

JSON Lines with `id`, `image` (a file's name), `labels` (how harmful, and when it is, to whom) and
`text`. Pramanick et al. 2021, arXiv:2110.00413; Harm-P of MOMENTA has the same form.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.collect.sources.dataset_files import (
    NotTakenError,
    Row,
    details_of,
    find_inside,
    parts_of,
    read_checked,
    rows_of_all,
    terms_of,
)
from memeloc.collect.sources.hateful_memes import find_tables
from memeloc.errors import InputError
from memeloc.items import FoundPicture, Origin, Refusal
from memeloc.tables import text_of

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

NAME = "harmeme"

QUESTIONS = ("harmfulness", "target")
"""What the entries of `labels` answer, in order."""

_PICTURES = ("images", "img", "image", "")
_TABLES = ("", "annotations", "data")


class HarMemeSource:
    """HarMeme, or a dataset in its form.

    Args:
        path: the folder with images/ and annotations/, or one table.
        language: tag of the language that the memes are in.
        terms: licence or terms of use; without, what the folder's licence file says.
    """

    name = NAME
    summary = "HarMeme on disk: JSON Lines with id, image, labels and text"

    def __init__(self, path: Path, *, language: str = "en", terms: str = "") -> None:
        self.path = path
        self.language = language
        self.terms = terms

    def collect(self, fetcher: Fetcher) -> Iterator[FoundPicture | Refusal]:
        """Read the tables; nothing is fetched.

        Raises:
            InputError: there is no such folder or file, or no table in it.
        """
        root, tables = self._tables()
        terms = self.terms or terms_of(root)
        seen: set[str] = set()
        for row in rows_of_all(tables, root, ("id", "image")):
            try:
                row.check()
                key = row.need("id")
                if key in seen:
                    raise NotTakenError("another of the same id", f"{key!r} stood before it")
                found = self._found(row, key, root, Path(row.file).stem, terms)
                seen.add(key)
                yield found
            except NotTakenError as error:
                yield row.refusal(NAME, error)

    def _tables(self) -> tuple[Path, list[Path]]:
        what = "the folder of HarMeme, with images/ and annotations/"
        if self.path.is_file():
            # A table in annotations/ names pictures in images/ beside that folder.
            folder = self.path.parent.resolve()
            root = folder.parent if folder.name in _TABLES else folder
            return root, [self.path.resolve()]
        for name in _TABLES:
            folder = self.path / name
            if folder.is_dir() and any(folder.glob("*.jsonl")):
                _, tables = find_tables(folder, what)
                return self.path.resolve(), tables
        if self.path.is_dir():
            raise InputError(f"there is no .jsonl file in it; give {what}", file=self.path)
        return find_tables(self.path, what)

    def _found(self, row: Row, key: str, root: Path, split: str, terms: str) -> FoundPicture:
        name = row.need("image")
        labels = _labels(row.cells.get("labels"))
        return FoundPicture(
            Origin(NAME, key, row.place, terms),
            _picture(root, name),
            name=key,
            parts=parts_of(row.text("text")),
            language=self.language,
            labels=labels,
            details={"split": split, "image": name}
            | details_of(row.cells, ("id", "image", "text", "labels")),
        )


def _picture(root: Path, name: str) -> bytes:
    """The picture in the first of the folders that has it."""
    wrong: NotTakenError | None = None
    for folder in _PICTURES:
        try:
            return read_checked(find_inside(root, f"{folder}/{name}" if folder else name), name)
        except NotTakenError as error:
            if error.reason != "no picture":
                raise
            wrong = wrong or error
    assert wrong is not None
    raise NotTakenError(wrong.reason, f"there is no picture {name[:120]!r} in images/")


def _labels(value: Any) -> dict[str, str]:
    values = value if isinstance(value, list) else [] if value is None else [value]
    texts = [text_of(one).strip() for one in values]
    nested = any(isinstance(one, dict | list) for one in values)
    if nested or len(texts) > len(QUESTIONS) or not all(texts):
        raise NotTakenError("not readable", f"its labels are {value!r:.80}, not one or two names")
    return dict(zip(QUESTIONS, texts, strict=False))
