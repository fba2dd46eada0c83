"""Finished memes become captions. In: matches, transcripts. Out: a captions table to import.

A finished meme whose template is known can be made again in other languages: what stands in its
picture is a caption of that template. The table is for `memeloc import`, after a person has looked
at it, so that from there on such a meme is like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.curate.duplicates.match import FILTER
from memeloc.curate.selection import answers_of
from memeloc.errors import InputError
from memeloc.items import Item
from memeloc.model import SEPARATOR, Template
from memeloc.sheets import write_sheet_table
from memeloc.store.captions.versions import check_parts
from memeloc.store.records import CaptionVersion
from memeloc.workspace.curating.selecting import count_boxes
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.reading import SOURCE


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
    """The matched items that are selected or, without a selection of pictures, not dropped."""
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
    """The parts of the caption that an item becomes.

    Raises:
        InputError: it can be none.
    """
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
