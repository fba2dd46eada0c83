"""The methods paragraph. In: an `Analysis`. Out: sentences with the figures filled in."""

from __future__ import annotations

from memeloc.analyze.analysis import Analysis
from memeloc.counts import counted
from memeloc.reports.cells import clean
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
