"""Rules of how keywords are varied, as TOML. In: a language's tag, or a file. Out: `KeywordRules`.

A file has the `language`, its `name`, what does not count when texts are searched (`match`), and
rules, each with a name, a kind and one way of making variants.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memeloc.errors import InputError
from memeloc.settings import read_toml, validate

WORD = "word"  # the kind of a keyword as it was given

Texts = tuple[str, ...]
Letter = Annotated[str, Field(min_length=1, max_length=1)]
Times = Annotated[int, Field(ge=1, le=20)]

_PLACE = "{word}"
_SHIPPED = Path(__file__).parents[1] / "keyword_rules"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MatchRules(_Table):
    """What counts as the same when a text is searched."""

    ignore: str = Field("", description="characters that are passed over")
    same: dict[Letter, str] = Field({}, description="characters, and what each is taken for")
    elongation: bool = Field(
        False, description="whether a letter three times or more is one or two"
    )


class KeywordRule(_Table):
    """One way of making variants: affixes, replace, words, repeat, insert, letters or patterns."""

    name: str = Field(min_length=1, max_length=80, description="for people")
    kind: str = Field(min_length=1, max_length=40, description="the sort of variant")
    on: Texts = Field((WORD,), description="kinds it is applied to; word is the keyword itself")
    most: int = Field(40, ge=1, le=1000, description="variants of a keyword that it makes")

    prefixes: Texts = Field((), description="put before")
    suffixes: Texts = Field((), description="put behind")
    joining: dict[str, str] = Field({}, description="an ending, and what it is before a suffix")
    replace: tuple[tuple[str, Texts], ...] = Field(
        (), description="letters, and what stands for them: one by one, then all the first"
    )
    words: dict[str, Texts] = Field({}, description="whole words, and others for them")
    repeat: str = Field("", description="letters that are repeated, one place at a time; last; any")
    insert: str = Field("", description="what is put within a word")
    after: str = Field("", description="letters behind which it is put")
    times: tuple[Times, ...] = Field((3,), description="how often in all")
    letters: dict[Letter, Texts] = Field(
        {}, description="letters of another script for each; the likelier ones first"
    )
    vowels: Texts = Field(("",), description="what may stand between two consonants then")
    keep: bool = Field(False, description="whether a letter without others stays")
    patterns: Texts = Field((), description="phrases with {word} where the keyword stands")

    @model_validator(mode="after")
    def _check(self) -> Self:
        affixes = self.prefixes or self.suffixes
        others = self.replace, self.words, self.repeat, self.insert, self.letters, self.patterns
        if sum(map(bool, (affixes, *others))) != 1:
            raise ValueError(
                f"the rule {self.name!r} needs one of prefixes or suffixes, replace, words, "
                "repeat, insert, letters, patterns"
            )
        if any(_PLACE not in pattern for pattern in self.patterns):
            raise ValueError(f"every pattern of the rule {self.name!r} needs {_PLACE}")
        if any(not old for old, _ in self.replace) or "" in self.joining:
            raise ValueError(f"the rule {self.name!r} replaces nothing by something")
        return self


class KeywordRules(_Table):
    """A language's rules."""

    language: str = Field(min_length=1, description="tag")
    name: str = Field("", description="of the language")
    match: MatchRules = MatchRules.model_validate({})
    rule: tuple[KeywordRule, ...] = Field((), description="in the order of application")


def rule_languages() -> tuple[str, ...]:
    """Tags of the languages that memeloc has rules for."""
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.toml")))


def load_rules(where: str | Path) -> KeywordRules:
    """Return the rules of a language by its tag (`ar`, also for `ar-EG`), or from a file."""
    if isinstance(where, str):
        languages = rule_languages()
        tag = where.replace("_", "-").lower()
        while tag not in languages and "-" in tag:
            tag = tag.rpartition("-")[0]
        if tag not in languages:
            raise InputError(
                f"there are no keyword rules for {where[:40]!r}, but for {', '.join(languages)}; "
                "give a file of your own with --rules"
            )
        where = _SHIPPED / f"{tag}.toml"
    return validate(KeywordRules, read_toml(where), "a file of rules", file=where)
