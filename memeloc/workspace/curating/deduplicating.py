"""Duplicates among what was collected. In: a workspace, settings. Out: pairs and verdicts, stored.

Hashes and embeddings are stored in batches as they are computed, so a run that was killed goes on
where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memeloc.curate.duplicates import hashing
from memeloc.curate.duplicates.dedup import Embedded, deduplicate, raw_text
from memeloc.curate.duplicates.grouping import DedupSettings
from memeloc.curate.pictures import map_pictures
from memeloc.curate.recipes import Recipe, load_recipe
from memeloc.curate.verdict import content_of
from memeloc.embedding import models as embedding
from memeloc.engine import PROCESSES, Engine
from memeloc.errors import InputError
from memeloc.items import Item, content_hash
from memeloc.settings import validate
from memeloc.workspace.curating.embedding import Embedding
from memeloc.workspace.curating.looking import looking
from memeloc.workspace.folder import Part, Phases, WorkspaceFolder, silent

_TASKS: tuple[embedding.Task, ...] = ("images", "texts")


class Deduplicating(Part):
    """Finding duplicates among what was collected."""

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
        A recipe's settings take the place of memeloc.toml's. `engine` spreads hashing and
        embedding; None is memeloc.toml's.

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
        models = {"images": images_model, "texts": texts_model}
        for task in _TASKS:
            configured = values.pop(f"{task}_model", None)
            models[task] = models[task] or configured
        tables = {task: values.pop(task, {}) for task in _TASKS}
        chosen = validate(DedupSettings, {**values, **settings}, "deduplication")
        missing = [task for task in _TASKS if not models[task]]
        engine = engine or workspace.engine
        jobs = jobs or engine.cpus()
        not_run, embedders = "", dict[embedding.Task, Embedding]()
        if missing:
            options = " and ".join(f"--{task}-model" for task in missing)
            not_run = f"no model is set: {options}, or {', '.join(f'{t}_model' for t in missing)}"
        else:
            embedders = {
                task: Embedding(store.computed, task, str(models[task]), tables[task], engine, jobs)
                for task in _TASKS
            }
        names: dict[str, str] = {task: model.name for task, model in embedders.items()}
        items = list(store.items.find())
        look = looking(store.computed, jobs, on_progress, engine) if chosen.copies else None
        hashes, unreadable = hash_items(workspace, items, jobs, on_progress, engine)
        result = deduplicate(
            items,
            chosen,
            hashes=hashes,
            judgements=store.curation.judgements("duplicates"),
            look=look,
            embed=_embedding(embedders, hashes, on_progress) if embedders else None,
            not_run=not_run,
            models=names,
            jobs=jobs,
        )
        contents = {item.id: content_hash(item) for item in items}
        pairs = [replace(pair, content=content_of(pair.ids, contents)) for pair in result.pairs]
        verdicts = [
            replace(verdict, content=verdict.content_of(contents)) for verdict in result.verdicts
        ]
        store.curation.add_pairs(pairs, {**chosen.model_dump(), "models": names})
        store.curation.add_verdicts(verdicts)
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


def _by_recipe(recipe: Recipe, values: Mapping[str, Any]) -> dict[str, Any]:
    """A recipe's settings, and of memeloc.toml's only the models, where the paper uses such."""
    if not recipe.duplicates:
        raise InputError(
            f"{recipe.paper} looks for no duplicates: leave this step out, or run memeloc dedup "
            "without --recipe and memeloc select with --filters dedup,..."
        )
    tables = {*_TASKS, *(f"{task}_model" for task in _TASKS)} if recipe.models else set()
    models = {name: value for name, value in values.items() if name in tables}
    return {**recipe.settings("dedup"), **models}


def hash_items(
    workspace: WorkspaceFolder,
    items: Sequence[Item],
    jobs: int,
    on_progress: Phases = silent,
    engine: Engine = PROCESSES,
) -> tuple[dict[str, int], dict[str, str]]:
    """The perceptual hashes of items' pictures, from the store or computed and stored there.

    By SHA-256; and, by item, why there is none.
    """
    files = {item.picture: item.path for item in items if item.picture and item.path is not None}
    computed = workspace.store.computed
    stored = computed.features(hashing.FEATURE, list(files))
    hashes = {sha: hashing.from_hex(value) for sha, value in stored.items()}
    missing = {sha: path for sha, path in files.items() if sha not in hashes}

    def keep(values: dict[str, int], unreadable: dict[str, str]) -> None:
        fresh = {sha: hashing.to_hex(value) for sha, value in values.items()}
        computed.add_features(hashing.FEATURE, fresh)
        on_progress("hashing", len(values) + len(unreadable), len(missing))

    hashed, problems = map_pictures(
        hashing.hash_picture, missing, jobs=jobs, shard_map=engine.map_shards, on_done=keep
    )
    hashes |= hashed
    unreadable = {item.id: problems[item.picture] for item in items if item.picture in problems}
    return hashes, unreadable


def _embedding(
    models: Mapping[embedding.Task, Embedding], hashes: Mapping[str, int], on_progress: Phases
) -> Callable[[Sequence[Item]], Embedded]:
    def embed(items: Sequence[Item]) -> Embedded:
        # A picture without a hash cannot be read.
        files = {item.picture: item.path for item in items if item.picture in hashes}
        texts = {text: text for item in items if (text := raw_text(item.parts))}
        return Embedded(
            pictures=models["images"].vectors(files, on_progress),
            texts=models["texts"].vectors(texts, on_progress),
        )

    return embed
