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

WORD = "word"
"""The kind of a keyword as it was given."""

_PLACE = "{word}"
_SHIPPED = Path(__file__).parents[1] / "keyword_rules"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MatchRules(_Table):
    """What counts as the same when a text is searched."""

    ignore: Annotated[str, Field(description="characters that are passed over")] = ""
    same: Annotated[
        dict[Annotated[str, Field(min_length=1, max_length=1)], str],
        Field(description="characters, and what each is taken for"),
    ] = {}
    elongation: Annotated[
        bool, Field(description="whether a letter three times or more is one or two")
    ] = False


class KeywordRule(_Table):
    """One way of making variants: affixes, replace, words, repeat, insert, letters or patterns."""

    name: Annotated[str, Field(min_length=1, max_length=80, description="for people")]
    kind: Annotated[str, Field(min_length=1, max_length=40, description="the sort of variant")]
    on: Annotated[
        tuple[str, ...],
        Field(description="kinds of variants it is applied to; word is the keyword itself"),
    ] = (WORD,)
    most: Annotated[
        int, Field(ge=1, le=1000, description="variants of a keyword that it makes, at the most")
    ] = 40

    prefixes: Annotated[tuple[str, ...], Field(description="put before")] = ()
    suffixes: Annotated[tuple[str, ...], Field(description="put behind")] = ()
    joining: Annotated[
        dict[str, str], Field(description="an ending, and what it becomes before a suffix")
    ] = {}
    replace: Annotated[
        tuple[tuple[str, tuple[str, ...]], ...],
        Field(description="letters, and what stands for them: one by one, then all the first"),
    ] = ()
    words: Annotated[
        dict[str, tuple[str, ...]], Field(description="whole words, and others for them")
    ] = {}
    repeat: Annotated[
        str, Field(description="letters that are held, one place at a time; or last, or any")
    ] = ""
    insert: Annotated[str, Field(description="what is put within a word")] = ""
    after: Annotated[str, Field(description="letters behind which it is put")] = ""
    times: Annotated[
        tuple[Annotated[int, Field(ge=1, le=20)], ...], Field(description="how often in all")
    ] = (3,)
    letters: Annotated[
        dict[Annotated[str, Field(min_length=1, max_length=1)], tuple[str, ...]],
        Field(description="letters of another script for each; the likelier ones first"),
    ] = {}
    vowels: Annotated[
        tuple[str, ...], Field(description="what may stand between two consonants then")
    ] = ("",)
    keep: Annotated[bool, Field(description="whether a letter without others stays")] = False
    patterns: Annotated[
        tuple[str, ...], Field(description="phrases with {word} where the keyword stands")
    ] = ()

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

    language: Annotated[str, Field(min_length=1, description="tag")]
    name: Annotated[str, Field(description="of the language")] = ""
    match: MatchRules = MatchRules()
    rule: Annotated[tuple[KeywordRule, ...], Field(description="in the order of application")] = ()


def rule_languages() -> tuple[str, ...]:
    """Tags of the languages that memeloc has rules for."""
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.toml")))


def load_rules(where: str | Path) -> KeywordRules:
    """Rules of a language by its tag (`ar`, also for `ar-EG`), or from a file.

    Raises:
        InputError: there are none for the language, or the file is wrong.
    """
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
