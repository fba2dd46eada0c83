"""All analyses. In: answers, settings. Out: the rows of `memeloc.reports.figures`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from memeloc.analyze.answers import Answers, Settings, demographics
from memeloc.analyze.cultures.between import agreement_between
from memeloc.analyze.cultures.breakdowns import breakdowns
from memeloc.analyze.cultures.chi_squared import chi_squared
from memeloc.analyze.cultures.dividing import dividing_items
from memeloc.analyze.cultures.further_measures import further_measures
from memeloc.analyze.cultures.random_groups import random_groups as beside_random_groups
from memeloc.analyze.cultures.shares import label_shares
from memeloc.analyze.cultures.within import agreement_within
from memeloc.analyze.dataset import dataset, funnel
from memeloc.analyze.differing import differing
from memeloc.analyze.models import models
from memeloc.analyze.standing_out import standing_out
from memeloc.errors import InputError
from memeloc.reports.figures import NOT_COMPUTED, gap, joined

ANALYSES: dict[str, Callable[[Answers, Settings], pd.DataFrame]] = {
    "funnel": funnel,
    "dataset": dataset,
    "label-shares": label_shares,
    "agreement-within": agreement_within,
    "further-measures": further_measures,
    "chi-squared": chi_squared,
    "agreement-between": agreement_between,
    "breakdowns": breakdowns,
    "dividing-items": dividing_items,
    "random-groups": beside_random_groups,
    "differing": differing,
    "standing-out": standing_out,
    "demographics": demographics,
    "models": models,
}
"""The analyses by name, in the order of the report. Each raises InputError where nothing can be
computed."""
_WITHOUT_VOTES = ("funnel", "dataset", "demographics")
"""Those that have something to say where no answer votes for a label."""

OnAnalysis = Callable[[str, int, int], None]
"""Called with the name of an analysis that begins, how many are done and how many there are."""


def figures(
    answers: Answers | pd.DataFrame,
    settings: Settings | None = None,
    only: Sequence[str] = (),
    more: Mapping[str, Callable[[], pd.DataFrame]] | None = None,
    on_analysis: OnAnalysis = lambda name, done, total: None,
) -> pd.DataFrame:
    """Return the figures of all analyses; one that cannot be computed is a row that says why. Raise
    InputError if there is no analysis of such a name; MissingError if a package of the extra
    `analyze` is missing.

    Args:
        answers: `Answers`, or a frame with the columns item, culture, participant and label.
        only: names of `ANALYSES` and of `more`; all by default.
        more: further analyses by name; one of a name of `ANALYSES` takes its place.
    """
    checked = answers if isinstance(answers, Answers) else Answers.of(answers)
    extra = more or {}
    names = list(dict.fromkeys([*ANALYSES, *extra]))
    for name in only:
        if name not in names:
            raise InputError(f"There is no analysis {name!r}. There are {', '.join(names)}.")
    wanted = [name for name in names if not only or name in only]
    parts = []
    for done, name in enumerate(wanted):
        on_analysis(name, done, len(wanted))
        try:
            if name in extra:
                parts.append(extra[name]())
            elif not checked.labels and name not in _WITHOUT_VOTES:
                raise InputError("no answer votes for a label")
            else:
                parts.append(ANALYSES[name](checked, settings or Settings()))
        except InputError as error:
            title = name.replace("-", " ").capitalize()
            parts.append(gap(name, f"{title}{NOT_COMPUTED}{str(error).rstrip('.')}."))
    return joined(parts)


def agreement(answers: Answers | pd.DataFrame, settings: Settings | None = None) -> pd.DataFrame:
    """Return how far people of each culture agree, and how far cultures do, as `figures` has it."""
    return figures(answers, settings, ("agreement-within", "agreement-between"))


def random_groups(
    answers: Answers | pd.DataFrame, settings: Settings | None = None
) -> pd.DataFrame:
    """Return pairs of cultures beside random groups of annotators, as `figures` has it."""
    return figures(answers, settings, ("random-groups",))
