"""Graphs of a workspace. In: stored answers. Out: a store of RDF, queries, files, checks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.knowledge.graphs.checking import Violation, as_rdflib, violations
from memeloc.knowledge.graphs.exporting import ExportFormat, GraphFiles, write_graphs
from memeloc.knowledge.graphs.names import Terms, checked_base, library
from memeloc.knowledge.graphs.storing import open_store, update_store
from memeloc.knowledge.statements import MemeKnowledge
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.knowledge.stored import StoredKnowledge, every_stored, stored_knowledge

if TYPE_CHECKING:
    from pyoxigraph import Store
    from rdflib import Dataset


@dataclass(frozen=True, slots=True)
class GraphCheck:
    """How many graphs were checked, and what is wrong with them."""

    graphs: int
    violations: tuple[Violation, ...]


def current_store(workspace: WorkspaceFolder) -> Path:
    """The folder of the store of all graphs, brought up to date.

    Raises:
        InputError: nothing was extracted, the base of IRIs is not one, or another command is
            bringing the store up to date.
        MissingError: pyoxigraph is not installed.
    """
    folder = workspace.store.knowledge.folder / ".cache" / "graphs"
    every = every_stored(workspace) or [stored_knowledge(workspace)]
    terms = terms_of(workspace, *every)
    parts = (workspace.store.knowledge.last(), terms, [each.recipe.sha256 for each in every])
    source = hashlib.sha256(repr(parts).encode()).hexdigest()

    def memes() -> Iterator[MemeKnowledge]:
        for each in every:
            yield from each.memes()

    update_store(folder, memes(), terms, source=source)
    return folder


def graph_store(workspace: WorkspaceFolder) -> Store:
    """All graphs, for reading; see `current_store`."""
    return open_store(current_store(workspace))


def rdflib_dataset(workspace: WorkspaceFolder) -> Dataset:
    """All graphs in the memory of rdflib; see `current_store`.

    Raises:
        MissingError: rdflib is not installed.
    """
    dataset: Dataset = library("rdflib").Dataset(default_union=True)
    store = graph_store(workspace)
    content = store.dump(format=library("pyoxigraph").RdfFormat.N_QUADS)
    dataset.parse(data=content, format="nquads")
    return dataset


def export_graphs(stored: StoredKnowledge, out: Path, to: ExportFormat) -> GraphFiles:
    """Write the graphs of an extraction; see `write_graphs`."""
    return write_graphs(stored.memes(), out, to, terms_of(stored.workspace, stored))


def check_stored(stored: StoredKnowledge, on_progress: Callable[[int, int], None]) -> GraphCheck:
    """Check the graphs of an extraction by the shapes that every graph must meet."""
    memes = list(stored.memes())
    terms = terms_of(stored.workspace, stored)
    found: list[Violation] = []
    for each in memes:
        found += violations(as_rdflib(each, terms), each.meme)
        on_progress(1, len(memes))
    return GraphCheck(len(memes), tuple(found))


def terms_of(workspace: WorkspaceFolder, *stored: StoredKnowledge) -> Terms:
    """How things are named: by the base of the settings, and the dimensions of recipes.

    Raises:
        InputError: the base is not one.
    """
    dimensions = {each.id: each for extraction in stored for each in extraction.recipe.dimensions}
    return Terms(checked_base(workspace.settings.knowledge.base), dimensions)
