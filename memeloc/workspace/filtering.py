"""Filters over what was collected. In: a workspace, filters, settings. Out: verdicts, stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from memeloc.curate import registry
from memeloc.curate.duplicates.pairs import PAIR
from memeloc.curate.protocol import FilterContext
from memeloc.curate.run import Tally, run_filter, to_judge
from memeloc.curate.verdict import Verdict
from memeloc.engine import usable_cpus
from memeloc.errors import InputError
from memeloc.language_models import LanguageModel, Plan
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.language_model import open_model
from memeloc.workspace.part import Part, Phases, silent


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """How many items got a verdict for a reason."""

    verdict: str
    reason: str
    items: int


@dataclass(frozen=True, slots=True)
class FilterRun:
    """How one filter's run went.

    Attributes:
        filter: its name.
        judged: how many items it judged now.
        skipped: how many it had judged before under the same settings.
        keep, drop, ask: how many items have each verdict, judged now or before.
        reasons: the same by verdict and reason.
        failure: why it stopped before the end, a sentence; empty when it did not.
    """

    filter: str
    judged: int
    skipped: int
    keep: int
    drop: int
    ask: int
    reasons: list[ReasonCount]
    failure: str

    @classmethod
    def of(cls, tally: Tally) -> FilterRun:
        """What a tally counted."""
        return cls(
            tally.filter,
            tally.judged,
            tally.skipped,
            tally.count("keep"),
            tally.count("drop"),
            tally.count("ask"),
            [ReasonCount(*key, count) for key, count in sorted(tally.outcomes.items())],
            tally.failure,
        )


@dataclass(frozen=True, slots=True)
class FilterResult:
    """How a run of filters went.

    Attributes:
        filters: a run each, in their order.
        cost: what a language model was asked and cost, a sentence; empty when none was.
    """

    filters: list[FilterRun]
    cost: str = ""


@dataclass(frozen=True, slots=True)
class FilterPlan:
    """What a run of one filter would do.

    Attributes:
        filter: its name.
        to_judge: how many items it would judge.
        model: what a language model would be asked; None when none would be.
    """

    filter: str
    to_judge: int
    model: Plan | None


@dataclass(frozen=True, slots=True)
class FilterPlans:
    """What a run of filters would do; nothing was judged."""

    filters: list[FilterPlan]
    dry_run: bool = True


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """What a person answered about an item."""

    question: str
    person: str
    answer: str
    comment: str


@dataclass(frozen=True, slots=True)
class ItemVerdicts:
    """All verdicts and answers about one item.

    Attributes:
        item: its id.
        kind, name, parts: as in `memeloc.items.Item`.
        verdicts: the newest of each filter.
        people: the newest answers of each person.
    """

    item: str
    kind: str
    name: str
    parts: tuple[str, ...]
    verdicts: list[Verdict]
    people: list[PersonAnswer]


class Filtering(Part):
    """Judging what was collected."""

    def filter_names(self, names: Sequence[str]) -> list[str]:
        """The filters that `filter` runs: those named, else those of memeloc.toml."""
        return _names(self._workspace, names)

    def filter(
        self,
        names: Sequence[str] = (),
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        languages: Sequence[str] = (),
        again: bool = False,
        model: str = "",
        budget: float | None = None,
        jobs: int | None = None,
        on_progress: Phases = silent,
    ) -> FilterResult:
        """Judge collected items; store a verdict each. What was judged before is passed over.

        Args:
            names: of filters; none are those of memeloc.toml.
            settings: by filter and setting.
            languages: tags of those to keep, for filters that look at languages.
            again: judge also what was judged before.
            model: name of the language model, for filters that ask one.
            budget: the most that it may cost.
            jobs: processes for pictures; None is one a usable processor.
            on_progress: gets the filter's name and how many more items are done.

        Raises:
            InputError: there is no such filter, or a setting is wrong.
        """
        workspace = self._workspace
        curation = workspace.store.curation
        chosen = _settings(workspace, names, settings or {}, languages)
        tallies: list[Tally] = []
        with open_model(workspace, model, budget) as client:
            context = filter_context(workspace, jobs=jobs, model=client)
            filters = [registry.create(name, values, context) for name, values in chosen.items()]
            items = list(workspace.store.items.find())
            for filter_ in filters:
                mine = [item for item in items if item.kind in filter_.kinds]
                report = partial(_report, on_progress, filter_.name, len(mine))
                before = curation.verdicts(filter_.name)
                tallies.append(
                    run_filter(
                        filter_, mine, before, curation.add_verdicts, again=again, on_done=report
                    )
                )
            cost = client.spent.line() if client is not None and client.spent.requests else ""
        return FilterResult([FilterRun.of(tally) for tally in tallies], cost)

    def plan_filters(
        self,
        names: Sequence[str] = (),
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        languages: Sequence[str] = (),
        again: bool = False,
        model: str = "",
    ) -> FilterPlans:
        """What `filter` would judge, and ask a model; nothing is asked or stored."""
        workspace = self._workspace
        chosen = _settings(workspace, names, settings or {}, languages)
        plans = []
        with open_model(workspace, model) as client:
            context = filter_context(workspace, model=client)
            items = list(workspace.store.items.find())
            for name, values in chosen.items():
                filter_ = registry.create(name, values, context)
                before = {} if again else workspace.store.curation.verdicts(name)
                todo = to_judge(filter_, items, before)
                plan = getattr(filter_, "plan", None)
                plans.append(
                    FilterPlan(name, len(todo), plan(todo) if plan is not None and todo else None)
                )
        return FilterPlans(plans)

    def explain(self, item: str) -> ItemVerdicts:
        """All verdicts and answers about an item.

        Raises:
            InputError: there is no such item.
        """
        workspace = self._workspace
        collected = next(iter(workspace.store.items.find(ids=[item])), None)
        if collected is None:
            raise InputError(
                f"There is no item {item[:100]!r}; `memeloc filter --json` counts them."
            )
        curation = workspace.store.curation
        return ItemVerdicts(
            item,
            collected.kind,
            collected.name,
            collected.parts,
            list(curation.verdicts().get(item, {}).values()),
            [
                PersonAnswer(answer.question, answer.person, answer.answer, answer.comment)
                for answer in curation.judgements()
                if item in answer.subject.split(PAIR)
            ],
        )


def filter_context(
    workspace: WorkspaceFolder, *, jobs: int | None = None, model: LanguageModel | None = None
) -> FilterContext:
    """What filters work with, from the workspace.

    Args:
        workspace: the workspace.
        jobs: processes; None is one a usable processor.
        model: a language model, for filters that ask one.
    """
    store = workspace.store
    source = workspace.source.tag
    return FilterContext(
        templates={item.id: item for item in store.items.find("template")},
        languages=tuple(dict.fromkeys((source, *(lang.tag for lang in workspace.languages)))),
        source_language=source,
        locales=workspace.locales,
        folder=workspace.root or Path(),
        transcripts=store.transcripts.all(),
        features=store.computed.features,
        add_features=store.computed.add_features,
        judgements=store.curation.judgements,
        model=model,
        jobs=jobs or usable_cpus(),
    )


def _report(on_progress: Phases, name: str, total: int, more: int) -> None:
    on_progress(name, more, total)


def _names(workspace: WorkspaceFolder, names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names or workspace.settings.curate.get("filters", registry.DEFAULT)))


def _settings(
    workspace: WorkspaceFolder,
    names: Sequence[str],
    settings: Mapping[str, Mapping[str, Any]],
    languages: Sequence[str],
) -> dict[str, dict[str, Any]]:
    """The filters to run, in their order, and their settings."""
    configured = workspace.settings.curate
    chosen = _names(workspace, names)
    for name in settings:
        if name not in chosen:
            raise InputError(f"the filter {name} does not run now")
    values = {name: {**configured.get(name, {}), **settings.get(name, {})} for name in chosen}
    if languages:
        takers = [name for name in chosen if "languages" in registry.info(name).settings]
        if not takers:
            raise InputError(f"none of {', '.join(chosen)} looks at languages")
        for name in takers:
            values[name]["languages"] = tuple(languages)
    return values
