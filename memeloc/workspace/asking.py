"""Asking a model about a workspace's memes. In: settings, passes. Out: `MemeInput`s, a job.

Memes are finished ones that were collected, or the workspace's own captions in a language, as texts
or with the pictures that were rendered of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.items import seen_hash
from memeloc.language_models import LanguageModel, read_model_settings
from memeloc.language_models.passes import MemeJob
from memeloc.language_models.pictures import picture_of
from memeloc.language_models.prompts import Input, MemeInput
from memeloc.model import SEPARATOR
from memeloc.survey.design.tables import MemeChoice
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.stored_survey import RENDERED, SELECTED, collected_memes


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


def meme_job(
    workspace: WorkspaceFolder, settings: AskingSettings, model: str, **job: Any
) -> MemeJob:
    """Return a job about the memes that settings choose; they are stored with each answer. Raise
    InputError if there is nothing to ask about, or no model is named."""
    which = of_which(workspace, settings.collected)
    full = settings.with_full_paths().model_copy(update={"collected": which})
    asked = read_model_settings(workspace.settings.language_model, model=model)
    update = {"temperature": full.temperature, "seed": full.seed}
    return MemeJob(
        meme_inputs(workspace, full),
        LanguageModel(asked.model_copy(update=update), workspace.store.computed),
        full.model_dump(mode="json"),
        **job,
    )
