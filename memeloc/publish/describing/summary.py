"""What a card says in numbers. In: a `Release`, its surveys' provenance. Out: counts, sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from memeloc.counts import counted
from memeloc.publish.release import Release


def annotation_protocol(release: Release) -> tuple[str, ...]:
    """What each survey asked of whom, and how labels were made of it; as far as it is known."""
    surveys = release.provenance.get("surveys", {})
    return tuple("; ".join(_parts(name, survey)) + "." for name, survey in surveys.items())


def _parts(name: str, survey: Mapping[str, Any]) -> Iterator[str]:
    """Parts of a sentence.

    >>> list(_parts("pilot", {"taxonomy": "moods", "submissions": 3, "retained": 2}))
    ['Survey pilot: labels of the taxonomy moods', '3 submissions, of which 2 were retained']
    """
    taxonomy = survey.get("taxonomy")
    recipe = f", by the recipe {survey['recipe']}" if survey.get("recipe") else ""
    yield f"Survey {name}: labels of the taxonomy {taxonomy or 'not stated'}{recipe}"
    if wanted := survey.get("answers_wanted"):
        yield f"{counted(wanted, 'answer')} wanted of each culture for each meme"
    if size := survey.get("memes_per_sheet"):
        checks = survey.get("attention_checks", {})
        listed = [f"{count} {kind}" for kind, count in checks.items() if count]
        with_checks = f", and attention checks ({', '.join(listed)})" if listed else ""
        yield f"{counted(size, 'meme')} a sheet{with_checks}"
    if "submissions" in survey:
        excluded = survey.get("excluded", {})
        reasons = ", ".join(f"{reason} {count}" for reason, count in excluded.items())
        left_out = f" (excluded: {reasons})" if reasons else ""
        yield (
            f"{counted(survey['submissions'], 'submission')}, of which "
            f"{survey.get('retained', 0):,} were retained{left_out}"
        )
    if rule := survey.get("settling", {}).get("rule"):
        yield f"labels by the rule {rule!r}"


ANSWERS, LABELS, MODEL_LABELS = "answers", "labels", "model_labels"
ANNOTATOR, CULTURE, ITEM = "annotator", "culture", "meme_id"
"""Columns of the table of answers."""


@dataclass(frozen=True, slots=True)
class Culture:
    """How much a culture answered.

    Attributes:
        per_item: the fewest and the most answers that an item of it has.
    """

    name: str
    annotators: int
    answers: int
    items: int
    per_item: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of a release.

    Attributes:
        pictures: how many there are in all languages and splits.
        suffixes: how names of pictures end, such as `.jpg`.
        cultures: of the answers, by name.
        terms: by where templates are from and under what licence, how many pictures; of what the
            manifest has.
    """

    pictures: int
    memes: int
    suffixes: tuple[str, ...]
    cultures: tuple[Culture, ...] = ()
    terms: Mapping[tuple[str, str], int] = field(default_factory=dict)


def summarise(release: Release) -> Summary:
    """Count what is in a release; looks at each picture's row once, and holds none."""
    memes: set[str] = set()
    suffixes: set[str] = set()
    terms: Counter[tuple[str, str]] = Counter()
    pictures = 0
    for picture in release.pictures():
        pictures += 1
        memes.add(picture.meme)
        suffixes.add(PurePosixPath(picture.path).suffix)
        source, licence = (
            str(picture.row.get(name) or "") for name in ("template_source", "template_licence")
        )
        terms[source, licence] += 1
    return Summary(
        pictures=pictures,
        memes=len(memes),
        suffixes=tuple(sorted(suffixes)),
        cultures=_cultures(release),
        terms=dict(terms.most_common()),
    )


def _cultures(release: Release) -> tuple[Culture, ...]:
    table = release.tables.get(ANSWERS)
    if table is None or not {ANNOTATOR, CULTURE, ITEM} <= set(table.frame.columns):
        return ()
    cultures = []
    for name, rows in table.frame.groupby(CULTURE, sort=True):
        items = rows.groupby(ITEM).size()
        count = Culture(
            name=str(name),
            annotators=int(rows[ANNOTATOR].nunique()),
            answers=len(rows),
            items=len(items),
            per_item=(int(items.min()), int(items.max())),
        )
        cultures.append(count)
    return tuple(cultures)
