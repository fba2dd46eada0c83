"""Asking a model about memes, pass by pass. In: settings, passes, a model. Out: stored answers.

Memes are finished ones that were collected, or the workspace's own captions in a language, as texts
or with the pictures that were rendered of them. A pass asks one question of each, many at a time;
those of a later stage build on the answers of earlier ones. Memes are taken some hundred at a time,
all passes of each, so that a run that ends early leaves whole memes, and a picture is encoded once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.items import seen_hash
from memeloc.language_models import Answer, LanguageModel, Question, read_model_settings
from memeloc.language_models.job import Job, OnProgress
from memeloc.language_models.pictures import picture_of
from memeloc.language_models.prompts import Input, MemeInput
from memeloc.model import SEPARATOR
from memeloc.survey.design.tables import MemeChoice
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.stored_survey import RENDERED, SELECTED, collected_memes

TOGETHER = 200
"""Memes that go through all passes together; their pictures are kept as they are sent."""

Key = tuple[str, str | int]
"""A kind of question and its dimension or round."""


class AskingSettings(BaseModel):
    """Settings of a job: which memes a model is asked about, what it is given of them, and how.

    Attributes:
        collected: `selected`, a source of finished memes, or `none` for the workspace's captions;
            empty for finished memes where there are any.
        input: what the model is given; empty for pictures where there are any, and else texts.
        language: of captions, a tag; empty for the source language.
        pictures: the folder of rendered captions; empty where only texts are given.
        longest_side: of the picture that is sent, in pixels.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    collected: str = ""
    input: Input | Literal[""] = ""
    language: str = ""
    pictures: str = ""
    longest_side: Annotated[int, Field(ge=64, le=4096)] = 768
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 0.0
    seed: int = 0

    paths: ClassVar[tuple[str, ...]] = ("pictures",)
    """Settings that are paths; those with other names too, only where they end like a file."""

    def with_full_paths(self) -> Self:
        """Return the same with paths that hold from any folder, as they are stored."""
        full = {
            name: str(Path(value).resolve())
            for name in self.paths
            if (value := getattr(self, name)) and (Path(value).suffix or name == "pictures")
        }
        return self.model_copy(update=full)


def of_which(workspace: WorkspaceFolder, collected: str) -> str:
    """Return which memes a model is asked about: `selected`, a source, or `none` for captions.
    Raise InputError if there are several sources, and it is not said which."""
    if collected:
        return collected
    sources = [name for name, kind in workspace.store.items.count() if kind == "picture"]
    if not sources:
        return RENDERED
    selection = workspace.store.curation.selection()
    if selection and selection.pictures:
        return SELECTED
    if len(sources) > 1:
        raise InputError(
            f"Finished memes of {', '.join(sources)} were collected: name one of them by "
            f"--collected, or run memeloc select; --collected {RENDERED} is for the captions."
        )
    return sources[0]


def meme_inputs(workspace: WorkspaceFolder, settings: AskingSettings) -> list[MemeInput]:
    """Return the memes that a model is asked about; raise InputError if there are none, or a
    picture or text that is wanted is missing."""
    which = of_which(workspace, settings.collected)
    items = list((_captions if which == RENDERED else _collected)(workspace, settings, which))
    if not items:
        raise InputError(
            "There is nothing to ask about: collect finished memes (memeloc collect), or import "
            "captions (memeloc import)."
        )
    return items


def _collected(
    workspace: WorkspaceFolder, settings: AskingSettings, which: str
) -> Iterator[MemeInput]:
    ids = list(collected_memes(workspace, which, MemeChoice(), ()).templates)
    for item in workspace.store.items.find("picture", ids):
        parts = item.parts if settings.input in ("text", "both") and any(item.parts) else None
        if settings.input == "text":
            if parts is not None:  # else nothing was read in it that the model could be given
                yield _input(settings, item.id, item.language, parts, None)
        elif item.path is None:
            raise InputError(f"The picture of {item.id} is not in this workspace's folder.")
        else:
            yield _input(settings, item.id, item.language, parts, item.path, item.picture)


def _captions(workspace: WorkspaceFolder, settings: AskingSettings, _: str) -> Iterator[MemeInput]:
    from memeloc.render.sets.reading import shown_pictures

    tag = workspace.locale(settings.language or workspace.source.tag).tag
    if settings.input in ("picture", "both") and not settings.pictures:
        raise InputError("Name the folder of rendered captions by --pictures.")
    folder = Path(settings.pictures)
    with_pictures = settings.pictures and settings.input != "text"
    shown = shown_pictures(folder, {tag}) if with_pictures else {}
    for meme, version in workspace.store.captions.current(tag).items():
        path = shown[meme, tag][0] if (meme, tag) in shown else None
        if shown and path is None:
            message = f"{meme!r} has no picture in {tag}; run: memeloc render --langs {tag}"
            raise InputError(message, file=folder)
        parts = version.caption.parts if settings.input != "picture" else None
        yield _input(settings, meme, tag, parts, path)


def _input(
    settings: AskingSettings,
    id: str,
    language: str,
    parts: tuple[str, ...] | None,
    path: Path | None,
    sha256: str = "",
) -> MemeInput:
    picture = None
    if path is not None:
        sha256 = sha256 or file_sha256(path)
        picture = picture_of(path, settings.longest_side, sha256=sha256)
    return MemeInput(
        id,
        seen_hash(sha256 if picture else "", parts),
        SEPARATOR.join(parts) if parts else "",
        language if parts else "",
        picture,
        language,
    )


