"""A plain folder of pictures as a source. In: the folder. Out: finished memes, or templates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.collect.sources.dataset_files import (
    NotTakenError,
    check_dataset,
    read_picture,
    relative,
    taken,
    terms_of,
    walk_pictures,
)
from memeloc.errors import InputError
from memeloc.items import FoundPicture, FoundTemplate, Origin, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher


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

    def __init__(
        self, path: Path, *, templates: bool = False, language: str = "", terms: str = ""
    ) -> None:
        self.path = path
        self.templates = templates
        self.language = language
        self.terms = terms

    def collect(self, fetcher: Fetcher) -> Iterator[FoundPicture | FoundTemplate | Refusal]:
        """Read the folder; nothing is fetched. A link that leads out of it is refused.

        Raises:
            InputError: there is no such folder, or no picture in it.
        """
        root = check_dataset(self.path, "a folder of pictures")
        terms = self.terms or terms_of(root)
        is_empty = True
        for path, wrong in walk_pictures(root):
            is_empty = False
            key = relative(path, root)
            origin = Origin(self.name, key, key, terms)
            yield from taken(self.name, key, self._item(path, wrong, origin))
        if is_empty:
            raise InputError("there are no pictures in it", file=self.path)

    def _item(
        self, path: Path, wrong: NotTakenError | None, origin: Origin
    ) -> Iterator[FoundPicture | FoundTemplate]:
        if wrong is not None:
            raise wrong
        content = read_picture(path)
        name = relative(path.with_suffix(""), path.parent)
        if self.templates:
            yield FoundTemplate(origin, name, content)
        else:
            yield FoundPicture(origin, content, name=name, language=self.language)
