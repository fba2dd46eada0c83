"""The translation memory. In: what was translated before. Out: answers that cost nothing.

It is asked before every translator. As in CAT tools a unit that matches exactly fills the caption;
a similar one only when asked for, with a threshold, and the caption is marked with how similar it
was (memeloc.translate.memory); people who correct are shown the nearest ones. Exact means: the
same text after Unicode NFC, with runs of white space as one space and typographic quotation marks
and apostrophes as plain ones. Case and punctuation count.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.locales import Registry, default
from memeloc.locales.breaking import UNSPACED
from memeloc.model import SEPARATOR, Caption
from memeloc.settings import validate
from memeloc.tables import drawable
from memeloc.translate.protocol import (
    Answer,
    FreeTranslator,
    TranslationItem,
    failure,
    filled_texts,
    pair_of,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

_BETWEEN = (
    r"\s!-&(-/:-@\[-`{-~\u00a1-\u00bf\u2000-\u2018\u201a-\u206f\u3000-\u3004\u3008-\u3020"
    "\uff01-\uff0f\uff1a-\uff20\u060c\u061b\u061f\u06d4\u0964\u0965\u055a-\u055f"
)
_WORD = re.compile(f"[{UNSPACED}]|[^{UNSPACED}{_BETWEEN}]+")


def words(text: str) -> list[str]:
    """Return the words of a text, as similarity counts them.

    >>> words("Don't panic, 2 cats!"), words("小猫 ok")
    (["Don't", 'panic', '2', 'cats'], ['小', '猫', 'ok'])
    """
    return _WORD.findall(text)


class SimilarTexts:
    """An index of texts.

    >>> texts = SimilarTexts(["when the build passes", "When the build fails"])
    >>> texts.find("when the build fails!", 0.7)  # doctest: +ELLIPSIS
    [(1, 0.98...), (0, 0.77...)]
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [text.casefold() for text in texts]
        postings: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        for number, text in enumerate(self._texts):
            for word in _counted(text):
                postings[word].append(number)
        self._postings = {word: np.array(each, np.int32) for word, each in postings.items()}
        self._words = np.array([len(words(text)) for text in self._texts], np.int32)
        self._lengths = np.array([len(text) for text in self._texts], np.int32)

    def find(self, text: str, least: float) -> list[tuple[int, float]]:
        """Return the numbers of texts at least that similar, with how similar, best first.

        Of texts that are equally similar the later comes first. `least` is above 0 and at most 1.
        """
        from rapidfuzz import fuzz, process

        text = text.casefold()
        candidates, shares = self._candidates(text, least)
        if not len(candidates):
            return []
        ratios: NDArray[Any] = process.cdist(
            [text],
            [self._texts[index] for index in candidates],
            scorer=fuzz.ratio,
            dtype=np.float64,
        )[0]
        similar = (shares + ratios / 100) / 2
        places = np.flatnonzero(similar >= least)
        order = places[np.lexsort((-candidates[places], -similar[places]))]
        return [(int(candidates[at]), float(similar[at])) for at in order]

    def _candidates(self, text: str, least: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the numbers of the texts that can be that similar, and their share of words."""
        tokens = list(_counted(text))
        postings = [self._postings[token] for token in tokens if token in self._postings]
        found = np.concatenate(postings) if postings else np.empty(0, dtype=np.int32)
        common = np.bincount(found, minlength=len(self._texts))
        # The share of words must be 2 · least - 1 or more; a text has no fewer words than common.
        share = max(2 * least - 1, 0.0) / 2
        candidates = np.flatnonzero(common >= share / (1 - share) * len(tokens))
        both = np.maximum(self._words[candidates] + len(tokens), 1)
        shares = 2 * common[candidates] / both
        lengths = self._lengths[candidates]
        most = 2 * np.minimum(lengths, len(text)) / np.maximum(lengths + len(text), 1)
        possible = shares + most >= 2 * least
        return candidates[possible], shares[possible]


def _counted(text: str) -> Iterator[tuple[str, int]]:
    """Yield the words of a text, each with how often it has come: what two share is a set then."""
    times: Counter[str] = Counter()
    for word in words(text):
        times[word] += 1
        yield word, times[word]


_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_CODES = frozenset(("bpt", "ept", "ph", "it", "ut"))
_DATE = "%Y%m%dT%H%M%SZ"


def write_tmx(units: Iterable[MemoryUnit], path: Path, *, source_language: str = "*all*") -> int:
    """Write units as TMX 1.4; return how many. Characters that XML cannot hold are left out.

    An old file is replaced. `source_language` is the header's; each unit says its own.
    """
    from lxml import etree

    from memeloc.version import __version__

    header = {
        "creationtool": "memeloc",
        "creationtoolversion": __version__,
        "creationdate": datetime.now(UTC).strftime(_DATE),
        "segtype": "block",
        "o-tmf": "memeloc",
        "adminlang": "en",
        "srclang": source_language,
        "datatype": "plaintext",
    }
    count = 0
    with replacing(path) as temporary, etree.xmlfile(str(temporary), encoding="utf-8") as xml:
        xml.write_declaration()
        with xml.element("tmx", {"version": "1.4"}):
            xml.write(etree.Element("header", header))
            with xml.element("body"):
                for unit in map(MemoryUnit.without_empty_parts, units):
                    count += 1
                    texts = (unit.source_language, unit.source), (unit.language, unit.target)
                    element = etree.Element("tu", {"srclang": unit.source_language})
                    if unit.origin:
                        origin = etree.SubElement(element, "prop", {"type": "x-origin"})
                        origin.text = drawable(unit.origin)
                    for language, parts in texts:
                        variant = etree.SubElement(element, "tuv", {_XML_LANG: language})
                        etree.SubElement(variant, "seg").text = drawable(SEPARATOR.join(parts))
                    xml.write(element, pretty_print=True)
    return count


def read_tmx(
    path: Path,
    *,
    source_language: str | None = None,
    locales: Registry | None = None,
    skipped: Counter[str] | None = None,
) -> Iterator[MemoryUnit]:
    """Yield the units of a TMX file of any size, one for each language of a <tu> but its source.

    `source_language` is the tag of the language to translate from; None takes what the file says.
    `skipped` gets how many were passed over, by reason. Raise InputError if the file cannot be
    read, is not TMX, or declares entities; with its line.
    """
    from lxml import etree

    registry = locales or default()
    reasons = Counter[str]() if skipped is None else skipped
    wanted = registry.get(source_language).tag if source_language else None
    header_language = "*all*"
    try:
        events = etree.iterparse(
            str(path),
            events=("start", "end"),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        _, root = next(events)
        dtd: Any = root.getroottree().docinfo.internalDTD
        if dtd is not None and next(iter(dtd.entities()), None) is not None:
            raise InputError("declares XML entities, which a TMX file does not need", file=path)
        if (name := etree.QName(root).localname) != "tmx":
            raise InputError(f"is not TMX: its root is <{name}>, not <tmx>", file=path)
        for event, element in events:
            name = etree.QName(element).localname
            if event == "end" and name == "header":
                header_language = element.get("srclang") or "*all*"
            elif event == "end" and name == "tu":
                source_tag = element.get("srclang") or header_language
                yield from _units(element, wanted, source_tag, registry, reasons, path.name)
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise InputError(f"is not well-formed XML: {error.msg}", file=path) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from error


def _units(
    element: _Element,
    wanted: str | None,
    source_tag: str,
    registry: Registry,
    reasons: Counter[str],
    origin: str,
) -> Iterator[MemoryUnit]:
    """Yield the units of one <tu>; `source_tag` is the source language (of `*all*` the first)."""
    texts: dict[str, str] = {}
    for variant in element.iterchildren("{*}tuv"):
        code = variant.get(_XML_LANG) or variant.get("lang") or ""
        segment = variant.find("{*}seg")
        if code not in registry:
            reasons[f"the language {code or '(none)'} is not known"] += 1
        elif segment is not None and (text := _text(segment).strip()):
            texts.setdefault(registry.get(code).tag, text)
    stated = registry.get(source_tag).tag if source_tag in registry else next(iter(texts), None)
    source = wanted or stated
    if source is None or source not in texts:
        reasons["it has no text in the source language"] += 1
        return
    parts = tuple(filter(None, Caption.parse(texts.pop(source)).parts))
    for language, text in texts.items():
        target = tuple(filter(None, Caption.parse(text, len(parts)).parts))
        unit = MemoryUnit(source, language, parts, target, origin)
        if len(unit.source) == len(unit.target):
            yield unit
        else:
            reasons["its languages have not the same number of parts"] += 1


def _text(element: _Element) -> str:
    """Return the text of a segment: native codes are left out, and what follows them is kept."""
    from lxml import etree

    pieces = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and etree.QName(child).localname not in _CODES:
            pieces.append(_text(child))
        pieces.append(child.tail or "")
    return "".join(pieces)


EXACT = "memory"
"""The mark of a caption that an exact match filled."""

LEAST = 0.7
"""How similar a unit's source is at least that people are shown, as CAT tools have it."""

_REMEMBERED = 4096
"""Sources of which the memory remembers what is similar."""

_NOT_EXACT = 0.9999
"""The most that a match's similarity can be that is not exact."""

_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "\u00a0": " "})


