"""Keyword lists. In: keywords, and a language's rules. Out: variants, and where texts hold them.

araharmeme (section 3.1, appendix A) searches with keywords in the forms that memes have: with
affixes, in dialects, with letters held, in Latin letters and digits, among English words. Each
variant says which rule made it. The same keywords and rules give the same variants in the same
order, and never more than a limit.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from memeloc.collect.keywords.rules import WORD, KeywordRule, KeywordRules, MatchRules
from memeloc.errors import InputError

LIMIT = 300
"""Variants of one keyword, itself among them, unless another limit is given."""

LONGEST = 100
"""Characters that a keyword may have."""

_AS_GIVEN = "as given"
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_RUN = re.compile(r"(.)\1*", re.DOTALL)
_LATIN_VOWELS = frozenset("aeiouy")
_MOST_COST = 12
"""How unlikely a spelling in other letters may be: the sum over its letters of the place in the
rule's list."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A form of a keyword.

    Attributes:
        text: the form.
        keyword: what it was made of.
        kind: such as `morphology`, `dialect`, `spelling`, `elongation`, `arabizi`; `word` for the
            keyword itself.
        rule: names of the rules that made it, in turn, with ` + ` between.
    """

    text: str
    keyword: str
    kind: str = WORD
    rule: str = _AS_GIVEN


def expand(
    keywords: Iterable[str], rules: KeywordRules, *, limit: int = LIMIT
) -> Iterator[Variant]:
    """The variants of keywords, each keyword first and its variants in the order of the rules.

    What two rules make is the first one's; what two keywords have in common comes with the first.

    Args:
        keywords: words or short phrases.
        rules: of their language.
        limit: variants of one keyword at the most, itself among them.

    Raises:
        InputError: a keyword is empty or too long.
    """
    seen: set[str] = set()
    for keyword in keywords:
        word = _checked(keyword)
        for variant in islice(_variants(word, rules), limit):
            if variant.text not in seen:
                seen.add(variant.text)
                yield variant


def _checked(keyword: str) -> str:
    word = " ".join(unicodedata.normalize("NFC", keyword).split())
    if not word or len(word) > LONGEST:
        raise InputError(
            f"a keyword has 1 to {LONGEST} characters, unlike {keyword[:40]!r}"
            + ("..." if len(keyword) > 40 else "")
        )
    return word


def _variants(word: str, rules: KeywordRules) -> Iterator[Variant]:
    """A keyword's variants, without repetition."""
    first = Variant(word, word)
    made = [first]
    seen = {word}
    yield first
    for rule in rules.rule:
        # A rule is applied to what came before it, not to its own variants.
        own = 0
        for source, text in _made_by(rule, [one for one in made if one.kind in rule.on]):
            if not text or text in seen:
                continue
            seen.add(text)
            name = rule.name if source.rule == _AS_GIVEN else f"{source.rule} + {rule.name}"
            variant = Variant(text, word, rule.kind, name)
            made.append(variant)
            yield variant
            own += 1
            if own == rule.most:
                break


def _made_by(rule: KeywordRule, sources: Sequence[Variant]) -> Iterator[tuple[Variant, str]]:
    for source in sources:
        # What is made twice does not count, but no rule may go on for ever.
        for text in islice(_apply(rule, source.text), 10 * rule.most):
            yield source, text


def _apply(rule: KeywordRule, text: str) -> Iterator[str]:
    if rule.prefixes or rule.suffixes:
        yield from _affixed(rule, text)
    elif rule.replace:
        yield from _replaced(rule, text)
    elif rule.words:
        yield from rule.words.get(text, ())
    elif rule.repeat:
        yield from _held(rule, text)
    elif rule.insert:
        yield from _inserted(rule, text)
    elif rule.letters:
        yield from _respelled(rule, text)
    else:
        yield from (pattern.replace("{word}", text) for pattern in rule.patterns)


def _affixed(rule: KeywordRule, text: str) -> Iterator[str]:
    """With each prefix, with each suffix, then with both. A phrase takes none within it."""
    if " " in text:
        return
    for prefix in rule.prefixes:
        yield prefix + text
    stem = text
    for ending, instead in rule.joining.items():
        if text.endswith(ending):
            stem = text.removesuffix(ending) + instead
            break
    for suffix in rule.suffixes:
        yield stem + suffix
    for prefix in rule.prefixes:
        for suffix in rule.suffixes:
            yield prefix + stem + suffix


def _replaced(rule: KeywordRule, text: str) -> Iterator[str]:
    """One replacement at a time, everywhere in the text; then the first of all."""
    whole = text
    for old, several in rule.replace:
        for new in several:
            if old in text:
                yield text.replace(old, new)
        if several:
            whole = whole.replace(old, several[0])
    yield whole


def _held(rule: KeywordRule, text: str) -> Iterator[str]:
    """A letter several times, at one place at a time, from the end: that is held most often."""
    places = [place for place, letter in enumerate(text) if letter.isalpha()]
    if rule.repeat == "last":
        places = places[-1:]
    elif rule.repeat != "any":
        places = [place for place in places if text[place] in rule.repeat]
    for times in rule.times:
        for place in reversed(places):
            yield text[:place] + text[place] * times + text[place + 1 :]


