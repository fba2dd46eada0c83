"""`memeloc render`. In: a table of captions. Out: the parallel set, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli import output
from memeloc.cli.options import (
    AsJson,
    EngineAddress,
    EngineName,
    FontFiles,
    Jobs,
    LocaleFolders,
    Strict,
    TakenCaptions,
    TemplateFolders,
    engine,
    languages,
)
from memeloc.cli.output import progress
from memeloc.cli.show import Table, as_plain, by_place, explain, show
from memeloc.counts import counted
from memeloc.workspace.acceptance import acceptance_sentences

if TYPE_CHECKING:
    from memeloc.engine.choosing import EngineSettings
    from memeloc.render.sets.parallel_set import Summary
    from memeloc.store.records import Accept

_PROBLEMS = Table(
    "Problems of the pictures",
    lambda result: [(kind, count) for kind, count in result["problems_by_kind"].items() if count],
    by_place("problem", "pictures"),
)


def render(
    captions: Path | None = Argument(
        None,
        metavar="[TABLE]",
        help="CSV, JSON Lines or Parquet: meme_id, template, then a column a language. "
        "Without it, the workspace's captions.",
    ),
    langs: str = Option(
        "all", metavar="TAGS", help="Languages to render, as de,es,hi,zh; or all, for every column."
    ),
    out: str = Option(
        "out",
        metavar="DIR",
        help="Folder of pictures, manifest, page; or its address, as s3://bucket/set.",
    ),
    templates: TemplateFolders = None,
    kind: str = Option(
        "jpg", "--format", metavar="KIND", help="Picture files: jpg, png, webp or avif."
    ),
    to: str = Option(
        "files",
        "--to",
        metavar="LAYOUT",
        help="files; webdataset: DIR/shards, as tar files; or parquet: there, with pictures in it.",
    ),
    quality: int = Option(90, min=1, max=100, help="Of JPEG, WebP and AVIF."),
    max_side: int | None = Option(
        None, min=16, metavar="PIXELS", help="Scale larger pictures down to this side."
    ),
    jobs: Jobs = None,
    engine_name: EngineName = "",
    address: EngineAddress = "",
    font: FontFiles = None,
    parity: bool = Option(False, "--parity", help="Set a meme at one size in all its languages."),
    locales: LocaleFolders = None,
    source: str | None = Option(
        None,
        metavar="TAG",
        help="The language that sizes are compared with.",
        show_default="the table's first",
    ),
    taken: TakenCaptions = "any",
    strict: Strict = False,
    force: bool = Option(False, "--force", help="Render what is unchanged, too."),
    prune: bool = Option(
        False, "--prune", help="Remove pictures of earlier runs that the table has no caption for."
    ),
    as_json: AsJson = False,
) -> None:
    """Render a table of captions as a parallel set of pictures.

    Pictures go to DIR/LANG/TEMPLATE/MEME_ID.jpg, their proofs to DIR/manifest.parquet.
    DIR/index.html shows them all. Run again, it renders only what has changed; with other
    languages or another table it adds to the set, and what the table has no caption for stays,
    apart, until --prune. In a folder that is not memeloc's nothing is written over.
    What is wrong in the table is left out and named in DIR/skipped.csv.

    Example:
      memeloc render examples/starter/captions.csv --langs de,es,hi,zh --out out
      memeloc render captions.csv --langs all --templates my-pictures --parity
      memeloc render --langs hi        (in a workspace: its captions as they stand)
      memeloc render --captions accepted --out final
      memeloc render captions.csv --to webdataset --out shards-for-training
      memeloc render captions.csv --engine ray --address auto --out /shared/out
    """
    from memeloc.engine import fork_ahead
    from memeloc.render.encode import file_format
    from memeloc.render.sets.manifest import leave_out_pandas

    by = engine(engine_name, address, None if captions else _engine_settings())
    jobs = jobs or by.cpus()
    if output.is_program:
        leave_out_pandas()
        if jobs > 1 and not by.elsewhere:
            by = replace(by, map_shards=fork_ahead(jobs))
    with progress("Rendering", None) as bar:
        summary = _render(
            captions,
            out,
            languages=languages(langs),
            templates=templates or (),
            fonts=font or (),
            locales=locales or (),
            format=file_format(kind),
            to=to,
            quality=quality,
            max_side=max_side,
            jobs=jobs,
            parity=parity,
            strict=strict,
            force=force,
            prune=prune,
            source_language=source,
            taken=taken,
            on_progress=bar.report,
            engine=by,
        )
    explain("Note", [*summary.notes, *acceptance_sentences(summary.acceptance)])
    explain("Failed", summary.failures)
    explain(
        "Skipped",
        summary.input_problems,
        more=summary.input_kinds.total() - len(summary.input_problems),
        where=str(summary.skipped_file),
    )
    show(_fields(summary), _PROBLEMS, *_sentences(summary), as_json=as_json)
    if summary.failed or not summary.rendered + summary.unchanged:
        raise typer.Exit(1)


def _render(captions: Path | None, out: str, *, taken: Accept, **options: Any) -> Summary:
    if captions is None:
        with memeloc.Workspace.find() as workspace:
            return workspace.rendering.render(out, captions=taken, **options)
    if taken != "any":
        raise typer.BadParameter(
            "a table's captions have no states; without TABLE the workspace's are rendered",
            param_hint="--captions",
        )
    from memeloc.render.sets.parallel_set import render_table

    options["languages"] = options["languages"] or "all"
    options["progress"] = options.pop("on_progress")
    options["shard_map"] = options.pop("engine").map_shards
    return render_table(captions, out, **options)


def _engine_settings() -> EngineSettings:
    """The engine of the workspace's settings."""
    from memeloc.workspace.own_folders import FILE, workspace_folder
    from memeloc.workspace.settings import read_settings

    return read_settings(workspace_folder() / FILE).engine


