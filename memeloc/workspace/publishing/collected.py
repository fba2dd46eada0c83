"""Finished memes that go out. In: what was selected, or asked about. Out: items, pictures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.items import Item
from memeloc.model import SEPARATOR
from memeloc.publish.release import ReleasedPicture
from memeloc.render.sets.manifest import alternative_text
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.publishing.private import near_pictures


@dataclass(frozen=True, eq=False)
class CollectedPictures:
    """Finished memes that go out, by id, with the tags of their languages."""

    items: Mapping[str, Item]
    languages: Mapping[str, str]
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, workspace: WorkspaceFolder, asked_about: Collection[str]) -> CollectedPictures:
        """Those that were selected, and those that surveys ask about."""
        selection = workspace.store.curation.selection()
        ids = {*asked_about, *(selection.pictures if selection else ())}
        found = list(workspace.store.items.find("picture", sorted(ids))) if ids else []
        items = {item.id: item for item in found if item.path is not None and item.path.is_file()}
        languages = {meme: _tag(workspace, item) for meme, item in items.items()}
        lost = len(ids) - len(items)
        notes = (
            (f"{counted(lost, 'finished meme is', 'finished memes are')} left out: the picture is "
             "not in the workspace.",)
            if lost
            else ()
        )  # fmt: skip
        return cls(items, languages, notes)

    def near(self) -> Iterator[tuple[str, str]]:
        """Finished memes that look alike, which are to be in one split."""
        memes = list(self.items)
        paths = [path for item in self.items.values() if (path := item.path) is not None]
        for first, second in near_pictures(paths):
            yield memes[first], memes[second]

    def picture(self, meme: str, split: str, with_file: bool) -> ReleasedPicture:
        """The picture of a finished meme."""
        item, language = self.items[meme], self.languages[meme]
        assert item.path is not None
        row = {
            "template": item.parent,
            "sha256": item.picture,
            "width": item.width or None,
            "height": item.height or None,
            "text": SEPARATOR.join(item.parts),
            "alt": alternative_text(item.parts),
            "url": item.origin.url,
            "template_source": item.origin.source,
            "template_licence": item.origin.terms,
        }
        path = f"{language}/{meme}{item.path.suffix}"
        return ReleasedPicture(meme, language, split, path, item.path if with_file else None, row)


def _tag(workspace: WorkspaceFolder, item: Item) -> str:
    """The tag of a language, `und` (undetermined, ISO 639-2) where its source states none."""
    try:
        return workspace.locale(item.language).tag if item.language else "und"
    except InputError:
        return "und"
