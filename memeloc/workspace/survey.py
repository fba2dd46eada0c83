"""One survey. In: its name. Out: `Survey`, with a part for each of its steps.

survey = workspace.survey("pilot")
survey.sheets.export("html", contact="lab@university.example", options={"codes": False})
survey.answers.import_files(["answers/"])
survey.answers.check()
survey.labels.settle().table                                  # a DataFrame
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from memeloc.survey.design.planning import read_rates
from memeloc.survey.labels.progress import costs, progress
from memeloc.survey.labels.settling import STATES
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.stored_survey import StoredSurvey, recruiter
from memeloc.workspace.survey_analysis import SurveyAnalysis
from memeloc.workspace.survey_answers import SurveyAnswers
from memeloc.workspace.survey_labels import SurveyLabels
from memeloc.workspace.survey_memes import changed_pictures
from memeloc.workspace.survey_people import SurveyPeople
from memeloc.workspace.survey_sheets import SurveySheets


class Survey(StoredSurvey):
    """A survey of the workspace, by its name, with the parts that do something with it.

    Attributes:
        sheets: sheets out: plan, export, serve, push.
        answers: answers in, and their quality control.
        labels: labels of the retained answers, and what people decide about them.
        people: decisions, bonuses and messages, and named teams.
        analysis: the report, and the reasons and codes of multi3hate 4.3.

    Raises:
        InputError: there is no survey of that name.
    """

    def __init__(self, workspace: WorkspaceFolder, name: str) -> None:
        super().__init__(workspace, name)
        self.sheets = SurveySheets(self)
        self.answers = SurveyAnswers(self)
        self.labels = SurveyLabels(self)
        self.people = SurveyPeople(self)
        self.analysis = SurveyAnalysis(self)

    def status(self, *, wage: str = "") -> dict[str, Any]:
        """Return how far the survey is.

        That is what `progress` returns; `labels`, by culture code how many items are in each of
        `STATES`; `aside`, by rule how many submissions it excludes; `money` (see `costs`; None
        where no reward is known) in `currency`, counted from what the service's export says of each
        submission, at the `wage` an hour or memeloc.toml's; the sheets that took longer than
        promised (`shortfalls`); `agreement`, how far those who are retained agree, by culture and
        question; `changed`, the finished memes whose picture is another one since the survey was
        built, so that all answers are about the earlier one; and the `cause` why nothing is
        retained of what came.
        """
        checked, closed, minutes = self.answers.checked(), self.closed_round, self.minutes
        rates = read_rates(self.settings(recruiter()), {"wage": wage})
        is_closed = {sheet.id for sheet in checked.sheets if sheet.round <= closed}
        parts = progress(checked.sheets, checked.report, is_closed)
        money = None
        if minutes:
            longest = max(minutes.values())
            rewards = {
                sheet.id: rates.reward(minutes.get(sheet.batch, longest))
                for sheet in checked.sheets
            }
            places = {row["name"]: row["places"] for row in parts["sheets"]}
            people = self.store.participants(self.name)
            money = costs(places, checked.report, people, rewards, rates.fee)
        settled = self.labels.settled(checked)
        states = Counter((row["culture"], row["state"]) for row in settled.rows)
        return {
            **parts,
            "labels": {
                row["name"]: {state: states[row["name"], state] for state in STATES}
                for row in parts["cultures"]
            },
            "aside": checked.report.counts(),
            "money": money,
            "survey": self.name,
            "currency": rates.currency,
            "shortfalls": self.people.shortfalls(checked),
            "agreement": checked.agreement,
            "changed": changed_pictures(self),
            "cause": checked.why_none(),
        }
