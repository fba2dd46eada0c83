"""Evaluating models. In: a run or survey, its memes, the workspace if there is one. Out: `OpenRun`.

A run's dataset are the workspace's own memes, a release, or a table; what is learned from are the
memes of a survey with their labels.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.evaluate.releases import release_rows, release_table
from memeloc.evaluate.runs.asking import OpenRun
from memeloc.evaluate.runs.dataset import (
    RunData,
    RunItem,
    as_label,
    gold_of,
    in_languages,
    read_gold,
    read_table_data,
    run_data,
)
from memeloc.evaluate.runs.run import Run, read_run
from memeloc.items import meme_id
from memeloc.model import SEPARATOR
from memeloc.publish.folder import PublishedRelease, is_release, open_release
from memeloc.tables import read_table
from memeloc.workspace.folder import Part, WorkspaceFolder

if TYPE_CHECKING:
    from memeloc.evaluate.gold import Gold
    from memeloc.evaluate.runs.run import DatasetSettings, GoldSettings
    from memeloc.evaluate.training.dataset import Dataset, Record
    from memeloc.workspace.surveys import Survey

PICTURES = "pictures"
"""The folder of a run's results into which pictures of a release are copied."""
RENDERED = "out"
"""The folder of the workspace in which rendered pictures are looked for."""


def open_run(
    name: str | Path,
    out: str | Path | None = None,
    *,
    workspace: WorkspaceFolder | None = None,
    data: str | Path | None = None,
    gold: str | Path | None = None,
    models: Sequence[str] = (),
    only: Sequence[str] = (),
    languages: Sequence[str] = (),
    inputs: Sequence[str] = (),
    pictures: str | Path | None = None,
    prompts: str | Path | None = None,
    limit: int | None = None,
    budget: float | None = None,
    changes: Mapping[str, Any] | None = None,
) -> OpenRun:
    """Return a run by its file or shipped name, with its dataset.

    Args:
        out: the folder of its results; `evaluation-NAME` by default.
        workspace: whose memes, model settings and kept answers are used; None for none.
        data: a table, a folder of one, or a published dataset, in the place of the run's.
        gold: a table of labels.
        models: names of models at the server of the settings, in the place of the run's.
        only: conditions of the run; empty for all.
        languages: of the memes; empty for the run's.
        inputs: only these of `picture`, `text`, `both`, `none`.
        pictures: the folder of the workspace's rendered pictures; `out` in it by default.
        prompts: a file of prompts, or the name of shipped ones.
        limit: only so many items, the first.
        budget: money, in the currency of the prices.
        changes: other settings of the run, before those of its file.
    """
    values = dict(changes or {})
    if models:
        values["model"] = [{"model": model} for model in models]
    if prompts is not None:
        path = Path(prompts)
        values["prompts"] = str(path.resolve() if path.suffix else prompts)
    dataset = {**values.pop("dataset", {})}
    if languages:
        dataset["languages"] = list(languages)
    if limit is not None:
        dataset["limit"] = limit
    run, folder = read_run(name, {**values, **({"dataset": dataset} if dataset else {})})
    run = run.only(only, inputs)
    target = Path(out) if out is not None else Path(f"evaluation-{run.name}")
    labels = Path(gold) if gold is not None else None
    where = Path(data) if data is not None else None
    if where is None and run.dataset.path:
        where = folder / run.dataset.path
    elif where is not None and not (where / run.gold.path).exists():
        # The run's table of labels is of its own dataset, not of the one that is named here.
        run = run.model_copy(update={"gold": run.gold.model_copy(update={"path": ""})})
    if where is None and workspace is not None:
        memes = own_memes(workspace, run, labels, Path(pictures) if pictures is not None else None)
    elif where is None:
        raise InputError(
            "The run names no dataset and there is no workspace here: name a table or folder with "
            "--data."
        )
    elif not where.exists():
        raise InputError("There is no such dataset.", file=where)
    elif where.is_dir() and is_release(where):
        memes = published_memes(run, where, target / PICTURES, labels)
    else:
        memes = read_table_data(run, where, labels)
    defaults = workspace.settings.language_model if workspace else {}
    cache = workspace.store.computed if workspace else None
    return OpenRun(run, memes, target, folder, defaults, cache, budget)


