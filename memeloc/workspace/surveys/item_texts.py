"""Items' own texts. In: the items' table, a taxonomy. Out: texts by meme and question id."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.tables import read_table
from memeloc.taxonomy import LABEL, Taxonomy


def read_item_texts(
    path: Path | None, taxonomy: Taxonomy, memes: Collection[str]
) -> dict[str, dict[str, str]]:
    """By meme and question id, the texts that questions have of their own; empty ones left out.

    Raises:
        InputError: the taxonomy has such questions and there is no table, or the other way round;
            a column or a meme is missing, or is there twice; or a meme is asked about nothing.
    """
    columns, drafts = taxonomy.item_columns, taxonomy.draft_columns
    if path is None:
        if columns:
            raise InputError(
                f"{taxonomy.name} asks about texts of each item's own: give a table with the "
                f"columns meme_id, {', '.join(columns)} by --items"
            )
        return {}
    if not columns and not drafts:
        raise InputError(f"{taxonomy.name} has no question with a text of an item's own", file=path)
    table = read_table(path)
    for name in ("meme_id", *columns):
        if name not in table.columns:
            raise InputError(
                "has no such column; its headings are the questions' ids", file=path, column=name
            )
    own = [name for name in (*columns, *drafts) if name in table.columns]
    texts: dict[str, dict[str, str]] = {}
    for row in table.rows:
        meme = row["meme_id"]
        if meme in texts:
            raise InputError(f"The meme {meme[:80]!r} is there twice.", file=path, row=row.number)
        texts[meme] = {name: row[name] for name in own if row[name]}
        if taxonomy.item_text and meme in memes and not row[LABEL]:
            raise InputError(
                f"The meme {meme[:80]!r} has no text to be asked about.",
                file=path,
                row=row.number,
                column=LABEL,
            )
    if missing := [meme for meme in memes if meme not in texts]:
        raise InputError(
            f"has no row for {len(missing):,} of {counted(len(memes), 'meme')}, "
            f"{missing[0][:80]!r} the "
            "first; leave cells empty where there is no text",
            file=path,
        )
    return {meme: texts[meme] for meme in memes}
