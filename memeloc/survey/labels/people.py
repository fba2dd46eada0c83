"""What is known of people. In: submissions, what services say. Out: a long table for analysis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memeloc.survey.model import PERSON, Participant, Sheet, Submission
from memeloc.survey.quality.rows import sent
from memeloc.taxonomy import Taxonomy

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("participant", "culture", "source", "question", "answer")


def people_table(
    submissions: Iterable[Submission],
    sheets: Sequence[Sheet],
    participants: Iterable[Participant],
    taxonomy: Taxonomy,
) -> pd.DataFrame:
    """What retained people answered about themselves, and what services say of them.

    Returns:
        `COLUMNS`, sorted: the participant as stored; `source` is `sheet` or `service`; of several
        answers to a question each has a row; of several sheets the one sent last counts.
    """
    import pandas as pd

    cultures = {sheet.id: sheet.culture.code for sheet in sheets}
    of_person: dict[str, str] = {}
    answered: dict[tuple[str, str], tuple[str, ...]] = {}
    for submission in sorted(submissions, key=sent):
        if submission.sheet not in cultures:
            continue
        person = submission.participant or f"{submission.sheet}/{submission.id}"
        of_person[person] = cultures[submission.sheet]
        for answer in submission.answers:
            for question in taxonomy.about("person") if answer.entry == PERSON else ():
                if given := answer.given(question.id):
                    answered[person, question.id] = given
    rows = [
        (person, of_person[person], "sheet", question, answer)
        for (person, question), given in answered.items()
        for answer in given
    ]
    facts = {
        (row.participant, fact): value
        for row in participants
        if row.participant in of_person
        for fact, value in row.facts.items()
    }
    rows += [
        (person, of_person[person], "service", fact, value)
        for (person, fact), value in facts.items()
    ]
    return pd.DataFrame(sorted(rows), columns=list(COLUMNS), dtype=object)
