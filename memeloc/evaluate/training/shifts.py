"""Distribution shift. In: a dated dataset, or several, and estimators. Out: how well they transfer.

charmemes 5.4 trains on 90 % of a period, and tests on its other 10 % and on all of every other
period. charmemes 5.3 and Table 4 have, for each target dataset: `base` learns from the target's
training set; `aligned` from a sample of the source's that has its size, class counts and years;
`full` from all of the source's training set; each is tested on the target's test set. `reverse`
learns from the target, and is tested on as many items of the source's test set.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from memeloc.arrays import Floats, Ints
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.metrics import confusion, measure
from memeloc.evaluate.training.dataset import Dataset
from memeloc.evaluate.training.features import OnProgress
from memeloc.evaluate.training.folds import Fold, Rows, folds_of, periods_of
from memeloc.evaluate.training.run_file import SplitSettings
from memeloc.evaluate.training.training import train
from memeloc.reports.figures import gap, joined, tidy
from memeloc.reports.texts import PARTS
from memeloc.settings import read_toml, validate
from memeloc.statistics.bootstrap import Resampling, estimate

_MACRO = ("accuracy", "precision", "recall", "f1", "mae", "mmae")
_SIDES = ("earlier", "within", "later")
_REST = "*"
"""Stands for every label of a dataset that its map does not name."""

_Label = Annotated[str, StringConstraints(max_length=200)]


def scored(
    right: Iterable[str], answered: Iterable[str], labels: Sequence[str], settings: Resampling,
    levels: Sequence[float] | None = None,
) -> dict[str, float]:  # fmt: skip
    """Return how right labels are, with intervals over items, as cells of a wide frame.

    Args:
        answered: labels of the same items; one that is not among the labels is invalid.
        levels: of the labels, where they are ordered; without them there are no distances.
    """
    place = {label: number for number, label in enumerate(labels)}
    places = [[place[label] for label in right], [place.get(label, -1) for label in answered]]
    rows = np.array(places, dtype=np.int64).T
    names = _MACRO if levels else _MACRO[:4]

    def figures(rows: Ints, weights: Floats) -> Floats:
        metrics = measure(confusion(rows[:, 0], rows[:, 1], len(labels), weights), levels)
        return np.column_stack([getattr(metrics, name) for name in names])

    estimates = estimate(rows, figures, settings, "scored")
    ends = {"": estimates.value, "_low": estimates.low, "_high": estimates.high}
    cells = {
        f"{name}{end}": float(value)
        for end, values in ends.items()
        for name, value in zip(names, values, strict=True)
    }
    return {**cells, "n": len(rows)}


def temporal_figures(
    dataset: Dataset,
    models: Mapping[str, Any],
    settings: Resampling,
    *,
    count: int = 5,
    held_out: float = 0.1,
    on_progress: OnProgress = lambda what, more, total: None,
) -> pd.DataFrame:
    """Train on each period and test on all; return rows by periods, by distance, and summed up.

    Groups are `MODEL, TASK`; of the matrix `MODEL, TASK · PERIOD TRAINED ON`, its items are those
    tested on. A distance is in periods, below 0 to earlier ones. Coarser tasks are scored by
    mapping predictions. Only examples that all models see are used. Raise InputError if too few
    examples have a year, or a model cannot be trained on a period.

    Args:
        models: estimators by name.
        settings: their seed is also that of the periods.
        count, held_out: see `periods_of`.
    """
    dated = [row for row in _seen(dataset, models) if dataset.examples[row].year is not None]
    if not dated:
        raise InputError("No example has a year; name the column in [dataset.columns] year.")
    rows = np.array(dated, dtype=np.int64)
    periods = periods_of(dataset, rows, count=count, held_out=held_out, seed=settings.seed)
    years = [period.name for period in periods]
    names = [
        f"{name}, part {years[:place].count(name) + 1}" if years.count(name) > 1 else name
        for place, name in enumerate(years)
    ]
    gold = dataset.gold
    labels = dataset.frame["label"]
    cells: list[dict[str, Any]] = []
    for place, period in enumerate(periods):
        tests = [
            each.test if each is period else np.union1d(each.train, each.test) for each in periods
        ]
        fold = Fold(names[place], period.train, np.unique(np.concatenate(tests)))
        for model, estimator in models.items():
            (trained,) = train(dataset, estimator, [fold])
            for other, test in enumerate(tests):
                right = labels.iloc[test]
                answers = [trained.answers[item] for item in right.index]
                for task, coarse in gold.tasks.items():
                    figures = scored(
                        right.map(coarse),
                        [coarse.get(label, "") for label in answers],
                        tuple(dict.fromkeys(coarse[label] for label in gold.labels)),
                        settings,
                    )
                    row = {"of": f"{model}, {task}", "item": names[other], "on": names[place]}
                    more = {"distance": other - place, "train_items": len(period.train)}
                    cells.append({**row, **more, **figures})
        on_progress("periods", 1, len(periods))
    matrix = pd.DataFrame(cells)
    whole = matrix.assign(group=matrix["of"] + PARTS + matrix["on"]).drop(columns=["of", "on"])
    matrix = matrix.rename(columns={"of": "group"})
    f1 = matrix.groupby(["group", "distance"])["f1"].agg(f1="mean", n="size").reset_index()
    f1 = f1.assign(item=f1["distance"].astype(str)).drop(columns="distance")
    side = pd.cut(matrix["distance"], [-len(periods), -1, 0, len(periods)], labels=_SIDES)
    means = matrix.groupby(["group", side], sort=False, observed=False)["f1"].mean().unstack()
    means = means[[*_SIDES]]
    for name in ("later", "earlier"):
        means[f"{name}_delta"] = means[name] - means["within"]
    parts = [
        tidy("temporal", whole, "percentile bootstrap of items"),
        tidy("temporal-distance", f1, "mean"),
        tidy("temporal-summary", means.reset_index(), "mean"),
    ]
    if left_out := len(dataset.examples) - len(rows):
        reason = f"{counted(left_out, 'example')} without a year, or without what a model looks at."
        parts.append(gap("temporal", reason))
    return joined(parts)


class LabelMap(BaseModel):
    """Labels that datasets share, and which of each dataset's are which.

    Datasets name what they call harmful differently; a model of the first is tested on the second
    in labels that both have, such as `harmful` and `safe` (charmemes 5.3).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: _Label = Field(description="of the map")
    labels: tuple[_Label, ...] = Field(min_length=2, description="that datasets share, in order")
    maps: Mapping[_Label, Mapping[_Label, _Label]] = Field(
        description="by dataset, its label and the shared one, empty where items are left out"
    )

    def of(self, dataset: str, label: str) -> str:
        """Return the shared label; empty where items of that label are left out. Raise InputError
        if the dataset is not in the map, or its label is not."""
        if (mapping := self.maps.get(dataset)) is None:
            raise InputError(
                f"The label map {self.name} has no dataset {dataset!r}; it has "
                f"{', '.join(self.maps)}."
            )
        shared = mapping.get(label, mapping.get(_REST))
        if shared is None:
            raise InputError(
                f"The label map {self.name} does not say what {label!r} of {dataset} is. Add it "
                f'to [maps.{dataset}], with "" to leave its items out.'
            )
        return shared


