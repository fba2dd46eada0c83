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
    EngineName,
    FontFiles,
    Jobs,
    LocaleFolders,
    Strict,
    TakenCaptions,
    TemplateFolders,
    engine,
    languages,
    options_of,
    taking,
)
from memeloc.cli.output import progress
from memeloc.cli.show import Table, as_plain, by_place, explain, next_lines, show
from memeloc.counts import counted
from memeloc.render.settings import RenderSettings

if TYPE_CHECKING:
    from memeloc.render.sets.parallel_set import Summary

_PROBLEMS = Table(
    "Problems of the pictures",
    lambda result: [(kind, count) for kind, count in result["problems_by_kind"].items() if count],
    by_place("problem", "pictures"),
)


_SHARED = {
    "templates": TemplateFolders,
    "fonts": FontFiles,
    "locales": LocaleFolders,
    "jobs": Jobs,
    "strict": Strict,
}


@taking(options_of(RenderSettings, _SHARED), before="engine_name")
def render(
    captions: Path | None = Argument(
        None,
        metavar="TABLE",
        help="CSV, JSON Lines or Parquet: meme_id, template, then a column a language. "
        "Without it, the workspace's captions.",
    ),
    out: str = Option(
        "out",
        metavar="DIR",
        help="Folder of pictures, manifest, page; or its address, as s3://bucket/set.",
    ),
    engine_name: EngineName = "",
    taken: TakenCaptions = "any",
    **options: Any,
) -> None:
    """Render a table of captions as a parallel set of pictures.

    Pictures go to DIR/LANG/TEMPLATE/MEME_ID.jpg, their proofs to tables in DIR/manifest.
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
      memeloc render captions.csv --engine ray:auto --out /shared/out
    """
    from memeloc.engine import fork_ahead
    from memeloc.render.sets.manifest import leave_out_pandas
    from memeloc.workspace.own_folders import FILE, own_folders, workspace_folder

    stated = None
    if captions is None:
        from memeloc.workspace.settings import read_settings

        stated = read_settings(workspace_folder() / FILE).engine
    elif taken != "any":
        raise typer.BadParameter(
            "a table's captions have no states; without TABLE the workspace's are rendered",
            param_hint="--captions",
        )
    by = engine(engine_name, stated)
    options["jobs"] = options["jobs"] or by.cpus()
    options["languages"] = languages(options["languages"]) or "all"
    values = {name: value for name, value in options.items() if value is not None}
    if captions is not None:  # what the workspace has, and `templates` beside the table
        for kind, folders in own_folders(captions)._asdict().items():
            values[kind] = (
                [*values.get(kind, ()), *folders]
                if kind == "fonts"
                else [*folders, *values.get(kind, ())]
            )
    settings = RenderSettings(**values)
    if output.is_program:
        leave_out_pandas()
        if settings.jobs > 1 and not by.elsewhere:
            by = replace(by, map_shards=fork_ahead(settings.jobs))
    next_line: list[str] = []
    with progress("Rendering", None) as bar:
        if captions is None:
            with memeloc.Workspace.find() as workspace:
                summary = workspace.rendering.render(
                    out, settings, captions=taken, engine=by, on_progress=bar.report
                )
                next_line = next_lines(workspace, "render")
        else:
            from memeloc.render.sets.parallel_set import render_table

            summary = render_table(
                captions, out, settings, progress=bar.report, shard_map=by.map_shards
            )
    notes = summary.acceptance.sentences() if summary.acceptance else ()
    explain("Note", [*summary.notes, *notes])
    explain("Failed", summary.failures)
    explain(
        "Skipped",
        summary.input_problems,
        more=summary.input_kinds.total() - len(summary.input_problems),
        where=str(summary.skipped_file),
    )
    show(_fields(summary), _PROBLEMS, *_sentences(summary), *next_line)
    if summary.failed or not summary.rendered + summary.unchanged:
        raise typer.Exit(1)


def _fields(summary: Summary) -> dict[str, Any]:
    from memeloc.render.proof import PROBLEMS

    counts = "rendered skipped unchanged failed replaced other_languages not_in_table pruned"
    by_kind = sorted(PROBLEMS, key=lambda kind: -summary.problems[kind])
    return {
        **{name: getattr(summary, name) for name in counts.split()},
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
    if summary.page:
        yield f"Look at them all: {summary.page}"
    if summary.shards:
        reader = "WebDataset" if summary.layout == "webdataset" else "Hugging Face's datasets"
        yield f"Shards, as {reader} reads them: {summary.shards}"
    if summary.example:
        yield f"One of them: {summary.example}"
