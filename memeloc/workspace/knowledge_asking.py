"""Asking a model what memes mean. In: a workspace, settings. Out: jobs, and what was stored.

What was chosen for a run is stored with each answer, so that everything after it goes on from
there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

from pydantic import field_validator

from memeloc.errors import InputError, MemelocError
from memeloc.knowledge.dimensions import Recipe, read_recipe
from memeloc.knowledge.extraction import NOT_ASKED, Extraction, knowledge_of, read_answers
from memeloc.knowledge.questions import QuestionWriting, made_of
from memeloc.knowledge.statements import (
    DimensionKnowledge,
    KnowledgeAnswer,
    MemeKnowledge,
    Statement,
)
from memeloc.language_models import Answer, Question
from memeloc.language_models.prompts import Input, MemeInput
from memeloc.language_models.questions import content_hash
from memeloc.locales.tags import canonical, is_well_formed
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.meme_jobs import AskedMeme, AskingSettings, Key, MemeJob, Pass


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
