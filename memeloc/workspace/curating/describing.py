"""Statistics of what was collected. In: a workspace. Out: a table of memes, its rows of figures."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memeloc.analyze.answers import COLUMNS, Answers, Settings
from memeloc.analyze.dataset import MEME_COLUMNS, describe
from memeloc.analyze.report import report_of
from memeloc.errors import InputError
from memeloc.model import SEPARATOR
from memeloc.ocr.transcript import NO_TEXT
from memeloc.reports.report import Report
from memeloc.workspace.curating.collected_tables import open_table
from memeloc.workspace.folder import Part

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.items import Item
    from memeloc.store.records import CaptionVersion


class Describing(Part):
    """What the collected memes are, for the report of an analysis."""

    def memes(self, question: str = "", *, selected: bool = False) -> pd.DataFrame:
        """Return finished memes and captions with those columns of `MEME_COLUMNS` that are known.

        `memeloc.analyze.dataset.describe` has the figures of such a table.

        Args:
            question: the one whose labels are taken; the one that most items have by default.
            selected: only what was selected.

        Raises:
            InputError: nothing was collected, no item has such labels, or nothing was selected.
        """
        import pandas as pd

        items = [item for item in self._store.items.find() if item.kind != "template"]
        if selected:
            selection = self._store.curation.selection()
            if selection is None:
                raise InputError("Nothing was selected yet: run memeloc select.")
            kept = set(selection.items)
            items = [item for item in items if item.id in kept]
        if not items:
            raise InputError("nothing was collected, so there are no memes to describe")
        counts = Counter(name for item in items for name in item.labels)
        question = question or min(counts, key=lambda name: (-counts[name], name), default="")
        if question and question not in counts:
            raise InputError(f"no collected meme has labels of a question {question[:60]!r}")
        columns, rows = open_table(self._workspace, "templates")
        place = [column.name for column in columns].index("keyword")
        keywords = {str(row[0]): str(row[place]) for row in rows}
        read = self._store.transcripts.all()
        memes = pd.DataFrame(
            [
                _cells(item, question, keywords.get(item.parent, ""), read.get(item.id))
                for item in items
            ],
            columns=list(MEME_COLUMNS),
        )
        return memes.loc[:, (memes != "").any()]

    def analyze(
        self, question: str = "", *, selected: bool = False, settings: Settings | None = None
    ) -> Report:
        """Return the report of what was collected, by itself.

        Raises:
            InputError: as `memes`.
        """
        import pandas as pd

        memes = self.memes(question, selected=selected)
        nobody = Answers.of(pd.DataFrame(columns=list(COLUMNS)))
        return report_of(nobody, describe(memes), settings)


def _cells(item: Item, question: str, keyword: str, read: CaptionVersion | None) -> tuple[str, ...]:
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
        str(item.details.get("split") or ""),
        item.path.suffix.lstrip(".").lower() if item.path else "",
        item.created or (str(item.year.year) if item.year else ""),
        "" if text or read is None else ", ".join(marks) or NO_TEXT,
    )
