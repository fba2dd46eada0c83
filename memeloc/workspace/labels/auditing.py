"""The audit of a labelling. In: a survey's answers. Out: a `Report`; labels, each with who gave it.

Labels of models and of people stand in different columns and rows: none is made of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.label.audit import TEXTS, audit
from memeloc.label.topics import merged
from memeloc.reports import Report
from memeloc.survey.quality.outliers import deviations
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.labels.labelling import Labelling, accepted_labels, newest_labelling
from memeloc.workspace.labels.people import Origin, origin_of, surveys_of
from memeloc.workspace.survey import Survey
from memeloc.workspace.survey_analysis import short_names
from memeloc.workspace.survey_teams import team_of

if TYPE_CHECKING:
    import pandas as pd


def audit_of(workspace: WorkspaceFolder, name: str) -> Report:
    """Return how the people of a survey agree with the model that it audits.

    Raises:
        InputError: the survey is no audit of a model's labels.
    """
    origin = origin_of(workspace, name)
    if origin is None or origin.purpose != "audit":
        raise InputError(
            f"{name} is no audit of a model's labels; memeloc label audit NAME builds one."
        )
    survey = Survey(workspace, name)
    labelling = _labelling(workspace, origin)
    accepted = accepted_labels(labelling.outcomes())
    labels = {meme: accepted[meme] for meme in survey.memes if meme in accepted}
    voting = {label.id for label in survey.taxonomy.of_role("vote")}
    checked = survey.answers.checked(keep=False)
    answers = checked.answers()
    answers = answers[answers["label"].isin(voting)]
    answers = answers.drop_duplicates(["item", "participant"])
    by_person = [
        (str(culture), str(who), dict(zip(rows["item"], rows["label"], strict=True)))
        for (culture, who), rows in answers.groupby(["culture", "participant"])
    ]
    judged = deviations(by_person, checked.rules.outlier, ())
    names = _names(survey, answers)
    outliers = {names[who] for (_, who), beside in judged.items() if beside["outlier"]}
    named = answers.assign(participant=answers["participant"].map(names))
    return Report(
        "audit",
        f"How people agree with {origin.model}",
        audit(named, labels, origin.model, outliers),
        TEXTS,
        settings={"model": origin.model},
        facts={"Survey": name},
    )


def labels_table(labelling: Labelling) -> pd.DataFrame:
    """Each label with who gave it: a row a meme of the model, and one of people where they did.

    Returns:
        `meme_id`, `label`, `subcategory` (with `|` between several), `by` (`model` or `people`),
        `who` (the model, or the survey), `state` of the model's rounds or of the people's votes,
        a column for each of the model's rounds, and `topics` as people merged them (`|` between,
        the most relevant first); both are empty in rows of people.
    """
    import pandas as pd

    rounds = [f"round {number}" for number in range(1, labelling.settings.rounds + 1)]
    rows = [*_of_model(labelling, rounds), *_of_people(labelling)]
    columns = ["meme_id", "label", "subcategory", "by", "who", "state", *rounds, "topics"]
    return pd.DataFrame(rows, columns=columns, dtype=object).fillna("")


def _of_model(labelling: Labelling, rounds: list[str]) -> Iterator[dict[str, Any]]:
    topics = _topics(labelling)
    for outcome in labelling.outcomes():
        given = [" ".join(map(str, labels)) for labels in outcome.rounds]
        yield {
            "meme_id": outcome.item,
            "label": outcome.label,
            "subcategory": "|".join(outcome.subcategories),
            "by": "model",
            "who": labelling.labelled.model,
            "state": outcome.state,
            **dict(zip(rounds, given, strict=True)),
            "topics": topics.get(outcome.item, ""),
        }


def _topics(labelling: Labelling) -> dict[str, str]:
    """By meme its topics as people merged them; two that became one count once."""
    decided = labelling.workspace.store.model_labels.topic_merges()
    merges = {topic: into for topic, (into, _) in decided.items()}
    return {
        answer.item: "|".join(dict.fromkeys(merged(topic["id"], merges) for topic in answer.topics))
        for answer in labelling.topics
    }


def _of_people(labelling: Labelling) -> Iterator[dict[str, Any]]:
    """The labels of surveys of this labelling, whatever they are for."""
    for name in surveys_of(labelling):
        survey = Survey(labelling.workspace, name)
        for row in survey.labels.settled().rows:
            yield {
                "meme_id": row["item"],
                "label": row["label"],
                "by": "people",
                "who": f"{name} {row['culture']}",
                "state": row["state"],
            }


def _labelling(workspace: WorkspaceFolder, origin: Origin) -> Labelling:
    labelling = newest_labelling(workspace, origin.taxonomy, origin.model, origin.prompt)
    return labelling.with_equal(origin.equal)


def _names(survey: Survey, answers: pd.DataFrame) -> dict[str, str]:
    """What each person is called: the place in the team, or the first letters of the id."""
    short = short_names(answers["participant"].unique())
    team = team_of(survey)
    places = {who: place for place, who in team.people.items()} if team else {}
    return {who: places.get(who, name) for who, name in short.items()}