@dataclass(frozen=True, slots=True)
class MemoryUnit:
    """A caption and its translation, part by part; languages are locale tags.

    `origin` is the name of the file it is from, whose units have no `meme_id`; or `imported`,
    `corrected` or `settled` for a caption of a workspace. `person` wrote the translation.
    """

    source_language: str
    language: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    origin: str = ""
    person: str = ""
    meme_id: str = ""
    created_at: datetime | None = None

    def without_empty_parts(self) -> MemoryUnit:
        """Return the unit without the parts that have no text in the source."""
        if all(map(str.strip, self.source)):
            return self
        rest = [
            part for source, part in zip(self.source, self.target, strict=False) if source.strip()
        ]
        source = tuple(part for part in self.source if part.strip())
        return replace(self, source=source, target=tuple(rest))


@dataclass(frozen=True, slots=True)
class Match:
    """The memory's text for an item: one text a filled part, and how similar the source is.

    `unit` is what it is from; None where each part is from a unit of its own.
    """

    texts: tuple[str, ...]
    score: float
    unit: MemoryUnit | None = None

    @property
    def mark(self) -> str:
        """`memory`, or `fuzzy 0.93`: rounded down, so that only an exact match can be 1."""
        return EXACT if self.score >= 1.0 else f"fuzzy {self.percent / 100:.2f}"

    @property
    def percent(self) -> int:
        """Return how similar the source is, rounded down: 100 is exact."""
        return math.floor(self.score * 100)


