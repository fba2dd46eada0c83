"""Multiple choice beside baselines. In: `BaselineScores`, `BesideBaseline`. Out: a `Section`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memeloc.evaluate.scores.figures import BaselineScores, BesideBaseline
from memeloc.evaluate.scores.sections.scored import (
    CONDITION_COLUMNS,
    MOST_LINES,
    Scored,
    cells,
    interval_columns,
    plotted,
    table,
)
from memeloc.reports.sections import Heatmap, Intervals, Plot, Section, Table
from memeloc.statistics.guessing import RULES
from memeloc.statistics.intervals import defined, percent

_RULES = {
    "baseline": "what it chooses",
    "culture": "whose answers are right",
    "questions": "that it says something about",
    "overall": "accuracy of all questions, 0 to 1",
    "toxicity": "of the questions about toxicity, 0 to 1",
    "reasoning": "of all other questions, 0 to 1",
    "macro": "plain mean over the dimensions, toxicity among them, 0 to 1",
    "memes": "with a question about toxicity and another",
    "group": "share of these with all questions right, 0 to 1",
}
_BY_DIMENSION = {
    "baseline": "what it chooses",
    "culture": "whose answers are right",
    "dimension": "what the question is about",
    "questions": "that it says something about",
    "accuracy": "0 to 1",
}
_BESIDE = {
    **CONDITION_COLUMNS,
    "culture": "whose answers are right",
    "baseline": "a rule, or the same model with less of the meme",
    "questions": "that both have answered",
    "accuracy": "of these, mean over the prompts, 0 to 1",
    "of_baseline": "accuracy of the baseline on the same questions, 0 to 1",
    **interval_columns("difference", "accuracy minus that of the baseline, -1 to 1"),
}


def baselines_section(
    scored: Scored, baselines: Sequence[BaselineScores], beside: Sequence[BesideBaseline]
) -> Section:
    """What rules reach without the meme, and how far models are above them and their own blind
    answers."""
    rules = (
        f"Rules: {'; '.join(f'{name} ({meaning})' for name, meaning in RULES.items())}. Of options "
        "that are equal to a rule it draws one, and the figure is what is expected."
    )
    method = (
        "On the questions that both have answered; question alone and caption alone are the same "
        f"model without the picture. {rules} {scored.resampling}"
    )
    overall = [each for each in beside if not each.dimension]
    dimensions = [each for each in beside if each.dimension]
    return Section(
        "baselines",
        "Beside answers without the meme",
        tables=tuple(_tables(baselines, overall, dimensions, rules, method)),
        plots=tuple(_plots(scored, overall, method)) if overall else (),
        sentences=tuple(_sentences(scored, baselines, overall)),
        figures={
            **{
                each.name: {name: defined(getattr(each, name)) for name in ("overall", "macro")}
                for each in baselines
            },
            "differences": [
                {
                    "condition": scored.titles[each.condition],
                    "culture": each.culture,
                    "baseline": each.baseline,
                    "difference": [defined(cell) for cell in cells(each.difference)],
                }
                for each in overall
            ],
        },
        gaps=()
        if any(each.baseline not in RULES for each in beside)
        else ("No model was asked without the meme: the question alone, or with its caption.",),
    )


def _tables(
    baselines: Sequence[BaselineScores],
    overall: Sequence[BesideBaseline],
    dimensions: Sequence[BesideBaseline],
    rules: str,
    method: str,
) -> Iterator[Table]:
    rows = ((*c.condition, c.culture, *_beside(c)) for c in overall)
    yield table("beside-baselines", "Models beside baselines", rows, _BESIDE, method)
    figures = (
        (
            *(b.name, b.culture, b.questions, b.overall, b.toxicity, b.reasoning, b.macro),
            *(b.memes, b.group),
        )
        for b in baselines
    )
    if baselines:
        yield table("baselines", "Answers without the meme", figures, _RULES, rules)
    if dimensions:
        of_rules = (
            (each.name, each.culture, *dimension)
            for each in baselines
            for dimension in each.dimensions
        )
        if baselines:
            title = "Answers without the meme by dimension"
            yield table("baselines-by-dimension", title, of_rules, _BY_DIMENSION, rules)
        columns = {**_BESIDE, "dimension": "what the question is about"}
        by_dimension = ((*c.condition, c.culture, *_beside(c), c.dimension) for c in dimensions)
        title = "Models beside baselines by dimension"
        yield table("beside-baselines-by-dimension", title, by_dimension, columns, method)


def _beside(each: BesideBaseline) -> tuple[object, ...]:
    return (
        *(each.baseline, each.questions, each.accuracy, each.of_baseline),
        *cells(each.difference),
    )


def _plots(scored: Scored, overall: Sequence[BesideBaseline], method: str) -> Iterator[Plot]:
    import pandas as pd

    names, name = scored.titles, "beside-baselines"
    title = "How far models are above answers without the meme"
    seeing = [each for each in overall if each.condition.input not in ("none", "text")] or overall
    if len({each.condition for each in seeing}) <= MOST_LINES:
        frame = plotted((names[c.condition], c.baseline, c.difference) for c in seeing)
        yield Intervals(name, title, frame, "accuracy, difference", method)
        return
    rows: dict[str, dict[str, float]] = {}
    for each in seeing:
        rows.setdefault(names[each.condition], {})[each.baseline] = each.difference.value
    yield Heatmap(name, title, pd.DataFrame.from_dict(rows, orient="index"), method)


def _sentences(
    scored: Scored, baselines: Sequence[BaselineScores], overall: Sequence[BesideBaseline]
) -> Iterator[str]:
    if baselines:
        reached = (f"{b.name} {percent(b.overall)} of {b.questions:,}" for b in baselines)
        yield f"Rules that read no meme answer right: {'; '.join(reached)} questions."
    for each in overall:
        if each.baseline not in RULES and each.condition.input in ("picture", "both"):
            difference = each.difference
            yield (
                f"{scored.titles[each.condition]} answers {percent(each.accuracy)} of "
                f"{each.questions:,} questions right, with the {each.baseline} "
                f"{percent(each.of_baseline)}: {100 * difference.value:+.1f} percentage points "
                f"[{100 * difference.low:.1f}, {100 * difference.high:.1f}]."
            )
