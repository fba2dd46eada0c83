"""What was selected. In: ids of collected items. Out: memes to translate, and their templates.

The newest selection holds: a meme whose item it has is active, a meme of an earlier one is left
out with all that was done for it, and comes back when it is chosen again. Finished memes that are
selected become no memes to translate: they are memes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from memeloc.errors import InputError
from memeloc.items import OWN_NAME, TRANSLATIONS, FoundTemplate, Item, ItemKind
from memeloc.store.captions.importing import made_by
from memeloc.store.captions.versions import add_memes, add_versions, check_parts, current_of
from memeloc.store.queries import add_row, add_rows
from memeloc.store.tables.items import items, selection_items, selections
from memeloc.store.tables.types import encode_json

RESTORED = "restored"
"""In the settings of a selection that took another back: the number of the one that holds again."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen.

    Attributes:
        settings: what it was chosen by.
        funnel: how many came in and went out of each stage, and why.
        items: the chosen items, in the order in which they were collected.
        pictures: those of them that are finished memes.
        problems, new: what was chosen and cannot be a meme, and why, and how many memes were not
            there before; filled only as it is stored.
    """

    id: int
    settings: Mapping[str, Any]
    funnel: Sequence[Mapping[str, Any]]
    items: tuple[str, ...]
    pictures: tuple[str, ...] = ()
    problems: tuple[InputError, ...] = ()
    new: int = 0


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why a selected caption can be no meme: a short reason to count, and the sentence."""

    reason: str
    error: InputError


def count_boxes(
    folder: Path, templates: Sequence[Item], *, write_to: Path | None = None
) -> tuple[dict[str, int], dict[str, InputError]]:
    """How many text boxes each template has, and what is wrong with others, by id.

    The folders of those that are not there yet are written, to `folder` or `write_to`; one that is
    stays as it is: somebody may have moved its boxes. Those that the workspace has by a name of
    its own have no folder of their id.
    """
    from memeloc.templates import load_templates, write_template

    wrong: dict[str, InputError] = {}
    named = {item.id: len(item.boxes) for item in templates if OWN_NAME in item.details}
    templates = [item for item in templates if item.id not in named]
    for item in templates:
        if not (folder / item.id).exists():
            names = {field.name for field in fields(FoundTemplate)} - {"picture"}
            values = {name: getattr(item, name) for name in names}
            picture = item.path.read_bytes() if item.path else None
            try:
                found = FoundTemplate(picture=picture, **values)
                write_template(found, write_to or folder, name=item.id)
            except InputError as error:
                wrong[item.id] = error
    loaded, problems = load_templates((folder, *([write_to] if write_to else ())))
    ids = [item.id for item in templates]
    for problem in problems:
        parts = Path(problem.file or "").parts
        wrong |= {id_: problem for id_ in ids if id_ in parts and id_ not in loaded}
    return named | {id_: len(loaded[id_].boxes) for id_ in ids if id_ in loaded}, wrong


def find_unusable(
    captions: Sequence[Item], boxes: Mapping[str, int], wrong: Mapping[str, InputError]
) -> dict[str, Unusable]:
    """The captions that can be no memes, and why; for boxes and wrong see `count_boxes`."""
    unusable = {}
    for item in captions:
        if why := _why_unusable(item, boxes, wrong):
            reason, sentence = why
            unusable[item.id] = Unusable(reason, InputError(f"{item.id}: {sentence}"))
    return unusable


def _why_unusable(
    item: Item, boxes: Mapping[str, int], wrong: Mapping[str, InputError]
) -> tuple[str, str] | None:
    if item.parent in wrong:
        return "its template cannot be used", str(wrong[item.parent])
    if item.parent not in boxes:
        return "no template", "its template was not collected."
    try:
        parts = check_parts(item.parts, item.id)
    except InputError as error:
        return "its text cannot be used", error.message
    if len(parts) > boxes[item.parent]:
        return (
            "more parts than boxes",
            f"The caption has {len(parts)} parts, its template {item.parent} has "
            f"{boxes[item.parent]} boxes.",
        )
    return None


