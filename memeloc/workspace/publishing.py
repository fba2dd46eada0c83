"""Publishing. In: a workspace. Out: its dataset as a `Release`, in a folder; and releases taken in.

What goes out is a `Text` for each meme and language: a caption, which a rendered picture shows, or
a finished meme that was collected, with its own picture. A manifest of a million rows is never all
held: it is read anew for each split.

A release of memeloc's comes in whole: its captions as captions, its pictures with all that is known
of them as collected memes, and its tables and other files as they are in `releases/NAME`, where
`memeloc analyze` reads answers and labels. A folder that others made gives collected memes.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from memeloc.collect.datasets.layouts import ANY, layout_of
from memeloc.counts import counted
from memeloc.curate.duplicates.hashing import as_array, group_hashes, hash_picture, near_pairs
from memeloc.curate.duplicates.texts import plain_text
from memeloc.curate.selection import DUPLICATES
from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.items import Item
from memeloc.model import SEPARATOR, Template
from memeloc.object_storage import folder_at
from memeloc.publish.checks import Finding, Private, check
from memeloc.publish.folder import RELEASE, check_owner, is_release, open_release
from memeloc.publish.metadata import metadata_of, without_metadata
from memeloc.publish.private_files import is_text, text_content
from memeloc.publish.publishing import publish
from memeloc.publish.release import Release, ReleasedPicture, ReleaseSettings
from memeloc.render.sets.manifest import MANIFEST, SHARDS, VERSIONS, alternative_text
from memeloc.render.sets.reading import has_set, set_batches, set_sha256
from memeloc.splits import near_captions, split_memes
from memeloc.store.dumps import is_own
from memeloc.store.surveys.participant_ids import hash_id
from memeloc.store.tables import metadata
from memeloc.survey.targets.resolver import recognise
from memeloc.tables import write_table
from memeloc.tables.archives import is_workbook
from memeloc.workspace.captions import Captions
from memeloc.workspace.collecting import Collecting
from memeloc.workspace.folder import RELEASES, Part, Phases, WorkspaceFolder, silent
from memeloc.workspace.released_tables import (
    Key,
    Text,
    current_captions,
    finished_memes,
    provenance,
    release_tables,
    released_surveys,
    strata,
    survey_files,
    unread_texts,
)
from memeloc.workspace.settings import Settings

RENDERED = "release-pictures"
"""The folder of the workspace into which publishing renders; a later run goes on from it."""
CLEANED = "release-pictures-without-metadata"
"""The folder of the workspace for collected pictures without their metadata."""
_BY_MACHINE = ("translated", "read")
_HIDDEN = re.compile(r"(^|/)(\.|~\$)")  # the latter are those of Office, with a person's name
_NEARLY = 0.02
"""How far shares may be from a sum of 1: three of 0.33 are meant as thirds."""
_DISTANCE = 5
"""Bits of 64 in which hashes of near pictures differ at most (charmemes, 4.3)."""
_SHORTEST_KEY = 8
"""Bytes of a key that is looked for: a shorter one is in any file."""


@dataclass(frozen=True)
class Scope:
    """A part of a workspace that is published.

    Attributes:
        survey: the memes of a survey, with its answers and labels alone; empty for all.
        languages: tags; None for all.
        selected: whether only what `memeloc select` chose goes out.
    """

    survey: str = ""
    languages: Sequence[str] | None = None
    selected: bool = False


class Publishing(Part):
    """The part of the workspace that others get: pictures, captions, answers, labels."""

    def gather(self, rendered: str | Path | None = None, **options: Any) -> Release:
        """Return what is to be published; `options` are those of `gather` in this module."""
        return gather(self._workspace, rendered, **options)

    def publish(
        self,
        out: str | Path,
        to: str = "hf",
        *,
        rendered: str | Path | None = None,
        with_pictures: bool = True,
        scope: Scope | None = None,
        options: Mapping[str, Any] | None = None,
        check: bool = False,
        jobs: int = 1,
        on_progress: Phases = silent,
    ) -> dict[str, Any]:
        """Publish the workspace's dataset into a folder, in the place of an earlier release.

        Takes what `gather` and `memeloc.publish.publishing.publish` take; returns and raises what
        the latter does.

        Args:
            with_pictures: False publishes hashes and addresses in the place of pictures, and a
                program that joins them again.
            scope: the part of the workspace that goes out; None is all.
            options: of the layout, such as `{"pictures": "folder"}` of `hf`.
            check: whether all rules of `memeloc.publish.checks` are run before anything is written,
                and not only that of private files.
            jobs: processes that render; with more than 1 a script must call this under
                `if __name__ == "__main__":`.
        """
        place = folder_at(out)
        check_rendered(rendered)
        check_owner(place)
        release = self.gather(
            rendered, with_pictures=with_pictures, scope=scope, jobs=jobs, on_progress=on_progress
        )
        newest = self._store.progress.newest_version()
        private = private_of(self._workspace)
        published = publish(
            release,
            place,
            to,
            options=options,
            private=private,
            checked=check,
            on_progress=on_progress,
        )
        self._store.progress.note("published", {str(out): {"newest": newest}})
        return published

    def check(self, rendered: str | Path | None = None, **options: Any) -> tuple[Finding, ...]:
        """Return what must not go out, and what the team should know; writes no release.

        `options` are those of `gather`.
        """
        return check(self.gather(rendered, **options), private_of(self._workspace))

    def import_folder(
        self,
        folder: str | Path,
        *,
        options: Mapping[str, Any] | None = None,
        on_progress: Phases = silent,
    ) -> dict[str, Any]:
        """Take in a published dataset; the same folder again changes nothing.

        Args:
            folder: of a release; or with pictures and tables as on the Hugging Face Hub, or in
                WebDataset shards.
            options: of the sources `table` and `huggingface`, where others made the folder, such as
                `language`.

        Returns:
            the fields of `import --json`: the layout, empty of a folder that others made; how many
            memes have captions, and by language those that are new or changed; the finished memes
            that were collected; the tables that came along, where these are, and notes.

        Raises:
            InputError: nothing in it can be read, a file of a release is missing or changed, or the
                release has no captions in the workspace's source language.
        """
        workspace, folder, collecting = self._workspace, Path(folder), Collecting(self._workspace)
        if not is_release(folder):
            values = {"path": folder, **(options or {})}
            source = _source_of(collecting, folder)
            collected = collecting.collect(source, values, on_progress=on_progress)
            no = {"layout": "", "memes": 0, "captions": {}, "tables": (), "kept": None, "notes": []}
            return {"folder": folder, **no, "collected": collected}
        if options:
            raise InputError(
                f"A release needs no {', '.join(options)}: it says itself what is in it.",
                file=folder,
            )
        release = open_release(folder)
        if workspace.root is None:
            raise InputError(
                "The workspace was opened by its database's URL and has no folder for the "
                "release's tables; open it by its folder."
            )
        captions = release.captions()
        added, notes = _import_captions(workspace, folder, captions, on_progress)
        collected = collecting.collect(
            "table", {"path": folder, "layout": "memeloc"}, on_progress=on_progress
        )
        tables_folder = workspace.root / RELEASES / collected.dataset
        beside = [n for n in release.files if n.partition("/")[0] not in ("data", "pictures")]
        for name in beside:
            target = tables_folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / name, target)
            on_progress("files", 1, len(beside))
        if without := collected.refused.get("no picture"):
            notes.append(
                f"{counted(without, 'picture is', 'pictures are')} not in the release: join them "
                "by its join_pictures.py, and import it again."
            )
        return {
            "folder": folder,
            "layout": release.layout,
            "memes": len(captions),
            "captions": added,
            "collected": collected,
            "tables": release.tables,
            "kept": tables_folder,
            "notes": notes,
        }


def _source_of(collecting: Collecting, folder: Path) -> str:
    """Return the source that reads most of a folder: `table` knows layouts, and guesses at last."""

    def layouts(source: str) -> set[str]:
        try:
            tables = collecting.plan(source, {"path": folder})["tables"]
        except InputError:
            return set()
        return {table.layout for table in tables if not table.problem}

    as_tables = layouts("table")
    is_known = as_tables - {layout_of(ANY).title}
    return "table" if is_known or (as_tables and not layouts("huggingface")) else "huggingface"


def _import_captions(
    workspace: WorkspaceFolder,
    folder: Path,
    captions: Mapping[Key, Mapping[str, str]],
    on_progress: Phases,
) -> tuple[dict[str, int], list[str]]:
    """Take in a release's captions; return by language how many are new or changed, and notes."""
    languages = list(dict.fromkeys(tag for texts in captions.values() for tag in texts))
    source = workspace.source.tag
    if not captions:
        return {}, []
    if source not in languages:
        raise InputError(
            f"The release has captions in {', '.join(languages)}, and the source language of this "
            f"workspace is {source}; `memeloc init DIR --source {languages[0]}` makes another.",
            file=folder,
        )
    with TemporaryDirectory(prefix="memeloc-") as name:
        table = Path(name) / "captions.parquet"
        rows = ([*key, *(of.get(tag, "") for tag in languages)] for key, of in captions.items())
        write_table(table, ["meme_id", "template", *languages], rows)
        record = Captions(workspace).import_table(
            table, on_progress=lambda more, total: on_progress("captions", more, total)
        )
    notes = [*record.notes]
    if added := dict(record.added + record.changed):
        notes.append(
            "Captions come in as given; who or what wrote each stands in the table captions."
        )
    return added, notes


