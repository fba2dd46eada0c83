"""`Knowledge`: what memes mean, by models. In: a workspace. Out: what was found, graphs, pages."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.knowledge import graph_store, graphs
from memeloc.knowledge.extraction import (
    extraction_figures,
)
from memeloc.knowledge.pages import write_pages
from memeloc.knowledge.statements import (
    KnowledgeAnswer,
    MemeKnowledge,
)
from memeloc.language_models.job import OnProgress
from memeloc.language_models.prompts import MemeInput
from memeloc.reports import Report
from memeloc.workspace.asking import meme_inputs
from memeloc.workspace.folder import Part
from memeloc.workspace.knowledge_questions import (
    KnowledgeSettings,
    Questions,
    StoredKnowledge,
    extraction_job,
    stored_knowledge,
)
from memeloc.workspace.stored_survey import RENDERED

if TYPE_CHECKING:
    from pyoxigraph import Store
    from rdflib import Dataset

_NAMES = ("recipe", "model", "version", "language")


class Knowledge(Part):
    """The knowledge that models found in memes, dimension by dimension.

    A `recipe` and a `model` choose an extraction where there are several (`which`); the one that
    was run last is meant where they are empty.
    """

    @cached_property
    def questions(self) -> Questions:
        """The questions that models write about what was found, and people judge."""
        return Questions(self._workspace)

    def plan(self, settings: KnowledgeSettings | None = None, *, model: str = "") -> dict[str, Any]:
        """Return what `extract` would ask and cost: `recipe`, `memes`, how many answers are `there`
        already, and the plan of the `model`; nothing is asked or stored."""
        return extraction_job(self._workspace, settings or KnowledgeSettings(), model).plan()

    def extract(
        self,
        settings: KnowledgeSettings | None = None,
        *,
        model: str = "",
        budget: float | None = None,
        on_progress: OnProgress = lambda more, total: None,
    ) -> dict[str, Any]:
        """Have a model (memeloc.toml's by default) say what memes mean, for a `budget` at the most;
        what it answered before is not asked again.

        Return `recipe`, `model`, `memes`, answers that are `there` from before, and what came of it
        as `memeloc.language_models.job` says.
        """
        job = extraction_job(self._workspace, settings or KnowledgeSettings(), model)
        return job.run(budget, on_progress)

    def memes(
        self, *, version: str | None = None, language: str | None = None, **which: str
    ) -> Iterator[MemeKnowledge]:
        """Return what was found in each meme; see `StoredKnowledge.memes`."""
        return self._stored(**which).memes(version=version, language=language)

    def _stored(self, **which: str) -> StoredKnowledge:
        return stored_knowledge(self._workspace, **which)

    def _every(self) -> list[StoredKnowledge]:
        """Return what each model found by each recipe, in the order of their first answers."""
        return [stored_knowledge(self._workspace, *e) for e in self._store.knowledge.extractions()]

    def graph(self) -> Store:
        """Return all graphs as RDF, a named graph a meme and version, for reading: they are kept in
        the workspace's folder until more is extracted. Needs pyoxigraph."""
        return graph_store.open_store(self._graphs())

    def rdflib(self) -> Dataset:
        """Return the same for rdflib, in memory."""
        dataset: Dataset = graphs.library("rdflib").Dataset(default_union=True)
        content = self.graph().dump(format=graphs.library("pyoxigraph").RdfFormat.N_QUADS)
        dataset.parse(data=content, format="nquads")
        return dataset

    def _graphs(self) -> Path:
        """Return the folder of the store of all graphs, made of what was extracted by now."""
        extractions = self._every() or [self._stored()]
        terms, answers = _terms(*extractions), self._store.knowledge
        parts = (answers.last(), terms, [each.recipe.sha256 for each in extractions])
        source = hashlib.sha256(repr(parts).encode()).hexdigest()
        memes = chain.from_iterable(each.memes() for each in extractions)
        return graph_store.store_of(answers.folder / ".cache" / "graphs", source, memes, terms)

    def query(
        self, query: str, *, seconds: float = graph_store.SECONDS, rows: int = graph_store.ROWS
    ) -> dict[str, Any]:
        """Ask all graphs a SPARQL query; see `memeloc.knowledge.graph_store.run_query`."""
        return graph_store.run_query(self._graphs(), query, seconds=seconds, rows=rows)

    def export(self, out: str | Path, to: graphs.ExportFormat, **which: str) -> dict[str, Any]:
        """Write the graphs into a file, or for Parquet tables into a folder; see `write_graphs`."""
        stored = self._stored(**which)
        return graphs.write_graphs(stored.memes(), Path(out), to, _terms(stored))

    def check(
        self, *, on_progress: OnProgress = lambda more, total: None, **which: str
    ) -> dict[str, Any]:
        """Return how many `graphs` were checked, and their `violations` of the shapes (SHACL) that
        every graph must meet. Needs pyshacl."""
        stored = self._stored(**which)
        memes, terms = list(stored.memes()), _terms(stored)
        found = []
        for each in memes:
            found += graphs.violations(graphs.as_rdflib(each, terms), each.meme)
            on_progress(1, len(memes))
        return {"graphs": len(memes), "violations": found}

    def pages(
        self,
        out: str | Path,
        *,
        pictures: str | Path = "",
        on_progress: OnProgress = lambda more, total: None,
        **which: str,
    ) -> dict[str, Any]:
        """Write a page of each meme: its picture, its graph, and every statement with provenance.
        `pictures` is the folder of rendered captions; that of the extraction by default."""
        stored = self._stored(**which)
        memes, settings = list(stored.memes()), stored.settings
        if pictures:
            settings = settings.model_copy(update={"pictures": str(pictures)})
        return write_pages(
            memes,
            Path(out),
            inputs=_inputs(stored, settings, memes),
            dimensions=stored.recipe.by_id,
            on_progress=lambda more: on_progress(more, len(memes)),
        )

    def compare(
        self,
        versions: Sequence[str],
        *,
        language: str = "",
        texts_model: str = "ngrams:3",
        threshold: float = graph_store.THRESHOLD,
        **which: str,
    ) -> Report:
        """Return which statements about a meme have a counterpart in another of its versions.

        Args:
            versions: tags of at least two.
            language: of the statements; the one that all versions have by default.
            texts_model: KIND:WHERE, see `memeloc.embedding.models`.
            threshold: cosine from which statements are counterparts.
        """
        from memeloc.embedding.models import create

        model = create("texts", texts_model)
        memes = self.memes(**which)
        return graph_store.compare(memes, versions, model, language=language, threshold=threshold)

    def status(self) -> dict[str, list[dict[str, Any]]]:
        """Return how far the `extractions` are: each recipe, model, language of memes and of
        statements, see `memeloc.knowledge.extraction.extraction_figures`."""
        answers: dict[tuple[str, ...], list[KnowledgeAnswer]] = defaultdict(list)
        for answer in self._store.knowledge.find():
            answers[tuple(getattr(answer, name) for name in _NAMES)].append(answer)
        memes: dict[tuple[str, ...], list[MemeKnowledge]] = defaultdict(list)
        for stored in self._every():
            for each in stored.memes():
                memes[tuple(getattr(each, name) for name in _NAMES)].append(each)
        return {
            "extractions": [
                dict(zip(_NAMES, key, strict=True)) | extraction_figures(found, answers[key])
                for key, found in memes.items()
            ]
        }


def _inputs(
    stored: StoredKnowledge, settings: KnowledgeSettings, memes: Sequence[MemeKnowledge]
) -> dict[tuple[str, str], MemeInput]:
    """Return by meme and version its picture and text, where they are still there."""
    rendered = settings.collected == RENDERED
    found: dict[tuple[str, str], MemeInput] = {}
    for version in sorted({each.version for each in memes}) if rendered else [""]:
        for shown in ("both", "text"):
            changed = settings.model_copy(update={"input": shown, "language": version})
            try:
                inputs = meme_inputs(stored.workspace, changed)
            except InputError:
                continue  # pictures, or the memes themselves, are not there any more
            found |= {(each.id, version if rendered else each.version): each for each in inputs}
            break
    return found


def _terms(*stored: StoredKnowledge) -> graphs.Terms:
    """Return how things are named: by the base of the settings, and the dimensions of recipes."""
    dimensions = {each.id: each for extraction in stored for each in extraction.recipe.dimensions}
    return graphs.Terms(
        graphs.checked_base(stored[0].workspace.settings.knowledge.base), dimensions
    )
