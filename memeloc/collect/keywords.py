"""Keyword lists. In: keywords, and a language's rules. Out: variants, and where texts have them.

araharmeme (section 3.1, appendix A) searches with keywords in the forms that memes have: with
affixes, in dialects, with repeated letters, in Latin letters and digits, among English words. Each
variant says which rule made it. The same keywords and rules give the same variants in the same
order, and never more than a limit.

Rules are TOML: the `language`, its `name`, what does not count when texts are searched (`match`),
and rules, each with a name, a kind and one way of making variants.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memeloc.errors import InputError
from memeloc.files import read_text
from memeloc.settings import read_toml, shipped_names, validate
from memeloc.sheets import write_sheet_table
from memeloc.tables import drawable, read_table

WORD = "word"  # the kind of a keyword as it was given

Texts = tuple[str, ...]
Letter = Annotated[str, Field(min_length=1, max_length=1)]
Times = Annotated[int, Field(ge=1, le=20)]

_PLACE = "{word}"
_SHIPPED = Path(__file__).with_name("keyword_rules")

MOST_KEYWORDS = 100_000  # keywords of one list
COLUMNS = ("keyword", "variant", "kind", "rule", "language")  # of a table of variants

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")

LIMIT = 300  # variants of one keyword, itself among them, unless another limit is given
LONGEST = 100  # characters that a keyword may have

_AS_GIVEN = "as given"
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_RUN = re.compile(r"(.)\1*", re.DOTALL)
_LATIN_VOWELS = frozenset("aeiouy")
_MOST_COST = 12
"""How unlikely a spelling in other letters may be: the sum over its letters of the place in the
rule's list."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MatchRules(_Table):
    """Rules of what counts as the same when a text is searched."""

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
    """Return tags of the languages that memeloc has rules for."""
    return shipped_names(_SHIPPED)


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


@dataclass(frozen=True, slots=True)
class Variant:
    """A form of a keyword, and the names of the rules that made it, with ` + ` between.

    `kind` is such as `morphology`, `dialect`, `arabizi`; `word` for the keyword itself.
    """

    text: str
    keyword: str
    kind: str = WORD
    rule: str = _AS_GIVEN


def expand(
    keywords: Iterable[str], rules: KeywordRules, *, limit: int = LIMIT
) -> Iterator[Variant]:
    """Yield the variants of keywords, `limit` of each at most, itself the first among them.

    What two rules make is the first one's; what two keywords have in common comes with the first.
    Raise InputError if a keyword is empty or too long.
    """
    seen: set[str] = set()
    for keyword in keywords:
        word = " ".join(unicodedata.normalize("NFC", keyword).split())
        if not word or len(word) > LONGEST:
            raise InputError(f"a keyword has 1 to {LONGEST} characters, unlike {keyword!r:.40}")
        for variant in islice(_variants(word, rules), limit):
            if variant.text not in seen:
                seen.add(variant.text)
                yield variant


def _variants(word: str, rules: KeywordRules) -> Iterator[Variant]:
    made = [Variant(word, word)]
    seen = {word}
    yield made[0]
    for rule in rules.rule:
        # A rule is applied to what came before it, not to its own variants.
        sources = [variant for variant in made if variant.kind in rule.on]
        # What is made twice does not count, but no rule may go on for ever.
        texts = (
            (source, text)
            for source in sources
            for text in islice(_apply(rule, source.text), 10 * rule.most)
        )
        most = len(made) + rule.most
        for source, text in texts:
            if text and text not in seen:
                seen.add(text)
                is_keyword = source.rule == _AS_GIVEN
                name = rule.name if is_keyword else f"{source.rule} + {rule.name}"
                made.append(Variant(text, word, rule.kind, name))
                yield made[-1]
                if len(made) == most:
                    break


def _apply(rule: KeywordRule, text: str) -> Iterator[str]:
    if (rule.prefixes or rule.suffixes) and " " not in text:  # a phrase takes none within it
        ending = next((each for each in rule.joining if text.endswith(each)), "")
        stem = text.removesuffix(ending) + rule.joining.get(ending, "")
        yield from (prefix + text for prefix in rule.prefixes)
        yield from (stem + suffix for suffix in rule.suffixes)
        yield from (prefix + stem + suffix for prefix in rule.prefixes for suffix in rule.suffixes)
    if rule.replace:
        # One replacement at a time, everywhere in the text; then the first of all.
        whole = text
        for old, replacements in rule.replace:
            if old in text:
                yield from (text.replace(old, new) for new in replacements)
            whole = whole.replace(old, replacements[0]) if replacements else whole
        yield whole
    yield from rule.words.get(text, ())
    if rule.repeat:
        # From the end: those are the usual ones.
        places = [place for place, letter in enumerate(text) if letter.isalpha()]
        if rule.repeat == "last":
            places = places[-1:]
        elif rule.repeat != "any":
            places = [place for place in places if text[place] in rule.repeat]
        for times in rule.times:
            for place in reversed(places):
                yield text[:place] + text[place] * times + text[place + 1 :]
    if rule.insert:
        for times in rule.times:
            for place in range(1, len(text)):
                if text[place].isalpha() and text[place - 1] in rule.after:
                    yield text[:place] + rule.insert * times + text[place:]
    if rule.letters:
        yield from _respelled(rule, text)
    yield from (pattern.replace(_PLACE, text) for pattern in rule.patterns)