def gather(
    workspace: WorkspaceFolder,
    rendered: str | Path | None = None,
    *,
    with_pictures: bool = True,
    scope: Scope | None = None,
    jobs: int = 1,
    on_progress: Phases = silent,
) -> Release:
    """Return what is published of a workspace, as the section [release] of memeloc.toml says.

    That are its captions with their pictures, and the finished memes that were selected or that
    its surveys ask about; without what is dropped, and without those of which the captions were
    read. People go out under keyed hashes, the key of which stays in the workspace.

    Args:
        rendered: a folder that `memeloc render` made; None renders the captions as they stand.
        with_pictures: False leaves the pictures' files behind.
        jobs: processes that render.

    Raises:
        InputError: there is nothing to publish, the set is missing or of other captions, or the
            shares of the splits do not sum up to 1.
    """
    folder, scope = check_rendered(rendered), scope or Scope()
    settings = workspace.settings.release
    if scope.survey:
        settings = settings.model_copy(update={"surveys": (scope.survey,)})
    total = sum(settings.splits.values())
    if abs(total - 1) > _NEARLY:
        raise InputError(
            f"The shares of [release.splits] sum up to {total:.4g}, and not to 1; write such as "
            "train = 0.8, validation = 0.1, test = 0.1.",
            file=workspace.root,
        )
    surveys, notes = released_surveys(workspace, settings), list[str]()
    texts, of_items = _texts_of(workspace, settings, scope, surveys, notes)
    if not texts:
        raise InputError(
            "There is nothing to publish: the workspace has no captions"
            + (f" that are {settings.captions}" if settings.captions != "any" else "")
            + " and no selected finished memes"
            + (" of this survey, selection or these languages." if scope != Scope() else "."),
            file=workspace.root,
        )
    if folder is None and any(text.item is None for text in texts.values()):
        folder = _render(workspace, settings, jobs, on_progress)
    splits = _splits_of(workspace, settings, texts, of_items, strata(surveys))
    finished = [text.item for text in texts.values() if text.item is not None]
    cleaned = {}
    if with_pictures and finished:
        cleaned = _without_metadata((workspace.root or Path()) / CLEANED, finished)
    if cleaned:
        notes.append(
            f"{counted(len(cleaned), 'picture goes', 'pictures go')} out without metadata such as "
            "EXIF; not a pixel is changed."
        )
    shown = _shown_captions(folder, texts, notes)
    pictures = Pictures(
        folder, texts, shown, cleaned, workspace.templates, splits, tuple(settings.splits),
        with_pictures,
    )  # fmt: skip
    of_items = {item: meme for item, meme in of_items.items() if meme in splits}
    models = {name: _inside(workspace, "model_labels", name) for name in settings.model_labels}
    tables = release_tables(workspace, settings, models, texts, surveys, splits, of_items, notes)
    if empty := [name for name in settings.splits if name not in set(splits.values())]:
        notes.append(
            f"Nothing is in the split {', '.join(empty)}: all memes of a template are in one, and "
            "there are too few templates."
        )
    tags = [workspace.source.tag, *(locale.tag for locale in workspace.languages)]
    existing = {language for _, language in texts}
    files, guides = survey_files(surveys)
    unread = Counter(
        language
        for (_, language), text in texts.items()
        if text.stage in _BY_MACHINE and text.state not in ("accepted", "corrected")
    )
    made_by: dict[str, Any] = {"rendered_with": pictures.made_by()}
    made_by |= {"manifest_sha256": set_sha256(folder)} if folder else {}
    return Release(
        about=settings,
        languages=tuple(dict.fromkeys([*(t for t in tags if t in existing), *sorted(existing)])),
        pictures=pictures,
        counts=pictures.counts(),
        tables=tables,
        files={**files, **_further_files(workspace, settings.files)},
        provenance=provenance(workspace, settings, texts, surveys, splits, made_by),
        unread=dict(unread),
        unread_texts=unread_texts(workspace, surveys),
        texts=guides,
        notes=tuple(notes),
    )


