"""A published dataset as a run's dataset. In: the folder of a release. Out: `RunData`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from memeloc.errors import InputError
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.releases import release_rows, release_table
from memeloc.evaluate.runs.items import RunData, RunItem, in_languages
from memeloc.evaluate.runs.labels import as_label, gold_of, read_gold
from memeloc.evaluate.runs.run import Run
from memeloc.publish.reading import PublishedRelease, open_release
from memeloc.tables import read_table

_LABELS = ("meme_id", "culture", "label")


def published_memes(run: Run, folder: Path, pictures: Path, gold: Path | None = None) -> RunData:
    """The memes of a release, in each of its layouts.

    Args:
        pictures: the folder into which pictures are copied out of Parquet files and shards, named
            by their SHA-256.
        gold: a table of labels; None takes the release's table `labels`.

    Raises:
        InputError: the release is damaged, or has no memes of these languages and this split.
    """
    release = open_release(folder)
    items = list(_items(run, release, pictures))[: run.dataset.limit]
    if not items:
        raise InputError("no meme of these languages and this split is in it", file=folder)
    about = {"dataset": folder.resolve().name, "layout": release.layout}
    if run.dataset.split:
        about["split"] = run.dataset.split
    ids = {item.id for item in items}
    if gold is not None:
        return RunData(tuple(items), read_gold(run, gold, ids, about), about)
    return RunData(tuple(items), _labels(run, release, ids, about), about)


def _items(run: Run, release: PublishedRelease, pictures: Path) -> Iterator[RunItem]:
    wanted = run.dataset.languages
    seen = set()
    for row in release_rows(release.folder, pictures):
        meme, tag = row.text("meme_id"), row.text("language")
        seen.add((meme, tag))
        if in_languages(tag, wanted) and run.dataset.split in ("", row.text("split")):
            yield RunItem(meme, tag, row.text("text"), row.picture)
    if run.dataset.split:
        return  # of a meme whose picture stayed behind the split is not in the table of captions
    for (meme, _), texts in release.captions.items():
        for tag, text in texts.items():
            if (meme, tag) not in seen and in_languages(tag, wanted):
                yield RunItem(meme, tag, text)


def _labels(
    run: Run, release: PublishedRelease, items: set[str], about: Mapping[str, str]
) -> Gold | None:
    """The labels of its survey; of several the one that the run names."""
    path = release_table(release.folder, "labels")
    if path is None:
        return None
    import pandas as pd

    by_item: dict[str, dict[str, str]] = {}
    surveys = set()
    for row in read_table(path, _LABELS).rows:
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
