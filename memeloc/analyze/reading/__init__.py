"""Reading answers. In: a table of answers, as a file or a data frame. Out: `Answers`, with notes.

`table.read_answers` reads the rows and puts the steps together; `mapping` has what a team knows of
its columns, labels and cultures; `labels` names the labels, `items_and_people` gathers what is
known of either, and `notes` counts what could not be used.
"""

from memeloc.analyze.reading.mapping import AnswersMap
from memeloc.analyze.reading.table import read_answers

__all__ = ["AnswersMap", "read_answers"]
