"""`memeloc translate`. In: captions, a translator. Out: the same in more languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import typer
from typer import Option

import memeloc
from memeloc.cli import output
from memeloc.cli.options import DryRun, Langs, Settings, Taxonomy, check_taxonomy, languages, pairs
from memeloc.cli.output import progress, say
from memeloc.cli.show import Table, by_place, explain, next_lines, show
from memeloc.counts import counted, listed, sentence


def _money(value: float, currency: str) -> str:
    return f"{value:,.2f} {currency}" if value >= 0.005 or not value else f"{value:.4f} {currency}"


_COUNTS = ("captions", "from_memory", "repeated", "strings", "characters")


def _plan_rows(plan: Mapping[str, Any]) -> Iterator[tuple[str | int, ...]]:
    # A row a language, and one for all.
    rows = {**plan["languages"]}
    if len(rows) > 1:
        rows["all"] = plan
    for tag, line in rows.items():
        money = (_money(line[name], plan["currency"]) for name in ("cost", "most"))
        yield tag, *map(line.__getitem__, _COUNTS), *money


_PLAN = Table(
    "With {0[translator]}",
    _plan_rows,
    by_place(
        "language", *(name.replace("_", " ") for name in _COUNTS), "expected cost", "at the most"
    ),
    empty=True,
)
_MODELS = Table(
    "{n:translation model}",
    "models",
    (
        "from=source",
        ("into", lambda model: " ".join(model["targets"]) or model["target"]),
        "kind tokens=tokenizer version",
        ("licence", lambda model: model["licence"] or "not stated"),
        "folder",
    ),
    empty=True,
)


def translate(
    langs: Langs = "",
    using: str = Option(
        "",
        "--with",
        metavar="NAME",
        help="The translator: google, ctranslate2, openai, memory or pseudo, or one that "
        "another package brings.",
        show_default="what memeloc.toml says",
    ),
    dry_run: DryRun = False,
    budget: float | None = Option(
        None, min=0, help="Stop before more than this is spent, in the service's currency."
    ),
    kind: Literal["caption", "survey"] = Option(
        "caption", metavar="KIND", help="caption, or survey: the texts of surveys."
    ),
    taxonomy: Taxonomy = "",
    only: Literal["new", "changed"] | None = Option(
        None,
        metavar="new|changed",
        help="Only captions without a translation, or those whose source has changed since.",
    ),
    again: str = Option(
        "",
        metavar="NAME",
        help="Also translate anew what this translator made, if nobody has "
        "corrected it. What pseudo made is always replaced by another translator.",
    ),
    fuzzy: float | None = Option(
        None, min=0.5, max=1.0, help="Let the memory fill captions that are this similar, as 0.9."
    ),
    changed: Settings = None,
) -> None:
    """Translate the workspace's captions, and say first what it will cost.

    The translation memory is asked before the translator. Each answer is stored as it comes: the
    same command again goes on where it was and asks nothing twice. What people wrote stays: where
    its source has changed, the translation is a suggestion beside it on the next sheet. Of the
    texts of surveys those are translated that memeloc does not ship in a language; their
    placeholders stay. Settings, also of memeloc.toml, are model (openai, google);
    project, location, glossary of Google Cloud; endpoint, another server that speaks Google's or,
    as a URL, OpenAI's protocol (a local one gets no credentials); models, the folder of offline
    models, which are listed where nothing else is named.

    Example:
      memeloc translate --langs de,es,hi,zh --with google --dry-run
      memeloc translate --langs de,es,hi,zh --with google --budget 20.00
      memeloc translate --langs de --with ctranslate2 --set models=models
      memeloc translate --kind survey --langs tr --with google
    """
    options = pairs("--set", changed)
    if options.keys() == {"models"} and not langs and not using:
        _list_models(Path(options["models"]))
        return
    check_taxonomy(taxonomy, kind)
    with memeloc.Workspace.find() as workspace:
        job = workspace.translating.prepare(
            languages(langs),
            translator=using,
            options=options,
            budget=budget,
            kind=kind,
            taxonomy=taxonomy,
            only=only,
            again=again,
            fuzzy=fuzzy,
        )
        if job.suggestions:
            say(
                f"{job.suggestions:,} of them are suggestions beside what people wrote, for the "
                "source has changed since; --only new leaves these out."
            )
        if dry_run:
            show(job.plan, _PLAN)
            return
        plan, currency = job.plan, job.plan["currency"]
        if not output.as_json:
            counts = (
                "{captions:caption} with {translator}: {strings:string}, {characters:character}"
            )
            say(f"{sentence(counts, **plan)}, about {_money(plan['cost'], currency)}")
        with progress("Translating", plan["captions"], unit="captions") as bar:
            result = job.run(on_progress=bar.report, on_wait=_wait)
        next_line = next_lines(workspace, "translate", quiet=kind != "caption")
    done = (
        f"{result.translated:,} translated, {result.from_memory:,} from memory, "
        f"{result.repeated:,} repeated, {result.empty:,} without text; "
        f"{counted(result.characters, 'character')} billed, {_money(result.cost, currency)}"
    )
    if result.elsewhere:
        done += f"\n{result.elsewhere:,} were translated by another program at the same time"
    if result.marks:
        done += f"\nMarked: {listed(dict(sorted(result.marks.items())))}"
    show(result, done, *next_line)
    if plan["translator"] == "memory":  # what the memory does not know is not a failure
        if result.failures:
            say(f"{counted(len(result.failures), 'caption is', 'captions are')} not in the memory.")
        return
    explain("", [f"{each.meme_id}, {each.language}: {each.error}" for each in result.failures])
    if result.over_budget:
        say(
            f"{counted(result.left, 'caption is', 'captions are')} left: the next "
            "could pass the budget. The same command "
            "with a larger --budget goes on."
        )
    explain("memeloc", [result.stopped] if result.stopped is not None else [])
    if result.failures or result.over_budget or result.stopped is not None:
        raise typer.Exit(1)


def _wait(count: int) -> None:
    say(f"Another `memeloc translate` is at work here; {counted(count, 'caption')} wait for it.")


def _list_models(folder: Path) -> None:
    from memeloc.translate.ctranslate2 import find_models

    models, problems = find_models(folder)
    names = ("source", "target", "targets", "kind", "tokenizer", "version", "licence")
    rows = [
        {name: getattr(model, name) for name in names} | {"folder": str(model.path)}
        for model in models
    ]
    show({"models": rows, "problems": [*map(str, problems)]}, _MODELS)
    explain("", problems, fail=True)
