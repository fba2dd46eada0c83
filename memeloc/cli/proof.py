"""`memeloc proof`. In: a rendered set. Out: what to look at; where its words are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer
from typer import Argument, Option

from memeloc.cli.options import LocaleFolders, TemplateFolders, languages
from memeloc.cli.output import Cell, progress
from memeloc.cli.show import Column, Table, explain, show
from memeloc.counts import counted


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
    fail_on_problems: bool = Option(
        False, "--fail-on-problems", help="Exit with 1 on a fault or a warning."
    ),
    boxes: Path | None = Option(
        None, metavar="FILE", help="Only write its words with their boxes: .csv, .jsonl, .parquet."
    ),
) -> None:
    """List what was found in the pictures of a set, and where its languages differ most.

    Faults make a picture wrong: glyphs that no font has, text that is clipped or left out. Warnings
    are to be looked at: text that is too small, hard to see, damaged, or lies on other text, parts
    that only the source language has, emoji without their colours. Notes are good to know:
    hyphenated words. Parity ranks the memes whose languages differ most in size of text and in the
    share of the picture that text covers.

    The table of --boxes, to train or test OCR with, has a row a word, in the order in which they
    are read: picture, meme, language, locale, text box, line, text, and the corners of its box in
    pixels.

    Example:
      memeloc proof out
      memeloc proof out --ocr --langs en,zh --limit 5
      memeloc proof out --json --fail-on-problems
      memeloc proof out --langs hi,ar --boxes words.csv
    """
    from memeloc.locales import Registry
    from memeloc.render.ocr import read_back
    from memeloc.render.proof import KINDS
    from memeloc.render.sets.reading import review, write_words
    from memeloc.templates import load_templates

    tags, most = languages(langs), limit or None
    if boxes is not None:
        count = write_words(out, boxes, tags)
        show({"file": str(boxes), "words": count}, f"{counted(count, 'word')}: {boxes}")
        return
    rendered = review(out, tags)
    found = rendered.findings.to_dict("records")
    parity = rendered.parity.to_dict("records")
    counts = Counter(row["kind"] for row in found)
    report: dict[str, Any] = {
        **{name: getattr(rendered, name) for name in ("pictures", "memes", "flawed")},
        "findings_by_kind": {kind: counts[kind] for kind in KINDS if counts[kind]},
        "findings": found[:most],
        "parity": parity[:most],
        "languages": rendered.languages.to_dict("records"),
    }
    tables = [
        _table("Findings, worst first", found, limit, _FINDINGS),
        _table("Memes that differ most between languages", parity, limit, _PARITY),
        _LANGUAGES,
    ]
    if ocr:
        by_name, wrong = load_templates(templates or [])
        explain("Note", wrong, most=None)
        registry = Registry.load(*(locales or []))
        with progress("Reading back", rendered.pictures) as bar:
            reading = read_back(
                out, by_name, registry, languages=tags, jobs=jobs, advance=bar.advance
            )
        not_read = {**reading.not_read, **reading.failed}
        explain("Not read", [f"{what}: {why}" for what, why in not_read.items()], most=None)
        worst = reading.readings[reading.readings["cer"] > 0].to_dict("records")
        report["ocr"] = {
            "languages": reading.languages.to_dict("records"),
            "worst": worst[:most],
            **{name: getattr(reading, name) for name in ("not_read", "failed", "fresh")},
        }
        tables += [_OCR, _table("Read worst", worst, limit, _READ)]
    fine = [f"No faults and no warnings in {counted(rendered.pictures, 'picture')}.\n"]
    show(report, *([] if rendered.flawed else fine), *tables)
    if fail_on_problems and rendered.flawed:
        raise typer.Exit(1)


def _table(title: str, rows: Sequence[Any], limit: int, columns: str | Sequence[Column]) -> Table:
    shown = rows[: limit or None]
    of = f"{len(shown)} of " if len(shown) < len(rows) else ""
    return Table(f"{title} ({of}{len(rows):,})", lambda _: shown, columns)


def _percent(field: str) -> Callable[[Any], Cell]:
    return lambda row: f"{100 * row[field]:.1f} %"


_FINDINGS = "grade kind meme=meme_id language part found=detail picture=path"
_PARITY: Sequence[Column] = (
    "meme=meme_id",
    ("size ratio", lambda meme: round(meme["size_ratio"], 2)),
    "smallest_in=smallest",
    ("coverage spread", _percent("coverage_spread")),
    ("middle spread", _percent("middle_spread")),
    "fullest_in=fullest",
    ("score", lambda meme: round(meme["score"], 2)),
)
_LANGUAGES = Table(
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
_READ: Sequence[Column] = (("error rate", _percent("cer")), "picture=path drawn read")
_OCR = Table(
    "Read back by Tesseract: character error rate",
    lambda report: report["ocr"]["languages"],
    (
        "language model pictures",
        ("median", _percent("median")),
        ("mean", _percent("mean")),
        ("read exactly", _percent("exact")),
    ),
    empty=True,
)