def store_selection(
    connection: Connection,
    settings: Mapping[str, Any],
    funnel: Sequence[Mapping[str, Any]],
    chosen: Sequence[Item],
    unusable: Mapping[str, Unusable],
    language: str,
    kinds: Collection[ItemKind],
    names: Mapping[str, str],
) -> Selection:
    """Store what was chosen, and make memes of the captions, in the source language `language`.

    Translations that came with a caption are its meme's, unless the meme has one in that language.

    Args:
        unusable: which captions cannot be memes.
        kinds: what was chosen from; what the last selection has of other kinds stays selected.
        names: of templates that the workspace has by another name than their id.
    """
    usable = [item for item in chosen if item.id not in unusable]
    captions = {item.id: item for item in usable if item.kind == "caption"}
    meme_rows = {
        key: {
            "template": names.get(item.parent, item.parent),
            "source_language": language,
            "item_id": key,
        }
        for key, item in captions.items()
    }
    added = add_memes(connection, meme_rows)
    rows = {
        key: {"parts": check_parts(item.parts, key), "origin": item.origin.source}
        for key, item in captions.items()
        if key in added
    }
    add_versions(connection, rows, language=language, stage="collected")
    _add_translations(connection, captions, language)
    last = newest_selection(connection)
    funnel = [*_stages_of_others(last, kinds), *funnel]
    pictures = [item.id for item in usable if item.kind == "picture"]
    ids = [item.id for item in usable]
    if last and "picture" not in kinds:
        pictures = list(last.pictures)
        ids += pictures
    if last and "caption" not in kinds:
        ids = [item for item in last.items if item not in {*last.pictures}] + ids
    now = (encode_json(settings), encode_json(funnel), {*ids})
    if last and now == (encode_json(last.settings), encode_json(last.funnel), {*last.items}):
        number = last.id
    else:
        number = add_row(connection, selections, settings=dict(settings), funnel=funnel)
        members = [{"selection_id": number, "item_id": key} for key in ids]
        add_rows(connection, selection_items, members)
    problems = tuple(row.error for row in unusable.values())
    return Selection(
        number, dict(settings), funnel, tuple(ids), tuple(pictures), problems, len(added)
    )


def _add_translations(connection: Connection, captions: Mapping[str, Item], language: str) -> None:
    """Add what captions came with in other languages, where their memes have nothing yet."""
    by_tag: dict[str, dict[str, Mapping[str, Any]]] = {}
    for key, item in captions.items():
        for tag, translation in item.details.get(TRANSLATIONS, {}).items():
            by_tag.setdefault(tag, {})[key] = translation
    sources = current_of(connection, language, {*captions} if by_tag else ())
    for tag, translations in by_tag.items():
        existing = current_of(connection, tag, translations)
        rows = {
            key: {
                "parts": check_parts(translation["parts"], key),
                "source_id": sources[key].id,
                "origin": captions[key].origin.source,
                **made_by(translation["state"], translation["by"], "collected"),
            }
            for key, translation in translations.items()
            # A translation of another text than the meme has is none of it.
            if key not in existing and sources[key].parts == check_parts(captions[key].parts, key)
        }
        add_versions(connection, rows, language=tag)


def take_back(connection: Connection) -> bool:
    """Let the selection before the newest hold again, as a new row; whether there was a newest.

    Before the first one nothing was selected. Taken back again, the one before that holds.
    """
    last = newest_selection(connection)
    if last is None:
        return False
    number = last.settings.get(RESTORED, last.id)
    query = select(selections).where(selections.c.id < number).order_by(selections.c.id.desc())
    rows = connection.execute(query)
    row = next((row for row in rows if RESTORED not in row.settings), None)
    settings = {**(row.settings if row else {}), RESTORED: row.id if row else 0}
    new = add_row(connection, selections, settings=settings, funnel=list(row.funnel) if row else [])
    query = select(selection_items.c.item_id).where(
        selection_items.c.selection_id == settings[RESTORED]
    )
    members = [{"selection_id": new, "item_id": key} for key in connection.scalars(query)]
    add_rows(connection, selection_items, members)
    return True


def _stages_of_others(
    last: Selection | None, kinds: Collection[ItemKind]
) -> list[Mapping[str, Any]]:
    """The stages of the last funnel that are of kinds which were not chosen from now."""
    stages = last.funnel if last else ()
    return [stage for stage in stages if stage.get("kind", "caption") not in kinds]


def newest_selection(connection: Connection) -> Selection | None:
    """The newest selection."""
    row = connection.execute(select(selections).order_by(selections.c.id.desc())).first()
    if row is None or row.settings.get(RESTORED) == 0:
        return None
    query = (
        select(selection_items.c.item_id, items.c.kind)
        .join(items, items.c.id == selection_items.c.item_id)
        .where(selection_items.c.selection_id == row.id)
        .order_by(items.c.number)
    )
    members = connection.execute(query).all()
    pictures = tuple(member.item_id for member in members if member.kind == "picture")
    ids = tuple(member.item_id for member in members)
    return Selection(row.id, row.settings, row.funnel, ids, pictures)
