"""The texts of surveys. In: what ships in each language. Out: what people made of them.

A text is the caption of a meme row of kind `survey`: its English is the source, what ships in
another language is a version of stage `shipped`, and what people make of it are later versions, by
the same round trip as captions. What ships anew never supersedes what a person wrote, unless the
English text has changed under it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Select, select

from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Caption
from memeloc.store.captions.versions import (
    add_memes,
    add_versions,
    check_parts,
    current_of,
    is_current,
)
from memeloc.store.queries import Repository, two_columns
from memeloc.store.tables.captions import captions, memes

ENGLISH = "en"
"""The language that survey texts are written in."""

_PREFIX = "survey:"
_LONGEST = 100  # characters of a meme's id
_BY_PEOPLE = ("corrected", "settled")
_UNSEEN = ("shipped", "translated")


def survey_text_id(key: str) -> str:
    """The id of the meme row that holds a text; no meme's id has a `:`; raise InputError if the key
    is too long."""
    if len(key) > _LONGEST - len(_PREFIX):
        raise InputError(
            f"The name of a survey's text has at most {_LONGEST - len(_PREFIX)} characters: "
            f"{key[:_LONGEST]!r} is too long; shorten the ids in the taxonomy."
        )
    return _PREFIX + key


def survey_text_key(meme_id: str) -> str:
    """The key of the text that a meme row holds; empty when it holds none."""
    return meme_id.removeprefix(_PREFIX) if meme_id.startswith(_PREFIX) else ""


class SurveyTexts(Repository):
    """The texts of a workspace's surveys, which people correct as they correct captions."""

    def add(
        self, english: Mapping[str, str], tag: str = ENGLISH, texts: Mapping[str, str] | None = None
    ) -> int:
        """Store the texts of surveys as they ship; how many versions that took.

        The same again adds nothing. What differs supersedes what shipped before, and what a machine
        made; a person's text only where its English has changed, or where it left what shipped as
        it was.

        Args:
            english: by key, all of them.
            texts: by key, what ships in the language `tag`; keys that English lacks are left out.

        Raises:
            InputError: a text or its key cannot be stored.
        """
        with self.database.write() as connection:
            return _add_shipped(connection, english, tag, texts or {})

    def corrections(self, tag: str, english: Mapping[str, str] | None = None) -> dict[str, str]:
        """The team's own texts for surveys in a language, by key.

        These are texts that a person has corrected, settled or found correct, that translate the
        texts of `english` (None is what is stored), and that differ from what ships. de-AT takes
        those of de, too.
        """
        corrected: dict[str, str] = {}
        with self.database.read() as connection:
            for end in [at for at, sign in enumerate(tag) if sign == "-"] + [len(tag)]:
                corrected |= _corrections(connection, tag[:end], english)
        return corrected


def _add_shipped(
    connection: Connection, english: Mapping[str, str], language: str, texts: Mapping[str, str]
) -> int:
    source = _texts(english)
    add_memes(connection, {key: {"source_language": ENGLISH} for key in source}, "survey")
    current = current_of(connection, ENGLISH, source)
    rows = {
        meme_id: {"parts": parts}
        for meme_id, parts in source.items()
        if meme_id not in current or current[meme_id].parts != parts
    }
    shared = {"stage": "shipped", "origin": "memeloc"}
    added = len(add_versions(connection, rows, language=ENGLISH, **shared))
    if language == ENGLISH:
        return added
    shipped = _texts({key: text for key, text in texts.items() if key in english and text.strip()})
    sources = current_of(connection, ENGLISH, shipped)
    current = current_of(connection, language, shipped)
    translated, before = _translated(connection, language), _shipped(connection, language)
    translations = {}
    for meme_id, parts in shipped.items():
        version = current.get(meme_id)
        if version is not None and translated.get(meme_id) == source[meme_id]:
            if version.parts == parts:
                continue
            if version.stage not in _UNSEEN and version.parts != before.get(meme_id):
                continue
        translations[meme_id] = {"parts": parts, "source_id": sources[meme_id].id}
    return added + len(add_versions(connection, translations, language=language, **shared))


def _corrections(
    connection: Connection, language: str, english: Mapping[str, str] | None
) -> dict[str, str]:
    """People's texts that differ from what ships; see `SurveyTexts.corrections`."""
    query = _versions(language, captions.c.parts)
    query = query.where(captions.c.stage.in_(_BY_PEOPLE), is_current(captions))
    texts: dict[str, tuple[str, ...]] = two_columns(connection.execute(query))
    if english is None:
        sources = current_of(connection, ENGLISH, texts)
        today = {meme_id: version.parts for meme_id, version in sources.items()}
    else:
        today = _texts(english)
    translated, shipped = _translated(connection, language), _shipped(connection, language)
    return {
        survey_text_key(meme_id): SEPARATOR.join(parts)
        for meme_id, parts in texts.items()
        if any(parts)
        and translated.get(meme_id) == today.get(meme_id)
        and parts != shipped.get(meme_id)
    }


def _translated(connection: Connection, language: str) -> dict[str, tuple[str, ...]]:
    """By text: the English that its current version in a language translates."""
    source = captions.alias()
    query = _versions(language, source.c.parts).join(source, source.c.id == captions.c.source_id)
    return two_columns(connection.execute(query.where(is_current(captions))))


def _shipped(connection: Connection, language: str) -> dict[str, tuple[str, ...]]:
    query = _versions(language, captions.c.parts).where(captions.c.stage == "shipped")
    return two_columns(connection.execute(query))


def _versions(language: str, column: Any) -> Select[Any]:
    return (
        select(captions.c.meme_id, column)
        .select_from(captions)
        .join(memes, memes.c.id == captions.c.meme_id)
        .where(memes.c.kind == "survey", captions.c.language == language)
        .order_by(memes.c.number, captions.c.version)
    )


def _texts(texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    parts = {survey_text_id(key): Caption.parse(text).parts for key, text in texts.items()}
    return {meme_id: check_parts(each, meme_id) for meme_id, each in parts.items()}
