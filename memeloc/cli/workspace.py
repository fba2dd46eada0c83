"""`memeloc init, import, export, status, drop, dump`. In: tables. Out: a workspace, its state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.options import (
    DecidedBy,
    DryRun,
    Langs,
    MadeBy,
    Strict,
    TakenCaptions,
    TemplateFolders,
    TranslationState,
    languages,
    login,
    split,
)
from memeloc.cli.output import progress, say
from memeloc.cli.show import Column, Table, explain, next_lines, show
from memeloc.counts import counted, listed, sentence


def init(
    folder: Path = Argument(Path(), metavar="DIR", help="The workspace's folder; made if need be."),
    source: str = Option("en", metavar="TAG", help="The language that captions are written in."),
    langs: str = Option("", metavar="TAGS", help="Languages to translate into, as de,es,hi,zh."),
    dump: Path | None = Option(
        None, "--from", metavar="DUMP", help="Load what `memeloc dump` wrote into that folder."
    ),
) -> None:
    """Make a workspace: a folder with memeloc.toml and a database.

    The other commands find it from the working directory upwards. A team shares a database by
    MEMELOC_DATABASE_URL or the settings, which also say where a dump is loaded. Keys are not in a
    dump: copy survey.key and erasure.key yourself. People who were erased in this workspace before
    stay out. Interrupted, run it again.

    Example:
      memeloc init my-memes --langs de,es,hi,zh
      memeloc init my-memes --from ../my-memes-2026-11-22
    """
    if dump is not None:
        _load(dump, folder)
        return
    with memeloc.Workspace.create(folder, source=source, languages=split(langs)) as workspace:
        made = {
            "folder": str(folder.resolve()),
            "settings": str(folder.resolve() / "memeloc.toml"),
            "database": workspace.store.database.name,
            "source": workspace.source.tag,
            "languages": [locale.tag for locale in workspace.languages],
        }
    where = f", in {folder}" if folder != Path() else ""
    then = (
        f"A workspace is in {made['folder']}; its settings are in memeloc.toml.\n"
        f"Next: memeloc import TABLE{where}"
    )
    show(made, then)


def _load(dump: Path, folder: Path) -> None:
    with progress("Loading", None, unit="rows") as bar:
        result = memeloc.Workspace.load(dump, folder, bar.phase)
    explain("Note", result["notes"])
    rows = counted(sum(result["rows"].values()), "row")
    then = [f"Loaded {rows} and {counted(result['files'], 'file')} into {folder}."]
    if result["seen"]:
        then = ["Nothing is new: everything of the dump is here already."]
    if erased := sum(result["erased"].values()):
        then.append(f"Left out: {counted(erased, 'row')} of people who were erased here.")
    show(result, *then)


def dump(
    folder: Path = Argument(..., metavar="DIR", help="The dump's folder, new or empty."),
) -> None:
    """Write the whole workspace into a folder of plain files: JSON Lines, pictures, templates.

    It can be read without memeloc, loaded by `memeloc init --from` on SQLite or PostgreSQL, and
    holds no keys and no passwords. Interrupted, run it again; it is whole once manifest.json is
    there.

    Example:
      memeloc dump ../my-memes-2026-11-22
    """
    with memeloc.Workspace.find() as workspace, progress("Dumping", None, unit="rows") as bar:
        result = workspace.dump(folder, bar.phase)
    explain("Note", result["notes"])
    rows, files = result["rows"], counted(result["files"], "file")
    count = f"{counted(sum(rows.values()), 'row')} of {counted(len(rows), 'table')} and {files}"
    show(result, f"Wrote {count} to {folder} ({result['size'] / 1e6:,.1f} MB).")


def import_table(
    captions: Path = Argument(
        ...,
        metavar="TABLE",
        help="CSV, a workbook, JSON Lines or Parquet: meme_id, template, then a column a language; "
        "the folder of a published dataset; or a TMX file, for the translation memory.",
    ),
    langs: str = Option("all", metavar="TAGS", help="Columns besides the source, or all."),
    state: TranslationState = "given",
    by: MadeBy = "",
    templates: TemplateFolders = None,
    strict: Strict = False,
    dry_run: DryRun = False,
) -> None:
    """Import memes and captions from a table, the same as `memeloc render` reads.

    A caption that differs from the last import becomes a new version; the old one stays. The same
    table again changes nothing, and undoes no correction. What is wrong is left out and named.
    Captions may come before their templates: they are translated and corrected, and not rendered.
    Of templates in the folders of --templates the workspace keeps a copy of each that is named.
    Where a source caption differs, what people wrote in other languages stands, and is outdated
    until somebody has looked at it; how many texts that are is said. Captions to choose from, which
    are filtered and selected first, are collected instead: memeloc collect captions TABLE.

    A folder that `memeloc publish` wrote comes in whole, whatever its layout: captions, pictures
    with all that is known of them as collected memes, and its tables in releases/NAME. Of a folder
    that others made for the Hugging Face Hub (Parquet, image folders, WebDataset) the finished
    memes are collected; it names how columns are read and what is not taken. Of a TMX file of any
    program the units go into the translation memory that are from the source language into those
    that memeloc knows.

    Example:
      memeloc import captions.csv
      memeloc import mended.csv --dry-run
      memeloc import captions.csv --state machine --by google --templates pictures
      memeloc import published/my-dataset
      memeloc import memory.tmx
    """
    is_memory = captions.suffix.lower() == ".tmx"
    if is_memory or captions.is_dir():
        if any((templates, strict, dry_run, langs != "all", state != "given", by)):
            raise typer.BadParameter(
                "only of a captions table are --langs, --state, --by, --templates, --strict, "
                "--dry-run"
            )
        (_import_memory if is_memory else _import_folder)(captions)
        return
    with memeloc.Workspace.find() as workspace, progress("Importing", None, unit="rows") as bar:
        result = workspace.captions.import_table(
            captions,
            languages=languages(langs),
            templates=templates or (),
            state=state,
            by=by,
            strict=strict,
            dry_run=dry_run,
            on_progress=bar.report,
        )
        next_line = next_lines(workspace, "translate")
    explain("Note", result.notes)
    explain("Left out", result.left_out, more=sum(result.problems.values()) - len(result.left_out))
    if result.empty:
        cells = listed(dict(sorted(result.empty.items())))
        say(f"Note: empty cells are captions still to translate ({cells})")
    added, changed = sum(result.added.values()), sum(result.changed.values())
    then = "{did} {r.memes:new meme}. Captions: {new:,} new, {changed:,} changed, {r.unchanged:,} "
    then += "unchanged."
    if not added + changed:
        then = "Nothing is new: {r.unchanged:caption is|captions are} here already."
    did = "Would import" if dry_run else "Imported"
    then = sentence(then, did=did, r=result, new=added, changed=changed)
    show(result, then, *next_line)


def _import_memory(file: Path) -> None:
    with memeloc.Workspace.find() as workspace:
        result = workspace.translating.import_memory(file)
    show(result, f"{counted(result['units'], 'unit')}, {result['new']:,} of them new")
    for reason, count in result["skipped"].items():
        say(f"{count:,} passed over: {reason}")


def _import_folder(folder: Path) -> None:
    from memeloc.cli.curating.collect import how_read

    with memeloc.Workspace.find() as workspace, progress("Importing", None) as bar:
        result = workspace.publishing.import_folder(folder, on_progress=bar.phase)
        stage = "translate" if result["memes"] else "collect"
        next_line = next_lines(workspace, stage)
    collected = result["collected"]
    if not result["layout"]:
        explain("Read", map(how_read, collected.tables))
    explain("Note", result["notes"])
    explain("Not taken", [f"{each.url}: {each.sentence}" for each in collected.refusals])
    then = [
        sentence(
            "{0:finished meme} and {1:template}: {2.new:,} new, {2.changed:,} changed, "
            "{2.unchanged:,} unchanged.",
            *(collected.found.get("picture", 0), collected.found.get("template", 0), collected),
        )
    ]
    if result["layout"]:
        captions = sum(result["captions"].values())
        then.append(
            f"Captions of {counted(result['memes'], 'meme')}: {captions:,} new or changed. "
            f"{counted(len(result['tables']), 'table')} and further files: {result['kept']}"
        )
    show(result, *then, *next_line)


def export(
    table: str = Argument(
        ...,
        metavar="TABLE",
        help="captions, history, memes, corrections, cases, drops, memory, sheets, "
        "failures or files; of what was collected items, verdicts, pictures, templates or funnel.",
    ),
    to: Path = Option(
        ..., metavar="FILE", help="A .csv, .jsonl or .parquet file to write; of memory also .tmx."
    ),
    langs: Langs = "all",
    captions: TakenCaptions = "any",
    selected: bool = Option(
        False, "--selected", help="Of what was collected, only what `memeloc select` took."
    ),
) -> None:
    """Write a table of the workspace to a file.

    `captions` has a row a meme and a column a language, and is what `render` and `import` read;
    `history` has a row for every version of every caption, with who, when and from where, and the
    state of those that stand. `items` has a row for each item that was collected, with every
    verdict, what it rests on, who decided, and at which stage it went out; `verdicts` has a row for
    each verdict, `pictures` the finished memes, `funnel` the stages of the selection.
    In CSV a cell that a spreadsheet would take for a formula gets an apostrophe before it.
    Of the translation memory as TMX 1.4, --langs takes only some languages.

    Example:
      memeloc export captions --to captions.csv
      memeloc export captions --captions accepted --to accepted.csv
      memeloc export history --to history.parquet
      memeloc export pictures --selected --to pictures.csv
      memeloc export memory --to memory.tmx --langs de,es
    """
    is_memory = table == "memory" and to.suffix.lower() == ".tmx"
    if languages(langs) and not is_memory:
        raise typer.BadParameter("goes with a memory's .tmx", param_hint="--langs")
    if is_memory:
        with memeloc.Workspace.find() as workspace:
            result = workspace.translating.export_memory(to, languages(langs))
        show(result, f"Wrote {counted(result['units'], 'unit')} to {result['file']}")
        return
    with memeloc.Workspace.find() as workspace:
        result = workspace.captions.export(table, to, captions=captions, selected=selected)
    explain("Note", result["acceptance"].sentences() if result["acceptance"] else ())
    then = f"Wrote {counted(result['rows'], 'row')} of {table} to {result['file']}"
    show(result, then)


def _columns(languages: Any) -> list[Column]:
    from memeloc.workspace.status import states_of

    return [
        ("language", lambda row: row["language"] + " (source)" * row["source"]),
        *(
            (state, lambda row, state=state: row["states"].get(state, 0))
            for state in states_of(languages)
        ),
        "missing to_settle",
    ]


_TABLES = (
    Table("The path", "path", ("stage done open of", ("next", str))),
    Table("{0[memes]:meme}", "languages", lambda result: _columns(result["languages"])),
    Table("Texts of surveys", "survey_texts", lambda result: _columns(result["survey_texts"])),
    Table(
        "Spent over all runs",
        "spent",
        ("spent_on=name texts", ("cost", lambda row: f"{row.cost:,.4f}"), "currency"),
    ),
)


def status() -> None:
    """Show the path: what is done and open of each stage, and the one command that comes next.

    Stages are collect, filter, select, translate, correct, render, survey, settle, analyze and
    publish; those that are not used take no line. Below stand the captions by language and state,
    and what was spent. Given are those that people brought as they are, corrected those that a
    person typed and nobody else has found right yet; the guide on correction says it in full.

    Example:
      memeloc status
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.status()
    counts = ", ".join(counted(count, kind) for kind, count in result["collected"].items())
    then = [f"Collected: {counts}"] if counts else []
    then += [f"Next: {result['next']}"] if result["next"] else []
    show(result, *_TABLES, *then)


