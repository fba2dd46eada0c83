"""The texts of surveys. In: what ships in each language. Out: what people made of them.

A text is the caption of a meme row of kind `survey`: its English is the source, what ships in
another language is a version of stage `shipped`, and what people make of it are later versions, by
the same round trip as captions. What ships anew never supersedes what a person wrote, unless the
English text has changed under it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

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
_LONGEST = 100 - len(_PREFIX)  # a meme's id has 100 characters at the most
_BY_PEOPLE = ("corrected", "settled")
_UNSEEN = ("shipped", "translated")
_Parts = dict[str, tuple[str, ...]]
"""Texts as parts, by the ids of meme rows."""


def survey_text_id(key: str) -> str:
    """Return the id of the meme row that holds a text; no meme's id has a `:`. Raise InputError if
    the key is too long."""
    if len(key) > _LONGEST:
        raise InputError(
            f"The name of a survey's text has at most {_LONGEST} characters: {key[:100]!r} is too "
            "long; shorten the ids in the taxonomy."
        )
    return _PREFIX + key


def survey_text_key(meme_id: str) -> str:
    """Return the key of the text that a meme row holds; empty when it holds none."""
    return meme_id.removeprefix(_PREFIX) if meme_id.startswith(_PREFIX) else ""


class SurveyTexts(Repository):
    """The texts of a workspace's surveys, which people correct as they correct captions."""

    def add(
        self, english: Mapping[str, str], tag: str = ENGLISH, texts: Mapping[str, str] | None = None
    ) -> int:
        """Store the texts of surveys as they ship (by key, and those in a language); how many
        versions that took.

        The same again adds nothing. What differs supersedes what shipped before, and what a machine
        made; a person's text only where its English has changed, or where it left what shipped as
        it was. Texts that `english` lacks are left out. Raises InputError if one cannot be stored.
        """
        shared = {"stage": "shipped", "origin": "memeloc"}
        with self.database.write() as connection:
            source = _parts(english)
            add_memes(connection, {key: {"source_language": ENGLISH} for key in source}, "survey")
            current = current_of(connection, ENGLISH, source)
            rows = {
                meme_id: {"parts": parts}
                for meme_id, parts in source.items()
                if meme_id not in current or current[meme_id].parts != parts
            }
            added = len(add_versions(connection, rows, language=ENGLISH, **shared))
            if tag == ENGLISH or not texts:
                return added
            filled = {key: text for key, text in texts.items() if key in english and text.strip()}
            new = _parts(filled)
            sources = current_of(connection, ENGLISH, new)
            current = current_of(connection, tag, new)
            translated, before = _translated(connection, tag), _shipped(connection, tag)

            def stays(meme_id: str) -> bool:
                version = current.get(meme_id)
                if version is None or translated.get(meme_id) != source[meme_id]:
                    return False
                is_persons = version.stage not in _UNSEEN and version.parts != before.get(meme_id)
                return is_persons or version.parts == new[meme_id]

            translations = {
                meme_id: {"parts": parts, "source_id": sources[meme_id].id}
                for meme_id, parts in new.items()
                if not stays(meme_id)
            }
            return added + len(add_versions(connection, translations, language=tag, **shared))

    def corrections(self, tag: str, english: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the team's own texts for surveys in a language, by key. These are texts that a
        person has corrected, settled or found correct, that translate the texts of `english` (None
        is what is stored), and that differ from what ships. de-AT takes those of de, too."""
        corrected: dict[str, str] = {}
        with self.database.read() as connection:
            for end in [at for at, sign in enumerate(tag) if sign == "-"] + [len(tag)]:
                language = tag[:end]
                is_theirs = (captions.c.stage.in_(_BY_PEOPLE), is_current(captions))
                texts = _versions(connection, language, captions.c.parts, *is_theirs)
                if english is None:
                    sources = current_of(connection, ENGLISH, texts)
                    today = {meme_id: version.parts for meme_id, version in sources.items()}
                else:
                    today = _parts(english)
                translated = _translated(connection, language)
                shipped = _shipped(connection, language)
                corrected |= {
                    survey_text_key(meme_id): SEPARATOR.join(parts)
                    for meme_id, parts in texts.items()
                    if any(parts)
                    and translated.get(meme_id) == today.get(meme_id)
                    and parts != shipped.get(meme_id)
                }
        return corrected


def _translated(connection: Connection, language: str) -> _Parts:
    """Return the English that the current version of each text in a language translates."""
    source = captions.alias()
    is_source = source.c.id == captions.c.source_id
    return _versions(connection, language, source.c.parts, is_source, is_current(captions))


def _shipped(connection: Connection, language: str) -> _Parts:
    return _versions(connection, language, captions.c.parts, captions.c.stage == "shipped")


def _versions(connection: Connection, language: str, column: Any, *conditions: Any) -> _Parts:
    query = select(captions.c.meme_id, column).where(
        memes.c.id == captions.c.meme_id,
        memes.c.kind == "survey",
        captions.c.language == language,
        *conditions,
    )
    return two_columns(connection.execute(query.order_by(memes.c.number, captions.c.version)))


def _parts(texts: Mapping[str, str]) -> _Parts:
    parts = {survey_text_id(key): Caption.parse(text).parts for key, text in texts.items()}
    return {meme_id: check_parts(each, meme_id) for meme_id, each in parts.items()}
