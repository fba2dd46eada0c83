"""What was collected and what was said of it. In: found things, verdicts, judgements. Out: items.

`Collected` is the part of `Workspace` that collecting and curating use.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.items import Found, FoundCaption, Item, ItemKind, Refusal
from memeloc.store.folder import WorkspaceFolder

if TYPE_CHECKING:
    from memeloc.curate.judgement import Judgement
    from memeloc.curate.pairs import Pair
    from memeloc.curate.verdict import Verdict
    from memeloc.ocr.transcript import Transcript
    from memeloc.store.records import CaptionVersion, FileRecord
    from memeloc.store.selecting import Selection
    from memeloc.store.storing_items import AddedItems


class ModelAnswers:
    """What language models answered, kept in the workspace: a cache for their client."""

    def __init__(self, workspace: Collected) -> None:
        self._workspace = workspace

    def get(self, key: str) -> str | None:
        """The answer to the question with this hash, if it was asked before."""
        from memeloc.store import computed

        with self._workspace.database.read() as connection:
            return computed.find_model_answer(connection, key)

    def put(self, key: str, value: str) -> None:
        """Keep an answer."""
        from memeloc.store import computed

        with self._workspace.database.write(relaxed=True) as connection:
            computed.add_model_answer(connection, key, value)


class Collected(WorkspaceFolder):
    """The items of a workspace, and what filters and people said of them."""

    # Items

    def add_found(self, several: Sequence[Found]) -> AddedItems:
        """Store what a source found, in one transaction; pictures go to images/.

        What is known already adds nothing, what differs becomes a new version. A picture that is
        none, or too large, is left out and told of as a refusal.

        Raises:
            InputError: the workspace has no folder for pictures.
        """
        from memeloc.store import storing_items, storing_pictures

        taken: list[Found] = []
        stored: dict[int, str] = {}
        written: dict[str, storing_pictures.StoredPicture] = {}
        refused: list[Refusal] = []
        for found in several:
            content = None if isinstance(found, FoundCaption) else found.picture
            if content is not None:
                try:
                    picture = storing_pictures.write_picture(self._folder, content)
                except InputError as error:
                    where = found.origin.url or found.origin.key
                    reason = "not a usable picture"
                    refused.append(Refusal(found.origin.source, where, reason, error.message))
                    if storing_items.kind_of(found) == "picture":
                        continue
                else:
                    stored[len(taken)] = picture.sha256
                    written[picture.sha256] = picture
            taken.append(found)
        with self.database.write() as connection:
            storing_pictures.add_pictures(connection, written)
            added = storing_items.add_found(connection, taken, stored)
            storing_items.add_refusals(connection, refused)
        return replace(added, refused=tuple(refused))

    def add_refusals(self, several: Sequence[Refusal]) -> int:
        """Store what was not taken; how many were not known yet."""
        from memeloc.store import storing_items

        with self.database.write() as connection:
            return storing_items.add_refusals(connection, several)

    def refusals(self) -> list[Refusal]:
        """What was not taken, in the order in which it was met."""
        from memeloc.store import storing_items

        with self.database.read() as connection:
            return storing_items.find_refusals(connection)

    def items(
        self,
        kind: ItemKind | None = None,
        *,
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
        from memeloc.store import storing_items, transcripts

        with self.database.read() as connection:
            texts = transcripts.transcript_texts(connection)
            yield from storing_items.find_items(
                connection, self.root, texts, kind=kind, ids=ids, source=source
            )

    def count_items(self) -> dict[tuple[str, str], int]:
        """How many items there are, by source and kind."""
        from memeloc.store import storing_items

        with self.database.read() as connection:
            return storing_items.count_items(connection)

    @property
    def cache_folder(self) -> Path:
        """Where fetched pages are kept; it may be deleted at any time.

        Raises:
            InputError: the workspace has no folder.
        """
        return self._folder / ".cache"

    @property
    def _folder(self) -> Path:
        if self.root is None:
            raise InputError(
                "A workspace that is opened by its database's URL has no folder for pictures; "
                "open it by its folder."
            )
        return self.root

    # Transcripts

    def add_transcripts(self, several: Sequence[Transcript]) -> int:
        """Store what was read in pictures; how many differ from what is there.

        What a person wrote is not passed over.
        """
        from memeloc.store import transcripts

        with self.database.write() as connection:
            return transcripts.add_transcripts(connection, several)

    def transcripts(self) -> dict[str, CaptionVersion]:
        """The current transcripts, by item."""
        from memeloc.store import transcripts

        with self.database.read() as connection:
            return transcripts.find_transcripts(connection)

    # Features, verdicts, pairs

    def features(self, name: str, shas: Collection[str]) -> dict[str, Any]:
        """What was computed of some pictures under a name, by SHA-256."""
        from memeloc.store import computed

        with self.database.read() as connection:
            return computed.find_features(connection, name, shas)

    def add_features(self, name: str, values: Mapping[str, Any]) -> None:
        """Store what was computed of pictures, by SHA-256; what is there already stays.

        Args:
            name: of the method and its version, such as `phash-1`.
            values: JSON values.
        """
        from memeloc.store import computed

        with self.database.write(relaxed=True) as connection:
            computed.add_features(connection, name, values)

    def add_verdicts(self, several: Sequence[Verdict]) -> int:
        """Store what filters said; how many say something new."""
        from memeloc.store import storing_verdicts

        with self.database.write() as connection:
            return storing_verdicts.add_verdicts(connection, several)

    def verdicts(self, filter: str | None = None) -> dict[str, dict[str, Verdict]]:
        """The newest verdicts, by item and filter."""
        from memeloc.store import storing_verdicts

        with self.database.read() as connection:
            return storing_verdicts.find_verdicts(connection, filter)

    def add_pairs(self, several: Iterable[Pair], settings: Mapping[str, Any] | None = None) -> int:
        """Store all that one search for duplicates found; it takes the place of the last search.

        Args:
            several: the pairs.
            settings: what they were found by.

        Returns:
            The number of the search; that of the last one when it found the very same.
        """
        from memeloc.store import storing_verdicts

        with self.database.write() as connection:
            return storing_verdicts.add_pairs(connection, several, dict(settings or {}))

    def pairs(self, stage: str | None = None) -> list[Pair]:
        """The pairs of the newest search, all or of one stage, in the order of their ids."""
        from memeloc.store import storing_verdicts

        with self.database.read() as connection:
            return storing_verdicts.find_pairs(connection, stage)

    # What people and models said

    def add_judgements(self, file: FileRecord, several: Sequence[Judgement]) -> int:
        """Store a file of judgements, whole or not at all, and once; how many are new.

        Args:
            file: `FileRecord("judgements", name, sha256, rows)`.
            several: what it says.
        """
        from memeloc.store import storing_verdicts

        with self.database.write() as connection:
            return storing_verdicts.add_judgements(connection, file, several)

    def judgements(self, question: str | None = None) -> list[Judgement]:
        """What each person said last of each subject and question, oldest first."""
        from memeloc.store import storing_verdicts

        with self.database.read() as connection:
            return storing_verdicts.find_judgements(connection, question)

    @property
    def model_cache(self) -> ModelAnswers:
        """What language models answered before."""
        return ModelAnswers(self)

    # Selection

    def store_selection(
        self,
        settings: Mapping[str, Any],
        funnel: Sequence[Mapping[str, Any]],
        chosen: Collection[str],
    ) -> Selection:
        """Make memes of collected captions, and template folders of what they are written on.

        Memes of an earlier selection that are not chosen now are set aside, not deleted.

        Args:
            settings, funnel: what they were chosen by, as JSON values.
            chosen: ids of captions.
        """
        from memeloc.store import selecting

        captions = [item for item in self.items("caption", ids=chosen) if item.kind == "caption"]
        names = list(dict.fromkeys(item.parent for item in captions if item.parent))
        folder = self._folder / "templates"
        wrong = selecting.write_templates(folder, list(self.items("template", ids=names)))
        boxes, broken = selecting.count_boxes(folder, names)
        with self.database.write() as connection:
            return selecting.store_selection(
                connection, settings, funnel, captions, boxes, {**broken, **wrong}, self.source.tag
            )

    def selection(self) -> Selection | None:
        """The newest selection, None when nothing was selected yet."""
        from memeloc.store import selecting

        with self.database.read() as connection:
            return selecting.find_selection(connection)