def _texts_of(
    workspace: WorkspaceFolder,
    settings: ReleaseSettings,
    scope: Scope,
    surveys: Sequence[Any],
    notes: list[str],
) -> tuple[dict[Key, Text], dict[str, str]]:
    """Return the texts that go out, and memes by the collected items that they stand in.

    Finished memes go that were selected or asked about; those of which captions were read that go
    out stay behind, unless a survey asks about them.
    """
    store = workspace.store
    frame = store.exports.frame("memes")
    pairs = zip(frame["item"], frame["meme_id"], strict=True)
    of_items = {item: str(meme) for item, meme in pairs if isinstance(item, str)}
    captions = current_captions(workspace, settings.captions)
    selection = store.curation.selection()
    asked = {meme for each in surveys for meme in each.survey.pictures}
    memes = {meme for meme, _ in captions}
    selected = selection.pictures if selection else ()
    read = {id for id in selected if of_items.get(id, id) in memes} - asked
    ids = {*asked, *selected} - read
    if read:
        notes.append(
            f"{counted(len(read), 'finished meme stays', 'finished memes stay')} behind: the "
            "captions that were read in them go out."
        )
    stored = list(store.items.find("picture", sorted(ids))) if ids else []
    items = [item for item in stored if item.path is not None and item.path.is_file()]
    if lost := len(ids) - len(items):
        notes.append(
            f"{counted(lost, 'finished meme is', 'finished memes are')} left out: the picture is "
            "not in the workspace."
        )
    texts = captions | finished_memes(workspace, items)
    of_items |= {text.item.id: meme for (meme, _), text in texts.items() if text.item}
    parts = []
    if scope.survey:
        parts.append({of_items.get(id, id) for each in surveys for id in each.survey.memes})
    if scope.selected:
        parts.append({of_items.get(id, id) for id in (selection.items if selection else ())})
    tags = scope.languages
    return {
        (meme, tag): text
        for (meme, tag), text in texts.items()
        if all(meme in part for part in parts) and (tags is None or tag in tags)
    }, of_items


