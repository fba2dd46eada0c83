"""One survey. In: its name. Out: `Survey`, with a part for each of its steps.

survey = workspace.survey("pilot")
survey.sheets.export("html", contact="lab@university.example", options={"codes": False})
survey.answers.import_files(["answers/"])
survey.answers.check()
survey.labels.settle().table                                  # a DataFrame
"""

from __future__ import annotations

from dataclasses import dataclass

from memeloc.survey.design.planning import read_rates
from memeloc.survey.labels.models import QuestionAgreement, survey_agreement
from memeloc.survey.labels.progress import SurveyStatus, survey_status
from memeloc.survey.rewards import Shortfall
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.stored_survey import StoredSurvey, recruiter
from memeloc.workspace.survey_analysis import SurveyAnalysis
from memeloc.workspace.survey_answers import SurveyAnswers
from memeloc.workspace.survey_labels import SurveyLabels
from memeloc.workspace.survey_memes import changed_pictures
from memeloc.workspace.survey_people import SurveyPeople
from memeloc.workspace.survey_sheets import SurveySheets


@dataclass(frozen=True)
class StatusResult(SurveyStatus):
    """How far the survey `survey` is; money in `currency`.

    Sheets that took longer than promised are `shortfalls`; `agreement` is how far those who are
    retained agree, by culture and question; `changed` are finished memes whose picture is another
    one since the survey was built, so that all answers are about the earlier one.
    """

    survey: str = ""
    currency: str = ""
    shortfalls: tuple[Shortfall, ...] = ()
    agreement: tuple[QuestionAgreement, ...] = ()
    changed: tuple[str, ...] = ()


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

    def status(self, *, wage: str = "") -> StatusResult:
        """How far the survey is: answers wanted, in and retained; ties; money spent and owed.

        Money is counted from what the service's export says of each submission, at the `wage` an
        hour or memeloc.toml's.
        """
        checked = self.answers.checked()
        answers = checked.answers(lambda number: number > 0)
        rates = read_rates(self.settings(recruiter()), {"wage": wage})
        minutes, rewards = self.minutes, None
        if minutes:
            longest = max(minutes.values())
            rewards = {
                sheet.id: rates.reward(minutes.get(sheet.batch, longest))
                for sheet in checked.sheets
            }
        last = self.closed_round
        status = survey_status(
            checked.sheets,
            checked.submissions,
            checked.report,
            settled=self.labels.settled(answers, self.labels.settling({}))[0],
            participants=self.store.participants(self.name),
            rewards=rewards,
            fee=rates.fee,
            closed={sheet.id for sheet in checked.sheets if sheet.round <= last},
        )
        return StatusResult(
            **vars(status),
            survey=self.name,
            currency=rates.currency,
            shortfalls=self.people.shortfalls(checked),
            agreement=survey_agreement(answers, self.taxonomy),
            changed=changed_pictures(self),
        )
