"""Text as it is compared, and how models answer in each language.

A file `languages/TAG.toml` has lists of phrases as people write them; case and accents do not
matter, and a word that ends in `*` has any ending. All languages are read at once, but for yes and
no, which are those of the prompt and English ones.

- answer: words that an answer comes after ("the answer is b"), with `is` between, or nothing.
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
- doubt: a name in a clause after these is no answer ("whether this is hate"), nor is one right
  before those of doubt_after ("hate or not").
- ends: what may stand behind a whole answer ("bです"); wrong: says that it is not ("a is wrong").
- names: by concept the words for it, and under `CONCEPT_not` those for its contrary. An option
  that is named by one of them, in any language, is recognised by all of them.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_SAME = {
    "ı": "i",
    "ى": "ي",
    "ی": "ي",
    "ک": "ك",
    "ة": "ه",
    "ۀ": "ه",
    "ه\u0654": "ه",
    "🅰": "a",
    "🅱": "b",
    "\u20e3": "",
    **dict.fromkeys("’‘ʼ`", "'"),
    **dict.fromkeys("‐‑–—−", "-"),
}
"""What NFKC and casefolding leave different: forms of Arabic letters, apostrophes, dashes."""
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f]")
"""Combining marks that are left out: accents, and points of Hebrew and Arabic that few people
write. Marks of Indic and Thai letters are vowels, and stay."""
_MARK_CODES = [code for code in range(0x370, 0x1100) if unicodedata.category(chr(code))[0] == "M"]
_MARKS = "".join(
    chr(code) + "-" * (code + 1 in _MARK_CODES)
    for code in _MARK_CODES
    if code - 1 not in _MARK_CODES or code + 1 not in _MARK_CODES
)
WORD = rf"\w{_MARKS}"
"""Of a regular expression's class: letters, digits and marks (which Python's `\\w` leaves out)."""
UNSPACED = r"\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""Letters of scripts that put no spaces between words, and Hangul, whose particles are attached."""
END_OF_WORD = rf"(?![^\W{UNSPACED}]|[{_MARKS}])"
_START_OF_WORD = rf"(?<![^\W{UNSPACED}])"
has_words = re.compile(rf"[^\W_]|[{_MARKS}]").search
"""Whether a text has any letter, digit or mark of a vowel."""


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A folded text; `origins` has for each of its letters the place of its original."""

    text: str
    original: str
    origins: tuple[int, ...]

    def rest(self, start: int, end: int | None = None) -> str:
        """Return the original of the folded letters from `start` to `end`."""
        if start >= len(self.origins):
            return ""
        last = len(self.original) if end is None or end >= len(self.origins) else self.origins[end]
        return self.original[self.origins[start] : last]

    def squeezed(self) -> tuple[str, list[int]]:
        """Return its letters and digits alone, which spaces do not change, and their places."""
        places = [place for place, letter in enumerate(self.text) if has_words(letter)]
        return "".join(self.text[place] for place in places), places


def fold(text: str) -> Folded:
    """Return a text as it is compared: one letter is written in many ways (`Ａ`, `𝐚`, `ⓐ`, `à`)."""
    whole = unicodedata.normalize("NFC", text)
    letters = [letter if "a" <= letter <= "z" else _fold_letter(letter) for letter in whole]
    origins = [place for place, forms in enumerate(letters) for _ in forms]
    return Folded("".join(letters), whole, tuple(origins))


def folded(text: str) -> str:
    """Return a text as it is compared, without the originals.

    >>> folded("Ｎão-Ódio ①"), folded("घृणा १"), folded("أ")
    ('nao-odio 1', 'घृणा 1', 'ا')
    """
    return fold(text).text


@cache
def _fold_letter(letter: str) -> str:
    if letter in _SAME:
        return _SAME[letter]
    if unicodedata.category(letter) == "Cf" or "\ufe00" <= letter <= "\ufe0f" or letter == "ـ":
        return ""
    forms = unicodedata.normalize("NFKC", letter).casefold()
    if not "\uac00" <= letter <= "\ud7a3":
        forms = unicodedata.normalize("NFD", forms)
    digits = (str(unicodedata.decimal(form, form)) for form in _ACCENTS.sub("", forms))
    return "".join(_SAME.get(form, form) for form in digits)


@cache
def languages() -> dict[str, dict[str, list[str]]]:
    """Return folded phrases by list and language; words for a concept as `names.CONCEPT`."""
    read = {}
    for path in sorted((Path(__file__).parent / "languages").glob("*.toml")):
        lists = tomllib.loads(path.read_text(encoding="utf-8"))
        lists |= {f"names.{concept}": words for concept, words in lists.pop("names").items()}
        read[path.stem] = {name: [*map(folded, words)] for name, words in lists.items()}
    return read


@cache
def phrases(name: str, language: str = "") -> list[str]:
    """Return the phrases of a list in all languages, or in one and in English."""
    tags = {re.split(r"[-_]", language.strip().lower())[0], "en"} if language else {*languages()}
    chosen = (lists for tag, lists in languages().items() if tag in tags)
    return sorted({phrase for lists in chosen for phrase in lists.get(name, ())})


def initials(name: str, language: str) -> set[str]:
    """Return the first letters of the usual word of a list, in a language and in English."""
    tags = {re.split(r"[-_]", language.strip().lower())[0], "en"} & languages().keys()
    return {words[0][0] for tag in tags if (words := languages()[tag].get(name))}


@cache
def any_of(*names: str, language: str = "") -> str:
    """Return a regular expression of the words of lists of phrases."""
    return words_of(phrase for name in names for phrase in phrases(name, language))


def words_of(words: Iterable[str]) -> str:
    """Return a regular expression of phrases, the longest first; nothing matches none.

    What stands before a word is looked at once for all words of a kind of script.
    """
    kinds: dict[tuple[str, str], list[str]] = {}
    for phrase in sorted(set(words), key=lambda phrase: (-len(phrase), phrase)):
        before = "" if re.match(f"[{UNSPACED}]", phrase) else _START_OF_WORD
        if "\u0600" <= phrase[0] <= "\u06ff":
            before += r"(?:[وفبلك]?ال|لل|و)?"
        after = "" if re.search(f"[{UNSPACED}]$", phrase) else END_OF_WORD
        if phrase.endswith("*"):
            after = f"[{WORD}]*"
        parts = map(re.escape, re.split(r"[\s-]+", phrase.removesuffix("*")))
        kinds.setdefault((before, after), []).append(r"[\s-]{1,3}".join(parts))
    # One look at what stands before a word for all its kinds: an alternative is passed over early.
    choices = (f"{before}(?:{'|'.join(each)}){after}" for (before, after), each in kinds.items())
    return f"(?:{'|'.join(choices) or '(?!)'})"


@cache
def refusals() -> re.Pattern[str]:
    """Return what a model that will not answer writes, in any language."""
    patterns = []
    for phrase in phrases("refuse"):
        start = r"^\W*" if phrase.startswith("^") else ""
        if not re.match(f"[({UNSPACED}]", phrase.lstrip("^(")):
            start += r"(?<!\w)"
        pattern = phrase.removeprefix("^").replace(" ... ", r"[^.!?\n。！？।]{0,80}?")
        spaced = re.sub(" [?]", r"\\s*", pattern).replace(" ", r"\s+")
        patterns.append(f"{start}(?:{spaced})")
    return re.compile("|".join(patterns))
