"""Captions. In: rows of a captions table, translations. Out: versions, what lacks one, drops.

The same table again adds nothing. A cell is new text only where it differs from what was imported
last, from what the caption is now, and from all that machines and correctors have made of it: so
a table that was imported, or exported, earlier does not undo what people have corrected since.

A dropped caption is left out of everything that goes out; nothing of it is deleted. A meme is
dropped in a language, or in all of them; the newest row of a meme and language holds, so dropping
is taken back by one more row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import Connection, Select, func, or_, select

from memeloc.errors import InputError
from memeloc.model import Acceptance, Caption
from memeloc.store import records
from memeloc.store.captions import versions
from memeloc.store.captions.states import acceptance, states_query, taken_states
from memeloc.store.captions.versions import (
    ALL_LANGUAGES,
    MACHINE,
    add_versions,
    check_parts,
    current_of,
    is_current,
    is_dropped,
    is_newest_drop,
)
from memeloc.store.queries import (
    Repository,
    add_row,
    add_rows,
    batches,
    by_slices,
    columns_of,
    is_newest,
    store_file,
    two_columns,
)
from memeloc.store.records import ROUNDS, CaptionVersion, ImportRecord, Kind
from memeloc.store.tables.captions import captions, drops, events, memes, translation_failures
from memeloc.store.tables.types import decode_json

if TYPE_CHECKING:
    from memeloc.captions import CaptionRow
    from memeloc.translate import TranslationFailure

_BATCH = 500
"""Rows of a table that are stored in one transaction."""


class Captions(Repository):
    """Every version of every caption of a workspace."""

    def import_rows(
        self,
        rows: Iterable[CaptionRow],
        tags: Mapping[str, str],
        source: str,
        file: records.FileRecord,
        on_batch: Callable[[int], None] = lambda count: None,
        *,
        state: records.Translations = "given",
        by: str = "",
        record: ImportRecord | None = None,
        dry_run: bool = False,
    ) -> ImportRecord:
        """Store a table's rows, some hundred a transaction; the same table again adds nothing.

        `tags` are those of the language columns by name, one of which is the source's. The file,
        `FileRecord("captions", name, sha256, rows)`, is stored with the first rows; `on_batch` gets
        how many more are stored. `state` and `by` say what the translations are, see `made_by`.
        What was done is added to `record`. With `dry_run` nothing stays stored.
        """
        record = record or ImportRecord()
        made = versions.made_by(state, by)
        for batch in batches(rows, _BATCH):
            with self.database.write(dry_run=dry_run) as connection:
                file_id, _ = store_file(connection, file)
                stored = _add_memes(connection, batch, source, file_id, file.name, record)
                batch = [row for row in batch if row.meme_id in stored]
                texts = {row.meme_id: row.source.parts for row in batch if row.source}
                maker = versions.made_by("given", "")
                mended = _add(connection, source, texts, {}, maker, file.name, record)
                current = current_of(connection, source, [row.meme_id for row in batch])
                sources = {meme_id: version.id for meme_id, version in current.items()}
                for column, tag in tags.items():
                    cells = {row.meme_id: row.captions.get(column) for row in batch}
                    texts = {meme_id: cell.parts for meme_id, cell in cells.items() if cell}
                    if tag != source:
                        _add(connection, tag, texts, sources, made, file.name, record)
                query = (
                    select(captions.c.language, func.count())
                    .where(is_current(captions), versions.is_outdated_text(captions))
                    .where(~is_dropped(captions.c.meme_id, captions.c.language))
                    .group_by(captions.c.language)
                )
                for tag, count in by_slices(connection, query, captions.c.meme_id, mended):
                    record.outdated[tag] += count
            on_batch(len(batch))
        return record

    def current(self, tag: str, kind: Kind = "caption") -> dict[str, CaptionVersion]:
        """Return the current captions of a language, by meme, in the memes' order."""
        return versions.by_meme(self.fetch(versions.current_query(tag, kind=kind)))

    def versions(self, ids: Collection[int]) -> list[CaptionVersion]:
        with self.database.read() as connection:
            rows = by_slices(connection, select(*versions.VERSION_COLUMNS), captions.c.id, ids)
            return [CaptionVersion(*row) for row in rows]

    def to_translate(
        self,
        tag: str,
        only: records.Need | None = None,
        meme_ids: Collection[str] | None = None,
        kind: Kind = "caption",
        again: Collection[str] = (),
    ) -> list[records.ToTranslate]:
        """Return captions that have no translation (`new`), or one of an earlier source
        (`changed`). A person's text of an earlier source is one of them until a machine has made a
        suggestion. What the translators `again` have made is new, too."""
        with self.database.read() as connection:
            sources = versions.by_meme(connection.execute(versions.source_query(kind)))
            translations = _translations(connection, tag, kind)
            templates = two_columns(connection.execute(select(memes.c.id, memes.c.template)))
            dropped = {*connection.scalars(select(memes.c.id).where(is_dropped(memes.c.id, tag)))}
            translated = {each.source_id for of_meme in translations.values() for each in of_meme}
            today = {source.id for source in sources.values()}
            earlier = versions.texts_of(connection, translated - today)
        wanted = (sources.keys() if meme_ids is None else {*meme_ids}) - dropped
        items = []
        for meme_id, source in sources.items():
            if source.language == tag or meme_id not in wanted:
                continue
            of_meme = translations.get(meme_id, [])
            of_this = [
                version.translator
                for version in of_meme
                if earlier.get(version.source_id or 0, source.parts) == source.parts
            ]
            need: records.Need = "changed" if of_meme and not of_this else "new"
            if {*of_this} <= {*again} and only in (None, need):
                template = templates[meme_id]
                items.append(records.ToTranslate(meme_id, template, tag, need, source, of_meme))
        return items

    def add_translation(
        self,
        meme_id: str,
        tag: str,
        caption: Caption,
        *,
        source_id: int,
        translator: str,
        replace: bool = False,
        **about: Any,
    ) -> int | None:
        """Store one machine translation as it comes, of the version `source_id`; return its
        version's id.

        Return None, and store nothing, when the caption has a translation of the same source
        already (a second run, another process) which it is not to `replace`, or one that a person
        wrote. So a run can be killed and repeated. Beside a person's text of an earlier source it
        is a suggestion. `about` has `marks`, what a corrector should know; `characters`, `cost` and
        `currency`, what was billed; `provenance`, the model, glossary and prompt, as far as they
        are known. Raise InputError if the caption is empty or a part has ` // ` in it.
        """
        parts = check_parts(caption.parts, meme_id)
        with self.database.write(relaxed=True) as connection:
            for version in _translations(connection, tag, None, meme_id).get(meme_id, ()):
                texts = versions.texts_of(connection, [source_id, version.source_id])
                same = version.source_id is None or texts[version.source_id] == texts[source_id]
                repeated = (version.parts, version.translator) == (parts, translator)
                if same and (version.stage != "translated" or repeated or not replace):
                    return None
                if not same and version.source_id is not None and version.source_id > source_id:
                    return None  # it translates a newer source already
            row = {"language": tag, "parts": parts, "stage": "translated", "source_id": source_id}
            row |= {"origin": translator, "translator": translator, **about}
            row["provenance"] = about.get("provenance") or None
            return add_versions(connection, {meme_id: row})[0]

    def templates(self) -> dict[str, str]:
        """Return the template's name of each meme, in the memes' order."""
        query = select(memes.c.id, memes.c.template).where(versions.is_active())
        return two_columns(self.fetch(query.order_by(memes.c.number)))

    def ids(self, *, selected: bool = True) -> list[str]:
        """Return the ids of all memes and other texts; those that were selected from collected
        items only if `selected`."""
        query = select(memes.c.id)
        return [
            row.id
            for row in self.fetch(query if selected else query.where(memes.c.item_id.is_(None)))
        ]

    def count(self, kind: Kind = "caption") -> int:
        """Return how many memes there are, or texts of another kind."""
        query = select(func.count()).select_from(memes)
        return int(self.value(query.where(versions.is_active(kind))))

    def states(
        self, tags: Sequence[str] | None = None, kind: Kind = "caption", rounds: int = ROUNDS
    ) -> list[records.CaptionStatus]:
        """Return the state of each caption of some languages, or (None) of all, in the memes'
        order."""
        query = _in_languages(states_query(kind, rounds), tags)
        return [records.CaptionStatus(*row) for row in self.fetch(query)]

    def acceptance(
        self, which: records.Accept, tags: Sequence[str] | None = None, rounds: int = ROUNDS
    ) -> Acceptance:
        """Count the captions of some languages, or (None) of all, that something takes and leaves
        out."""
        states = _in_languages(states_query(rounds=rounds).order_by(None), tags).subquery()
        groups = states.c["language", "state"]
        rows = self.fetch(select(*groups, func.count()).group_by(*groups))
        return acceptance(which, [(language, state, count) for language, state, count in rows])

    def left_out(self, which: records.Accept, rounds: int = ROUNDS) -> dict[str, set[str]]:
        """Return the memes whose caption something leaves out, by language; without those that are
        dropped in all languages."""
        states = states_query(rounds=rounds).where(versions.is_active()).order_by(None).subquery()
        query = select(*states.c["language", "meme_id"])
        memes_of = defaultdict[str, set[str]](set)
        for language, meme_id in self.fetch(
            query.where(states.c.state.not_in(taken_states(which)))
        ):
            memes_of[language].add(meme_id)
        return dict(memes_of)

    def made_by(self) -> list[tuple[str, str, dict[str, Any], int]]:
        """Return what machine translations were made by: language, translator, provenance, how
        many, also of those that people have corrected since."""
        columns = captions.c
        made = (*columns["language", "translator"], sa.type_coerce(columns.provenance, sa.Text))
        query = select(*made, func.count()).where(columns.provenance.is_not(None))
        rows = self.fetch(query.group_by(*made).order_by(*made))
        return [(tag, name, decode_json(text) or {}, count) for tag, name, text, count in rows]

    def last(self) -> int:
        """Return the number of the last version of any caption; another one says that some came."""
        return self.value(select(func.max(captions.c.id))) or 0

    def add_failure(self, failure: TranslationFailure, translator: str, currency: str) -> None:
        """Book what a translation cost that failed, and why it did."""
        names = ("meme_id", "language", "characters", "cost")
        row = {name: getattr(failure, name) for name in names}
        row |= {"translator": translator, "message": str(failure.error), "currency": currency}
        with self.database.write(relaxed=True) as connection:
            add_row(connection, translation_failures, **row)


