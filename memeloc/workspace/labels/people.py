"""People for labels of a model. In: a `Labelling`. Out: a survey of differences, or of an audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memeloc.errors import InputError
from memeloc.label.rounds import Outcome, State
from memeloc.survey.recipes import load_recipe, recipe_names
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.labels.labelling import Labelling
from memeloc.workspace.stored_survey import PRELABELS, BuildResult, StoredSurvey
from memeloc.workspace.surveys import Surveys

Purpose = Literal["differing", "audit"]
"""Why people are asked: rounds differ, or they agree and a sample is looked at."""
_STATES: Mapping[Purpose, tuple[State, ...]] = {
    "differing": ("differing", "no answer"),
    "audit": ("accepted",),
}
_MODES: Mapping[Purpose, str] = {"differing": "labelling", "audit": "validation"}
SAMPLE = 200
"""Items of an audit (CHARMemes 4.2)."""
_ORIGIN = "origin"
"""The key of a survey's state under `PRELABELS` that says of which labelling it is."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Of which labelling a survey is, and for what."""

    purpose: Purpose
    taxonomy: str
    model: str
    prompt: str
    equal: str


def build_survey(
    labelling: Labelling,
    name: str,
    cultures: str,
    purpose: Purpose,
    *,
    people: str | Path | None,
    recipe: str,
    seed: int,
    options: Mapping[str, Any],
    sample: int | None = None,
    show: bool = False,
) -> BuildResult:
    """A survey of what rounds differ on, or of a sample of what they agree on.

    Raises:
        InputError: there is no such meme, or as `Surveys.build`.
    """
    workspace, settings = labelling.workspace, labelling.settings
    chosen = [each for each in labelling.outcomes() if each.state in _STATES[purpose]]
    if not chosen:
        raise InputError(
            "The model's rounds agree on every meme that they are done with; nobody needs to be "
            "asked."
            if purpose == "differing"
            else "The model's rounds do not agree on any meme yet; there is nothing to audit."
        )
    if show and purpose == "audit":
        raise InputError("An audit hides the model's labels, so that people judge by themselves.")
    recipe = recipe or _recipe(settings.taxonomy, _MODES[purpose])
    result = Surveys(workspace).build(
        name,
        cultures,
        recipe=recipe,
        mode=_MODES[purpose] if recipe and _MODES[purpose] in _modes(recipe) else "",
        taxonomy="" if recipe else settings.taxonomy,
        people=None if people is None else Path(people),
        memes=[each.item for each in chosen],
        collected=settings.collected,
        sample=sample if sample is not None or purpose == "differing" else SAMPLE,
        seed=seed,
        **options,
    )
    survey = StoredSurvey(workspace, name)
    shown = {each.item: _shares(each) for each in chosen if show and each.item in survey.memes}
    origin = {
        "purpose": purpose,
        "taxonomy": labelling.labelled.taxonomy,
        "model": labelling.labelled.model,
        "prompt": labelling.labelled.prompt,
        "equal": settings.equal,
    }
    survey.put_state(PRELABELS, _ORIGIN, origin)
    if shown:
        survey.put_state(PRELABELS, "labels", {"model": labelling.labelled.model, "memes": shown})
    return result


def origin_of(workspace: WorkspaceFolder, survey: str) -> Origin | None:
    """Of which labelling a survey is; None of one that has nothing to do with any."""
    values = workspace.store.surveys.state(survey, PRELABELS).get(_ORIGIN)
    return None if values is None else Origin(**values)


def surveys_of(labelling: Labelling) -> dict[str, str]:
    """The surveys that were made of a labelling, by name: for what."""
    names = labelling.workspace.store.surveys.names()
    origins = {name: origin_of(labelling.workspace, name) for name in names}
    mine = labelling.labelled
    return {
        name: origin.purpose
        for name, origin in origins.items()
        if origin is not None
        and (origin.taxonomy, origin.model, origin.prompt)
        == (mine.taxonomy, mine.model, mine.prompt)
    }


def _shares(outcome: Outcome) -> dict[str, float]:
    """By label the share of rounds that gave it as the most severe one."""
    given = [labels[0].category for labels in outcome.rounds if labels]
    return {label: given.count(label) / len(outcome.rounds) for label in dict.fromkeys(given)}


def _recipe(taxonomy: str, mode: str) -> str:
    """The recipe of a taxonomy's name, where it has the mode."""
    return taxonomy if taxonomy in recipe_names() and mode in _modes(taxonomy) else ""


def _modes(recipe: str) -> tuple[str, ...]:
    return load_recipe(recipe).modes
