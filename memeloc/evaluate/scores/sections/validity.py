"""Invalid answers and refusals. In: `Scored`. Out: rates, and a `Section` of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from memeloc.arrays import Floats, Ints
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.scores.coded import INVALID, Answered, Coded
from memeloc.evaluate.scores.figures import Rates, Value
from memeloc.evaluate.scores.right import summed, units_of
from memeloc.evaluate.scores.sections.scored import (
    CONDITION_COLUMNS,
    MOST_LINES,
    Scored,
    by_model,
    cells,
    interval_columns,
    plotted,
    table,
)
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.reports.sections import Heatmap, Intervals, Plot, Section, Table
from memeloc.statistics.bootstrap import estimate
from memeloc.statistics.intervals import defined, percent

_RATES = {
    **CONDITION_COLUMNS,
    "items": "that were asked about",
    "answers": "to all prompts",
    **interval_columns("invalid", "share that chose no option, 0 to 1; refusals are among them"),
    **interval_columns("refused", "share where the model would not answer, 0 to 1"),
    "asks": "mean times that it was asked until the answer",
}
_PROMPTS = {
    **CONDITION_COLUMNS,
    "wording": "of the prompt, from 1",
    "order": "of the options: 0 as the run lists them, 1 swapped",
    "answers": "to the prompt",
    "invalid": "share that chose no option, 0 to 1",
    "refused": "share where the model would not answer, 0 to 1",
}
_RULES = {
    "model": "the model",
    "rule": "how the answer was read",
    "answers": "that were read so",
    "share": "of the model's answers, 0 to 1",
}


def rates_of(coded: Coded, answered: Answered, settings: ScoreSettings) -> Rates:
    """How often a condition's answers chose nothing."""
    asked = answered.asked
    rows = np.column_stack(
        [
            asked.sum(axis=1),
            (answered.predicted == INVALID).sum(axis=1),
            (answered.refused * asked).sum(axis=1),
        ]
    )

    def shares(patterns: Ints, weights: Floats) -> Floats:
        sums = weights @ patterns
        return np.asarray(sums[:, 1:] / sums[:, :1])

    name = f"rates {'|'.join(answered.condition)}"
    estimates = estimate(summed(rows, units_of(coded)), shares, settings, name)
    columns = zip(estimates.value, estimates.low, estimates.high, strict=True)
    invalid, refused = (Value(*map(float, column)) for column in columns)
    return Rates(
        answered.condition,
        int(asked.any(axis=1).sum()),
        int(asked.sum()),
        invalid,
        refused,
        float(answered.asks[asked].mean()),
    )


def validity_section(scored: Scored, rates: tuple[Rates, ...], answers: ModelAnswers) -> Section:
    """Invalid answers and refusals as rates of their own (PROTOCOLS; multi3hate B.1)."""
    method = (
        "Of all answers, whether or not an item has gold. An invalid answer chooses none of the "
        "options; a refusal is an invalid answer in which the model would not answer. "
        + scored.resampling
    )
    rows = (
        (*r.condition, r.items, r.answers, *cells(r.invalid), *cells(r.refused), r.asks)
        for r in rates
    )
    names = scored.titles
    return Section(
        "validity",
        "Invalid answers and refusals",
        tables=(
            table("validity", "Invalid answers and refusals", rows, _RATES, method),
            *_prompts(scored, method),
            *_rules(answers),
        ),
        plots=(_plot(scored, rates, method),),
        sentences=tuple(_sentences(scored, rates)),
        figures={
            names[each.condition]: {
                "invalid": [defined(cell) for cell in cells(each.invalid)],
                "refused": [defined(cell) for cell in cells(each.refused)],
                "answers": each.answers,
            }
            for each in rates
        },
    )


def _plot(scored: Scored, rates: tuple[Rates, ...], method: str) -> Plot:
    if len(rates) > MOST_LINES:
        invalid = {each.condition: each.invalid.value for each in rates}
        frame = by_model(scored, invalid.__getitem__)
        return Heatmap("validity", "Share of invalid answers", frame, method)
    frame = plotted(
        (scored.titles[each.condition], kind, value)
        for each in rates
        for kind, value in (("invalid", each.invalid), ("refused", each.refused))
    )
    return Intervals("validity", "Answers that chose nothing", frame, "share of answers", method)


def _prompts(scored: Scored, method: str) -> Iterator[Table]:
    """By prompt, where there are more than one."""
    if any(len(each.prompts) > 1 for each in scored.coded.answered):
        yield table("validity-prompts", "By prompt", _by_prompt(scored.coded), _PROMPTS, method)


def _by_prompt(coded: Coded) -> Iterator[tuple[object, ...]]:
    for each in coded.answered:
        for place, prompt in enumerate(each.prompts):
            asked = each.asked[:, place]
            yield (
                *each.condition,
                *prompt,
                int(asked.sum()),
                float((each.predicted[asked, place] == INVALID).mean()),
                float(each.refused[asked, place].mean()),
            )


def _rules(answers: ModelAnswers) -> Iterator[Table]:
    """By which rules answers were read; nothing where no answer names one."""
    named = answers.table[answers.table["rule"].fillna("") != ""]
    if named.empty:
        return
    counts = Counter(zip(named["model"], named["rule"], strict=True))
    total = Counter(answers.table["model"])
    rows = [(model, rule, n, n / total[model]) for (model, rule), n in counts.most_common()]
    rows.sort(key=lambda row: row[0])
    method = "How the option that an answer chooses was found in its words."
    yield table("rules", "How answers were read", rows, _RULES, method)


def _sentences(scored: Scored, rates: tuple[Rates, ...]) -> Iterator[str]:
    answers = sum(each.answers for each in rates)
    invalid = sum(each.invalid.value * each.answers for each in rates) / answers
    refused = sum(each.refused.value * each.answers for each in rates) / answers
    most = max(rates, key=lambda each: each.invalid.value)
    yield f"{percent(invalid)} of the answers were invalid; {percent(refused)} were refusals."
    if most.invalid.value > 0 and len(rates) > 1:
        yield (
            f"{scored.titles[most.condition]} had most invalid answers "
            f"({percent(most.invalid.value)})."
        )