@dataclass(frozen=True, slots=True)
class AskedMeme:
    """A meme that is asked about: what the model is given of it, and its answers by pass.

    `language` is the tag of what is answered in; `read` is for what passes make of the answers, so
    that each is read once.
    """

    input: MemeInput
    language: str
    answers: dict[Key, Any] = field(default_factory=dict)
    read: dict[str, Any] = field(default_factory=dict)

    def open(self, keys: Iterable[Key]) -> int:
        return sum(key not in self.answers for key in keys)


@dataclass(frozen=True, slots=True)
class Pass:
    """A question about each meme.

    Attributes:
        prompt: SHA-256 of all that is the same for every meme.
        question: gives the question about a meme; None where there is nothing to ask. For an
            estimate it may be asked for its question before what it needs is there.
        needs: a meme waits until it has these answers, right or not.
        about: gives what is stored with the answer about a meme, such as what it was made of.
        name: what it is called beside the meme in sentences; may be empty.
    """

    key: Key
    prompt: str
    question: Callable[[AskedMeme], Question[Any] | None]
    needs: tuple[Key, ...] = ()
    about: Callable[[AskedMeme], Mapping[str, Any]] = lambda meme: {}
    name: str = ""


@dataclass
class MemeJob:
    """A job of passes over memes, in stages of those that are asked together.

    Attributes:
        settings: which memes, and how they are asked about; with full paths, as they are stored
            with each answer, once the job is made.
        model: its name; empty for that of memeloc.toml until the job is made.
        about: what plans and results begin with.
        find: gives the stored answers about memes, by id, each with the key of its pass.
        record: makes an answer that is stored of a pass, a meme, what came of it, and how.
        add: stores them.
        stored: how many answers were there before, once it was planned or run.
        language_of: gives the language that is answered in about a meme.
    """

    workspace: WorkspaceFolder
    settings: AskingSettings
    model: str
    about: Mapping[str, str]
    stages: Sequence[Sequence[Pass]]
    find: Callable[[Mapping[str, AskedMeme]], Iterable[tuple[Key, Any]]]
    record: Callable[[Pass, AskedMeme, Answer[Any], dict[str, Any]], Any]
    add: Callable[[Sequence[Any]], Any]
    language_of: Callable[[MemeInput], str] = lambda item: ""
    stored: int = 0

    def __post_init__(self) -> None:
        which = of_which(self.workspace, self.settings.collected)
        self.settings = self.settings.with_full_paths().model_copy(update={"collected": which})
        model = read_model_settings(self.workspace.settings.language_model, model=self.model)
        update = {"temperature": self.settings.temperature, "seed": self.settings.seed}
        self.model, self.currency = model.model, model.currency
        self.items = meme_inputs(self.workspace, self.settings)
        self._on_progress: OnProgress = lambda more, total: None
        self.job = Job(
            LanguageModel(model.model_copy(update=update), self.workspace.store.computed),
            self._batches,
            self._store,
            lambda mark: ", ".join(filter(None, (mark[1].input.id, mark[0].name))),
            len(self.items) * sum(map(len, self.stages)),
        )

    def plan(self) -> dict[str, Any]:
        """Return what it would ask and cost, behind what it is about; nothing is asked."""
        plan = self.job.plan()
        return {**self.about, "memes": len(self.items), "there": self.stored, "model": plan}

    def run(self, budget: float | None, on_progress: OnProgress) -> dict[str, Any]:
        """Ask what is not answered yet; return what came of it, behind what it is about."""
        self._on_progress = on_progress
        result = self.job.run(budget, on_progress)
        counts = {"memes": len(self.items), "asked": result["asked"], "there": self.stored}
        return {**self.about, "model": self.model, **counts, **result}

    def slices(self) -> Iterator[list[AskedMeme]]:
        """Yield the memes, some at a time, with the answers that are stored."""
        prompts = {each.key: each.prompt for stage in self.stages for each in stage}
        for start in range(0, len(self.items), TOGETHER):
            items = self.items[start : start + TOGETHER]
            memes = {item.id: AskedMeme(item, self.language_of(item)) for item in items}
            for key, answer in self.find(memes):
                meme = memes[answer.item]
                if (meme.input.content, prompts.get(key)) == (answer.content, answer.prompt):
                    meme.answers[key] = answer
            yield list(memes.values())

    def _batches(self, waiting: list[str] | None) -> Iterator[Iterator[Question[Any]]]:
        for memes in self.slices():
            stored = sum(len(meme.answers) for meme in memes)
            self.stored += stored
            self._on_progress(stored, self.job.total)
            for stage in self.stages:
                yield self._questions(stage, memes, waiting)

    def _questions(
        self, stage: Sequence[Pass], memes: Sequence[AskedMeme], waiting: list[str] | None
    ) -> Iterator[Question[Any]]:
        for mark in ((asked, meme) for meme in memes for asked in stage):
            asked, meme = mark
            if asked.key in meme.answers:
                continue
            if waiting is not None and meme.open(asked.needs):
                waiting.append(f"{self.job.name(mark)}: waits for an answer that is missing")
            elif (question := asked.question(meme)) is not None:
                yield replace(question, mark=mark)

    def _store(self, answers: Sequence[tuple[Any, Answer[Any]]]) -> None:
        run = self.settings.model_dump(mode="json")
        stored = []
        for (asked, meme), answer in answers:
            how = {"run": run, "input": meme.input.input, **asked.about(meme), **answer.settings}
            stored.append(self.record(asked, meme, answer, how))
        self.add(stored)
        for ((asked, meme), _), answer in zip(answers, stored, strict=True):
            meme.answers[asked.key] = answer
