"""Checks of graphs. In: `MemeKnowledge`, or a graph of rdflib. Out: what `shapes.ttl` refuses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from memeloc.knowledge.graphs.names import DEFAULT, SHAPES_FILE, Terms, library
from memeloc.knowledge.graphs.quads import meme_quads, shared_quads
from memeloc.knowledge.statements import MemeKnowledge

if TYPE_CHECKING:
    from rdflib import Graph


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that a graph must not have; `node` is its IRI, `value` what it has instead."""

    meme: str
    node: str
    message: str
    value: str = ""

    def __str__(self) -> str:
        """A sentence that names the node by the end of its IRI."""
        parts = self.node.split("/")
        where = unquote("/".join(parts[-2:])) if len(parts) > 1 else self.node
        value = f" (it is {self.value[:80]!r})" if self.value else ""
        return f"{self.meme}, {where}: {self.message}{value}"


def as_rdflib(knowledge: MemeKnowledge, terms: Terms = DEFAULT) -> Graph:
    """The graph of a meme for rdflib, by itself.

    Raises:
        MissingError: rdflib is not installed.
    """
    lines = [*shared_quads([knowledge], terms), *meme_quads(knowledge, terms, named=False)]
    graph: Graph = library("rdflib").Graph()
    return graph.parse(data="".join(lines), format="nt")


def violations(graph: Graph, meme: str = "") -> list[Violation]:
    """What is wrong with one graph, by its nodes.

    Raises:
        MissingError: pyshacl is not installed.
    """
    validate = library("pyshacl", "knowledge-check").validate
    from rdflib import SH

    valid, report, _ = validate(graph, shacl_graph=_shapes(), inplace=True)
    if valid:
        return []
    return sorted(
        (
            Violation(
                meme,
                str(report.value(result, SH.focusNode)),
                str(report.value(result, SH.resultMessage)),
                str(report.value(result, SH.value) or ""),
            )
            for result in report.subjects(SH.resultSeverity)
        ),
        key=lambda violation: (violation.node, violation.message, violation.value),
    )


@cache
def _shapes() -> Any:
    return library("rdflib").Graph().parse(SHAPES_FILE, format="turtle")
