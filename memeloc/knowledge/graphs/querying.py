"""Queries. In: SPARQL, a store of graphs. Out: `QueryResult`, within limits of time and rows.

A query runs in a process of its own, which opens the store for reading and is ended when it takes
too long: a query under way cannot be interrupted otherwise.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memeloc.errors import InputError
from memeloc.knowledge.graphs.names import PREFIXES, library
from memeloc.knowledge.graphs.storing import open_store

if TYPE_CHECKING:
    from pyoxigraph import Store

SECONDS = 60.0
ROWS = 10_000

_HOME = str(Path(__file__).parents[3])
_TOKENS = re.compile(
    r"""\"\"\"(?:[^\\]|\\.)*?\"\"\" | '''(?:[^\\]|\\.)*?'''
    | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'  # texts
    | <[^<>"{}|^`\\\x00-\x20]*>                  # IRIs
    | [?$]\w+ | @[\w-]+ | :[\w.%\\-]+            # variables, languages, local names
    | \#[^\n]*                                   # comments
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a result; `language` is a text's tag, and `kind` is empty where nothing is."""

    text: str
    kind: Literal["iri", "text", "blank", ""] = "text"
    language: str = ""


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query gives.

    Attributes:
        columns: the variables of SELECT; `subject predicate object` of CONSTRUCT and DESCRIBE;
            `answer` of ASK.
        rows: a value a column.
        more: whether there are more rows than were asked for.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    more: bool

    def columns_with_languages(self) -> list[str]:
        """The columns; behind one that has texts with languages, one of their tags."""
        return [
            heading
            for place, name in enumerate(self.columns)
            for heading in ([name, f"{name} language"] if self._has_language(place) else [name])
        ]

    def texts(self) -> Iterator[tuple[str, ...]]:
        """The rows as texts, for `columns_with_languages`."""
        tagged = [self._has_language(place) for place in range(len(self.columns))]
        for row in self.rows:
            pairs = [
                (value.text, value.language) if tag else (value.text,)
                for value, tag in zip(row, tagged, strict=True)
            ]
            yield tuple(chain.from_iterable(pairs))

    def _has_language(self, place: int) -> bool:
        return any(row[place].language for row in self.rows)


def run_query(
    folder: Path, query: str, *, seconds: float = SECONDS, rows: int = ROWS
) -> QueryResult:
    """What a SPARQL query gives of all graphs together; GRAPH asks for one.

    The prefixes `ml`, `rel`, `prov`, `rdf`, `rdfs`, `owl` and `xsd` need no declaration.

    Args:
        folder: of a store that `update_store` made.
        query: SELECT, ASK, CONSTRUCT or DESCRIBE.
        seconds: after which it is ended.
        rows: that are read at the most.

    Raises:
        InputError: it is not SPARQL, would change something or ask a service, or takes too long.
    """
    library("pyoxigraph")
    if "service" in _TOKENS.sub(" ", query).lower():
        raise InputError("A query does not ask other servers: take SERVICE out of it.")
    try:
        done = subprocess.run(
            # -P: nothing in the working directory passes for a module.
            [sys.executable, "-P", "-m", __name__, str(folder), str(rows)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [_HOME, *sys.path]))},
            input=json.dumps(query),
            capture_output=True,
            timeout=seconds,
            text=True,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(
            f"The query took longer than {seconds:g} seconds and was ended; ask for less, or "
            "give it more by --seconds."
        ) from error
    try:
        answer = json.loads(done.stdout)
    except ValueError as error:
        reason = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1]
        raise InputError(f"The query could not be run: {reason[:300]}") from error
    if "error" in answer:
        raise InputError(answer["error"])
    return QueryResult(
        tuple(answer["columns"]),
        tuple(tuple(Value(*value) for value in row) for row in answer["rows"]),
        answer["more"],
    )


def _answer(store: Store, query: str, rows: int) -> dict[str, Any]:
    from pyoxigraph import QueryBoolean, QuerySolutions

    try:
        result = store.query(query, prefixes=PREFIXES, use_default_graph_as_union=True)
        if isinstance(result, QueryBoolean):
            return {"columns": ["answer"], "rows": [[[str(bool(result)).lower()]]], "more": False}
        if isinstance(result, QuerySolutions):
            columns = [variable.value for variable in result.variables]
        else:
            columns = ["subject", "predicate", "object"]
        read = [[_value(term) for term in row] for row in islice(result, rows + 1)]
    except SyntaxError as error:
        return {
            "error": f"This is not a query of SPARQL (SELECT, ASK, CONSTRUCT or DESCRIBE): {error}"
        }
    except (OSError, ValueError) as error:
        return {"error": f"The query failed: {error}"}
    return {"columns": columns, "rows": read[:rows], "more": len(read) > rows}


def _value(term: Any) -> tuple[str, str, str]:
    from pyoxigraph import BlankNode, Literal, NamedNode

    if isinstance(term, NamedNode):
        return term.value, "iri", ""
    if isinstance(term, Literal):
        return term.value, "text", term.language or ""
    if isinstance(term, BlankNode):
        return term.value, "blank", ""
    return "" if term is None else str(term), "" if term is None else "text", ""


if __name__ == "__main__":
    json.dump(
        _answer(open_store(Path(sys.argv[1])), json.load(sys.stdin), int(sys.argv[2])), sys.stdout
    )
