"""Column types. In: Python values. Out: texts that SQLite, PostgreSQL and people can all read.

Timestamps are UTC in ISO 8601; everything that is not a plain text or number is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from pydantic_core import from_json
from sqlalchemy import String, Text, TypeDecorator

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def now() -> datetime:
    return datetime.now(UTC)


def encode_json(value: Any) -> str:
    """Return a value as JSON, always the same of the same; lone surrogates and NUL are escaped."""
    text = _encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return text


def decode_json(text: str | None) -> Any:
    """Return a value from JSON; None of None."""
    if text is None:
        return None
    try:
        return from_json(text)
    except ValueError:  # it takes no lone surrogates, which Python's own does
        return json.loads(text)


def safe_text(text: str) -> str:
    """Return a text that a database can hold: NUL and lone surrogates become U+FFFD."""
    text = text.replace("\0", "\ufffd")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Encoded(TypeDecorator[Any]):
    """A value that the database has as a text."""

    impl: Any = Text
    encode: Callable[[Any], str]
    decode: Callable[[str], Any] | None = None

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        return None if value is None else type(self).encode(value)

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], Any] | None:
        decode = type(self).decode
        return decode and (lambda text: None if text is None else decode(text))

    def stored(self, value: Any) -> Any:
        """Return a value as it comes back from the database."""
        text, decode = self.process_bind_param(value, None), type(self).decode
        return text if text is None or decode is None else decode(text)


class Json(Encoded):
    cache_ok = True
    encode = staticmethod(encode_json)
    decode = staticmethod(decode_json)


class Parts(Json):
    """A tuple of texts, as a JSON array."""

    cache_ok = True
    decode = staticmethod(lambda text: tuple(decode_json(text)))


class SafeText(Encoded):
    """Any text; see `safe_text`."""

    cache_ok = True
    encode = staticmethod(safe_text)


class UtcTime(Encoded):
    """A point in time, as ISO 8601 in UTC; text order is order in time."""

    impl = String(32)
    cache_ok = True
    encode = staticmethod(
        lambda time: time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    )
    decode = staticmethod(datetime.fromisoformat)


metadata = sa.MetaData(
    naming_convention={
        "ix": "%(table_name)s_by_%(column_0_N_name)s",
        "uq": "%(table_name)s_once_%(column_0_N_name)s",
    }
)

_TYPES: dict[str, Any] = {
    name: kind
    for kind, names in {
        sa.String(100): "id kind language source_language template translator currency stage "
        "status outcome action format filter verdict question sheet participant submission target "
        "item sex culture label taxonomy topic topic_into version_language step dimension recipe",
        sa.String(64): "sha256 hash key_hash parent_hash content_hash token prompt",
        SafeText: "key subject name person origin comment reason message sentence url terms source "
        "answer study code detail dataset root model caption",
        sa.Integer: "number row rows round version position characters width height size people "
        "decision",
        sa.BigInteger: "turn seed",
        sa.Float: "cost score seconds",
        UtcTime: "created_at fetched_at started submitted held_until",
        Parts: "parts typed marks original translation",
        Json: "content settings funnel evidence scores value design slots cultures answers facts "
        "details result counts further provenance labels topics fields "
        "presented",
    }.items()
    for name in names.split()
}

_REFERENCES = {
    "file_id": "files.id",
    "meme_id": "memes.id",
    "item_id": "items.id",
    "caption_id": "captions.id",
    "source_id": "captions.id",
    "base_id": "captions.id",
    "sheet_id": "sheets.id",
    "correction_id": "corrections.id",
    "case_id": "cases.id",
    "set_id": "pair_sets.id",
    "first": "items.id",
    "second": "items.id",
    "picture": "pictures.sha256",
    "selection_id": "selections.id",
    "survey": "surveys.name",
    "place_id": "survey_places.id",
    "decision": "label_decisions.number",
}


def table(
    name: str,
    columns: str,
    *,
    key: str = "",
    optional: str = "",
    unique: Sequence[str] = (),
    index: Sequence[str] = (),
    append_only: bool = True,
    people: bool = False,
    cached: bool = False,
) -> sa.Table:
    """Return a table of columns, whose names stand between spaces; the first is the primary key,
    which the database counts, where there is no `key`, and `created_at` is when a row is stored.

    `optional` columns may be NULL. `unique` and `index` are groups of columns. The database refuses
    to change or delete rows that are `append_only`; those of `people`, as there are where there is
    a `participant`, an erasure (`memeloc.store.surveys.erasures`) may delete. What is `cached` can
    be computed anew, so a dump (`memeloc.store.dumps`) leaves it out.
    """
    names = columns.split()
    return sa.Table(
        name,
        metadata,
        *(
            sa.Column(
                each,
                sa.Integer if not key and each == names[0] else _TYPES.get(each),
                *([sa.ForeignKey(_REFERENCES[each])] if each in _REFERENCES else []),
                primary_key=each in (key.split() or names[:1]),
                nullable=each in optional.split(),
                default=now if each == "created_at" else None,
            )
            for each in names
        ),
        *(sa.UniqueConstraint(*group.split()) for group in unique),
        *(sa.Index(None, *group.split()) for group in index),
        info={
            "append_only": append_only,
            "people": people or "participant" in names,
            "cached": cached,
        },
    )


_REFUSAL = "is append-only: its rows are never changed or deleted, a newer row supersedes"
_ERASING = "EXISTS (SELECT 1 FROM erasures WHERE counts IS NULL)"
"""Whether an erasure is under way: its row has no counts before it is done, in one transaction."""


@sa.event.listens_for(metadata, "after_create")
def _refuse_changes(target: sa.MetaData, connection: sa.Connection, **_: Any) -> None:
    """Have the database itself refuse to change or delete rows of tables that are append-only; of
    those with `people` in them, rows can be deleted while an erasure is under way."""
    statements = []
    if is_server := connection.dialect.name == "postgresql":
        statements.append(
            "CREATE OR REPLACE FUNCTION memeloc_append_only() RETURNS trigger LANGUAGE plpgsql "
            f"AS $$ BEGIN IF TG_OP = 'DELETE' AND TG_NARGS > 0 AND {_ERASING} THEN RETURN NULL; "
            f"END IF; RAISE EXCEPTION '% {_REFUSAL}', TG_TABLE_NAME; END $$"
        )
    for name, info in ((each.name, each.info) for each in target.sorted_tables):
        if info["append_only"] and is_server:
            people = "'people'" if info["people"] else ""
            statements.append(
                f"CREATE TRIGGER {name}_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON {name} FOR "
                f"EACH STATEMENT EXECUTE FUNCTION memeloc_append_only({people})"
            )
        elif info["append_only"]:
            unless = f"WHEN NOT {_ERASING} " if info["people"] else ""
            statements += [
                f"CREATE TRIGGER {name}_no_{action} BEFORE {action} ON {name} {condition}"
                f"BEGIN SELECT RAISE(ABORT, '{name} {_REFUSAL}'); END"
                for action, condition in (("update", ""), ("delete", unless))
            ]
    for statement in statements:
        connection.execute(sa.text(statement))
