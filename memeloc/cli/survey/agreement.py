"""The table of agreement that `check` and `status` show. In: their results. Out: `AGREEMENT`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.cli.show import Table

if TYPE_CHECKING:
    from memeloc.survey.labels.agreement import QuestionAgreement

AGREEMENT = Table(
    "Agreement; of one more answer an item, the share of labels that it would change",
    lambda result: [part for part in result.agreement if part.measures.shared],
    (
        "culture question",
        ("items", "measures.shared"),
        ("people", "measures.annotators"),
        ("agree", lambda part: _share(part.measures.agreement)),
        ("alpha", lambda part: _number(part.measures.alpha)),
        ("ordinal", lambda part: _number(part.measures.alpha_ordinal)),
        ("Fleiss", lambda part: _number(part.measures.fleiss)),
        ("Cohen", lambda part: _number(part.measures.cohen)),
        ("one more", lambda part: _one_more(part)),
    ),
)
"""Without questions that nobody shared an item of; a measure that is not defined is `-`."""


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _one_more(part: QuestionAgreement) -> str:
    further = part.measures.further
    return _share(further[0].changed if further else None)
