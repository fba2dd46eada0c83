"""Pictures that go out. In: a rendered set, collected items. Out: `ReleasedPicture`s, one by one.

A manifest of a million rows is never all held: it is read anew for each split.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.files import fetch_first
from memeloc.model import SEPARATOR
from memeloc.publish.release import ReleasedPicture
from memeloc.render.sets.manifest import MANIFEST, SHARDS, VERSIONS
from memeloc.render.sets.reading import has_set, set_batches
from memeloc.workspace.publishing.captions import Key
from memeloc.workspace.publishing.collected import CollectedPictures


@dataclass(frozen=True, eq=False)
class RenderedSet:
    """The pictures of a set that show captions as they go out; without a folder there are none.

    Attributes:
        texts: parts by meme and language, of the captions that go out.
    """

    folder: Path | None
    texts: Mapping[Key, tuple[str, ...]]

    @classmethod
    def open(cls, folder: Path, texts: Mapping[Key, tuple[str, ...]]) -> RenderedSet:
        """The set in a folder.

        Raises:
            InputError: there is no rendered set, or its pictures are in shards.
        """
        if (first := fetch_first(folder)) or not has_set(folder):
            raise InputError(
                f"There is no rendered set here ({MANIFEST} is missing); "
                f"`memeloc render` makes one{first}.",
                file=folder,
            )
        if (folder / SHARDS).is_dir():
            raise InputError(
                "has its pictures in shards; publish a set of single files, as `memeloc render` "
                "makes without --to.",
                file=folder,
            )
        return cls(folder, texts)

    def _batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        languages = {language for _, language in self.texts}
        return set_batches(self.folder, columns, language=languages) if self.folder else iter(())

    @cached_property
    def _looked_up(self) -> tuple[dict[Key, bool], tuple[str, ...]]:
        shown: dict[Key, bool] = {}
        for batch in self._batches(["meme_id", "language", "in_table", "text"]):
            for row in batch.to_pylist():
                key = row["meme_id"], row["language"]
                if row.get("in_table") is not False and key in self.texts:
                    shown[key] = row["text"] == SEPARATOR.join(self.texts[key])
        stale = sum(not is_current for is_current in shown.values())
        missing = len(self.texts) - len(shown) if self.folder else 0
        notes = []
        if stale:
            notes.append(
                f"{counted(stale, 'picture shows', 'pictures show')} another caption than stands "
                "now, and stay behind; render again."
            )
        if missing:
            notes.append(
                f"{counted(missing, 'caption has', 'captions have')} no picture in the rendered "
                "set, and go out as text alone."
            )
        return shown, tuple(notes)

    @property
    def keys(self) -> Collection[Key]:
        return [key for key, is_current in self._looked_up[0].items() if is_current]

    @property
    def notes(self) -> tuple[str, ...]:
        return self._looked_up[1]

    def rows(self, memes: Collection[str]) -> Iterator[Mapping[str, Any]]:
        shown = self._looked_up[0]
        for batch in self._batches():
            keys = list(
                zip(batch["meme_id"].to_pylist(), batch["language"].to_pylist(), strict=True)
            )
            there = batch["in_table"].to_pylist()
            mask = [
                key[0] in memes and is_there is not False and shown.get(key, False)
                for key, is_there in zip(keys, there, strict=True)
            ]
            if any(mask):
                yield from batch.filter(pa.array(mask)).to_pylist()

    def made_by(self) -> dict[str, Any]:
        versions: dict[str, set[str]] = {name: set() for name in VERSIONS}
        fonts: dict[str, str] = {}
        for batch in self._batches([*VERSIONS, "font_files"]):
            for name in VERSIONS:
                versions[name] |= set(batch[name].unique().to_pylist()) - {None}
            files = batch["font_files"].flatten().flatten()
            fonts.update(zip(*(column.to_pylist() for column in files), strict=True))
        return {
            "versions": {name: sorted(values) for name, values in versions.items() if values},
            "fonts": dict(sorted(fonts.items())),
        }

    def picture(self, row: Mapping[str, Any], split: str, with_file: bool) -> ReleasedPicture:
        """A picture of a row.

        Raises:
            InputError: the row names a file outside the set.
        """
        assert self.folder is not None
        path = PurePosixPath(row["path"] or "")
        if path.is_absolute() or ".." in path.parts or len(path.parts) < 2:
            raise InputError(f"names the picture {str(path)[:80]!r}", file=self.folder / MANIFEST)
        language = str(row["language"])
        file = self.folder.joinpath(*path.parts) if with_file else None
        return ReleasedPicture(
            row["meme_id"], language, split, f"{language}/{path.name}", file, {**row, "url": ""}
        )


@dataclass(frozen=True, eq=False)
class Pictures:
    """All pictures of a release, by split; called, it gives a new iterator over them."""

    rendered: RenderedSet
    collected: CollectedPictures
    splits: Mapping[str, str]
    order: tuple[str, ...]
    with_files: bool = True

    def __call__(self) -> Iterator[ReleasedPicture]:
        for split in self.order:
            memes = {meme for meme, own in self.splits.items() if own == split}
            for row in self.rendered.rows(memes) if memes else ():
                yield self.rendered.picture(row, split, self.with_files)
            for item, meme in self.collected.memes.items():
                if meme in memes:
                    yield self.collected.picture(item, split, self.with_files)

    def counts(self) -> dict[Key, int]:
        counts = Counter((language, self.splits[meme]) for meme, language in self.rendered.keys)
        counts.update(
            (language, self.splits[self.collected.memes[item]])
            for item, language in self.collected.languages.items()
        )
        return {
            key: counts[key] for key in sorted(counts, key=lambda k: (self.order.index(k[1]), k))
        }
