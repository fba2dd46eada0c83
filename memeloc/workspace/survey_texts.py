"""The texts of surveys, for correcting and translating. In: what ships. Out: texts in the store.

Texts are stored when they are asked for, so that a newer memeloc's become newer versions.
"""

from __future__ import annotations

from collections.abc import Sequence

from memeloc.errors import InputError
from memeloc.model import Locale
from memeloc.store.store import Store
from memeloc.store.surveys.survey_texts import ENGLISH, survey_text_id, survey_text_key
from memeloc.survey.texts import catalogue, texts_in
from memeloc.taxonomy import load_taxonomy, parse_taxonomy

_OF_TAXONOMIES = "taxonomy."


def store_shipped_texts(store: Store, locales: Sequence[Locale], taxonomy: str = "") -> list[str]:
    """Store what surveys say in English and in some languages; the ids of the texts.

    They are those that memeloc ships, and those of the workspace's surveys that have a taxonomy of
    their own. Of a `taxonomy` (name or file), only its texts and those of every survey are given.

    Raises:
        InputError: there is no such taxonomy, or a language is English.
    """
    if any(locale.tag == ENGLISH for locale in locales):
        raise InputError(
            "The texts of surveys are written in English, and are translated and corrected in "
            "other languages: name another with --langs. English texts of your own stand "
            "under [study.texts.en] in memeloc.toml."
        )
    chosen = load_taxonomy(taxonomy) if taxonomy else None
    designs = [store.surveys.design(name) for name in store.surveys.names()]
    tomls = [design["taxonomy_toml"] for design in designs if design.get("taxonomy_toml")]
    own = [*map(parse_taxonomy, tomls), *([chosen] if chosen else [])]
    english = catalogue(None)
    for each in own:
        english |= catalogue(each)
    for locale in locales:
        store.survey_texts.add(english, locale.tag, texts_in(locale.tag, own))
    wanted = set(english) if chosen is None else set(chosen.keys())
    return [
        survey_text_id(key)
        for key in english
        if key in wanted or not key.startswith(_OF_TAXONOMIES)
    ]


def survey_text_ids(names: Sequence[str]) -> list[str]:
    """Ids of texts that are named by their keys, or by their ids."""
    return [survey_text_id(survey_text_key(name) or name) for name in names]
