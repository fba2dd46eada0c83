"""Finished memes that go out. In: what was selected, or asked about. Out: items, pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.items import Item, meme_id
from memeloc.model import SEPARATOR
from memeloc.publish.metadata import metadata_of, without_metadata
from memeloc.publish.release import ReleasedPicture
from memeloc.render.sets.manifest import alternative_text
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.publishing.private import near_pictures

CLEANED = "release-pictures-without-metadata"
"""The folder of the workspace for collected pictures without their metadata."""


@dataclass(frozen=True, eq=False)
class CollectedPictures:
    """Finished memes that go out, by the ids of their items.

    Attributes:
        memes: their ids, the same for the versions of a meme in several languages.
        languages: the tags of their languages.
        cleaned: files of pictures without metadata, with their SHA-256, in the place of those that
            were collected with metadata.
    """

    items: Mapping[str, Item]
    memes: Mapping[str, str]
    languages: Mapping[str, str]
    cleaned: Mapping[str, tuple[Path, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls, workspace: WorkspaceFolder, asked_about: Collection[str], *, with_files: bool = True
    ) -> CollectedPictures:
        """Those that were selected, and those that surveys ask about.

        With files they are looked at for metadata, and copies without it are kept in the workspace.
        """
        selection = workspace.store.curation.selection()
        ids = {*asked_about, *(selection.pictures if selection else ())}
        stored = list(workspace.store.items.find("picture", sorted(ids))) if ids else []
        items = {item.id: item for item in stored if item.path is not None and item.path.is_file()}
        languages = {id: _tag(workspace, item) for id, item in items.items()}
        versions = Counter((meme_id(item), languages[id]) for id, item in items.items())
        # Several of one language would be files of one name: each of them is a meme.
        memes = {
            id: meme if versions[meme := meme_id(item), languages[id]] == 1 else id
            for id, item in items.items()
        }
        lost = len(ids) - len(items)
        cleaned = _cleaned(workspace, items) if with_files else {}
        notes = []
        if lost:
            notes.append(
                f"{counted(lost, 'finished meme is', 'finished memes are')} left out: the picture "
                "is not in the workspace."
            )
        if cleaned:
            notes.append(
                f"{counted(len(cleaned), 'picture goes', 'pictures go')} out without metadata such "
                "as EXIF; not a pixel is changed."
            )
        return cls(items, memes, languages, cleaned, tuple(notes))

    def near(self) -> Iterator[tuple[str, str]]:
        memes = [self.memes[id] for id in self.items]
        paths = [path for item in self.items.values() if (path := item.path) is not None]
        for first, second in near_pictures(paths):
            yield memes[first], memes[second]

    def picture(self, id: str, split: str, with_file: bool) -> ReleasedPicture:
        item, language, meme = self.items[id], self.languages[id], self.memes[id]
        assert item.path is not None
        file, sha256 = self.cleaned.get(id, (item.path, item.picture))
        row = {
            "template": item.parent,
            "sha256": sha256,
            "width": item.width or None,
            "height": item.height or None,
            "text": SEPARATOR.join(item.parts),
            "alt": alternative_text(item.parts),
            "url": item.origin.url,
            "template_source": item.origin.source,
            "template_licence": item.origin.terms,
        }
        path = f"{language}/{meme}{item.path.suffix}"
        return ReleasedPicture(meme, language, split, path, file if with_file else None, row)


def _cleaned(workspace: WorkspaceFolder, items: Mapping[str, Item]) -> dict[str, tuple[Path, str]]:
    """Copies without metadata of the pictures that have any and whose kind lets it go.

    They are made once a picture, and kept beside the rendered ones.
    """
    folder = (workspace.root or Path()) / CLEANED
    cleaned: dict[str, tuple[Path, str]] = {}
    for meme, item in items.items():
        assert item.path is not None
        with suppress(InputError):  # a file that is no picture is the check's to name
            if not metadata_of(item.path):
                continue
            copy = folder / f"{item.picture}{item.path.suffix}"
            if not copy.is_file():
                content = without_metadata(item.path.read_bytes())
                if content is None:
                    continue
                with replacing(copy) as temporary:
                    temporary.write_bytes(content)
            cleaned[meme] = (copy, file_sha256(copy))
    return cleaned


def _tag(workspace: WorkspaceFolder, item: Item) -> str:
    """The tag of a language, `und` (undetermined, ISO 639-2) where its source states none."""
    try:
        return workspace.locale(item.language).tag if item.language else "und"
    except InputError:
        return "und"
