"""`memeloc dedup`. In: collected items. Out: pairs and verdicts, stored; a table of the stages."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from memeloc.cli.output import Cell, print_json, progress, say, table

if TYPE_CHECKING:
    from pathlib import Path

    from memeloc.curate.dedup import Deduplicated, DedupSettings
    from memeloc.curate.embedding import Embedder, Vectors
    from memeloc.curate.likeness import Embedded
    from memeloc.items import Item
    from memeloc.store import Workspace

_BATCH = 256
"""Hashes that are stored at a time; what is stored a killed run need not do again."""
_EMBEDDED = 32
"""Things that a model is given, and vectors that are stored, at a time."""


def dedup(
    rule: Annotated[
        str | None,
        typer.Option(
            metavar="text|paper",
            help="What makes near pictures duplicates: the same text too, or nothing more.",
            show_default="text",
        ),
    ] = None,
    distance: Annotated[
        int | None,
        typer.Option(
            metavar="BITS", help="Bits of 64 in which hashes may differ.", show_default="5"
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="largest|oldest|votes|first",
            help="Which of several stays.",
            show_default="largest",
        ),
    ] = None,
    scope: Annotated[
        str | None,
        typer.Option(
            metavar="template|all",
            help="Whether captions are compared within a template or all with all.",
            show_default="template",
        ),
    ] = None,
    images_model: Annotated[
        str | None,
        typer.Option(metavar="KIND:WHERE", help="Model of pictures, as onnx:resnet50.onnx."),
    ] = None,
    texts_model: Annotated[
        str | None,
        typer.Option(metavar="KIND:WHERE", help="Model of texts, as onnx:minilm/model.onnx."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes for pictures.", show_default="one a processor"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Find duplicates among what was collected: say of each which one stays, or ask a person.

    Pictures go through three stages: the same file, near perceptual hashes with the same text, and
    likeness by embedding models where these are set. Captions are compared with those on the same
    template. Nothing is deleted: the same command with other settings says anew what goes. Other
    settings stand in the table curate.dedup of memeloc.toml.

    \b
    Example:
      memeloc dedup
      memeloc dedup --keep oldest --images-model onnx:resnet50.onnx --texts-model onnx:minilm.onnx
    """
    from memeloc.store import Workspace

    given = {"rule": rule, "distance": distance, "keep": keep, "scope": scope}
    models = {"images": images_model, "texts": texts_model}
    with Workspace.find() as workspace:
        told = dict(workspace.settings.curate.get("dedup", {}))
        for task in models:
            configured = told.pop(f"{task}_model", None)
            models[task] = models[task] or configured
        tables = {task: told.pop(task, {}) for task in models}
        told.update({name: value for name, value in given.items() if value is not None})
        done, unreadable = _run(workspace, told, models, tables, jobs)
    if as_json:
        print_json(_as_json(done, unreadable))
    else:
        _show(done)
    for subject in done.contradictions:
        first, _, second = subject.partition("|")
        say(
            f"{first} and {second} are called the same by people who also call one of their group "
            "different; they are held apart."
        )
    for name, problem in list(unreadable.items())[:10]:
        say(f"memeloc: {name}: {problem}")
    if len(unreadable) > 10:
        say(f"memeloc: {len(unreadable) - 10} more pictures cannot be read.")
    asked = sum(line.asked for line in done.stages)
    if asked and not as_json:
        print(
            f"Next: memeloc review export duplicates --person NAME, for {asked:,} pairs that a "
            "person looks at"
        )


def _run(
    workspace: Workspace,
    told: Mapping[str, Any],
    models: Mapping[str, str | None],
    tables: Mapping[str, Mapping[str, Any]],
    jobs: int | None,
) -> tuple[Deduplicated, dict[str, str]]:
    from memeloc.curate.dedup import DedupSettings, deduplicate
    from memeloc.curate.protocol import read_settings
    from memeloc.engine import usable_cpus

    settings = read_settings(DedupSettings, told, "dedup")
    jobs = jobs or usable_cpus()
    embedders, not_run = _embedders(models, tables)
    items = list(workspace.items())
    hashes, unreadable = hash_items(workspace, items, jobs)
    judgements = workspace.judgements("duplicates")
    done = deduplicate(
        items,
        settings,
        hashes=hashes,
        judgements=judgements,
        embed=_embedding(workspace, embedders, hashes) if embedders else None,
        not_run=not_run,
        models={task: model.name for task, model in embedders.items()},
        jobs=jobs,
    )
    workspace.add_pairs(done.pairs, _stored(settings, embedders))
    workspace.add_verdicts(done.verdicts)
    return done, unreadable


