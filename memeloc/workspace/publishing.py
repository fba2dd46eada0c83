"""Publishing. In: a workspace. Out: its dataset as a `Release`, in a folder; and releases taken in.

What goes out is a `Text` for each meme and language: a caption, which a rendered picture shows, or
a finished meme that was collected, with its own picture. A manifest of a million rows is never all
held: it is read anew for each split.

A release of memeloc's comes in whole: its captions as captions, its pictures with all that is known
of them as collected memes, and its tables and other files as they are in `releases/NAME`, where
`memeloc analyze` reads answers and labels. A folder that others made gives collected memes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd
import pyarrow as pa

from memeloc.collect.datasets.layouts import ANY, layout_of
from memeloc.counts import counted
from memeloc.curate.duplicates.hashing import near_pictures
from memeloc.curate.duplicates.texts import plain_text
from memeloc.curate.selection import DUPLICATES
from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.items import Item
from memeloc.model import SEPARATOR
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
from memeloc.tables.archives import is_workbook
from memeloc.workspace.captions import Captions
from memeloc.workspace.collecting import Collecting
from memeloc.workspace.folder import RELEASES, Part, Phases, WorkspaceFolder, silent
from memeloc.workspace.released_tables import (
    Contents,
    Key,
    ReleasedSurvey,
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

    def gather(
        self,
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
        read. People go out under keyed hashes, the key of which stays in the workspace. Raise
        InputError if there is nothing to publish, the set is missing or of other captions, or the
        shares of the splits do not sum up to 1.

        Args:
            rendered: a folder that `memeloc render` made; None renders the captions as they stand.
            with_pictures: False publishes hashes and addresses in the place of pictures, and a
                program that joins them again.
            scope: the part of the workspace that goes out; None is all.
            jobs: processes that render; with more than 1 a script must call this under
                `if __name__ == "__main__":`.
        """
        workspace, folder, scope = self._workspace, check_rendered(rendered), scope or Scope()
        settings = workspace.settings.release
        if scope.survey:
            settings = settings.model_copy(update={"surveys": (scope.survey,)})
        contents = _contents(workspace, settings, scope)
        if folder is None and any(text.item is None for text in contents.texts.values()):
            folder = _render(workspace, settings, jobs, on_progress)
        pictures = Pictures(contents, folder, with_pictures)
        models = {name: _inside(workspace, "model_labels", name) for name in settings.model_labels}
        files, guides = survey_files(contents.surveys)
        existing = {language for _, language in contents.texts}
        languages = [*(tag for tag in workspace.tags if tag in existing), *sorted(existing)]
        unread = Counter(
            language
            for (_, language), text in contents.texts.items()
            if text.stage in _BY_MACHINE and text.state not in ("accepted", "corrected")
        )
        return Release(
            about=settings,
            languages=tuple(dict.fromkeys(languages)),
            pictures=pictures,
            counts=pictures.counts(),
            tables=release_tables(contents, models),
            files=files | _further_files(workspace, settings.files),
            provenance=provenance(contents, pictures.made_by()),
            unread=dict(unread),
            unread_texts=unread_texts(workspace, contents.surveys),
            texts=guides,
            notes=tuple(contents.notes),
        )

    def publish(
        self,
        out: str | Path,
        to: str = "hf",
        *,
        rendered: str | Path | None = None,
        options: Mapping[str, Any] | None = None,
        check: bool = False,
        on_progress: Phases = silent,
        **gathering: Any,
    ) -> dict[str, Any]:
        """Publish the workspace's dataset into a folder, in the place of an earlier release; return
        and raise what `memeloc.publish.publishing.publish` does.

        Args:
            rendered, gathering: see `gather`.
            options: of the layout, such as `{"pictures": "folder"}` of `hf`.
            check: whether all rules of `memeloc.publish.checks` are run before anything is written,
                and not only that of private files.
        """
        place = folder_at(out)
        check_rendered(rendered)
        check_owner(place)
        release = self.gather(rendered, on_progress=on_progress, **gathering)
        newest = self._store.captions.last()
        published = publish(
            release,
            place,
            to,
            options=options,
            private=private_of(self._workspace),
            checked=check,
            on_progress=on_progress,
        )
        self._store.progress.note("published", {str(out): {"newest": newest}})
        return published

    def check(self, rendered: str | Path | None = None, **options: Any) -> tuple[Finding, ...]:
        """Return what must not go out, and what the team should know; `options` are those of
        `gather`. No release is written."""
        return check(self.gather(rendered, **options), private_of(self._workspace))

    def import_folder(
        self,
        folder: str | Path,
        *,
        options: Mapping[str, Any] | None = None,
        on_progress: Phases = silent,
    ) -> dict[str, Any]:
        """Take in a published dataset; the same folder again changes nothing. Raise InputError if
        nothing in it can be read, a file of a release is missing or changed, or the release has no
        captions in the workspace's source language.

        Args:
            folder: of a release; or with pictures and tables as on the Hugging Face Hub, or in
                WebDataset shards.
            options: of the sources `table` and `huggingface`, where others made the folder, such as
                `language`.

        Returns:
            the fields of `import --json`: the layout, empty of a folder that others made; how many
            memes have captions, and by language those that are new or changed; the finished memes
            that were collected; the tables that came along, where these are, and notes.
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
    rows = ([*key, *(of.get(tag, "") for tag in languages)] for key, of in captions.items())
    record = Captions(workspace).import_table(
        pd.DataFrame(rows, columns=["meme_id", "template", *languages]),
        on_progress=lambda more, total: on_progress("captions", more, total),
    )
    notes = [*record.notes]
    if added := dict(record.added + record.changed):
        notes.append(
            "Captions come in as given; who or what wrote each stands in the table captions."
        )
    return added, notes


def _contents(workspace: WorkspaceFolder, settings: ReleaseSettings, scope: Scope) -> Contents:
    total = sum(settings.splits.values())
    if abs(total - 1) > _NEARLY:
        raise InputError(
            f"The shares of [release.splits] sum up to {total:.4g}, and not to 1; write such as "
            "train = 0.8, validation = 0.1, test = 0.1.",
            file=workspace.root,
        )
    surveys, notes = released_surveys(workspace, settings), list[str]()
    texts, items = _texts_of(workspace, settings, scope, surveys, notes)
    if not texts:
        raise InputError(
            "There is nothing to publish: the workspace has no captions"
            + (f" that are {settings.captions}" if settings.captions != "any" else "")
            + " and no selected finished memes"
            + (" of this survey, selection or these languages." if scope != Scope() else "."),
            file=workspace.root,
        )
    splits = _splits_of(workspace, settings, texts, items, surveys)
    if empty := [name for name in settings.splits if name not in set(splits.values())]:
        notes.append(
            f"Nothing is in the split {', '.join(empty)}: all memes of a template are in one, and "
            "there are too few templates."
        )
    items = {item: meme for item, meme in items.items() if meme in splits}
    return Contents(workspace, settings, texts, surveys, splits, items, notes)


def _texts_of(
    workspace: WorkspaceFolder,
    settings: ReleaseSettings,
    scope: Scope,
    surveys: Sequence[ReleasedSurvey],
    notes: list[str],
) -> tuple[dict[Key, Text], dict[str, str]]:
    """Return the texts that go out, and memes by the collected items that they stand in. Finished
    memes go that were selected or asked about; those of which captions were read that go out stay
    behind, unless a survey asks about them."""
    store, selection = workspace.store, workspace.store.curation.selection()
    frame = store.exports.frame("memes").dropna(subset="item")
    meme_of: dict[str, str] = dict(zip(frame["item"], frame["meme_id"], strict=True))
    texts = current_captions(workspace, settings.captions)
    asked = {meme for each in surveys for meme in each.survey.pictures}
    memes, ids = {meme for meme, _ in texts}, asked.union(selection.pictures if selection else ())
    if read := {id for id in ids - asked if meme_of.get(id, id) in memes}:
        notes.append(
            f"{counted(len(read), 'finished meme stays', 'finished memes stay')} behind: the "
            "captions that were read in them go out."
        )
    ids -= read
    stored = list(store.items.find("picture", sorted(ids))) if ids else []
    items = [item for item in stored if item.path is not None and item.path.is_file()]
    if lost := len(ids) - len(items):
        notes.append(
            f"{counted(lost, 'finished meme is', 'finished memes are')} left out: the picture is "
            "not in the workspace."
        )
    texts |= finished_memes(workspace, items)
    meme_of |= {text.item.id: meme for (meme, _), text in texts.items() if text.item}
    memes, tags = {meme for meme, _ in texts}, scope.languages
    if scope.survey:
        memes &= {meme_of.get(id, id) for each in surveys for id in each.survey.memes}
    if scope.selected:
        memes &= {meme_of.get(id, id) for id in (selection.items if selection else ())}
    return {
        (meme, tag): text
        for (meme, tag), text in texts.items()
        if meme in memes and (tags is None or tag in tags)
    }, meme_of


def _splits_of(
    workspace: WorkspaceFolder,
    settings: ReleaseSettings,
    texts: Mapping[Key, Text],
    items: Mapping[str, str],
    surveys: Sequence[ReleasedSurvey],
) -> dict[str, str]:
    """Return the split of each meme: those of a template, and near ones, are in one."""
    duplicates = [
        (item, str(original))
        for item, verdict in workspace.store.curation.verdicts(DUPLICATES).items()
        if (original := verdict[DUPLICATES].evidence.get("kept"))
    ]
    finished = [(meme, text.item) for (meme, _), text in texts.items() if text.item is not None]
    paths = [item.path for _, item in finished if item.path is not None]
    return split_memes(
        {meme: text.template for (meme, _), text in texts.items()},
        {items.get(item, item): label for item, label in strata(surveys).items()},
        settings.splits,
        seed=settings.seed,
        together=[
            *([items.get(item, item) for item in pair] for pair in duplicates),
            *((finished[one][0], finished[other][0]) for one, other in near_pictures(paths)),
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
    """Return a file or folder of the workspace that a setting names; raise InputError if it is not
    there, or outside the workspace's folder."""
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
    """Return the team's further files by their paths in the release; raise InputError if one is
    not there, hidden, or outside the workspace's folder."""
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


