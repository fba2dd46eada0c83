"""Sheets that a server shows. In: who comes, what they answer. Out: places, pages, replies.

It knows no HTTP: the application (`memeloc.studio`) reads requests and calls this. served.py has
what all parts need, joining.py gives places, answering.py takes answers and ends sheets, and
watching.py says how far everything is.
"""

from memeloc.workspace.surveys.serving.survey import ServedSurvey

__all__ = ["ServedSurvey"]
