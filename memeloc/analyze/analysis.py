"""The whole analysis. In: `Answers`, `Settings`. Out: `Analysis`, every section of the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from memeloc.analyze.answers import Answers
from memeloc.analyze.settings import Settings
from memeloc.errors import InputError
from memeloc.reports.sections import Section

SECTIONS: tuple[str, ...] = (
    "memeloc.analyze.funnel:funnel",
    "memeloc.analyze.dataset:dataset",
    "memeloc.analyze.cultures.shares:label_shares",
    "memeloc.analyze.cultures.within:agreement_within",
    "memeloc.analyze.cultures.chi_squared:chi_squared",
    "memeloc.analyze.cultures.between:agreement_between",
    "memeloc.analyze.cultures.breakdowns:by_category",
    "memeloc.analyze.cultures.breakdowns:by_topic",
    "memeloc.analyze.cultures.breakdowns:by_template",
    "memeloc.analyze.cultures.dividing:dividing_items",
    "memeloc.analyze.random_groups:random_groups",
    "memeloc.analyze.differing:differing",
    "memeloc.analyze.standing_out:standing_out",
    "memeloc.analyze.drift:drift",
    "memeloc.analyze.demographics:demographics",
    "memeloc.analyze.models:models",
)
"""The analyses in the order of the report, each `module:function` of this package. A function takes
`Answers` and `Settings`, returns a `Section`, and raises InputError where nothing can be computed;
its name, with hyphens, is the section's."""

_WITHOUT_VOTES = ("funnel", "dataset", "demographics")
"""Sections that have something to say where no answer votes for a label."""

More = Mapping[str, Callable[[], Section]]
"""Sections about something else than answers, such as what was collected, by name."""
OnSection = Callable[[str, int, int], None]
"""Called with the name of a section that begins, how many are done and how many there are."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """All that an analysis found.

    Attributes:
        sections: in the order of the report; one that could not be computed has a gap only.
        notes: what was noticed while the answers were read.
    """

    answers: Answers
    settings: Settings
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def gaps(self) -> dict[str, tuple[str, ...]]:
        """By section what could not be computed, and why."""
        return {section.name: section.gaps for section in self.sections if section.gaps}

    def section(self, name: str) -> Section:
        """A section by its name.

        Raises:
            InputError: there is no such section.
        """
        for section in self.sections:
            if section.name == name:
                return section
        names = ", ".join(section.name for section in self.sections)
        raise InputError(f"There is no section {name!r}. There are {names}.")


def analyze(
    answers: Answers,
    settings: Settings | None = None,
    *,
    sections: Sequence[str] = (),
    before: More | None = None,
    after: More | None = None,
    on_section: OnSection = lambda name, done, total: None,
) -> Analysis:
    """Run the analyses; where nothing can be computed the section has a gap, and the rest goes on.

    Args:
        answers: see `Answers.of` and `memeloc.analyze.reading`.
        settings: seed, repetitions and the like; those of the papers by default.
        sections: names of the sections to make; all by default.
        before, after: further sections, in front of those about answers and behind them; one of
            the name of such a section takes its place.
        on_section: called as each begins.

    Raises:
        InputError: there is no section of such a name.
        MissingError: a package of the extra `analyze` is missing.
    """
    chosen = settings or Settings()
    makers: dict[str, Callable[[], Section]] = {
        **(before or {}),
        **{_name(path): _maker(path, answers, chosen) for path in SECTIONS},
        **(after or {}),
    }
    unknown = [name for name in sections if name not in makers]
    if unknown:
        raise InputError(f"There is no section {unknown[0]!r}. There are {', '.join(makers)}.")
    wanted = [name for name in makers if not sections or name in sections]
    made = []
    for done, name in enumerate(wanted):
        on_section(name, done, len(wanted))
        made.append(_made(name, makers[name]))
    return Analysis(answers, chosen, tuple(made), answers.notes)


def _name(path: str) -> str:
    return path.partition(":")[2].replace("_", "-")


def _maker(path: str, answers: Answers, settings: Settings) -> Callable[[], Section]:
    """The section that `module:function` makes; its module is imported when it runs."""

    def make() -> Section:
        module, _, name = path.partition(":")
        if not answers.labels and name not in _WITHOUT_VOTES:
            raise InputError("no answer votes for a label")
        function: Callable[[Answers, Settings], Any] = getattr(import_module(module), name)
        section = function(answers, settings)
        assert isinstance(section, Section), path
        return section

    return make


def _made(name: str, make: Callable[[], Section]) -> Section:
    """The section, or one that says why there is none."""
    try:
        return make()
    except InputError as error:
        title = name.replace("-", " ").capitalize()
        return Section(name, title, gaps=(f"{title} could not be computed: {error}",))