def _inserted(rule: KeywordRule, text: str) -> Iterator[str]:
    """Something behind a letter that is not a word's last, at one place at a time."""
    places = [
        place
        for place in range(1, len(text))
        if text[place].isalpha() and text[place - 1] in rule.after
    ]
    for times in rule.times:
        for place in places:
            yield text[:place] + rule.insert * times + text[place:]


def _respelled(rule: KeywordRule, text: str) -> Iterator[str]:
    """In other letters, likely spellings first: those whose letters stand early in the rule."""
    choices: list[tuple[str, ...]] = []
    for letter in text:
        several = rule.letters.get(letter)
        if several is None:
            if letter.isalpha() and not rule.keep:
                if unicodedata.category(letter) == "Mn":
                    continue
                return
            if unicodedata.category(letter) == "Mn":
                continue
            several = (letter,)
        choices.append(several)
    for cost in range(_MOST_COST + 1):
        yield from _spellings(choices, rule.vowels, "", cost)


def _spellings(
    choices: Sequence[Sequence[str]], vowels: Sequence[str], before: str, cost: int
) -> Iterator[str]:
    """Every spelling of exactly this cost, the letters of `before` already written.

    Each letter costs its place in its list, each vowel between two consonants its place in theirs.
    """
    if not choices:
        if cost == 0:
            yield before
        return
    for place, letter in enumerate(choices[0][: cost + 1]):
        between = _may_have_vowel(before, letter)
        for dear, vowel in enumerate(vowels[: cost - place + 1] if between else ("",)):
            rest = cost - place - dear
            yield from _spellings(choices[1:], vowels, before + vowel + letter, rest)


def _may_have_vowel(before: str, letter: str) -> bool:
    """Whether two consonants meet here."""
    return bool(
        before
        and letter
        and not before[-1].isspace()
        and not letter.isspace()
        and before[-1] not in _LATIN_VOWELS
        and letter[0] not in _LATIN_VOWELS
    )


def fold(text: str, rules: MatchRules) -> str:
    """A text as it is compared: without marks, tatweel and invisible signs, in lower case."""
    plain = unicodedata.normalize("NFKC", text)
    signs: dict[int, str | None] = {ord(one): other for one, other in rules.same.items()}
    signs.update(dict.fromkeys(map(ord, rules.ignore)))
    plain = plain.translate(signs).casefold().translate(signs)
    return "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")


@dataclass(frozen=True, slots=True)
class Match:
    """A variant in a text.

    Attributes:
        variant: which one.
        words: which of the text's words it covers: the first, and the one after the last.
        found: these words, as they are compared.
    """

    variant: Variant
    words: tuple[int, int]
    found: str


class KeywordMatcher:
    """Finds variants in texts: whole words, however often a letter is held.

    >>> from memeloc.collect.keywords.rules import load_rules
    >>> rules = load_rules("en")
    >>> matcher = KeywordMatcher(expand(["coffee"], rules), rules)
    >>> [match.variant.text for match in matcher.find("Need COFFEEEEE now, not coffeepots")]
    ['coffee']
    """

    def __init__(self, variants: Iterable[Variant], rules: KeywordRules) -> None:
        self._rules = rules.match
        # By their words with every letter once: that finds them, and each word is then compared.
        self._known: dict[tuple[str, ...], list[tuple[tuple[str, ...], Variant]]] = {}
        for variant in variants:
            words = tuple(self._words(variant.text))
            if words:
                self._known.setdefault(tuple(map(self._short, words)), []).append((words, variant))
        self._longest = max(map(len, self._known), default=0)
        self._beginnings = {words[0] for words in self._known}

    def find(self, text: str) -> list[Match]:
        """The variants that a text holds, in order; of several at one place the longest."""
        words = self._words(text)
        short = [self._short(word) for word in words]
        found = []
        place = 0
        while place < len(words):
            match = self._at(words, short, place)
            if match is None:
                place += 1
                continue
            variant, end = match
            found.append(Match(variant, (place, end), " ".join(words[place:end])))
            place = end
        return found

    def holds(self, text: str) -> bool:
        """Whether a text holds any variant."""
        words = self._words(text)
        short = [self._short(word) for word in words]
        return any(self._at(words, short, place) is not None for place in range(len(words)))

    def _at(
        self, words: Sequence[str], short: Sequence[str], place: int
    ) -> tuple[Variant, int] | None:
        if short[place] not in self._beginnings:
            return None
        for length in range(min(self._longest, len(words) - place), 0, -1):
            end = place + length
            for known, variant in self._known.get(tuple(short[place:end]), ()):
                if all(map(self._is_same, words[place:end], known)):
                    return variant, end
        return None

    def _words(self, text: str) -> list[str]:
        return _WORDS.findall(fold(text, self._rules))

    def _short(self, word: str) -> str:
        """A word with every letter that is held written once."""
        return _RUN.sub(r"\1", word) if self._rules.elongation else word

    def _is_same(self, word: str, known: str) -> bool:
        """Whether a word of a text is a known one: a letter three times may be one or two."""
        if word == known or not self._rules.elongation:
            return word == known
        # Both have the same letters in turn, or they would not be compared.
        runs = zip(_RUN.finditer(word), _RUN.finditer(known), strict=True)
        return all(len(one[0]) == len(other[0]) or len(one[0]) > 2 for one, other in runs)
