"""`memeloc translate`. In: the workspace's captions. Out: the same in more languages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from memeloc.cli.corrected import OfTaxonomy, checked_taxonomy
from memeloc.cli.output import Cell, print_json, say, table

if TYPE_CHECKING:
    from memeloc.store import Workspace
    from memeloc.translate import Plan, RunSummary, Translator

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]

_SHOWN = 20
"""Failures that are shown one by one."""
_PSEUDO = "pseudo"


def translate(
    langs: Annotated[
        str,
        typer.Option(
            metavar="TAGS",
            help="Languages, as de,es,hi,zh.",
            show_default="all of the workspace's",
        ),
    ] = "",
    using: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="NAME",
            help="The translator: google, ctranslate2, openai, memory or pseudo, or one that "
            "another package brings.",
            show_default="what memeloc.toml says",
        ),
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what there is to do and what it costs.")
    ] = False,
    budget: Annotated[
        float | None,
        typer.Option(min=0, help="Stop before more than this is spent, in the service's currency."),
    ] = None,
    kind: Annotated[
        Literal["caption", "survey"],
        typer.Option(metavar="KIND", help="caption, or survey: the texts of surveys."),
    ] = "caption",
    taxonomy: OfTaxonomy = "",
    only: Annotated[
        Literal["new", "changed"] | None,
        typer.Option(
            metavar="new|changed",
            help="Only captions without a translation, or those whose source has changed since.",
        ),
    ] = None,
    again: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Also translate anew what this translator made, if nobody has "
            "corrected it. What pseudo made is always replaced by another translator.",
        ),
    ] = "",
    fuzzy: Annotated[
        float | None,
        typer.Option(
            min=0.5, max=1.0, help="Let the memory fill captions that are this similar, as 0.9."
        ),
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of offline models; without --langs and --with, lists what is in it.",
        ),
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The service's model (openai, google).")
    ] = "",
    project: Annotated[
        str,
        typer.Option(
            metavar="ID", help="Google Cloud project.", show_default="GOOGLE_CLOUD_PROJECT"
        ),
    ] = "",
    location: Annotated[
        str, typer.Option(metavar="REGION", help="Google Cloud region, as us-central1.")
    ] = "",
    glossary: Annotated[str, typer.Option(metavar="ID", help="Google glossary.")] = "",
    transport: Annotated[
        Literal["grpc", "rest"] | None, typer.Option(help="How to reach Google.")
    ] = None,
    endpoint: Annotated[
        str,
        typer.Option(
            metavar="HOST:PORT",
            help="Another server that speaks Google's or, as a URL, OpenAI's protocol. A local "
            "one gets no credentials.",
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Translate the workspace's captions, and say first what it will cost.

    The translation memory is asked before the translator. Each answer is stored as it comes: the
    same command again goes on where it was and asks nothing twice. What people have corrected
    stays. Of the texts of surveys those are translated that memeloc does not ship in a language;
    their placeholders stay.

    \b
    Example:
      memeloc translate --langs de,es,hi,zh --with google --dry-run
      memeloc translate --langs de,es,hi,zh --with google --budget 20.00
      memeloc translate --langs de --with ctranslate2 --models models
      memeloc translate --kind survey --langs tr --with google
    """
    if models is not None and not langs and not using:
        _list_models(models, as_json)
        return
    from memeloc.cli.memory import target_languages, units_of
    from memeloc.cli.translating import Jobs
    from memeloc.cli.wording import bring_survey_texts
    from memeloc.store import Workspace
    from memeloc.store.survey_texts import ENGLISH
    from memeloc.translate import ProtectingTranslator, TranslationMemory, plan

    checked_taxonomy(taxonomy, kind)
    given = {
        "models": "" if models is None else str(models),
        "model": model,
        "project": project,
        "location": location,
        "glossary": glossary,
        "transport": transport or "",
        "endpoint": endpoint,
    }
    with Workspace.find() as workspace:
        defaults = workspace.settings.translate
        name = using or str(defaults.get("with", ""))
        if not name:
            raise typer.BadParameter(
                "name a translator, or set `with` in [translate] of memeloc.toml",
                param_hint="--with",
            )
        if budget is None and isinstance(defaults.get("budget"), int | float):
            budget = float(defaults["budget"])
        translator = _translator(workspace, name, given)
        source = workspace.source
        if kind == "survey":
            source = workspace.locale(ENGLISH)
            translator = ProtectingTranslator(translator)
        languages = target_languages(workspace, langs, source)
        texts = None
        if kind == "survey":
            texts = set(bring_survey_texts(workspace, languages, taxonomy))
        jobs = Jobs(
            workspace,
            languages,
            only,
            ({_PSEUDO} - {name}) | ({again} - {""}),
            source,
            kind=kind,
            texts=texts,
        )
        memory = TranslationMemory(units_of(workspace, languages, kind, source))
        planned = plan(jobs.items, translator, memory, fuzzy=fuzzy)
        if dry_run:
            if as_json:
                print_json(_plan_json(planned, translator))
            else:
                _print_plan(planned, translator)
            return
        if not as_json:
            _print_plan(planned, translator, stderr=True)
        if (
            budget is not None
            and name == "openai"
            and planned.total.strings
            and not planned.total.most
        ):
            say(
                "The budget holds nothing back: the prices of openai are 0. Set price_in and "
                "price_out in [translate.openai] of memeloc.toml, unless the server is your own."
            )
        summary = jobs.run(translator, memory, fuzzy=fuzzy, budget=budget)
    _report(summary, planned, translator, as_json)


