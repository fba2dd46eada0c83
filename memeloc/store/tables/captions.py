"""Captions and what people made of them. In: names of columns. Out: their `Table`s.

captions, corrections and decisions, and what they stand on, are append-only: a newer row
supersedes.
"""

from __future__ import annotations

from memeloc.store.tables.types import table

files = table(
    "files", "id kind name sha256 rows created_at", unique=["kind sha256"], append_only=False
)
"""Each imported file: kind (captions, answers, memory, ...), its name, rows taken from it."""

memes = table(
    "memes",
    "number id kind template source_language file_id item_id picture created_at",
    optional="file_id item_id picture",
    unique=["id"],
    append_only=False,
)
"""The texts that people work on, numbered in the order in which they came.

kind: `caption` of a meme, `transcript` of a picture, or text of a `survey`; item_id: the item it
was selected or read from; picture: the one that a transcript was read in.
"""

captions = table(
    "captions",
    "id meme_id language version parts stage round person origin translator source_id marks "
    "characters cost currency created_at provenance",
    optional="source_id provenance",
    unique=["meme_id language version"],
    index=["source_id"],
)
"""Every version of every caption; see `memeloc.store.captions.versions` for the current ones.

provenance: the model, glossary and prompt of a machine translation, as far as they are known.
"""

translation_failures = table(
    "translation_failures",
    "id meme_id language translator message characters cost currency created_at",
)
"""Translations that failed and were billed all the same."""

sheets = table(
    "sheets",
    "id kind language source_language round person format name created_at",
    key="id",
    index=["language round"],
)
"""What was sent to whom."""

sheet_items = table(
    "sheet_items", "sheet_id meme_id position source_id base_id", key="sheet_id meme_id"
)
"""The versions of source and text to be corrected that a sheet showed."""

corrections = table(
    "corrections",
    "id file_id row sheet_id meme_id language round person parts typed status comment outcome "
    "reason message caption_id created_at",
    optional="caption_id",
    unique=["file_id row meme_id"],
    index=["meme_id language round"],
)
"""What a person answered (`typed` as it stood in the file, `parts` the text it stands for)."""

withdrawals = table("withdrawals", "id file_id person comment created_at", index=["file_id"])
"""Files of answers that were taken back: none of their corrections counts."""

cases = table(
    "cases",
    "id meme_id language round reason message correction_id created_at",
    unique=["correction_id"],
    index=["meme_id language"],
)
"""What is left for somebody to settle; open until a decision names it."""

decisions = table(
    "decisions",
    "id case_id action correction_id parts person comment caption_id created_at",
    optional="correction_id caption_id",
    index=["case_id"],
)
"""How a case was settled; the newest decision of a case holds."""

drops = table(
    "drops", "id meme_id language action person comment created_at", index=["meme_id language"]
)
"""Captions that were dropped and taken back (`action`); an empty language is all of them."""

memory_units = table(
    "memory_units",
    "id hash source_language language original translation origin person file_id created_at",
    optional="file_id",
    unique=["hash"],
    index=["source_language language"],
    append_only=False,
)
"""Translation memory from outside, such as TMX. What was corrected here is memory as it stands."""

events = table("events", "id kind subject detail created_at", append_only=False)
"""What else happened: a meme's template exchanged, pictures rendered."""
