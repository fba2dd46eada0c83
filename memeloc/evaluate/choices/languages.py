"""How models answer in each language. In: the files beside this module. Out: `Language`.

A file `languages/TAG.toml` has lists of phrases as people write them; case and accents do not
matter. A word that ends in `*` has any ending.

- answer: words that an answer comes after ("the answer is b"), with `is` between, or nothing.
- is: what may stand between those words and the answer.
- choose: beginnings of a sentence that gives the answer ("I would choose b").
- option: words that stand before a marker ("option b").
- refuse: how a model says that it does not or cannot answer; regular expressions, in which ` ... `
  stands for anything within a sentence, and `^` for the beginning of the answer.
- sorry: apologies; they make a refusal only where no option is named.
- yes, no: answers to a question that asks yes or no, and asks: how such a question is recognised.
- before, after: what negates a word after it ("not hateful"), or before it ("नफरत नहीं").
- only: phrases with a negation that negate nothing ("not only").
- and: what stands between options that are listed ("a or b").
- but: where a negation ends ("not a joke but hate").
- because: how the reasons begin that follow an answer without any punctuation.
- conclude: beginnings of a last sentence that counts more than those before it.
- doubt: a name in a clause after these is no answer ("whether this is hate"), nor is one right
  before those of doubt_after ("hate or not").
- ends: what may stand behind a whole answer ("bです").
- wrong: behind a marker, says that it is not the answer ("a is wrong").
- ordinals: how options are counted ("the second option").
- names: by concept the words for it, and under `CONCEPT_not` those for its contrary. An option
  that is named by one of them, in any language, is recognised by all of them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from memeloc.evaluate.choices.folding import END_OF_WORD, UNSPACED, WORD, folded

_FOLDER = Path(__file__).parent / "languages"
_GAP = r"[^.!?\n。！？।]{0,80}?"
"""What ` ... ` stands for in a refusal: anything within a sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """Phrases of a language, folded; see the head of this module."""

    tag: str
    answer: tuple[str, ...]
    is_: tuple[str, ...]
    choose: tuple[str, ...]
    option: tuple[str, ...]
    refuse: tuple[str, ...]
    sorry: tuple[str, ...]
    yes: tuple[str, ...]
    no: tuple[str, ...]
    asks: tuple[str, ...]
    before: tuple[str, ...]
    only: tuple[str, ...]
    after: tuple[str, ...]
    and_: tuple[str, ...]
    but: tuple[str, ...]
    because: tuple[str, ...]
    conclude: tuple[str, ...]
    doubt: tuple[str, ...]
    doubt_after: tuple[str, ...]
    ends: tuple[str, ...]
    wrong: tuple[str, ...]
    ordinals: tuple[str, ...]
    names: dict[str, tuple[str, ...]]


@cache
def languages() -> dict[str, Language]:
    """All that there are files of, by tag."""
    return {path.stem: _read(path) for path in sorted(_FOLDER.glob("*.toml"))}


def languages_for(tag: str) -> tuple[Language, ...]:
    """Those whose short words (yes, no) may be read in an answer to a prompt: its own, English."""
    known = languages()
    tags = dict.fromkeys([re.split(r"[-_]", tag.strip().lower())[0], "en"])
    return tuple(known[tag] for tag in tags if tag in known)


def _read(path: Path) -> Language:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    names = content.pop("names")
    fields = {
        f"{key}_" if key in ("is", "and") else key: tuple(map(folded, phrases))
        for key, phrases in content.items()
    }
    return Language(
        path.stem, **fields, names={key: tuple(map(folded, names[key])) for key in names}
    )


def gather(field: str, among: Iterable[Language] | None = None) -> list[str]:
    """The phrases of a field in all languages, or in those given."""
    chosen = languages().values() if among is None else among
    return sorted({phrase for language in chosen for phrase in getattr(language, field)})


def any_of(phrases: Iterable[str]) -> str:
    """A regular expression of the words of phrases, the longest first; nothing matches none.

    What stands before a word is looked at once for all words of a kind of script: an alternative
    that begins with its letter is passed over at once where the text has another.
    """
    kinds: dict[str, dict[str, list[str]]] = {}
    for phrase in sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase)):
        if re.match(f"[{UNSPACED}]", phrase):
            before = ""
        elif "\u0600" <= phrase[0] <= "\u06ff":
            before = _START + r"(?:[وفبلك]?ال|لل|و)?"
        else:
            before = _START
        if phrase.endswith("*"):
            after = f"[{WORD}]*"
        else:
            after = "" if re.search(f"[{UNSPACED}]$", phrase) else END_OF_WORD
        words = map(re.escape, re.split(r"[\s-]+", phrase.removesuffix("*")))
        kinds.setdefault(before, {}).setdefault(after, []).append(r"[\s-]{1,3}".join(words))
    choices = (
        before
        + "(?:"
        + "|".join(f"(?:{'|'.join(each)}){after}" for after, each in ends.items())
        + ")"
        for before, ends in kinds.items()
    )
    return "(?:" + ("|".join(choices) or "(?!)") + ")"


_START = rf"(?<![^\W{UNSPACED}])"
"""The beginning of a word in a script with spaces."""


@cache
def refusals() -> re.Pattern[str]:
    """What a model that will not answer writes, in any language."""
    return re.compile("|".join(_refusal(phrase) for phrase in gather("refuse")))


def _refusal(phrase: str) -> str:
    beginning = r"^\W*" if phrase.startswith("^") else ""
    start = "" if re.match(f"[({UNSPACED}]", phrase.lstrip("^(")) else r"(?<!\w)"
    pattern = phrase.removeprefix("^").replace(" ... ", _GAP)
    pattern = re.sub(" [?]", r"\\s*", pattern).replace(" ", r"\s+")
    return f"{beginning}{start}(?:{pattern})"


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
