"""The text of pictures. In: what a reader read. Out: captions of kind `transcript`.

A transcript is the caption of a meme row of its own, in one language: what was read is its source
(stage `read`), and what people make of it are later versions, by the same round trip as captions.
An item whose picture is exchanged gets another transcript; the one of the earlier picture stays,
and what people still answer about it is kept with it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection, select

from memeloc.ocr.transcript import Transcript
from memeloc.store.captions.versions import (
    add_memes,
    add_versions,
    current_of,
    current_query,
    is_current,
)
from memeloc.store.pictures import picture_file
from memeloc.store.queries import Repository, by_slices, is_newest, two_columns
from memeloc.store.records import CaptionVersion
from memeloc.store.tables.captions import captions, memes
from memeloc.store.tables.items import item_versions, pictures


class Transcripts(Repository):
    """What was read in pictures, and what people made of it."""

    def add(self, transcripts: Sequence[Transcript]) -> int:
        """Store what was read in pictures; how many differ from what is there.

        Reading again never supersedes what a person wrote.
        """
        with self.database.write() as connection:
            by_id = _by_id(connection, transcripts)
            rows = {
                meme_id: {
                    "source_language": transcript.language,
                    "item_id": transcript.item,
                    "picture": transcript.picture or None,
                }
                for meme_id, transcript in by_id.items()
            }
            add_memes(connection, rows, "transcript")
            query = select(memes.c.id, memes.c.source_language)
            languages = two_columns(by_slices(connection, query, memes.c.id, by_id))
            added = 0
            for language in dict.fromkeys(languages.values()):
                # One that was read in another language may have been corrected by a person.
                texts = {
                    meme_id: transcript
                    for meme_id, transcript in by_id.items()
                    if transcript.language == languages[meme_id] == language
                }
                added += _add(connection, language, texts)
        return added

    def all(self) -> dict[str, CaptionVersion]:
        """The current transcripts of the pictures that items have now, by item."""
        query = current_query(kind="transcript").add_columns(memes.c.item_id)
        return {row.item_id: CaptionVersion(*row[:-1]) for row in self.fetch(query)}

    def pictures(self, meme_ids: Collection[str]) -> dict[str, Path]:
        """The files of the pictures that transcripts were read in, by the transcripts' ids."""
        query = select(memes.c.id, pictures.c.sha256, pictures.c.format).join(
            pictures, pictures.c.sha256 == memes.c.picture
        )
        with self.database.read() as connection:
            rows = list(by_slices(connection, query, memes.c.id, meme_ids))
        root = self.root
        return {id: picture_file(root, *picture) for id, *picture in rows} if root else {}


def transcript_id(item: str, picture: str = "") -> str:
    """The id of the meme row that holds an item's transcript; no meme's id has a `:`.

    That of the first picture that was read has no `picture` in it, later ones' have.
    """
    return f"text:{item}:{picture[:12]}" if picture else f"text:{item}"


def _by_id(connection: Connection, transcripts: Sequence[Transcript]) -> dict[str, Transcript]:
    """Transcripts, with their pictures, by the ids of their meme rows, old or new."""
    items = [transcript.item for transcript in transcripts]
    newest = select(item_versions.c.item_id, item_versions.c.picture)
    newest = newest.where(is_newest(item_versions, ["item_id"], "version"))
    now = two_columns(by_slices(connection, newest, item_versions.c.item_id, items))
    stored = select(memes.c.item_id, memes.c.picture, memes.c.id)
    stored = stored.where(memes.c.kind == "transcript")
    there = {
        (row.item_id, row.picture or ""): row.id
        for row in by_slices(connection, stored, memes.c.item_id, items)
    }
    read = {item for item, _ in there}
    by_id = {}
    for transcript in transcripts:
        item, picture = transcript.item, transcript.picture or now.get(transcript.item) or ""
        new = transcript_id(item, picture if item in read else "")
        by_id[there.get((item, picture), new)] = replace(transcript, picture=picture)
    return by_id


def _add(connection: Connection, language: str, transcripts: dict[str, Transcript]) -> int:
    current = current_of(connection, language, transcripts)
    rows = {}
    for meme_id, transcript in transcripts.items():
        version = current.get(meme_id)
        texts = {
            "parts": transcript.parts,
            "translator": transcript.reader,
            "marks": transcript.marks,
        }
        if version is None or (
            version.stage == "read"
            and any(getattr(version, name) != value for name, value in texts.items())
        ):
            rows[meme_id] = {**texts, "origin": transcript.reader}
    return len(add_versions(connection, rows, language=language, stage="read"))


TranscriptTexts = Mapping[tuple[str, str | None], tuple[bool, tuple[str, ...]]]
"""By item and picture: whether a person has seen its transcript, and its parts."""


def transcript_texts(connection: Connection) -> TranscriptTexts:
    """The texts of all transcripts."""
    query = (
        select(memes.c.item_id, memes.c.picture, captions.c.stage, captions.c.parts)
        .join(captions, captions.c.meme_id == memes.c.id)
        .where(memes.c.kind == "transcript", is_current(captions))
    )
    return {
        (row.item_id, row.picture): (row.stage != "read", row.parts)
        for row in connection.execute(query)
    }