class Evaluating(Part):
    """Evaluating models on the workspace's memes, or on another dataset."""

    def open(self, name: str | Path, out: str | Path | None = None, **settings: Any) -> OpenRun:
        """Return a run with its dataset; see `open_run` for the settings."""
        return open_run(name, out, workspace=self._workspace, **settings)

    def labelled(self, data: DatasetSettings, labels: GoldSettings) -> Dataset:
        """Return the memes of a survey to learn from, an example a culture: its label, and the meme
        as it saw it. A meme of several cultures has an item in each, MEME/CULTURE, and they stay in
        one split. `where` of the data may name a culture or a language; `pictures` the folder of
        rendered pictures, `out` in the workspace by default."""
        from memeloc.evaluate.training.dataset import dataset_of
        from memeloc.workspace.surveys import Survey

        if unknown := sorted(data.where.keys() - {"culture", "language"}):
            raise InputError(
                f"[dataset.where] of a survey takes culture and language, not {unknown[0]}."
            )
        survey = Survey(self._workspace, data.survey)
        root = self._workspace.root or Path()
        about = f"settled labels of the survey {survey.name}"
        return dataset_of(_records(self._workspace, survey, data, root), data, labels, root, about)


def own_memes(
    workspace: WorkspaceFolder, run: Run, gold: Path | None = None, rendered: Path | None = None
) -> RunData:
    """Return the workspace's memes: its captions, with pictures that were rendered of them (in
    `rendered`, or `out` in the workspace), or the finished memes that it collected; of a survey
    those that it asks about. Labels are those of `gold`, a table; else of the run's survey, else of
    the only one."""
    import pandas as pd

    from memeloc.workspace.released_tables import current_captions
    from memeloc.workspace.surveys import Survey

    survey = Survey(workspace, run.dataset.survey) if run.dataset.survey else None
    languages = tuple(workspace.locale(tag).tag for tag in run.dataset.languages)
    finished = list(workspace.store.items.find("picture"))
    if survey is not None and survey.collected:
        tags = {item.id: item.language for item in finished}
        default = run.dataset.language or workspace.source.tag
        # What several cultures see alike is there once.
        shown = survey.collected_pictures()
        seen = {survey.item_of(*key): key for key in shown}
        items = [
            RunItem(key[0], tags.get(item) or default, shown[key][1], shown[key][0])
            for item, key in seen.items()
        ]
    else:
        captions = current_captions(workspace, "any")
        wanted = languages or tuple(dict.fromkeys(language for _, language in captions))
        folder = rendered or (workspace.root or Path()) / RENDERED
        pictures = rendered_pictures(folder, wanted)
        items = [
            RunItem(
                meme,
                tag,
                SEPARATOR.join(captions[meme, tag].parts),
                pictures.get((meme, tag)),
                template=captions[meme, tag].template,
            )
            for meme in dict.fromkeys(meme for meme, _ in captions)
            for tag in wanted
            if (meme, tag) in captions
        ] or [
            RunItem(meme_id(item), tag, SEPARATOR.join(item.parts), item.path, template=item.parent)
            for item in finished
            if (tag := item.language or run.dataset.language)
        ]
        items = [item for item in items if survey is None or item.id in survey.memes]
    items = [item for item in items if not languages or item.language in languages]
    items = items[: run.dataset.limit]
    if not items:
        raise InputError(
            "The workspace has no memes of these languages; `memeloc status` shows what it has, "
            "and --data names another dataset.",
            file=workspace.root,
        )
    about = {"dataset": workspace.root.name if workspace.root else "a workspace"}
    ids = {item.id for item in items}
    if gold is not None:
        return run_data(items, read_gold(run, gold, ids, about), about)
    names = workspace.store.surveys.names()
    if survey is None and len(names) == 1:
        survey = Survey(workspace, names[0])
    labels = None
    if survey is not None:
        where = f"the survey {survey.name}"
        about["gold"] = f"settled labels of {where}"
        by_item: dict[str, dict[str, str]] = {}
        for (meme, culture), label in settled_labels(survey).items():
            if meme in ids:
                by_item.setdefault(meme, {})[culture] = as_label(label, run, where)
        labels = gold_of(run, pd.DataFrame.from_dict(by_item, orient="index"), about)
    return run_data(items, labels, about)


def rendered_pictures(
    folder: Path, locales: Collection[str] | None = None
) -> Mapping[tuple[str, str], Path]:
    """Return what `memeloc render` made, by meme and locale: of some locales, or of all."""
    from memeloc.render.sets.reading import has_set, shown_pictures

    if not has_set(folder):
        return {}
    return {key: path for key, (path, _) in shown_pictures(folder, locales).items()}


