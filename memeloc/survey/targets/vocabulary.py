"""A survey's own words. In: packs. Out: every text that a file can have of the survey itself.

Whatever else stands in a file was typed by somebody, and may say who they are.
"""

from __future__ import annotations

from collections.abc import Iterable

from memeloc.survey.model import entry_id
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.tables import folded


def own_words(packs: Iterable[SurveyPack]) -> frozenset[str]:
    """Ids and texts of surveys, as `folded`."""
    return frozenset(map(folded, {text for pack in packs for text in _texts(pack)}))


def _texts(pack: SurveyPack) -> Iterable[str]:
    yield pack.name
    for sheet in pack.sheets:
        yield from (sheet.id, sheet.batch, sheet.culture.code)
        for own in map(entry_id, sheet.entries):
            yield own
            yield item_key(pack.name, sheet.id, own)
    for key in pack.taxonomy.keys():  # noqa: SIM118 - not a mapping
        yield from key.split(".")
    for texts in pack.texts.values():
        yield from map(texts.get, texts.keys())
