"""What filters and people judged. In: verdicts, pairs, judgements, selections. Out: the newest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.curate.judgement import Judgement
from memeloc.curate.pairs import Pair
from memeloc.curate.verdict import Verdict
from memeloc.store import selecting, storing_verdicts
from memeloc.store.database import Database
from memeloc.store.items import Items, folder_of
from memeloc.store.records import FileRecord
from memeloc.store.selecting import Selection


class Curation:
    """Verdicts, duplicates, judgements and selections; all are kept, the newest hold."""

    def __init__(self, root: Path | None, database: Database) -> None:
        self.root = root
        self.database = database

    def verdicts(self, filter: str | None = None) -> dict[str, dict[str, Verdict]]:
        """The newest verdicts, by item and filter."""
        with self.database.read() as connection:
            return storing_verdicts.find_verdicts(connection, filter)

    def add_verdicts(self, verdicts: Sequence[Verdict]) -> int:
        """Store what filters returned; how many differ from the newest."""
        with self.database.write() as connection:
            return storing_verdicts.add_verdicts(connection, verdicts)

    def pairs(self, stage: str | None = None) -> list[Pair]:
        """The pairs of the newest search, all or of one stage, in the order of their ids."""
        with self.database.read() as connection:
            return storing_verdicts.find_pairs(connection, stage)

    def add_pairs(self, pairs: Iterable[Pair], settings: Mapping[str, Any] | None = None) -> int:
        """Store all that one search for duplicates found; it takes the place of the last search.

        Args:
            pairs: what it found.
            settings: what they were found by.

        Returns:
            The number of the search; that of the last one when it found the very same.
        """
        with self.database.write() as connection:
            return storing_verdicts.add_pairs(connection, pairs, dict(settings or {}))

    def judgements(self, question: str | None = None) -> list[Judgement]:
        """What each person answered last of each subject and question, oldest first."""
        with self.database.read() as connection:
            return storing_verdicts.find_judgements(connection, question)

    def add_judgements(self, file: FileRecord, judgements: Sequence[Judgement]) -> int:
        """Store a file of judgements, whole or not at all, and once; how many are new.

        Args:
            file: `FileRecord("judgements", name, sha256, rows)`.
            judgements: what it holds.
        """
        with self.database.write() as connection:
            return storing_verdicts.add_judgements(connection, file, judgements)

    def add_selection(
        self,
        settings: Mapping[str, Any],
        funnel: Sequence[Mapping[str, Any]],
        ids: Collection[str],
        source: str = "en",
    ) -> Selection:
        """Make memes of collected captions, and template folders of what they are written on.

        Memes of an earlier selection that are not chosen now are set aside, not deleted.

        Args:
            settings, funnel: what they were chosen by, as JSON values.
            ids: of captions.
            source: the tag of the new memes' source language.
        """
        items = Items(self.root, self.database)
        captions = [item for item in items.find("caption", ids) if item.kind == "caption"]
        names = list(dict.fromkeys(item.parent for item in captions if item.parent))
        folder = folder_of(self.root) / "templates"
        wrong = selecting.write_templates(folder, list(items.find("template", names)))
        boxes, broken = selecting.count_boxes(folder, names)
        with self.database.write() as connection:
            return selecting.store_selection(
                connection, settings, funnel, captions, boxes, {**broken, **wrong}, source
            )

    def selection(self) -> Selection | None:
        """The newest selection, None when nothing was selected yet."""
        with self.database.read() as connection:
            return selecting.find_selection(connection)