def _splits_of(
    workspace: WorkspaceFolder,
    settings: ReleaseSettings,
    texts: Mapping[Key, Text],
    of_items: Mapping[str, str],
    labels: Mapping[str, str],
) -> dict[str, str]:
    """Return the split of each meme: those of a template, and near ones, are in one."""
    duplicates = [
        (item, str(verdict[DUPLICATES].evidence["kept"]))
        for item, verdict in workspace.store.curation.verdicts(DUPLICATES).items()
        if DUPLICATES in verdict and verdict[DUPLICATES].evidence.get("kept")
    ]
    finished = {key: text.item for key, text in texts.items() if text.item is not None}
    paths = [path for item in finished.values() if (path := item.path) is not None]
    memes = [meme for meme, _ in finished]
    return split_memes(
        {meme: text.template for (meme, _), text in texts.items()},
        {of_items.get(item, item): label for item, label in labels.items()},
        settings.splits,
        seed=settings.seed,
        together=[
            *([of_items.get(item, item) for item in pair] for pair in duplicates),
            *((memes[first], memes[second]) for first, second in near_pictures(paths)),
            *near_captions((meme, plain_text(text.parts)) for (meme, _), text in texts.items()),
        ],
    )


def _render(
    workspace: WorkspaceFolder, settings: ReleaseSettings, jobs: int, on_progress: Phases
) -> Path:
    if workspace.root is None:
        raise InputError(
            "The workspace was opened by its database's URL and has no folder to render into; "
            "render it, and name the folder of the pictures."
        )
    from memeloc.workspace.rendering import Rendering

    folder = workspace.root / RENDERED
    Rendering(workspace).render(
        folder,
        captions=settings.captions,
        jobs=jobs,
        prune=True,
        on_progress=lambda more, total: on_progress("rendering", more, total),
    )
    return folder


def _inside(workspace: WorkspaceFolder, setting: str, name: str) -> Path:
    """Return a file or folder of the workspace that a setting names.

    Raises:
        InputError: it is not there, or outside the workspace's folder.
    """
    root = (workspace.root or Path()).resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root) or not path.exists():
        raise InputError(
            f"The setting release.{setting} names {name[:80]!r}, which is not in the workspace's "
            "folder.",
            file=workspace.root,
        )
    return path


