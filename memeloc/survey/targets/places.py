"""Where an answer belongs. In: what a file calls sheets, entries and labels. Out: the survey's ids.

Programs whose annotators see what items are called are given an `item_key` for each entry: an
entry's own id would tell which ones are attention checks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from memeloc.survey.model import Entry, Sheet, entry_id
from memeloc.survey.texts import SurveyTexts, TaxonomyTexts
from memeloc.tables import folded
from memeloc.taxonomy import LABEL, Taxonomy

_REFUSALS = {"consent": ("no", "2"), "status": ("no consent",)}
"""What stands for declining under the heading for consent, and for how a submission ended."""


def item_key(survey: str, sheet: str, entry: str) -> str:
    """What an entry of a sheet is called where annotators see it; it tells nothing of the entry.

    It begins with a letter, so no spreadsheet takes it for a number.
    """
    whole = "\n".join((survey, sheet, entry)).encode("utf-8", "backslashreplace")
    return f"i{hashlib.blake2b(whole, digest_size=6).hexdigest()}"


class Place(NamedTuple):
    """An entry of a sheet: its number, from 0, and its id."""

    sheet: Sheet
    entry: Entry
    number: int
    id: str


class Places:
    """Finds a survey's sheets, entries and labels by what a file calls them.

    `texts` are by locale tag; labels and answers are found by id, or name in the sheet's language.
    """

    def __init__(
        self,
        survey: str,
        sheets: Iterable[Sheet],
        taxonomy: Taxonomy,
        texts: Mapping[str, SurveyTexts],
    ) -> None:
        self._sheets = {sheet.id: sheet for sheet in sheets}
        self._items: dict[str, Place] = {}
        self._entries: dict[tuple[str, str], Place] = {}
        for sheet in self._sheets.values():
            for number, entry in enumerate(sheet.entries):
                place = Place(sheet, entry, number, entry_id(entry))
                self._items[item_key(survey, sheet.id, place.id)] = place
                self._entries[sheet.id, place.id] = place
        self.taxonomy = taxonomy
        self._answers: dict[str, dict[str, dict[str, str]]] = {}
        self._consents: dict[str, dict[str, str]] = {}
        for tag, language in texts.items():
            shown = TaxonomyTexts(language, taxonomy)
            consents = {answer: language.get(f"consent.{answer}") for answer in ("yes", "no")}
            self._answers[tag] = {
                question: _by_text(names) for question, names in shown.answers.items()
            }
            self._consents[tag] = _by_text(consents)
        self._refusals = {folded(language.get("consent.no")) for language in texts.values()}

    def sheet(self, name: str) -> Sheet | None:
        """The sheet of that id."""
        return self._sheets.get(name.strip())

    def item(self, name: str, sheet: str = "") -> Place | None:
        """The entry of an item's key, or of an entry's id and its sheet's."""
        name = name.strip()
        return self._items.get(name) or self._entries.get((sheet.strip(), name))

    def label(self, sheet: Sheet, text: str) -> str | None:
        """The id of a label."""
        return self.answer(sheet, LABEL, text)

    def answer(self, sheet: Sheet, question: str, text: str) -> str | None:
        """The id of an answer to the question of that id; None if it is none to choose from."""
        return self._answers[sheet.culture.locale.tag].get(question, {}).get(folded(text))

    def consent(self, sheet: Sheet, text: str) -> bool | None:
        """Whether a text agrees to take part; None when it says neither."""
        answer = self._consents[sheet.culture.locale.tag].get(folded(text))
        return None if answer is None else answer == "yes"

    def declines(self, content: Any, key: str = "") -> bool:
        """Whether what a file has, as JSON values, says somewhere that its person declined."""
        if isinstance(content, Mapping):
            return any(self.declines(value, str(name)) for name, value in content.items())
        if isinstance(content, list | tuple):
            return any(self.declines(value, key) for value in content)
        if not isinstance(content, str):
            return content is False and folded(key) == "consent"
        text = folded(content)
        return text in self._refusals or text in _REFUSALS.get(folded(key), ())


def _by_text(names: Mapping[str, str]) -> dict[str, str]:
    """Ids by their names and by themselves; an id goes before a name that reads the same."""
    return {folded(name): own for own, name in names.items()} | {folded(own): own for own in names}
