"""Names in RDF. In: ids of anybody's. Out: IRIs that stay the same, and literals of N-Quads.

What memeloc defines is below `ONTOLOGY` (`ontology.ttl`); memes, graphs and models are below a base
that a team sets. Ids are percent-encoded, so that each has one IRI and each IRI one id.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memeloc.errors import InputError, MissingError
from memeloc.knowledge.statements import MemeKnowledge

if TYPE_CHECKING:
    from memeloc.knowledge.dimensions import Dimension

BASE = "urn:memeloc:"
"""The base of IRIs of memes, graphs and models where none is set."""
ONTOLOGY = "urn:memeloc:ontology#"
RELATIONS = "urn:memeloc:relation#"
PROV = "http://www.w3.org/ns/prov#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = {
    "ml": ONTOLOGY,
    "rel": RELATIONS,
    "prov": PROV,
    "rdf": RDF,
    "rdfs": RDFS,
    "owl": OWL,
    "xsd": XSD,
}
"""Prefixes of files and of queries."""
ONTOLOGY_FILE = Path(__file__).with_name("ontology.ttl")
SHAPES_FILE = Path(__file__).with_name("shapes.ttl")

_BASE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]*[:/#]|urn:[a-z0-9][a-z0-9-]+:")
_FORBIDDEN = re.compile(r"[<>\"{}|\\^`]")
_SAFE = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*").fullmatch
_TAG = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_SPECIAL = re.compile(r'["\\\n]').search
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Terms:
    """What is named how.

    Attributes:
        base: of the IRIs of memes, graphs, models and a team's own dimensions.
        dimensions: a team's own by id; those that ship need not be there.
    """

    base: str = BASE
    dimensions: Mapping[str, Dimension] = field(default_factory=dict)

    def dimension(self, id: str) -> Dimension | None:
        """The dimension of an id; None of one that is not known any more."""
        return self.dimensions.get(id) or _shipped().get(id)

    def meme_iri(self, meme: str) -> str:
        """The IRI of a meme in all its versions."""
        return f"{self.base}meme/{encoded(meme)}"

    def model_iri(self, model: str) -> str:
        """The IRI of a model."""
        return f"{self.base}model/{encoded(model)}"

    def class_iri(self, id: str) -> str:
        """The IRI of a dimension's class; of a team's own, below the base."""
        dimension = self.dimension(id)
        name = dimension.class_name if dimension else id
        if name in {each.class_name for each in _shipped().values()}:
            return ONTOLOGY + name
        return f"{self.base}dimension/{encoded(name)}"


DEFAULT = Terms()


@cache
def _shipped() -> dict[str, Dimension]:
    # pydantic takes longer to import than most queries take.
    from memeloc.knowledge.dimensions import dimension_names, read_dimension

    return {name: read_dimension(name) for name in dimension_names()}


def encoded(*ids: str) -> str:
    """Ids as a path of an IRI, each percent-encoded.

    >>> encoded("a/b", "चाय"[:1])
    'a%2Fb/%E0%A4%9A'
    """
    return "/".join([id if _SAFE(id) else _quoted(id) for id in ids])


def _quoted(id: str) -> str:
    if id and not id.strip("."):
        return "%2E" * len(id)  # not a step up the path
    return quote(id, safe="", errors="surrogatepass") or "-"


def graph_iri(knowledge: MemeKnowledge, base: str = BASE) -> str:
    """The IRI of a meme's named graph: of the meme, version, language, recipe and model."""
    return f"{base}graph/" + encoded(
        knowledge.meme, knowledge.version, knowledge.language, knowledge.recipe, knowledge.model
    )


def checked_base(base: str) -> str:
    """The base as it was set, or `BASE` where it is empty.

    Raises:
        InputError: it is not an absolute IRI that ends in `/`, `#` or `:`.
    """
    if not base:
        return BASE
    if not _BASE.fullmatch(base) or _FORBIDDEN.search(base):
        raise InputError(
            f"The base of IRIs is absolute and ends in /, # or :, as https://example.org/memes/, "
            f"not {base[:80]!r}."
        )
    return base


def clean(text: str) -> str:
    """The text as every format of RDF can hold it.

    Lone surrogates, and control characters but for tabs and line breaks, become U+FFFD.

    >>> clean("a" + chr(0xD800) + chr(0)) == "a" + 2 * chr(0xFFFD)
    True
    """
    if not text.isprintable():
        text = _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def literal(text: str, language: str = "") -> str:
    """A text as a literal of N-Quads, with its language where one is given.

    A language that is no tag of BCP 47 becomes `und`.

    >>> literal('a "cat"', "en")
    '"a \\\\"cat\\\\""@en'
    """
    text = clean(text)
    if _SPECIAL(text):
        text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"@{_tag(language)}' if language else f'"{text}"'


@lru_cache(maxsize=256)
def _tag(language: str) -> str:
    return language.lower() if _TAG.fullmatch(language) else "und"


def library(name: str, extra: str = "knowledge") -> Any:
    """A package, or a module of one, that is optional.

    Raises:
        MissingError: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        message = f"This needs {package}: pip install 'memeloc[{extra}]'."
        raise MissingError(message) from error
