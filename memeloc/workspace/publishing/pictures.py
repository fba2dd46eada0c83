"""What goes out of a workspace, and its pictures. In: captions, a rendered set, items. Out: rows.

What goes out is a `Text` for each meme and language: a caption, which a rendered picture shows, or
a finished meme that was collected, with its own picture. A manifest of a million rows is never all
held: it is read anew for each split.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pyarrow as pa

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.items import Item, meme_id
from memeloc.model import SEPARATOR, Template
from memeloc.object_storage import folder_at
from memeloc.publish.folder import RELEASE
from memeloc.publish.metadata import metadata_of, without_metadata
from memeloc.publish.release import ReleasedPicture
from memeloc.render.sets.manifest import MANIFEST, SHARDS, VERSIONS, alternative_text
from memeloc.render.sets.reading import has_set, set_batches
from memeloc.store.captions.states import taken_states
from memeloc.store.records import Accept
from memeloc.workspace.folder import WorkspaceFolder

Key = tuple[str, str]
"""A meme and a language."""


class Text(NamedTuple):
    """What a meme says in a language, what became of it, and what wrote it.

    `item` is the finished meme that it stands in; None of a caption.
    """

    template: str
    parts: tuple[str, ...]
    state: str = "given"
    stage: str = "collected"
    round: int = 0
    translator: str = ""
    item: Item | None = None


def current_captions(workspace: WorkspaceFolder, which: Accept) -> dict[Key, Text]:
    """Return the captions of memes that are not dropped, by their states; in the memes' order."""
    stored, taken = workspace.store.captions, taken_states(which)
    states = {
        (status.meme_id, status.language): status.state
        for status in stored.states(rounds=workspace.settings.correction.rounds)
    }
    templates = stored.templates()
    tags = [workspace.source.tag, *(locale.tag for locale in workspace.languages)]
    return {
        (meme, tag): Text(
            templates[meme], version.parts, states[meme, tag], version.stage, version.round,
            version.translator,
        )
        for tag in dict.fromkeys([*tags, *(language for _, language in states)])
        for meme, version in stored.current(tag).items()
        if states.get((meme, tag)) in taken
    }  # fmt: skip


def finished_memes(workspace: WorkspaceFolder, items: Iterable[Item]) -> dict[Key, Text]:
    """Return collected pictures, those of a meme's languages under its one id."""

    def tag(item: Item) -> str:
        """Return a language's tag, `und` (undetermined, ISO 639-2) where the source has none."""
        with suppress(InputError):
            return workspace.locale(item.language).tag if item.language else "und"
        return "und"

    keys = {item.id: (meme_id(item), tag(item)) for item in items}
    versions = Counter(keys.values())
    # Several of one language would be files of one name: each of them is a meme.
    return {
        (meme if versions[meme, language] == 1 else item.id, language): Text(
            item.parent, item.parts, item=item
        )
        for item in items
        for meme, language in (keys[item.id],)
    }


@dataclass(frozen=True, eq=False)
class Pictures:
    """All pictures of a release, by split; called, it gives a new iterator over them.

    Attributes:
        rendered: the folder of a set; None where there are no captions.
        shown: by captions that the set has whether their pictures show them as they are now.
        cleaned: by SHA-256 of collected pictures copies without metadata, with theirs.
        templates: whose sources and licences count as they are now.
    """

    rendered: Path | None
    texts: Mapping[Key, Text]
    shown: Mapping[Key, bool]
    cleaned: Mapping[str, tuple[Path, str]]
    templates: Mapping[str, Template]
    splits: Mapping[str, str]
    order: tuple[str, ...]
    with_files: bool

    def __call__(self) -> Iterator[ReleasedPicture]:
        for split in self.order:
            memes = {meme for meme, name in self.splits.items() if name == split}
            if memes:
                yield from self._rendered_pictures(memes, split)
            for (meme, language), text in self.texts.items():
                if text.item is not None and meme in memes:
                    yield self._collected_picture(meme, language, split, text.item)

    def counts(self) -> dict[Key, int]:
        """Return how many pictures there are by language and split."""
        keys = [key for key, is_current in self.shown.items() if is_current]
        keys += [key for key, text in self.texts.items() if text.item is not None]
        counts = Counter((language, self.splits[meme]) for meme, language in keys)
        return dict(sorted(counts.items(), key=lambda each: (self.order.index(each[0][1]), each)))

    def _rendered_pictures(self, memes: Collection[str], split: str) -> Iterator[ReleasedPicture]:
        for batch in _batches(self.rendered, self.texts):
            keys = zip(batch["meme_id"].to_pylist(), batch["language"].to_pylist(), strict=True)
            mask = [
                key[0] in memes and in_table is not False and self.shown.get(key, False)
                for key, in_table in zip(keys, batch["in_table"].to_pylist(), strict=True)
            ]
            for row in batch.filter(pa.array(mask)).to_pylist() if any(mask) else ():
                path, folder = PurePosixPath(row["path"] or ""), self.rendered
                assert folder is not None
                if path.is_absolute() or ".." in path.parts or len(path.parts) < 2:
                    message = f"names the picture {str(path)[:80]!r}"
                    raise InputError(message, file=folder / MANIFEST)
                if template := self.templates.get(row["template"]):
                    rights = {
                        "template_source": template.source,
                        "template_licence": template.licence,
                    }
                    row |= {name: value for name, value in rights.items() if value}
                yield ReleasedPicture(
                    row["meme_id"],
                    row["language"],
                    split,
                    f"{row['language']}/{path.name}",
                    folder.joinpath(*path.parts) if self.with_files else None,
                    {**row, "url": ""},
                )

    def _collected_picture(
        self, meme: str, language: str, split: str, item: Item
    ) -> ReleasedPicture:
        assert item.path is not None
        file, sha256 = self.cleaned.get(item.picture, (item.path, item.picture))
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
        return ReleasedPicture(meme, language, split, path, file if self.with_files else None, row)


