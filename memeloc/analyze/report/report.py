"""An analysis as a report. In: an `Analysis`. Out: a `Report`, with its methods paragraph."""

from __future__ import annotations

from dataclasses import asdict

from memeloc.analyze.analysis import Analysis
from memeloc.analyze.report.memes import cards
from memeloc.counts import counted
from memeloc.reports.cells import clean, shown
from memeloc.reports.sections import Report
from memeloc.version import __version__


def methods(analysis: Analysis) -> tuple[str, ...]:
    """Paragraphs for a paper: what was analysed, then what each section says of its methods."""
    paragraphs = [_data(analysis)] if len(analysis.answers.table) else []
    paragraphs += [" ".join(section.sentences) for section in analysis.sections]
    return tuple(clean(paragraph) for paragraph in paragraphs if paragraph)


def _data(analysis: Analysis) -> str:
    answers, settings = analysis.answers, analysis.settings
    people = int(answers.table["participant"].nunique())
    cultures = counted(len(answers.cultures), "culture")
    abstained = int(answers.table["label"].isin(answers.abstentions).sum())
    left_out = (
        f" {counted(abstained, 'answer was an abstention', 'answers were abstentions')} "
        f"({', '.join(sorted(answers.abstentions))}) and took no part in the vote."
        if answers.abstentions
        else ""
    )
    if answers.table.empty:
        return f"All figures were computed with memeloc {__version__}."
    return (
        f"We analysed {counted(len(answers.table), 'answer')} that "
        f"{counted(people, 'annotator')} of {cultures} ({', '.join(answers.cultures)}) gave to "
        f"{counted(len(answers.names), 'item')}.{left_out} Intervals are "
        f"{settings.confidence:.0%} intervals; those by the bootstrap rest on "
        f"{settings.bootstraps:,} resamples of items. The seed of all random "
        f"draws is {settings.seed}. All figures were computed with memeloc {__version__}."
    )


def report_of(analysis: Analysis) -> Report:
    """The report of an analysis; it does not say how many processes made it."""
    answers = analysis.answers
    count = len(answers.table)
    people = int(answers.table["participant"].nunique())
    settings = {name: value for name, value in asdict(analysis.settings).items() if name != "jobs"}
    pair = analysis.settings.pair
    return Report(
        name="analysis",
        title=f"Analysis of {count:,} answers" if count else "Analysis of a dataset",
        heading=(
            f"What {count:,} answers of {people:,} people show"
            if count
            else "What is in the dataset"
        ),
        facts=_facts(analysis, settings),
        sections=analysis.sections,
        methods=methods(analysis),
        notes=analysis.notes,
        notes_title="What was noticed while the answers were read",
        labels=answers.labels,
        cards={each.name: cards(answers, each.items, pair) for each in analysis.sections},
        data={
            "answers": count,
            "items": len(answers.names),
            "people": people,
            "cultures": answers.cultures,
            "labels": answers.labels,
            "abstentions": sorted(answers.abstentions),
            "settings": settings,
        },
        jobs=analysis.settings.jobs,
    )


def _facts(analysis: Analysis, settings: dict[str, object]) -> dict[str, str]:
    answers = analysis.answers
    facts = {}
    if len(answers.table):
        abstentions = ", ".join(sorted(map(clean, answers.abstentions)))
        facts = {
            "Items": f"{len(answers.names):,}",
            "Cultures": f"{len(answers.cultures)}: {', '.join(answers.cultures)}",
            "Labels": ", ".join(answers.labels)
            + (f"; not counted in votes: {abstentions}" if abstentions else ""),
        }
    shown_settings = (
        f"{name.replace('_', ' ')} {shown(value)}" for name, value in settings.items()
    )
    return {**facts, "Settings": ", ".join(shown_settings)}
