"""The questions about the person: which there are, and where they stand."""

from __future__ import annotations

import pytest

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.texts import TaxonomyTexts, shipped_languages, survey_texts
from memeloc.taxonomy import demographic_questions, load_taxonomy, with_demographics
from tests.each import each

PLAIN = load_taxonomy("multi3hate")
WHOLE = with_demographics(PLAIN, list(demographic_questions()))


def test_everybody_may_say_nothing() -> None:
    for question in demographic_questions().values():
        assert (question.about, question.required) == ("person", True)
        assert question.answers[-1] == "prefer-not"


@each("tag", shipped_languages())
def test_every_language_has_an_answer_of_its_own_for_each(tag: str) -> None:
    texts = TaxonomyTexts(survey_texts(default().get(tag)), WHOLE)
    for question in WHOLE.about("person"):
        assert texts.asked[question.id]
        names = list(texts.answers[question.id].values())
        assert len({name.casefold() for name in names}) == len(question.answers)


def test_a_question_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match=r"no question .shoe-size.*gender, age, ethnicity"):
        with_demographics(PLAIN, ["shoe-size"])
