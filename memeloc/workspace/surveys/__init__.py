"""Surveys of the memes. In: a workspace's folder. Out: `Surveys`, and `Survey` for each of them.

    survey = workspace.surveys.build("pilot", "US,DE", size=20).survey      # its name
    survey = workspace.survey("pilot")
    survey.export("html", contact="lab@university.example", options={"codes": False})
    survey.import_files(["answers/"])
    survey.check(); survey.settle().table                                  # a DataFrame

stored.py has a survey as it is stored, packs.py what goes out and how answers are read, and
building.py, exporting.py, importing.py, deciding.py, contacting.py (bonuses and messages) and
survey.py the steps, each with its result.
"""

from memeloc.workspace.surveys.survey import Survey
from memeloc.workspace.surveys.surveys import Surveys

__all__ = ["Survey", "Surveys"]