class Drops(Repository):
    """Captions that people gave up, and took back."""

    def add(
        self,
        meme_ids: Collection[str],
        languages: Sequence[str] = (ALL_LANGUAGES,),
        *,
        dropped: bool,
        person: str,
        comment: str,
    ) -> int:
        """Drop memes in some languages, or take that back; return how many pairs of them changed.
        Raise InputError if there is no such meme."""
        with self.database.write() as connection:
            query = select(memes.c.id).where(memes.c.kind == "caption")
            existing = {row.id for row in by_slices(connection, query, memes.c.id, meme_ids)}
            for meme_id in meme_ids:
                if meme_id not in existing:
                    raise InputError(f"The workspace has no meme {meme_id[:80]!r}.")
            now = dropped_pairs(connection, meme_ids)
            pairs = [(meme_id, tag) for meme_id in meme_ids for tag in languages]
            about = {"person": person, "comment": comment}
            changed = [pair for pair in pairs if (pair in now) != dropped]
            rows = [drop_row(*pair, dropped=dropped, **about) for pair in changed]
            return add_rows(connection, drops, rows)

    def find(self) -> list[records.DropRecord]:
        """Return what is dropped now, oldest first."""
        query = select(*columns_of(drops, records.DropRecord)).where(is_newest_drop(drops))
        rows = self.fetch(query.where(drops.c.action == "drop").order_by(drops.c.id))
        return [records.DropRecord(*row) for row in rows]


