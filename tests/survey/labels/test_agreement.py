"""Agreement in a survey: by culture and question, without what is no vote."""

from __future__ import annotations

import pandas as pd
import pytest

from memeloc.agreement import fleiss_kappa, krippendorff_alpha
from memeloc.survey.labels.agreement import severities, survey_agreement
from memeloc.taxonomy import load_taxonomy

HARMEME = load_taxonomy("harmeme")


def answers(*rows: tuple[str, str, str, str, str]) -> pd.DataFrame:
    columns = ["item", "culture", "participant", "label", "target"]
    return pd.DataFrame(rows, columns=columns, dtype=object)


TABLE = answers(
    ("m1", "US", "ann", "very-harmful", "society"),
    ("m1", "US", "ben", "partially-harmful", "society"),
    ("m1", "US", "cem", "harmless", ""),
    ("m2", "US", "ann", "very-harmful", "individual"),
    ("m2", "US", "ben", "very-harmful", "community"),
    ("m2", "US", "cem", "unknown", ""),
    ("m3", "US", "ann", "harmless", ""),
    ("m3", "US", "ben", "harmless", ""),
    ("m1", "DE", "dot", "harmless", ""),
    ("m1", "DE", "eli", "harmless", ""),
)


def test_each_culture_and_question_is_measured() -> None:
    measured = survey_agreement(TABLE, HARMEME)
    assert [(part.culture, part.question) for part in measured] == [
        ("DE", "label"), ("DE", "target"), ("US", "label"), ("US", "target"),
    ]  # fmt: skip


def test_target_counts_where_both_answered_it() -> None:
    (target,) = [
        part.measures
        for part in survey_agreement(TABLE, HARMEME)
        if (part.culture, part.question) == ("US", "target")
    ]
    (pair,) = target.pairs
    assert (pair.first, pair.second, pair.items) == ("ann", "ben", 2)
    assert pair.agreement == 0.5


def test_what_is_no_vote_is_left_out() -> None:
    labels = survey_agreement(TABLE, HARMEME)[2].measures
    assert labels.answers == 7
    voted = TABLE[(TABLE["culture"] == "US") & (TABLE["label"] != "unknown")]
    assert labels.alpha == krippendorff_alpha(voted)
    assert labels.fleiss == fleiss_kappa(voted)
    assert labels.alpha_ordinal == krippendorff_alpha(voted, severities(HARMEME))


def test_only_three_severities_make_an_order() -> None:
    assert severities(HARMEME) == {
        "very-harmful": 2.0, "partially-harmful": 1.0, "harmless": 0.0,
    }  # fmt: skip
    assert severities(load_taxonomy("multi3hate")) is None


def test_culture_of_one_label_has_no_alpha() -> None:
    germany = survey_agreement(TABLE, HARMEME)[0].measures
    assert germany.alpha is None
    assert germany.agreement == pytest.approx(1.0)


def test_no_answers_have_no_agreement() -> None:
    assert survey_agreement(answers(), HARMEME) == ()