_ByTarget = dict[tuple[str, ...], tuple[MemoryUnit, ...]]
"""A source's translations, the newest last: of each the newest unit, and before it the newest one
of another meme, which stands for it where a meme is not to match itself."""


def _newest(units: _ByTarget) -> MemoryUnit:
    return next(reversed(units.values()))[-1]


class TranslationMemory:
    """Units by language pair. A later unit for the same source comes before an earlier one.

    >>> memory = TranslationMemory([MemoryUnit("en", "de", ("me",), ("ich",))])
    >>> len(memory)
    1
    """

    def __init__(self, units: Iterable[MemoryUnit] = ()) -> None:
        self._units: dict[tuple[str, str], dict[tuple[str, ...], _ByTarget]] = {}
        self._indexes: dict[
            tuple[str, str, int],
            tuple[list[tuple[str, ...]], Callable[[str, float], list[tuple[int, float]]]],
        ] = {}
        for unit in units:
            self.add(unit)

    def __len__(self) -> int:
        return sum(map(len, self._units.values()))

    def add(self, unit: MemoryUnit) -> None:
        """Remember a unit's parts that have text in the source; all must have a translation."""
        unit = unit.without_empty_parts()
        key = tuple(map(normalised, unit.source))
        if key and len(key) == len(unit.target) and all(map(str.strip, unit.target)):
            pair = (unit.source_language, unit.language)
            by_target = self._units.setdefault(pair, {}).setdefault(key, {})
            before = by_target.pop(unit.target, ())
            other = [each for each in before if each.meme_id != unit.meme_id][-1:]
            by_target[unit.target] = (*other, unit)
            self._indexes.pop((*pair, len(key)), None)

    def find(self, item: TranslationItem, fuzzy: float | None = None) -> Match | None:
        """Return the best match for an item: the whole caption, else part by part, else a similar
        one.

        `fuzzy` is the least similarity, above 0 and at most 1, of a match that is not exact, over
        all parts joined; None takes exact ones only.
        """
        key = tuple(map(normalised, filled_texts(item)))
        units = self._units.get(pair_of(item), {}) if key else {}
        if key in units:
            unit = _newest(units[key])
            return Match(unit.target, 1.0, unit)
        singles = [_newest(units[text,]) for text in key if (text,) in units]
        if key and len(singles) == len(key):
            return Match(tuple(unit.target[0] for unit in singles), 1.0)
        for other, score in self._similar(pair_of(item), key, fuzzy) if units and fuzzy else ():
            unit = _newest(units[other])
            return Match(unit.target, score, unit)
        return None

    def nearest(self, item: TranslationItem, *, least: float = LEAST, most: int = 3) -> list[Match]:
        """Return the units whose source is the most similar to an item's, exact ones too, best
        first.

        Of the same source the newest comes first, and the same translation of it only once. A meme
        is not among its own matches, unless its source was another text then.

        Args:
            least: how similar they are at least, above 0 and at most 1.
            most: how many there are at most.
        """
        matches = list[Match]()
        key = tuple(map(normalised, filled_texts(item)))
        of_pair = self._units.get(pair_of(item), {}) if key else {}
        for other, score in self._similar(pair_of(item), key, least) if of_pair else ():
            for units in reversed(of_pair[other].values()):
                others = [unit for unit in units if other != key or unit.meme_id != item.meme_id]
                matches += [Match(unit.target, score, unit) for unit in others[-1:]]
                if len(matches) == most:
                    return matches
        return matches

    def _similar(
        self, pair: tuple[str, str], key: tuple[str, ...], least: float
    ) -> list[tuple[tuple[str, ...], float]]:
        """Return the sources with as many parts that are at least that similar, with how similar.

        Many memes may share a source, so an index remembers what it was asked last.
        """

        units = self._units.get(pair, {})
        if (*pair, len(key)) not in self._indexes:
            keys = [other for other in units if len(other) == len(key)]
            texts = SimilarTexts([SEPARATOR.join(other) for other in keys])
            self._indexes[*pair, len(key)] = (keys, lru_cache(_REMEMBERED)(texts.find))
        keys, find = self._indexes[*pair, len(key)]
        found = ((keys[at], score) for at, score in find(SEPARATOR.join(key), least))
        similar = [(other, min(score, _NOT_EXACT)) for other, score in found if other != key]
        # The very same text comes before one that differs in case only.
        return [(key, 1.0), *similar] if key in units else similar


@dataclass
class MemoryTranslator(FreeTranslator):
    """Nobody beside the memory, which is asked before: what it does not know stays untranslated."""

    name: ClassVar[str] = "memory"

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """See `Translator.translate`."""
        for item in items:
            yield failure(item, InputError(f"meme {item.meme_id} is not in the memory"))


def from_settings(settings: Mapping[str, Any]) -> MemoryTranslator:
    """Return the translator, which has no settings of its own."""
    return validate(MemoryTranslator, settings, "the translator memory")


def normalised(text: str) -> str:
    """Return what an exact match compares.

    >>> normalised("it’s  me ")
    "it's me"
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_QUOTES)
    return " ".join(text.split())