def _respelled(rule: KeywordRule, text: str) -> Iterator[str]:
    """Yield spellings in other letters, first those whose letters stand early in the rule."""
    choices: list[Sequence[str]] = []
    for letter in text:
        if letter in rule.letters:
            choices.append(rule.letters[letter])
        elif unicodedata.category(letter) != "Mn":
            if letter.isalpha() and not rule.keep:
                return
            choices.append((letter,))
    for cost in range(_MOST_COST + 1):
        yield from _spellings(choices, rule.vowels, "", cost)


def _spellings(
    choices: Sequence[Sequence[str]], vowels: Sequence[str], before: str, cost: int
) -> Iterator[str]:
    """Yield every spelling of exactly this cost, the letters of `before` already written.

    Each letter costs its place in its list, each vowel between two consonants its place in theirs.
    """
    if not choices:
        if cost == 0:
            yield before
        return
    for place, letter in enumerate(choices[0][: cost + 1]):
        between = vowels if _is_consonant(before[-1:]) and _is_consonant(letter[:1]) else ("",)
        for vowel_place, vowel in enumerate(between[: cost - place + 1]):
            rest = cost - place - vowel_place
            yield from _spellings(choices[1:], vowels, before + vowel + letter, rest)


def _is_consonant(letter: str) -> bool:
    return bool(letter.strip()) and letter not in _LATIN_VOWELS


def fold(text: str, rules: MatchRules) -> str:
    """Return a text as it is compared: without marks and invisible signs, in lower case."""
    signs = str.maketrans(dict(rules.same) | dict.fromkeys(rules.ignore, ""))
    plain = unicodedata.normalize("NFKC", text).translate(signs).casefold().translate(signs)
    return "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")


class Match(NamedTuple):
    """A variant in a text: the words that it covers as a half-open range, and as compared."""

    variant: Variant
    words: tuple[int, int]
    found: str


class KeywordMatcher:
    """Finder of variants in texts: whole words, however often a letter is repeated.

    >>> from memeloc.collect.keywords import load_rules
    >>> rules = load_rules("en")
    >>> matcher = KeywordMatcher(expand(["coffee"], rules), rules)
    >>> [match.variant.text for match in matcher.find("Need COFFEEEEE now, not coffeepots")]
    ['coffee']
    """

    def __init__(self, variants: Iterable[Variant], rules: KeywordRules) -> None:
        self._rules = rules.match
        # By their words with every letter once: that finds them, and each word is then compared.
        self._variants: dict[tuple[str, ...], list[tuple[list[str], Variant]]] = {}
        for variant in variants:
            words = self._words(variant.text)
            if words:
                key = tuple(map(self._short, words))
                self._variants.setdefault(key, []).append((words, variant))
        self._lengths = sorted({len(key) for key in self._variants}, reverse=True)
        self._beginnings = {key[0] for key in self._variants}

    def find(self, text: str) -> list[Match]:
        """Return the variants in a text, in order; of those at one place the longest."""
        words = self._words(text)
        short = [self._short(word) for word in words]
        matches: list[Match] = []
        end = 0
        for place, word in enumerate(short):
            if place < end or word not in self._beginnings:
                continue
            for variant, length in self._beginning(words[place:], short[place:]):
                end = place + length
                matches.append(Match(variant, (place, end), " ".join(words[place:end])))
                break
        return matches

    def _beginning(
        self, words: Sequence[str], short: Sequence[str]
    ) -> Iterator[tuple[Variant, int]]:
        """Yield the variants with which words begin, the longest first, and how many words."""
        for length in self._lengths:
            for variant_words, variant in self._variants.get(tuple(short[:length]), ()):
                if all(map(self._is_same, words, variant_words)):
                    yield variant, len(variant_words)

    def _words(self, text: str) -> list[str]:
        return _WORDS.findall(fold(text, self._rules))

    def _short(self, word: str) -> str:
        return _RUN.sub(r"\1", word) if self._rules.elongation else word

    def _is_same(self, word: str, other: str) -> bool:
        """Return whether a text's word is a variant's: a letter three times may be one or two."""
        if word == other or not self._rules.elongation:
            return word == other
        # Both have the same letters in turn, or they would not be compared.
        runs = zip(_RUN.finditer(word), _RUN.finditer(other), strict=True)
        return all(len(run[0]) == len(match[0]) or len(run[0]) > 2 for run, match in runs)


def read_keywords(path: Path) -> list[str]:
    """Read the keywords of a file, each once: lines of text, or a table's column `keyword`.

    In lines of text, what follows a # at the beginning of a line or after white space is a remark.
    """
    if path.suffix.lower() in _TABLES:
        words = []
        for row in read_table(path, ("keyword",)).rows:
            if row.error:
                raise InputError(row.error, file=path, row=row.number)
            words.append(row["keyword"])
    else:
        lines = [line for line in read_text(path).splitlines() if line.lstrip()[:1] != "#"]
        words = [re.split(r"[ \t]#", line)[0].strip() for line in lines]
    keywords = list(dict.fromkeys(filter(None, words)))
    if not keywords:
        raise InputError("holds no keywords: one a line, or a column keyword", file=path)
    if len(keywords) > MOST_KEYWORDS:
        raise InputError(f"has more than {MOST_KEYWORDS:,} keywords", file=path)
    return keywords


def write_variants(variants: Iterable[Variant], path: Path, language: str) -> tuple[Path, int]:
    """Write variants as CSV; return where (see `memeloc.sheets`), and how many."""
    rows = (
        [drawable(cell) for cell in (form.keyword, form.text, form.kind, form.rule, language)]
        for form in variants
    )
    return write_sheet_table(path, COLUMNS, rows, suffix=".csv")