def load_label_map(name: str) -> LabelMap:
    """Return the shipped map `harmful`, or one of a file. Raise InputError if there is none, or the
    file is wrong."""
    shipped = Path(__file__).parent / f"{name}.toml"
    path = shipped if name.isidentifier() and shipped.is_file() else Path(name)
    labels = validate(LabelMap, read_toml(path), "the label map", file=path)
    for dataset, mapping in labels.maps.items():
        for label, shared in mapping.items():
            if shared and shared not in labels.labels:
                raise InputError(
                    f"maps {label!r} of {dataset} to {shared!r}, which is not in labels", file=path
                )
    return labels


def share_labels(datasets: Mapping[str, tuple[str, Dataset]], labels: LabelMap) -> Dataset:
    """Return the examples of all datasets with labels that these share, and ids of their own. Raise
    InputError if a dataset or one of its labels is not in the map.

    Args:
        datasets: by the name that figures have, the name in the map, and the dataset.
    """
    examples = [
        replace(example, item=f"{place}/{example.item}", label=label, other={"dataset": name})
        for place, (name, (in_map, dataset)) in enumerate(datasets.items())
        for example in dataset.examples
        if (label := labels.of(in_map, example.label))
    ]
    return Dataset(tuple(examples), labels.labels)


def aligned_sample(
    dataset: Dataset,
    rows: Rows,
    counts: Mapping[str, int],
    *,
    window: tuple[int, int] | None = None,
    seed: int = 0,
) -> tuple[Rows, dict[str, int]]:
    """Draw a simple random sample within each label, as near to what is wanted as there are items.

    charmemes 5.3 trains on a sample of itself that matches the target in size and time span, and
    nearly in the counts of its classes (Table 4). Where a label has fewer items than wanted, items
    of the other labels make up the size; where the window has fewer altogether, it is all of them.

    Args:
        rows: of which is drawn.
        counts: by label how many are wanted: those of the target's training set.
        window: the first and the last year, both in; items without a year are outside it.

    Returns:
        The rows, in the order given, and by label how many fewer there are than wanted.
    """
    drawn = rows.tolist()
    if window is not None:
        first, last = window
        years = {row: dataset.examples[row].year or first - 1 for row in drawn}
        drawn = [row for row in drawn if first <= years[row] <= last]
    order = random.Random(seed).sample(drawn, len(drawn))
    missing = Counter(counts)
    chosen: set[int] = set()
    for row in order:
        if missing[dataset.examples[row].label] > 0:
            missing[dataset.examples[row].label] -= 1
            chosen.add(row)
    lacking = {label: count for label, count in missing.items() if count > 0}
    others = [row for row in order if row not in chosen]
    chosen.update(others[: sum(lacking.values())])
    return np.array([row for row in drawn if row in chosen], dtype=np.int64), lacking


