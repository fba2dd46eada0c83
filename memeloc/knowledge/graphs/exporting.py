"""Graphs as files. In: `MemeKnowledge`. Out: Turtle, JSON-LD, N-Quads, or tables in Parquet.

The same knowledge gives the same bytes: graphs are sorted by their IRI, and quads in each. Turtle
has no named graphs: there `ml:partOf` says which graph a thing is of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal

from memeloc.files import replacing
from memeloc.knowledge.graphs.names import DEFAULT, PREFIXES, Terms, clean, graph_iri, library
from memeloc.knowledge.graphs.quads import meme_quads, shared_quads
from memeloc.knowledge.statements import MemeKnowledge, Provenance
from memeloc.tables.writing import write_table

ExportFormat = Literal["ttl", "jsonld", "nquads", "parquet"]

_GRAPH = ("meme", "version", "language", "recipe", "model")
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
            oxigraph = library("pyoxigraph")
            formats = oxigraph.RdfFormat
            quads = (quad for part in parts() for quad in oxigraph.parse(part, formats.N_QUADS))
            if to == "ttl":
                triples = (quad.triple for quad in quads)
                oxigraph.serialize(triples, file, formats.TURTLE, prefixes=PREFIXES)
            else:
                oxigraph.serialize(quads, file, formats.JSON_LD, prefixes=PREFIXES)
    return GraphFiles((out,), len(graphs), count)


_TABLES: Mapping[str, tuple[str, ...]] = {
    "statements": ("id", "text", "value", "entities", "rests_on"),
    "entities": ("id", "label", "kind"),
    "relations": ("source", "name", "target"),
}
"""By table its own columns: attributes of what a dimension has of it."""


def _write_tables(graphs: Sequence[MemeKnowledge], out: Path, base: str) -> GraphFiles:
    written = {}
    for name, own in _TABLES.items():
        rows = (
            [*about, found.dimension, *(getattr(each, column) for column in own), *answer]
            for knowledge in graphs
            for about in [(graph_iri(knowledge, base), *(getattr(knowledge, c) for c in _GRAPH))]
            for found in knowledge.dimensions
            for answer in [[getattr(found.provenance or Provenance(""), c) for c in _ANSWER]]
            for each in getattr(found, name)
        )
        texts = ([clean(c if isinstance(c, str) else " ".join(c)) for c in row] for row in rows)
        file = out / f"{name}.parquet"
        written[file] = write_table(file, ("graph", *_GRAPH, "dimension", *own, *_ANSWER), texts)
    return GraphFiles(tuple(written), len(graphs), sum(written.values()))
