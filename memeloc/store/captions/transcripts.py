"""The text of pictures. In: what a reader read. Out: captions of kind `transcript`.

A transcript is the caption of a meme row of its own, in one language: what was read is its source
(stage `read`), and what people make of it are later versions, by the same round trip as captions.
An item whose picture is exchanged gets another transcript; the one of the earlier picture stays,
and what people still answer about it is kept with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from memeloc.ocr.transcript import Transcript
from memeloc.store.captions import versions
from memeloc.store.pictures import picture_file
from memeloc.store.queries import Repository, by_slices, is_newest, two_columns
from memeloc.store.records import CaptionVersion, Stage
from memeloc.store.tables.captions import captions, memes
from memeloc.store.tables.items import item_versions, pictures

TranscriptTexts = Mapping[tuple[str, str | None], tuple[bool, tuple[str, ...]]]
"""By item and picture: whether a person has seen its transcript, and its parts."""


class Transcripts(Repository):
    """Texts read in pictures, and people's corrections of them."""

    def add(self, transcripts: Sequence[Transcript], stage: Stage = "read") -> int:
        """Store what was read in pictures; return how many differ from what is there. Reading again
        never supersedes what a person wrote."""
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
            versions.add_memes(connection, rows, "transcript")
            query = select(*memes.c["id", "source_language"])
            languages = two_columns(by_slices(connection, query, memes.c.id, by_id))
            by_language = defaultdict[str, dict[str, Transcript]](dict)
            for meme_id, transcript in by_id.items():
                # One that was read in another language may have been corrected by a person.
                if transcript.language == languages[meme_id]:
                    by_language[transcript.language][meme_id] = transcript
            added = 0
            for language, read in by_language.items():
                current = versions.current_of(connection, language, read)
                new = {
                    meme_id: text | {"origin": read[meme_id].reader}
                    for meme_id, text in ((key, _text(each, stage)) for key, each in read.items())
                    if meme_id not in current or _is_new(current[meme_id], text, stage)
                }
                added += len(versions.add_versions(connection, new, language=language, stage=stage))
        return added

    def all(self) -> dict[str, CaptionVersion]:
        """Return the current transcripts of the pictures that items have now, by item."""
        query = versions.current_query(kind="transcript").add_columns(memes.c.item_id)
        return {row.item_id: CaptionVersion(*row[:-1]) for row in self.fetch(query)}

    def pictures(self, meme_ids: Collection[str]) -> dict[str, Path]:
        """Return by transcript's id the file of the picture that it was read in."""
        query = select(memes.c.id, *pictures.c["sha256", "format"])
        query = query.join(pictures, pictures.c.sha256 == memes.c.picture)
        with self.database.read() as connection:
            rows = list(by_slices(connection, query, memes.c.id, meme_ids))
        root = self.root
        return {id: picture_file(root, *picture) for id, *picture in rows} if root else {}


def _text(transcript: Transcript, stage: Stage) -> dict[str, Any]:
    by = "translator" if stage == "read" else "person"
    return {"parts": transcript.parts, by: transcript.reader, "marks": transcript.marks}


def _is_new(version: CaptionVersion, text: Mapping[str, Any], stage: Stage) -> bool:
    differs = any(getattr(version, name) != value for name, value in text.items())
    return version.stage in ("read", stage) and differs


def _by_id(connection: Connection, transcripts: Sequence[Transcript]) -> dict[str, Transcript]:
    """Return transcripts, with their pictures, by the ids of their meme rows: `text:ITEM` for the
    first picture that was read in an item, later ones' end with the picture. No meme's id has a
    `:`."""
    items = [transcript.item for transcript in transcripts]
    newest = select(*item_versions.c["item_id", "picture"])
    newest = newest.where(is_newest(item_versions, ["item_id"], "version"))
    now = two_columns(by_slices(connection, newest, item_versions.c.item_id, items))
    stored = select(*memes.c["item_id", "picture", "id"]).where(memes.c.kind == "transcript")
    existing = {
        (row.item_id, row.picture or ""): row.id
        for row in by_slices(connection, stored, memes.c.item_id, items)
    }
    read = {item for item, _ in existing}
    by_id = {}
    for transcript in transcripts:
        item, picture = transcript.item, transcript.picture or now.get(transcript.item) or ""
        new = f"text:{item}:{picture[:12]}" if picture and item in read else f"text:{item}"
        by_id[existing.get((item, picture), new)] = replace(transcript, picture=picture)
    return by_id


def transcript_texts(connection: Connection) -> TranscriptTexts:
    query = select(*memes.c["item_id", "picture"], *captions.c["stage", "parts"])
    query = query.join(captions, captions.c.meme_id == memes.c.id)
    query = query.where(memes.c.kind == "transcript", versions.is_current(captions))
    return {
        (row.item_id, row.picture): (row.stage != "read", row.parts)
        for row in connection.execute(query)
    }
