"""Captions that go out. In: a workspace. Out: texts, states, and the table `captions`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memeloc.model import SEPARATOR
from memeloc.publish.release import ReleaseTable
from memeloc.store.captions.states import taken_states
from memeloc.store.records import Accept
from memeloc.workspace.folder import WorkspaceFolder

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.workspace.publishing.collected import CollectedPictures

Key = tuple[str, str]
"""A meme and a language."""

_BY_MACHINE = ("translated", "read")


class CaptionRow(NamedTuple):
    state: str
    stage: str
    round: int
    translator: str


@dataclass(frozen=True, eq=False)
class TakenCaptions:
    """Captions that go out.

    Attributes:
        texts: parts by meme and language, in the memes' order.
        rows: what has become of each.
        templates: by meme; memes_frame is the workspace's table `memes`.
    """

    texts: Mapping[Key, tuple[str, ...]]
    rows: Mapping[Key, CaptionRow]
    templates: Mapping[str, str]
    memes_frame: pd.DataFrame

    @cached_property
    def memes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(meme for meme, _ in self.texts))

    @cached_property
    def languages(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(language for _, language in self.texts))

    def unread(self) -> dict[str, int]:
        counts = Counter(
            language
            for (_, language), row in self.rows.items()
            if row.stage in _BY_MACHINE and row.state not in ("accepted", "corrected")
        )
        return dict(counts)


def taken_captions(workspace: WorkspaceFolder, which: Accept) -> TakenCaptions:
    """The captions that are published: of memes that are not dropped, by their states."""
    stored, taken = workspace.store.captions, taken_states(which)
    states = {
        (status.meme_id, status.language): status.state
        for status in stored.states(rounds=workspace.settings.correction.rounds)
    }
    tags = [workspace.source.tag, *(locale.tag for locale in workspace.languages)]
    tags = list(dict.fromkeys([*tags, *(language for _, language in states)]))
    texts: dict[Key, tuple[str, ...]] = {}
    rows: dict[Key, CaptionRow] = {}
    for tag in tags:
        for meme, version in stored.current(tag).items():
            state = states.get((meme, tag))
            if state in taken:
                texts[meme, tag] = version.parts
                made = (version.stage, version.round, version.translator)
                rows[meme, tag] = CaptionRow(states[meme, tag], *made)
    return TakenCaptions(texts, rows, stored.templates(), workspace.store.exports.frame("memes"))


_COLUMNS = {
    "meme_id": "the meme",
    "language": "BCP 47 tag",
    "template": "the picture that the text stands on",
    "split": "split of the meme",
    "text": "the caption, its parts joined by ' // '",
    "state": "what has become of it: given (by its author, or as collected), machine (nobody read "
    "it), corrected (by one person), accepted, disputed, outdated",
    "stage": "what wrote it: imported, collected, translated, read (in a picture), corrected, "
    "settled",
    "round": "round of correction, 0 before any",
    "translator": "what translated or read it, as far as a program did",
}


def captions_table(
    captions: TakenCaptions, collected: CollectedPictures, splits: Mapping[str, str]
) -> ReleaseTable:
    rows = [
        {
            "meme_id": meme,
            "language": language,
            "template": captions.templates[meme],
            "split": splits[meme],
            "text": SEPARATOR.join(parts),
            **captions.rows[meme, language]._asdict(),
        }
        for (meme, language), parts in captions.texts.items()
    ]
    rows += [
        {
            "meme_id": collected.memes[id],
            "language": collected.languages[id],
            "template": item.parent,
            "split": splits[collected.memes[id]],
            "text": SEPARATOR.join(item.parts),
            "state": "given",
            "stage": "collected",
            "round": 0,
            "translator": "",
        }
        for id, item in collected.items.items()
        if any(item.parts)
    ]
    return ReleaseTable.of("captions", rows, "Captions in all languages", _COLUMNS)
