"""How right answers are. In: `ModelAnswers`, `Gold`. Out: rows of the table of figures.

Every figure is the mean over the prompts of what one prompt reaches (PROTOCOLS; multi3hate 5.1).
An interval draws items anew with all their answers; of multiple choice memes with all questions.
Groups are the titles of conditions; with a prompt, ` · prompt 1, swapped` follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memeloc.arrays import Floats, Ints
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.metrics import Metrics, confusion, measure
from memeloc.evaluate.scores.join import INVALID, NO_GOLD, NOT_ASKED, Joined, join
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.reports.figures import gap, joined, tidy
from memeloc.statistics.bootstrap import Estimates, estimate
from memeloc.statistics.intervals import wilson

if TYPE_CHECKING:
    import pandas as pd

_MACRO = ("accuracy", "precision", "recall", "f1", "mae", "mmae")
_MEANS = "mean over prompts; percentile bootstrap of items"


def score(answers: ModelAnswers, gold: Gold, settings: ScoreSettings | None = None) -> pd.DataFrame:
    """Return how right answers are in the eyes of each culture, as rows; see guides/evaluation.md.

    Raises:
        InputError: answers and gold do not fit; the sentence says how.
        MissingError: pandas or scipy is not installed.
    """
    from memeloc.evaluate.scores import choice, comparing

    settings = settings or ScoreSettings()
    data = join(answers, gold)
    scores, prompts, labels = _scores(data, settings)
    return joined(
        [
            *(gap("answers", note) for note in data.notes),
            *_counts(data, answers),
            tidy("accuracy", _wide(scores), _MEANS),
            *_unanswered(scores),
            tidy("prompts", _wide(prompts), "one prompt"),
            tidy("labels", labels, _MEANS),
            *_without_looking(data),
            *choice.examined(data, gold.questions, settings),
            *_validity(data, settings),
            *comparing.best_culture(data, scores, settings),
            *_agreement(data, scores, settings),
            *_positions(data, settings),
            *choice.right_places(data, gold.questions, settings),
            *comparing.changes(data, scores, settings),
            *comparing.models(scores, settings),
            *_parts(data, gold, settings),
        ]
    )


def resampled(
    rows: NDArray[Any],
    units: Ints,
    statistic: Callable[[Floats], Floats],
    settings: ScoreSettings,
    name: str,
) -> Estimates:
    """Return statistics of sums of rows, with intervals that draw units anew.

    Args:
        rows: (items, columns). Sums of whole numbers are few patterns; others are drawn each.
        units: by item the number of its unit; those without anything are left out.
        statistic: of sums (resamples, columns) the values (resamples, figures).
        name: of the random numbers, see `memeloc.statistics.bootstrap.generator`.
    """
    sums: NDArray[Any] = np.zeros((int(units.max()) + 1, rows.shape[1]), dtype=rows.dtype)
    np.add.at(sums, units, rows)
    sums = sums[sums.any(axis=1)]
    are_whole = sums.dtype.kind == "i"

    def weighed(patterns: Ints, weights: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return statistic(weights @ (patterns if are_whole else sums[patterns[:, 0]]))

    return estimate(sums if are_whole else np.arange(len(sums))[:, None], weighed, settings, name)


def ratios(sums: Floats) -> Floats:
    """Return the shares of columns that are, by turns, counts and their totals."""
    return np.asarray(sums[:, ::2] / sums[:, 1::2])


def mean_of_defined(values: Floats) -> Floats:
    """Return the mean over prompts, (resamples, prompts, ...), of what is defined; else NaN."""
    defined = np.isfinite(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(defined, values, 0).sum(axis=1) / defined.sum(axis=1))


def as_columns(name: str, estimates: Estimates, first: int = 0) -> dict[str, Floats]:
    """Return a figure of many rows with the ends of its intervals, as columns of a wide frame."""
    ends = {"": estimates.value, "_low": estimates.low, "_high": estimates.high}
    return {f"{name}{end}": values[first:] for end, values in ends.items()}


def with_ends(names: Sequence[str], estimates: Estimates) -> dict[str, float]:
    """Return the first figures of a row with the ends of their intervals, as cells."""
    columns = [as_columns(name, estimates, place) for place, name in enumerate(names)]
    return {name: float(values[0]) for each in columns for name, values in each.items()}


def _scores(
    data: Joined, settings: ScoreSettings, task: str = ""
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return each condition against each culture: wide frames as a whole, by prompt, by label.

    Args:
        task: the name of a coarser task or of a part of the items, for the random numbers.
    """
    import pandas as pd

    whole, prompts, labels = [], [], []
    for (place, (title, condition)), (column, culture) in product(
        enumerate(data.conditions.items()), enumerate(data.cultures)
    ):
        name = f"{task} {culture} {'|'.join(condition)}"
        right, scored = data.right(place, column)
        n, used = scored.any(axis=1), (data.predicted[place] != NOT_ASKED).any(axis=0)
        if data.is_choice:
            rows = np.stack([right, scored], axis=2).reshape(len(right), -1).astype(np.int64)
            estimates = resampled(rows, data.units, _mean_accuracy, settings, name)
            with np.errstate(invalid="ignore"):
                by_prompt = {"accuracy": right.sum(axis=0) / scored.sum(axis=0)}
        else:
            rows = np.column_stack([data.gold[:, column], data.predicted[place]])[n]
            metrics, estimates = _of_labels(data, rows, settings, name)
            by_prompt = {figure: getattr(metrics, figure)[0] for figure in _MACRO}
            of_label = {
                "precision": mean_of_defined(metrics.precisions)[0],
                "recall": mean_of_defined(metrics.recalls)[0],
                **as_columns("f1", estimates, len(_MACRO)),
                "support": [(rows[:, 0] == label).sum() for label in range(len(data.labels))],
                "predicted": [
                    (rows[:, 1:] == label).sum() / used.sum() for label in range(len(data.labels))
                ],
            }
            keys = {"group": data.name(title, culture), "item": data.labels}
            labels.append(pd.DataFrame(keys | of_label))
        accuracies = pd.Series(by_prompt["accuracy"])
        whole.append(
            {
                **condition._asdict(),
                **{"group": title, "item": culture, "n": n.sum()},
                **with_ends(_MACRO[: len(by_prompt)], estimates),
                **{"sd": accuracies.std(), "prompts": used.sum(), "by_prompt": tuple(accuracies)},
            }
        )
        groups = [f"{title} · {prompt}" for prompt in data.prompt_titles]
        keys = {"group": groups, "item": culture, "n": scored.sum(axis=0)}
        prompts.append(pd.DataFrame(keys | by_prompt)[used])
    by_label = pd.concat(labels) if labels else pd.DataFrame()
    return pd.DataFrame(whole), pd.concat(prompts), by_label


