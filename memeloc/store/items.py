"""What was collected. In: what sources found. Out: items, a version for each time one differed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from memeloc.errors import InputError
from memeloc.items import Found, FoundCaption, Item, ItemKind, Refusal
from memeloc.store import storing_items, storing_pictures, transcripts
from memeloc.store.database import Database
from memeloc.store.storing_items import AddedItems


class Items:
    """The items of a workspace, and their pictures in images/."""

    def __init__(self, root: Path | None, database: Database) -> None:
        self.root = root
        self.database = database

    def add(self, found: Sequence[Found]) -> AddedItems:
        """Store what a source found, in one transaction; pictures go to images/.

        What is there already adds nothing, what differs becomes a new version. A picture that is
        not one, or too large, is left out and reported as a refusal.

        Raises:
            InputError: the workspace has no folder for pictures.
        """
        taken: list[Found] = []
        stored: dict[int, str] = {}
        written: dict[str, storing_pictures.StoredPicture] = {}
        refused: list[Refusal] = []
        for each in found:
            content = None if isinstance(each, FoundCaption) else each.picture
            if content is not None:
                try:
                    picture = storing_pictures.write_picture(folder_of(self.root), content)
                except InputError as error:
                    where = each.origin.url or each.origin.key
                    reason = "not a usable picture"
                    refused.append(Refusal(each.origin.source, where, reason, error.message))
                    if storing_items.kind_of(each) == "picture":
                        continue
                else:
                    stored[len(taken)] = picture.sha256
                    written[picture.sha256] = picture
            taken.append(each)
        with self.database.write() as connection:
            storing_pictures.add_pictures(connection, written)
            added = storing_items.add_found(connection, taken, stored)
            storing_items.add_refusals(connection, refused)
        return replace(added, refused=tuple(refused))

    def add_refusals(self, refusals: Sequence[Refusal]) -> int:
        """Store what was not taken; how many were not there yet."""
        with self.database.write() as connection:
            return storing_items.add_refusals(connection, refusals)

    def refusals(self) -> list[Refusal]:
        """What was not taken, in the order in which it was met."""
        with self.database.read() as connection:
            return storing_items.find_refusals(connection)

    def find(
        self,
        kind: ItemKind | None = None,
        ids: Collection[str] | None = None,
        source: str | None = None,
    ) -> Iterator[Item]:
        """Items as they are now, in the order in which they came, one by one.

        The text of a picture is its transcript when a person has seen that, else what its source
        says, else what was read.

        Args:
            kind, source: only of this one.
            ids: only these.
        """
        with self.database.read() as connection:
            texts = transcripts.transcript_texts(connection)
            yield from storing_items.find_items(
                connection, self.root, texts, kind=kind, ids=ids, source=source
            )

    def count(self) -> dict[tuple[str, str], int]:
        """How many items there are, by source and kind."""
        with self.database.read() as connection:
            return storing_items.count_items(connection)


def folder_of(root: Path | None) -> Path:
    """The store's folder.

    Raises:
        InputError: it has none.
    """
    if root is None:
        raise InputError(
            "A workspace that is opened by its database's URL has no folder for pictures; "
            "open it by its folder."
        )
    return root
