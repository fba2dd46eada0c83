"""The text of pictures. In: what a reader read. Out: captions of kind `transcript`.

A transcript is the caption of a meme row of its own, in one language: what was read is its source
(stage `read`), and what people make of it are later versions, by the same round trip as captions.
Reading again never passes over what a person wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, insert, select

from memeloc.ocr.transcript import Transcript
from memeloc.store.caption_versions import (
    VERSION_COLUMNS,
    add_versions,
    current_of,
    current_query,
    is_current,
    now,
    slices,
)
from memeloc.store.database import Database
from memeloc.store.records import CaptionVersion
from memeloc.store.tables import captions, memes


class Transcripts:
    """What was read in pictures, and what people made of it."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(self, transcripts: Sequence[Transcript]) -> int:
        """Store what was read in pictures; how many differ from what is there.

        What a person wrote is not passed over.
        """
        with self.database.write() as connection:
            return add_transcripts(connection, transcripts)

    def all(self) -> dict[str, CaptionVersion]:
        """The current transcripts, by item."""
        with self.database.read() as connection:
            return find_transcripts(connection)


def transcript_id(item: str) -> str:
    """The id of the meme row that holds an item's transcript; no meme's id has a `:`."""
    return f"text:{item}"


def add_transcripts(connection: Connection, several: Sequence[Transcript]) -> int:
    """Store transcripts; how many differ from what is there."""
    by_id = {transcript_id(one.item): one for one in several}
    there: dict[str, str] = {}
    for some in slices(by_id):
        query = select(memes.c.id, memes.c.source_language).where(memes.c.id.in_(some))
        there.update((row.id, row.source_language) for row in connection.execute(query))
    moment = now()
    fresh = [
        {
            "id": key,
            "template": "",
            "source_language": one.language,
            "created_at": moment,
            "kind": "transcript",
            "item_id": one.item,
        }
        for key, one in by_id.items()
        if key not in there
    ]
    if fresh:
        connection.execute(insert(memes), fresh)
    rows: list[dict[str, Any]] = []
    for language in dict.fromkeys(one.language for one in by_id.values()):
        mine = {key: one for key, one in by_id.items() if one.language == language}
        current = current_of(connection, language, mine)
        for key, one in mine.items():
            if there.get(key, language) != language:
                continue  # it was read in another language, which a person may have corrected
            known = current.get(key)
            if known is not None and (
                known.stage != "read"
                or (known.parts, known.translator, known.marks)
                == (one.parts, one.reader, one.marks)
            ):
                continue
            rows.append(
                {
                    "meme_id": key,
                    "language": language,
                    "version": 1 if known is None else known.version + 1,
                    "parts": one.parts,
                    "stage": "read",
                    "origin": one.reader,
                    "translator": one.reader,
                    "marks": one.marks,
                }
            )
    add_versions(connection, rows)
    return len(rows)


def find_transcripts(connection: Connection) -> dict[str, CaptionVersion]:
    """The current transcripts, by item."""
    query = current_query(kind="transcript").add_columns(memes.c.item_id)
    return {
        row.item_id: CaptionVersion(*row[: len(VERSION_COLUMNS)])
        for row in connection.execute(query)
    }


def transcript_texts(connection: Connection) -> dict[str, tuple[bool, tuple[str, ...]]]:
    """By item: whether a person has seen its transcript, and its parts."""
    query = (
        select(memes.c.item_id, captions.c.stage, captions.c.parts)
        .join(captions, captions.c.meme_id == memes.c.id)
        .where(memes.c.kind == "transcript", is_current(captions))
    )
    return {row.item_id: (row.stage != "read", row.parts) for row in connection.execute(query)}
