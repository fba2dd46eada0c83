"""Names of people, sheets, entries and labels in files. In: texts of a file. Out: the survey's ids.

Programs whose annotators see what items are called are given an `item_key` for each entry: an
entry's own id would tell which ones are attention checks.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from memeloc.survey.model import Entry, Sheet, entry_id
from memeloc.survey.texts import SurveyTexts, TaxonomyTexts
from memeloc.tables import folded
from memeloc.tables.column_map import MISSING, whole_number
from memeloc.taxonomy import Taxonomy

CONSENT = "consent"
"""The question, and the item of a `RawAnswer`, that says whether somebody agrees to take part."""
_REFUSALS = {CONSENT: ("no", "2"), "status": ("no consent",)}
"""What stands for declining under the heading for consent, and for how a submission ended."""
NO_VALUE = frozenset({*MISSING, "none", "-99"})
"""What programs write where nothing was answered, folded; -99 is Qualtrics'."""
NOT_TICKED = NO_VALUE | {"", "0", "false"}
_ROUNDED = re.compile(r"\d+([.,]\d+)?E\+\d+", re.IGNORECASE)
_PROLIFIC = re.compile(r"([0-9a-f]{24})(?:@email\.prolific\.com?)?")
"""An id of Prolific's, or the address under which Prolific passes mail on to that person."""
_AROUND = re.compile(r"[\s'\"“”„‘’«»`<>]")
_LONGEST_ID = 200
"""Characters of a cell that may be an id with what was typed around it."""
_NUMBERED = re.compile(
    r"(?:annotator|rater|coder|person|participant|worker)?[ ._#-]*\d{1,5}",
    re.IGNORECASE,
)
IDS = ("culture", "file", "everybody")
"""Among whom such a number is one person."""
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@.]{2,}")


@lru_cache(maxsize=1 << 14)  # a person's rows stand beside one another
def clean_id(text: str) -> str:
    """Return a participant's id without what copying and typing bring along.

    White space and quotation marks around it go, and the `.0` of a number; of 24 hexadecimal
    digits, as Prolific's ids are, also white space and capitals within, a final dot, and the domain
    of their mail. A program's word for no value is none.

    >>> clean_id(' "5F9E1C 0a2b3c4d5e6f708192@email.prolific.com". '), clean_id("Ada B.")
    ('5f9e1c0a2b3c4d5e6f708192', 'Ada B.')
    """
    if not text.isprintable():
        text = "".join(letter for letter in text if letter.isprintable() or letter.isspace())
    typed = _AROUND.sub("", text).rstrip(".,;").casefold() if len(text) < _LONGEST_ID else ""
    if match := _PROLIFIC.fullmatch(typed):
        return match[1]
    whole = whole_number(text.strip().strip("'\"").strip())
    return "" if whole.casefold() in NO_VALUE else whole


def is_numbered(participant: str) -> bool:
    """Return whether an id is a number that a lab or a program gave its people: `3`, `rater 3`."""
    return bool(_NUMBERED.fullmatch(participant))


def owned_id(participant: str, ids: str, culture: str, file: str) -> str:
    """Return an id as it is among all people, where numbers belong to a culture or a file.

    >>> owned_id("3", "culture", "DE", "lab"), owned_id("3", "everybody", "DE", "lab")
    ('DE-3', '3')
    """
    owner = {"culture": culture, "file": file}.get(ids, "")
    return f"{owner}-{participant}" if owner and is_numbered(participant) else participant


def id_problem(participant: str, *, has_team: bool = False) -> str:
    """Return why a text is no id of a person, as a sentence; empty if it may be one. An e-mail
    address is none, but in a survey that `has_team`, whose people it may be listed by."""
    text = participant.strip()
    if "+" in text and _ROUNDED.fullmatch(text):
        return (
            f"The participant's id {text[:60]!r} is a number that a spreadsheet rounded; take the "
            "file as it was given out."
        )
    if "@" in text and not has_team and _EMAIL.fullmatch(clean_id(text)):
        return (
            "An e-mail address stands where the participant's id should be; addresses are no ids, "
            "and the same person may have several: put the id that the service or you gave them."
        )
    return ""


