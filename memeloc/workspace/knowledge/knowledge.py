"""`Knowledge`: what memes mean, by models. In: a workspace. Out: what was found in each meme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.knowledge.comparing import THRESHOLD, compare
from memeloc.knowledge.graph_store import ROWS, SECONDS, QueryResult, open_store, run_query
from memeloc.knowledge.graphs import ExportFormat, write_graphs
from memeloc.knowledge.statements import MemeKnowledge
from memeloc.language_models.job import OnProgress
from memeloc.reports import Report
from memeloc.workspace.knowledge.asking import extraction_job
from memeloc.workspace.knowledge.graphs import (
    check_stored,
    current_store,
    rdflib_dataset,
    terms_of,
)
from memeloc.workspace.knowledge.pages import stored_pages
from memeloc.workspace.knowledge.settings import KnowledgeSettings
from memeloc.workspace.knowledge.status import status_of
from memeloc.workspace.knowledge.stored import stored_knowledge
from memeloc.workspace.part import Part

if TYPE_CHECKING:
    from pyoxigraph import Store
    from rdflib import Dataset

    from memeloc.workspace.knowledge.questions import Questions


class Knowledge(Part):
    """What models found in memes, dimension by dimension.

    A `recipe` and a `model` choose an extraction where there are several; the one that was run last
    is meant where they are empty.
    """

    @cached_property
    def questions(self) -> Questions:
        """Questions that models write about what was found, and people judge."""
        from memeloc.workspace.knowledge.questions import Questions

        return Questions(self._workspace)

    def plan(self, settings: KnowledgeSettings | None = None, *, model: str = "") -> dict[str, Any]:
        """Return what `extract` would ask and cost; nothing is asked or stored.

        Returns:
            `recipe`, `memes`, how many answers are `there` already, and the plan of the `model`.

        Raises:
            InputError: as `extract`.
        """
        return extraction_job(self._workspace, settings or KnowledgeSettings(), model).plan()

    def extract(
        self,
        settings: KnowledgeSettings | None = None,
        *,
        model: str = "",
        budget: float | None = None,
        on_progress: OnProgress = lambda more, total: None,
    ) -> dict[str, Any]:
        """Have a model say what memes mean; what it answered before is not asked again.

        Args:
            settings: recipe, memes, languages and the like; those of M-QUEST by default.
            model: as its server names it; memeloc.toml's by default.
            budget: the most that it may cost.
            on_progress: gets how many answers more are stored, and how many are wanted at the most.

        Returns:
            `recipe`, `model`, `memes`, answers that are `there` from before, and what came of it as
            `memeloc.language_models.job` says.

        Raises:
            InputError: there is nothing to ask about, or no such recipe, model or prompt.
            MissingError: urllib3 or a key is missing.
        """
        job = extraction_job(self._workspace, settings or KnowledgeSettings(), model)
        return job.run(budget, on_progress)

    def memes(
        self,
        *,
        recipe: str = "",
        model: str = "",
        version: str | None = None,
        language: str | None = None,
    ) -> Iterator[MemeKnowledge]:
        """What was found in each meme, sorted by meme, version and statements' language.

        Args:
            version, language: only these, tags; None for any.

        Raises:
            InputError: nothing was extracted yet, or not by these.
        """
        stored = stored_knowledge(self._workspace, recipe, model)
        return stored.memes(version=version, language=language)

    def graph(self) -> Store:
        """Return all graphs as RDF, a named graph a meme and version, for reading.

        They are kept in the workspace's folder until more is extracted.

        Raises:
            InputError: another command is bringing them up to date.
            MissingError: pyoxigraph is not installed.
        """
        return open_store(current_store(self._workspace))

    def rdflib(self) -> Dataset:
        """Return the same for rdflib, in memory.

        Raises:
            MissingError: rdflib is not installed.
        """
        return rdflib_dataset(self._workspace)

    def query(self, query: str, *, seconds: float = SECONDS, rows: int = ROWS) -> QueryResult:
        """Ask all graphs a SPARQL query; see `memeloc.knowledge.graph_store.run_query`.

        Raises:
            InputError: it is not SPARQL, would change something, or takes too long.
        """
        return run_query(current_store(self._workspace), query, seconds=seconds, rows=rows)

    def export(
        self, out: str | Path, to: ExportFormat, *, recipe: str = "", model: str = ""
    ) -> dict[str, Any]:
        """Write the graphs into a file, or for Parquet tables into a folder; see `write_graphs`.

        Raises:
            InputError: nothing was extracted, or it cannot be written.
        """
        stored = stored_knowledge(self._workspace, recipe, model)
        return write_graphs(stored.memes(), Path(out), to, terms_of(self._workspace, stored))

    def check(
        self,
        *,
        recipe: str = "",
        model: str = "",
        on_progress: OnProgress = lambda more, total: None,
    ) -> dict[str, Any]:
        """Check the graphs by the shapes (SHACL) that every graph must meet.

        Raises:
            MissingError: pyshacl is not installed.
        """
        return check_stored(stored_knowledge(self._workspace, recipe, model), on_progress)

    def pages(
        self,
        out: str | Path,
        *,
        pictures: str | Path = "",
        recipe: str = "",
        model: str = "",
        on_progress: OnProgress = lambda more, total: None,
    ) -> dict[str, Any]:
        """Write a page of each meme: its picture, its graph, and every statement with provenance.

        Args:
            pictures: the folder of rendered captions; that of the extraction by default.

        Raises:
            InputError: nothing was extracted, or a file cannot be written.
        """
        stored = stored_knowledge(self._workspace, recipe, model)
        return stored_pages(stored, Path(out), str(pictures), on_progress)

    def compare(
        self,
        versions: Sequence[str],
        *,
        language: str = "",
        texts_model: str = "ngrams:3",
        threshold: float = THRESHOLD,
        recipe: str = "",
        model: str = "",
    ) -> Report:
        """Which statements about a meme have a counterpart in another of its versions.

        Args:
            versions: tags of at least two.
            language: of the statements; the one that all versions have by default.
            texts_model: KIND:WHERE, see `memeloc.embedding.models`.
            threshold: cosine from which statements are counterparts.

        Raises:
            InputError: the versions have no statements in the same language.
            MissingError: what the texts' model needs, or scipy, is not installed.
        """
        from memeloc.embedding.models import create

        return compare(
            self.memes(recipe=recipe, model=model),
            versions,
            create("texts", texts_model),
            language=language,
            threshold=threshold,
        )

    def status(self) -> dict[str, list[dict[str, Any]]]:
        """How far each extraction is, what was found, what is missing and why, and what it cost."""
        return status_of(self._workspace)
