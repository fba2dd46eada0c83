"""`memeloc render`. In: a table of captions. Out: the parallel set, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memeloc.cli import output
from memeloc.cli.output import print_json, progress, say, table

if TYPE_CHECKING:
    from memeloc.render.parallel_set import Summary

_SHOWN = 20
"""Problems that are shown one by one."""


def render(
    captions: Annotated[
        Path | None,
        typer.Argument(
            metavar="[TABLE]",
            help="CSV, JSON Lines or Parquet: meme_id, template, then a column a language. "
            "Without it, the workspace's captions.",
        ),
    ] = None,
    langs: Annotated[
        str,
        typer.Option(
            metavar="TAGS", help="Languages to render, as de,es,hi,zh; or all, for every column."
        ),
    ] = "all",
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder for the pictures, manifest and page.")
    ] = Path("out"),
    templates: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="A folder of templates or pictures; may be repeated."),
    ] = None,
    kind: Annotated[
        str,
        typer.Option("--format", metavar="KIND", help="Kind of picture file: jpg, png or webp."),
    ] = "jpg",
    quality: Annotated[int, typer.Option(min=1, max=100, help="Of JPEG and WebP.")] = 90,
    max_side: Annotated[
        int | None,
        typer.Option(min=16, metavar="PIXELS", help="Scale larger pictures down to this side."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes.", show_default="one a usable processor"),
    ] = None,
    font: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="A font file of yours, used first; may be repeated."),
    ] = None,
    parity: Annotated[
        bool, typer.Option("--parity", help="Set each meme at one size in all its languages.")
    ] = False,
    locales: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="A folder of locales of yours; may be repeated."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="TAG",
            help="The language that sizes are compared with.",
            show_default="the table's first",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Render nothing if anything in the table is wrong.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Render what is unchanged, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Render a table of captions as a parallel set of pictures.

    Pictures go to DIR/LANG/TEMPLATE/MEME_ID.jpg, their proofs to DIR/manifest.parquet.
    DIR/index.html shows them all. Run again, it renders only what has changed.
    What is wrong in the table is left out and named in DIR/skipped.csv.

    \b
    Example:
      memeloc render examples/starter/captions.csv --langs de,es,hi,zh --out out
      memeloc render captions.csv --langs all --templates my-pictures --parity
      memeloc render --langs hi        (in a workspace: its captions as they stand)
    """
    from memeloc.engine import fork_ahead, map_shards, usable_cpus
    from memeloc.render.encode import file_format
    from memeloc.render.manifest import leave_out_pandas
    from memeloc.render.parallel_set import render_table

    jobs = jobs or usable_cpus()
    shard_map = map_shards
    if output.is_program:
        leave_out_pandas()
        if jobs > 1:
            shard_map = fork_ahead(jobs)
    tags = [tag.strip() for tag in langs.split(",") if tag.strip()]
    with progress("Rendering", None) as bar:

        def advance(pictures: int, total: int | None) -> None:
            bar.total = total
            bar.advance(pictures)

        with _table(captions) as given:
            summary = render_table(
                given.table,
                out,
                languages="all" if tags == ["all"] else tags,
                templates=[*given.templates, *(templates or ())],
                fonts=[*(font or ()), *given.fonts],
                locales=[*given.locales, *(locales or ())],
                format=file_format(kind),
                quality=quality,
                max_side=max_side,
                jobs=jobs,
                parity=parity,
                strict=strict,
                force=force,
                source_language=source or given.source,
                progress=advance,
                shard_map=shard_map,
            )
    _explain(summary)
    if as_json:
        print_json(_as_json(summary))
    else:
        _print(summary)
    if summary.failed or not summary.rendered + summary.unchanged:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Given:
    """The table to render, and what its workspace adds."""

    table: Path
    templates: Sequence[Path] = ()
    fonts: Sequence[Path] = ()
    locales: Sequence[Path] = ()
    source: str | None = None


@contextmanager
def _table(captions: Path | None) -> Iterator[_Given]:
    """The table that was named, or the workspace's captions as a table for the time being."""
    if captions is not None:
        yield _Given(captions)
        return
    from memeloc.store import Workspace

    with Workspace.find() as workspace, workspace.captions_file() as table_file:
        yield _Given(
            table_file,
            workspace.folders("templates"),
            workspace.font_files,
            workspace.folders("locales"),
            workspace.source.tag,
        )


def _explain(summary: Summary) -> None:
    """Name what was left out."""
    for note in summary.notes[:_SHOWN]:
        say(f"Note: {note}")
    for failure in summary.failures[:_SHOWN]:
        say(f"Failed: {failure}")
    for problem in summary.input_problems[:_SHOWN]:
        say(f"Skipped: {problem}")
    rest = summary.input_kinds.total() - _SHOWN
    if rest > 0:
        say(f"and {rest:,} more, all of them in {summary.skipped_file}")


def _as_json(summary: Summary) -> dict[str, object]:
    from memeloc.render.proof import PROBLEMS

    return {
        "rendered": summary.rendered,
        "skipped": summary.skipped,
        "unchanged": summary.unchanged,
        "failed": summary.failed,
        "problems": summary.flawed,
        "problems_by_kind": {kind: summary.problems[kind] for kind in PROBLEMS},
        "skipped_by_kind": dict(summary.input_kinds),
        "languages": list(summary.languages),
        "seconds": round(summary.seconds, 3),
        "page": str(summary.page),
        "manifest": str(summary.manifest),
    }


def _print(summary: Summary) -> None:
    if summary.problems:
        table(
            "Problems of the pictures",
            ("problem", "pictures"),
            summary.problems.most_common(),
        )
    speed = ""
    if summary.rendered and summary.seconds:
        speed = f", {summary.rendered / summary.seconds:,.0f} pictures a second"
    done = [f"{summary.rendered:,} pictures rendered", f"{summary.unchanged:,} unchanged"]
    if summary.skipped:
        done.append(f"{summary.skipped:,} captions skipped")
    if summary.failed:
        done.append(f"{summary.failed:,} failed")
    count = len(summary.languages)
    print(
        f"{', '.join(done)}, in {count} {'language' if count == 1 else 'languages'}; "
        f"{summary.flawed:,} with problems ({summary.seconds:.1f} s{speed})."
    )
    print(f"Look at them all: {summary.page}")
    if summary.example:
        print(f"One of them: {summary.example}")
