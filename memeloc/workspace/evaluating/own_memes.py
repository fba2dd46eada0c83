"""The workspace's memes as a run's dataset. In: a workspace, a run. Out: `RunData`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from memeloc.errors import InputError
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.runs.items import RunData, RunItem
from memeloc.evaluate.runs.labels import as_label, gold_of, read_gold
from memeloc.evaluate.runs.run import Run
from memeloc.model import SEPARATOR
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.publishing.captions import taken_captions
from memeloc.workspace.survey import Survey
from memeloc.workspace.survey_memes import collected_pictures

RENDERED = "out"
"""The folder of the workspace in which rendered pictures are looked for."""


def own_memes(
    workspace: WorkspaceFolder, run: Run, gold: Path | None = None, rendered: Path | None = None
) -> RunData:
    """The workspace's memes: its captions, with the pictures that were rendered of them, or the
    finished memes that it collected; of a survey those that it asks about.

    Args:
        gold: a table of labels; None takes those of the run's survey, else of the only one.
        rendered: the folder of rendered pictures; `out` in the workspace by default.

    Raises:
        InputError: there are no memes of these languages, or no such survey.
    """
    survey = Survey(workspace, run.dataset.survey) if run.dataset.survey else None
    folder = rendered or (workspace.root or Path()) / RENDERED
    if survey is not None and survey.collected:
        items = list(_collected(workspace, survey, run))
    else:
        items = list(_captions(workspace, run, folder) or _finished(workspace, run))
        items = [item for item in items if survey is None or item.id in survey.memes]
    items = items[: run.dataset.limit]
    if not items:
        raise InputError(
            "The workspace has no memes of these languages; `memeloc status` shows what it has, "
            "and --data names another dataset.",
            file=workspace.root,
        )
    about = {"dataset": workspace.root.name if workspace.root else "a workspace"}
    labels: Gold | None = None
    if gold is not None:
        labels = read_gold(run, gold, [item.id for item in items], about)
    else:
        survey = survey or _only_survey(workspace)
        if survey is not None:
            about["gold"] = f"settled labels of the survey {survey.name}"
            labels = _settled(survey, run, {item.id for item in items}, about)
    return RunData(tuple(items), labels, about)


def _captions(workspace: WorkspaceFolder, run: Run, rendered: Path) -> list[RunItem]:
    """The captions as they stand, by meme, with their pictures as far as they were rendered."""
    captions = taken_captions(workspace, "any")
    pictures = rendered_pictures(rendered, _wanted(workspace, run) or captions.languages)
    return [
        RunItem(meme, tag, SEPARATOR.join(captions.texts[meme, tag]), pictures.get((meme, tag)))
        for meme in captions.memes
        for tag in _wanted(workspace, run) or captions.languages
        if (meme, tag) in captions.texts
    ]


def _finished(workspace: WorkspaceFolder, run: Run) -> Iterator[RunItem]:
    languages = _wanted(workspace, run)
    for item in workspace.store.items.find("picture"):
        tag = item.language or run.dataset.language
        if tag and (not languages or tag in languages):
            yield RunItem(item.id, tag, SEPARATOR.join(item.parts), item.path)


def _collected(workspace: WorkspaceFolder, survey: Survey, run: Run) -> Iterator[RunItem]:
    """The finished memes of a survey, with the pictures that it was built of."""
    languages = _wanted(workspace, run)
    tags = {item.id: item.language for item in workspace.store.items.find("picture")}
    for meme, (path, text) in collected_pictures(survey, list(survey.memes)).items():
        tag = tags.get(meme) or run.dataset.language or workspace.source.tag
        if not languages or tag in languages:
            yield RunItem(meme, tag, text, path)


def _wanted(workspace: WorkspaceFolder, run: Run) -> tuple[str, ...]:
    """The tags of the run's languages as the workspace stores them."""
    return tuple(workspace.locale(tag).tag for tag in run.dataset.languages)


def rendered_pictures(
    folder: Path, locales: Collection[str] | None = None
) -> Mapping[tuple[str, str], Path]:
    """The pictures that `memeloc render` made, by meme and locale: of some locales, or of all."""
    from memeloc.render.sets.reading import has_set, shown_pictures

    if not has_set(folder):
        return {}

    return {key: path for key, (path, _) in shown_pictures(folder, locales).items()}


def _only_survey(workspace: WorkspaceFolder) -> Survey | None:
    names = workspace.store.surveys.names()
    return Survey(workspace, names[0]) if len(names) == 1 else None


def _settled(
    survey: Survey, run: Run, items: Collection[str], about: Mapping[str, str]
) -> Gold | None:
    """The settled labels of a survey; None where nobody has answered yet."""
    import pandas as pd

    by_item: dict[str, dict[str, str]] = {}
    for (item, culture), label in settled_labels(survey).items():
        if item in items:
            by_item.setdefault(item, {})[culture] = as_label(
                label, run, f"the survey {survey.name}"
            )
    return gold_of(run, pd.DataFrame.from_dict(by_item, orient="index"), about)


def settled_labels(survey: Survey) -> Mapping[tuple[str, str], str]:
    """The labels of a survey by item and culture; none where nobody has answered yet."""
    checked = survey.answers.checked(keep=False)
    return survey.labels.settled(checked).labels if len(checked.answers()) else {}
