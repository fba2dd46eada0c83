"""Small cells. In: the table of annotators. Out: combinations of facts that few people share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from memeloc.counts import counted
from memeloc.publish.checks.finding import Finding, Private
from memeloc.publish.describing.summary import ANNOTATOR, CULTURE
from memeloc.publish.people import WITHHELD, small_cells
from memeloc.publish.release import Release
from memeloc.publish.settings import ReleaseSettings

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
    yield from _complements(rows, settings.smallest_cell)
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


def _complements(rows: Sequence[tuple[str, ...]], smallest: int) -> Iterator[Finding]:
    """Cultures in which what is withheld follows from the counts of the others."""
    counts = Counter(rows)
    for culture in dict.fromkeys(row[0] for row in rows):
        nothing = (culture, *[WITHHELD] * (len(rows[0]) - 1))
        others = sum(1 for cell in counts if cell[0] == culture and cell != nothing)
        if others and 0 < counts[nothing] < smallest:
            people = counted(counts[nothing], "person", "people")
            yield Finding(
                RULE,
                "refused",
                f"everything is withheld of only {people} of {culture}, so that it follows from "
                f"the counts of the others; withhold it of {smallest} at least.",
                f"tables/{PEOPLE}",
                rows.index(nothing) + 2,
            )
