"""Graphs of a workspace. In: stored answers. Out: a store of RDF, and what checks find."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.knowledge.graph_store import open_store, store_of
from memeloc.knowledge.graphs import Terms, as_rdflib, checked_base, library, violations
from memeloc.knowledge.statements import MemeKnowledge
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.knowledge.stored import StoredKnowledge, every_stored, stored_knowledge

if TYPE_CHECKING:
    from rdflib import Dataset


def current_store(workspace: WorkspaceFolder) -> Path:
    """Return the folder of the store of all graphs, made of what was extracted by now.

    Raises:
        InputError: nothing was extracted, the base of IRIs is not one, or another command is
            making the store.
        MissingError: pyoxigraph is not installed.
    """
    extractions = every_stored(workspace) or [stored_knowledge(workspace)]
    terms = terms_of(workspace, *extractions)
    parts = (workspace.store.knowledge.last(), terms, [each.recipe.sha256 for each in extractions])
    source = hashlib.sha256(repr(parts).encode()).hexdigest()

    def memes() -> Iterator[MemeKnowledge]:
        for each in extractions:
            yield from each.memes()

    return store_of(workspace.store.knowledge.folder / ".cache" / "graphs", source, memes(), terms)


def rdflib_dataset(workspace: WorkspaceFolder) -> Dataset:
    """Return all graphs in the memory of rdflib; see `current_store`.

    Raises:
        MissingError: rdflib is not installed.
    """
    dataset: Dataset = library("rdflib").Dataset(default_union=True)
    store = open_store(current_store(workspace))
    content = store.dump(format=library("pyoxigraph").RdfFormat.N_QUADS)
    dataset.parse(data=content, format="nquads")
    return dataset


def check_stored(
    stored: StoredKnowledge, on_progress: Callable[[int, int], None]
) -> dict[str, Any]:
    """Return how many `graphs` of an extraction were checked, and their `violations` of the shapes
    that every graph must meet."""
    memes = list(stored.memes())
    terms = terms_of(stored.workspace, stored)
    found = []
    for each in memes:
        found += violations(as_rdflib(each, terms), each.meme)
        on_progress(1, len(memes))
    return {"graphs": len(memes), "violations": found}


def terms_of(workspace: WorkspaceFolder, *stored: StoredKnowledge) -> Terms:
    """Return how things are named: by the base of the settings, and the dimensions of recipes.

    Raises:
        InputError: the base is not one.
    """
    dimensions = {each.id: each for extraction in stored for each in extraction.recipe.dimensions}
    return Terms(checked_base(workspace.settings.knowledge.base), dimensions)
