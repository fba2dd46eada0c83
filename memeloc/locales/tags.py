"""Tags and scripts. In: a BCP 47 tag as people write it, a text. Out: what it matches, its scripts.

Matching is RFC 4647 lookup (cut subtags from the end until something is found) with CLDR's aliases
(`iw` is `he`, `deu` is `de`) and likely scripts (UTS #35 part 1, "Likely Subtags"): `zh-TW` asks
for Traditional letters, and a tag never finds a locale of another script.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from memeloc.model import Locale

DATA = Path(__file__).parent / "data"

_WELL_FORMED = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_ENCODING = re.compile(r"\.[A-Za-z0-9-]+$")
_PARTS = {
    "Jpan": ("Hira", "Kana", "Hrkt", "Hani"),
    "Kore": ("Hang", "Hani"),
    "Hans": ("Hani",),
    "Hant": ("Hani", "Hanb", "Bopo"),
    "Arab": ("Aran",),
}
"""ISO 15924's codes for mixtures of scripts, and for what they are mixed of."""

_ALIASES = {"no": "nb", "nor": "nb"}
"""Added to CLDR's: Norwegian as it is mostly written is Bokmål."""


def listed_tags(languages: str | Iterable[str]) -> list[str]:
    """Return tags as a caller gives them: one, several with commas between, or a sequence of them.

    >>> listed_tags("de"), listed_tags("de, hi"), listed_tags(("de", "hi"))
    (['de'], ['de', 'hi'], ['de', 'hi'])
    """
    if isinstance(languages, str):
        return [tag.strip() for tag in languages.split(",") if tag.strip()]
    return list(languages)


@cache
def cldr(name: str) -> dict[str, dict[str, str]]:
    """Return the tables of a file of data/, which tools/make_exemplars.py makes of CLDR's."""
    tables: dict[str, dict[str, str]] = json.loads((DATA / f"{name}.json").read_text("utf-8"))
    return tables


def is_well_formed(tag: str) -> bool:
    """Return whether `tag` is shaped as BCP 47's: a language of 2 to 8 letters, then subtags."""
    return _WELL_FORMED.fullmatch(tag) is not None


def canonical(tag: str) -> str:
    """Return the tag in its usual letters, with `-`, without encoding, an old code replaced.

    What is not well-formed comes back stripped and otherwise as it is.

    >>> canonical("ZH_hant_tw"), canonical("iw"), canonical("de_DE.UTF-8")
    ('zh-Hant-TW', 'he', 'de-DE')
    """
    tag = tag.strip()
    plain = _ENCODING.sub("", tag).replace("_", "-")
    if not is_well_formed(plain):
        return tag
    language, *rest = plain.split("-")
    language = _ALIASES.get(language.lower(), language.lower())
    replaced = cldr("subtags")["aliases"].get(language, language).split("-")
    subtags = [_usual_case(subtag) for subtag in rest]
    if len(replaced) > 1 and subtags and len(subtags[0]) in (len(replaced[1]), 4):
        del replaced[1:]  # `sh-Cyrl` says itself what the alias `sr-Latn` would add
    return "-".join([*replaced, *subtags])


def _usual_case(subtag: str) -> str:
    if len(subtag) == 4 and subtag.isalpha():
        return subtag.title()
    return subtag.upper() if len(subtag) == 2 else subtag.lower()


def script_of(tag: str) -> str:
    """Return the ISO 15924 code that a canonical tag asks for; empty when CLDR has none.

    >>> script_of("zh-TW"), script_of("sr-Latn"), script_of("de-AT")
    ('Hant', 'Latn', 'Latn')
    """
    language, *rest = tag.split("-")
    if rest and len(rest[0]) == 4 and rest[0].isalpha():
        return rest[0]
    tables = cldr("subtags")
    by_region = tables["regions"].get(f"{language}-{rest[0]}") if rest else None
    return by_region or tables["scripts"].get(language, "")


def candidates(tag: str) -> list[str]:
    """Return the tags to look for in turn, for a canonical tag: itself and what it falls back to.

    >>> candidates("zh-TW")
    ['zh-TW', 'zh-Hant-TW', 'zh-Hant', 'zh']
    """
    language, *rest = tag.split("-")
    script = script_of(tag)
    if rest and rest[0] == script:
        del rest[0]
    tags = [tag]
    for end in range(len(rest), -1, -1):
        # RFC 4647 section 3.4: a single letter is cut with what it introduced.
        if end == len(rest) or not (end and len(rest[end - 1]) == 1):
            tags += ["-".join([language, script, *rest[:end]])] if script else []
            tags.append("-".join([language, *rest[:end]]))
    return list(dict.fromkeys(tags))


def scripts_agree(wanted: str, script: str) -> bool:
    """Return whether a locale in `script` serves a tag that asks for `wanted`, or for nothing.

    >>> scripts_agree("Hang", "Kore"), scripts_agree("Latn", "Cyrl")
    (True, False)
    """
    return not wanted or wanted in letter_scripts(script)


def near(tag: str, locales: Iterable[Locale]) -> list[Locale]:
    """Return at most four locales whose tag or name resembles what was asked for, best first.

    `deutsch`, `germn` and `de_` all find `de`.
    """
    wanted = tag.strip().replace("_", "-").casefold()
    language = canonical(tag).split("-")[0].casefold()
    scores: dict[Locale, float] = {}
    for locale in locales:
        words = re.findall(r"\w+", f"{locale.name} {locale.native_name}")
        names = {locale.name, locale.native_name, canonical(locale.tag), *words}
        scores[locale] = max(
            difflib.SequenceMatcher(None, wanted, name.casefold()).ratio() for name in names
        ) + (locale.tag.split("-")[0].casefold() == language)
    best = sorted(scores, key=lambda locale: -scores[locale])[:4]
    # From 0.6: `germn` finds `German`; at 0.5 `xa` finds ten languages.
    return [locale for locale in best if scores[locale] >= 0.6]


def letter_scripts(script: str) -> frozenset[str]:
    """Return the scripts that letters of a language have, by the script of its locale.

    >>> sorted(letter_scripts("Kore")), sorted(letter_scripts("Deva"))
    (['Hang', 'Hani', 'Kore'], ['Deva'])
    """
    return frozenset((script, *_PARTS.get(script, ())))


def count_scripts(text: str) -> Counter[str]:
    """Return how many letters a text has of each script; those of many scripts do not count.

    >>> count_scripts("мем, 2x")
    Counter({'Cyrl': 3, 'Latn': 1})
    """
    scripts = Counter(map(_script, text))
    del scripts[""]
    return scripts


@cache
def _script(char: str) -> str:
    """Return the script of a letter; nothing of what does not count."""
    script = character_script(char) if char.isalpha() else ""
    return "" if script in ("Zyyy", "Zinh") else script


@cache
def character_script(char: str) -> str:
    """Return the ISO 15924 code of a character's script; Zyyy also where ICU does not know it yet.

    >>> character_script("ж"), character_script("!")
    ('Cyrl', 'Zyyy')
    """
    import icu  # only here: it takes long to load

    script = icu.Script.getScript(ord(char)).getShortName()
    return "Zyyy" if script == "Zzzz" else str(script)