def _translator(workspace: Workspace, name: str, given: Mapping[str, str]) -> Translator:
    """The translator with the settings of memeloc.toml, and the options over them."""
    from memeloc.translate import create

    settings: dict[str, Any] = dict(workspace.settings.translator(name))
    for key, value in given.items():
        if value:
            settings["base_url" if (name, key) == ("openai", "endpoint") else key] = value
    if name == "ctranslate2" and workspace.root is not None and not given["models"]:
        settings["models"] = str(workspace.root / settings.get("models", "models"))
    return create(name, settings)


def _money(value: float, currency: str) -> str:
    return f"{value:,.2f} {currency}" if value >= 0.005 or not value else f"{value:.4f} {currency}"


def _print_plan(planned: Plan, translator: Translator, *, stderr: bool = False) -> None:
    """What there is to do, as a table on the output, or as a sentence on the standard error."""
    total = planned.total
    captions = sum(line.captions for line in planned.lines)
    if stderr:
        say(
            f"{captions:,} captions with {translator.name}: {total.strings:,} strings, "
            f"{total.characters:,} characters, about {_money(total.cost, planned.currency)}"
        )
        return
    rows: list[list[Cell]] = [
        [
            line.language,
            line.captions,
            line.from_memory,
            line.repeated,
            line.estimate.strings,
            line.estimate.characters,
            _money(line.estimate.cost, planned.currency),
            _money(line.estimate.most, planned.currency),
        ]
        for line in planned.lines
    ]
    if len(rows) > 1:
        rows.append(
            [
                "all",
                captions,
                sum(line.from_memory for line in planned.lines),
                sum(line.repeated for line in planned.lines),
                total.strings,
                total.characters,
                _money(total.cost, planned.currency),
                _money(total.most, planned.currency),
            ]
        )
    headings = ["language", "captions", "from memory", "repeated", "strings", "characters"]
    table(f"With {translator.name}", [*headings, "expected cost", "at the most"], rows)


def _plan_json(planned: Plan, translator: Translator) -> dict[str, Any]:
    total = planned.total
    return {
        "translator": translator.name,
        "currency": planned.currency,
        "captions": sum(line.captions for line in planned.lines),
        "strings": total.strings,
        "characters": total.characters,
        "cost": round(total.cost, 6),
        "most": round(total.most, 6),
        "languages": {
            line.language: {
                "captions": line.captions,
                "from_memory": line.from_memory,
                "repeated": line.repeated,
                "empty": line.empty,
                "strings": line.estimate.strings,
                "characters": line.estimate.characters,
                "cost": round(line.estimate.cost, 6),
                "most": round(line.estimate.most, 6),
            }
            for line in planned.lines
        },
    }


def _report(summary: RunSummary, planned: Plan, translator: Translator, as_json: bool) -> None:
    """Say what became of it, and end with 1 when something was left."""
    currency = planned.currency
    unknown = translator.name == "memory"  # what the memory does not know is no failure
    if as_json:
        print_json(
            {
                "plan": _plan_json(planned, translator),
                "translated": summary.translated,
                "from_memory": summary.from_memory,
                "repeated": summary.repeated,
                "empty": summary.empty,
                "left": summary.left,
                "characters": summary.characters,
                "cost": round(summary.cost, 6),
                "marks": dict(summary.marks),
                "over_budget": summary.over_budget,
                "stopped": str(summary.stopped) if summary.stopped else None,
                "failures": [
                    {"meme_id": one.meme_id, "language": one.language, "error": str(one.error)}
                    for one in summary.failures
                ],
            }
        )
    else:
        print(
            f"{summary.translated:,} translated, {summary.from_memory:,} from memory, "
            f"{summary.repeated:,} repeated, {summary.empty:,} without text; "
            f"{summary.characters:,} characters billed, {_money(summary.cost, currency)}"
        )
        if summary.marks:
            said = ", ".join(f"{mark} {count:,}" for mark, count in sorted(summary.marks.items()))
            print(f"Marked: {said}")
    if unknown:
        if summary.failures:
            say(f"{len(summary.failures):,} captions are not in the memory.")
        return
    for one in summary.failures[:_SHOWN]:
        say(f"{one.meme_id}, {one.language}: {one.error}")
    if len(summary.failures) > _SHOWN:
        say(f"... and {len(summary.failures) - _SHOWN:,} more")
    if summary.over_budget:
        say(
            f"{summary.left:,} captions are left: the next could pass the budget. The same command "
            "with a larger --budget goes on."
        )
    if summary.stopped is not None:
        say(f"memeloc: {summary.stopped}")
    if summary.failures or summary.over_budget or summary.stopped is not None:
        raise typer.Exit(1)


def _list_models(folder: Path, as_json: bool) -> None:
    from memeloc.translate.models import find_models

    found, problems = find_models(folder)
    if as_json:
        print_json(
            {
                "models": [
                    {
                        "source": one.source,
                        "target": one.target,
                        "targets": list(one.targets),
                        "kind": one.kind,
                        "tokenizer": one.tokenizer,
                        "version": one.version,
                        "licence": one.licence,
                        "folder": str(one.path),
                    }
                    for one in found
                ],
                "problems": [str(problem) for problem in problems],
            }
        )
    else:
        table(
            f"{len(found)} translation models",
            ["from", "into", "kind", "tokens", "version", "licence", "folder"],
            [
                [
                    one.source,
                    " ".join(one.targets) or one.target,
                    one.kind,
                    one.tokenizer,
                    one.version,
                    one.licence or "not stated",
                    str(one.path),
                ]
                for one in found
            ],
        )
    for problem in problems:
        say(str(problem))
    if problems:
        raise typer.Exit(1)
