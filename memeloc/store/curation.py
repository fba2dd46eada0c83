"""What filters and people judged, and what was selected. In: their records. Out: the newest.

Everything is kept; what is the same as the newest adds nothing. A judgement is bound to what was
seen (`memeloc.items.content_hash`): when the picture or text of an item is another, what was judged
of the one before counts no more, until the item has that content again.

The newest selection holds: a meme whose item it has is active, a meme of an earlier one is left
out with all that was done for it, and comes back when it is chosen again. Finished memes that are
selected become no memes to translate: they are memes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, Select, Table, func, select

from memeloc.curate.duplicates.pairs import PAIR, Pair
from memeloc.curate.review.judgement import Judgement
from memeloc.curate.verdict import Verdict, content_of
from memeloc.errors import InputError
from memeloc.items import OWN_NAME, TRANSLATIONS, FoundTemplate, Item, ItemKind
from memeloc.store.captions.importing import made_by
from memeloc.store.captions.versions import add_memes, add_versions, check_parts, current_of
from memeloc.store.items import Items, contents_of
from memeloc.store.queries import (
    Repository,
    add_row,
    add_rows,
    by_slices,
    columns_of,
    equal,
    is_newest,
    store_file,
    two_columns,
    values_of,
)
from memeloc.store.records import FileRecord
from memeloc.store.tables.items import (
    items,
    judgements,
    pair_sets,
    pairs,
    selection_items,
    selections,
    verdicts,
)
from memeloc.store.tables.types import decode_json, encode_json, safe_text

RESTORED = "restored"
"""In the settings of a selection that took another back: the number of the one that holds again."""

_NAMES = {"item": "item_id", "content": "content_hash"}
"""Columns by the field of a verdict, pair or judgement, where the names differ."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen.

    Attributes:
        settings: what it was chosen by.
        funnel: how many came in and went out of each stage, and why.
        items: the chosen items, in the order in which they were collected.
        pictures: those of them that are finished memes.
        new: how many memes were not there before; filled only as it is stored.
    """

    id: int
    settings: Mapping[str, Any]
    funnel: Sequence[Mapping[str, Any]]
    items: tuple[str, ...]
    pictures: tuple[str, ...] = ()
    new: int = 0


class Curation(Repository):
    """Verdicts, duplicates, judgements and selections of a workspace."""

    def verdicts(self, filter: str | None = None) -> dict[str, dict[str, Verdict]]:
        """The newest verdicts on items as they are now, by item and filter."""
        by_item: dict[str, dict[str, Verdict]] = {}
        for verdict in self._verdicts(True, verdicts.c.filter, filter):
            by_item.setdefault(verdict.item, {})[verdict.filter] = verdict
        return by_item

    def earlier_verdicts(self, item: str) -> list[Verdict]:
        """The newest verdicts on an item as it was before, oldest first."""
        return self._verdicts(False, verdicts.c.item_id, item)

    def _verdicts(self, current: bool, column: Any, value: str | None) -> list[Verdict]:
        """The newest verdicts that are about items as they are now, or that are not."""
        with self.database.read() as connection:
            query = equal(_NEWEST_VERDICTS, {column: value})
            rows = [Verdict(*row) for row in connection.execute(query)]
            contents = contents_of(connection, None if rows else ())
        return [row for row in rows if current == (row.content in map(row.content_of, contents))]

    def add_verdicts(self, new: Sequence[Verdict]) -> int:
        """Store what filters returned; how many differ from the newest."""
        about = attrgetter("item", "filter", "content")
        differing: list[dict[str, Any]] = []
        with self.database.write() as connection:
            ids = [verdict.item for verdict in new]
            rows = by_slices(connection, _NEWEST_VERDICTS, verdicts.c.item_id, ids)
            current = {about(verdict): verdict for verdict in (Verdict(*row) for row in rows)}
            contents = _contents(connection, new)
            for verdict in new:
                stored = replace(
                    verdict,
                    reason=safe_text(verdict.reason),
                    evidence=decode_json(encode_json(dict(verdict.evidence))),
                    content=verdict.content or verdict.content_of(contents),
                )
                if current.get(about(stored)) != stored:
                    current[about(stored)] = stored
                    differing.append(values_of(stored, **_NAMES))
            return add_rows(connection, verdicts, differing)

    def pairs(self, stage: str | None = None) -> list[Pair]:
        """The pairs of the newest search, all or of one stage, in the order of their ids.

        Those of which an item is another by now are left out: they are to be searched for again.
        """
        with self.database.read() as connection:
            rows = [pair for pair in _newest_pairs(connection) if stage in (None, pair.stage)]
            contents = contents_of(connection, None if rows else ()).whole
        return [pair for pair in rows if pair.content == _content_of(pair, contents)]

    def pair_settings(self) -> dict[str, Any] | None:
        """The settings of the newest search for duplicates; None when there was none."""
        rows = self.fetch(select(pair_sets.c.settings).order_by(pair_sets.c.id.desc()).limit(1))
        return dict(rows[0].settings) if rows else None

    def add_pairs(self, new: Iterable[Pair], settings: Mapping[str, Any] | None = None) -> int:
        """Store all that one search for duplicates found; it takes the place of the last search.

        Returns the number of the search; that of the last one when it found the very same.
        """
        values, ordered = decode_json(encode_json(dict(settings or {}))), sorted(new, key=_ids)
        with self.database.write() as connection:
            contents = _contents(connection, ordered)
            stored = [
                replace(
                    pair,
                    scores=decode_json(encode_json(dict(pair.scores))),
                    content=pair.content or _content_of(pair, contents),
                )
                for pair in ordered
            ]
            rows = [values_of(pair, **_NAMES) for pair in stored]
            last = connection.execute(select(pair_sets).order_by(pair_sets.c.id.desc())).first()
            before = [values_of(pair, **_NAMES) for pair in _newest_pairs(connection)]
            if last and last.settings == values and rows == before:
                return int(last.id)
            number: int = add_row(connection, pair_sets, settings=values)
            add_rows(connection, pairs, [{**row, "set_id": number} for row in rows])
        return number

    def judgements(self, question: str | None = None, *, earlier: bool = False) -> list[Judgement]:
        """What each person answered last of each subject and question, oldest first.

        Args:
            question: only answers to this one.
            earlier: also what was answered about items as they were before.
        """
        with self.database.read() as connection:
            query = equal(_NEWEST_JUDGEMENTS, {judgements.c.question: question})
            rows = [Judgement(*row) for row in connection.execute(query)]
            if earlier or not rows:
                return rows
            contents = contents_of(connection).whole
        return [row for row in rows if row.content == _content_of(row, contents)]

    def add_judgements(self, file: FileRecord, new: Sequence[Judgement]) -> int:
        """Store a file of judgements, whole or not at all, and once; how many are new.

        The file is `FileRecord("judgements", name, sha256, rows)`.
        """
        about = attrgetter("subject", "question", "person", "content")
        answer = attrgetter("answer", "comment")
        differing: list[dict[str, Any]] = []
        with self.database.write() as connection:
            file_id, seen = store_file(connection, file)
            if seen:
                return 0
            rows = (Judgement(*row) for row in connection.execute(_NEWEST_JUDGEMENTS))
            current = {about(row): answer(row) for row in rows}
            contents = _contents(connection, new)
            for row in new:
                bound = replace(row, content=row.content or _content_of(row, contents))
                if current.get(about(bound)) != answer(bound):
                    current[about(bound)] = answer(bound)
                    differing.append({**values_of(bound, **_NAMES), "file_id": file_id})
            return add_rows(connection, judgements, differing)

    def selection(self) -> Selection | None:
        """The newest selection, None when nothing was selected yet."""
        with self.database.read() as connection:
            return _newest_selection(connection)

    def unusable(
        self, ids: Collection[str], *, write: bool = True
    ) -> dict[str, tuple[str, InputError]]:
        """Which of some captions can be no memes: a short reason to count, and the sentence.

        Writes the folders of their templates, without `write` only for the time that it takes.
        """
        captions = self._items(ids, ["caption"])
        return self._unusable(captions, self._templates(captions), write)

    def add_selection(
        self,
        settings: Mapping[str, Any],
        funnel: Sequence[Mapping[str, Any]],
        ids: Collection[str],
        source: str = "en",
        kinds: Collection[ItemKind] = ("caption", "picture"),
    ) -> Selection:
        """Make memes of collected captions, and template folders of what they are written on.

        Memes of an earlier selection that are not chosen now are left out, not deleted.
        Translations that came with a caption are its meme's, unless the meme has one in that
        language.

        Args:
            settings: JSON values: what the items were chosen by; `funnel` says how.
            ids: of captions and finished memes.
            source: tag of the new memes' source language.
            kinds: what was chosen from; what is selected of another kind stays so.
        """
        chosen = self._items(ids, kinds)
        captions = {item.id: item for item in chosen if item.kind == "caption"}
        templates = self._templates(captions.values())
        unusable = self._unusable(captions.values(), templates, True)
        for key in unusable:
            del captions[key]
        names = {each.id: each.details[OWN_NAME] for each in templates if OWN_NAME in each.details}
        meme_rows = {
            key: {
                "template": names.get(item.parent, item.parent),
                "source_language": source,
                "item_id": key,
            }
            for key, item in captions.items()
        }
        pictures = [item.id for item in chosen if item.kind == "picture"]
        selected = [item.id for item in chosen if item.id not in unusable]
        with self.database.write() as connection:
            added = add_memes(connection, meme_rows)
            rows = {
                key: {"parts": check_parts(item.parts, key), "origin": item.origin.source}
                for key, item in captions.items()
                if key in added
            }
            add_versions(connection, rows, language=source, stage="collected")
            _add_translations(connection, captions, source)
            last = _newest_selection(connection)
            stages = [*funnel]
            if last:
                others = [each for each in last.funnel if each.get("kind", "caption") not in kinds]
                stages = [*others, *funnel]
                if "picture" not in kinds:
                    pictures = list(last.pictures)
                    selected += pictures
                if "caption" not in kinds:
                    selected = [key for key in last.items if key not in last.pictures] + selected
                now = (encode_json(settings), encode_json(stages), {*selected})
                if now == (encode_json(last.settings), encode_json(last.funnel), {*last.items}):
                    return replace(last, new=len(added))
            number = _add_selection(connection, settings, stages, selected)
        return Selection(
            number, dict(settings), stages, tuple(selected), tuple(pictures), len(added)
        )

    def take_back_selection(self) -> bool:
        """Let the selection before the newest hold again, as a new row; whether there was a newest.

        Before the first one nothing was selected. Taken back again, the one before that holds.
        """
        with self.database.write() as connection:
            last = _newest_selection(connection)
            if last is None:
                return False
            number = last.settings.get(RESTORED, last.id)
            query = select(selections).where(selections.c.id < number)
            rows = connection.execute(query.order_by(selections.c.id.desc()))
            row = next((row for row in rows if RESTORED not in row.settings), None)
            before = row.id if row else 0
            settings, funnel = (row.settings, row.funnel) if row else ({}, [])
            query = select(selection_items.c.item_id)
            ids = connection.scalars(query.where(selection_items.c.selection_id == before)).all()
            _add_selection(connection, {**settings, RESTORED: before}, funnel, ids)
        return True

    def _items(self, ids: Collection[str], kinds: Collection[ItemKind]) -> list[Item]:
        found = Items(self.root, self.database)
        return [item for kind in kinds for item in found.find(kind, ids)]

    def _templates(self, captions: Iterable[Item]) -> list[Item]:
        return self._items({item.parent: None for item in captions if item.parent}, ["template"])

    def _unusable(
        self, captions: Collection[Item], templates: Sequence[Item], write: bool
    ) -> dict[str, tuple[str, InputError]]:
        if not captions:
            return {}
        with TemporaryDirectory() as scratch:
            write_to = None if write else Path(scratch)
            boxes, wrong = count_boxes(self.folder / "templates", templates, write_to=write_to)
        unusable = {}
        for item in captions:
            try:
                number = len(check_parts(item.parts, item.id))
            except InputError as error:
                number, sentence = 0, error.message
            if item.parent in wrong:
                reason, sentence = "its template cannot be used", str(wrong[item.parent])
            elif item.parent not in boxes:
                reason, sentence = "no template", "its template was not collected."
            elif not number:
                reason = "its text cannot be used"
            elif number > boxes[item.parent]:
                reason = "more parts than boxes"
                sentence = (
                    f"The caption has {number} parts, its template {item.parent} has "
                    f"{boxes[item.parent]} boxes."
                )
            else:
                continue
            unusable[item.id] = reason, InputError(f"{item.id}: {sentence}")
        return unusable


def _newest(table: Table, record: type[Any], *same: str) -> Select[Any]:
    query = select(*columns_of(table, record, **_NAMES)).where(is_newest(table, same, "id"))
    return query.order_by(table.c.id)


_NEWEST_VERDICTS = _newest(verdicts, Verdict, "item_id", "filter", "content_hash")
_NEWEST_JUDGEMENTS = _newest(judgements, Judgement, "question", "subject", "person", "content_hash")
_ids = attrgetter("ids")


def _newest_pairs(connection: Connection) -> list[Pair]:
    newest = select(func.max(pair_sets.c.id)).scalar_subquery()
    query = select(*columns_of(pairs, Pair, **_NAMES)).where(pairs.c.set_id == newest)
    return sorted((Pair(*row) for row in connection.execute(query)), key=_ids)


def _content_of(record: Pair | Judgement, contents: Mapping[str, str]) -> str:
    return content_of(record.subject.split(PAIR), contents)


def _contents(
    connection: Connection, records: Sequence[Verdict | Pair | Judgement]
) -> dict[str, str]:
    """The contents of items now, for records that do not say what they are about."""
    return contents_of(connection, () if all(row.content for row in records) else None).whole


def _newest_selection(connection: Connection) -> Selection | None:
    row = connection.execute(select(selections).order_by(selections.c.id.desc())).first()
    if row is None or row.settings.get(RESTORED) == 0:
        return None
    query = (
        select(selection_items.c.item_id, items.c.kind)
        .join(items, items.c.id == selection_items.c.item_id)
        .where(selection_items.c.selection_id == row.id)
        .order_by(items.c.number)
    )
    kinds = two_columns(connection.execute(query))
    pictures = tuple(item for item, kind in kinds.items() if kind == "picture")
    return Selection(row.id, row.settings, row.funnel, tuple(kinds), pictures)


def _add_selection(
    connection: Connection,
    settings: Mapping[str, Any],
    funnel: Sequence[Mapping[str, Any]],
    ids: Iterable[str],
) -> int:
    number: int = add_row(connection, selections, settings=dict(settings), funnel=list(funnel))
    members = [{"selection_id": number, "item_id": key} for key in ids]
    add_rows(connection, selection_items, members)
    return number


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
