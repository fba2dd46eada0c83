"""The Hateful Memes dataset on disk. In: its folder, or one of its tables. Out: finished memes.

JSON Lines with `id`, `img` (a path below the folder), `label` (0 or 1, not in every split) and
`text`; MAMI and others use the same form. Kiela et al. 2020, arXiv:2005.04790.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.collect.sources.dataset_files import (
    NotTakenError,
    Row,
    check_dataset,
    details_of,
    parts_of,
    read_picture,
    rows_of_all,
    terms_of,
)
from memeloc.errors import InputError
from memeloc.items import FoundPicture, Origin, Refusal
from memeloc.tables import read_table

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

NAME = "hateful-memes"


class HatefulMemesSource:
    """Hateful Memes, or a dataset in its form.

    Args:
        path: the folder with train.jsonl and the like, or one such file.
        language: tag of the language that the memes are in.
        question: the name under which `label` is kept.
        terms: licence or terms of use; without, what the folder's licence file says.
    """

    name = NAME
    summary = "Hateful Memes on disk: JSON Lines with id, img, label and text"

    def __init__(
        self, path: Path, *, language: str = "en", question: str = "hateful", terms: str = ""
    ) -> None:
        self.path = path
        self.language = language
        self.question = question
        self.terms = terms

    def collect(self, fetcher: Fetcher) -> Iterator[FoundPicture | Refusal]:
        """Read the tables; nothing is fetched. A meme that several splits have comes once.

        Tables with labels are first, so that a meme has its label where any of them gives it.

        Raises:
            InputError: there is no such folder or file, or no table in it that can be read.
        """
        root, tables = find_tables(self.path, "the folder of Hateful Memes, with its .jsonl files")
        terms = self.terms or terms_of(root)
        seen: dict[str, tuple[int, str]] = {}
        tables.sort(key=_lacks_labels)
        for row in rows_of_all(tables, root, ("id", "img")):
            try:
                row.check()
                key = _key(row)
                content = (hash(row.text("text")), row.text("label"))
                if key in seen:
                    if _differ(seen[key], content):
                        sentence = f"{key!r} stood before it with another text or label"
                        raise NotTakenError("another of the same id", sentence)
                    continue
                found = self._found(row, key, root, Path(row.file).stem, terms)
                # A row without its picture does not keep out a later one that has it.
                seen[key] = content
                yield found
            except NotTakenError as error:
                yield row.refusal(NAME, error)

    def _found(self, row: Row, key: str, root: Path, split: str, terms: str) -> FoundPicture:
        name = row.need("img")
        label = row.text("label").strip()
        return FoundPicture(
            Origin(NAME, key, row.place, terms),
            read_picture(root, name),
            name=key,
            parts=parts_of(row.text("text")),
            language=self.language,
            labels={self.question: label} if label else {},
            details={"split": split, "img": name}
            | details_of(row.cells, ("id", "img", "text", "label")),
        )


def _lacks_labels(table: Path) -> bool:
    try:
        return "label" not in read_table(table).columns
    except InputError:
        return True  # what is wrong with it is reported when its rows are read


def _differ(one: tuple[int, str], other: tuple[int, str]) -> bool:
    """Whether two rows of one id say different things; a split may leave out the label."""
    return one[0] != other[0] or (bool(one[1] and other[1]) and one[1] != other[1])


def _key(row: Row) -> str:
    """The id as a text. Where it was written as a number, the picture's name has its zeros."""
    key = row.need("id")
    stem = Path(row.text("img").replace("\\", "/")).stem
    is_number = not isinstance(row.cells.get("id"), str)
    same = is_number and stem.isdecimal() and key.isdecimal() and int(stem) == int(key)
    return stem if same else key


def find_tables(path: Path, what: str) -> tuple[Path, list[Path]]:
    """The folder of a dataset of JSON Lines, and its tables in order.

    Args:
        path: the folder, or one table.
        what: what is wanted, for the error.

    Raises:
        InputError: it is not there, or there is no table.
    """
    if path.is_file():
        return path.parent.resolve(), [path.resolve()]
    root = check_dataset(path, what)
    tables = sorted(
        one for one in root.glob("*.jsonl") if one.is_file() and one.resolve().parent == root
    )
    if not tables:
        raise InputError(f"there is no .jsonl file in it; give {what}", file=path)
    # The training split is first, so that a meme of several splits is of the largest.
    tables.sort(key=lambda one: (not one.stem.startswith("train"), one.name))
    return root, tables