def dropped_pairs(connection: Connection, meme_ids: Collection[str]) -> set[tuple[str, str]]:
    """Return which of these memes are dropped now, each with the language; empty is all."""
    query = select(*drops.c["meme_id", "language"]).where(is_newest_drop(drops))
    query = query.where(drops.c.action == "drop")
    return {(row[0], row[1]) for row in by_slices(connection, query, drops.c.meme_id, meme_ids)}


def drop_row(meme_id: str, language: str, *, dropped: bool, **about: str) -> dict[str, str]:
    """Return a row of `drops` that drops a meme in a language (empty is all), or takes that back;
    `about` has person and comment."""
    action = "drop" if dropped else "take back"
    return {"meme_id": meme_id, "language": language, "action": action, **about}


def _in_languages(query: Select[Any], tags: Sequence[str] | None) -> Select[Any]:
    return query if tags is None else query.where(captions.c.language.in_(tags))


@cache  # to build it takes longer than to ask it of one meme
def _translations_query(tag: str, kind: Kind | None, of_one: bool) -> Select[Any]:
    is_any = or_(is_current(captions), versions.is_suggestion(captions))
    query = versions.versions_query(is_any, kind).where(captions.c.language == tag)
    return query.where(captions.c.meme_id == sa.bindparam("meme")) if of_one else query


