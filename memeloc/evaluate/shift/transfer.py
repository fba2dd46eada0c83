"""Cross-dataset transfer. In: datasets and a way to train. Out: how models of one do on another.

charmemes 5.3 and Table 4, for each target dataset: `base` learns from the target's training set;
`aligned` from a sample of the source's that has its size, class counts and years; `full` from all
of the source's training set; each is tested on the target's test set. `reverse` learns from the
target, and is tested on as many items of the source's test set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.evaluate.shift.aligned import aligned_sample
from memeloc.evaluate.shift.fitting import Fit, Predict, Score, score
from memeloc.evaluate.training.comparing import Task, tasks_of
from memeloc.reports.sections import Bars, Section, Table

if TYPE_CHECKING:
    import pandas as pd

CONFIGURATIONS = ("base", "aligned", "reverse", "full")
"""In the order of Table 4."""
COLUMNS = {
    "target": "the dataset that is compared with",
    "model": "its name",
    "configuration": "base, aligned, reverse or full; see the method",
    "trained_on": "the dataset it learned from",
    "tested_on": "the dataset it was tested on",
    "years": "of the items it learned from; empty where they have none",
    "train_items": "items it learned from",
    "items": "items it was tested on",
    "accuracy": "share of right labels, 0 to 1",
    "f1": "macro F1, 0 to 1",
    "low": "lower end of its 95 % interval",
    "high": "upper end of its 95 % interval",
    "delta": "macro F1 less that of base; of reverse less that of full on the source's own tests",
}


@dataclass(frozen=True, slots=True)
class Corpus:
    """A dataset in a comparison, whose labels are those that the datasets share.

    Attributes:
        name: as tables show it.
        train, test: ids of items; no other dataset has them.
        labels: by item.
        years: by item; may lack some, or all.
        window: of the source's years, both in, that the aligned sample is drawn from; None for all.
    """

    name: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    labels: Mapping[str, str]
    years: Mapping[str, int]
    window: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Transfer:
    """What came of it.

    Attributes:
        table: columns of `COLUMNS`, and `train_LABEL`, the items of each label learned from.
        notes: what could not be as wanted, a sentence each.
    """

    table: pd.DataFrame
    notes: tuple[str, ...]


def cross_dataset(
    source: Corpus,
    targets: Sequence[Corpus],
    shared: Sequence[str],
    fit: Fit,
    *,
    seed: int = 0,
    on_progress: Callable[[int, int], None] = lambda more, total: None,
) -> Transfer:
    """Train and test between a source and each of its targets.

    Args:
        source: the large dataset.
        targets: those that it is compared with.
        shared: the labels that all have, in order.
        seed: of the samples and bootstraps.
        on_progress: is given how many trainings more are done, and how many there are.

    Raises:
        InputError: a dataset has no items to learn from, or to test on.
    """
    import pandas as pd

    for dataset in (source, *targets):
        if not dataset.train or not dataset.test:
            part = "test" if dataset.train else "train"
            raise InputError(f"The dataset {dataset.name} has no items in its split {part!r}.")
    trainings = 1 + 2 * len(targets)
    (task,) = tasks_of(shared, {}, {})
    run = _Run(source, task, seed)
    full = fit(source.train)
    own = {name: run.scored(source, source.test, predict) for name, predict in full.items()}
    on_progress(1, trainings)
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    for target in targets:
        wanted = Counter(target.labels[item] for item in target.train)
        sample = aligned_sample(
            source.train, source.labels, wanted, years=source.years, window=target.window, seed=seed
        )
        if sample.lacking or len(sample.items) < len(target.train):
            notes.append(_lacking(source, target, sample.lacking, len(sample.items)))
        base = fit(target.train)
        on_progress(1, trainings)
        # Nothing is learned of one label alone; the note says what lacks.
        aligned = fit(sample.items) if len(+Counter(sample.counts)) > 1 else {}
        on_progress(1, trainings)
        rest = Counter(target.labels[item] for item in target.test)
        held = aligned_sample(source.test, source.labels, rest, seed=seed).items
        for model in full:
            basis = run.scored(target, target.test, base[model])
            add = _adder(rows, run, target, model)
            add("base", target, target.train, basis, 0.0)
            if model in aligned:
                scored = run.scored(target, target.test, aligned[model])
                add("aligned", source, sample.items, scored, scored.f1 - basis.f1)
            back = run.scored(source, held, base[model])
            add("reverse", target, target.train, back, back.f1 - own[model].f1)
            scored = run.scored(target, target.test, full[model])
            add("full", source, source.train, scored, scored.f1 - basis.f1)
    counts = [f"train_{label}" for label in shared]
    frame = pd.DataFrame(rows, columns=[*COLUMNS, *counts])
    return Transfer(frame, tuple(notes))


@dataclass(frozen=True, slots=True)
class _Run:
    source: Corpus
    task: Task
    seed: int

    def scored(self, tested: Corpus, items: Sequence[str], predict: Predict) -> Score:
        right = [tested.labels[item] for item in items]
        return score(right, predict(items), self.task.labels, self.task, self.seed)


def _adder(
    rows: list[dict[str, Any]], run: _Run, target: Corpus, model: str
) -> Callable[[str, Corpus, Sequence[str], Score, float], None]:
    def add(
        configuration: str, trained: Corpus, items: Sequence[str], scored: Score, delta: float
    ) -> None:
        counts = Counter(trained.labels[item] for item in items)
        rows.append(
            {
                "target": target.name,
                "model": model,
                "configuration": configuration,
                "trained_on": trained.name,
                "tested_on": run.source.name if configuration == "reverse" else target.name,
                "years": _span(trained.years[item] for item in items if item in trained.years),
                "train_items": len(items),
                "items": scored.items,
                "accuracy": scored.accuracy,
                "f1": scored.f1,
                "low": scored.low,
                "high": scored.high,
                "delta": delta,
                **{f"train_{label}": counts[label] for label in run.task.labels},
            }
        )

    return add


def _span(years: Iterable[int]) -> str:
    known = sorted(set(years))
    return "-".join(map(str, dict.fromkeys((known[0], known[-1])))) if known else ""


def _lacking(source: Corpus, target: Corpus, lacking: Mapping[str, int], size: int) -> str:
    window = f" in {target.window[0]} to {target.window[1]}" if target.window else ""
    fewer = ", ".join(f"{count:,} of {label!r}" for label, count in lacking.items())
    return (
        f"{source.name} lacks {fewer}{window} for a sample like {target.name}; the sample has "
        f"{size:,} items, others standing in where there are any."
    )


def _sentence(row: Mapping[Any, Any]) -> str:
    against = f" ({row['delta']:+.3f})" if row["configuration"] != "base" else ""
    return (
        f"Macro F1 of {row['model']}, {row['configuration']}, learned from "
        f"{row['train_items']:,} items of {row['trained_on']} and tested on {row['items']:,} of "
        f"{row['tested_on']}: {row['f1']:.3f}{against}."
    )


def transfer_section(transfer: Transfer, source: str, seed: int) -> Section:
    """Transfer as a section: the table as CHARMemes Table 4 has it, and F1 as bars."""
    table = transfer.table
    counts = [str(name) for name in table.columns if name not in COLUMNS]
    columns = COLUMNS | {
        name: f"items of {name.removeprefix('train_')!r} that it learned from" for name in counts
    }
    method = (
        f"As CHARMemes 5.3 and Table 4: base learns from the target; aligned from a random sample "
        f"of {source} of the target's size, class counts and years (seed {seed}); full from all of "
        f"{source}'s training set; each is tested on the target. Reverse learns from the target "
        f"and is tested on as many items of {source}; its delta is taken from full on all of "
        f"{source}'s own test set. Intervals: bootstrap over items."
    )
    plots = []
    for number, (model, rows) in enumerate(table.groupby("model", sort=False)):
        values = rows.pivot(index="target", columns="configuration", values="f1")
        values = values.reindex(index=list(dict.fromkeys(rows["target"])))
        values = values[[name for name in CONFIGURATIONS if name in values.columns]]
        title = f"{model}: macro F1 by what it learned from"
        plots.append(Bars(f"transfer-{number + 1}", title, values, "macro F1", method))
    return Section(
        "transfer",
        "Models of one dataset on another",
        (Table("transfer", "Training data and results", table, columns, method),),
        tuple(plots),
        tuple(map(_sentence, table.to_dict("records"))),
        figures={"source": source, "seed": seed},
        gaps=transfer.notes,
    )
