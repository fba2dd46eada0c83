"""The store of all graphs, and queries. In: `MemeKnowledge`, SPARQL. Out: a folder, rows of texts.

A store is computed, and can be deleted at any time. Its folder is named by what it was made of, and
takes its name at the end: after a kill, or a change, it is made anew (a thousand memes take some
seconds). A query runs in a process of its own, which is ended when it takes too long: pyoxigraph
cannot interrupt a query under way.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.engine import usable_cpus
from memeloc.errors import InputError
from memeloc.files import locked
from memeloc.knowledge import TEXTS
from memeloc.knowledge.graphs import (
    DEFAULT,
    ONTOLOGY_FILE,
    PREFIXES,
    Terms,
    library,
    meme_quads,
    shared_quads,
)
from memeloc.knowledge.statements import MemeKnowledge, Statement
from memeloc.reports import Report
from memeloc.reports.figures import BETWEEN, joined, tidy

if TYPE_CHECKING:
    from pyoxigraph import Store

    from memeloc.embedding.models import Embedder

THRESHOLD = 0.6
"""Cosine from which two statements are counterparts."""


def compare(
    memes: Iterable[MemeKnowledge],
    versions: Sequence[str],
    embedder: Embedder,
    *,
    language: str = "",
    threshold: float = THRESHOLD,
) -> Report:
    """Compare versions of the same memes, each two of them. Raise InputError if no meme has
    statements of one language in two versions; MissingError if scipy is not installed.

    Args:
        memes: of one recipe and model.
        versions: tags of at least two.
        language: of the statements that are compared; the one that all versions have by default.

    Returns:
        Figures of the analyses `comparison` (all in all), `comparison-dimensions` (a group each two
        versions, an item each dimension) and `comparison-statements`, whose item is the meme and
        two counterparts, or a statement that has none and so no similarity.
    """
    import pandas as pd

    of_versions = [each for each in memes if each.version in versions]
    language = language or _common_language(of_versions, versions)
    by_meme: dict[str, dict[str, MemeKnowledge]] = defaultdict(dict)
    for knowledge in of_versions:
        if knowledge.language == language:
            by_meme[knowledge.meme][knowledge.version] = knowledge
    compared = {meme: found for meme, found in by_meme.items() if len(found) > 1}
    if not compared:
        raise InputError(
            f"No meme has statements in {language} in two of the versions {', '.join(versions)}; "
            "memeloc knowledge status shows what there is."
        )
    counts, statements = [], []
    for meme, found in sorted(compared.items()):
        for first, second in combinations([each for each in versions if each in found], 2):
            group = BETWEEN.join((first, second))
            answered = {d.dimension: d for d in found[second].dimensions if d.state != "missing"}
            for part in found[first].dimensions:
                if part.state == "missing" or part.dimension not in answered:
                    continue
                mine, others = part.statements, answered[part.dimension].statements
                pairs = list(_paired(mine, others, embedder, threshold))
                both = len(mine) + len(others) - len(pairs)
                counts.append((group, part.dimension, 1, len(mine), len(others), both))
                for *texts, similarity in pairs:
                    named = zip((first, second), texts, strict=True)
                    parts = [f"{version}: {text}" for version, text in named if text]
                    item = " | ".join([f"{meme}, {part.dimension}", *parts])
                    statements.append((group, item, similarity))
    names = ["memes", "first_statements", "second_statements", "counterparts"]
    table = pd.DataFrame(counts, columns=["group", "item", *names])
    dimensions = table.groupby(["item", "group"], sort=False).sum().reset_index()
    of_both = dimensions["first_statements"] + dimensions["second_statements"]
    dimensions["share"] = 2 * dimensions["counterparts"] / of_both  # 0 / 0 is NaN
    totals = {
        "memes": [len(compared)],
        "alone": [len(by_meme) - len(compared)],
        "counterparts": [dimensions["counterparts"].sum()],
    }
    frame = pd.DataFrame(statements, columns=["group", "item", "similarity"])
    frame = frame.sort_values("similarity", na_position="first", kind="stable")
    figures = [
        tidy("comparison", pd.DataFrame(totals)),
        tidy("comparison-dimensions", dimensions),
        tidy("comparison-statements", frame, f"cosine of {embedder.name}"),
    ]
    settings = {"language": language, "model": embedder.name, "threshold": threshold}
    title = f"Meaning in {', '.join(versions)}"
    return Report("comparison", title, joined(figures), TEXTS, settings=settings)


def _common_language(memes: Sequence[MemeKnowledge], versions: Sequence[str]) -> str:
    languages = {v: {each.language for each in memes if each.version == v} for v in versions}
    for version, found in languages.items():
        if not found:
            raise InputError(
                f"Nothing was extracted of versions in {version}; memeloc knowledge extract "
                f"--lang {version} asks a model."
            )
    common = set.intersection(*languages.values())
    if not common:
        raise InputError(
            "The versions have no statements in the same language, so they cannot be compared: "
            "run memeloc knowledge extract for each with --statements-language en."
        )
    return "en" if "en" in common else min(common)


def _paired(
    first: Sequence[Statement], second: Sequence[Statement], embedder: Embedder, threshold: float
) -> Iterator[tuple[str, str, float | None]]:
    """Yield the texts and the similarity of counterparts, then each statement that has none."""
    import numpy as np

    left, right = set(range(len(first))), set(range(len(second)))
    if first and second:
        assign = library("scipy.optimize").linear_sum_assignment
        vectors = embedder.embed([each.text for each in (*first, *second)]).astype(float)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        # A vector of zeros is similar to none.
        vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        similarities = vectors[: len(first)] @ vectors[len(first) :].T
        for row, column in zip(*assign(similarities, maximize=True), strict=True):
            similarity = float(similarities[row, column])
            if similarity >= threshold:
                left.remove(int(row))
                right.remove(int(column))
                yield first[row].text, second[column].text, round(similarity, 4)
    yield from ((first[place].text, "", None) for place in sorted(left))
    yield from (("", second[place].text, None) for place in sorted(right))


SECONDS = 60.0  # of a query by default; people wait no longer
ROWS = 10_000  # of a query's answer by default; a table of more is not read on a screen

_TOGETHER = 250
"""Memes whose quads are loaded at a time by each thread."""
_FORM = 2
"""Of the quads that are made of knowledge; another number makes all graphs again."""
_NO_KEYWORDS = re.compile(
    r"""\"\"\"(?:[^\\]|\\.)*?\"\"\" | '''(?:[^\\]|\\.)*?'''
    | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'  # texts
    | <[^<>"{}|^`\\\x00-\x20]*>                  # IRIs
    | [?$]\w+ | @[\w-]+ | :[\w.%\\-]+            # variables, languages, local names
    | \#[^\n]*                                   # comments
    """,
    re.VERBOSE | re.DOTALL,
)


def store_of(
    folder: Path, source: str, memes: Iterable[MemeKnowledge], terms: Terms = DEFAULT
) -> Path:
    """Return the folder of the store of graphs made of `source`; make it if it is not there. Raise
    InputError if another command is making graphs in this folder, or it cannot be written;
    MissingError if pyoxigraph is not installed.

    Args:
        folder: where stores are kept; others than this one are removed from it.
        source: a hash of all that the memes and terms are made of.
        memes: are read only where the store is made.
    """
    oxigraph = library("pyoxigraph")
    made = folder / f"{_FORM}-{source}"
    if made.is_dir():
        return made
    folder.mkdir(parents=True, exist_ok=True)
    busy = (
        "Another command is bringing the graphs up to date; run this one again when it has ended."
    )
    with locked(folder / "lock", folder, busy):
        for other in (each for each in folder.iterdir() if each.name != "lock"):
            shutil.rmtree(other, ignore_errors=True)
        try:
            store = oxigraph.Store(str(folder / "new"))
            store.load(path=str(ONTOLOGY_FILE), format=oxigraph.RdfFormat.TURTLE)
            _load(store, list(memes), terms)
            store.flush()
            del store  # closes it
            (folder / "new").rename(made)
        except OSError as error:
            message = f"The store of graphs cannot be written: {error}"
            raise InputError(message, file=folder) from error
    return made


def _load(store: Store, memes: list[MemeKnowledge], terms: Terms) -> None:
    """Make and load quads in a thread a processor: loading leaves Python alone, so two threads take
    half the time of one."""
    from pyoxigraph import RdfFormat

    def load(lines: Iterable[str]) -> None:
        # They are our own and right: to check them again is a sixth of the time.
        store.bulk_load("".join(lines).encode(), RdfFormat.N_QUADS, lenient=True)

    load(shared_quads(memes, terms))
    parts = [memes[start : start + _TOGETHER] for start in range(0, len(memes), _TOGETHER)]
    with ThreadPoolExecutor(usable_cpus()) as pool:
        quads = (chain.from_iterable(meme_quads(each, terms) for each in part) for part in parts)
        try:
            list(pool.map(load, quads))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def open_store(store: Path) -> Store:
    """Open a store that `store_of` made, for reading; several may read at the same time. Raise
    InputError if it cannot be opened."""
    try:
        opened: Store = library("pyoxigraph").Store.read_only(str(store))
    except OSError as error:
        raise InputError(
            "The store of graphs cannot be opened; it is computed, so delete the folder and run "
            f"the command again ({error}).",
            file=store,
        ) from error
    return opened


def run_query(
    store: Path, query: str, *, seconds: float = SECONDS, rows: int = ROWS
) -> dict[str, Any]:
    """Ask a store, all graphs together; GRAPH asks for one. `PREFIXES` need no declaration. Raise
    InputError if it is not SPARQL, would change something or ask a service, or takes too long.

    Args:
        store: a folder that `store_of` gave.
        query: SELECT, ASK, CONSTRUCT or DESCRIBE.
        seconds: after which it is ended.
        rows: that are read at the most.

    Returns:
        `columns`: the variables of SELECT, `subject predicate object` of CONSTRUCT and DESCRIBE, or
        `answer` of ASK; behind one that has texts with languages, one of their tags. `rows`, of
        texts, empty where there is nothing; and whether there are `more` than were asked for.
    """
    library("pyoxigraph")
    if "service" in _NO_KEYWORDS.sub(" ", query).lower():
        raise InputError("A query does not ask other servers: take SERVICE out of it.")
    home = str(Path(__file__).parents[2])
    try:
        done = subprocess.run(
            # -P: nothing in the working directory passes for a module.
            [sys.executable, "-P", "-m", __name__, str(store), str(rows + 1)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [home, *sys.path]))},
            input=json.dumps(query),
            capture_output=True,
            timeout=seconds,
            text=True,
            check=False,
        )
        answer = json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        raise InputError(
            f"The query took longer than {seconds:g} seconds and was ended; ask for less, or "
            "give it more by --seconds."
        ) from error
    except ValueError as error:
        reason = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1]
        raise InputError(f"The query could not be run: {reason[:300]}") from error
    if "error" in answer:
        raise InputError(answer["error"])
    columns: list[str] = []
    for name in answer["columns"]:
        tag = f"{name} language"
        columns += [name, tag] if any(tag in row for row in answer["rows"]) else [name]
    values = [[row.get(name, "") for name in columns] for row in answer["rows"]]
    return {"columns": columns, "rows": values[:rows], "more": len(values) > rows}


def _answer(store: Store, query: str, most: int) -> dict[str, Any]:
    """Return the columns of an answer, and so many rows: texts and tags of languages, by column."""
    from pyoxigraph import Literal, QueryBoolean, QuerySolutions

    try:
        result = store.query(query, prefixes=PREFIXES, use_default_graph_as_union=True)
        if isinstance(result, QueryBoolean):
            return {"columns": ["answer"], "rows": [{"answer": str(bool(result)).lower()}]}
        columns = ["subject", "predicate", "object"]
        if isinstance(result, QuerySolutions):
            columns = [variable.value for variable in result.variables]
        rows = []
        for terms in islice(result, most):
            named = [(name, t) for name, t in zip(columns, terms, strict=True) if t is not None]
            row = {name: getattr(term, "value", str(term)) for name, term in named}
            tagged = [(name, t) for name, t in named if isinstance(t, Literal) and t.language]
            rows.append(row | {f"{name} language": term.language for name, term in tagged})
    except SyntaxError as error:
        forms = "SELECT, ASK, CONSTRUCT or DESCRIBE"
        return {"error": f"This is not a query of SPARQL ({forms}): {error}"}
    except (OSError, ValueError) as error:
        return {"error": f"The query failed: {error}"}
    return {"columns": columns, "rows": rows}


if __name__ == "__main__":
    opened, query, most = open_store(Path(sys.argv[1])), json.load(sys.stdin), int(sys.argv[2])
    json.dump(_answer(opened, query, most), sys.stdout)
