"""`memeloc proof`. In: a rendered set. Out: its problems, its parity, and how OCR reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

from memeloc.cli.options import AsJson, LocaleFolders, TemplateFolders, languages
from memeloc.cli.output import Cell, progress, say
from memeloc.cli.show import Column, Table, as_plain, show

if TYPE_CHECKING:
    from memeloc.render.ocr import OcrReport
    from memeloc.render.sets.review import Review


def _percent(attribute: str) -> Callable[[Any], Cell]:
    return lambda row: f"{100 * row[attribute]:.1f} %"


def _table(title: str, field: str, columns: Sequence[Column]) -> Table:
    """A list of a report's, which was cut to `--limit` of `counts[field]`."""

    def full_title(report: dict[str, Any]) -> str:
        shown, count = len(report[field]), report["counts"][field]
        return f"{title} ({shown} of {count:,})" if shown < count else f"{title} ({count:,})"

    return Table(full_title, lambda report: report[field], columns)


_TABLES = (
    _table(
        "Problems, worst first",
        "problems",
        (
            ("meme", "meme_id"),
            ("language", "language"),
            ("problems", lambda flaw: ", ".join(flaw["problems"])),
            ("measured", "detail"),
            ("picture", "path"),
        ),
    ),
    _table(
        "Memes that differ most between languages",
        "parity",
        (
            ("meme", "meme_id"),
            ("size ratio", lambda meme: round(meme["size_ratio"], 2)),
            ("smallest in", "smallest"),
            ("coverage spread", _percent("coverage_spread")),
            ("middle spread", _percent("middle_spread")),
            ("fullest in", "fullest"),
            ("score", lambda meme: round(meme["score"], 2)),
        ),
    ),
    Table(
        "Languages (medians)",
        lambda report: report["languages"],
        (
            ("language", "language"),
            ("pictures", "pictures"),
            ("with problems", "flawed"),
            ("size / height", _percent("size_share")),
            ("coverage", _percent("coverage")),
            ("of the middle", _percent("middle_coverage")),
        ),
        empty=True,
    ),
)
_OCR_TABLES = (
    Table(
        "Read back by Tesseract: character error rate",
        lambda report: report["languages"],
        (
            ("language", "language"),
            ("model", "model"),
            ("pictures", "pictures"),
            ("median", _percent("median")),
            ("mean", _percent("mean")),
            ("read exactly", _percent("exact")),
        ),
        empty=True,
    ),
    _table(
        "Read worst",
        "worst",
        (
            ("error rate", _percent("cer")),
            ("picture", "path"),
            ("drawn", "drawn"),
            ("read", "read"),
        ),
    ),
)


def proof(
    out: Path = Argument(..., metavar="DIR", help="The folder that `memeloc render --out` wrote."),
    ocr: bool = Option(False, "--ocr", help="Read each picture back with Tesseract (extra `ocr`)."),
    langs: str = Option("all", metavar="TAGS", help="Languages to report on, as de,zh; or all."),
    limit: int = Option(20, min=0, help="Rows of each list; 0 shows everything."),
    templates: TemplateFolders = None,
    locales: LocaleFolders = None,
    jobs: int | None = Option(
        None, min=1, help="Tesseracts that run at once.", show_default="one a usable processor"
    ),
    fail_on_problems: bool = Option(
        False, "--fail-on-problems", help="Exit with 1 if any picture has a problem."
    ),
    as_json: AsJson = False,
) -> None:
    """List the problems of a rendered set, worst first, and where its languages differ most.

    Problems are what the proofs found: missing glyphs, clipped, left-out or too small text,
    broken words, low contrast. Parity ranks the memes whose languages differ most in size of
    text and in the share of the picture that text covers.

    \b
    Example:
      memeloc proof out
      memeloc proof out --ocr --langs en,zh --limit 5
      memeloc proof out --json --fail-on-problems
    """
    from memeloc.render.sets.review import review

    tags = languages(langs)
    rendered = review(out, tags)
    report, counts = _fields(rendered, limit)
    if not as_json:
        if not rendered.flaws:
            print(f"No problems in {rendered.pictures:,} pictures.\n")
        show(report | counts, as_json=False, tables=_TABLES)
    if ocr:
        reading = _read_back(out, rendered.pictures, tags, templates or [], locales or [], jobs)
        report["ocr"], counts = _ocr_fields(reading, limit)
        if not as_json:
            print()
            show(report["ocr"] | counts, as_json=False, tables=_OCR_TABLES)
    if as_json:
        show(report, as_json=True)
    if fail_on_problems and rendered.flaws:
        raise typer.Exit(1)


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

    known, wrong = load_templates(templates)
    for error in wrong:
        say(f"Note: {error}")
    with progress("Reading back", pictures) as bar:
        report = read_back(
            out,
            known,
            Registry.load(*locales),
            languages=languages,
            jobs=jobs or usable_cpus(),
            advance=bar.advance,
        )
    for language, why in report.not_read:
        say(f"Not read: {language}: {why}")
    for path, why in report.failed:
        say(f"Not read: {path}: {why}")
    return report


def _fields(rendered: Review, limit: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The report as JSON has it, its lists cut to the limit, and how long they are in whole."""
    from collections import Counter

    problems, parity = as_plain(rendered.flaws), as_plain(rendered.parity)
    kinds = Counter(kind for flaw in rendered.flaws for kind in flaw.problems)
    report = {
        "pictures": rendered.pictures,
        "memes": rendered.memes,
        "flawed": len(problems),
        "problems_by_kind": dict(kinds),
        "problems": problems[: limit or None],
        "parity": parity[: limit or None],
        "languages": as_plain(rendered.languages),
    }
    return report, {"counts": {"problems": len(problems), "parity": len(parity)}}


def _ocr_fields(reading: OcrReport, limit: int) -> tuple[dict[str, Any], dict[str, Any]]:
    worst = [as_plain(row) for row in reading.readings if row.cer]
    report = {
        "languages": as_plain(reading.languages),
        "worst": worst[: limit or None],
        "not_read": dict(reading.not_read),
        "failed": dict(reading.failed),
        "fresh": reading.fresh,
    }
    return report, {"counts": {"worst": len(worst)}}