def settled_labels(survey: Survey) -> Mapping[tuple[str, str], str]:
    """Return the labels of a survey by item and culture; none where nobody has answered yet."""
    checked = survey.answers.checked(keep=False)
    return survey.labels.settled(checked).labels if len(checked.answers()) else {}


_LABEL_COLUMNS = ("meme_id", "culture", "label")


def published_memes(run: Run, folder: Path, pictures: Path, gold: Path | None = None) -> RunData:
    """Return the memes of a release, in each of its layouts. Pictures in Parquet files and shards
    are copied into the folder `pictures`, named by their SHA-256. Labels are those of `gold`, a
    table; else of the release's table `labels`."""
    release = open_release(folder)
    items = list(_items(run, release, pictures))[: run.dataset.limit]
    if not items:
        raise InputError("no meme of these languages and this split is in it", file=folder)
    about = {"dataset": folder.resolve().name, "layout": release.layout}
    if run.dataset.split:
        about["split"] = run.dataset.split
    ids = {item.id for item in items}
    if gold is not None:
        return run_data(items, read_gold(run, gold, ids, about), about)
    return run_data(items, _labels(run, release, ids, about), about)


def _items(run: Run, release: PublishedRelease, pictures: Path) -> Iterator[RunItem]:
    wanted = run.dataset.languages
    seen = set()
    for row in release_rows(release.folder, pictures):
        meme, tag = row.text("meme_id"), row.text("language")
        seen.add((meme, tag))
        if in_languages(tag, wanted) and run.dataset.split in ("", row.text("split")):
            template = row.text("template")
            yield RunItem(meme, tag, row.text("text"), row.picture, template=template)
    if run.dataset.split:
        return  # of a meme whose picture stayed behind the split is not in the table of captions
    for (meme, _), texts in release.captions().items():
        for tag, text in texts.items():
            if (meme, tag) not in seen and in_languages(tag, wanted):
                yield RunItem(meme, tag, text)


def _labels(
    run: Run, release: PublishedRelease, items: set[str], about: Mapping[str, str]
) -> Gold | None:
    """Return the labels of its survey; of several the one that the run names."""
    path = release_table(release.folder, "labels")
    if path is None:
        return None
    import pandas as pd

    by_item: dict[str, dict[str, str]] = {}
    surveys = set()
    for row in read_table(path, _LABEL_COLUMNS).rows:
        survey = row["survey"].strip()
        if row["meme_id"] in items and run.dataset.survey in ("", survey):
            surveys.add(survey)
            label = as_label(row["label"], run, file=path, row=row.number, column="label")
            by_item.setdefault(row["meme_id"], {})[row["culture"] or "gold"] = label
    if len(surveys) > 1:
        raise InputError(
            f"has labels of several surveys ({', '.join(sorted(surveys))}): name one as "
            "dataset.survey in the run file",
            file=path,
        )
    table = pd.DataFrame.from_dict(by_item, orient="index")
    return gold_of(run, table, {**about, "gold": f"tables/{path.name}"})


def _records(
    workspace: WorkspaceFolder, survey: Survey, data: DatasetSettings, root: Path
) -> Iterator[Record]:
    from memeloc.evaluate.training.dataset import Record
    from memeloc.workspace.released_tables import current_captions

    languages, settled = survey.tags, settled_labels(survey)
    captions = current_captions(workspace, "any")
    templates = {meme: caption.template for (meme, _), caption in captions.items()}
    folder = Path(data.pictures) if data.pictures else root / RENDERED
    rendered = rendered_pictures(folder, {*languages.values()})
    collected = survey.collected_pictures() if survey.collected else {}
    for (meme, culture), label in settled.items():
        tag = languages[culture]
        cells = {"culture": culture, "language": tag, "item": f"{meme}/{culture}", "label": label}
        if any(cells[name] != value for name, value in data.where.items()):
            continue
        picture, text = collected.get((meme, tag), (rendered.get((meme, tag)), None))
        if text is None:
            caption = captions.get((meme, tag))
            text = SEPARATOR.join(caption.parts) if caption else ""
        template = templates.get(meme, "")
        yield Record({**cells, "text": text, "template": template or meme}, picture, root)
