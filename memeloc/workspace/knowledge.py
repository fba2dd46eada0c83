"""`Knowledge`: what memes mean, by models. In: a workspace. Out: what was found, graphs, pages."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.knowledge.extraction import NOT_ASKED
from memeloc.knowledge.graph_store import (
    ROWS,
    SECONDS,
    THRESHOLD,
    compare,
    open_store,
    run_query,
    store_of,
)
from memeloc.knowledge.graphs import (
    ExportFormat,
    Terms,
    as_rdflib,
    checked_base,
    library,
    violations,
    write_graphs,
)
from memeloc.knowledge.pages import write_pages
from memeloc.knowledge.statements import (
    DimensionKnowledge,
    KnowledgeAnswer,
    MemeKnowledge,
)
from memeloc.language_models.job import OnProgress
from memeloc.language_models.prompts import MemeInput
from memeloc.reports import Report
from memeloc.workspace.folder import Part
from memeloc.workspace.knowledge_asking import (
    KnowledgeSettings,
    StoredKnowledge,
    every_stored,
    extraction_job,
    stored_knowledge,
)
from memeloc.workspace.model_inputs import meme_inputs
from memeloc.workspace.stored_survey import RENDERED

if TYPE_CHECKING:
    from pyoxigraph import Store
    from rdflib import Dataset

    from memeloc.workspace.knowledge_questions import Questions

_REASONS = 20
"""Sentences about what is missing that are given."""


class Knowledge(Part):
    """The knowledge that models found in memes, dimension by dimension.

    A `recipe` and a `model` choose an extraction where there are several; the one that was run last
    is meant where they are empty.
    """

    @cached_property
    def questions(self) -> Questions:
        """Return the questions that models write about what was found, and people judge."""
        from memeloc.workspace.knowledge_questions import Questions

        return Questions(self._workspace)

    def plan(self, settings: KnowledgeSettings | None = None, *, model: str = "") -> dict[str, Any]:
        """Return what `extract` would ask and cost; nothing is asked or stored.

        Returns:
            `recipe`, `memes`, how many answers are `there` already, and the plan of the `model`.
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
        self, *, version: str | None = None, language: str | None = None, **which: str
    ) -> Iterator[MemeKnowledge]:
        """Return what was found in each meme, sorted by meme, version and statements' language.

        Args:
            version, language: only these, tags; None for any.

        Raises:
            InputError: nothing was extracted yet, or not by these.
        """
        return self._stored(**which).memes(version=version, language=language)

    def _stored(self, **which: str) -> StoredKnowledge:
        return stored_knowledge(self._workspace, **which)

    def graph(self) -> Store:
        """Return all graphs as RDF, a named graph a meme and version, for reading.

        They are kept in the workspace's folder until more is extracted.

        Raises:
            InputError: another command is bringing them up to date.
            MissingError: pyoxigraph is not installed.
        """
        return open_store(self._graphs())

    def rdflib(self) -> Dataset:
        """Return the same for rdflib, in memory.

        Raises:
            MissingError: rdflib is not installed.
        """
        dataset: Dataset = library("rdflib").Dataset(default_union=True)
        content = self.graph().dump(format=library("pyoxigraph").RdfFormat.N_QUADS)
        dataset.parse(data=content, format="nquads")
        return dataset

    def _graphs(self) -> Path:
        """Return the folder of the store of all graphs, made of what was extracted by now."""
        extractions = every_stored(self._workspace) or [self._stored()]
        terms, answers = _terms(*extractions), self._store.knowledge
        parts = (answers.last(), terms, [each.recipe.sha256 for each in extractions])
        source = hashlib.sha256(repr(parts).encode()).hexdigest()
        memes = chain.from_iterable(each.memes() for each in extractions)
        return store_of(answers.folder / ".cache" / "graphs", source, memes, terms)

    def query(self, query: str, *, seconds: float = SECONDS, rows: int = ROWS) -> dict[str, Any]:
        """Ask all graphs a SPARQL query; see `memeloc.knowledge.graph_store.run_query`.

        Raises:
            InputError: it is not SPARQL, would change something, or takes too long.
        """
        return run_query(self._graphs(), query, seconds=seconds, rows=rows)

    def export(self, out: str | Path, to: ExportFormat, **which: str) -> dict[str, Any]:
        """Write the graphs into a file, or for Parquet tables into a folder; see `write_graphs`.

        Raises:
            InputError: nothing was extracted, or it cannot be written.
        """
        stored = self._stored(**which)
        return write_graphs(stored.memes(), Path(out), to, _terms(stored))

    def check(
        self, *, on_progress: OnProgress = lambda more, total: None, **which: str
    ) -> dict[str, Any]:
        """Return how many `graphs` were checked, and their `violations` of the shapes (SHACL) that
        every graph must meet.

        Raises:
            MissingError: pyshacl is not installed.
        """
        stored = self._stored(**which)
        memes, terms = list(stored.memes()), _terms(stored)
        found = []
        for each in memes:
            found += violations(as_rdflib(each, terms), each.meme)
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

        Args:
            pictures: the folder of rendered captions; that of the extraction by default.

        Raises:
            InputError: nothing was extracted, or a file cannot be written.
        """
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
        threshold: float = THRESHOLD,
        **which: str,
    ) -> Report:
        """Return which statements about a meme have a counterpart in another of its versions.

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

        model = create("texts", texts_model)
        memes = self.memes(**which)
        return compare(memes, versions, model, language=language, threshold=threshold)

    def status(self) -> dict[str, list[dict[str, Any]]]:
        """Return how far the `extractions` are: each recipe, model, language of memes and of
        statements.

        `linked` are memes with an answer of the linking step, `links` what statements rest on,
        `cost` is by currency of all answers that are stored, questions too; `reasons` are the first
        sentences about what is missing, and `notes` about what was dropped of links. Of a dimension
        memes are `empty` in which the model found no statement, `missing` where there is no answer
        that could be read, and `open` where there is none yet.

        Raises:
            InputError: a team's own recipe cannot be read any more.
        """
        names = ("recipe", "model", "version", "language")
        answers: dict[tuple[str, ...], list[KnowledgeAnswer]] = defaultdict(list)
        for answer in self._store.knowledge.find():
            answers[tuple(getattr(answer, name) for name in names)].append(answer)
        memes: dict[tuple[str, ...], list[MemeKnowledge]] = defaultdict(list)
        for stored in every_stored(self._workspace):
            for each in stored.memes():
                memes[tuple(getattr(each, name) for name in names)].append(each)
        extractions = []
        for key, found in memes.items():
            cost: dict[str, float] = defaultdict(float)
            for answer in answers[key]:
                cost[answer.currency] += answer.cost
            reasons = [
                f"{meme.meme}, {each.dimension}: {each.reason}"
                for meme in found
                for each in meme.dimensions
                if each.state == "missing" and each.reason != NOT_ASKED
            ]
            by_dimension = zip(*(meme.dimensions for meme in found), strict=True)
            extraction = {
                **dict(zip(names, key, strict=True)),
                "memes": len(found),
                "dimensions": [_counts(dimensions) for dimensions in by_dimension],
                "linked": sum(meme.linked is not None for meme in found),
                "links": sum(len(each.rests_on) for meme in found for each in meme.statements()),
                "cost": {currency: round(value, 6) for currency, value in cost.items()},
                "last": max(answer.created_at for answer in answers[key]),
                "reasons": reasons[:_REASONS],
                "notes": [f"{m.meme}: {note}" for m in found for note in m.notes][:_REASONS],
            }
            extractions.append(extraction)
        return {"extractions": extractions}


def _counts(dimensions: Sequence[DimensionKnowledge]) -> dict[str, Any]:
    states = Counter("open" if each.reason == NOT_ASKED else each.state for each in dimensions)
    return {
        "dimension": dimensions[0].dimension,
        **{state: states[state] for state in ("answered", "empty", "missing", "open")},
        "entities": sum(len(each.entities) for each in dimensions),
        "relations": sum(len(each.relations) for each in dimensions),
        "statements": sum(len(each.statements) for each in dimensions),
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


def _terms(*stored: StoredKnowledge) -> Terms:
    """Return how things are named: by the base of the settings, and the dimensions of recipes."""
    dimensions = {each.id: each for extraction in stored for each in extraction.recipe.dimensions}
    return Terms(checked_base(stored[0].workspace.settings.knowledge.base), dimensions)
