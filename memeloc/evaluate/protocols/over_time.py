"""A run over time. In: a training, its settings. Out: the temporal matrix as a section."""

from __future__ import annotations

import dataclasses

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.protocols.fitting import chosen_models, common_rows, fit_of
from memeloc.evaluate.protocols.run_file import TemporalSettings
from memeloc.evaluate.shift.periods import consecutive_periods
from memeloc.evaluate.shift.temporal import temporal_matrix, temporal_section
from memeloc.evaluate.training.training import Training
from memeloc.evaluate.training.vectors import OnProgress
from memeloc.reports.sections import Section


def over_time(training: Training, settings: TemporalSettings, on_progress: OnProgress) -> Section:
    """Train on each period and test on all, on the items that all models can look at.

    Raises:
        InputError: too few items have a year, or a model cannot be trained on a period.
    """
    run, dataset = training.run, training.dataset
    models = chosen_models(run, settings.models)
    rows = common_rows(training.features, models)
    examples = [dataset.examples[row] for row in rows if dataset.examples[row].year is not None]
    if not examples:
        raise InputError(
            "No example has a year; name the column in [data.columns] year, or leave [temporal] "
            "out."
        )
    periods = consecutive_periods(
        {example.item: example.year for example in examples if example.year is not None},
        {example.item: example.label for example in examples},
        {example.item: example.group for example in examples},
        count=settings.periods,
        held_out=settings.held_out,
        seed=run.seed,
    )
    matrix = temporal_matrix(
        periods,
        dataset.gold,
        fit_of(dataset, training.features, run, models),
        seed=run.seed,
        on_progress=lambda more, total: on_progress("periods", more, total),
    )
    section = temporal_section(matrix, run.seed)
    left_out = len(dataset.examples) - len(examples)
    if not left_out:
        return section
    gap = f"{counted(left_out, 'example')} without a year, or without what a model looks at."
    return dataclasses.replace(section, gaps=(gap,))
