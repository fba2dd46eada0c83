"""How a dataset was annotated. In: the provenance of its surveys. Out: a sentence a survey."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