def hash_items(
    workspace: Workspace, items: Sequence[Item], jobs: int
) -> tuple[dict[str, int], dict[str, str]]:
    """The perceptual hashes of items' pictures, from the workspace or computed and stored there.

    Returns:
        Hashes by SHA-256, and, by item, why there is none.
    """
    from memeloc.curate import hashing

    files: dict[str, Path] = {
        item.picture: item.path for item in items if item.picture and item.path is not None
    }
    known = workspace.features(hashing.FEATURE, list(files))
    hashes = {sha: hashing.from_hex(value) for sha, value in known.items()}
    fresh: dict[str, str] = {}
    problems: dict[str, str] = {}

    def store() -> None:
        workspace.add_features(hashing.FEATURE, fresh)
        fresh.clear()

    missing = {sha: path for sha, path in files.items() if sha not in hashes}
    with progress("hashing", len(missing)) as bar:

        def keep(several: Sequence[hashing.HashedPicture]) -> None:
            for one in several:
                if one.value is None:
                    problems[one.key] = one.problem
                else:
                    hashes[one.key] = one.value
                    fresh[one.key] = hashing.to_hex(one.value)
            if len(fresh) >= _BATCH:
                store()
            bar.advance(len(several))

        # A process costs more to start than a few pictures to hash.
        few = len(missing) < 200
        hashing.hash_pictures(missing, jobs=1 if few else jobs, on_done=keep)
    store()
    unreadable = {item.id: problems[item.picture] for item in items if item.picture in problems}
    return hashes, unreadable


def _embedders(
    models: Mapping[str, str | None], tables: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Embedder], str]:
    """The two models, or why the stage of likeness does not run."""
    from memeloc.curate.embedding import create

    missing = [task for task, spec in models.items() if not spec]
    if missing:
        options = " and ".join(f"--{task}-model" for task in missing)
        return {}, f"no model is set: {options}, or {', '.join(f'{one}_model' for one in missing)}"
    tasks: tuple[Literal["images", "texts"], ...] = ("images", "texts")
    return {task: create(task, str(models[task]), tables[task]) for task in tasks}, ""


def _embedding(
    workspace: Workspace, embedders: Mapping[str, Embedder], hashes: Mapping[str, int]
) -> Callable[[Sequence[Item]], Embedded]:
    from memeloc.curate.likeness import Embedded, raw_text

    def embed(items: Sequence[Item]) -> Embedded:
        # What has no hash cannot be read.
        files = {item.picture: item.path for item in items if item.picture in hashes}
        texts = {text: text for item in items if (text := raw_text(item.parts))}
        return Embedded(
            pictures=_vectors(workspace, embedders["images"], files, "embedding pictures"),
            texts=_vectors(workspace, embedders["texts"], texts, "embedding texts"),
        )

    return embed


def _vectors(
    workspace: Workspace, model: Embedder, things: Mapping[str, Any], what: str
) -> dict[str, Vectors]:
    """Vectors by key, from the workspace or computed and stored there."""
    from memeloc.curate.embedding import pack, unpack

    feature = f"embedding-{model.name}"
    # A feature belongs to a SHA-256; that of a text is its own.
    shas = {key: _sha(key) for key in things}
    known = workspace.features(feature, list(shas.values()))
    vectors = {key: unpack(known[sha]) for key, sha in shas.items() if sha in known}
    missing = [key for key in things if key not in vectors]
    with progress(what, len(missing), unit="") as bar:
        for start in range(0, len(missing), _EMBEDDED):
            keys = missing[start : start + _EMBEDDED]
            rows = model.embed([things[key] for key in keys])
            vectors.update(zip(keys, rows, strict=True))
            workspace.add_features(feature, {shas[key]: pack(vectors[key]) for key in keys})
            bar.advance(len(keys))
    return vectors


def _sha(key: str) -> str:
    is_sha = len(key) == 64 and not set(key) - set("0123456789abcdef")
    return key if is_sha else hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _stored(settings: DedupSettings, embedders: Mapping[str, Embedder]) -> dict[str, Any]:
    return {
        **settings.model_dump(),
        "models": {task: model.name for task, model in embedders.items()},
    }


_STAGES = {
    "people": "decided by people",
    "bytes": "same file",
    "hash": "near hash",
    "likeness": "alike by models",
    "caption": "same text",
}


def _show(done: Deduplicated) -> None:
    rows: list[list[Cell]] = [
        [line.kind, _STAGES[line.stage], line.came, line.duplicates, line.asked, line.not_run]
        for line in done.stages
    ]
    columns = ["kind", "stage", "in", "duplicates", "to a person", "did not run"]
    table("Duplicates", columns, rows)


def _as_json(done: Deduplicated, unreadable: Mapping[str, str]) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "stages": [asdict(line) for line in done.stages],
        "duplicates": [
            {"item": one.item, "reason": one.reason, **one.evidence}
            for one in done.verdicts
            if one.verdict == "drop"
        ],
        "to_a_person": [
            {"pair": one.subject, "stage": one.stage, "scores": one.scores, "reason": one.reason}
            for one in done.pairs
            if one.outcome == "ask"
        ],
        "contradictions": done.contradictions,
        "unreadable": dict(unreadable),
    }
