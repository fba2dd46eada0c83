"""All measures at once. In: a long table of answers. Out: an `Agreement`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memeloc.agreement.further import Further, further_answers, last_answer
from memeloc.agreement.measures import (
    against_rest,
    fleiss_kappa,
    krippendorff_alpha,
    observed_agreement,
    pairwise_kappa,
)
from memeloc.agreement.ratings import Ratings

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far people agree; None is what is not defined.

    Attributes:
        items, answers, annotators: how many there are; `shared` items have two answers or more.
        agreement: the share of pairs of answers to an item that are the same.
        alpha, alpha_ordinal: Krippendorff's, nominal and by the labels' order.
        fleiss: Fleiss' kappa.
        cohen: the mean of Cohen's kappa over `pairs` of which it is defined.
        rest: the rows of `against_rest` of people who have items.
        last: the share of items whose label would be another without one of their answers.
        further: what one and two more answers an item would bring.
        pairs: the rows of `pairwise_kappa`.
    """

    items: int
    shared: int
    answers: int
    annotators: int
    agreement: float | None
    alpha: float | None
    alpha_ordinal: float | None
    fleiss: float | None
    cohen: float | None
    last: float | None
    further: tuple[Further, ...]
    rest: tuple[dict[str, Any], ...]
    pairs: tuple[dict[str, Any], ...]


def measure(table: pd.DataFrame, levels: Mapping[str, float] | None = None) -> Agreement:
    """All measures of one culture's answers to one question.

    Args:
        table: with `COLUMNS`.
        levels: the labels' order, see `krippendorff_alpha`; None where they have none.

    Raises:
        InputError: of `Ratings.of`, or a label has no level.
    """
    ratings = Ratings.of(table)
    pairs = pairwise_kappa(ratings)
    rest = against_rest(ratings).query("items > 0")
    kappas = pairs["kappa"].dropna()
    further = (further_answers(ratings, more) for more in (1, 2))
    return Agreement(
        items=ratings.items,
        shared=int((ratings.counts.sum(axis=1) > 1).sum()),
        answers=len(ratings.item),
        annotators=len(ratings.participants),
        agreement=observed_agreement(ratings),
        alpha=krippendorff_alpha(ratings),
        alpha_ordinal=None if levels is None else krippendorff_alpha(ratings, levels),
        fleiss=fleiss_kappa(ratings),
        cohen=float(kappas.mean()) if len(kappas) else None,
        last=last_answer(ratings),
        further=tuple(filter(None, further)),
        rest=_rows(rest),
        pairs=_rows(pairs),
    )


def _rows(table: pd.DataFrame) -> tuple[dict[str, Any], ...]:
    """Return the rows in Python's own types, None for NaN."""
    rows: Any = table.astype(object).where(table.notna(), None).to_dict("records")
    return tuple(rows)