def _mean_accuracy(sums: Floats) -> Floats:
    return mean_of_defined(ratios(sums))[:, None]


def _of_labels(
    data: Joined, rows: Ints, settings: ScoreSettings, name: str
) -> tuple[Metrics, Estimates]:
    """Return metrics by prompt, and means over prompts of the macro ones and of each label's F1.

    Args:
        rows: by item its gold, then what was predicted with each prompt.
    """

    def measured(rows: Ints, weights: Floats) -> Metrics:
        counts = [
            confusion(rows[:, 0], predicted, len(data.labels), weights * (predicted != NOT_ASKED))
            for predicted in rows[:, 1:].T
        ]
        return measure(np.stack(counts, axis=1), data.levels)

    def means(patterns: Ints, weights: Floats) -> Floats:
        metrics = measured(patterns, weights)
        macro = [mean_of_defined(getattr(metrics, figure)) for figure in _MACRO]
        return np.column_stack([*macro, mean_of_defined(metrics.f1s)])

    return measured(rows, np.ones((1, len(rows)))), estimate(rows, means, settings, name)


def _wide(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of `_scores` with figures only, and without what is nowhere defined."""
    figures = [name for name in map(str, frame) if name.startswith((*_MACRO, "sd", "prompts"))]
    return frame[["group", "item", "n", *(name for name in figures if frame[name].notna().any())]]


def _counts(data: Joined, answers: ModelAnswers) -> Iterator[pd.DataFrame]:
    """Yield how much was scored, and by which rules answers were read."""
    import pandas as pd

    table, invalid = answers.table, (data.predicted == INVALID).sum()
    counts = {"answers": len(table), "items": len(data.items), "invalid": invalid}
    counts["refused"] = data.refused.sum()
    yield tidy("answers", pd.DataFrame([counts]), "count")
    named = table[table["rule"].fillna("") != ""]
    rules = named.groupby(["model", "rule"]).size().rename("answers").reset_index()
    total = table["model"].value_counts().reindex(rules["model"]).to_numpy()
    rules = rules.assign(share=rules["answers"] / total, group=rules["model"], item=rules["rule"])
    rules = rules.sort_values(["model", "answers"], ascending=[True, False])
    yield tidy("rules", rules.drop(columns=["model", "rule"]), "count")


def _unanswered(scores: pd.DataFrame) -> Iterator[pd.DataFrame]:
    for title, culture in scores.loc[scores["n"] == 0, ["group", "item"]].itertuples(index=False):
        yield gap("accuracy", f"{title} answered no item with a label of {culture}.", title)


def _without_looking(data: Joined) -> Iterator[pd.DataFrame]:
    """Yield what the most frequent label reaches, and guessing: metrics of expected counts."""
    import pandas as pd

    labels = len(data.labels)
    for culture, gold in zip(data.cultures, data.gold.T, strict=True):
        support = np.bincount(gold[gold != NO_GOLD], minlength=labels).astype(np.float64)
        if support.any() and not data.is_choice:
            shares = np.zeros((2, labels + 1))
            shares[0, support.argmax()] = 1
            shares[1, :labels] = 1 / labels
            metrics = measure(support[:, None] * shares[:, None], data.levels)
            names = [f"always {data.labels[support.argmax()]}", "guessing"]
            keys = {"group": culture, "item": names, "n": support.sum()}
            frame = pd.DataFrame(keys | {name: getattr(metrics, name) for name in _MACRO})
            yield tidy("without-looking", _wide(frame), "of expected counts")


def _validity(data: Joined, settings: ScoreSettings) -> Iterator[pd.DataFrame]:
    """Yield how often answers chose nothing, whatever the gold (PROTOCOLS; multi3hate B.1)."""
    import pandas as pd

    asked, invalid = data.predicted != NOT_ASKED, data.predicted == INVALID
    counts = np.stack([asked, invalid, data.refused])
    whole, prompts = [], []
    for place, (title, condition) in enumerate(data.conditions.items()):
        rows, name = counts[:, place].sum(axis=2).T, f"rates {'|'.join(condition)}"
        estimates = resampled(rows, data.units, lambda s: s[:, 1:] / s[:, :1], settings, name)
        whole.append({"group": title, **with_ends(["invalid", "refused"], estimates)})
        n, *chosen_nothing = counts[:, place].sum(axis=1)
        groups = [f"{title} · {prompt}" for prompt in data.prompt_titles]
        frame = pd.DataFrame(np.transpose(chosen_nothing), columns=["invalid", "refused"])
        prompts.append(frame.div(n, axis=0).assign(group=groups, n=n)[n > 0])
    frame = pd.DataFrame(whole).assign(
        asks=data.asks.sum(axis=(1, 2)) / asked.sum(axis=(1, 2)),
        items=asked.any(axis=2).sum(axis=1),
        n=asked.sum(axis=(1, 2)),
    )
    yield tidy("validity", frame, "percentile bootstrap of items")
    if len(data.prompts) > 1:
        yield tidy("validity-prompts", pd.concat(prompts), "one prompt")


def _agreement(
    data: Joined, scores: pd.DataFrame, settings: ScoreSettings
) -> Iterator[pd.DataFrame]:
    """Yield how far each two cultures agree, and a model with a culture: its accuracy."""
    import pandas as pd

    if len(data.cultures) == 1:
        return
    first, second = np.transpose([*combinations(range(len(data.cultures)), 2)])
    both = (data.gold[:, first] != NO_GOLD) & (data.gold[:, second] != NO_GOLD)
    same, n = (both & (data.gold[:, first] == data.gold[:, second])).sum(axis=0), both.sum(axis=0)
    names = np.array(data.cultures, dtype=object)
    cultures = pd.DataFrame({"group": names[first], "item": names[second], "n": n})
    cultures["agreement"] = same / cultures["n"]
    cultures["agreement_low"], cultures["agreement_high"] = wilson(same, n, settings.confidence)
    ends = {f"accuracy{end}": f"agreement{end}" for end in ("", "_low", "_high")}
    models = scores[["group", "item", "n", *ends]].rename(columns=ends)
    means = {
        "cultures_mean": cultures["agreement"].mean(),
        "models_mean": models["agreement"].mean(),
    }
    yield tidy("agreement", cultures, "Wilson 1927")
    yield tidy("agreement", models, _MEANS)
    yield tidy("agreement", pd.DataFrame([means]), "plain mean")


def _positions(data: Joined, settings: ScoreSettings) -> Iterator[pd.DataFrame]:
    """Yield what the place of an option does to valid answers."""
    import pandas as pd

    pairs = [(wording, 1) for wording, order in data.prompts if order == 0]
    second = [data.prompts.index(pair) for pair in pairs if pair in data.prompts]
    first = [data.prompts.index((data.prompts[place][0], 0)) for place in second]
    valid = data.predicted >= 0
    placed = valid & (data.positions > 0)
    both = valid[..., first] & valid[..., second]
    apart = both & (data.predicted[..., first] != data.predicted[..., second])
    counts = [placed & (data.positions == 1), placed, apart, both]
    rows = np.stack([values.sum(axis=2) for values in counts], axis=2)
    cells = [
        {"group": title, **with_ends(["first", "changed"], estimates)}
        for own, (title, condition) in zip(rows, data.conditions.items(), strict=True)
        for name in [f"positions {'|'.join(condition)}"]
        for estimates in [resampled(own, data.units, ratios, settings, name)]
    ]
    total, pairs_n = rows[..., 1].sum(axis=1), rows[..., 3].sum(axis=1)
    if not total.any() and not pairs_n.any():
        return
    frame = pd.DataFrame(cells).assign(first_n=total, changed_n=pairs_n)
    yield tidy("position-bias", frame, "of valid answers; percentile bootstrap of items")
    for place in range(1, data.positions.max() + 1):
        chosen = (placed & (data.positions == place)).sum(axis=(1, 2))
        keys = {"group": [*data.conditions], "item": f"place {place}", "n": total}
        shares = pd.DataFrame(keys).assign(share=chosen / np.maximum(total, 1))
        yield tidy("places", shares[total > 0], "of valid answers")
    if not total.any():
        reason = "The answers do not say at which place the option chosen was shown."
        yield gap("position-bias", reason)
    if not pairs_n.any() and not data.is_choice:
        yield gap("position-bias", "No wording was asked with its options in both orders.")


def _parts(data: Joined, gold: Gold, settings: ScoreSettings) -> Iterator[pd.DataFrame]:
    """Yield scores with coarser labels (charmemes 5.1), and of groups of items (araharmeme 3.3)."""
    import pandas as pd

    parts = [
        ("tasks", task, data.coarser(task, mapping), f"task {task}")
        for task, mapping in gold.coarser.items()
    ]
    groups = pd.DataFrame() if gold.groups is None else gold.groups
    groups = groups[~groups.index.duplicated()]
    groups = groups.set_axis(groups.index.astype(str)).reindex(data.items)
    for column in groups:
        for value in sorted(groups[column].dropna().unique(), key=str):
            kept = (groups[column] == value).to_numpy()[:, None]
            part = replace(data, gold=np.where(kept, data.gold, NO_GOLD))
            if str(value) and (part.gold != NO_GOLD).any():
                parts.append(("groups", f"{column}: {value}", part, f"{column} {value}"))
    for analysis, name, part, stream in parts:
        scores, _, labels = _scores(part, settings, stream)
        yield tidy(analysis, _wide(scores.assign(group=name + " · " + scores["group"])), _MEANS)
        if analysis == "tasks":
            labels = labels.assign(group=name + " · " + labels["group"])
            yield tidy("tasks-labels", labels, _MEANS)
