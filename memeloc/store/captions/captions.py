"""Captions. In: rows of a captions table, translations. Out: versions, and what lacks one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Select, Text, bindparam, func, or_, select, type_coerce

from memeloc.model import Acceptance, Caption
from memeloc.store.captions.importing import ImportBatch, made_by
from memeloc.store.captions.states import count_states, find_left_out, find_states
from memeloc.store.captions.versions import (
    VERSION_COLUMNS,
    add_versions,
    by_meme,
    check_parts,
    current_of,
    current_query,
    is_active,
    is_current,
    is_dropped,
    is_suggestion,
    source_query,
    texts_of,
    versions_query,
)
from memeloc.store.queries import Repository, batches, by_slices, store_file, two_columns
from memeloc.store.records import (
    ROUNDS,
    Accept,
    CaptionStatus,
    CaptionVersion,
    FileRecord,
    ImportRecord,
    Kind,
    Need,
    ToTranslate,
    Translations,
)
from memeloc.store.tables.captions import captions, memes
from memeloc.store.tables.types import decode_json

if TYPE_CHECKING:
    from memeloc.captions import CaptionRow

_BATCH = 500
"""Rows of a table that are stored in one transaction."""


class Captions(Repository):
    """Every version of every caption of a workspace."""

    def import_rows(
        self,
        rows: Iterable[CaptionRow],
        tags: Mapping[str, str],
        source: str,
        file: FileRecord,
        on_batch: Callable[[int], None] | None = None,
        *,
        state: Translations = "given",
        by: str = "",
        record: ImportRecord | None = None,
        dry_run: bool = False,
    ) -> ImportRecord:
        """Store a table's rows, some hundred a transaction; the same table again adds nothing.

        `tags` are those of the language columns by name, one of which is the source's. The file,
        `FileRecord("captions", name, sha256, rows)`, is stored with the first rows;
        `on_batch` gets how many more rows are stored. `state` and `by` say what the translations
        are, see `made_by`. What was done is added to `record`. With `dry_run` nothing stays stored.
        """
        record = record or ImportRecord()
        made = made_by(state, by)
        for batch in batches(rows, _BATCH):
            with self.database.write(dry_run=dry_run) as connection:
                file_id, _ = store_file(connection, file)
                ImportBatch(connection, tags, source, file_id, file.name, made, record).store(batch)
            if on_batch is not None:
                on_batch(len(batch))
        return record

    def current(
        self, tag: str, meme_ids: Collection[str] | None = None, kind: Kind = "caption"
    ) -> dict[str, CaptionVersion]:
        """The current captions of a language, by meme, in the memes' order."""
        with self.database.read() as connection:
            if meme_ids is not None:
                return current_of(connection, tag, meme_ids)
            return by_meme(connection.execute(current_query(tag, kind=kind)))

    def versions(self, ids: Collection[int]) -> list[CaptionVersion]:
        """Some versions, by their ids."""
        with self.database.read() as connection:
            rows = by_slices(connection, select(*VERSION_COLUMNS), captions.c.id, ids)
            return [CaptionVersion(*row) for row in rows]

    def to_translate(
        self,
        tag: str,
        only: Need | None = None,
        meme_ids: Collection[str] | None = None,
        kind: Kind = "caption",
        again: Collection[str] = (),
    ) -> list[ToTranslate]:
        """Captions that have no translation (`new`), or one of an earlier source (`changed`).

        A person's text of an earlier source is one of them until a machine has made a suggestion.
        What the translators `again` have made is new, too.
        """
        with self.database.read() as connection:
            sources = by_meme(connection.execute(source_query(kind)))
            versions = _translations(connection, tag, kind)
            templates = two_columns(connection.execute(select(memes.c.id, memes.c.template)))
            query = select(memes.c.id).where(is_dropped(memes.c.id, tag))
            dropped = set(connection.execute(query).scalars())
            translated = {version.source_id for own in versions.values() for version in own}
            today = {source.id for source in sources.values()}
            earlier = texts_of(connection, translated - today)
        wanted = sources if meme_ids is None else set(meme_ids)
        items = []
        for meme_id, source in sources.items():
            if source.language == tag or meme_id not in wanted or meme_id in dropped:
                continue
            own = versions.get(meme_id, [])
            of_this = [
                version.translator
                for version in own
                if earlier.get(version.source_id or 0, source.parts) == source.parts
            ]
            if any(translator not in again for translator in of_this):
                continue
            need: Need = "changed" if own and not of_this else "new"
            if only in (None, need):
                items.append(ToTranslate(meme_id, templates[meme_id], tag, need, source, own))
        return items

    def add_translation(
        self,
        meme_id: str,
        tag: str,
        caption: Caption,
        *,
        source_id: int,
        translator: str,
        marks: Sequence[str] = (),
        characters: int = 0,
        cost: float = 0.0,
        currency: str = "",
        provenance: Mapping[str, str] | None = None,
        replace: bool = False,
    ) -> int | None:
        """Store one machine translation as it comes, and return its version's id.

        Returns None, and stores nothing, when the caption has a translation of the same source
        already (a second run, another process), or one that a person wrote. So a run can be killed
        and repeated. Beside a person's text of an earlier source it is a suggestion.

        Args:
            source_id: `ToTranslate.source.id`, the version that was translated.
            marks: what a corrector should know.
            characters, cost, currency: what was billed.
            provenance: the model, glossary and prompt, as far as they are known.
            replace: supersede another machine translation of the same source.

        Raises:
            InputError: the caption is empty or a part has ` // ` in it.
        """
        parts = check_parts(caption.parts, meme_id)
        with self.database.write(relaxed=True) as connection:
            for version in _translations(connection, tag, None, meme_id).get(meme_id, ()):
                texts = texts_of(connection, [source_id, version.source_id])
                same = version.source_id is None or texts[version.source_id] == texts[source_id]
                repeated = (version.parts, version.translator) == (parts, translator)
                if same and (version.stage != "translated" or repeated or not replace):
                    return None
                if not same and version.source_id is not None and version.source_id > source_id:
                    return None  # it translates a newer source already
            row = {
                "language": tag,
                "parts": parts,
                "stage": "translated",
                "origin": translator,
                "translator": translator,
                "source_id": source_id,
                "marks": tuple(marks),
                "characters": characters,
                "cost": cost,
                "currency": currency,
                "provenance": dict(provenance) if provenance else None,
            }
            return add_versions(connection, {meme_id: row})[0]

    def templates(self) -> dict[str, str]:
        """The template's name of each meme, in the memes' order."""
        query = select(memes.c.id, memes.c.template).where(is_active()).order_by(memes.c.number)
        return two_columns(self.fetch(query))

    def ids(self) -> list[str]:
        """The ids of all memes and other texts."""
        return [meme_id for (meme_id,) in self.fetch(select(memes.c.id))]

    def count(self, kind: Kind = "caption") -> int:
        """How many memes there are, or texts of another kind."""
        query = select(func.count()).select_from(memes).where(is_active(kind))
        return int(self.fetch(query)[0][0])

    def acceptance(
        self, which: Accept, tags: Sequence[str] | None = None, rounds: int = ROUNDS
    ) -> Acceptance:
        """How many captions of some languages, or (None) of all, something takes by their states,
        and how many it leaves out."""
        with self.database.read() as connection:
            return count_states(connection, which, tags, rounds)

    def left_out(self, which: Accept, rounds: int = ROUNDS) -> dict[str, set[str]]:
        """The memes whose caption something leaves out by its state, by language; without those
        that are dropped in all languages."""
        with self.database.read() as connection:
            return find_left_out(connection, which, rounds)

    def states(
        self, tags: Sequence[str] | None = None, kind: Kind = "caption", rounds: int = ROUNDS
    ) -> list[CaptionStatus]:
        """The state of each caption of some languages, or (None) of all, in the memes' order."""
        with self.database.read() as connection:
            return find_states(connection, tags, kind, rounds)

    def made_by(self) -> list[tuple[str, str, dict[str, Any], int]]:
        """What machine translations were made by: language, translator, provenance, how many.

        All versions count, also those that people have corrected since.
        """
        columns = captions.c
        made = (columns.language, columns.translator, type_coerce(columns.provenance, Text()))
        query = select(*made, func.count()).where(columns.provenance.is_not(None))
        rows = self.fetch(query.group_by(*made).order_by(*made))
        return [(tag, name, decode_json(text) or {}, count) for tag, name, text, count in rows]


@cache  # to build it takes longer than to ask it of one meme
def _translations_query(tag: str, kind: Kind | None, of: str | None) -> Select[Any]:
    query = versions_query(or_(is_current(captions), is_suggestion(captions)), kind)
    query = query.where(captions.c.language == tag)
    return query.where(captions.c.meme_id == bindparam(of)) if of else query


def _translations(
    connection: Connection, tag: str, kind: Kind | None, meme_id: str | None = None
) -> dict[str, list[CaptionVersion]]:
    """The captions in a language and the suggestions beside them, by meme, oldest first."""
    versions: dict[str, list[CaptionVersion]] = {}
    query = _translations_query(tag, kind, meme_id and "meme")
    for row in connection.execute(query, {"meme": meme_id} if meme_id else None):
        versions.setdefault(row.meme_id, []).append(CaptionVersion(*row))
    return versions
