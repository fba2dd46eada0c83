"""Graphs as files. In: `MemeKnowledge`. Out: Turtle, JSON-LD, N-Quads, or tables in Parquet.

The same knowledge gives the same bytes: graphs are sorted by their IRI, and quads in each. Turtle
has no named graphs: there `ml:partOf` says which graph a thing is of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal

from memeloc.files import replacing
from memeloc.knowledge.graphs.names import DEFAULT, PREFIXES, Terms, clean, graph_iri, library
from memeloc.knowledge.graphs.quads import meme_quads, shared_quads
from memeloc.knowledge.statements import DimensionKnowledge, MemeKnowledge, Provenance
from memeloc.tables.writing import write_table

ExportFormat = Literal["ttl", "jsonld", "nquads", "parquet"]

_GRAPH = ("graph", "meme", "version", "language", "recipe", "model")
_ANSWER = ("served", "prompt", "date")


@dataclass(frozen=True, slots=True)
class GraphFiles:
    """What was written: files with their graphs' number, and quads or rows all together."""

    files: tuple[Path, ...]
    graphs: int
    rows: int


def write_graphs(
    memes: Iterable[MemeKnowledge], out: Path, to: ExportFormat = "nquads", terms: Terms = DEFAULT
) -> GraphFiles:
    """Write all graphs into a file, or for Parquet three tables into a folder.

    The tables are `statements` (a row a statement, with its provenance), `entities` and
    `relations`. What stands there is replaced at the end.

    Raises:
        InputError: it cannot be written.
        MissingError: pyoxigraph is not installed.
    """
    graphs = sorted(memes, key=lambda each: graph_iri(each, terms.base))
    if to == "parquet":
        return _write_tables(graphs, out, terms.base)
    count = 0

    def parts() -> Iterator[str]:
        nonlocal count
        named = to != "ttl"
        ordered = (sorted(set(meme_quads(each, terms, named=named))) for each in graphs)
        for lines in chain([shared_quads(graphs, terms)], ordered):
            count += len(lines)
            yield "".join(lines)

    with replacing(out) as temporary, temporary.open("wb") as file:
        if to == "nquads":
            file.writelines(part.encode() for part in parts())
        else:
            _serialize(parts(), file, to)
    return GraphFiles((out,), len(graphs), count)


def _serialize(parts: Iterator[str], file: BinaryIO, to: Literal["ttl", "jsonld"]) -> None:
    library("pyoxigraph")
    from pyoxigraph import RdfFormat, parse, serialize

    quads = (quad for part in parts for quad in parse(part, RdfFormat.N_QUADS))
    if to == "ttl":
        triples = (quad.triple for quad in quads)
        serialize(triples, file, RdfFormat.TURTLE, prefixes=PREFIXES)
    else:
        serialize(quads, file, RdfFormat.JSON_LD, prefixes=PREFIXES)


def _write_tables(graphs: Sequence[MemeKnowledge], out: Path, base: str) -> GraphFiles:
    written = {
        out / f"{name}.parquet": write_table(
            out / f"{name}.parquet",
            (*_GRAPH, "dimension", *columns, *_ANSWER),
            _rows(graphs, rows, base),
        )
        for name, (columns, rows) in _TABLES.items()
    }
    return GraphFiles(tuple(written), len(graphs), sum(written.values()))


_Rows = Callable[[DimensionKnowledge], Iterator[tuple[str, ...]]]

_TABLES: Mapping[str, tuple[tuple[str, ...], _Rows]] = {
    "statements": (
        ("id", "text", "value", "entities", "rests_on"),
        lambda found: (
            (each.id, each.text, each.value, " ".join(each.entities), " ".join(each.rests_on))
            for each in found.statements
        ),
    ),
    "entities": (
        ("id", "label", "kind"),
        lambda found: ((each.id, each.label, each.kind) for each in found.entities),
    ),
    "relations": (
        ("source", "name", "target"),
        lambda found: ((each.source, each.name, each.target) for each in found.relations),
    ),
}
"""By table its own columns, and its rows of a dimension."""


def _rows(graphs: Sequence[MemeKnowledge], rows: _Rows, base: str) -> Iterator[tuple[Any, ...]]:
    for each in graphs:
        graph = graph_iri(each, base)
        about = (graph, each.meme, each.version, each.language, each.recipe, each.model)
        for found in each.dimensions:
            answer = found.provenance or Provenance("")
            for row in rows(found):
                texts = (*about, found.dimension, *row, answer.served, answer.prompt, answer.date)
                yield tuple(map(clean, texts))
