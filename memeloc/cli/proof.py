"""`memeloc proof` and `boxes`. In: a rendered set. Out: what to look at; where its words are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer
from typer import Argument, Option

from memeloc.cli.options import AsJson, LocaleFolders, TemplateFolders, languages
from memeloc.cli.output import Cell, progress
from memeloc.cli.show import Column, Table, as_plain, explain, show
from memeloc.counts import counted

if TYPE_CHECKING:
    from memeloc.render.ocr import OcrReport
    from memeloc.render.sets.review import Review


def proof(
    out: Path = Argument(
        ..., metavar="DIR", help="What `memeloc render --out` wrote: a folder, or its address."
    ),
    ocr: bool = Option(False, "--ocr", help="Read each picture back with Tesseract (extra `ocr`)."),
    langs: str = Option("all", metavar="TAGS", help="Languages to report on, as de,zh; or all."),
    limit: int = Option(20, min=0, help="Rows of each list; 0 shows everything."),
    templates: TemplateFolders = None,
    locales: LocaleFolders = None,
    jobs: int | None = Option(
        None, min=1, help="Tesseracts that run at once.", show_default="one a usable processor"
    ),
    fail_on_problems: bool = Option(False, "--fail-on-problems", help="Exit with 1 on a problem."),
    as_json: AsJson = False,
) -> None:
    """List the problems of a rendered set, worst first, and where its languages differ most.

    Problems are what the proofs found: missing glyphs, clipped, left-out or too small text, parts
    that overlap, broken words, low contrast, emoji without their colours, hyphenated words. Parity
    ranks the memes whose languages differ most in size of text and in the share of the picture that
    text covers.

    Example:
      memeloc proof out
      memeloc proof out --ocr --langs en,zh --limit 5
      memeloc proof out --json --fail-on-problems
    """
    from memeloc.render.sets.review import review

    tags = languages(langs)
    rendered = review(out, tags)
    report = {
        "pictures": rendered.pictures,
        "memes": rendered.memes,
        "flawed": len(rendered.flaws),
        "problems_by_kind": Counter(kind for flaw in rendered.flaws for kind in flaw.problems),
        "problems": rendered.flaws[: limit or None],
        "parity": rendered.parity[: limit or None],
        "languages": rendered.languages,
    }
    if not as_json:
        if not rendered.flaws:
            print(f"No problems in {counted(rendered.pictures, 'picture')}.\n")
        show(rendered, *_tables(rendered, limit), as_json=False)
    if ocr:
        reading = _read_back(out, rendered.pictures, tags, templates or [], locales or [], jobs)
        worst = [row for row in reading.readings if row.cer]
        report["ocr"] = {
            "languages": reading.languages,
            "worst": worst[: limit or None],
            "not_read": dict(reading.not_read),
            "failed": dict(reading.failed),
            "fresh": reading.fresh,
        }
        if not as_json:
            print()
            columns = (("error rate", _percent("cer")), "picture=path drawn read")
            show(reading, _OCR, _table("Read worst", worst, limit, columns), as_json=False)
    if as_json:
        show(as_plain(report), as_json=True)
    if fail_on_problems and rendered.flaws:
        raise typer.Exit(1)


def _tables(rendered: Review, limit: int) -> list[Table]:
    problems = _table(
        "Problems, worst first",
        rendered.flaws,
        limit,
        "meme=meme_id language problems measured=detail picture=path",
    )
    parity = _table(
        "Memes that differ most between languages",
        rendered.parity,
        limit,
        (
            "meme=meme_id",
            ("size ratio", lambda meme: round(meme.size_ratio, 2)),
            "smallest_in=smallest",
            ("coverage spread", _percent("coverage_spread")),
            ("middle spread", _percent("middle_spread")),
            "fullest_in=fullest",
            ("score", lambda meme: round(meme.score, 2)),
        ),
    )
    medians = Table(
        "Languages (medians)",
        "languages",
        (
            "language pictures with_problems=flawed",
            ("size / height", _percent("size_share")),
            ("coverage", _percent("coverage")),
            ("of the middle", _percent("middle_coverage")),
        ),
        empty=True,
    )
    return [problems, parity, medians]


def _table(title: str, rows: Sequence[Any], limit: int, columns: str | Sequence[Column]) -> Table:
    shown = rows[: limit or None]
    of = f"{len(shown)} of " if len(shown) < len(rows) else ""
    return Table(f"{title} ({of}{len(rows):,})", lambda _: shown, columns)


def _percent(field: str) -> Callable[[Any], Cell]:
    return lambda row: f"{100 * getattr(row, field):.1f} %"


_OCR = Table(
    "Read back by Tesseract: character error rate",
    "languages",
    (
        "language model pictures",
        ("median", _percent("median")),
        ("mean", _percent("mean")),
        ("read exactly", _percent("exact")),
    ),
    empty=True,
)


def _read_back(
    out: Path,
    pictures: int,
    languages: list[str] | None,
    templates: list[Path],
    locales: list[Path],
    jobs: int | None,
) -> OcrReport:
    from memeloc.engine import usable_cpus
    from memeloc.locales import Registry
    from memeloc.render.ocr import read_back
    from memeloc.templates import load_templates

    by_name, wrong = load_templates(templates)
    explain("Note", wrong, most=None)
    with progress("Reading back", pictures) as bar:
        report = read_back(
            out,
            by_name,
            Registry.load(*locales),
            languages=languages,
            jobs=jobs or usable_cpus(),
            advance=bar.advance,
        )
    not_read = (*report.not_read, *report.failed)
    explain("Not read", [f"{what}: {why}" for what, why in not_read], most=None)
    return report


def boxes(
    out: Path = Argument(
        ..., metavar="DIR", help="What `memeloc render --out` wrote: a folder, or its address."
    ),
    to: Path = Option(Path("coco-text.json"), metavar="FILE", help="The file to write."),
    kind: Literal["coco-text"] = Option(
        "coco-text", "--format", metavar="KIND", help="coco-text: JSON as COCO-Text v2 has it."
    ),
    langs: str = Option("all", metavar="TAGS", help="Languages to take, as de,zh; or all."),
    as_json: AsJson = False,
) -> None:
    """Export the words of a rendered set with their boxes, to train or test OCR with.

    The manifest has them, too: in words, word_boxes, word_lines and line_boxes, in pixels and in
    the order in which they are read.

    Example:
      memeloc boxes out
      memeloc boxes out --langs hi,ar --to hi-ar.json
    """
    from memeloc.render.sets.coco_text import write_coco_text

    written = write_coco_text(out, to, languages(langs))
    sentence = (
        f"{counted(written.words, 'word')} of {counted(written.pictures, 'picture')}: "
        f"{written.file}"
    )
    show(written, sentence, as_json=as_json)
