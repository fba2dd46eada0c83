"""Statistics of what was collected. In: a workspace. Out: a table of memes, and its `Section`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memeloc.analyze.analysis import Analysis, analyze
from memeloc.analyze.answers import COLUMNS, Answers
from memeloc.analyze.dataset import MEME_COLUMNS, describe
from memeloc.analyze.settings import Settings
from memeloc.errors import InputError
from memeloc.model import SEPARATOR
from memeloc.ocr.transcript import NO_TEXT
from memeloc.reports.sections import Section
from memeloc.workspace.curating.collected_tables import open_table
from memeloc.workspace.part import Part

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.items import Item
    from memeloc.store.records import CaptionVersion


class Describing(Part):
    """What the collected memes are, for the report of an analysis."""

    def memes(self, question: str = "", *, selected: bool = False) -> pd.DataFrame:
        """Finished memes and captions as a table with the columns of `MEME_COLUMNS`.

        Args:
            question: the one whose labels are taken; the one that most items have by default.
            selected: only what was selected.

        Raises:
            InputError: no item has such labels, or nothing was selected.
        """
        import pandas as pd

        items = [item for item in self._store.items.find() if item.kind != "template"]
        if selected:
            selection = self._store.curation.selection()
            if selection is None:
                raise InputError("Nothing was selected yet: run memeloc select.")
            kept = set(selection.items)
            items = [item for item in items if item.id in kept]
        question = question or _commonest_question(items)
        if question and not any(question in item.labels for item in items):
            raise InputError(f"no collected meme has labels of a question {question[:60]!r}")
        columns, rows = open_table(self._workspace, "templates")
        place = [column.name for column in columns].index("keyword")
        keywords = {str(row[0]): str(row[place]) for row in rows}
        read = self._store.transcripts.all()
        frame = pd.DataFrame(
            [
                _cells(item, question, keywords.get(item.parent, ""), read.get(item.id))
                for item in items
            ],
            columns=list(MEME_COLUMNS),
        )
        return frame if read else frame.drop(columns="reading")

    def describe(
        self, question: str = "", *, selected: bool = False, settings: Settings | None = None
    ) -> Section:
        """The statistics of `memes`, as charmemes A, harmeme 4.4 and araharmeme C give them.

        Raises:
            InputError: nothing was collected; and as `memes` does.
        """
        return describe(self._known_memes(question, selected), settings)

    def analyze(
        self, question: str = "", *, selected: bool = False, settings: Settings | None = None
    ) -> Analysis:
        """`describe` as an analysis without answers, for a report of the dataset by itself.

        Raises:
            InputError: as `describe`.
        """
        import pandas as pd

        memes = self._known_memes(question, selected)
        answers = Answers.of(pd.DataFrame(columns=list(COLUMNS)), memes=memes)
        return analyze(answers, settings, sections=["dataset"])

    def _known_memes(self, question: str, selected: bool) -> pd.DataFrame:
        """The columns of `memes` that are known of any meme."""
        memes = self.memes(question, selected=selected)
        if memes.empty:
            raise InputError("nothing was collected, so there are no memes to describe")
        return memes.loc[:, [_is_known(memes[name]) for name in memes]]


def _commonest_question(items: list[Item]) -> str:
    counts = Counter(question for item in items for question in item.labels)
    return min(counts, key=lambda question: (-counts[question], question), default="")


def _cells(
    item: Item, question: str, keyword: str, read: CaptionVersion | None
) -> tuple[str | int | None, ...]:
    text = SEPARATOR.join(item.parts)
    marks = [mark for mark in (read.marks if read else ()) if mark != NO_TEXT]
    return (
        item.id,
        text,
        item.language or (read.language if read and text else ""),
        str(item.details.get("dialect") or ""),
        item.labels.get(question, ""),
        item.origin.dataset or item.origin.source,
        str(item.details.get("keyword") or keyword),
        item.width or None,
        item.height or None,
        item.size or None,
        item.path.suffix.lstrip(".").lower() if item.path else "",
        item.created or (str(item.year.year) if item.year else ""),
        "" if text or read is None else ", ".join(marks) or NO_TEXT,
    )


def _is_known(column: pd.Series[str]) -> bool:
    return bool((column.notna() & (column != "")).any())
