"""Who could be known. In: a `Release`. Out: ids, erased people, facts that few people share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from functools import partial

from memeloc.counts import counted
from memeloc.publish.checks.finding import Finding, Private, Severity
from memeloc.publish.checks.texts import find_texts, words
from memeloc.publish.describing.summary import ANNOTATOR, CULTURE
from memeloc.publish.people import WITHHELD, small_cells
from memeloc.publish.release import Release, ReleaseSettings

_PEOPLE = "people"
_HASH = re.compile(r"[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{64}")
_LIKE_IDS = re.compile(r"(?<![0-9A-Za-z/.-])[0-9a-f]{24}(?![0-9A-Za-z/.-])")
"""Ids of people and submissions at Prolific; in a path or an address they are of anything."""
_OTHER_IDS = re.compile(r"meme_id|item|template|path|sha256|url|source|licence|evidence")
"""Columns in which 24 hex digits, or an address, are not a person's."""


def participant_ids(release: Release, private: Private) -> Iterator[Finding]:
    for name, table in release.tables.items():
        if ANNOTATOR in table.frame.columns:
            values = table.frame[ANNOTATOR].astype(str)
            wrong = (~values.str.fullmatch(_HASH.pattern)).to_numpy().nonzero()[0].tolist()
            if wrong:
                yield Finding(
                    "participant ids",
                    "refused",
                    "an annotator is not named by a keyed hash; publish the workspace's own "
                    "answers, or hash the ids first.",
                    f"tables/{name}",
                    wrong[0] + 2,
                    ANNOTATOR,
                    len(wrong),
                )

    def names_somebody(text: str, column: str) -> bool:
        if column == ANNOTATOR:
            return False
        looks = not _OTHER_IDS.fullmatch(column) and _LIKE_IDS.search(text)
        return bool(looks) or any(map(private.is_participant, words(text)))

    yield from find_texts(
        release,
        "participant ids",
        "this names a person: it is the id of somebody; take it out.",
        names_somebody,
    )


_MAIL = re.compile(
    r"(?<![\w.+@-])(?<!//)(?!git@)[\w.+-]+@(?![\w.-]*\()[\w-]+(?:\.[\w-]+)*\.(?!(?:png|jpe?g|gif|webp|svg)\b)[^\W\d_]{2,}"
)
_PHONE = re.compile(
    r"(?<![\w.+/=-])(?!\d{4}(?:-\d{3}[\dX]){2,})(?:"
    r"\+(?!\d{4}-\d\d-)[1-9]\d{0,2}(?:[ /()-]{0,3}\d){7,12}"
    r"|\(0?\d{2,4}\)[ -]?\d{3,}(?:[ -]\d{2,})*"
    r"|0\d{2,4}(?:[ -]\d{6,9}|/\d{5,9}|/\d{3} ?\d{3,4})"
    r"|\d{3}([.-])\d{3}\1\d{4})(?![\w-]|[.,]\d)"
)
"""With a country's code, an area's in brackets or with its leading zero, or as in North America.

Digits alone may be anything, as ISBN, ORCID, dates, versions and ids are. Tried on those, on DOIs,
coordinates and the times of Wikidata: a form that takes spaces between all groups of digits would
take lists of ids."""
_FOLDER = re.compile(
    r"""(?<![\w.~:/\\-])(?<!href=["'])(?<!src=["'])(?<!\]\()(?<!url\()(?:file://)?/(?:home|Users|root|mnt|media|srv|scratch"""
    r"|tmp|work|workspace|Volumes|gpfs|nfs|lustre|private|var/folders|content/drive)/[\w.-]"
    r"|(?<!\w)[A-Z]:[\\/]{1,2}(?!Windows|Program)[\w .-]+[\\/]|file:///\w"
)
"""Where people and machines keep files; `/usr`, `C:\\Windows`, routes of sites and relative paths
name nobody."""


_CONTACT: tuple[tuple[re.Pattern[str], Severity, str], ...] = (
    (
        _MAIL,
        "refused",
        "this is somebody's e-mail address; take it out, or state it in [release], as under "
        "maintenance, where all may write to it.",
    ),
    (_PHONE, "warning", "this is a telephone number; take it out."),
    (
        _FOLDER,
        "warning",
        "this is a path of somebody's computer; take it out, or write it from the folder on.",
    ),
)
"""Each with what it is in a table: captions and answers may play with numbers and paths."""


def contact_details(release: Release, private: Private) -> Iterator[Finding]:
    """Find e-mail addresses that [release] does not state, telephone numbers, absolute paths."""
    about = " ".join(map(str, release.about.model_dump(exclude={"files"}).values()))

    def is_private(
        pattern: re.Pattern[str], stated: Container[str], text: str, column: str
    ) -> bool:
        matches = () if _OTHER_IDS.fullmatch(column) else pattern.finditer(text)
        return any(match[0] not in stated for match in matches)

    for pattern, in_tables, message in _CONTACT:
        meant = partial(is_private, pattern, {match[0] for match in pattern.finditer(about)})
        yield from find_texts(release, "contact details", message, meant, in_tables)


def erased_people(release: Release, private: Private) -> Iterator[Finding]:
    yield from find_texts(
        release,
        "erased people",
        "this names a person whom `memeloc survey forget` erased; take it out.",
        lambda text, column: any(map(private.is_erased, words(text))),
    )


def few_people(release: Release, private: Private) -> Iterator[Finding]:
    """Combinations of demographics that fewer people of a culture share than the settings ask."""
    table = release.tables.get(_PEOPLE)
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
            "small cells",
            "refused",
            f"only {counted(people, 'person', 'people')} of {cell[0]} "
            f"{'has' if people == 1 else 'have'} these values of {shared}; withhold them, or leave "
            f"the column out of release.demographics (smallest_cell is {settings.smallest_cell}).",
            f"tables/{_PEOPLE}",
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
                "small cells",
                "refused",
                f"everything is withheld of only {people} of {culture}, so that it follows from "
                f"the counts of the others; withhold it of {smallest} at least.",
                f"tables/{_PEOPLE}",
                rows.index(nothing) + 2,
            )
