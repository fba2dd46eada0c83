"""`Knowledge`: what memes mean, by models. In: a workspace. Out: what was found, graphs, pages.

What was chosen for a run is stored with each answer, so that everything after it goes on from
there.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import field_validator

from memeloc.errors import InputError, MemelocError
from memeloc.knowledge.comparing import THRESHOLD, compare
from memeloc.knowledge.dimensions import Recipe, read_recipe
from memeloc.knowledge.extraction import NOT_ASKED, Extraction, knowledge_of, read_answers
from memeloc.knowledge.graph_store import (
    ROWS,
    SECONDS,
    QueryResult,
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
from memeloc.knowledge.questions import QuestionWriting, made_of
from memeloc.knowledge.statements import (
    DimensionKnowledge,
    KnowledgeAnswer,
    MemeKnowledge,
    Statement,
)
from memeloc.language_models import Answer, Question
from memeloc.language_models.job import OnProgress
from memeloc.language_models.prompts import Input, MemeInput
from memeloc.language_models.questions import content_hash
from memeloc.locales.tags import canonical, is_well_formed
from memeloc.reports import Report
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.meme_jobs import AskedMeme, AskingSettings, Key, MemeJob, Pass
from memeloc.workspace.model_inputs import meme_inputs
from memeloc.workspace.part import Part
from memeloc.workspace.survey_memes import RENDERED

if TYPE_CHECKING:
    from pyoxigraph import Store
    from rdflib import Dataset

    from memeloc.workspace.knowledge_questions import Questions

_REASONS = 20
"""Sentences about what is missing that are given."""


class KnowledgeSettings(AskingSettings):
    """Asking a model what memes mean; its defaults are M-QUEST's, where the paper states them.

    Attributes:
        input: what the model is given; the picture alone by default, as there.
        recipe: dimensions and their order, one that ships or a TOML file.
        prompt: a TOML file; empty for the shipped texts.
        statements_language: of labels, statements and questions, a tag; empty for the meme's own,
            or English where that is not known.
    """

    input: Input | Literal[""] = "picture"
    recipe: str = "m-quest"
    prompt: str = ""
    statements_language: str = ""

    paths: ClassVar[tuple[str, ...]] = ("pictures", "recipe", "prompt")

    def language_of(self, item: MemeInput) -> str:
        """Return the language of statements and questions about a meme, a tag; else English."""
        return self.statements_language or item.version or "en"

    @field_validator("statements_language")
    @classmethod
    def _tag(cls, tag: str) -> str:
        if tag and not is_well_formed(canonical(tag)):
            raise ValueError(f"{tag[:40]!r} is no language tag; write one such as de or pt-BR")
        return canonical(tag)


@dataclass(frozen=True)
class StoredKnowledge:
    """The knowledge that a model found by a recipe; `settings` are of its newest run."""

    workspace: WorkspaceFolder
    recipe: Recipe
    model: str
    settings: KnowledgeSettings

    def memes(
        self, *, version: str | None = None, language: str | None = None
    ) -> Iterator[MemeKnowledge]:
        """Return what was found in each meme, sorted by meme, version and statements' language.

        Args:
            version, language: only these, tags; None for any.
        """
        wanted = {"recipe": self.recipe.name, "model": self.model, "language": language}
        found = knowledge_of(self.workspace.store.knowledge.find(**wanted), self.recipe)
        return (each for each in found if version in (None, each.version))


def every_stored(workspace: WorkspaceFolder) -> list[StoredKnowledge]:
    """Return what each model found by each recipe, in the order of their first answers.

    Raises:
        InputError: a team's own recipe cannot be read any more.
    """
    return [stored_knowledge(workspace, *each) for each in workspace.store.knowledge.extractions()]


def stored_knowledge(
    workspace: WorkspaceFolder, recipe: str = "", model: str = ""
) -> StoredKnowledge:
    """Return what a model found by a recipe (name or file); of the newest answer where empty.

    Raises:
        InputError: nothing was extracted yet, or not by these.
    """
    is_file = recipe.endswith(".toml")
    name = read_recipe(recipe).name if is_file else recipe
    newest = workspace.store.knowledge.newest(
        step="extract", recipe=name or None, model=model or None
    )
    if newest is None:
        by = " and ".join(each[:60] for each in (recipe, model) if each)
        raise InputError(
            f"Nothing was extracted{f' by {by}' if by else ''} yet; memeloc knowledge extract "
            "--model NAME asks a model."
        )
    settings = KnowledgeSettings.model_validate(newest.settings.get("run", {}))
    read = read_recipe(recipe if is_file else settings.recipe)
    return StoredKnowledge(workspace, read, newest.model, settings)


# Asking


def _job(
    workspace: WorkspaceFolder,
    settings: KnowledgeSettings,
    model: str,
    recipe: str,
    passes: Sequence[Pass],
) -> MemeJob:
    """Return a job of passes, each of which builds on those before; `recipe` is its name."""
    store = workspace.store.knowledge

    def find(memes: Mapping[str, AskedMeme]) -> Iterator[tuple[Key, KnowledgeAnswer]]:
        for answer in store.find(recipe=recipe, model=job.model, items=list(memes)):
            meme = memes[answer.item]
            if (answer.version, answer.language) == (meme.input.version, meme.language):
                yield (answer.step, answer.dimension), answer

    def record(
        asked: Pass, meme: AskedMeme, answer: Answer[Any], how: Mapping[str, Any]
    ) -> KnowledgeAnswer:
        return KnowledgeAnswer(
            meme.input.id,
            meme.input.content,
            meme.input.version,
            asked.key[0],  # type: ignore[arg-type]
            asked.name,
            recipe,
            meme.language,
            job.model,
            asked.prompt,
            answer.status,
            {} if answer.value is None else answer.value.model_dump(mode="json"),
            answer.text,
            how,
            answer.cost,
            job.currency,
        )

    stages, about = [[each] for each in passes], {"recipe": recipe}
    language_of = settings.language_of
    job = MemeJob(workspace, settings, model, about, stages, find, record, store.add, language_of)
    return job


def extraction_job(workspace: WorkspaceFolder, settings: KnowledgeSettings, model: str) -> MemeJob:
    """Return a job that extracts all dimensions of a recipe in its order, and links at the end.

    Raises:
        InputError: there is no such recipe, prompt or model, or nothing to ask about.
    """
    settings = settings.with_full_paths()
    recipe = read_recipe(settings.recipe)
    extraction = Extraction(recipe, settings.prompt)
    languages = cache(lambda tag: _language_name(workspace, tag))
    keys: list[Key] = [("extract", each.id) for each in recipe.dimensions]

    def found(meme: AskedMeme) -> dict[str, DimensionKnowledge]:
        answers = meme.answers.items()
        extracted = {str(name): answer for (step, name), answer in answers if step == "extract"}
        return read_answers(extracted, recipe, meme.read)

    def ask(dimension: str, needs: tuple[Key, ...]) -> Pass:
        shown: list[Key] = [("extract", each) for each in recipe.contexts[dimension]]

        def question(meme: AskedMeme) -> Question[Any]:
            language, missing = languages(meme.language), meme.open(shown)
            return extraction.question(dimension, meme.input, found(meme), language, open=missing)

        return Pass(("extract", dimension), extraction.sha256, question, needs, name=dimension)

    def link(meme: AskedMeme) -> Question[Any] | None:
        return extraction.link_question(meme.input, found(meme), open=meme.open(keys))

    passes = [ask(each.id, tuple(keys[:at])) for at, each in enumerate(recipe.dimensions)]
    if recipe.link:
        key = ("link", recipe.link)
        passes.append(Pass(key, extraction.sha256, link, tuple(keys), name=recipe.link))
    return _job(workspace, settings, model, recipe.name, passes)


def question_job(
    workspace: WorkspaceFolder,
    model: str,
    *,
    recipe: str = "",
    of: str = "",
    lang: str = "",
    none: str = "",
    seed: int = 0,
) -> MemeJob:
    """Return a job that has a model write a question about each dimension of what was extracted.

    Args:
        recipe, of: of the extraction, and the model that made it; the newest one's where empty.
        lang: of the captions; that of the extraction where empty.
        none: the fourth option; empty for “None of the others” in the questions' language.
        seed: of the model's random numbers.

    Raises:
        InputError: nothing was extracted yet, or there is no fourth option in a language.
    """
    stored = stored_knowledge(workspace, recipe, of)
    writing = QuestionWriting(stored.recipe, none)
    knowledge = {(each.meme, each.version, each.language): each for each in stored.memes()}
    prompt = content_hash([writing.sha256, stored.model])

    def statements(meme: AskedMeme, dimension: str) -> tuple[Statement, ...] | None:
        """Return what a question is made of; None where the dimension was not extracted yet."""
        found = knowledge.get((meme.input.id, meme.input.version, meme.language))
        if found is None or found.content != meme.input.content:
            return None
        asked = [each.dimension for each in found.dimensions if each.reason != NOT_ASKED]
        return made_of(found, dimension) if dimension in asked else None

    def ask(dimension: str) -> Pass:
        def question(meme: AskedMeme) -> Question[Any] | None:
            made = statements(meme, dimension)
            if made is None:
                return None
            name, asked = _language_name(workspace, meme.language), stored.recipe.by_id[dimension]
            return writing.question(meme.input, asked, made, meme.language, name)

        def about(meme: AskedMeme) -> Mapping[str, Any]:
            ids = [each.id for each in statements(meme, dimension) or ()]
            return {"statements": ids, "none": writing.fourth(meme.language), "of": stored.model}

        return Pass(("ask", dimension), prompt, question, about=about, name=dimension)

    update: dict[str, Any] = {"seed": seed}
    if lang:
        update["language"] = workspace.locale(lang).tag
    settings = stored.settings.model_copy(update=update)
    passes = [ask(each.id) for each in stored.recipe.dimensions]
    job = _job(workspace, settings, model, stored.recipe.name, passes)
    extracted = {(each.meme, each.content) for each in knowledge.values()}
    if not any((item.id, item.content) in extracted for item in job.items):
        raise InputError(
            "None of the memes as they are now was extracted by these; run memeloc knowledge "
            "extract again."
        )
    for language in sorted(set(map(settings.language_of, job.items))):
        writing.fourth(language)
    return job


def _language_name(workspace: WorkspaceFolder, tag: str) -> str:
    """Return a language for a model, as `German (de)`; its tag alone where there is no locale."""
    try:
        return f"{workspace.locale(tag).name} ({tag})"
    except MemelocError:
        return f"the language {tag}"


class Knowledge(Part):
    """The knowledge that models found in memes, dimension by dimension.

    A `recipe` and a `model` choose an extraction where there are several; the one that was run last
    is meant where they are empty.
    """

    @cached_property
    def questions(self) -> Questions:
        """Questions that models write about what was found, and people judge."""
        from memeloc.workspace.knowledge_questions import Questions

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

    def query(self, query: str, *, seconds: float = SECONDS, rows: int = ROWS) -> QueryResult:
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
    """Return of a dimension how many memes are in which state, and what was found."""
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
