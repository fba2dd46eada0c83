"""`memeloc survey` from what ships to sheets that go out. In: memes, a design. Out: files."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli import output
from memeloc.cli.options import Lang, pairs, settings, taking
from memeloc.cli.output import confirm, progress, say
from memeloc.cli.show import Table, by_field, by_place, explain, next_lines, show
from memeloc.cli.survey.options import (
    Changed,
    Contact,
    Cultures,
    Name,
    Pictures,
    changed_sentences,
    codes_of,
    target_options,
)
from memeloc.counts import counted
from memeloc.survey.design.settings import SurveySettings

_TAXONOMIES = Table(
    "Taxonomies",
    "taxonomies",
    (
        "name",
        ("labels", lambda taxonomy: len(taxonomy["labels"])),
        ("questions", lambda taxonomy: ", ".join(taxonomy["questions"])),
        "examples source",
    ),
)
_TAXONOMY = (
    Table("Labels", "labels", "id severity class=group name definition"),
    Table(
        "Further questions",
        "questions",
        (
            "id kind text",
            ("after", lambda each: "; ".join(", ".join(ids) for ids in each["when"].values())),
            ("answers", lambda question: " | ".join(question["answers"].values())),
        ),
    ),
    Table("Examples", "examples", "id label template caption why"),
    lambda result: ["Of labels that fit, the most severe is chosen"] * result["most_severe"],
    lambda result: [f"Rule: {rule}" for rule in result["rules"]],
)


_RECIPES = Table("Recipes", "recipes", "name mode taxonomy sharing answers summary source")


def show_(
    kind: Literal["taxonomies", "recipes", "texts"] = Argument(
        ..., metavar="taxonomies|recipes|texts", help="Label sets, schemes of annotation, or texts."
    ),
    name: str = Argument(
        "",
        metavar="NAME|FILE",
        help="One of them; of texts how their names begin.",
        show_default="all",
    ),
    lang: Lang = "en",
) -> None:
    """List the label sets, recipes or texts of surveys that ship; or show a label set whole.

    A label set has labels, rules, examples. A recipe is a published scheme, which `memeloc survey
    build --recipe` sets up. A text stands beside the name by which memeloc.toml replaces it: one of
    your own is in the section `study.texts.TAG`, in English as well.

    Example:
      memeloc survey show taxonomies
      memeloc survey show taxonomies charmemes --lang de
      memeloc survey show recipes
      memeloc survey show texts consent
    """
    from memeloc.locales import default
    from memeloc.survey.recipes import list_recipes
    from memeloc.survey.texts import describe, list_taxonomies, list_texts, readers

    locale = default().get(lang)
    if kind == "recipes":
        then = "Next: memeloc survey build NAME --recipe RECIPE --cultures CODES"
        show(list_recipes(name), _RECIPES, then)
    elif kind == "texts":
        texts = list_texts(locale, name)
        by_whom = f"No native speaker has read the texts in {texts['language']} yet"
        if texts["read_by"]:
            by_whom = f"Read by native speakers: {'; '.join(texts['read_by'])}"
        show(texts, Table("Texts", "texts", "name text"), by_whom)
    elif not name:
        overview = list_taxonomies()
        languages = f"Their texts are in {', '.join(overview['languages'])}"
        read = ", ".join(filter(readers, overview["languages"])) or "none of them yet"
        show(overview, _TAXONOMIES, languages, f"Read by native speakers: {read}")
    else:
        result = describe(name, locale)
        if result["lacking"]:
            into = f"not translated into {result['language']}; English is shown"
            say(f"{result['lacking']:,} of its texts are {into}")
        title = f"{result['name']}: {result['source']}"
        show(result, title, result["question"], result["definition"], *_TAXONOMY)


_PLAN = Table(
    lambda result: f"What it takes, in {result['currency']}",
    "cultures",
    (
        "culture",
        "sheets",
        ("places", "annotators"),
        ("people to expect", "recruits"),
        "minutes measured",
        ("reward", lambda row: f"{row['reward']:,}"),
        ("rewards", lambda row: f"{row['rewards']:,}"),
        ("fee and tax", lambda row: f"{row['fee'] + row['vat']:,}"),
        ("total", lambda row: f"{row['total']:,}"),
    ),
    empty=True,
)


def plan(
    context: typer.Context,
    name: str = Argument("", metavar="NAME", help="A survey that is built.", show_default="none"),
    memes: int = Option(300, min=1, help="Without NAME: how many memes."),
    cultures: str = Option(
        "US,DE,MX,IN,CN", metavar="CODES", help="Without NAME: who is asked, as US,DE."
    ),
    size: int = Option(20, min=1, help="Without NAME: memes a batch."),
    answers: int = Option(5, min=1, help="Without NAME: answers a meme."),
    wage: str = Option("", help="Pay an hour.", show_default="memeloc.toml's, or 10.65"),
    fee: str = Option(
        "",
        help="The service's share of the rewards; or Prolific's academic or corporate.",
        show_default="memeloc.toml's, or academic",
    ),
    changed: Changed = None,
) -> None:
    """Say beforehand how many annotators, minutes and how much money each culture takes.

    Of a survey that is built, batches are counted, and times are the medians of what each culture's
    retained people took, once five are known; `measured` says of how many. Ties, which come later,
    are not in it. Settings are currency (GBP, or memeloc.toml's), vat (tax on the fee, 0.2),
    seconds (that a meme takes, 20 or as measured), loss (the share of submissions that checks
    exclude, 0.1) and preannotated (memes of a pre-annotation before).

    Example:
      memeloc survey plan --memes 300 --cultures US,DE,MX,IN,CN --wage 12
      memeloc survey plan pilot
    """
    from memeloc.workspace.surveys import plan_survey

    more: dict[str, Any] = {
        "currency": "",
        "vat": "0.2",
        "seconds": None,
        "loss": 0.1,
        "preannotated": 0,
    }
    for key, value in settings(changed).items():
        if key not in more:
            raise typer.BadParameter(f"one of {', '.join(more)}, not {key}", param_hint="--set")
        more[key] = value
    rates = {"wage": wage, "fee": fee, "currency": more["currency"], "vat": str(more["vat"])}
    seconds, loss = more["seconds"], more["loss"]
    design: dict[str, Any] = {"memes": memes, "cultures": cultures, "size": size}
    design |= {"answers": answers, "preannotated": more["preannotated"]}
    if not name:
        result = plan_survey(**design, rates=rates, seconds=seconds, loss=loss)
    else:
        for option in design:
            source = context.get_parameter_source(option)
            if source is not None and source.name == "COMMANDLINE":
                raise typer.BadParameter(
                    f"goes without a survey's name; {name} has its own", param_hint=f"--{option}"
                )
        with memeloc.Workspace.find() as workspace:
            result = workspace.survey(name).sheets.plan(rates, seconds=seconds, loss=loss)
    people = counted(sum(row["recruits"] for row in result["cultures"]), "person", "people")
    total = f"In all {result['total']:,} {result['currency']} for {people}"
    show(result, _PLAN, total)
    if output.as_json:
        return
    if assumed := [row["culture"] for row in result["cultures"] if not row["measured"]]:
        say(
            f"{result['pace'].seconds_entry:g} seconds a meme are assumed of {', '.join(assumed)}; "
            "nobody measured them yet."
        )
    say(
        "A reward is the wage for the minutes, rounded up, and never less. "
        f"{loss:.0%} of submissions are assumed to be excluded; the fee is an assumption."
    )
    if result["warning"]:
        say(result["warning"])


_KINDS: dict[str, Any] = {
    **dict.fromkeys(("people", "memes", "differing", "batches", "items"), Path),
    "captions": Literal["accepted", "corrected", "any"],
}
_RARE = ("explicit", "implicit", "order", "relaxed")
"""Settings that are named by --set: each has a default that recipes and papers go by."""


def _design_options() -> Iterator[tuple[str, Any, Any]]:
    """Yield name, default and annotation of an option for each of `SurveySettings`.

    An option that is not named is None, so that a recipe's setting stays.
    """
    for name, field in SurveySettings.model_fields.items():
        if name in _RARE:
            continue
        extra: Any = field.json_schema_extra
        limits: dict[str, Any] = {}
        for each in field.metadata:
            limits |= {"min": each.ge} if hasattr(each, "ge") else {}
            limits |= {"max": each.le} if hasattr(each, "le") else {}
        kind = field.annotation if field.annotation in (int, bool) else _KINDS.get(name, str)
        option = Option(f"--{name}", help=field.description, **extra["option"], **limits)
        is_flag = kind is bool
        yield name, False if is_flag else None, Annotated[kind if is_flag else kind | None, option]


@taking(_design_options(), before="")
def build(
    name: Name,
    cultures: str = Option(
        ...,
        metavar="CODES",
        help="Who is asked: countries, as US,DE,MX=es; =TAG names the language where the "
        "workspace has none, or several, of that country; IN-US=hi+en are bicultural people.",
    ),
    changed: Changed = None,
    **design: Any,
) -> None:
    """Assign memes to batches with attention checks, the same for every culture.

    The same seed gives the same batches. No two memes of one template come in a row; checks stand
    at drawn places, never first or last. A survey is never changed once it is built: build another
    under another name. Settings are explicit and implicit (attention checks a sheet, 1 and 3, or
    the recipe's), order (of the answers: fixed, turned for every second person, or drawn for each)
    and relaxed (cultures whose people may live elsewhere, IN,CN; or none).

    Example:
      memeloc survey build pilot --cultures US,DE,MX=es,IN=hi,CN --size 20 --seed 7
      memeloc survey build large --cultures US,DE --preannotate --demographics gender,age
      memeloc survey build fixed --cultures US,DE --batches batches.csv
      memeloc survey build harm --cultures US,DE --taxonomy harmeme --collected selected
      memeloc survey build trial --cultures US --recipe harmeme --mode dry-run --people team.csv
      memeloc survey build valid --cultures US --taxonomy my-questions.toml --items items.csv
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.surveys.build(name, cultures, **design, **settings(changed))
        next_line = next_lines(workspace, "survey", survey=name)
    for tag, left_out in result["left_out"].items():
        say(f"{counted(len(left_out), 'meme')} without a caption in {tag} left out: {left_out[0]}")
    explain("Note", result["acceptance"].sentences() if result["acceptance"] else ())
    _show_built(result, next_line)


def choose(
    name: Name,
    total: int = Option(300, min=1, help="Memes in all."),
    harmful: float = Option(0.4, min=0, max=1, help="Share called harmful."),
    harmless: float = Option(0.4, min=0, max=1, help="Share called harmless."),
    tied: float = Option(0.2, min=0, max=1, help="Share that people differ on."),
    fewest_votes: int = Option(1, min=1, help="Votes without which a meme is not chosen."),
) -> None:
    """Choose a balanced set by pre-annotation, and assign it to the survey's batches.

    Takes the answers of `survey build --preannotate` that `survey check` retains. Which memes of
    each kind are taken is drawn by the survey's seed, templates as evenly as they allow.

    Example:
      memeloc survey choose large --total 300
      memeloc survey choose large --total 100 --harmful 0.5 --harmless 0.5 --tied 0
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).sheets.choose(
            total, harmful=harmful, harmless=harmless, tied=tied, fewest_votes=fewest_votes
        )
        next_line = next_lines(workspace, "survey", survey=name)
    for kind, (taken, available) in result["outcomes"].items():
        say(f"{kind}: {taken:,} of {available:,} taken")
    _show_built(result, next_line)


def _show_built(result: Any, next_line: list[str]) -> None:
    from memeloc.taxonomy import taxonomy_names

    if not output.as_json:
        explain("Note", result["remarks"])
    is_shipped = result["taxonomy"] in taxonomy_names()
    texts = (
        f". All that people read: memeloc survey show taxonomies {result['taxonomy']}" * is_shipped
    )
    checks = ", ".join(f"{count} {kind}" for kind, count in result["checks"].items())
    summary = (
        f"{result['survey']}: {counted(result['memes'], 'meme')} in "
        f"{counted(len(result['batches']), 'batch', 'batches')}, "
        f"{counted(result['sheets'], 'sheet')} for {counted(result['annotators'], 'annotator')}"
        f"{'' if result['new'] else ' (all of them were there)'}"
    )
    question = f"Question: {result['question']} {' | '.join(result['answers'].values())}"
    checked = f"Attention checks a sheet: {checks}{texts}"
    show(result, summary, question, checked, *next_line)


_PUSHED = Table(
    "At the service",
    "pushed",
    lambda result: by_field(*result["pushed"][0]) if result["pushed"] else (),
)


def export(
    name: Name,
    to: str = Option(
        ...,
        metavar="TARGET",
        help="google-forms, prolific, label-studio, html, csv or qsf (Qualtrics).",
    ),
    contact: Contact = "",
    pictures: Pictures = Path("out"),
    out: Path | None = Option(
        None, metavar="DIR", help="Where to.", show_default="surveys/NAME/TARGET"
    ),
    cultures: Cultures = "",
    round_: str = Option(
        "", "--round", metavar="N|all", help="Batches of which round.", show_default="the newest"
    ),
    minutes: int = Option(
        0, min=0, help="Minutes that a sheet takes.", show_default="as measured, or estimated"
    ),
    option: list[str] | None = Option(
        None,
        "--set",
        metavar="KEY=VALUE",
        help="A setting of the target's, which its guide names. Repeatable.",
    ),
    push: bool = Option(
        False, "--push", help="Make the forms at Google, or draft the studies at Prolific."
    ),
    publish: bool = Option(
        False, "--publish", help="With --push to Prolific: show the money, ask, publish."
    ),
    yes: bool = Option(False, "--yes", help="With --publish: the money shown is agreed to."),
    dry_run: bool = Option(
        False, "--dry-run", help="With --push: say what would be made, make nothing."
    ),
    look_up: bool = Option(
        False, "--look-up", help="Only ask Prolific for the ids of its filters, and keep them."
    ),
) -> None:
    """Write a survey's sheets for a target: forms, studies, projects, pages or tables.

    The same survey gives the same files. What a sheet says is kept, so that its answers are read
    by the words that went out. A sheet of a further round stays here when it asks about what is
    known by now. --push never publishes a study; --publish asks first. What people cannot be sent
    to yet is said with what completes it, and ends the command with status 1.

    --look-up asks Prolific's API (the token is in PROLIFIC_API_TOKEN) for the filters that a
    survey's cultures need. Choices that are not surely the right ones are reported, and are written
    in by hand; the export reads the file, --out or one in the workspace.

    Example:
      memeloc survey export pilot --to html --contact lab@university.example --set codes=false
      memeloc survey export pilot --to google-forms --set pictures_base=https://host/pictures
      memeloc survey export pilot --to prolific --look-up
      memeloc survey export pilot --to prolific --push --dry-run
    """
    if look_up:
        if to != "prolific":
            raise typer.BadParameter("only Prolific has filters", param_hint="--look-up")
        with memeloc.Workspace.find() as workspace:
            found = workspace.survey(name).sheets.look_up(out)
        show(found, f"Wrote the ids of {found['count']} filters to {found['file']}")
        explain("", found["problems"], fail=True)
        return
    if (publish or yes or dry_run) and not push:
        raise typer.BadParameter("goes with --push", param_hint="--publish, --yes or --dry-run")
    with memeloc.Workspace.find() as workspace, progress("Exporting", None, unit="parts") as bar:
        result = workspace.survey(name).sheets.export(
            to,
            contact=contact,
            pictures=pictures,
            out=out,
            cultures=codes_of(cultures),
            round=round_,
            minutes=minutes,
            options=target_options(option),
            push=push,
            publish=publish,
            agree=lambda costs: confirm(costs, "Publish them?", agreed=yes),
            dry_run=dry_run,
            on_progress=bar.report,
        )
        next_line = next_lines(workspace, "survey", survey=name, quiet=dry_run)
    explain("", _export_remarks(name, result))
    views: list[Any] = [_PUSHED]
    if not push:
        sheets, time = counted(len(result["sheets"]), "sheet"), counted(result["minutes"], "minute")
        folder = out or Path("surveys") / name / to
        views = [f"{sheets} of {name} for {to}, {time} each, in {folder}"]
        views += [f"Open first: {path}" for path in result["files"][:1]]
    show(result, *views, *([] if result["missing"] else next_line))
    explain("memeloc", result["missing"], fail=True)


def _export_remarks(name: str, result: Any) -> Iterator[str]:
    for tag, count in result["english"].items():
        yield (
            f"{counted(count, 'text of the survey is', 'texts of the survey are')} "
            f"not translated into {tag} but in English: "
            f"memeloc translate --kind survey --langs {tag}, then memeloc correct export "
            f"--kind survey --langs {tag}"
        )
    if result["measured"]:
        yield (
            f"People took {result['measured']} minutes (the median of those retained), so sheets "
            f"promise and pay {result['minutes']}: nobody gets less than the wage."
        )
    if result["known"]:
        yield (
            f"Stays here, as it asks about what is known by now: {', '.join(result['known'])}. "
            f"What is open of that: memeloc survey settle {name} --next"
        )
    for meme, tag in result["stale"]:
        yield f"The picture of {meme} in {tag} shows an earlier caption; render it again."
    yield from (*changed_sentences(result["changed"]), *result["warnings"])
    # English is what the texts are written in; nothing of it is sent to correctors.
    if unread := [tag for tag, readers in result["read_by"].items() if tag != "en" and not readers]:
        yield (
            f"No native speaker has read what ships in {', '.join(unread)}: have it read by "
            f"memeloc correct export --kind survey --langs {','.join(unread)}"
        )


_LINKS = Table("Personal links, for one person each", "links", by_place("for", "link"))


def serve(
    name: Name,
    host: str = Option("127.0.0.1", help="Where to listen; 0.0.0.0 for every address."),
    port: int = Option(8000, min=0, max=65535, help="0 takes a free one."),
    contact: Contact = "",
    pictures: Pictures = Path("out"),
    cultures: Cultures = "",
    changed: Changed = None,
    open_: bool = Option(False, "--open", help="Open the owner's page in the browser."),
    links: list[str] | None = Option(
        None,
        metavar="CULTURE=NUMBER|team",
        help="Make so many personal links for people of a culture, and end. Repeatable; `team` "
        "makes one for each person of the survey's team.",
    ),
) -> None:
    """Serve a survey's sheets: each person gets a place, each answer is stored when they go on.

    Who comes by the address that a Prolific study has, or by a personal link, gets a sheet, and
    goes on where they were when they come again. What they finish is a submission like all others.
    The owner's page shows how far it is; its address is printed. The table survey.serve of
    memeloc.toml has the settings: the public address, how long places are held, quotas, training,
    early ends.

    Example:
      memeloc survey serve pilot --contact lab@university.example --open
      memeloc survey serve pilot --links DE=20 --links US=20
      memeloc survey serve pilot --links team
    """
    from memeloc.studio.running import listen, owner_token, run_server
    from memeloc.studio.serving import serve_survey

    listening = None if links else listen(host, port)
    with memeloc.Workspace.find() as workspace:
        with progress("Preparing", None, unit="examples") as bar:
            server = serve_survey(
                workspace.survey(name),
                contact=contact,
                pictures=pictures,
                cultures=codes_of(cultures),
                settings=settings(changed),
                on_progress=bar.report,
            )
        if listening is None:
            is_team = links == ["team"]
            numbers = {} if is_team else _numbers(links or ())
            made = server.links(numbers, f"http://{host}:{port}", team=is_team)
            show(made, _LINKS)
            return
        token = owner_token()
        here = f"http://{host}:{listening.getsockname()[1]}"
        page = f"{server.settings.address or here}/owner?token={token}"
        sheets = counted(len(server.sheets), "sheet")
        say(f"{name} listens at {here}, with {sheets}; Ctrl+C ends it")
        say(f"How far it is: {page}")
        study, to_send = workspace.settings.study, server.to_send
        explain("", study.warnings(tuple(to_send.texts), to_send.contact))
        if open_:
            webbrowser.open(page)
        run_server(server, listening, token)


def _numbers(links: Sequence[str]) -> dict[str, int]:
    numbers = pairs("--links", links)
    if not all(number.isdecimal() for number in numbers.values()):
        raise typer.BadParameter("write CULTURE=NUMBER, such as DE=20", param_hint="--links")
    return {code.upper(): int(number) for code, number in numbers.items()}