def transfer_figures(
    dataset: Dataset,
    models: Mapping[str, Any],
    settings: Resampling,
    *,
    splits: Mapping[str, SplitSettings] | None = None,
    windows: Mapping[str, tuple[int, int]] | None = None,
    on_progress: OnProgress = lambda what, more, total: None,
) -> pd.DataFrame:
    """Train and test between a source and each of its targets, and return rows of `transfer`.

    Groups are `TARGET · MODEL`, items the four ways to train. `delta` is the macro F1 less that of
    base; of reverse, less that of full on all of the source's own tests. Only examples that all
    models see are used. Raise InputError if a dataset has no items to learn from, or to test on.

    Args:
        dataset: of `share_labels`; the first one in it is the source.
        models: estimators by name, of the labels that are shared.
        settings: their seed is also that of samples and splits.
        splits: by dataset how it is divided: its own splits, or else a seeded one, if left out.
        windows: by target the years of the source that the aligned sample is drawn from.
    """
    examples, seen = dataset.examples, _seen(dataset, models)
    labels = dataset.frame["label"]
    parts: list[Fold] = []
    for name in dict.fromkeys(example.other["dataset"] for example in examples):
        rows = np.array([row for row in seen if examples[row].other["dataset"] == name], np.int64)
        of_dataset = Dataset(tuple(examples[row] for row in rows), dataset.labels)
        split = (splits or {}).get(name) or SplitSettings()
        existing = {example.split for example in of_dataset.examples}
        has_own = existing.intersection(split.train) and existing.intersection(split.test)
        if split.method in ("auto", "folds") and not has_own:
            split = split.model_copy(update={"method": "seeded"})
        if not len(rows):
            raise InputError(f"The dataset {name} has no items that all models see.")
        ((_, train_rows, test_rows),), _ = folds_of(of_dataset, split, seed=settings.seed)
        parts.append(Fold(name, rows[train_rows], rows[test_rows]))
    source, *targets = parts
    total = 1 + 2 * len(targets)

    def answers_of(train_rows: Rows, *tests: Rows) -> dict[str, Mapping[str, str]]:
        fold = Fold("transfer", train_rows, np.unique(np.concatenate(tests)))
        each = {name: train(dataset, model, [fold])[0].answers for name, model in models.items()}
        on_progress("transfers", 1, total)
        return each

    def tested(answers: Mapping[str, str], rows: Rows) -> dict[str, float]:
        right = labels.iloc[rows]
        return scored(right, [answers[item] for item in right.index], dataset.labels, settings)

    full = answers_of(source.train, source.test, *(target.test for target in targets))
    cells: list[dict[str, Any]] = []
    gaps = []
    for target in targets:
        window = (windows or {}).get(target.name)
        wanted = Counter(labels.iloc[target.train])
        sample, lacking = aligned_sample(
            dataset, source.train, wanted, window=window, seed=settings.seed
        )
        if lacking or len(sample) < len(target.train):
            years = f" in {window[0]} to {window[1]}" if window else ""
            fewer = ", ".join(f"{count:,} of {label!r}" for label, count in lacking.items())
            reason = (
                f"{source.name} lacks {fewer}{years} for a sample like {target.name}; the sample "
                f"has {len(sample):,} items, others standing in where there are any."
            )
            gaps.append(gap("transfer", reason))
        rest = Counter(labels.iloc[target.test])
        held, _ = aligned_sample(dataset, source.test, rest, seed=settings.seed)
        base = answers_of(target.train, target.test, held)
        # Nothing is learned of one label alone; the note says what lacks.
        can_align = labels.iloc[sample].nunique() > 1
        aligned = answers_of(sample, target.test) if can_align else {}
        for model in models:
            basis = tested(base[model], target.test)["f1"]
            of_source = tested(full[model], source.test)["f1"]
            ways: dict[str, tuple[Any, Rows, Rows, float]] = {
                "base": (base, target.train, target.test, basis),
                "aligned": (aligned, sample, target.test, basis),
                "reverse": (base, target.train, held, of_source),
                "full": (full, source.train, target.test, basis),
            }
            for way, (answers, learned, tests, compared) in ways.items():
                if model not in answers:
                    continue
                figures = tested(answers[model], tests)
                counts = Counter(labels.iloc[learned])
                dated = [examples[row].year for row in learned]
                span = [year for year in dated if year is not None]
                cells.append(
                    {
                        "group": f"{target.name} · {model}",
                        "item": way,
                        **figures,
                        "delta": figures["f1"] - compared,
                        "train_items": len(learned),
                        **{f"train: {label}": counts[label] for label in dataset.labels},
                        "first_year": min(span, default=float("nan")),
                        "last_year": max(span, default=float("nan")),
                    }
                )
    if left_out := len(examples) - len(seen):
        reason = f"{left_out:,} examples have nothing for one of the models to look at."
        gaps.append(gap("transfer", reason))
    return joined([tidy("transfer", pd.DataFrame(cells), "percentile bootstrap of items"), *gaps])


def _seen(dataset: Dataset, models: Mapping[str, Any]) -> list[int]:
    """Return the rows that have something for every model to look at."""
    seen = np.ones(len(dataset.examples), dtype=bool)
    for model in models.values():
        if needs := list(getattr(model, "needs", ())):
            seen &= dataset.frame[needs].notna().any(axis=1).to_numpy()
    return list(map(int, np.flatnonzero(seen)))
