"""`memeloc proof`. In: a rendered set. Out: its problems, its parity, and how OCR reads it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memeloc.cli.output import print_json, progress, say, table

if TYPE_CHECKING:
    from memeloc.render.ocr import OcrReport
    from memeloc.render.review import Review


def proof(
    out: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder that `memeloc render --out` wrote.")
    ],
    ocr: Annotated[
        bool,
        typer.Option("--ocr", help="Read each picture back with Tesseract (extra `ocr`)."),
    ] = False,
    langs: Annotated[
        str, typer.Option(metavar="TAGS", help="Languages to report on, as de,zh; or all.")
    ] = "all",
    limit: Annotated[int, typer.Option(min=0, help="Rows of each list; 0 shows everything.")] = 20,
    templates: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", help="A folder of templates that were used, for --ocr; may be repeated."
        ),
    ] = None,
    locales: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="A folder of locales of yours; may be repeated."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, help="Tesseracts that run at once.", show_default="one a usable processor"
        ),
    ] = None,
    fail_on_problems: Annotated[
        bool, typer.Option("--fail-on-problems", help="Exit with 1 if any picture has a problem.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
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
    from memeloc.render.review import review

    tags = [tag.strip() for tag in langs.split(",") if tag.strip()]
    chosen = None if tags in (["all"], []) else tags
    found = review(out, chosen)
    if not as_json:
        _print_review(found, limit)
    reading = None
    if ocr:
        reading = _read_back(out, found.pictures, chosen, templates or [], locales or [], jobs)
        if not as_json:
            _print_reading(reading, limit)
    if as_json:
        print_json(_as_json(found, reading, limit))
    if fail_on_problems and found.flaws:
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


def _print_review(found: Review, limit: int) -> None:
    if found.flaws:
        table(
            _title("Problems, worst first", len(found.flaws), limit),
            ("meme", "language", "problems", "measured", "picture"),
            [
                (flaw.meme_id, flaw.language, ", ".join(flaw.problems), flaw.detail, flaw.path)
                for flaw in found.flaws[: limit or None]
            ],
        )
    else:
        print(f"No problems in {found.pictures:,} pictures.")
    if found.parity:
        print()
        table(
            _title("Memes that differ most between languages", len(found.parity), limit),
            (
                "meme",
                "size ratio",
                "smallest in",
                "coverage spread",
                "middle spread",
                "fullest in",
                "score",
            ),
            [
                (
                    meme.meme_id,
                    round(meme.size_ratio, 2),
                    meme.smallest,
                    _percent(meme.coverage_spread),
                    _percent(meme.middle_spread),
                    meme.fullest,
                    round(meme.score, 2),
                )
                for meme in found.parity[: limit or None]
            ],
        )
    print()
    table(
        "Languages (medians)",
        ("language", "pictures", "with problems", "size / height", "coverage", "of the middle"),
        [
            (
                language.language,
                language.pictures,
                language.flawed,
                _percent(language.size_share),
                _percent(language.coverage),
                _percent(language.middle_coverage),
            )
            for language in found.languages
        ],
    )


def _print_reading(report: OcrReport, limit: int) -> None:
    print()
    table(
        "Read back by Tesseract: character error rate",
        ("language", "model", "pictures", "median", "mean", "read exactly"),
        [
            (
                language.language,
                language.model,
                language.pictures,
                _percent(language.median),
                _percent(language.mean),
                _percent(language.exact),
            )
            for language in report.languages
        ],
    )
    worst = [reading for reading in report.readings if reading.cer]
    if worst:
        print()
        table(
            _title("Read worst", len(worst), limit),
            ("error rate", "picture", "drawn", "read"),
            [
                (_percent(reading.cer or 0), reading.path, reading.drawn, reading.read)
                for reading in worst[: limit or None]
            ],
        )


def _title(title: str, count: int, limit: int) -> str:
    return f"{title} ({limit} of {count:,})" if limit and count > limit else f"{title} ({count:,})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _as_json(found: Review, reading: OcrReport | None, limit: int) -> dict[str, object]:
    from collections import Counter
    from dataclasses import asdict

    kinds = Counter(kind for flaw in found.flaws for kind in flaw.problems)
    report: dict[str, object] = {
        "pictures": found.pictures,
        "memes": found.memes,
        "flawed": len(found.flaws),
        "problems_by_kind": dict(kinds),
        "problems": [asdict(flaw) for flaw in found.flaws[: limit or None]],
        "parity": [asdict(meme) for meme in found.parity[: limit or None]],
        "languages": [asdict(language) for language in found.languages],
    }
    if reading is not None:
        worst = [asdict(one) for one in reading.readings if one.cer][: limit or None]
        report["ocr"] = {
            "languages": [asdict(language) for language in reading.languages],
            "worst": worst,
            "not_read": dict(reading.not_read),
            "failed": dict(reading.failed),
            "fresh": reading.fresh,
        }
    return report
