"""What a column is, by its name. In: names of columns. Out: a SQLAlchemy `Table`.

A column has the same type and refers to the same table wherever it stands, so each is written down
here once, and a table is a list of names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from memeloc.store.tables.types import Json, Parts, SafeText, UtcTime, now

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