def item_key(survey: str, sheet: str, entry: str) -> str:
    """Return what an entry of a sheet is called where annotators see it; it tells nothing of it. It
    begins with a letter, so no spreadsheet takes it for a number."""
    whole = "\n".join((survey, sheet, entry)).encode("utf-8", "backslashreplace")
    return f"i{hashlib.blake2b(whole, digest_size=6).hexdigest()}"


class Place(NamedTuple):
    """An entry of a sheet: its number, from 0, and its id."""

    sheet: Sheet
    entry: Entry
    number: int
    id: str


class Places:
    """A survey's sheets, entries and answers by what a file calls them. `texts` are by locale tag;
    answers are found by id, or by name in the sheet's language."""

    def __init__(
        self,
        survey: str,
        sheets: Iterable[Sheet],
        taxonomy: Taxonomy,
        texts: Mapping[str, SurveyTexts],
    ) -> None:
        self._sheets = {sheet.id: sheet for sheet in sheets}
        self._places: dict[str | tuple[str, str], Place] = {}
        for sheet in self._sheets.values():
            for number, entry in enumerate(sheet.entries):
                place = Place(sheet, entry, number, entry_id(entry))
                self._places[item_key(survey, sheet.id, place.id)] = place
                self._places[sheet.id, place.id] = place
        self._names: dict[str, dict[str, dict[str, str]]] = {}
        for tag, language in texts.items():
            consent = {answer: language.get(f"consent.{answer}") for answer in ("yes", "no")}
            answers = TaxonomyTexts(language, taxonomy).answers | {CONSENT: consent}
            # An id goes before a name that reads the same.
            self._names[tag] = {
                question: {folded(name): id for id, name in names.items()}
                | {folded(id): id for id in names}
                for question, names in answers.items()
            }
        self._refusals = {folded(language.get("consent.no")) for language in texts.values()}

    def sheet(self, name: str) -> Sheet | None:
        return self._sheets.get(name.strip())

    def item(self, name: str, sheet: str = "") -> Place | None:
        """Return the entry of an item's key, or of an entry's id and its sheet's."""
        name = name.strip()
        return self._places.get(name) or self._places.get((sheet.strip(), name))

    def answer(self, sheet: Sheet, question: str, text: str) -> str | None:
        """Return the id of an answer to the question of that id; None if it is none of its. A whole
        number that a program made a float, `1.0`, is that number."""
        names = self._names[sheet.culture.locale.tag].get(question, {})
        key = folded(text)
        return names.get(key) or names.get(whole_number(key))

    def consent(self, sheet: Sheet, text: str) -> bool | None:
        """Return whether a text agrees to take part; None when it says neither."""
        return {"yes": True, "no": False}.get(self.answer(sheet, CONSENT, text) or "")

    def declines(self, content: Any, key: str = "") -> bool:
        """Return whether what a file has, as JSON values, says somewhere that a person declined."""
        if isinstance(content, Mapping):
            return any(self.declines(value, str(name)) for name, value in content.items())
        if isinstance(content, list | tuple):
            return any(self.declines(value, key) for value in content)
        if not isinstance(content, str):
            return content is False and folded(key) == CONSENT
        text = folded(content)
        return text in self._refusals or text in _REFUSALS.get(folded(key), ())


def is_ticked(cell: str) -> bool:
    """Return whether a cell of a column that stands for one choice says that it was chosen.

    >>> [is_ticked(cell) for cell in ("1", "1.0", "Women", "0", "0.0", "-99", "NaN", "")]
    [True, True, True, False, False, False, False, False]
    """
    return folded(whole_number(cell)) not in NOT_TICKED
