"""Cross-dataset transfer. In: datasets and a way to train. Out: rows: how models do on another.

charmemes 5.3 and Table 4, for each target dataset: `base` learns from the target's training set;
`aligned` from a sample of the source's that has its size, class counts and years; `full` from all
of the source's training set; each is tested on the target's test set. `reverse` learns from the
target, and is tested on as many items of the source's test set.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.evaluate.shift.fitting import Fit, Predict, scored
from memeloc.reports.figures import gap, joined, tidy
from memeloc.statistics.bootstrap import Resampling

if TYPE_CHECKING:
    import pandas as pd


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


def aligned_sample(
    items: Sequence[str],
    labels: Mapping[str, str],
    counts: Mapping[str, int],
    *,
    years: Mapping[str, int] | None = None,
    window: tuple[int, int] | None = None,
    seed: int = 0,
) -> tuple[tuple[str, ...], dict[str, int]]:
    """Draw a simple random sample within each label, as near to what is wanted as there are items.

    charmemes 5.3 trains on a sample of itself that matches the target in size and time span, and
    nearly in the counts of its classes (Table 4). Where a label has fewer items than wanted, items
    of the other labels make up the size; where the window has fewer altogether, it is all of them.

    Args:
        counts: by label how many are wanted: those of the target's training set.
        years: of items; used with a window only.
        window: the first and the last year, both in; items without a year are outside it.

    Returns:
        The items, in the order given, and by label how many fewer there are than wanted.
    """
    if window is not None:
        first, last = window
        dated = years or {}
        items = [item for item in items if first <= dated.get(item, first - 1) <= last]
    order = random.Random(seed).sample(items, len(items))
    missing = Counter(counts)
    chosen: set[str] = set()
    for item in order:
        if missing[labels[item]] > 0:
            missing[labels[item]] -= 1
            chosen.add(item)
    lacking = {label: count for label, count in missing.items() if count > 0}
    others = [item for item in order if item not in chosen]
    chosen.update(others[: sum(lacking.values())])
    return tuple(item for item in items if item in chosen), lacking


def transfer_figures(
    source: Corpus,
    targets: Sequence[Corpus],
    shared: Sequence[str],
    fit: Fit,
    settings: Resampling,
    *,
    on_progress: Callable[[int, int], None] = lambda more, total: None,
) -> pd.DataFrame:
    """Train and test between a source and each of its targets, and return rows of `transfer`.

    Groups are `TARGET · MODEL`, items the four ways to train. `delta` is the macro F1 less that of
    base; of reverse, less that of full on all of the source's own tests.

    Args:
        source: the large dataset.
        targets: those that it is compared with.
        shared: the labels that all have, in order.
        settings: its seed is also that of the samples.
        on_progress: is given how many trainings more are done, and how many there are.

    Raises:
        InputError: a dataset has no items to learn from, or to test on.
    """
    import pandas as pd

    for dataset in (source, *targets):
        if not dataset.train or not dataset.test:
            part = "test" if dataset.train else "train"
            raise InputError(f"The dataset {dataset.name} has no items in its split {part!r}.")

    def tested(predict: Predict, corpus: Corpus, items: Sequence[str]) -> dict[str, float]:
        right = [corpus.labels[item] for item in items]
        return scored(right, predict(items), shared, settings)

    trainings = 1 + 2 * len(targets)
    full = fit(source.train)
    own = {name: tested(predict, source, source.test)["f1"] for name, predict in full.items()}
    on_progress(1, trainings)
    rows: list[dict[str, Any]] = []
    gaps = []
    for target in targets:
        wanted = Counter(target.labels[item] for item in target.train)
        sample, lacking = aligned_sample(
            source.train,
            source.labels,
            wanted,
            years=source.years,
            window=target.window,
            seed=settings.seed,
        )
        if lacking or len(sample) < len(target.train):
            window = f" in {target.window[0]} to {target.window[1]}" if target.window else ""
            fewer = ", ".join(f"{count:,} of {label!r}" for label, count in lacking.items())
            reason = (
                f"{source.name} lacks {fewer}{window} for a sample like {target.name}; the sample "
                f"has {len(sample):,} items, others standing in where there are any."
            )
            gaps.append(gap("transfer", reason))
        base = fit(target.train)
        on_progress(1, trainings)
        # Nothing is learned of one label alone; the note says what lacks.
        aligned = fit(sample) if len({source.labels[item] for item in sample}) > 1 else {}
        on_progress(1, trainings)
        rest = Counter(target.labels[item] for item in target.test)
        held, _ = aligned_sample(source.test, source.labels, rest, seed=settings.seed)
        for model in full:
            basis = tested(base[model], target, target.test)["f1"]
            ways = {
                "base": (base, target, target.train, target, target.test, basis),
                "aligned": (aligned, source, sample, target, target.test, basis),
                "reverse": (base, target, target.train, source, held, own[model]),
                "full": (full, source, source.train, target, target.test, basis),
            }
            for way, (models, learned, items, corpus, tests, compared) in ways.items():
                if model not in models:
                    continue
                figures = tested(models[model], corpus, tests)
                counts = Counter(learned.labels[item] for item in items)
                years = [learned.years[item] for item in items if item in learned.years]
                rows.append(
                    {
                        "group": f"{target.name} · {model}",
                        "item": way,
                        **figures,
                        "delta": figures["f1"] - compared,
                        "train_items": len(items),
                        **{f"train: {label}": counts[label] for label in shared},
                        "first_year": min(years, default=float("nan")),
                        "last_year": max(years, default=float("nan")),
                    }
                )
    frame = pd.DataFrame(rows)
    return joined([tidy("transfer", frame, "percentile bootstrap of items"), *gaps])
