"""Curating. In: a workspace, what was collected. Out: verdicts, pairs, answers and selections.

Nothing is deleted: each step stores verdicts, pairs and answers, and the same step with other
settings takes the place of what it said before. Questions to people are in reviewing.py, the choice
of what is used in selecting.py, templates of pictures in matching.py.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.analyze.answers import COLUMNS, Answers, Settings
from memeloc.analyze.dataset import MEME_COLUMNS, describe
from memeloc.analyze.report import report_of
from memeloc.curate.duplicates.dedup import Embedded, deduplicate, raw_text
from memeloc.curate.duplicates.grouping import DedupSettings
from memeloc.curate.filters.topics import Mode, TopicMatcher, TopicSettings, nearest_topics
from memeloc.curate.protocol import DEFAULT, FilterContext, create, info, run_filter, to_judge
from memeloc.curate.recipes import Recipe, load_recipe
from memeloc.curate.selection import TOPICS
from memeloc.curate.verdict import PAIR, content_of
from memeloc.embedding.models import Task
from memeloc.engine import Engine
from memeloc.errors import InputError
from memeloc.items import Item, content_hash
from memeloc.locales.tags import listed_tags
from memeloc.model import SEPARATOR
from memeloc.ocr.transcript import NO_TEXT
from memeloc.reports.report import Report
from memeloc.settings import validate
from memeloc.workspace.computing import Embedding, hash_items, looking
from memeloc.workspace.folder import Part, Phases, silent
from memeloc.workspace.matching import Matching
from memeloc.workspace.reviewing import Reviewing
from memeloc.workspace.selecting import Selecting, open_table

if TYPE_CHECKING:
    import pandas as pd


_TASKS: tuple[Task, ...] = ("images", "texts")


class Describing(Part):
    """Description of the collected memes, for the report of an analysis."""

    def memes(self, question: str = "", *, selected: bool = False) -> pd.DataFrame:
        """Return finished memes and captions with those columns of `MEME_COLUMNS` that are known.

        `memeloc.analyze.dataset.describe` has the figures of such a table. Raise InputError if
        nothing was collected, no item has such labels, or nothing was selected.

        Args:
            question: the one whose labels are taken; the one that most items have by default.
            selected: only what was selected.
        """
        import pandas as pd

        items = [item for item in self._store.items.find() if item.kind != "template"]
        if selected:
            selection = self._store.curation.selection()
            if selection is None:
                raise InputError("Nothing was selected yet: run memeloc select.")
            chosen = set(selection.items)
            items = [item for item in items if item.id in chosen]
        if not items:
            raise InputError("nothing was collected, so there are no memes to describe")
        counts = Counter(name for item in items for name in item.labels)
        question = question or min(counts, key=lambda name: (-counts[name], name), default="")
        if question and question not in counts:
            raise InputError(f"no collected meme has labels of a question {question[:60]!r}")
        columns, rows = open_table(self._workspace, "templates")
        place = [column.name for column in columns].index("keyword")
        keywords = {str(row[0]): str(row[place]) for row in rows}
        transcripts = self._store.transcripts.all()

        def cells(item: Item) -> tuple[str, ...]:
            text, read = SEPARATOR.join(item.parts), transcripts.get(item.id)
            marks = [mark for mark in (read.marks if read else ()) if mark != NO_TEXT]
            return (
                item.id,
                text,
                item.language or (read.language if read and text else ""),
                str(item.details.get("dialect") or ""),
                item.labels.get(question, ""),
                item.origin.dataset or item.origin.source,
                str(item.details.get("keyword") or keywords.get(item.parent, "")),
                str(item.details.get("split") or ""),
                item.path.suffix.lstrip(".").lower() if item.path else "",
                item.created or (str(item.year.year) if item.year else ""),
                "" if text or read is None else ", ".join(marks) or NO_TEXT,
            )

        memes = pd.DataFrame([cells(item) for item in items], columns=list(MEME_COLUMNS))
        return memes.loc[:, (memes != "").any()]

    def analyze(
        self, question: str = "", *, selected: bool = False, settings: Settings | None = None
    ) -> Report:
        """Return the report of what was collected, by itself; raise InputError as `memes`."""
        import pandas as pd

        memes = self.memes(question, selected=selected)
        nobody = Answers.of(pd.DataFrame(columns=list(COLUMNS)))
        return report_of(nobody, describe(memes), settings)


class Curating(Describing, Matching, Reviewing, Selecting):
    """Deduplicating, filtering, reviewing, selecting and describing what was collected.

    Settings of memeloc.toml (the table `curate`) hold where none are given; a recipe's settings
    take the place of memeloc.toml's.
    """

    def deduplicate(
        self,
        settings: Mapping[str, Any],
        *,
        recipe: str = "",
        images_model: str | None = None,
        texts_model: str | None = None,
        jobs: int | None = None,
        engine: Engine | None = None,
        on_progress: Phases = silent,
    ) -> dict[str, Any]:
        """Find duplicates among what was collected; store pairs and verdicts.

        Return by name what each of the `stages` did to each kind of item; the `duplicates`, which
        go (`item`, `reason`, `kept`, which stays, and what was measured); the pairs
        (`first|second`) that go `to_a_person`, with `stage`, `scores` and `reason`; the
        `contradictions`, pairs that people called the same and that their other decisions hold
        apart; why pictures are `unreadable`, by item; of a `recipe` every setting, and where the
        paper states it; and how many pictures are `unread`, so that only people tell them apart.

        `settings` are those of `DedupSettings`; models embed, as KIND:WHERE (onnx:resnet50.onnx).
        `engine` spreads hashing and embedding; None is memeloc.toml's.

        Raises:
            InputError: a setting is wrong, a model cannot be loaded, or the paper of the recipe
                looks for no duplicates.
            MissingError: what the settings need is not installed.
        """
        workspace, store = self._workspace, self._store
        values = dict(workspace.settings.curate.get("dedup", {}))
        after = load_recipe(recipe) if recipe else None
        if after is not None:
            values = _by_recipe(after, values)
        models: dict[Task, Any] = {"images": images_model, "texts": texts_model}
        for task in _TASKS:
            configured = values.pop(f"{task}_model", None)
            models[task] = models[task] or configured
        tables = {task: values.pop(task, {}) for task in _TASKS}
        chosen = validate(DedupSettings, {**values, **settings}, "deduplication")
        missing = [task for task in _TASKS if not models[task]]
        engine = engine or workspace.engine
        jobs = jobs or engine.cpus()
        not_run = f"no model is set: {' and '.join(f'{task}_model' for task in missing)}"
        embedders: dict[Task, Embedding] = {}
        for task in _TASKS if not missing else ():
            embedders[task] = Embedding(
                store.computed, task, str(models[task]), tables[task], engine, jobs
            )
        names: dict[str, str] = {task: model.name for task, model in embedders.items()}
        items = list(store.items.find())
        look = looking(store.computed, jobs, on_progress, engine) if chosen.copies else None
        hashes, unreadable = hash_items(store.computed, items, jobs, on_progress, engine)

        def embed(items: Sequence[Item]) -> Embedded:
            # A picture without a hash cannot be read.
            files = {item.picture: item.path for item in items if item.picture in hashes}
            texts = {text: text for item in items if (text := raw_text(item.parts))}
            return Embedded(
                pictures=embedders["images"].vectors(files, on_progress),
                texts=embedders["texts"].vectors(texts, on_progress),
            )

        result = deduplicate(
            items,
            chosen,
            hashes=hashes,
            judgements=store.curation.judgements("duplicates"),
            look=look,
            embed=embed if embedders else None,
            not_run=not_run,
            models=names,
            jobs=jobs,
        )
        contents = {item.id: content_hash(item) for item in items}
        pairs = [replace(pair, content=content_of(pair.ids, contents)) for pair in result.pairs]
        store.curation.add_pairs(pairs, {**chosen.model_dump(), "models": names})
        store.curation.add_verdicts(
            [replace(verdict, content=verdict.content_of(contents)) for verdict in result.verdicts]
        )
        return {
            "stages": result.stages,
            "duplicates": [
                {"item": verdict.item, "reason": verdict.reason, **verdict.evidence}
                for verdict in result.verdicts
                if verdict.verdict == "drop"
            ],
            "to_a_person": [
                {
                    "pair": pair.subject,
                    "stage": pair.stage,
                    "scores": {name: float(score) for name, score in pair.scores.items()},
                    "reason": pair.reason,
                }
                for pair in result.pairs
                if pair.outcome == "ask"
            ],
            "contradictions": result.contradictions,
            "unreadable": unreadable,
            "recipe": after.use({"dedup": settings}) if after else None,
            "unread": store.items.count_unread(),
        }

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
        dry_run: bool = False,
        on_progress: Phases = silent,
    ) -> dict[str, Any]:
        """Judge collected items; store a verdict each. What was judged before is passed over.

        Return of the `filters` how each went (see `memeloc.curate.protocol.run_filter`), what a
        language model was asked and its `cost`, in words, and with a `recipe` every setting, and
        where the paper states it. In a `dry_run` nothing is judged: of the `filters` that is how
        many items each has `to_judge`, and what it would ask a `model`.

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
        workspace, store = self._workspace, self._store
        curation, engine = store.curation, engine or workspace.engine
        chosen = self._filter_settings(names, settings or {}, languages, recipe)
        runs: list[dict[str, Any]] = []
        with self._open_model(model, budget) as client:
            items = list(store.items.find())
            context = FilterContext(
                templates={item.id: item for item in items if item.kind == "template"},
                collected=items,
                languages=tuple(each.tag for each in (workspace.source, *workspace.languages)),
                source_language=workspace.source.tag,
                locales=workspace.locales,
                folder=workspace.root or Path(),
                transcripts=store.transcripts.all(),
                features=store.computed.features,
                add_features=store.computed.add_features,
                judgements=curation.judgements,
                model=client,
                jobs=jobs or engine.cpus(),
                shard_map=engine.map_shards,
            )
            for filter_ in [create(name, values, context) for name, values in chosen.items()]:
                before = curation.verdicts(filter_.name)
                if dry_run:
                    todo = to_judge(filter_, items, {} if again else before)
                    ask = getattr(filter_, "plan", None)
                    plan = {"to_judge": len(todo), "model": ask(todo) if ask and todo else None}
                    runs.append({"filter": filter_.name, **plan})
                    continue
                concerned = [item for item in items if item.kind in filter_.kinds]
                on_done = partial(_report, on_progress, filter_.name, len(concerned))
                add = curation.add_verdicts
                runs.append(
                    run_filter(filter_, concerned, before, add, again=again, on_done=on_done)
                )
            cost = client.spent.line() if client is not None and client.spent.requests else ""
        if dry_run:
            return {"filters": runs, "dry_run": True}
        use = None
        if recipe:
            after, changed = load_recipe(recipe), {}
            for name, values in chosen.items():
                stated = after.settings(name)
                changed[name] = {k: v for k, v in values.items() if stated.get(k) != v}
            use = after.use(changed)
        return {"filters": runs, "cost": cost, "recipe": use}

    def explain(self, item: str) -> dict[str, Any]:
        """Return the newest verdict of each filter and answers of each person about an item.

        `earlier` ones are about another picture or text that it had before, and do not count.
        """
        collected = next(iter(self._store.items.find(ids=[item])), None)
        if collected is None:
            message = f"There is no item {item[:100]!r}; `memeloc filter --json` counts them."
            raise InputError(message)
        curation = self._store.curation
        counted = {(answer.subject, answer.content) for answer in curation.judgements()}
        answers = [
            (answer, (answer.subject, answer.content) in counted)
            for answer in curation.judgements(earlier=True)
            if item in answer.subject.split(PAIR)
        ]
        return {
            "item": item,
            "kind": collected.kind,
            "name": collected.name,
            "parts": collected.parts,
            "verdicts": list(curation.verdicts().get(item, {}).values()),
            "people": [answer for answer, counts in answers if counts],
            "earlier_verdicts": curation.earlier_verdicts(item),
            "earlier_people": [answer for answer, counts in answers if not counts],
        }

    def without_topic(
        self, *, file: str | None = None, keyword: Mode | None = None, most: int = 3
    ) -> dict[str, Any]:
        """Return the templates in whose name no keyword matches, with their `nearest` topics.

        They are `without` a topic, those with most captions first; `templates` counts all.

        Args:
            file, keyword: as the filter's settings of these names; None as memeloc.toml has them.
            most: topics of a template.
        """
        asked = {"file": file, "keyword": keyword}
        changed = {name: value for name, value in asked.items() if value is not None}
        configured = self._workspace.settings.curate.get(TOPICS, {})
        settings = validate(TopicSettings, {**configured, **changed}, "the filter topics")
        matcher = TopicMatcher(settings.topics(self._workspace.root or Path()))
        templates = list(self._store.items.find("template"))
        captions: dict[str, list[str]] = defaultdict(list)
        for caption in self._store.items.find("caption"):
            captions[caption.parent].append(" ".join(caption.parts))
        rows: list[dict[str, Any]] = [
            {
                "item": item.id,
                "name": item.name,
                "captions": len(captions[item.id]),
                "nearest": nearest_topics(item.name, captions[item.id], matcher, most),
            }
            for item in templates
            if not matcher.match(settings.text(item))
        ]
        rows.sort(key=lambda row: -row["captions"])
        return {"templates": len(templates), "without": rows}

    def _filter_settings(
        self,
        names: Sequence[str],
        settings: Mapping[str, Mapping[str, Any]],
        languages: Sequence[str],
        recipe: str,
    ) -> dict[str, dict[str, Any]]:
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


def _report(on_progress: Phases, name: str, total: int, more: int) -> None:
    on_progress(name, more, total)


def _by_recipe(recipe: Recipe, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe's settings, and memeloc.toml's models where the paper uses such."""
    if not recipe.duplicates:
        raise InputError(
            f"{recipe.paper} looks for no duplicates: leave this step out, or run memeloc dedup "
            "without --recipe and memeloc select with --filters dedup,..."
        )
    tables = {*_TASKS, *(f"{task}_model" for task in _TASKS)} if recipe.models else set()
    models = {name: value for name, value in values.items() if name in tables}
    return {**recipe.settings("dedup"), **models}
