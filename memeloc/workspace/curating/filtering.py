"""Filters over what was collected. In: a workspace, filters, settings. Out: verdicts, stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from memeloc.curate.protocol import DEFAULT, FilterContext, create, info, run_filter, to_judge
from memeloc.curate.recipes import load_recipe
from memeloc.curate.verdict import PAIR
from memeloc.engine import Engine
from memeloc.errors import InputError
from memeloc.items import Item
from memeloc.language_models import LanguageModel
from memeloc.locales.tags import listed_tags
from memeloc.workspace.folder import Part, Phases, silent


class Filtering(Part):
    """Judging what was collected."""

    def filter_names(self, names: Sequence[str], recipe: str = "") -> list[str]:
        """Return the filters that run: those named, else a recipe's or those of memeloc.toml."""
        configured = self._workspace.settings.curate.get("filters", DEFAULT)
        if recipe:
            configured = load_recipe(recipe).filters
        return list(dict.fromkeys(names or configured))

    def filter(
        self,
        names: Sequence[str] = (),
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        recipe: str = "",
        languages: Sequence[str] = (),
        again: bool = False,
        model: str = "",
        budget: float | None = None,
        jobs: int | None = None,
        engine: Engine | None = None,
        on_progress: Phases = silent,
    ) -> dict[str, Any]:
        """Judge collected items; store a verdict each. What was judged before is passed over.

        Return of the `filters` how each went (see `memeloc.curate.protocol.run_filter`), what a
        language model was asked and its `cost`, in words, and with a `recipe` every setting, and
        where the paper states it.

        Args:
            names: of filters; none are those of memeloc.toml.
            settings: by filter and setting.
            recipe: its filters run, with its settings in the place of memeloc.toml's.
            languages: to keep, for filters that look at languages.
            again: judge also what was judged before.
            model: name of the language model, for filters that ask one.
            budget: the most that it may cost.
            engine: what spreads the work; None is memeloc.toml's.
        """
        curation = self._store.curation
        chosen = self._settings(names, settings or {}, languages, recipe)
        runs = []
        with self._open_model(model, budget) as client:
            items = list(self._store.items.find())
            context = self._context(items, jobs=jobs, engine=engine, model=client)
            filters = [create(name, values, context) for name, values in chosen.items()]
            for filter_ in filters:
                name, mine = filter_.name, [item for item in items if item.kind in filter_.kinds]
                on_done = partial(_report, on_progress, name, len(mine))
                before, store = curation.verdicts(name), curation.add_verdicts
                runs.append(run_filter(filter_, mine, before, store, again=again, on_done=on_done))
            cost = client.spent.line() if client is not None and client.spent.requests else ""
        use = load_recipe(recipe).use(_given(chosen, recipe)) if recipe else None
        return {"filters": runs, "cost": cost, "recipe": use}

    def plan_filters(
        self,
        names: Sequence[str] = (),
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        recipe: str = "",
        languages: Sequence[str] = (),
        again: bool = False,
        model: str = "",
    ) -> list[dict[str, Any]]:
        """Return how many items each filter would judge, and ask a model; nothing is stored."""
        chosen = self._settings(names, settings or {}, languages, recipe)
        plans = []
        with self._open_model(model) as client:
            items = list(self._store.items.find())
            context = self._context(items, model=client)
            for name, values in chosen.items():
                filter_ = create(name, values, context)
                before = {} if again else self._store.curation.verdicts(name)
                todo = to_judge(filter_, items, before)
                ask = getattr(filter_, "plan", None)
                asked = ask(todo) if ask and todo else None
                plans.append({"filter": name, "to_judge": len(todo), "model": asked})
        return plans

    def explain(self, item: str) -> dict[str, Any]:
        """Return the newest verdict of each filter and answers of each person about an item.

        `earlier` ones are about another picture or text that it had before, and do not count.
        """
        collected = next(iter(self._store.items.find(ids=[item])), None)
        if collected is None:
            raise InputError(
                f"There is no item {item[:100]!r}; `memeloc filter --json` counts them."
            )
        curation = self._store.curation
        people = curation.judgements()
        counted = {(answer.subject, answer.content) for answer in people}
        mine = [
            answer
            for answer in curation.judgements(earlier=True)
            if item in answer.subject.split(PAIR)
        ]
        return {
            "item": item,
            "kind": collected.kind,
            "name": collected.name,
            "parts": collected.parts,
            "verdicts": list(curation.verdicts().get(item, {}).values()),
            "people": [each for each in mine if (each.subject, each.content) in counted],
            "earlier_verdicts": curation.earlier_verdicts(item),
            "earlier_people": [
                each for each in mine if (each.subject, each.content) not in counted
            ],
        }

    def _context(
        self,
        items: Sequence[Item],
        *,
        jobs: int | None = 1,
        engine: Engine | None = None,
        model: LanguageModel | None = None,
    ) -> FilterContext:
        workspace, store = self._workspace, self._store
        engine = engine or workspace.engine
        languages = (workspace.source, *workspace.languages)
        return FilterContext(
            templates={item.id: item for item in items if item.kind == "template"},
            collected=items,
            languages=tuple(locale.tag for locale in languages),
            source_language=workspace.source.tag,
            locales=workspace.locales,
            folder=workspace.root or Path(),
            transcripts=store.transcripts.all(),
            features=store.computed.features,
            add_features=store.computed.add_features,
            judgements=store.curation.judgements,
            model=model,
            jobs=jobs or engine.cpus(),
            shard_map=engine.map_shards,
        )

    def _settings(
        self,
        names: Sequence[str],
        settings: Mapping[str, Mapping[str, Any]],
        languages: Sequence[str],
        recipe: str,
    ) -> dict[str, dict[str, Any]]:
        """Return the filters to run, in their order, with their settings."""
        configured: Mapping[str, Any] = self._workspace.settings.curate
        chosen = self.filter_names(names, recipe)
        if recipe:
            configured = {name: load_recipe(recipe).settings(name) for name in chosen}
        for name in settings:
            if name not in chosen:
                raise InputError(f"the filter {name} does not run now")
        values = {name: {**configured.get(name, {}), **settings.get(name, {})} for name in chosen}
        if languages:
            takers = [name for name in chosen if "languages" in info(name)["settings"]]
            if not takers:
                raise InputError(f"none of {', '.join(chosen)} looks at languages")
            for name in takers:
                values[name]["languages"] = tuple(listed_tags(languages))
        return values


def _given(settings: Mapping[str, Mapping[str, Any]], recipe: str) -> dict[str, dict[str, Any]]:
    """Return the settings that differ from a recipe's, by filter."""
    stated = {name: load_recipe(recipe).settings(name) for name in settings}
    return {
        name: {key: value for key, value in values.items() if stated[name].get(key) != value}
        for name, values in settings.items()
    }


def _report(on_progress: Phases, name: str, total: int, more: int) -> None:
    on_progress(name, more, total)