@dataclass(eq=False)
class Pictures:
    """All pictures of a release, by split; called, it gives a new iterator over them.

    Attributes:
        rendered: the folder of a set; None where there are no captions.
        shown: by captions that the set has whether their pictures show them as they are now.
        cleaned: by SHA-256 of collected pictures copies without metadata, with theirs.
    """

    contents: Contents
    rendered: Path | None
    with_files: bool

    def __post_init__(self) -> None:
        self.cleaned = self._without_metadata() if self.with_files else {}
        self.shown = self._shown_captions()

    def __call__(self) -> Iterator[ReleasedPicture]:
        for split in self.contents.settings.splits:
            memes = {meme for meme, name in self.contents.splits.items() if name == split}
            if memes:
                yield from self._rendered_pictures(memes, split)
            for (meme, language), text in self.contents.texts.items():
                if text.item is not None and meme in memes:
                    yield self._collected_picture(meme, language, split, text.item)

    def counts(self) -> dict[Key, int]:
        """Return how many pictures there are by language and split."""
        order = [*self.contents.settings.splits]
        keys = [key for key, is_current in self.shown.items() if is_current]
        keys += [key for key, text in self.contents.texts.items() if text.item is not None]
        counts = Counter((language, self.contents.splits[meme]) for meme, language in keys)
        return dict(sorted(counts.items(), key=lambda each: (order.index(each[0][1]), each)))

    def made_by(self) -> dict[str, Any]:
        """Return what drew the pictures: versions, the fonts by SHA-256; and the set's SHA-256."""
        versions: dict[str, set[str]] = {name: set() for name in VERSIONS}
        fonts: dict[str, str] = {}
        for batch in self._batches([*VERSIONS, "font_files"]):
            for name in VERSIONS:
                versions[name] |= set(batch[name].unique().to_pylist()) - {None}
            files = batch["font_files"].flatten().flatten()
            fonts.update(zip(*(column.to_pylist() for column in files), strict=True))
        used = {name: sorted(values) for name, values in versions.items() if values}
        made_by: dict[str, Any] = {
            "rendered_with": {"versions": used, "fonts": dict(sorted(fonts.items()))}
        }
        return made_by | ({"manifest_sha256": set_sha256(self.rendered)} if self.rendered else {})

    def _batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the rows of the set in the languages of captions that go out."""
        texts = self.contents.texts
        languages = {language for (_, language), text in texts.items() if text.item is None}
        if self.rendered and languages:
            yield from set_batches(self.rendered, columns, language=languages)

    def _rendered_pictures(self, memes: Collection[str], split: str) -> Iterator[ReleasedPicture]:
        for batch in self._batches():
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
                # Sources and licences of templates count as they are now.
                if template := self.contents.workspace.templates.get(row["template"]):
                    row["template_source"] = template.source or row.get("template_source")
                    row["template_licence"] = template.licence or row.get("template_licence")
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

    def _shown_captions(self) -> dict[Key, bool]:
        shown: dict[Key, bool] = {}
        captions = {key: each for key, each in self.contents.texts.items() if each.item is None}
        for batch in self._batches(["meme_id", "language", "in_table", "text"]):
            for row in batch.to_pylist():
                text = captions.get(key := (row["meme_id"], row["language"]))
                if row.get("in_table") is not False and text is not None:
                    shown[key] = row["text"] == SEPARATOR.join(text.parts)
        if stale := sum(not is_current for is_current in shown.values()):
            self.contents.notes.append(
                f"{counted(stale, 'picture shows', 'pictures show')} another caption than stands "
                "now, and stay behind; render again."
            )
        if missing := len(captions) - len(shown):
            self.contents.notes.append(
                f"{counted(missing, 'caption has', 'captions have')} no picture in the rendered "
                "set, and go out as text alone."
            )
        return shown

    def _without_metadata(self) -> dict[str, tuple[Path, str]]:
        """Return copies without metadata of pictures that have any and whose kind lets it go; they
        are made once a picture, and stay in the workspace."""
        cleaned: dict[str, tuple[Path, str]] = {}
        folder = (self.contents.workspace.root or Path()) / CLEANED
        for item in (text.item for text in self.contents.texts.values()):
            if item is None or item.path is None:
                continue
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
        if cleaned:
            self.contents.notes.append(
                f"{counted(len(cleaned), 'picture goes', 'pictures go')} out without metadata such "
                "as EXIF; not a pixel is changed."
            )
        return cleaned


def check_rendered(rendered: str | Path | None) -> Path | None:
    """Return the folder of a rendered set; raise InputError if it is in object storage, there is
    none, or its pictures are in shards."""
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
    """Return what the workspace knows of people, of its own files and of near pictures. Where
    people were erased, and the key by which they are recognised is missing, `is_erased` raises
    InputError."""
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
