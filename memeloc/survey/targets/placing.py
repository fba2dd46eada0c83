"""What is written in a file of answers. In: words from outside. Out: ids of the survey.

Programs whose annotators see how their items are called are given an `item_key` for each entry: an
entry's own id would tell which ones are attention checks.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Self, TypeVar

from memeloc.survey.model import Entry, Sheet, entry_id
from memeloc.survey.targets.protocol import SurveyPack

T = TypeVar("T")

_REMEMBERED = 4
_LONG = 1000
"""Characters of words that are not worth remembering: no label is as long."""
_remembered: list[tuple[SurveyPack, Callable[[SurveyPack], Any], Any]] = []


def item_key(survey: str, sheet: str, entry: str) -> str:
    """What an entry of a sheet is called where annotators see it; it tells nothing of the entry.

    It begins with a letter, so no spreadsheet takes it for a number.
    """
    whole = "\n".join((survey, sheet, entry)).encode("utf-8", "backslashreplace")
    return f"i{hashlib.blake2b(whole, digest_size=6).hexdigest()}"


def submission_id(*parts: str) -> str:
    """The id of a submission that has none of its own, made of what it says."""
    whole = "\n".join(parts).encode("utf-8", "backslashreplace")
    return hashlib.sha256(whole).hexdigest()[:32]


LONGEST_ID = 200
"""Characters of a participant's id; what is longer is a cell that swallowed others."""

_MANGLED = re.compile(r"\d+([.,]\d+)?E\+\d+", re.IGNORECASE)
_COMPUTES = ("=", "+", "@")


def unclear_id(who: str, *, typed: bool = True) -> str:
    """Why a participant's id cannot be what was meant, as a sentence; empty when it can.

    Args:
        who: the id, with no white space at its ends.
        typed: whether it went through a spreadsheet, which computes and rounds.

    >>> unclear_id("5e8481234567890123456701"), unclear_id("5.9E+23")[:30]
    ('', "The participant's id '5.9E+23'")
    """
    if len(who) > LONGEST_ID or any(mark in who for mark in "\n\r\x00"):
        return (
            f"The participant's id {who[:30]!r} is longer than an id, or has lines; look for a "
            "quotation mark that is not closed."
        )
    if "\ufffd" in who:
        return (
            f"The participant's id {who[:60]!r} has letters that could not be read; save the file "
            "in UTF-8."
        )
    if typed and (who.startswith(_COMPUTES) or _MANGLED.fullmatch(who)):
        return (
            f"The participant's id {who[:60]!r} is a formula or a number that a spreadsheet made "
            "of it; take the file as it was given out."
        )
    return ""


DECLINED = (
    "no consent",
    "This person did not agree to take part; what was answered all the same is not kept.",
)
"""The reason and the message of answers of somebody who declined."""

NOT_ASKED = "not asked"
"""The reason of an answer to the second question after a label that does not lead to it."""


def declined_content(sheet: str, answers: int) -> dict[str, Any]:
    """What is kept of the answers of somebody who declined: how many there were."""
    return {"sheet": sheet, "answers": answers}


def not_asked(entry: str, label: str) -> str:
    """The message of an answer to the second question that was not asked."""
    return f"{entry}: the second question is not asked after {label!r}; its answer is left out."


def once(make: Callable[[SurveyPack], T], pack: SurveyPack) -> T:
    """What `make` makes of a pack; the same again for the next file of an import.

    Thousands of files may come back, and each is read by itself. What was wanted last is
    remembered, for a few packs.
    """
    for place, (known, maker, made) in enumerate(_remembered):
        if known is pack and maker is make:
            _remembered.append(_remembered.pop(place))
            found: T = made
            return found
    found = make(pack)
    _remembered.append((pack, make, found))
    del _remembered[:-_REMEMBERED]
    return found


class Places:
    """Finds sheets, entries and labels by what a file calls them."""

    @classmethod
    def of(cls, pack: SurveyPack) -> Self:
        """Those of a pack, made once for all files of an import."""
        return once(cls, pack)

    def __init__(self, pack: SurveyPack) -> None:
        self._sheets = {sheet.id: sheet for sheet in pack.sheets}
        self._items: dict[str, tuple[Sheet, Entry]] = {}
        self._entries: dict[tuple[str, str], Entry] = {}
        for sheet in pack.sheets:
            for entry in sheet.entries:
                name = entry_id(entry)
                self._items[item_key(pack.name, sheet.id, name)] = (sheet, entry)
                self._entries[sheet.id, name] = entry
        self._labels: dict[str, dict[str, str]] = {}
        self._seconds: dict[str, dict[str, str]] = {}
        self._consents: dict[str, dict[str, bool]] = {}
        self._when = pack.taxonomy.second.when if pack.taxonomy.second else ()
        for tag, texts in pack.texts.items():
            before = f"taxonomy.{pack.taxonomy.name}"
            self._labels[tag] = _by_word(
                (one.id, texts.get(f"{before}.label.{one.id}.name")) for one in pack.taxonomy.labels
            )
            second = pack.taxonomy.second
            self._seconds[tag] = (
                _by_word(
                    (one, texts.get(f"{before}.second.{second.id}.answer.{one}"))
                    for one in second.answers
                )
                if second
                else {}
            )
            self._consents[tag] = {
                _plain(texts.get("consent.yes")): True,
                _plain(texts.get("consent.no")): False,
                "yes": True,
                "no": False,
            }

    def sheet(self, name: str) -> Sheet | None:
        """The sheet of that id."""
        return self._sheets.get(name.strip())

    def item(self, name: str, sheet: str = "") -> tuple[Sheet, Entry] | None:
        """The entry that an item's key, or an entry's id and a sheet's, stand for."""
        found = self._items.get(name.strip())
        if found is not None:
            return found
        entry = self._entries.get((sheet.strip(), name.strip()))
        return None if entry is None else (self._sheets[sheet.strip()], entry)

    def label(self, sheet: Sheet, words: str) -> str | None:
        """The label that an id, or a name in the sheet's language, stands for."""
        return self._labels[sheet.culture.locale.tag].get(_plain(words))

    def second(self, sheet: Sheet, words: str) -> str | None:
        """The answer to the second question that an id, or its name, stands for."""
        return self._seconds[sheet.culture.locale.tag].get(_plain(words))

    def asked(self, label: str) -> bool:
        """Whether the second question is asked after a label."""
        return label in self._when

    def consent(self, sheet: Sheet, words: str) -> bool | None:
        """Whether words agree to take part; None when they say neither."""
        return self._consents[sheet.culture.locale.tag].get(_plain(words))


def _by_word(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Ids by their names and by themselves; an id goes before a name that reads the same."""
    listed = list(pairs)
    return {_plain(name): one for one, name in listed} | {_plain(one): one for one, _ in listed}


def _plain(words: str) -> str:
    """Words as they are compared: whatever case, white space, apostrophes and width."""
    return _folded(words) if len(words) > _LONG else _remembered_plain(words)


@lru_cache(maxsize=1 << 14)
def _remembered_plain(words: str) -> str:
    return _folded(words)


def _folded(words: str) -> str:
    folded = unicodedata.normalize("NFKC", words).casefold().replace("\u2019", "'")
    return " ".join(folded.split()).rstrip(".")
