"""Scores of models beside packages and plain counting. In: drawn answers. Out: comparisons."""

from __future__ import annotations

import numpy as np
import pandas as pd

from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.gold import ChoiceQuestion
from memeloc.evaluate.metrics import Metrics, confusion, measure
from memeloc.evaluate.scores import ScoreSettings, score
from memeloc.evaluate.scores.comparisons import rank_sum
from memeloc.reports.figures import value_of, wide
from tests.analyze.comparisons.comparison import SEEDS, Values, compared

_LABELS = 11
_LEVELS = tuple(range(_LABELS))


def _drawn(seed: int, invalid: int) -> tuple[np.ndarray, np.ndarray, Metrics]:
    """Gold and answers with 11 labels, some of the answers invalid (-1), and our metrics."""
    random = np.random.default_rng(seed)
    gold = random.integers(0, _LABELS, 200)
    predicted = np.where(random.random(200) < 0.5, gold, random.integers(invalid, _LABELS, 200))
    return gold, predicted, measure(confusion(gold, predicted, _LABELS), _LEVELS)


@compared(
    "Accuracy, macro precision, recall and F1 of a model, invalid answers wrong",
    "harmeme 6; charmemes 5.1; araharmeme 4.1",
    "scikit-learn `accuracy_score`, `precision_recall_fscore_support`",
)
def macro_scores() -> Values:
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    for seed in SEEDS:
        gold, predicted, ours = _drawn(seed, -1)
        yield float(ours.accuracy), float(accuracy_score(gold, predicted))
        theirs = precision_recall_fscore_support(
            gold, predicted, labels=list(_LEVELS), average="macro", zero_division=0
        )
        for mine, value in zip((ours.precision, ours.recall, ours.f1), theirs, strict=False):
            yield float(mine), float(value)


@compared(
    "MAE, and MMAE: its mean over the labels",
    "harmeme 6; Baccianella, Esuli and Sebastiani 2009",
    "scikit-learn `mean_absolute_error`, of all items and label by label",
)
def errors_of_levels() -> Values:
    from sklearn.metrics import mean_absolute_error

    for seed in SEEDS:
        gold, predicted, ours = _drawn(seed, 0)
        yield float(ours.mae), float(mean_absolute_error(gold, predicted))
        within = [
            mean_absolute_error(gold[gold == label], predicted[gold == label])
            for label in np.unique(gold)
        ]
        yield float(ours.mmae), float(np.mean(within))


@compared(
    "Best culture against another: Wilcoxon's rank-sum test over the prompts",
    "Wilcoxon 1945; multi3hate 5.1",
    "scipy `mannwhitneyu`, asymptotic, without continuity correction",
)
def rank_sums() -> Values:
    from scipy.stats import mannwhitneyu

    for seed in SEEDS:
        first, second = np.random.default_rng(seed).random((2, 6))
        theirs = mannwhitneyu(first, second, use_continuity=False, method="asymptotic").pvalue
        yield rank_sum(first.tolist(), second.tolist()), float(theirs)


@compared(
    "Multiple choice: macro average, group accuracy and that of pairs",
    "defined below; m-quest, Evaluation",
    "each meme counted by itself with Python",
)
def multiple_choice() -> Values:
    for seed in SEEDS:
        table = _questions(seed)
        gold = Gold(pd.DataFrame({"gold": "A"}, index=table["item"].unique()))
        rows = score(ModelAnswers.of(table), gold, ScoreSettings(bootstraps=2))
        ours = wide(rows, "choice").loc[0]
        right = table.assign(right=table["choice"] == "A")
        means = [own["right"].mean() for _, own in right.groupby("dimension")]
        yield ours["macro"], sum(means) / len(means)
        groups, pairs = [], []
        for _, own in right.groupby("meme"):
            toxic = own["right"][own["dimension"] == "Toxicity"].tolist()
            others = own["right"][own["dimension"] != "Toxicity"].tolist()
            if toxic and others:
                groups.append(all(toxic) and all(others))
                pairs += [one and other for one in toxic for other in others]
        yield ours["group_accuracy"], sum(groups) / len(groups)
        yield ours["pair_accuracy"], sum(pairs) / len(pairs)


@compared(
    "Multiple choice beside the longest option, and by place of the right one",
    "defined below",
    "pandas, of options and answers in a table of their own",
)
def choice_baselines() -> Values:
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        table = _questions(seed)
        letters = pd.DataFrame(
            [["A" * n for n in random.permutation([1, 2, 2, 3])] for _ in table.index],
            index=table["item"],
        )
        options = letters.apply(lambda row: [f"{n} {text}" for n, text in row.items()], axis=1)
        right = options.str[1]
        table["choice"] = [own[int(random.integers(0, 4))] for own in options]
        questions = {item: ChoiceQuestion("", tuple(own)) for item, own in options.items()}
        gold = Gold(right.to_frame("gold"), questions=questions)
        ours = score(ModelAnswers.of(table), gold, ScoreSettings(bootstraps=2))
        answered = table.set_index("item")["choice"] == right
        lengths = letters.map(len)
        best = lengths.eq(lengths.max(axis=1), axis=0)
        expected = best[1] / best.sum(axis=1)
        difference = value_of(ours, "beside-baselines", "difference", "model", "longest option")
        yield difference, float((answered - expected).mean())
        at_2 = value_of(ours, "right-places", "accuracy", "model", "place 2")
        yield at_2, float(answered.mean())


def _questions(seed: int) -> pd.DataFrame:
    """40 memes with some questions of four dimensions each."""
    random = np.random.default_rng(seed)
    rows = [
        (f"{meme} {dimension}", str(meme), dimension, "AB"[int(random.random() < 0.3)])
        for meme in range(40)
        for dimension in ("Toxicity", "Scene", "Visual", "Emotion")
        if random.random() < 0.7
    ]
    return pd.DataFrame(rows, columns=["item", "meme", "dimension", "choice"])
