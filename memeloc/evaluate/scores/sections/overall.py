"""How right models are. In: `Scored`. Out: a `Section`: by culture, by prompt and by label."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from memeloc.counts import counted
from memeloc.evaluate.metrics import measure
from memeloc.evaluate.scores.coded import Condition, titles
from memeloc.evaluate.scores.figures import CultureScores
from memeloc.evaluate.scores.sections.scored import (
    CONDITION_COLUMNS,
    MOST_LINES,
    Scored,
    cells,
    interval_columns,
    plotted,
    table,
)
from memeloc.reports.cells import UNDEFINED
from memeloc.reports.sections import Heatmap, Intervals, Plot, Section, Table
from memeloc.statistics.intervals import defined, percent_with_interval

if TYPE_CHECKING:
    import pandas as pd

_ACCURACY = {
    **CONDITION_COLUMNS,
    "culture": "whose labels are right",
    "items": "with a label of the culture and an answer",
    "prompts": "wordings times orders of the options",
    **interval_columns("accuracy", "mean over the prompts, 0 to 1; an invalid answer is wrong"),
    "sd": "standard deviation of the prompts' accuracy (n - 1)",
}
_MACRO = {
    **interval_columns("precision", "macro average, 0 to 1"),
    **interval_columns("recall", "macro average, 0 to 1"),
    **interval_columns("f1", "macro average, 0 to 1"),
}
_DISTANCES = {
    **interval_columns("mae", "mean absolute error of levels"),
    **interval_columns("mmae", "mean over labels of the error within each"),
}
_BASELINES = {
    "culture": "whose labels are right",
    "answers": "what is answered",
    "items": "with a label of the culture",
    "accuracy": "0 to 1",
    "f1": "macro average, 0 to 1",
    "mae": "mean absolute error of levels",
    "mmae": "mean over labels of the error within each",
}
_PROMPT = {
    **CONDITION_COLUMNS,
    "culture": "whose labels are right",
    "wording": "of the prompt, from 1",
    "order": "of the options: 0 as the run lists them, 1 swapped",
    "items": "with a label of the culture and an answer to the prompt",
    "accuracy": "0 to 1; an invalid answer is wrong",
    "precision": "macro average, 0 to 1",
    "recall": "macro average, 0 to 1",
    "f1": "macro average, 0 to 1",
}
_LABEL = {
    **CONDITION_COLUMNS,
    "culture": "whose labels are right",
    "label": "the label",
    "support": "items whose right label it is",
    "predicted": "items for which it was chosen, mean over the prompts",
    "precision": "mean over the prompts, 0 to 1",
    "recall": "mean over the prompts, 0 to 1",
    **interval_columns("f1", "mean over the prompts, 0 to 1"),
}


def accuracy_section(scored: Scored) -> Section:
    """Accuracy, macro averages and errors, mean over prompts (multi3hate 5.1, harmeme 6)."""
    method = (
        "Each figure is the mean over the prompts of what one prompt reaches (multi3hate 5.1); an "
        f"answer that chooses no option is wrong. {scored.resampling}"
    )
    tables = [_wide(scored), _accuracy(scored, method)]
    if not scored.coded.is_choice:
        tables += [_macro(scored, method), _labels(scored, method), _baselines(scored)]
    return Section(
        "accuracy",
        "Accuracy",
        tables=(*tables, *([_prompts(scored)] if _most_prompts(scored) > 1 else [])),
        plots=tuple(_plots(scored, method)),
        sentences=(*_sentences(scored),),
        figures={
            scored.titles[condition]: {score.culture: _figures(score) for score in scores}
            for condition, scores in scored.by_condition.items()
        },
        gaps=tuple(
            f"{scored.titles[score.condition]} answered no item with a label of {score.culture}."
            for score in scored.scores
            if not score.items
        ),
    )


def _wide(scored: Scored) -> Table:
    """As papers print it: a row a condition, a column a culture."""
    cultures = scored.coded.cultures
    rows = (
        (*condition, *(_mean_and_sd(score) for score in scores))
        for condition, scores in scored.by_condition.items()
    )
    meanings = dict.fromkeys(cultures, "accuracy with its labels, 0 to 1, ± standard deviation")
    method = "Mean and standard deviation (n - 1) over the prompts, as multi3hate's Table 6."
    columns = CONDITION_COLUMNS | meanings
    return table("accuracy-by-culture", "Accuracy, mean ± deviation", rows, columns, method)


def _mean_and_sd(score: CultureScores) -> str:
    if not score.items:
        return UNDEFINED
    deviation = "" if isnan(score.sd) else f" ± {score.sd:.3f}"
    return f"{score.accuracy.value:.3f}{deviation}"


def _accuracy(scored: Scored, method: str) -> Table:
    rows = (
        (*s.condition, s.culture, s.items, len(s.by_prompt), *cells(s.accuracy), s.sd)
        for s in scored.scores
    )
    return table("accuracy", "Accuracy by culture", rows, _ACCURACY, method)


def _macro(scored: Scored, method: str) -> Table:
    ordered = scored.coded.levels is not None
    columns = {**CONDITION_COLUMNS, "culture": "whose labels are right", **_MACRO}
    rows = (
        (
            *(*score.condition, score.culture),
            *(*cells(score.precision), *cells(score.recall), *cells(score.f1)),
            *((*cells(score.mae), *cells(score.mmae)) if ordered else ()),
        )
        for score in scored.scores
    )
    more = (
        " Macro averages are plain means over all labels of the task, of which one that was never "
        "chosen counts 0"
        + (
            "; MMAE is the mean over labels of the absolute error within each, and an invalid "
            "answer is as far off as it can be (harmeme 6; Baccianella et al. 2009)."
            if ordered
            else "."
        )
    )
    columns |= _DISTANCES if ordered else {}
    return table("macro", "Macro averages", rows, columns, method + more)


def _labels(scored: Scored, method: str) -> Table:
    rows = (
        (
            *(*score.condition, score.culture, label.label, label.support, label.predicted),
            *(label.precision, label.recall, *cells(label.f1)),
        )
        for score in scored.scores
        for label in score.by_label
    )
    return table("labels", "Each label", rows, _LABEL, method)


def _baselines(scored: Scored) -> Table:
    """What is reached without looking: by the most frequent label, and by guessing."""
    coded = scored.coded
    labels = len(coded.labels)
    rows = []
    for place, culture in enumerate(coded.cultures):
        own = coded.gold[:, place]
        support = np.bincount(own[own >= 0], minlength=labels).astype(np.float64)
        if not support.any():
            continue
        most = int(support.argmax())
        columns = np.arange(labels + 1)
        always = measure(np.where(columns == most, support[:, None], 0.0), coded.levels)
        guessed = np.where(columns < labels, support[:, None] / labels, 0.0)
        guess = measure(guessed, coded.levels)
        for name, metrics in ((f"always {coded.labels[most]}", always), ("guessing", guess)):
            figures = [metrics.accuracy, metrics.f1, metrics.mae, metrics.mmae]
            rows.append((culture, name, int(support.sum()), *map(float, figures)))
    method = (
        "The most frequent label of the culture for every item, and each label with the same "
        "probability: what its expected counts give."
    )
    kept = _BASELINES if coded.levels is not None else dict(list(_BASELINES.items())[:-2])
    rows = [row[: len(kept)] for row in rows]
    return table("without-looking", "Without looking at memes", rows, kept, method)


def _prompts(scored: Scored) -> Table:
    is_choice, ordered = scored.coded.is_choice, scored.coded.levels is not None
    columns = dict(_PROMPT)
    if is_choice:
        columns = {name: columns[name] for name in list(columns)[: -len(("p", "r", "f1"))]}
    elif ordered:
        columns |= {name: _DISTANCES[name] for name in ("mae", "mmae")}
    rows = (
        (
            *(*score.condition, score.culture, *prompt.prompt, prompt.items, prompt.accuracy),
            *(() if is_choice else (prompt.precision, prompt.recall, prompt.f1)),
            *((prompt.mae, prompt.mmae) if ordered and not is_choice else ()),
        )
        for score in scored.scores
        for prompt in score.by_prompt
    )
    method = "One wording of the prompt with its options in one order."
    return table("prompts", "Accuracy by prompt", rows, columns, method)


def _plots(scored: Scored, method: str) -> Iterator[Plot]:
    names = scored.titles
    if len(names) <= MOST_LINES:
        frame = plotted((names[s.condition], s.culture, s.accuracy) for s in scored.scores)
        yield Intervals("accuracy", "Accuracy by culture", frame, "accuracy", method)
        return
    models = dict.fromkeys(condition.model for condition in names)
    for number, model in enumerate(models, 1):
        own = [condition for condition in names if condition.model == model]
        yield Heatmap(
            f"accuracy-{number}", f"Accuracy of {model} by culture", _matrix(scored, own), method
        )


def _matrix(scored: Scored, conditions: list[Condition]) -> pd.DataFrame:
    import pandas as pd

    short = titles(conditions)
    rows = {
        short[condition].partition(" · ")[2] or short[condition]: [
            score.accuracy.value for score in scored.by_condition[condition]
        ]
        for condition in conditions
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(scored.coded.cultures))


def _sentences(scored: Scored) -> Iterator[str]:
    coded = scored.coded
    models = dict.fromkeys(each.condition.model for each in coded.answered)
    prompts = _most_prompts(scored)
    more = f" and up to {counted(prompts, 'prompt')} each" if prompts > 1 else ""
    answers = sum(int(each.asked.sum()) for each in coded.answered)
    yield (
        f"We scored {counted(answers, 'answer')} of {counted(len(models), 'model')} "
        f"({', '.join(models)}) to {counted(len(coded.items), 'item')}{more}, against the labels "
        f"of {', '.join(coded.cultures)}. "
        + ("Figures are means over the prompts; an" if prompts > 1 else "An")
        + " answer that chooses no option is wrong."
    )
    known = [score for score in scored.scores if score.items]
    if known:
        best = max(known, key=lambda score: score.accuracy.value)
        yield (
            f"The highest accuracy is that of {scored.titles[best.condition]} with the labels of "
            f"{best.culture}: {percent_with_interval(*cells(best.accuracy))} of "
            f"{counted(best.items, 'item')}."
        )


def _most_prompts(scored: Scored) -> int:
    return max(len(each.prompts) for each in scored.coded.answered)


def _figures(score: CultureScores) -> dict[str, object]:
    return {
        "accuracy": [defined(cell) for cell in cells(score.accuracy)],
        "sd": defined(score.sd),
        "f1": [defined(cell) for cell in cells(score.f1)],
        "items": score.items,
    }
