"""All measures at once."""

from __future__ import annotations

from memeloc.agreement import (
    fleiss_kappa,
    further_answers,
    krippendorff_alpha,
    last_answer,
    measure,
    pairwise_kappa,
)
from tests.agreement.answers import drawn, table

SEVERITY = {"a": 0, "b": 1, "c": 2}


def test_report_has_what_each_measure_gives() -> None:
    answers = drawn(2, missing=0.3)
    report = measure(answers, SEVERITY)
    assert report["alpha"] == krippendorff_alpha(answers)
    assert report["alpha_ordinal"] == krippendorff_alpha(answers, SEVERITY)
    assert report["fleiss"] == fleiss_kappa(answers)
    assert report["cohen"] == pairwise_kappa(answers)["kappa"].mean()
    assert report["last"] == last_answer(answers)
    assert report["further"] == (further_answers(answers, 1), further_answers(answers, 2))
    assert (report["answers"], report["annotators"]) == (len(answers), 5)


def test_report_of_no_answers_is_empty() -> None:
    report = measure(table({}))
    assert (report["items"], report["answers"], report["annotators"]) == (0, 0, 0)
    assert report["alpha"] is report["fleiss"] is report["cohen"] is report["last"] is None
    assert report["pairs"] == report["rest"] == report["further"] == ()


def test_undefined_kappas_are_none_not_nan() -> None:
    report = measure(table({"m1": "aa", "m2": "aa"}))
    assert [pair["kappa"] for pair in report["pairs"]] == [None]
    assert [person["kappa"] for person in report["rest"]] == [None, None]


def test_person_whose_others_have_no_majority_is_left_out() -> None:
    report = measure(table({"m1": "a", "m2": ".bb"}))
    assert [person["participant"] for person in report["rest"]] == ["ben", "cem"]
