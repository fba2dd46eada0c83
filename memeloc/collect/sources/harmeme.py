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
    check_dataset,
    details_of,
    find_inside,
    find_tables,
    parts_of,
    read_picture,
    read_rows,
    table_rows,
    terms_of,
)
from memeloc.items import FoundPicture, Origin, Refusal
from memeloc.tables import text_of

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

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

    name = "harmeme"
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

        def read(row: Row) -> Iterator[FoundPicture]:
            key, name = row.need("id"), row.need("image")
            if key in seen:
                raise NotTakenError("another of the same id", f"{key!r} stood before it")
            labels = _labels(row.cells.get("labels"))
            yield FoundPicture(
                Origin(self.name, key, row.place, terms),
                _picture(root, name),
                name=key,
                parts=parts_of(row.text("text")),
                language=self.language,
                labels=labels,
                details={"split": Path(row.file).stem, "image": name}
                | details_of(row.cells, ("id", "image", "text", "labels")),
            )
            seen.add(key)

        for table in tables:
            rows = table_rows(table, root, ("id", "image"), only=len(tables) == 1)
            yield from read_rows(self.name, rows, read)

    def _tables(self) -> tuple[Path, list[Path]]:
        what = "the folder of HarMeme, with images/ and annotations/"
        if self.path.is_file():
            # A table in annotations/ names pictures in images/ beside that folder.
            folder, tables = find_tables(self.path, what)
            return folder.parent if folder.name in _TABLES else folder, tables
        root = check_dataset(self.path, what)
        folders = [root / name for name in _TABLES if any((root / name).glob("*.jsonl"))]
        return root, find_tables(folders[0] if folders else self.path, what)[1]


def _picture(root: Path, name: str) -> bytes:
    """The picture in the first of the folders that has it."""
    for folder in _PICTURES:
        try:
            return read_picture(find_inside(root, f"{folder}/{name}" if folder else name), name)
        except NotTakenError as error:
            if error.reason != "no picture":
                raise
    raise NotTakenError("no picture", f"there is no picture {name[:120]!r} in images/")


def _labels(value: Any) -> dict[str, str]:
    values = value if isinstance(value, list) else [] if value is None else [value]
    labels = [text_of(label).strip() for label in values]
    nested = any(isinstance(label, dict | list) for label in values)
    if nested or len(labels) > len(QUESTIONS) or not all(labels):
        raise NotTakenError("not readable", f"its labels are {value!r:.80}, not one or two names")
    return dict(zip(QUESTIONS, labels, strict=False))
