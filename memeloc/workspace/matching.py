"""The template that a picture was made from. In: pictures, or a workspace. Out: matches, captions.

A finished meme whose template is known can be made again in other languages: what stands in its
picture is a caption of that template. The captions table is for `memeloc import`, after a person
has looked at it, so that from there on such a meme is like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.curate.duplicates.hashing import hash_picture
from memeloc.curate.duplicates.match import (
    DISTANCE,
    FILTER,
    Match,
    match_corners,
    match_pictures,
    match_verdicts,
)
from memeloc.curate.pictures import map_pictures
from memeloc.curate.selection import answers_of
from memeloc.engine import PROCESSES, usable_cpus
from memeloc.errors import InputError, MissingError
from memeloc.items import Item, picture_hash
from memeloc.model import SEPARATOR, Template
from memeloc.registration import LocalFeatures, local_features, unpack
from memeloc.sheets import write_sheet_table
from memeloc.store.captions.versions import check_parts
from memeloc.store.records import CaptionVersion
from memeloc.templates import load_templates
from memeloc.workspace.computing import hash_items, stored_features
from memeloc.workspace.folder import Part, WorkspaceFolder, silent
from memeloc.workspace.own_folders import workspace_folder
from memeloc.workspace.reading import SOURCE
from memeloc.workspace.selecting import count_boxes


def find_matches(
    pictures: Sequence[Path],
    folders: Sequence[Path] = (),
    *,
    distance: int = DISTANCE,
    captions: Path | None = None,
    jobs: int | None = None,
) -> dict[str, Any]:
    """Return the templates of picture files, with or without a workspace; of none, of collected
    pictures. See `Matching.match`; of files nothing is stored. Raise InputError if no files are
    given, and there is no workspace."""
    try:
        folder = workspace_folder()
    except InputError:
        if not pictures or captions:
            raise
        templates, problems = load_templates(folders)
        return _match_files(pictures, templates, {}, problems, distance, jobs or usable_cpus())
    with WorkspaceFolder.open(folder) as workspace:
        return Matching(workspace).match(
            folders, pictures=pictures, distance=distance, captions=captions, jobs=jobs
        )


class Matching(Part):
    """The search for the templates of pictures."""

    def match(
        self,
        folders: Sequence[Path] = (),
        *,
        pictures: Sequence[Path] = (),
        distance: int = DISTANCE,
        captions: Path | None = None,
        jobs: int | None = None,
    ) -> dict[str, Any]:
        """Find the template of each collected picture, and store it; or those of picture files.
        Raise InputError if a captions table of picture files is asked for.

        Return the matches of `pictures`; by name why a picture was left out (`problems`), and
        templates (`template_problems`); and of the table of `captions` what `write_matched` says.

        Args:
            folders: of templates, besides the built-in, the workspace's and the collected ones.
            pictures: files; nothing is stored of them.
            distance: bits of 64 that a caption may change.
            captions: a table to write, of the finished memes whose template is known, with their
                transcripts; see `write_matched`.
        """
        if pictures and captions:
            raise InputError("A captions table is made of collected pictures, not of files")
        workspace, computed, jobs = self._workspace, self._store.computed, jobs or usable_cpus()
        templates, problems = load_templates(folders) if folders else ({}, [])
        templates = {**workspace.templates, **templates}
        collected = {item.id: item.path for item in self._store.items.find("template") if item.path}
        if pictures:
            return _match_files(pictures, templates, collected, problems, distance, jobs)
        items = list(self._store.items.find("picture"))
        by_picture, unreadable = hash_items(computed, items, jobs)
        hashes = {i.id: by_picture[i.picture] for i in items if i.picture in by_picture}

        def features(names: Sequence[str]) -> dict[str, LocalFeatures]:
            unnamed = [item for item in items if item.id in names]
            found = stored_features(computed, unnamed, PROCESSES, jobs, silent)
            return {item.id: found[item.picture] for item in unnamed if item.picture in found}

        matches, names, notes = _match(hashes, features, templates, collected, distance, jobs)
        # A match rests on the picture alone, so that it counts whatever its text becomes.
        shown = {item.id: picture_hash(item) for item in items}
        verdicts = match_verdicts(matches, names, distance)
        self._store.curation.add_verdicts(
            [replace(verdict, content=shown[verdict.item]) for verdict in verdicts]
        )
        table = None if captions is None else write_matched(workspace, captions, templates)
        return {
            "pictures": matches,
            "problems": unreadable,
            "template_problems": [*map(str, problems), *notes],
            "captions": table,
        }


def _match_files(
    pictures: Sequence[Path],
    templates: Mapping[str, Template],
    collected: Mapping[str, Path],
    problems: Sequence[InputError],
    distance: int,
    jobs: int,
) -> dict[str, Any]:
    paths = {str(path): path for path in pictures}
    hashes, unreadable = map_pictures(hash_picture, paths, jobs=jobs)

    def features(names: Sequence[str]) -> dict[str, LocalFeatures]:
        return _features({name: paths[name] for name in names}, jobs)

    matches, _, notes = _match(hashes, features, templates, collected, distance, jobs)
    notes = [*map(str, problems), *notes]
    return {
        "pictures": matches,
        "problems": unreadable,
        "template_problems": notes,
        "captions": None,
    }


def _features(files: Mapping[str, Path], jobs: int) -> dict[str, LocalFeatures]:
    found, _ = map_pictures(local_features, files, jobs=jobs)
    return {name: unpack(value) for name, value in found.items()}


def _match(
    hashes: Mapping[str, int],
    features: Callable[[Sequence[str]], Mapping[str, LocalFeatures]],
    templates: Mapping[str, Template],
    collected: Mapping[str, Path],
    distance: int,
    jobs: int,
) -> tuple[list[Match], list[str], list[str]]:
    """Return the matches of pictures by hash, and by local features of those that it does not name;
    the templates that were looked at; and notes."""
    files = {name: template.image for name, template in templates.items()}
    files |= {name: path for name, path in collected.items() if name not in files}
    usable, _ = map_pictures(hash_picture, files, jobs=jobs)
    matches = match_pictures(hashes, usable, distance)
    unnamed = [match.picture for match in matches if not match.found]
    if not unnamed or not usable:
        return matches, list(usable), []
    try:
        corners = _features(files, jobs)
        matches = match_corners(matches, features(unnamed), corners, usable, jobs)
    except MissingError as error:  # the hash alone, as without the extra
        note = f"by hashes alone, which miss cropped and framed memes: {error}"
        return matches, list(usable), [note]
    return matches, list(usable), []


def write_matched(
    workspace: WorkspaceFolder, file: Path, templates: Mapping[str, Template]
) -> dict[str, Any]:
    """Write the finished memes whose template is known as a captions table.

    Those of the newest selection, if it has any, else all that filters and people keep. Their text
    is a transcript that a person has seen, or what the source says; in the source language. Folders
    of collected templates are written, so that the table can be imported.

    Return the `file`, how many `memes` it has, and which pictures are `left_out`, and why.

    Args:
        file: .csv, .jsonl or .parquet.
        templates: those that are known besides the collected ones, by name.
    """
    store, source = workspace.store, workspace.source.tag
    matched = {
        item: str(by[FILTER].evidence["template"])
        for item, by in store.curation.verdicts().items()
        if FILTER in by and by[FILTER].evidence.get("template")
    }
    items = _kept(workspace, matched)
    boxes = {name: len(template.boxes) for name, template in templates.items()}
    names = {matched[item.id] for item in items} - boxes.keys()
    collected = list(store.items.find("template", names))
    if collected:
        boxes |= count_boxes(store.folder / "templates", collected)[0]
        workspace.reload_templates()
    transcripts = store.transcripts.all()
    rows, left_out = [], []
    for item in items:
        template = matched[item.id]
        try:
            parts = _parts(item, transcripts.get(item.id), template, boxes, source)
        except InputError as error:
            left_out.append({"picture": item.id, "why": error.message})
        else:
            rows.append((item.id, template, SEPARATOR.join(parts)))
    file, _ = write_sheet_table(file, ["meme_id", "template", source], rows)
    return {"file": file, "memes": len(rows), "left_out": left_out}


def _kept(workspace: WorkspaceFolder, matched: Mapping[str, str]) -> list[Item]:
    """Return the matched items that are selected or, without a selection, not dropped."""
    store = workspace.store
    selection = store.curation.selection()
    if selection and selection.pictures:
        chosen = [item for item in selection.pictures if item in matched]
        return list(store.items.find("picture", chosen))
    people, verdicts = answers_of(store.curation.judgements()), store.curation.verdicts()
    return [
        item
        for item in store.items.find("picture", list(matched))
        if not any(
            people.get((item.id, name), verdict.verdict) == "drop"
            for name, verdict in verdicts[item.id].items()
        )
    ]


def _parts(
    item: Item,
    transcript: CaptionVersion | None,
    template: str,
    boxes: Mapping[str, int],
    source: str,
) -> tuple[str, ...]:
    """Return the parts of the caption that an item becomes; raise InputError if it can be none."""
    if not any(item.parts):
        raise InputError("It has no text: read it by memeloc ocr, and have it corrected.")
    language = item.language or source
    if transcript is not None and tuple(filter(None, transcript.parts)) == item.parts:
        if transcript.stage == "read" and transcript.translator != SOURCE:
            raise InputError(
                "Its text is as a program read it: memeloc correct export --kind transcript first."
            )
        language = transcript.language
    if language != source:
        raise InputError(f"Its text is in {language}, captions of this workspace in {source}.")
    if template not in boxes:
        raise InputError(f"Its template {template} has no text boxes that can be used.")
    parts = check_parts([part for part in item.parts if part.strip()])
    if len(parts) > boxes[template]:
        raise InputError(
            f"Its text has {counted(len(parts), 'part')}, its template {template} has "
            f"{counted(boxes[template], 'box', 'boxes')}: correct the transcript, with what "
            "belongs together in one part."
        )
    return parts