def _translations(
    connection: Connection, tag: str, kind: Kind | None, meme_id: str | None = None
) -> dict[str, list[CaptionVersion]]:
    """Return captions in a language and the suggestions beside them, by meme, oldest first."""
    found = defaultdict[str, list[CaptionVersion]](list)
    query = _translations_query(tag, kind, meme_id is not None)
    for row in connection.execute(query, {"meme": meme_id} if meme_id else None):
        found[row.meme_id].append(CaptionVersion(*row))
    return found


def _add_memes(
    connection: Connection,
    rows: Sequence[CaptionRow],
    source: str,
    file_id: int,
    origin: str,
    record: ImportRecord,
) -> set[str]:
    """Add the new memes of a table's rows; return the ids of those that are stored now. A row whose
    source caption is missing brings none: its cells have nothing to be translations of."""
    query = select(*memes.c["id", "template", "source_language"])
    ids = [row.meme_id for row in rows]
    stored = {row.id: row for row in by_slices(connection, query, memes.c.id, ids)}
    new = {}
    about = {"source_language": source, "file_id": file_id}
    for row in rows:
        meme = stored.get(row.meme_id)
        if meme is None:
            if row.source is not None:
                new[row.meme_id] = {**about, "template": row.template}
        elif meme.source_language != source:
            raise InputError(
                f"The meme {row.meme_id!r} is here with a source caption in "
                f"{meme.source_language}, not in {source}; give it another id.",
                file=origin,
                row=row.row,
            )
        elif meme.template != row.template:
            change = sa.update(memes).where(memes.c.id == row.meme_id)
            connection.execute(change.values(template=row.template))
            detail = f"{meme.template} -> {row.template}, by {origin}"
            kind = "template exchanged"
            add_row(connection, events, kind=kind, subject=row.meme_id, detail=detail)
    record.memes += len(versions.add_memes(connection, new))
    return stored.keys() | new.keys()


def _add(
    connection: Connection,
    tag: str,
    cells: Mapping[str, tuple[str, ...]],
    sources: Mapping[str, int],
    made: Mapping[str, Any],
    origin: str,
    record: ImportRecord,
) -> set[str]:
    """Add the cells of a language, by meme, that are new text; return the memes whose caption that
    changes. `sources` are the versions that they translate."""
    current = current_of(connection, tag, cells)
    last = is_newest(captions, ("meme_id", "language", "stage"), "version")
    query = select(*captions.c["meme_id", "parts"]).where(
        captions.c.language == tag,
        captions.c.stage.not_in(("collected", "shipped")),
        ~versions.is_suggestion(captions),
        or_(captions.c.stage != "imported", last),
    )
    differing = [key for key in cells if key in current and current[key].parts != cells[key]]
    existing = set(map(tuple, by_slices(connection, query, captions.c.meme_id, differing)))
    existing |= {(meme_id, version.parts) for meme_id, version in current.items()}
    rows = {}
    for meme_id, parts in cells.items():
        version, source = current.get(meme_id), sources.get(meme_id)
        is_new = (meme_id, parts) not in existing
        if version and version.stage not in MACHINE and made["stage"] in MACHINE:
            stands = version.source_id in (None, source)
            # The very text that was imported as given stays given, and that is said.
            if stands and (is_new or (version.stage, version.parts) == ("imported", parts)):
                record.not_taken[tag] += 1
                continue
        if is_new:
            rows[meme_id] = {"parts": parts, "source_id": source}
            (record.changed if version else record.added)[tag] += 1
        else:
            record.unchanged += 1
    add_versions(connection, rows, language=tag, origin=origin, **made)
    return rows.keys() & current.keys()
