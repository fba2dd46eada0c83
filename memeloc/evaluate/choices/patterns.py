"""What the rules look for. In: words of the languages. Out: compiled patterns over folded text."""

from __future__ import annotations

import re
from functools import lru_cache

from memeloc.evaluate.choices.folding import WORD
from memeloc.evaluate.choices.languages import any_of, gather, languages, languages_for


@lru_cache(maxsize=1)
def leads() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Words for an answer; what may stand between them and it; and the same with words between."""
    is_ = any_of(gather("is_"))
    gap = rf"(?:[\s*_]+[{WORD}']+){{1,7}}?[\s*_]*"
    mark = r"[\s*_'\"“”「(\[`<#:：=>-]*"
    return (
        re.compile(any_of(gather("answer"))),
        re.compile(rf"{mark}(?:{is_}{mark})?(?:{is_}{mark})?"),
        re.compile(rf"{gap}(?:{is_}|[:：=]){mark}(?:{is_}{mark})?"),
    )


@lru_cache(maxsize=1)
def choosing() -> re.Pattern[str]:
    """Words of choosing, as "I would choose", and words for an option."""
    choose = any_of({*gather("choose"), *gather("but")})
    option = any_of(gather("option"))
    mark = r"[\s*_'\"“”「(\[`<#:：,]*"
    return re.compile(rf"(?:{choose}{mark}|(?={option}{mark}))")


@lru_cache(maxsize=1)
def apologies() -> re.Pattern[str]:
    """Words of an apology."""
    return re.compile(any_of(gather("sorry")))


@lru_cache(maxsize=1)
def doubts() -> re.Pattern[str]:
    """Words that only wonder, before an option."""
    return re.compile(any_of(gather("doubt")))


@lru_cache(maxsize=1)
def asked_after() -> re.Pattern[str]:
    """What makes a question of an option, behind it."""
    return re.compile(rf"\s?{any_of(gather('doubt_after'))}|[^.!\n]{{0,40}}\?")


@lru_cache(maxsize=1)
def turns() -> re.Pattern[str]:
    """Words that turn a sentence, as "but"."""
    return re.compile(any_of(gather("but")))


@lru_cache(maxsize=1)
def concluding() -> re.Pattern[str]:
    """Words that begin a conclusion."""
    return re.compile(any_of(gather("conclude")))


@lru_cache(maxsize=32)
def yes_no(language: str) -> re.Pattern[str]:
    """Yes or no and nothing else; in a language, or in any where it is empty."""
    among = languages_for(language) if language else None
    yes, no = any_of(gather("yes", among)), any_of(gather("no", among))
    return re.compile(rf"[^{WORD}]*(?:(?P<no>{no})|(?P<yes>{yes}))[^{WORD}]*")


@lru_cache(maxsize=1)
def places() -> dict[str, int]:
    """By ordinal number, in any language, an option's place from 0."""
    return {
        word: place
        for language in languages().values()
        for place, word in enumerate(language.ordinals)
    }


@lru_cache(maxsize=1)
def ordinals() -> re.Pattern[str]:
    """An ordinal number before a word for an option."""
    words = "|".join(sorted(map(re.escape, places()), key=lambda each: (-len(each), each)))
    return re.compile(
        rf"(?:(?<!\w)(?P<ordinal>{words})\s?(?:{any_of(gather('option'))}|answer|one\b|antwort|respuesta))"
    )
