"""The texts of surveys. In: what ships in English and in other languages. Out: people's words.

A text is the caption of a meme row of kind `survey`: its English is the source, what ships in
another language is a version of stage `shipped`, and what people make of it are later versions, by
the same round trip as captions. What ships anew never passes over what a person wrote, unless the
English text has changed under it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, insert, select

from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Caption
from memeloc.store.caption_versions import (
    add_versions,
    check_parts,
    current_of,
    is_current,
    now,
    slices,
    two_columns,
)
from memeloc.store.database import Database
from memeloc.store.surveyed import Surveyed
from memeloc.store.tables import captions, memes

ENGLISH = "en"
"""The language that survey texts are written in."""

_PREFIX = "survey:"
_LONGEST = 100
_BY_PEOPLE = ("corrected", "settled")
_UNSEEN = ("shipped", "translated")


def survey_text_id(key: str) -> str:
    """The id of the meme row that holds a text; no meme's id has a `:`.

    Raises:
        InputError: the key is too long.
    """
    if len(key) > _LONGEST - len(_PREFIX):
        raise InputError(
            f"The name of a survey's text has at most {_LONGEST - len(_PREFIX)} characters: "
            f"{key[:_LONGEST]!r} is too long; shorten the ids in the taxonomy."
        )
    return _PREFIX + key


def survey_text_key(meme_id: str) -> str:
    """The key of the text that a meme row holds; empty when it holds none."""
    return meme_id.removeprefix(_PREFIX) if meme_id.startswith(_PREFIX) else ""


class SurveyTexts:
    """The texts of a workspace's surveys, which people correct as they correct captions."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(
        self, english: Mapping[str, str], tag: str = ENGLISH, texts: Mapping[str, str] | None = None
    ) -> int:
        """Store the texts of surveys as they ship; how many versions that took.

        The same again adds nothing. What differs supersedes what shipped before, and what a machine
        made; a person's text only where its English has changed, or where it left what shipped as
        it was.

        Args:
            english: by key, all of them.
            tag: the language of `texts`.
            texts: by key, what ships in that language; keys that English lacks are passed over.

        Raises:
            InputError: a text or its key cannot be stored.
        """
        with self.database.write() as connection:
            return add_survey_texts(connection, english, tag, texts or {})

    def corrections(self, tag: str, english: Mapping[str, str] | None = None) -> dict[str, str]:
        """The team's own texts for surveys in a language, by key.

        These are texts that a person has corrected, settled or found correct, that translate the
        English of today, and that differ from what ships. de-AT takes those of de, too.

        Args:
            tag: the language.
            english: the texts that surveys go out with; a correction of another English text is
                left out. None takes what is stored.
        """
        corrected: dict[str, str] = {}
        with self.database.read() as connection:
            for end in [at for at, sign in enumerate(tag) if sign == "-"] + [len(tag)]:
                corrected |= find_survey_corrections(connection, tag[:end], english)
        return corrected


