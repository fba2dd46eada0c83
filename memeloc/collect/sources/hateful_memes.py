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
    details_of,
    find_inside,
    find_tables,
    parts_of,
    read_picture,
    read_rows,
    table_rows,
    terms_of,
)
from memeloc.errors import InputError
from memeloc.items import FoundPicture, Origin, Refusal
from memeloc.tables import read_table

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher


class HatefulMemesSource:
    """Hateful Memes, or a dataset in its form.

    Args:
        path: the folder with train.jsonl and the like, or one such file.
        language: tag of the language that the memes are in.
        question: the name under which `label` is kept.
        terms: licence or terms of use; without, what the folder's licence file says.
    """

    name = "hateful-memes"
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

        def read(row: Row) -> Iterator[FoundPicture]:
            key = _key(row)
            text, label = row.text("text"), row.text("label").strip()
            if key in seen:
                other_text, other_label = seen[key]
                if hash(text) != other_text or (label and other_label and label != other_label):
                    sentence = f"{key!r} stood before it with another text or label"
                    raise NotTakenError("another of the same id", sentence)
                return
            name = row.need("img")
            yield FoundPicture(
                Origin(self.name, key, row.place, terms),
                read_picture(find_inside(root, name), name),
                name=key,
                parts=parts_of(text),
                language=self.language,
                labels={self.question: label} if label else {},
                details={"split": Path(row.file).stem, "img": name}
                | details_of(row.cells, ("id", "img", "text", "label")),
            )
            # A row without its picture does not keep out a later one that has it.
            seen[key] = hash(text), label

        for table in sorted(tables, key=_lacks_labels):
            rows = table_rows(table, root, ("id", "img"), only=len(tables) == 1)
            yield from read_rows(self.name, rows, read)


def _lacks_labels(table: Path) -> bool:
    try:
        return "label" not in read_table(table).columns
    except InputError:
        return True  # what is wrong with it is reported when its rows are read


def _key(row: Row) -> str:
    """The id as a text. Where it was written as a number, the picture's name has its zeros."""
    key = row.need("id")
    stem = Path(row.text("img").replace("\\", "/")).stem
    is_number = not isinstance(row.cells.get("id"), str)
    same = is_number and stem.isdecimal() and key.isdecimal() and int(stem) == int(key)
    return stem if same else key
