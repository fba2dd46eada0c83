"""The workspace's memes as what is learned from. In: a survey with labels. Out: a `Dataset`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memeloc.errors import InputError
from memeloc.evaluate.training.dataset import Dataset, Record, dataset_of
from memeloc.evaluate.training.run_file import DataSettings, LabelSettings
from memeloc.model import SEPARATOR
from memeloc.workspace.evaluating.own_memes import RENDERED, rendered_pictures, settled_labels
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.publishing.captions import taken_captions
from memeloc.workspace.survey import Survey
from memeloc.workspace.survey_memes import collected_pictures

_WHERE = {"culture", "language"}


def labelled_memes(
    workspace: WorkspaceFolder, data: DataSettings, labels: LabelSettings
) -> Dataset:
    """The memes of a survey, an example a culture: its label, and the meme as it saw it.

    A meme of several cultures has an item in each, MEME/CULTURE, and they stay in one split.

    Args:
        data: the survey; `where` may name a culture or a language; `pictures` the folder of
            rendered pictures, `out` in the workspace by default.
        labels: what its labels mean.

    Raises:
        InputError: there is no such survey, or nobody has labelled a meme of it.
    """
    if unknown := sorted(data.where.keys() - _WHERE):
        raise InputError(f"[data.where] of a survey takes culture and language, not {unknown[0]}.")
    survey = Survey(workspace, data.survey)
    root = workspace.root or Path()
    about = f"settled labels of the survey {survey.name}"
    return dataset_of(_records(workspace, survey, data, root), data, labels, root, about)


def _records(
    workspace: WorkspaceFolder, survey: Survey, data: DataSettings, root: Path
) -> Iterator[Record]:
    languages = {culture.code: culture.locale.tag for culture in survey.design.cultures}
    settled = settled_labels(survey)
    captions = taken_captions(workspace, "any")
    folder = Path(data.pictures) if data.pictures else root / RENDERED
    rendered = rendered_pictures(folder, {*languages.values()})
    collected = collected_pictures(survey, list(survey.memes)) if survey.collected else {}
    for (meme, culture), label in settled.items():
        tag = languages[culture]
        cells = {"culture": culture, "language": tag, "item": f"{meme}/{culture}", "label": label}
        if any(cells[name] != value for name, value in data.where.items()):
            continue
        picture, text = collected.get(meme, (rendered.get((meme, tag)), None))
        if text is None:
            text = SEPARATOR.join(captions.texts.get((meme, tag), ()))
        template = captions.templates.get(meme, "")
        yield Record({**cells, "text": text, "group": template or meme}, picture, root)
