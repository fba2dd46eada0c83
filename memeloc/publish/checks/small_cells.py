"""Small cells. In: the table of annotators. Out: combinations of facts that few people share."""

from __future__ import annotations

from collections.abc import Iterator

from memeloc.counts import counted
from memeloc.publish.checks.finding import Finding, Private
from memeloc.publish.people import small_cells
from memeloc.publish.release import Release
from memeloc.publish.settings import ReleaseSettings
from memeloc.publish.summary import ANNOTATOR, CULTURE

RULE = "small cells"
PEOPLE = "people"


def find(release: Release, private: Private) -> Iterator[Finding]:
    """Combinations of demographics that fewer people of a culture share than the settings ask."""
    table = release.tables.get(PEOPLE)
    if table is None or CULTURE not in table.frame.columns:
        return
    settings = release.about if isinstance(release.about, ReleaseSettings) else ReleaseSettings()
    columns = [name for name in table.frame.columns if name not in (ANNOTATOR, CULTURE)]
    if not columns:
        return
    rows = [tuple(row) for row in table.frame[[CULTURE, *columns]].astype(str).to_numpy().tolist()]
    for cell in small_cells(table.frame, columns, settings.smallest_cell):
        people = rows.count(cell)
        shared = ", ".join(name for name, value in zip(columns, cell[1:], strict=True) if value)
        yield Finding(
            RULE,
            "refused",
            f"only {counted(people, 'person', 'people')} of {cell[0]} "
            f"{'has' if people == 1 else 'have'} these values of {shared}; withhold them, or leave "
            f"the column out of release.demographics (smallest_cell is {settings.smallest_cell}).",
            f"tables/{PEOPLE}",
            rows.index(cell) + 2,
            shared,
        )