def _fields(summary: Summary) -> dict[str, Any]:
    from memeloc.render.proof import PROBLEMS

    by_kind = sorted(PROBLEMS, key=lambda kind: -summary.problems[kind])
    return {
        "rendered": summary.rendered,
        "skipped": summary.skipped,
        "unchanged": summary.unchanged,
        "failed": summary.failed,
        "replaced": summary.replaced,
        "other_languages": summary.other_languages,
        "not_in_table": summary.not_in_table,
        "pruned": summary.pruned,
        "problems": summary.flawed,
        "problems_by_kind": {kind: summary.problems[kind] for kind in by_kind},
        "skipped_by_kind": dict(summary.input_kinds),
        "languages": list(summary.languages),
        "acceptance": as_plain(summary.acceptance),
        "seconds": round(summary.seconds, 3),
        "page": str(summary.page) if summary.page else None,
        "shards": str(summary.shards) if summary.shards else None,
        "manifest": str(summary.manifest),
    }


def _sentences(summary: Summary) -> Iterator[str]:
    speed = ""
    if summary.rendered and summary.seconds:
        speed = f", {counted(round(summary.rendered / summary.seconds), 'picture')} a second"
    done = [f"{counted(summary.rendered, 'picture')} rendered", f"{summary.unchanged:,} unchanged"]
    if summary.replaced:
        done[0] += f" ({summary.replaced:,} in the place of earlier ones)"
    if summary.skipped:
        done.append(f"{counted(summary.skipped, 'caption')} skipped")
    if summary.failed:
        done.append(f"{summary.failed:,} failed")
    yield (
        f"{', '.join(done)}, in {counted(len(summary.languages), 'language')}; "
        f"{summary.flawed:,} with problems ({summary.seconds:.1f} s{speed})."
    )
    yield from _earlier(summary)
    if summary.page:
        yield f"Look at them all: {summary.page}"
    if summary.shards:
        reader = "WebDataset" if summary.layout == "webdataset" else "Hugging Face's datasets"
        yield f"Shards, as {reader} reads them: {summary.shards}"
    if summary.example:
        yield f"One of them: {summary.example}"


def _earlier(summary: Summary) -> Iterator[str]:
    if summary.other_languages:
        pictures = counted(summary.other_languages, "picture")
        yield f"The set also has {pictures} in other languages of this table, from earlier runs."
    if summary.pruned:
        pictures = counted(summary.pruned, "picture")
        yield f"Removed {pictures} of earlier runs, for which this table has no caption."
    if summary.not_in_table:
        verb = "is" if summary.not_in_table == 1 else "are"
        pictures = counted(summary.not_in_table, "picture")
        apart = "the page shows them apart, and " if summary.page else ""
        yield f"{pictures} of earlier runs {verb} not in this table; {apart}--prune removes them."
