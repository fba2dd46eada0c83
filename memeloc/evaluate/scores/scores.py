"""Scores of answers. In: `ModelAnswers`, `Gold`. Out: rows of the table of figures.

Every figure is the mean over the prompts of what one prompt reaches (PROTOCOLS; multi3hate 5.1).
An interval draws items anew with all their answers; of multiple choice memes with all questions.
Groups are the titles of conditions; with a prompt, ` · prompt 1, swapped` follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.arrays import Floats, Ints
from memeloc.counts import counted
from memeloc.evaluate.answers import CONDITION, ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.metrics import Metrics, confusion, mean_of_defined, measure, ratio
from memeloc.evaluate.scores import comparisons
from memeloc.evaluate.scores.joining import (
    INVALID,
    NO_GOLD,
    NOT_ASKED,
    Joined,
    Rows,
    ScoreSettings,
    join,
)
from memeloc.files import replacing
from memeloc.reports import Report, ReportFiles, write_report
from memeloc.reports.figures import COLUMNS, gap, joined, of_analysis
from memeloc.statistics.bootstrap import Estimates, estimate
from memeloc.statistics.significance import RULES, wilson
from memeloc.version import __version__

if TYPE_CHECKING:
    import pandas as pd

_MACRO = ("accuracy", "precision", "recall", "f1", "mae", "mmae")
_LABELS = {"accuracy": "labels", "tasks": "tasks-labels"}
"""The analysis of the labels of an analysis."""
_BOOTSTRAP = "percentile bootstrap of items"
_MEANS = f"mean over prompts; {_BOOTSTRAP}"


def score(answers: ModelAnswers, gold: Gold, settings: ScoreSettings | None = None) -> pd.DataFrame:
    """Return how right answers are in the eyes of each culture, as rows; see guides/evaluation.md.
    Raise InputError if answers and gold do not fit; the sentence says how; MissingError if pandas
    or scipy is not installed."""
    settings = settings or ScoreSettings()
    data = join(answers, gold)
    scored, scores = _scores(data, settings, "accuracy")
    figures = _table(
        chain(
            _counts(data, answers),
            scored,
            _without_looking(data),
            comparisons.examined(data, gold.questions, settings),
            _validity(data, settings),
            comparisons.best_culture(data, scores, settings),
            _agreement(data, settings),
            _positions(data, settings),
            comparisons.right_places(data, gold.questions, settings),
            comparisons.changes(scores, settings, data.units),
            comparisons.models(scores, settings),
            comparisons.inputs(scores),
            _parts(data, gold, settings),
        )
    )
    if len(data.cultures) > 1:
        # A model agrees with a culture as far as it is right.
        models = of_analysis(figures, "accuracy", "accuracy")
        models = models.assign(analysis="agreement", figure="agreement")
        cultures = of_analysis(figures, "agreement")
        means = {"cultures_mean": cultures, "models_mean": models}
        values = [mean["value"].mean() for mean in means.values()]
        more = _table([("agreement", "", "", list(means), values, np.nan, "")])
        figures = joined([figures, models, more])
    plural = f"bootstrap of {data.unit}s"
    methods = figures["method"].str.replace("bootstrap of (?:items|memes)", plural, regex=True)
    figures = figures.assign(method=methods)
    unused = comparisons.unused_options(data, 0, gold.questions) if data.is_choice else {}
    notes = [
        f"The option {option!r} stands in {n:,} questions and is right in none; chance is computed "
        "without it."
        for option, n in unused.items()
    ]
    gaps = [*(("answers", note) for note in notes), *_gaps(data, figures)]
    return joined([figures, *(gap(*each) for each in gaps)])


def _table(blocks: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    import pandas as pd

    rows: list[tuple[Any, ...]] = []
    for *keys, values, n, method in blocks:
        is_drawn = isinstance(values, Estimates)
        ends = (values.value, values.low, values.high) if is_drawn else (values, np.nan, np.nan)
        columns = [np.asarray(each, dtype=object) for each in ([""], *keys, *ends, n, method)]
        rows += zip(*np.broadcast_arrays(*columns)[1:], strict=True)
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.astype(dict.fromkeys(("value", "low", "high", "n"), float))


def _gaps(data: Joined, figures: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    """Yield what was noticed, and what could not be computed: analysis, reason, group."""
    yield from (("answers", note) for note in data.notes)
    accuracies = of_analysis(figures, "accuracy", "accuracy")
    for title, culture in accuracies.loc[accuracies["n"] == 0, ["group", "item"]].itertuples(
        index=False
    ):
        yield "accuracy", f"{title} answered no item with a label of {culture}.", title
    memes = of_analysis(figures, "choice", "group_accuracy")["n"]
    if len(memes) and not memes.any():
        yield "choice", "Group accuracy: no meme has a question about toxicity and another."
    beside = set(of_analysis(figures, "beside-baselines")["item"])
    if beside and beside <= set(RULES):
        reason = "No model was asked without the meme: the question alone, or with its caption."
        yield "beside-baselines", reason
    p = of_analysis(figures, "best-culture", "p_second")["value"]
    if len(p) and p.isna().all():
        reason = "The rank-sum test compares prompts, and each condition has only one of them."
        yield "best-culture", reason
    bias = of_analysis(figures, "position-bias")
    none = bias[bias["n"] == 0].groupby("figure").size() == len(data.conditions)
    if none.get("first"):
        yield "position-bias", "The answers do not say at which place the option chosen was shown."
    if none.get("changed") and not data.is_choice:
        yield "position-bias", "No wording was asked with its options in both orders."


def _scores(
    data: Joined,
    settings: ScoreSettings,
    analysis: str = "accuracy",
    part: str = "",
    task: str = "",
) -> tuple[list[tuple[Any, ...]], pd.DataFrame]:
    """Return rows of each condition against each culture, and a frame of what others compare.

    Args:
        part: what the groups begin with; parts are not given by prompt.
        task: the name of a coarser task or of a part of the items, for the random numbers.
    """
    import pandas as pd

    rows: list[tuple[Any, ...]] = []
    scores: list[dict[str, Any]] = []
    macro = _MACRO[: 1 if data.is_choice else 4 if data.levels is None else 6]
    of_labels = "" if data.is_choice else _LABELS.get(analysis, "")
    labels = data.labels if of_labels else ()

    def measured(answers: Ints, weights: Floats) -> Metrics:
        counts = [
            confusion(answers[:, 0], column, len(data.labels), weights * (column != NOT_ASKED))
            for column in answers[:, 1:].T
        ]
        return measure(np.stack(counts, axis=1), data.levels)

    def means_of(answers: Ints, weights: Floats) -> Floats:
        metrics, kinds = measured(answers, weights), (*macro, "f1s") if labels else macro
        return np.column_stack([mean_of_defined(getattr(metrics, kind)) for kind in kinds])

    for pair in data.pairs():
        stream, counts = f"{task} {pair.stream}", pair.scored.sum(axis=0)
        used, has_gold = (pair.predicted != NOT_ASKED).any(axis=0), pair.scored.any(axis=1)
        n = int(has_gold.sum())
        if data.is_choice:
            right, asked = (side[:, None].astype(int) for side in (pair.right, pair.scored))
            means = ratio(right, asked, data.units, settings, stream)
            with np.errstate(invalid="ignore"):
                by_prompt = [pair.right.sum(axis=0) / counts]
        else:
            answers = np.column_stack([pair.gold, pair.predicted])[has_gold]
            metrics = measured(answers, np.ones((1, n)))
            means = estimate(answers, means_of, settings, stream, data.units[has_gold])
            by_prompt = [getattr(metrics, kind)[0] for kind in macro]
        parts = (len(macro), len(labels))
        analyses, groups = ([analysis, of_labels], [part + pair.title, part + pair.name])
        rows.append(
            (
                np.repeat(analyses, parts),
                np.repeat(groups, parts),
                [pair.culture] * len(macro) + [*labels],
                [*macro, *["f1"] * len(labels)],
                means,
                n,
                _MEANS,
            )
        )
        spread = [pd.Series(by_prompt[0]).std(), used.sum()]
        rows.append((analysis, groups[0], pair.culture, ["sd", "prompts"], spread, n, ""))
        if labels:
            places = np.arange(len(labels))
            of_label = {
                "precision": mean_of_defined(metrics.precisions)[0],
                "recall": mean_of_defined(metrics.recalls)[0],
                "support": (answers[:, :1] == places).sum(axis=0),
                "predicted": (answers[:, 1:, None] == places).sum(axis=(0, 1)) / used.sum(),
            }
            for kind, values in of_label.items():
                rows.append((of_labels, groups[1], labels, kind, values, n, _MEANS))
        if not part:
            prompts = [
                f"{pair.title} · {each}" for each in np.array([*data.prompts.values()])[used]
            ]
            for kind, values in zip(macro, by_prompt, strict=True):
                cells = (kind, values[used], counts[used], "one prompt")
                rows.append(("prompts", prompts, pair.culture, *cells))
        keys = {"pair": pair, "group": pair.title, "item": pair.culture, "n": n}
        keys |= {"accuracy": means.value[0], "by_prompt": tuple(by_prompt[0])}
        scores.append(pair.condition._asdict() | keys)
    return rows, pd.DataFrame(scores)


def _counts(data: Joined, answers: ModelAnswers) -> Rows:
    """Yield how much was scored, and by which rules answers were read."""
    table, invalid = answers.table, (data.predicted == INVALID).sum()
    counts = [len(table), len(data.items), invalid, data.refused.sum()]
    yield "answers", "", "", ["answers", "items", "invalid", "refused"], counts, np.nan, ""
    for model, rules in table[table["rule"].fillna("") != ""].groupby("model")["rule"]:
        by_rule, n = rules.value_counts(), (table["model"] == model).sum()
        for figure, values in {"answers": by_rule, "share": by_rule / n}.items():
            yield "rules", str(model), by_rule.index, figure, values, n, ""


def _without_looking(data: Joined) -> Rows:
    """Yield what the most frequent label reaches, and guessing: metrics of expected counts."""
    labels = len(data.labels)
    for culture, gold in zip(data.cultures, data.gold.T, strict=True):
        support = np.bincount(gold[gold != NO_GOLD], minlength=labels).astype(np.float64)
        if support.any() and not data.is_choice:
            always = np.eye(labels)[support.argmax()]
            shares = np.column_stack([[always, np.full(labels, 1 / labels)], [0, 0]])
            metrics = measure(support[:, None] * shares[:, None], data.levels)
            names, n = [f"always {data.labels[support.argmax()]}", "guessing"], support.sum()
            for kind in _MACRO[: 4 if data.levels is None else 6]:
                values = getattr(metrics, kind)
                yield "without-looking", culture, names, kind, values, n, "expected"


def _validity(data: Joined, settings: ScoreSettings) -> Rows:
    """Yield how often answers chose nothing, whatever the gold (PROTOCOLS; multi3hate B.1)."""
    counts = [data.predicted != NOT_ASKED, data.predicted == INVALID, data.refused]
    names = ["invalid", "refused"]
    every = zip(data.conditions.items(), np.stack(counts, axis=2), data.asks, strict=True)
    for (title, condition), answers, asks in every:
        sums = answers.sum(axis=2)
        asked, stream = np.repeat(sums[:, :1], 3, axis=1), f"rates {'|'.join(condition)}"
        rates = ratio(sums, asked, data.units, settings, stream, lambda shares: shares[:, 1:])
        n = sums[:, 0].sum()
        yield "validity", title, "", names, rates, n, _BOOTSTRAP
        others = [asks.sum() / n, np.count_nonzero(sums[:, 0])]
        yield "validity", title, "", ["asks", "items"], others, n, ""
        by_prompt = answers.sum(axis=0)
        total, *chose_nothing = by_prompt[:, by_prompt[0] > 0]
        prompts = np.array([f"{title} · {each}" for each in data.prompts.values()])
        groups = prompts[by_prompt[0] > 0]
        if len(groups) > 1:
            for name, count in zip(names, chose_nothing, strict=True):
                yield "validity-prompts", groups, "", name, count / total, total, ""


def _agreement(data: Joined, settings: ScoreSettings) -> Rows:
    """Yield how far each two cultures agree."""
    gold = dict(zip(data.cultures, data.gold.T, strict=True))
    for first, second in combinations(gold, 2):
        both = (gold[first] != NO_GOLD) & (gold[second] != NO_GOLD)
        n, same = both.sum(), (both & (gold[first] == gold[second])).sum()
        shares = Estimates(same / (n or np.nan), *wilson(same, n, settings.confidence))
        yield "agreement", first, second, "agreement", shares, n, "Wilson 1927"


def _positions(data: Joined, settings: ScoreSettings) -> Rows:
    """Yield what the place of an option does to valid answers."""
    places = {prompt: place for place, prompt in enumerate(data.prompts)}
    wordings = [wording for wording, order in places if order == 1 and (wording, 0) in places]
    first, second = ([places[wording, order] for wording in wordings] for order in (0, 1))
    valid = data.predicted >= 0
    placed, both = valid & (data.positions > 0), valid[..., first] & valid[..., second]
    apart = both & (data.predicted[..., first] != data.predicted[..., second])
    right = np.stack([each.sum(axis=2) for each in (placed & (data.positions == 1), apart)], axis=2)
    asked = np.stack([each.sum(axis=2) for each in (placed, both)], axis=2)
    for place, (title, condition) in enumerate(data.conditions.items() if asked.any() else ()):
        stream, n = f"positions {'|'.join(condition)}", asked[place].sum(axis=0)
        bias = ratio(right[place], asked[place], data.units, settings, stream)
        method = f"of valid answers; {_BOOTSTRAP}"
        yield "position-bias", title, "", ["first", "changed"], bias, n, method
        chosen = np.bincount(data.positions[place][placed[place]])[1:]
        names, shares = [f"place {each + 1}" for each in range(len(chosen))], chosen / max(n[0], 1)
        yield "places", title, names, "share", shares, n[0], "of valid answers"


def _parts(data: Joined, gold: Gold, settings: ScoreSettings) -> Rows:
    """Yield scores with coarser labels (charmemes 5.1), and of groups of items (araharmeme 3.3)."""
    import pandas as pd

    for task, mapping in gold.coarser.items():
        coarser = data.coarser(task, mapping)
        yield from _scores(coarser, settings, "tasks", f"{task} · ", f"task {task}")[0]
    groups = pd.DataFrame() if gold.groups is None else gold.groups
    groups = groups[~groups.index.duplicated()]
    groups = groups.set_axis(groups.index.astype(str)).reindex(data.items)
    for column in groups:
        for value in sorted(groups[column].dropna().unique(), key=str):
            in_part = (groups[column] == value).to_numpy()[:, None]
            part = replace(data, gold=np.where(in_part, data.gold, NO_GOLD))
            if str(value) and (part.gold != NO_GOLD).any():
                name, stream = f"{column}: {value} · ", f"{column} {value}"
                yield from _scores(part, settings, "groups", name, stream)[0]


_TEXTS = Path(__file__).with_name("report.toml")
_DRAWN = {
    "templates": "templates, with all memes of each",
    "memes": "memes, with all languages and questions of each",
    "items": "items, as if they were independent: neither template nor meme of an item is known",
}
_NAMES = ("Models", "Input", "Memes in", "Prompts in", "Countries named")
"""Of the columns of a condition among the facts of the page."""


def report_of(
    answers: ModelAnswers, gold: Gold, figures: pd.DataFrame, settings: ScoreSettings
) -> Report:
    """Return the report of what `score` computed."""
    import pandas as pd

    values = [answers.table[name].fillna("").unique() for name in CONDITION]
    about = {str(name): str(text) for name, text in gold.about.items()}
    labels = gold.labels or answers.labels
    facts = {name: ", ".join(filter(None, each)) for name, each in zip(_NAMES, values, strict=True)}
    facts |= {"Cultures": ", ".join(gold.cultures), "Labels": ", ".join(labels), **about}
    drawn = figures["method"].str.extract(r"bootstrap of (\w+)")[0].dropna()
    facts["Groups"] = _DRAWN.get(next(iter(drawn), ""), "")
    mappings = [
        (task, label, coarser)
        for task, mapping in gold.coarser.items()
        for label, coarser in mapping.items()
    ]
    tables = {"tasks": pd.DataFrame(mappings, columns=["task", "label", "counts as"])}
    return Report(
        name="evaluation",
        title=f"Evaluation of {counted(len(values[0]), 'model')}",
        figures=figures,
        texts=_TEXTS,
        settings=asdict(settings),
        facts={name: text for name, text in facts.items() if text},
        cultures=gold.cultures,
        labels=labels,
        tables=tables if mappings else {},
    )


def scored_table(answers: ModelAnswers, gold: Gold, settings: ScoreSettings) -> pd.DataFrame:
    """Return an answer a row, and for each culture what is right in its eyes.

    Columns: those of `ModelAnswers`, then `gold CULTURE` (the label, missing where there is none)
    and `right CULTURE` (missing where there is no gold). Its `attrs`, which Parquet keeps, say
    which dataset, split, mapping and seed these are.
    """
    table = answers.table.copy()
    right = gold.table[~gold.table.index.duplicated()]
    right = right.set_axis(right.index.astype(str)).reindex(table["item"].astype(str))
    for culture in gold.cultures:
        label = right[culture].set_axis(table.index)
        same = (table["choice"] == label) & ~table["invalid"].fillna(False).astype(bool)
        table[f"gold {culture}"] = label
        table[f"right {culture}"] = same.astype("boolean").mask(label.isna())
    about = {str(name): str(text) for name, text in gold.about.items()}
    table.attrs = {"about": about, "seed": settings.seed, "memeloc": __version__}
    return table


def write_evaluation(
    answers: ModelAnswers,
    gold: Gold,
    out: str | Path,
    settings: ScoreSettings | None = None,
    *,
    figures: pd.DataFrame | None = None,
    on_progress: Callable[[int, int], None] = lambda more, total: None,
) -> ReportFiles:
    """Write the report, and the long table of all answers as `scored.parquet`. Raise InputError if
    answers and gold do not fit, or a file cannot be written; MissingError if matplotlib or pyarrow
    is not installed.

    Args:
        figures: of `score` with the same settings; computed where they are not given.
    """
    settings = settings or ScoreSettings()
    if figures is None:
        figures = score(answers, gold, settings)
    report = report_of(answers, gold, figures, settings)
    files = write_report(report, out, on_progress=on_progress)
    with replacing(Path(out) / "scored.parquet") as temporary:
        scored_table(answers, gold, settings).to_parquet(temporary, index=False)
    return files
