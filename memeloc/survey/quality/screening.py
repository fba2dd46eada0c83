"""Whether a person is of a culture. In: what a recruitment service says. Out: which facts differ.

A fact speaks against a person only when it names another country or language; what is not known, or
not understood, is told apart.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memeloc.locales import default
from memeloc.survey.model import Culture, Participant
from memeloc.survey.quality.rules import Screening

_PLACES = Path(__file__).parent / "places.json"
_NO_FACT = frozenset(
    {
        "", "consent revoked", "data expired", "prefer not to say", "rather not say",
        "not applicable", "n/a",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Screened:
    """What a person's facts say of their culture.

    Attributes:
        differing: by fact, the value that names something else.
        missing: the facts that are not known.
        unclear: by fact, a value that names nothing known.
    """

    differing: Mapping[str, str]
    missing: tuple[str, ...]
    unclear: Mapping[str, str]


def screen(people: Sequence[Participant], culture: Culture, rule: Screening) -> Screened:
    """Compare what is known of a person with a culture.

    Args:
        people: all that services say of one person; a later row's fact goes before an earlier's.
        culture: whose sheet was filled.
        rule: which facts count.
    """
    facts = {name: value for one in people for name, value in one.facts.items() if _known(value)}
    differing: dict[str, str] = {}
    unclear: dict[str, str] = {}
    missing: list[str] = []
    for fact in (*rule.facts, *rule.others):
        if fact == "residence" and not culture.resident:
            continue
        value = facts.get(fact, "")
        if not value:
            missing.append(fact)
            continue
        fits = _fits(fact, value, culture, rule)
        if fits is None:
            unclear[fact] = value[:200]
        elif not fits:
            differing[fact] = value[:200]
    return Screened(differing, tuple(missing), unclear)


def country_of(name: str) -> str:
    """A country's ISO 3166-1 alpha-2 code by its English name or code; empty when it is unknown.

    >>> country_of("Korea, South"), country_of("de"), country_of("Florp")
    ('KR', 'DE', '')
    """
    return _countries().get(_plain(name), "")


def _fits(fact: str, value: str, culture: Culture, rule: Screening) -> bool | None:
    """Whether a value is the culture's; None when it cannot be told."""
    whole = [value, *re.split(r"[;|/]|,(?!\s*(?:South|North|Republic)\b)", value)]
    values = {_plain(one) for one in whole if one.strip()}
    if fact in rule.others:
        return bool(values & {_plain(one) for one in rule.others[fact]})
    if fact == "first_language":
        locale = culture.locale
        names = {
            locale.tag,
            locale.tag.split("-")[0],
            locale.name,
            locale.name.split(" (")[0],
            locale.native_name,
            locale.recruitment,
            *rule.languages.get(locale.tag, ()),
        }
        if values & {_plain(name) for name in names}:
            return True
        return False if values & _languages() else None
    if values & {_plain(name) for name in (culture.code, *rule.countries.get(culture.code, ()))}:
        return True
    codes = {code for one in whole if (code := country_of(one))}
    return None if not codes else culture.code in codes


def _known(value: object) -> bool:
    return isinstance(value, str) and _plain(value).replace("_", " ") not in _NO_FACT


def _plain(words: str) -> str:
    folded = unicodedata.normalize("NFKD", words).casefold().replace("\u2019", "'")
    return " ".join("".join(one for one in folded if not unicodedata.combining(one)).split())


@cache
def _countries() -> dict[str, str]:
    names: dict[str, list[str]] = json.loads(_PLACES.read_text(encoding="utf-8"))["countries"]
    codes = {_plain(name): code for code, spellings in names.items() for name in spellings}
    return codes | {_plain(code): code for code in names}


@cache
def _languages() -> frozenset[str]:
    names: list[str] = json.loads(_PLACES.read_text(encoding="utf-8"))["languages"]
    shipped = [name for one in default() for name in (one.tag, one.name, one.recruitment)]
    return frozenset(_plain(name) for name in (*names, *shipped) if name)