def _further_files(workspace: WorkspaceFolder, names: Sequence[str]) -> dict[str, Path]:
    """Return the team's further files by their paths in the release.

    Raises:
        InputError: one is not there, hidden, or outside the workspace's folder.
    """
    files: dict[str, Path] = {}
    root = (workspace.root or Path()).resolve()
    for name in names:
        path = _inside(workspace, "files", name)
        if path != root and _HIDDEN.search(path.relative_to(root).as_posix()):
            raise InputError(
                f"The setting release.files names {name[:80]!r}, and hidden files, where settings "
                "and passwords stand, never go out.",
                file=workspace.root,
            )
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            below = file.relative_to(root).as_posix()
            if file.is_file() and not file.is_symlink() and not _HIDDEN.search(below):
                files[f"files/{below}"] = file
    return files


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

    def made_by(self) -> dict[str, Any]:
        """Return the versions of what drew the pictures, and the fonts by SHA-256."""
        versions: dict[str, set[str]] = {name: set() for name in VERSIONS}
        fonts: dict[str, str] = {}
        for batch in _batches(self.rendered, self.texts, [*VERSIONS, "font_files"]):
            for name in VERSIONS:
                versions[name] |= set(batch[name].unique().to_pylist()) - {None}
            files = batch["font_files"].flatten().flatten()
            fonts.update(zip(*(column.to_pylist() for column in files), strict=True))
        return {
            "versions": {name: sorted(values) for name, values in versions.items() if values},
            "fonts": dict(sorted(fonts.items())),
        }

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
    if rendered and languages:
        yield from set_batches(rendered, columns, language=languages)


def _shown_captions(
    rendered: Path | None, texts: Mapping[Key, Text], notes: list[str]
) -> dict[Key, bool]:
    shown: dict[Key, bool] = {}
    for batch in _batches(rendered, texts, ["meme_id", "language", "in_table", "text"]):
        for row in batch.to_pylist():
            key = row["meme_id"], row["language"]
            text = texts.get(key)
            if row.get("in_table") is not False and text is not None and text.item is None:
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


def _without_metadata(folder: Path, items: Iterable[Item]) -> dict[str, tuple[Path, str]]:
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


def private_of(workspace: WorkspaceFolder) -> Private:
    """Return what the workspace knows of people, of its own files and of near pictures.

    Where people were erased, and the key by which they are recognised is missing, `is_erased`
    raises InputError.
    """
    store = workspace.store
    people = store.erasures.everybody()
    recogniser = cache(store.erasures.recogniser)
    key = cache(lambda: store.surveys.key)  # a file, which is not to be read for every word

    def is_participant(text: str) -> bool:
        return bool(people) and (text in people or hash_id(key(), text) in people)

    return Private(
        is_participant,
        lambda text: recogniser()(text),
        near_pictures,
        partial(_workspaces_file, workspace.root),
    )


def _workspaces_file(root: Path | None, path: Path) -> str:
    """Return what a file is of the workspace or of its people, whatever its name; else empty."""
    if is_own(path.name):
        return "the workspace's database or key"
    if root and path.is_relative_to(root.resolve() / "surveys"):
        return "a sheet of a survey"
    keys = [file.read_bytes().strip() for file in root.glob("*.key")] if root else []
    keys += [os.environ.get(f"MEMELOC_{name}_KEY", "").encode() for name in ("SURVEY", "ERASURE")]
    content = text_content(path)
    if any(len(key) >= _SHORTEST_KEY and key in content for key in keys):
        return "a file with the workspace's key"
    if not (is_text(content) or is_workbook(content)):
        return ""
    text = content.decode("utf-8", "replace")
    with suppress(tomllib.TOMLDecodeError):
        if (values := tomllib.loads(text)) and values.keys() <= Settings.model_fields.keys():
            return "the settings of a workspace"
    with suppress(ValueError, AttributeError):
        columns = json.loads(text.partition("\n")[0]).keys()
        if any(columns == set(table.columns.keys()) for table in metadata.sorted_tables):
            return "a table of a workspace's dump"
    with suppress(InputError):
        return f"a file of people's answers ({recognise(path).name})"
    return ""


def near_pictures(pictures: Sequence[Path]) -> Iterator[tuple[int, int]]:
    """Yield pairs of pictures whose hashes differ in few bits: equal ones, then the others.

    A file that cannot be read is near to none.
    """
    numbers, hashes = [], []
    for number, path in enumerate(pictures):
        with suppress(InputError):
            hashes.append(hash_picture(path))
            numbers.append(number)
    groups = group_hashes(as_array(hashes))

    def members(group: int) -> list[int]:
        places = groups.order[groups.starts[group] : groups.starts[group + 1]]
        return [numbers[place] for place in places.tolist()]

    for group in range(len(groups.values)):
        yield from itertools.combinations(members(group), 2)
    for near in near_pairs(groups.values, _DISTANCE):
        for first, second in zip(near.first.tolist(), near.second.tolist(), strict=True):
            yield from itertools.product(members(first), members(second))
