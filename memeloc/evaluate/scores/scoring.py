"""How right answers are. In: `ModelAnswers`, `Gold`. Out: rows of the table of figures.

Every figure is the mean over the prompts of what one prompt reaches (PROTOCOLS; multi3hate 5.1).
An interval draws items anew with all their answers; of multiple choice memes with all questions.
Groups are the titles of conditions; with a prompt, ` · prompt 1, swapped` follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.arrays import Floats, Ints
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.metrics import Metrics, confusion, measure
from memeloc.evaluate.scores import choice, comparing
from memeloc.evaluate.scores.join import INVALID, NO_GOLD, NOT_ASKED, Joined, join
from memeloc.evaluate.scores.rows import (
    Rows,
    cut,
    figure_rows,
    gap_rows,
    mean_of_defined,
    ratios,
    resampled,
)
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.reports.figures import COLUMNS
from memeloc.statistics.bootstrap import Estimates, estimate
from memeloc.statistics.significance import wilson

if TYPE_CHECKING:
    import pandas as pd

_MACRO = ("accuracy", "precision", "recall", "f1", "mae", "mmae")
_OF_LABELS = {"accuracy": "labels", "tasks": "tasks-labels"}
"""By analysis that of its labels."""
_RATES = ("invalid", "refused")
_MEANS = "mean over prompts; percentile bootstrap of items"


def score(answers: ModelAnswers, gold: Gold, settings: ScoreSettings | None = None) -> pd.DataFrame:
    """Return how right answers are in the eyes of each culture, as rows; see guides/evaluation.md.

    Raises:
        InputError: answers and gold do not fit; the sentence says how.
        MissingError: pandas or scipy is not installed.
    """
    import pandas as pd

    settings = settings or ScoreSettings()
    data = join(answers, gold)
    figures, scores = _scores(data, settings)
    parts = [
        *(gap_rows("answers", note) for note in data.notes),
        *_counts(data, answers),
        figures,
        *_without_looking(data),
        *choice.examined(data, gold.questions, settings),
        *_validity(data, settings),
        *comparing.best_culture(data, scores, settings),
        *_agreement(data, figures, settings),
        *_positions(data, settings),
        *choice.right_places(data, gold.questions, settings),
        *comparing.changes(data, scores, settings),
        *comparing.models(scores, settings),
        *_parts(data, gold, settings),
    ]
    frame = pd.DataFrame([row for part in parts for row in part], columns=list(COLUMNS))
    return frame.astype(dict.fromkeys(("value", "low", "high", "n"), float))


def _scores(
    data: Joined,
    settings: ScoreSettings,
    analysis: str = "accuracy",
    part: str = "",
    task: str = "",
) -> tuple[Rows, pd.DataFrame]:
    """Return rows of each condition against each culture, and a frame of what others compare.

    Args:
        part: what the groups begin with; parts are not given by prompt.
        task: the name of a coarser task or of a part of the items, for the random numbers.
    """
    import pandas as pd

    figures: Rows = []
    scores: list[dict[str, Any]] = []
    macro = _MACRO[: 1 if data.is_choice else 4 if data.levels is None else 6]
    for pair in data.pairs():
        name, group, item = f"{task} {pair.stream}", part + pair.title, pair.culture
        used, counts = (pair.predicted != NOT_ASKED).any(axis=0), pair.scored.sum(axis=0)
        n = int(pair.scored.any(axis=1).sum())
        if data.is_choice:
            sides = np.stack([pair.right, pair.scored], axis=2).astype(np.int64)
            sums = sides.reshape(len(sides), -1)
            estimates = resampled(
                sums, data.units, lambda s: mean_of_defined(ratios(s))[:, None], settings, name
            )
            with np.errstate(invalid="ignore"):
                by_prompt = [pair.right.sum(axis=0) / counts]
        else:
            rows = np.column_stack([pair.gold, pair.predicted])[pair.scored.any(axis=1)]
            metrics, estimates = _of_labels(data, rows, macro, settings, name)
            by_prompt = [getattr(metrics, figure)[0] for figure in macro]
        sd = pd.Series(by_prompt[0]).std()
        figures.extend(
            figure_rows(analysis, group, item, macro, cut(estimates, 0, len(macro)), n, _MEANS)
        )
        figures.extend(figure_rows(analysis, group, item, ["sd", "prompts"], [sd, used.sum()], n))
        keys = {**pair.condition._asdict(), "group": pair.title, "item": item, "n": n}
        figures_of = {"accuracy": estimates.value[0], "sd": sd, "by_prompt": tuple(by_prompt[0])}
        scores.append(keys | figures_of)
        if not n and not part:
            reason = f"{pair.title} answered no item with a label of {item}."
            figures += gap_rows(analysis, reason, pair.title)
        if not part:
            groups = np.array([f"{group} · {prompt}" for prompt in data.prompts.values()])[used]
            for figure, values in zip(macro, by_prompt, strict=True):
                own = values[used], counts[used]
                figures += figure_rows("prompts", groups, item, figure, *own, "one prompt")
        if not data.is_choice and analysis in _OF_LABELS:
            places = np.arange(len(data.labels))
            of_label = {
                "f1": cut(estimates, len(macro)),
                "precision": mean_of_defined(metrics.precisions)[0],
                "recall": mean_of_defined(metrics.recalls)[0],
                "support": (rows[:, :1] == places).sum(axis=0),
                "predicted": (rows[:, 1:, None] == places).sum(axis=(0, 1)) / used.sum(),
            }
            labels, group = _OF_LABELS[analysis], part + pair.name
            for figure, values in of_label.items():
                figures += figure_rows(labels, group, data.labels, figure, values, n, _MEANS)
    return figures, pd.DataFrame(scores)


def _of_labels(
    data: Joined, rows: Ints, macro: Sequence[str], settings: ScoreSettings, name: str
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
        figures = [mean_of_defined(getattr(metrics, figure)) for figure in macro]
        return np.column_stack([*figures, mean_of_defined(metrics.f1s)])

    return measured(rows, np.ones((1, len(rows)))), estimate(rows, means, settings, name)


def _counts(data: Joined, answers: ModelAnswers) -> Iterator[Rows]:
    """Yield how much was scored, and by which rules answers were read."""
    table, invalid = answers.table, (data.predicted == INVALID).sum()
    counts = [len(table), len(data.items), invalid, data.refused.sum()]
    yield figure_rows("answers", "", "", ["answers", "items", "invalid", "refused"], counts)
    named = table[table["rule"].fillna("") != ""]
    for model, rules in named.groupby("model")["rule"]:
        own, n = rules.value_counts(), (table["model"] == model).sum()
        yield figure_rows("rules", str(model), own.index, "answers", own.to_numpy(), n)
        yield figure_rows("rules", str(model), own.index, "share", own.to_numpy() / n, n)


def _without_looking(data: Joined) -> Iterator[Rows]:
    """Yield what the most frequent label reaches, and guessing: metrics of expected counts."""
    labels = len(data.labels)
    for culture, gold in zip(data.cultures, data.gold.T, strict=True):
        support = np.bincount(gold[gold != NO_GOLD], minlength=labels).astype(np.float64)
        if support.any() and not data.is_choice:
            shares = np.zeros((2, labels + 1))
            shares[0, support.argmax()] = 1
            shares[1, :labels] = 1 / labels
            metrics = measure(support[:, None] * shares[:, None], data.levels)
            names = [f"always {data.labels[support.argmax()]}", "guessing"]
            for figure in _MACRO[: 4 if data.levels is None else 6]:
                values, n = getattr(metrics, figure), support.sum()
                yield figure_rows("without-looking", culture, names, figure, values, n, "expected")


def _validity(data: Joined, settings: ScoreSettings) -> Iterator[Rows]:
    """Yield how often answers chose nothing, whatever the gold (PROTOCOLS; multi3hate B.1)."""
    asked = data.predicted != NOT_ASKED
    counts, names = np.stack([asked, data.predicted == INVALID, data.refused]), _RATES
    for place, (title, condition) in enumerate(data.conditions.items()):
        own, stream = counts[:, place], f"rates {'|'.join(condition)}"
        rates = resampled(
            own.sum(axis=2).T, data.units, lambda s: s[:, 1:] / s[:, :1], settings, stream
        )
        n = own[0].sum()
        others = [data.asks[place].sum() / n, asked[place].any(axis=1).sum()]
        yield figure_rows("validity", title, "", names, rates, n, "percentile bootstrap of items")
        yield figure_rows("validity", title, "", ["asks", "items"], others, n)
        used = own[0].any(axis=0)
        if len(used) > 1:
            prompts = np.array([f"{title} · {prompt}" for prompt in data.prompts.values()])[used]
            total, *chose_nothing = own.sum(axis=1)[:, used]
            for name, values in zip(names, chose_nothing, strict=True):
                yield figure_rows("validity-prompts", prompts, "", name, values / total, total)


def _agreement(data: Joined, figures: Rows, settings: ScoreSettings) -> Iterator[Rows]:
    """Yield how far each two cultures agree, and a model with a culture: its accuracy."""
    if len(data.cultures) == 1:
        return
    first, second = np.transpose([*combinations(range(len(data.cultures)), 2)])
    both = (data.gold[:, first] != NO_GOLD) & (data.gold[:, second] != NO_GOLD)
    same, n = (both & (data.gold[:, first] == data.gold[:, second])).sum(axis=0), both.sum(axis=0)
    with np.errstate(invalid="ignore"):
        agreement = Estimates(same / n, *wilson(same, n, settings.confidence))
    names = np.array(data.cultures, dtype=object)
    yield figure_rows(
        "agreement", names[first], names[second], "agreement", agreement, n, "Wilson 1927"
    )
    models = [row for row in figures if (row[0], row[3]) == ("accuracy", "accuracy")]
    yield [("agreement", *row[1:3], "agreement", *row[4:]) for row in models]
    means = [np.nanmean(agreement.value), np.nanmean([float(row[4]) for row in models])]
    yield figure_rows("agreement", "", "", ["cultures_mean", "models_mean"], means)


def _positions(data: Joined, settings: ScoreSettings) -> Iterator[Rows]:
    """Yield what the place of an option does to valid answers."""
    places = {prompt: place for place, prompt in enumerate(data.prompts)}
    both_orders = [wording for wording, order in places if order == 1 and (wording, 0) in places]
    first, second = ([places[wording, order] for wording in both_orders] for order in (0, 1))
    valid = data.predicted >= 0
    placed, both = valid & (data.positions > 0), valid[..., first] & valid[..., second]
    apart = both & (data.predicted[..., first] != data.predicted[..., second])
    if not placed.any() and not both.any():
        return
    counts = [placed & (data.positions == 1), placed, apart, both]
    rows = np.stack([values.sum(axis=2) for values in counts], axis=2)
    for place, (title, condition) in enumerate(data.conditions.items()):
        stream = f"positions {'|'.join(condition)}"
        bias = resampled(rows[place], data.units, ratios, settings, stream)
        n = rows[place].sum(axis=0)[1::2]
        method = "of valid answers; percentile bootstrap of items"
        yield figure_rows("position-bias", title, "", ["first", "changed"], bias, n, method)
        chosen = np.bincount(data.positions[place][placed[place]])[1:]
        names = [f"place {number + 1}" for number in range(len(chosen))]
        yield figure_rows(
            "places", title, names, "share", chosen / max(n[0], 1), n[0], "of valid answers"
        )
    if not placed.any():
        reason = "The answers do not say at which place the option chosen was shown."
        yield gap_rows("position-bias", reason)
    if not both.any() and not data.is_choice:
        yield gap_rows("position-bias", "No wording was asked with its options in both orders.")


def _parts(data: Joined, gold: Gold, settings: ScoreSettings) -> Iterator[Rows]:
    """Yield scores with coarser labels (charmemes 5.1), and of groups of items (araharmeme 3.3)."""
    import pandas as pd

    for task, mapping in gold.coarser.items():
        coarser = data.coarser(task, mapping)
        yield _scores(coarser, settings, "tasks", f"{task} · ", f"task {task}")[0]
    groups = pd.DataFrame() if gold.groups is None else gold.groups
    groups = groups[~groups.index.duplicated()]
    groups = groups.set_axis(groups.index.astype(str)).reindex(data.items)
    for column in groups:
        for value in sorted(groups[column].dropna().unique(), key=str):
            kept = (groups[column] == value).to_numpy()[:, None]
            part = replace(data, gold=np.where(kept, data.gold, NO_GOLD))
            if str(value) and (part.gold != NO_GOLD).any():
                name, stream = f"{column}: {value} · ", f"{column} {value}"
                yield _scores(part, settings, "groups", name, stream)[0]
