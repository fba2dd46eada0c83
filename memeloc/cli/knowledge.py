"""`memeloc knowledge`. In: memes, a model. Out: what they mean, as graphs, pages and questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from math import isnan
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli import output
from memeloc.cli.jobs import ask_model
from memeloc.cli.options import (
    ASKED_MEMES,
    AskDryRun,
    Budget,
    Cultures,
    Model,
    TakenCaptions,
    option,
    split,
    taking,
)
from memeloc.cli.output import progress, say
from memeloc.cli.reports import show_report, wide_rows
from memeloc.cli.show import Table, by_place, explain, next_lines, show
from memeloc.counts import counted

app = typer.Typer(
    no_args_is_help=True,
    help="What memes mean, in dimensions: extracted by a language model, as graphs and questions."
    "\n\nExample:\n  memeloc knowledge extract --model MODEL --dry-run\n"
    "  memeloc knowledge extract --model MODEL --budget 20\n"
    "  memeloc knowledge status\n"
    "  memeloc knowledge export memes.ttl --to ttl\n"
    "  memeloc knowledge ask --model MODEL",
)
_SETTINGS = [
    option(
        "recipe",
        "m-quest",
        "Which dimensions, in which order: m-quest, m-quest-code, or a TOML of yours.",
        "NAME|FILE",
    ),
    *ASKED_MEMES,
    option(
        "statements_language",
        "",
        "Of labels, statements and questions.",
        "TAG",
        "the meme's own, or en",
    ),
    option("prompt", "", "A TOML with texts of yours.", "FILE", "the shipped texts"),
    option("temperature", 0.0, "0 gives the likeliest answer.", min=0, max=2),
    option("seed", 0, "Of the model's random numbers."),
]
_WHICH = [
    option("recipe", "", "The extraction by it.", "NAME", "the newest"),
    option("model", "", "The extraction by it.", "NAME", "the newest"),
]
_QUESTIONS = [
    option("recipe", "", "Questions by it.", "NAME", "the newest"),
    option("model", "", "Who wrote them.", "NAME", "the newest"),
    option("lang", "", "Of the memes.", "TAG", "the newest"),
]
Out = Annotated[
    Path | None, Option("--out", metavar="DIR", help="Write a page with tables and plots, too.")
]
Seed = Annotated[int, Option(help="By which options are shuffled.")]


@taking(_SETTINGS, before="budget")
def extract(
    model: Model = "",
    caption: bool = Option(False, "--caption", help="Give the model the meme's text, too."),
    picture: bool = Option(
        True,
        "--picture/--no-picture",
        help="Without it the model is given the text alone.",
        show_default="with it",
    ),
    budget: Budget = None,
    dry_run: AskDryRun = False,
    **settings: Any,
) -> None:
    """Have a language model say what memes mean, a question a dimension.

    Each dimension is shown what was found in earlier ones; at the end toxicity statements are
    linked to what they rest on. Every answer is stored as it comes: the same command again asks
    only what is not answered yet. What a model answers wrongly is missing, with a sentence.

    Example:
      memeloc knowledge extract --model MODEL --dry-run
      memeloc knowledge extract --model MODEL --budget 20
      memeloc knowledge extract --model MODEL --collected none --lang hi --pictures out
      memeloc knowledge extract --model MODEL --recipe m-quest-code --statements-language en
    """
    from memeloc.workspace.knowledge_questions import KnowledgeSettings

    settings["input"] = "text" if not picture else "both" if caption else "picture"
    chosen = KnowledgeSettings(**settings)
    with memeloc.Workspace.find() as workspace:
        knowledge = workspace.knowledge
        _ask(
            lambda: knowledge.plan(chosen, model=model),
            lambda report: knowledge.extract(
                chosen, model=model, budget=budget, on_progress=report
            ),
            dry_run=dry_run,
            unit="answers",
        )


_ask = partial(
    ask_model,
    asked=lambda plan: f"to ask about by {plan['recipe']}",
    done=lambda result: [
        f"{result['model']} answered about {counted(result['memes'], 'meme')} by "
        f"{result['recipe']}: {counted(result['asked'], 'answer')} now ({result['refused']:,} "
        f"refused, {result['wrong']:,} wrong), {result['there']:,} before"
    ],
)


@taking(
    [
        _WHICH[0],
        option("of", "", "The extraction by it.", "MODEL", "the newest"),
        option("lang", "", "Of the captions.", "TAG", "the newest extraction's"),
        option("none", "", "The fourth option.", "TEXT", "“None of the others” in the language"),
        option("seed", 0, "Of the model's random numbers."),
    ],
    before="budget",
)
def ask(
    model: Model = "",
    budget: Budget = None,
    dry_run: AskDryRun = False,
    **settings: Any,
) -> None:
    """Have a language model write a question about each dimension of what was extracted.

    A right, a plausible and an implausible answer; “None of the others” is added. A question that
    gives its answer away, or whose options are the same, is sent back. A dimension without
    statements gets its question of its definition and the picture. Memes that are not extracted
    yet wait; the same command again asks only what is not answered yet.

    Example:
      memeloc knowledge ask --model MODEL --dry-run
      memeloc knowledge ask --model MODEL --budget 20
    """
    settings["model"] = model
    with memeloc.Workspace.find() as workspace:
        questions = workspace.knowledge.questions
        _ask(
            lambda: questions.plan(**settings),
            lambda report: questions.ask(budget=budget, on_progress=report, **settings),
            dry_run=dry_run,
            unit="questions",
        )


@taking(_WHICH)
def status(
    check: bool = Option(
        False, "--check", help="Check instead the graphs of one extraction; what is wrong is named."
    ),
    **which: Any,
) -> None:
    """Say how far each extraction is, what was found, what is missing and why, and what it cost.

    With --check every graph has to have what it must: texts with languages, provenance and the
    like. That ends with status 1 where something is wrong.

    Example:
      memeloc knowledge status
      memeloc knowledge status --check
    """
    if check:
        with memeloc.Workspace.find() as workspace, progress(unit="graphs") as bar:
            checked = workspace.knowledge.check(on_progress=bar.report, **which)
        graphs = counted(checked["graphs"], "graph")
        show(checked, f"{graphs} checked, {counted(len(checked['violations']), 'violation')}")
        explain("", checked["violations"], fail=True)
        return
    with memeloc.Workspace.find() as workspace:
        result = workspace.knowledge.status()
    show(result, _sentences, _DIMENSIONS)
    for each in result["extractions"]:
        explain("Missing", each["reasons"])
        explain("", each["notes"])


def _sentences(result: Mapping[str, Any]) -> Iterator[str]:
    if not result["extractions"]:
        yield "Nothing was extracted yet: memeloc knowledge extract --model NAME"
    for each in result["extractions"]:
        costs = ", ".join(f"{value:.4f} {currency}" for currency, value in each["cost"].items())
        statements = sum(dimension["statements"] for dimension in each["dimensions"])
        yield (
            f"{each['recipe']} by {each['model']}, {counted(each['memes'], 'meme')} in "
            f"{each['version'] or 'no known language'}, statements in {each['language']}: "
            f"{counted(statements, 'statement')}, {counted(each['links'], 'link')} of "
            f"{counted(each['linked'], 'meme')}; paid {costs}; last answer {each['last']}"
        )


_DIMENSIONS = Table(
    "Memes and what was found, by dimension",
    lambda result: [
        {**each, **dimension} for each in result["extractions"] for dimension in each["dimensions"]
    ],
    (
        "model memes_in=version statements_in=language dimension",
        "answered empty missing open entities relations statements",
    ),
)


@taking([*_WHICH, _QUESTIONS[2]])
def export(
    out: Path = Argument(..., metavar="OUT", help="A file; of parquet, pages, benchmark a folder."),
    to: Literal["ttl", "jsonld", "nquads", "parquet", "pages", "benchmark"] = Option(
        ...,
        help="Turtle, JSON-LD, N-Quads; tables of statements, entities and relations; a page of "
        "each meme; or the questions that people found right.",
    ),
    pictures: str = Option(
        "",
        metavar="DIR",
        help="Of pages: the rendered captions, what `render` wrote.",
        show_default="the extraction's",
    ),
    seed: Seed = 0,
    **which: Any,
) -> None:
    """Write what memes mean: as RDF, a named graph a meme and version; as pages; as a benchmark.

    A page has the picture, the graph drawn, and where each statement comes from. The benchmark is
    as M-QUEST: memes whose toxicity question was found right, with the question that the toxicity
    rests on, and those drawn of each other dimension. What fell out is kept with its reason.

    Example:
      memeloc knowledge export memes.ttl --to ttl
      memeloc knowledge export tables --to parquet
      memeloc knowledge export pages --to pages --pictures out
      memeloc knowledge export benchmark --to benchmark
    """
    with memeloc.Workspace.find() as workspace, progress(unit="pages") as bar:
        knowledge, lang = workspace.knowledge, which.pop("lang")
        if to == "pages":
            pages = knowledge.pages(out, pictures=pictures, on_progress=bar.report, **which)
        elif to == "benchmark":
            chosen = knowledge.questions.select(out, seed=seed, lang=lang, **which)
        else:
            graphs = knowledge.export(out, to, **which)
    if to == "pages":
        show(pages, f"{pages['index']}: {counted(pages['memes'], 'meme')}")
        if without := pages["without_picture"]:
            say(f"{counted(without, 'page has', 'pages have')} no picture")
    elif to == "benchmark":
        memes = f"{counted(chosen['questions'], 'question')} of {counted(chosen['memes'], 'meme')}"
        show(chosen, f"{chosen['file']}: {memes}; {chosen['left_out']:,} are left out", _FUNNEL)
        explain("Note", chosen["notes"])
    else:
        unit = ("row", "rows") if to == "parquet" else ("statement of RDF", "statements of RDF")
        named = counted(graphs["graphs"], "graph")
        show(graphs, f"{out}: {named}, {counted(graphs['rows'], *unit)}")


def query(
    sparql: str = Argument(..., metavar="SPARQL|FILE", help="A query, or a file with one: .rq."),
    out: Path | None = Option(
        None, metavar="FILE", help="Write the rows there: .csv, .jsonl or .parquet."
    ),
    rows: int = Option(10_000, min=1, help="That are read at the most."),
    seconds: float = Option(60.0, min=0.1, help="After which the query is ended."),
) -> None:
    """Ask all graphs a question in SPARQL; nothing is changed, and no other server is asked.

    The prefixes ml, rel, prov, rdf, rdfs, owl and xsd need no declaration.

    Example:
      memeloc knowledge query 'SELECT ?text WHERE { ?s ml:value "hateful" ; ml:text ?text }'
      memeloc knowledge query links.rq --out links.csv
    """
    if sparql.endswith((".rq", ".sparql")):
        from memeloc.files import read_text

        sparql = read_text(Path(sparql))
    with memeloc.Workspace.find() as workspace:
        result = workspace.knowledge.query(sparql, seconds=seconds, rows=rows)
    if out is not None:
        from memeloc.sheets import write_sheet_table

        file, count = write_sheet_table(out, result["columns"], result["rows"])
        show({"file": file, "rows": count}, f"{file}: {counted(count, 'row')}")
    else:
        show(result, _ROWS)
    if result["more"]:
        say(f"Only the first {counted(rows, 'row')}: --rows reads more.")


_ROWS = Table("{n:row}", "rows", lambda result: by_place(*result["columns"]), empty=True)


@taking(
    [
        option("langs", ..., "Versions of the memes, with commas between.", "TAGS", kind=str),
        option(
            "language",
            "",
            "Of the statements that are compared.",
            "TAG",
            "one that all versions have",
            flag="--statements-language",
        ),
        option(
            "texts_model",
            "ngrams:3",
            "A model of texts, such as sentence-transformers:NAME; ngrams:3 compares letters.",
            "KIND:WHERE",
        ),
        option(
            "threshold",
            0.6,
            "Similarity from which statements are counterparts.",
            min=-1,
            max=1,
        ),
        *_WHICH,
    ],
    before="out",
)
def compare(out: Out = None, **options: Any) -> None:
    """Say which statements about a meme have a counterpart in another of its versions.

    The statements are in one language: extract each version with --statements-language en.

    Example:
      memeloc knowledge compare --langs de,hi
      memeloc knowledge compare --langs de,hi,ar --threshold 0.7 --out comparison
    """
    versions = list(dict.fromkeys(split(options.pop("langs"))))
    if len(versions) < 2:
        raise typer.BadParameter("names two languages or more", param_hint="--langs")
    with memeloc.Workspace.find() as workspace:
        tags = [workspace.locale(tag).tag for tag in versions]
        result = workspace.knowledge.compare(tags, **options)
    show_report(result, _COMPARED, _ALONE, out=out)


_COMPARED = Table(
    "Statements with a counterpart, by dimension",
    lambda report: wide_rows(report, "comparison-dimensions"),
    (
        ("dimension", "item"),
        ("versions", "group"),
        *(
            (name.replace("_", " "), lambda row, name=name: int(row[name]))
            for name in ("memes", "first_statements", "second_statements", "counterparts")
        ),
        ("share", lambda row: "" if isnan(row["share"]) else f"{row['share']:.1%}"),
    ),
)
_ALONE = Table(
    "{n:statement} without a counterpart",
    lambda report: [
        row for row in wide_rows(report, "comparison-statements") if isnan(row["similarity"])
    ],
    (("versions", "group"), ("statement", "item")),
    most=20,
)


@taking(_QUESTIONS, before="")
def questions(
    answers: list[Path] = Option(
        [],
        metavar="DIR",
        help="A folder of `memeloc evaluate` whose models were given the question alone; may be "
        "repeated.",
        show_default="none",
    ),
    validity: bool = Option(False, "--validity", help="Report what people judged instead."),
    out: Out = None,
    seed: Seed = 0,
    **which: Any,
) -> None:
    """Say whether the questions, as a set, give their right answers away; or what people say.

    How often the longest option is right, or the one that shares words with the question or with
    the caption; where the right one stands; questions that are the same. With answers of models
    that were given no picture: how many questions can be answered without it, and which. With
    --validity: how much of what the model wrote people find right, by dimension, with intervals.

    Example:
      memeloc knowledge questions --out questions
      memeloc knowledge questions --answers evaluation-m-quest
      memeloc knowledge questions --validity --out validity
    """
    with memeloc.Workspace.find() as workspace:
        about = workspace.knowledge.questions
        if validity:
            result = about.validity(**which)
        else:
            result = about.review(answers=answers, seed=seed, **which)
    show_report(result, out=out)


_FUNNEL = Table(
    "What became of the questions",
    lambda result: result["funnel"].items(),
    lambda result: [
        ("dimension", 0),
        *((s, lambda row, s=s: row[1][s]) for s in next(iter(result["funnel"].values()))),
    ],
)


@taking(
    [
        option(
            "stage",
            ...,
            "What is judged: toxicity and what it rests on, or then questions drawn of the others.",
            "toxicity|others",
            kind=Literal["toxicity", "others"],
        ),
        ("cultures", ..., Cultures),
        option("people", ..., "The judges: a column participant.", "TABLE", kind=Path),
        option("sample", 50, "Questions that are drawn of each other dimension.", min=1),
        option("answers", 1, "Judges of a meme.", min=1),
        option("seed", 0, "Another one draws other questions and batches."),
        ("captions", "accepted", TakenCaptions),
        *_QUESTIONS,
    ],
    before="",
)
def survey(name: str = Argument(..., help="Of the survey."), **options: Any) -> None:
    """Build the survey in which people judge questions, answers and statements.

    By the recipe m-quest: up to six judgements a meme, YES, NO or MAYBE. It is a survey like
    others: export it, take the answers in, settle it. A meme with more than two questions has the
    rest in NAME-2 and so on.

    Example:
      memeloc knowledge survey toxic --stage toxicity --cultures US --people judges.csv
      memeloc knowledge survey others --stage others --sample 50 --cultures US --people judges.csv
    """
    with memeloc.Workspace.find() as workspace:
        results = workspace.knowledge.questions.build_surveys(name, **options)
        names = [result["survey"] for result in results]
        lines = [next_lines(workspace, "survey", survey=name) for name in names]
    if output.as_json:
        show({"surveys": results})
        return
    for result, next_line in zip(results, lines, strict=True):
        explain("Note", result["remarks"])
        show(
            result,
            f"{result['survey']}: {counted(result['memes'], 'meme')}, "
            f"{counted(result['sheets'], 'sheet')} for {counted(result['annotators'], 'judge')}",
            *next_line,
        )


for _command in (extract, status, export, query, compare, ask, questions, survey):
    app.command()(_command)
