"""The texts of surveys, for correcting and translating. In: what ships. Out: texts in the store.

Texts are stored when they are asked for, so that a newer memeloc's become newer versions.
"""

from __future__ import annotations

from collections.abc import Sequence

from memeloc.errors import InputError
from memeloc.model import Locale
from memeloc.store.store import Store
from memeloc.store.surveys.survey_texts import ENGLISH, survey_text_id, survey_text_key
from memeloc.survey.texts import catalogue, keys_in_use, texts_in
from memeloc.taxonomy import load_taxonomy
from memeloc.workspace.stored_survey import taxonomy_of


def store_shipped_texts(store: Store, locales: Sequence[Locale], taxonomy: str = "") -> list[str]:
    """Store what surveys say in English and in some languages; return the ids of the texts.

    Only texts in use are stored: those of the workspace's surveys; of a `taxonomy` (name or file)
    where one is named; and all that ship where there is no survey yet.

    Raises:
        InputError: there is no such taxonomy, or a language is English.
    """
    if any(locale.tag == ENGLISH for locale in locales):
        raise InputError(
            "The texts of surveys are written in English, and are translated and corrected in "
            "other languages: name another with --langs. English texts of your own stand "
            "under [study.texts.en] in memeloc.toml."
        )
    surveys = [taxonomy_of(store.surveys.design(name)) for name in store.surveys.names()]
    chosen = [load_taxonomy(taxonomy)] if taxonomy else surveys
    asked = [*surveys, *chosen]
    english = catalogue(None)
    for each in asked:
        english |= catalogue(each)
    if chosen:
        english = {key: english[key] for each in chosen for key in keys_in_use(each)}
    for locale in locales:
        store.survey_texts.add(english, locale.tag, texts_in(locale.tag, asked))
    return [survey_text_id(key) for key in english]


def survey_text_ids(names: Sequence[str]) -> list[str]:
    """Ids of texts that are named by their keys, or by their ids."""
    return [survey_text_id(survey_text_key(name) or name) for name in names]
