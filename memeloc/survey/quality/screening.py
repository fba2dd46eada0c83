"""Screening by culture. In: what a recruitment service says. Out: which facts differ.

A fact speaks against a person only when it names another country or language; what is not known, or
not understood, is reported apart.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from memeloc.locales import default
from memeloc.model import Locale
from memeloc.survey.model import Culture, Participant
from memeloc.survey.quality.rules import Screening

_NO_FACT = frozenset(
    {
        "", "consent revoked", "data expired", "prefer not to say", "prefer-not", "rather not say",
        "not applicable", "n/a",
    }
)  # fmt: skip


class Screened(NamedTuple):
    """By fact, values that name something else than the person's culture, and those that name
    nothing known; and the facts that are missing."""

    differing: Mapping[str, str]
    missing: tuple[str, ...]
    unclear: Mapping[str, str]


def screen(people: Sequence[Participant], culture: Culture, rule: Screening) -> Screened:
    """Compare all that services say of a person with the culture whose sheet was filled; a later
    row's fact goes before an earlier's."""
    facts = {
        name: value
        for person in people
        for name, value in person.facts.items()
        if _plain(value).replace("_", " ") not in _NO_FACT
    }
    if culture.second is None:
        names: list[str] = [fact for fact in rule.facts if fact != "residence" or culture.resident]
    else:
        names = [fact for fact in rule.facts if fact not in ("nationality", "most_of_life")]
        names += ["fluent_languages"] if "first_language" in names else []
    asked = (*names, *rule.others)
    fits = {fact: _fits(fact, facts, culture, rule) for fact in asked if fact in facts}
    return Screened(
        {fact: facts[fact][:200] for fact, fit in fits.items() if fit is False},
        tuple(fact for fact in asked if fact not in facts),
        {fact: facts[fact][:200] for fact, fit in fits.items() if fit is None},
    )


def _fits(fact: str, facts: Mapping[str, str], culture: Culture, rule: Screening) -> bool | None:
    """Return whether a person's fact is the culture's; None when it names nothing known."""
    values = _parts(facts[fact])
    if fact in rule.others:
        return bool(values & set(map(_plain, rule.others[fact])))
    if fact == "most_of_life" and values <= {"yes", "no"}:  # as the sheet itself asks for it
        return values <= {"yes"}
    locales = [locale for locale in (culture.locale, culture.second) if locale is not None]
    languages = [_language(locale, rule) for locale in locales]
    if fact == "fluent_languages":
        spoken = values | _parts(facts.get("first_language", ""))
        return all(spoken & language for language in languages)
    if fact == "first_language":
        known_names, names = _languages(), frozenset[str]().union(*languages)
    else:
        known_names = frozenset(_codes())
        code = culture.residence if fact == "residence" else culture.country
        country_names = (code, *_places()["countries"].get(code, ()), *rule.countries.get(code, ()))
        names = frozenset(map(_plain, country_names))
    if values & names:
        return True
    return False if values & known_names else None


def _parts(value: str) -> frozenset[str]:
    parts = [value, *re.split(r"[;|/]|,(?!\s*(?:South|North|Republic)\b)", value)]
    return frozenset(_plain(part) for part in parts if part.strip())


def _language(locale: Locale, rule: Screening) -> frozenset[str]:
    names = (
        *(locale.tag, locale.tag.split("-")[0], locale.name, locale.name.split(" (")[0]),
        *(locale.native_name, locale.recruitment, *rule.languages.get(locale.tag, ())),
    )
    return frozenset(_plain(name) for name in names if name)


@lru_cache(10_000)
def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold().replace("\u2019", "'")
    return " ".join("".join(char for char in folded if not unicodedata.combining(char)).split())


@cache
def _places() -> Mapping[str, Mapping[str, Sequence[str]]]:
    places: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(
        (Path(__file__).parent / "places.json").read_text(encoding="utf-8")
    )
    return places


def country_code(name: str) -> str:
    """Return the ISO 3166-1 code of a country by its code or one of its names; else an empty text.

    >>> country_code("de"), country_code("Mexico"), country_code("Atlantis")
    ('DE', 'MX', '')
    """
    return _codes().get(_plain(name), "")


@cache
def _codes() -> Mapping[str, str]:
    countries = _places()["countries"]
    return {_plain(name): code for code in countries for name in (*countries[code], code)}


@cache
def _languages() -> frozenset[str]:
    shipped = [(locale.tag, locale.name, locale.recruitment) for locale in default()]
    return frozenset(_plain(name) for names in (_places()["languages"], *shipped) for name in names)


def culture_name(culture: Culture) -> str:
    """Return the English name of a culture's country, and of bicultural people's other one."""
    import icu  # only here: it takes long to load

    english = icu.Locale("en")
    codes = dict.fromkeys((culture.country, culture.residence))
    names = [icu.Locale("und", code).getDisplayCountry(english) or code for code in codes]
    return " and ".join(names)