class Worded(Surveyed):
    """The words of a workspace's surveys, which people correct as they correct captions."""

    def add_survey_texts(
        self,
        english: Mapping[str, str],
        language: str = ENGLISH,
        texts: Mapping[str, str] | None = None,
    ) -> int:
        """Store the texts of surveys as they ship; how many versions that took.

        The same again adds nothing. What differs supersedes what shipped before, and what a machine
        made; a person's text only where its English has changed, or where it left what shipped as
        it was.

        Args:
            english: by key, all of them.
            language: of `texts`.
            texts: by key, what ships in that language; keys that English lacks are passed over.

        Raises:
            InputError: a text or its key cannot be stored.
        """
        tag = self.locale(language).tag
        with self.database.write() as connection:
            return add_survey_texts(connection, english, tag, texts or {})

    def survey_corrections(
        self, language: str, english: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        """The team's own words for surveys in a language, by key: `survey_texts` takes them.

        These are texts that a person has corrected, settled or found correct, that translate the
        English of today, and that differ from what ships. de-AT takes those of de, too.

        Args:
            language: the tag.
            english: the texts that surveys go out with; a correction of another English text is
                left out. None takes what is stored.
        """
        tag = self.locale(language).tag
        found: dict[str, str] = {}
        with self.database.read() as connection:
            for end in [at for at, sign in enumerate(tag) if sign == "-"] + [len(tag)]:
                found |= find_survey_corrections(connection, tag[:end], english)
        return found


def add_survey_texts(
    connection: Connection, english: Mapping[str, str], language: str, texts: Mapping[str, str]
) -> int:
    """Store texts as they ship; see `Worded.add_survey_texts`."""
    source = {survey_text_id(key): _parts(text, key) for key, text in english.items()}
    _add_memes(connection, list(source))
    current = current_of(connection, ENGLISH, source)
    rows: list[dict[str, Any]] = []
    for meme_id, parts in source.items():
        known = current.get(meme_id)
        if known is None or known.parts != parts:
            rows.append(_row(meme_id, ENGLISH, known.version + 1 if known else 1, parts))
    add_versions(connection, rows)
    if language == ENGLISH:
        return len(rows)
    return len(rows) + _add_translations(
        connection,
        language,
        source,
        {
            survey_text_id(key): _parts(text, key)
            for key, text in texts.items()
            if key in english and text.strip()
        },
    )


def _add_memes(connection: Connection, ids: list[str]) -> None:
    there: set[str] = set()
    for some in slices(ids):
        there.update(connection.execute(select(memes.c.id).where(memes.c.id.in_(some))).scalars())
    moment = now()
    fresh = [
        {
            "id": meme_id,
            "template": "",
            "source_language": ENGLISH,
            "created_at": moment,
            "kind": "survey",
        }
        for meme_id in ids
        if meme_id not in there
    ]
    if fresh:
        connection.execute(insert(memes), fresh)


def _add_translations(
    connection: Connection,
    language: str,
    source: Mapping[str, tuple[str, ...]],
    texts: Mapping[str, tuple[str, ...]],
) -> int:
    """Add what ships in a language where it is new."""
    sources = current_of(connection, ENGLISH, texts)
    current = current_of(connection, language, texts)
    translated = _translated(connection, language)
    shipped = _shipped(connection, language)
    rows = []
    for meme_id, parts in texts.items():
        known = current.get(meme_id)
        if known is not None:
            fresh = translated.get(meme_id) == source[meme_id]
            if fresh and known.parts == parts:
                continue
            if fresh and known.stage not in _UNSEEN and known.parts != shipped.get(meme_id):
                continue
        version = known.version + 1 if known else 1
        rows.append(
            {**_row(meme_id, language, version, parts), "source_id": sources[meme_id].id},
        )
    add_versions(connection, rows)
    return len(rows)


def find_survey_corrections(
    connection: Connection, language: str, english: Mapping[str, str] | None = None
) -> dict[str, str]:
    """People's texts that differ from what ships; see `Worded.survey_corrections`."""
    query = (
        select(captions.c.meme_id, captions.c.parts)
        .join(memes, memes.c.id == captions.c.meme_id)
        .where(
            memes.c.kind == "survey",
            captions.c.language == language,
            captions.c.stage.in_(_BY_PEOPLE),
            is_current(captions),
        )
        .order_by(memes.c.number)
    )
    texts: dict[str, tuple[str, ...]] = two_columns(connection, query)
    if english is None:
        sources = current_of(connection, ENGLISH, texts)
        today = {meme_id: version.parts for meme_id, version in sources.items()}
    else:
        today = {survey_text_id(key): _parts(text, key) for key, text in english.items()}
    translated = _translated(connection, language)
    shipped = _shipped(connection, language)
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
    query = (
        select(captions.c.meme_id, source.c.parts)
        .join(source, source.c.id == captions.c.source_id)
        .join(memes, memes.c.id == captions.c.meme_id)
        .where(memes.c.kind == "survey", captions.c.language == language, is_current(captions))
    )
    return two_columns(connection, query)


def _shipped(connection: Connection, language: str) -> dict[str, tuple[str, ...]]:
    """By text: what shipped last in a language."""
    query = (
        select(captions.c.meme_id, captions.c.parts)
        .join(memes, memes.c.id == captions.c.meme_id)
        .where(
            memes.c.kind == "survey",
            captions.c.language == language,
            captions.c.stage == "shipped",
        )
        .order_by(captions.c.version)
    )
    return two_columns(connection, query)


def _parts(text: str, key: str) -> tuple[str, ...]:
    return check_parts(Caption.parse(text).parts, survey_text_id(key))


def _row(meme_id: str, language: str, version: int, parts: tuple[str, ...]) -> dict[str, Any]:
    return {
        "meme_id": meme_id,
        "language": language,
        "version": version,
        "parts": parts,
        "stage": "shipped",
        "origin": "memeloc",
    }