def drop(
    memes: list[str] | None = Argument(
        None, metavar="MEME", help="Ids of memes; without, what is dropped is listed."
    ),
    why: str = Option("", metavar="TEXT", help="Why, for the record."),
    langs: str = Option("all", metavar="TAGS", help="Languages to drop them in, or all."),
    take_back: bool = Option(False, "--take-back", help="Bring dropped memes back."),
    person: DecidedBy = "",
) -> None:
    """Drop memes: leave them out of pictures, surveys, exports and the translation memory.

    Nothing is deleted: captions, corrections and the reason stay, and --take-back brings the meme
    back. A case is settled by dropping with `memeloc correct settle CASE --drop`.

    Example:
      memeloc drop --why "a pun that only English has" m-017 m-142
      memeloc drop m-020 --langs hi --why "means nothing in Hindi"
      memeloc drop m-020 --take-back
      memeloc drop
    """
    if memes and not (why or take_back):
        raise typer.BadParameter("say --why these memes are dropped")
    options: dict[str, Any] = {
        "languages": languages(langs),
        "person": person or login(),
        "take_back": take_back,
    }
    with memeloc.Workspace.find() as workspace:
        changed = workspace.captions.drop(memes, why, **options) if memes else 0
        dropped = workspace.captions.dropped()
    done = f"{'Brought back' if take_back else 'Dropped'}: {changed:,}. " if memes else ""
    result = {"changed": changed, "dropped": dropped}
    language = ("language", lambda row: row.language or "all")
    table = Table("Dropped", "dropped", ("meme_id", language, "by=person why=comment"))
    show(result, table, f"{done}Dropped now: {len(dropped):,}")