def _batches(
    rendered: Path | None, texts: Mapping[Key, Text], columns: Sequence[str] | None = None
) -> Iterator[Any]:
    languages = {language for (_, language), text in texts.items() if text.item is None}
    return (
        set_batches(rendered, columns, language=languages) if rendered and languages else iter(())
    )


def made_by(pictures: Pictures) -> dict[str, Any]:
    """Return the versions of what drew the pictures, and the fonts by SHA-256."""
    versions: dict[str, set[str]] = {name: set() for name in VERSIONS}
    fonts: dict[str, str] = {}
    for batch in _batches(pictures.rendered, pictures.texts, [*VERSIONS, "font_files"]):
        for name in VERSIONS:
            versions[name] |= set(batch[name].unique().to_pylist()) - {None}
        files = batch["font_files"].flatten().flatten()
        fonts.update(zip(*(column.to_pylist() for column in files), strict=True))
    return {
        "versions": {name: sorted(values) for name, values in versions.items() if values},
        "fonts": dict(sorted(fonts.items())),
    }


def shown_captions(
    rendered: Path | None, texts: Mapping[Key, Text], notes: list[str]
) -> dict[Key, bool]:
    shown: dict[Key, bool] = {}
    for batch in _batches(rendered, texts, ["meme_id", "language", "in_table", "text"]):
        for row in batch.to_pylist():
            text = texts.get((row["meme_id"], row["language"]))
            if row.get("in_table") is not False and text is not None and text.item is None:
                key = row["meme_id"], row["language"]
                shown[key] = row["text"] == SEPARATOR.join(text.parts)
    captions = sum(text.item is None for text in texts.values())
    if stale := sum(not is_current for is_current in shown.values()):
        notes.append(
            f"{counted(stale, 'picture shows', 'pictures show')} another caption than stands "
            "now, and stay behind; render again."
        )
    if missing := captions - len(shown):
        notes.append(
            f"{counted(missing, 'caption has', 'captions have')} no picture in the rendered "
            "set, and go out as text alone."
        )
    return shown


def without_metadata_of(folder: Path, items: Iterable[Item]) -> dict[str, tuple[Path, str]]:
    """Return copies without metadata of pictures that have any and whose kind lets it go.

    They are made once a picture, and kept in `folder`.
    """
    cleaned: dict[str, tuple[Path, str]] = {}
    for item in items:
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
            cleaned[item.picture] = copy, file_sha256(copy)
    return cleaned


def check_rendered(rendered: str | Path | None) -> Path | None:
    """Return the folder of a rendered set.

    Raises:
        InputError: it is in object storage, there is none, or its pictures are in shards.
    """
    if rendered is None:
        return None
    place = folder_at(rendered)
    if place.path is None:
        raise InputError(
            "Pictures are published from a disk: fetch it to a disk first, as by `aws s3 sync "
            f"{place.url} out`, and name that folder by --rendered.",
            file=place.url,
        )
    if not has_set(place):
        what = f"There is no rendered set here ({MANIFEST} is missing)"
        if (place.path / RELEASE).is_file():
            what = "This is a release that memeloc published, and no rendered set"
        raise InputError(f"{what}; `memeloc render` makes one.", file=place.path)
    if (place.path / SHARDS).is_dir():
        raise InputError(
            "has its pictures in shards; publish a set of single files, as `memeloc render` "
            "makes without --to.",
            file=place.path,
        )
    return place.path
