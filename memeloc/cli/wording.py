"""The words of surveys, for `correct` and `translate`. In: what ships. Out: texts in the workspace.

Texts are stored when they are asked for, so that a newer memeloc's become newer versions. It prints
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memeloc.model import Locale
    from memeloc.store import Workspace
    from memeloc.survey.taxonomy import Taxonomy

_OF_TAXONOMIES = "taxonomy."


def bring_survey_texts(
    workspace: Workspace, locales: Sequence[Locale], taxonomy: str = ""
) -> list[str]:
    """Store what surveys say in English and in some languages; the ids of the texts.

    They are those that memeloc ships, and those of the workspace's surveys that have a taxonomy of
    their own.

    Args:
        workspace: where to.
        locales: languages besides English.
        taxonomy: the name or file of one; only its texts and those of every survey are given.

    Raises:
        InputError: there is no such taxonomy, or a language is English.
    """
    from memeloc.errors import InputError
    from memeloc.store.survey_texts import ENGLISH, survey_text_id
    from memeloc.survey.taxonomy import load_taxonomy
    from memeloc.survey.texts import catalogue

    if any(locale.tag == ENGLISH for locale in locales):
        raise InputError(
            "The texts of surveys are written in English, and are translated and corrected in "
            "other languages: name another with --lang or --langs."
        )
    chosen = load_taxonomy(taxonomy) if taxonomy else None
    own = [*_own_taxonomies(workspace), *([chosen] if chosen else [])]
    english: dict[str, str] = {}
    for one in (None, *own):
        english |= catalogue(one)
    for locale in locales:
        workspace.add_survey_texts(english, locale.tag, _shipped(locale, own))
    wanted = set(english) if chosen is None else set(chosen.keys())
    return [
        survey_text_id(key)
        for key in english
        if key in wanted or not key.startswith(_OF_TAXONOMIES)
    ]


def survey_text_ids(names: Sequence[str]) -> list[str]:
    """Ids of texts that are named by their keys, or by their ids."""
    from memeloc.store.survey_texts import survey_text_id, survey_text_key

    return [survey_text_id(survey_text_key(name) or name) for name in names]


def _own_taxonomies(workspace: Workspace) -> Iterator[Taxonomy]:
    """Of the workspace's surveys, those that are not memeloc's."""
    from memeloc.cli.surveying import load_survey

    for name in workspace.surveys():
        if workspace.survey_design(name).get("taxonomy_toml"):
            yield load_survey(workspace, name).taxonomy


def _shipped(locale: Locale, taxonomies: Sequence[Taxonomy]) -> dict[str, str]:
    """What there is in a language itself, without English in its place."""
    from memeloc.survey.texts import shipped_languages, shipped_texts

    tag = _nearest(locale.tag, shipped_languages())
    found = dict(shipped_texts(tag)) if tag else {}
    for one in taxonomies:
        texts: Mapping[str, Mapping[str, str]] = one.texts
        if tag := _nearest(locale.tag, tuple(texts)):
            found |= texts[tag]
    return found


def _nearest(tag: str, tags: Sequence[str]) -> str:
    """The tag or the longest beginning of it that is there; empty when none is."""
    while tag and tag not in tags:
        tag = tag.rpartition("-")[0]
    return tag
