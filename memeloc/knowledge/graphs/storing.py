"""The store of graphs. In: `MemeKnowledge`. Out: a folder of pyoxigraph's, brought up to date.

All in it is computed: the folder can be deleted at any time. `made.json` is written last and says
of what each graph was made; only what is new or changed is made again, after a kill, too.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.engine import usable_cpus
from memeloc.errors import InputError
from memeloc.files import locked, replacing
from memeloc.knowledge.graphs.names import DEFAULT, ONTOLOGY_FILE, Terms, graph_iri, library
from memeloc.knowledge.graphs.quads import meme_quads, shared_quads
from memeloc.knowledge.statements import MemeKnowledge

if TYPE_CHECKING:
    from pyoxigraph import Store

_FORM = 1
"""Of the quads that are made of knowledge; another number makes all graphs again."""
_TOGETHER = 250
"""Memes whose quads are loaded at a time by each thread."""


@dataclass(frozen=True, slots=True)
class Update:
    """How many graphs were made, were there already, and were removed."""

    made: int
    kept: int
    removed: int


def update_store(
    folder: Path, memes: Iterable[MemeKnowledge], terms: Terms = DEFAULT, *, source: str = ""
) -> Update:
    """Bring the graphs in a folder up to date.

    Args:
        folder: is made; what stands in it is from an earlier call.
        memes: all that the store is to have; others in it are removed.
        source: what the memes and terms are made of, if that is known: the memes are not read where
            it is the same as at the last call.

    Raises:
        InputError: another command is making graphs in this folder.
        MissingError: pyoxigraph is not installed.
    """
    library("pyoxigraph")
    made = _made(folder)
    if source and made.get("source") == source:
        return Update(0, len(made["graphs"]), 0)
    folder.mkdir(parents=True, exist_ok=True)
    busy = (
        "Another command is bringing the graphs up to date; run this one again when it has ended."
    )
    with locked(folder / "lock", folder, busy):
        made = _made(folder)
        graphs: dict[str, str] = made.get("graphs", {})
        wanted = {graph_iri(each, terms.base): each for each in memes}
        hashes = {iri: _hash(each, terms) for iri, each in wanted.items()}
        new = [iri for iri in sorted(wanted) if graphs.get(iri) != hashes[iri]]
        stale = graphs.keys() - wanted.keys()
        if new or stale or not made:
            _write(folder, [wanted[iri] for iri in new], stale, list(wanted.values()), terms)
        record = {"form": _FORM, "source": source, "graphs": hashes}
        with replacing(folder / "made.json") as temporary:
            temporary.write_text(json.dumps(record), "utf-8")
    return Update(len(new), len(wanted) - len(new), len(stale))


def open_store(folder: Path) -> Store:
    """The store that `update_store` made, for reading; others may read and make at the same time.

    Raises:
        InputError: it cannot be opened.
    """
    from pyoxigraph import Store

    try:
        return Store.read_only(str(_database(folder)))
    except OSError as error:
        raise InputError(
            "The store of graphs cannot be opened; it is computed, so delete the folder and run "
            f"the command again ({error}).",
            file=folder,
        ) from error


def _write(
    folder: Path,
    new: list[MemeKnowledge],
    stale: Iterable[str],
    memes: Sequence[MemeKnowledge],
    terms: Terms,
) -> None:
    from pyoxigraph import DefaultGraph, NamedNode, RdfFormat, Store

    if not _made(folder):
        shutil.rmtree(_database(folder), ignore_errors=True)
    try:
        store = Store(str(_database(folder)))
        known = {graph.value for graph in store.named_graphs()}
        for iri in sorted(
            known.intersection([*stale, *(graph_iri(each, terms.base) for each in new)])
        ):
            store.remove_graph(NamedNode(iri))
        store.clear_graph(DefaultGraph())
        store.load(path=str(ONTOLOGY_FILE), format=RdfFormat.TURTLE)
        _load(store, shared_quads(memes, terms))
        _load_all(store, new, terms)
        store.flush()
    except OSError as error:
        raise InputError(f"The store of graphs cannot be written: {error}", file=folder) from error


def _load_all(store: Store, new: Sequence[MemeKnowledge], terms: Terms) -> None:
    """Make and load the quads of memes, in as many threads as there are processors.

    Loading leaves Python alone, so that two threads take half the time of one.
    """

    def load(start: int) -> None:
        memes = new[start : start + _TOGETHER]
        _load(store, (line for each in memes for line in meme_quads(each, terms)))

    with ThreadPoolExecutor(usable_cpus()) as pool:
        try:
            for _ in pool.map(load, range(0, len(new), _TOGETHER)):
                pass
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _load(store: Store, quads: Iterable[str]) -> None:
    from pyoxigraph import RdfFormat

    # They are our own and right: to check them again is a sixth of the time.
    store.bulk_load("".join(quads).encode(), RdfFormat.N_QUADS, lenient=True)


def _made(folder: Path) -> dict[str, Any]:
    """What the store was made of, by graph a hash; empty where it is not there or of older form."""
    try:
        made: dict[str, Any] = json.loads((folder / "made.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return made if made.get("form") == _FORM and _database(folder).is_dir() else {}


def _hash(knowledge: MemeKnowledge, terms: Terms) -> str:
    classes = [terms.class_iri(each.dimension) for each in knowledge.dimensions]
    text = repr((knowledge, classes))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _database(folder: Path) -> Path:
    return folder / "store"
