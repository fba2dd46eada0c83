"""A plain folder of pictures as a source. In: the folder. Out: finished memes, or templates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.collect.datasets.folder import DatasetFolder, read_picture
from memeloc.collect.datasets.records import unread_tables
from memeloc.collect.protocol import Dataset, dataset_at
from memeloc.errors import InputError
from memeloc.items import FoundPicture, FoundTemplate, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher


@dataclass
class FolderSource:
    """A folder of pictures, with all folders in it.

    Args:
        path: the folder.
        templates: the pictures are templates to write on, not finished memes.
        language: tag of the language that the memes are in.
        terms: licence or terms of use; without, what the folder's licence file says.
    """

    name = "folder"
    summary = "a plain folder of pictures"

    path: Path
    _: KW_ONLY
    templates: bool = False
    language: str = ""
    terms: str = ""

    def dataset(self) -> Dataset:
        return dataset_at(self.path)

    def collect(self, fetcher: Fetcher) -> Iterator[FoundPicture | FoundTemplate | Refusal]:
        """Read the folder; tables in it are refused, for the source `table` reads those."""
        dataset = DatasetFolder(self.name, self.path, self.terms, "a folder of pictures")

        def read(path: Path) -> Iterator[FoundPicture | FoundTemplate]:
            key, name = dataset.key_of(path), dataset.key_of(Path(path.stem))
            origin, content = dataset.origin(key, key), read_picture(path)
            if self.templates:
                yield FoundTemplate(origin, name, content)
            else:
                yield FoundPicture(origin, content, name=name, language=self.language)

        is_empty = True
        for result in dataset.read_pictures(read):
            is_empty = False
            yield result
        if is_empty:
            raise InputError("there are no pictures in it", file=self.path)
        yield from unread_tables(dataset)
