"""Time of graphs of memes. In: made-up knowledge. Out: seconds of loading, and of queries.

Each of the memes has ten dimensions of eight statements with provenance, two entities and a
relation; every second statement is about both. Loading makes the quads and writes them to
disk. A query is timed as the command runs it, with its own process and its start.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter, process_time

from bench.figures import Bound, Figure
from bench.place import folder_in_memory
from memeloc.knowledge.dimensions import Dimension, read_recipe
from memeloc.knowledge.graph_store import run_query, store_of
from memeloc.knowledge.statements import (
    DimensionKnowledge,
    Entity,
    MemeKnowledge,
    Provenance,
    Relation,
    Statement,
)

MEMES = 1000
_GROUP = "Graphs"
_STATEMENTS = range(1, 9)
_QUERIES = {
    "statements by dimension": "SELECT ?class (COUNT(?s) AS ?n) { ?class rdfs:subClassOf "
    "ml:Dimension . ?d a ?class . ?s ml:dimension ?d ; a ml:Statement } GROUP BY ?class",
    "what toxicity rests on": 'SELECT ?text ?reason { ?s ml:value "hateful" ; ml:text ?text ; '
    "ml:restsOn/ml:text ?reason }",
    "statements with a word": "SELECT ?text { ?s ml:text ?text FILTER(CONTAINS(?text, '777')) }",
    "one meme, with provenance": 'SELECT ?text ?model { ?meme ml:id "meme-77" . ?g ml:ofMeme ?meme '
    ". ?d ml:partOf ?g . ?s ml:dimension ?d ; ml:text ?text ; "
    "prov:wasGeneratedBy/prov:wasAssociatedWith/rdfs:label ?model }",
    "who is beside whom": "SELECT ?a ?b { ?x rel:nextTo ?y . ?x rdfs:label ?a . ?y rdfs:label ?b }",
}


def measure(*, memes: int = MEMES, say: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """Seconds of loading, and CPU seconds of the slowest of five queries."""
    dimensions = read_recipe("m-quest").dimensions
    made = [_meme(number, dimensions) for number in range(memes)]
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-", dir=folder_in_memory()) as name:
        folder = Path(name)
        say(f"graphs: {memes:,} are loaded")
        begin, clock = process_time(), perf_counter()
        store = store_of(folder, "bench", made)
        spent, waited = process_time() - begin, perf_counter() - clock
        times = {}
        for what, query in _QUERIES.items():
            say(f"graphs: {what}")
            before = _of_children()
            rows = len(run_query(store, query)["rows"])
            times[what] = (_of_children() - before, rows)
    slowest = max(times, key=lambda what: times[what][0])
    note = ", ".join(f"{what} {time:.2f} s ({rows:,} rows)" for what, (time, rows) in times.items())
    return [
        Figure(
            _GROUP,
            f"loading {memes:,} graphs",
            waited,
            "s",
            Bound("at most", 10),
            f"{spent:.1f} s CPU, in as many threads as there are processors",
        ),
        Figure(
            _GROUP, f"SPARQL, CPU: {slowest}", times[slowest][0], "s", Bound("at most", 3), note
        ),
    ]


def _of_children() -> float:
    """CPU seconds of processes that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _meme(number: int, dimensions: tuple[Dimension, ...]) -> MemeKnowledge:
    answer = Provenance("model", "model-1", "ab" * 32, "2026-11-23T07:00:00+00:00", {"seed": 0})
    return MemeKnowledge(
        f"meme-{number}",
        "c" * 64,
        "de",
        "en",
        "m-quest",
        "model",
        tuple(_dimension(number, each.id, answer) for each in dimensions),
        answer,
    )


def _dimension(number: int, id: str, answer: Provenance) -> DimensionKnowledge:
    entities = tuple(
        Entity(f"{id}-{place}", f"thing {place} of {number}", "thing", id) for place in range(2)
    )
    names = [entity.id for entity in entities]
    statements = tuple(
        Statement(
            f"{id}-{place}",
            id,
            f"Statement {place} about {id} in meme {number}.",
            tuple(names[: 1 + place % 2]),
            "hateful" if id == "toxicity" else "",
            (f"scene-{place}",) if id == "toxicity" else (),
        )
        for place in _STATEMENTS
    )
    relations = (Relation(names[0], "nextTo", names[1], id),)
    return DimensionKnowledge(id, "answered", entities, relations, statements, "", answer)
