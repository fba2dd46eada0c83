"""`memeloc fonts`. In: font files and text. Out: which fonts there are, and what each one draws."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from memeloc.fonts import Family

app = typer.Typer(no_args_is_help=True, help="Look at the fonts, and at what they draw.")

FontFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--font",
        metavar="FILE",
        help="A font file of your own, tried before all others; may be given several times. "
        "Axes of a variable font follow a colon: My.ttf:wght=650,wdth=80.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@app.command("list")
def list_fonts(font: FontFiles = None, as_json: AsJson = False) -> None:
    """List the font families, and check that each file is the one that fonts.toml names.

    The exit status is 1 when a file is missing or its SHA-256 is another.

    \b
    Example:
      memeloc fonts list
      memeloc fonts list --json
    """
    from memeloc.cli.output import print_json, say, table
    from memeloc.errors import MemelocError
    from memeloc.fonts import FontLibrary

    entries: list[dict[str, Any]] = []
    problems: list[str] = []
    for family in FontLibrary(font or ()).families.values():
        try:
            family.check()
            state = "verified" if family.sha256 else "your own, not checked"
        except MemelocError as error:
            state = "wrong"
            problems.append(str(error))
        entries.append(_entry(family, state))
    if as_json:
        print_json({"families": entries, "problems": problems})
    else:
        headings = ["family", "package", "version", "licence", "scripts", "axes", "KB", "SHA-256"]
        table(
            f"{len(entries)} font families",
            [*headings, "file"],
            [
                [
                    entry["family"],
                    entry["package"],
                    entry["version"],
                    entry["licence"],
                    " ".join(entry["scripts"]),
                    " ".join(
                        f"{tag} {low:g}-{high:g}" for tag, (low, high) in entry["axes"].items()
                    ),
                    round(entry["bytes"] / 1000) if entry["bytes"] is not None else None,
                    entry["state"],
                    Path(entry["file"]).name,
                ]
                for entry in entries
            ],
        )
    for problem in problems:
        say(problem)
    if problems:
        raise typer.Exit(1)


@app.command("check")
def check(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text to be drawn.")],
    lang: Annotated[
        str, typer.Option(metavar="TAG", help="The language whose font stack is used.")
    ] = "en",
    face: Annotated[
        Literal["poster", "plain"],
        typer.Option(help="Captions on pictures (poster), or bubbles and bars (plain)."),
    ] = "poster",
    font: FontFiles = None,
    locales: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR",
            help="A folder of your own locales (one TOML each); may be given several times.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say which font draws each grapheme cluster of TEXT, and what no font has.

    TEXT is taken as it stands, without upper-casing. The exit status is 1 when something is
    missing.

    \b
    Example:
      memeloc fonts check "Größe 漢字 👩🏽‍💻" --lang de
    """
    from memeloc.cli.output import print_json, say, table
    from memeloc.errors import InputError
    from memeloc.fonts import FontLibrary
    from memeloc.locales import Registry
    from memeloc.render.breaks import clusters as cluster_ends
    from memeloc.render.itemize import Itemizer

    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError("TEXT is not UTF-8; check the terminal's encoding") from error
    locale = Registry.load(*(locales or ())).get(lang)
    itemizer = Itemizer(FontLibrary(font or ()).stack(locale, face))
    clusters: list[dict[str, Any]] = []
    missing: list[str] = []
    for line in text.splitlines():
        itemized = itemizer.runs(line, locale.direction)
        missing += itemized.missing
        start = 0
        for end in cluster_ends(line):
            cluster, here = line[start:end], start
            start = end
            if cluster.isspace():
                continue
            face_here = next(run.face for run in itemized.runs if run.start <= here < run.end)
            clusters.append(
                {
                    "cluster": cluster,
                    "code_points": [f"U+{ord(letter):04X}" for letter in cluster],
                    "family": None if cluster in itemized.missing else face_here.family,
                }
            )
    if as_json:
        print_json({"language": locale.tag, "face": face, "clusters": clusters, "missing": missing})
    else:
        table(
            f"{locale.name} ({locale.tag}), {face} text",
            ["cluster", "code points", "family"],
            [
                [entry["cluster"], " ".join(entry["code_points"]), entry["family"] or "MISSING"]
                for entry in clusters
            ],
        )
    if missing:
        say(
            f"No font draws {len(missing)} of {len(clusters)} clusters: "
            f"{' '.join(dict.fromkeys(missing))}. Name a font that does with --font FILE."
        )
        raise typer.Exit(1)


def _entry(family: Family, state: str) -> dict[str, Any]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        installed = version(family.package) if family.package else ""
    except PackageNotFoundError:
        installed = ""
    there = family.path.is_file()
    return {
        "family": family.name,
        "package": family.package,
        "version": installed,
        "licence": family.licence,
        "scripts": list(family.scripts),
        "axes": _axes(family) if there else {},
        "file": str(family.path),
        "bytes": family.path.stat().st_size if there else None,
        "sha256": family.sha256,
        "state": state,
    }


def _axes(family: Family) -> dict[str, tuple[float, float]]:
    """The font's variation axes: tag to least and greatest value."""
    import uharfbuzz as hb

    face = hb.Face(hb.Blob.from_file_path(str(family.path)), family.index)
    return {axis.tag: (axis.min_value, axis.max_value) for axis in face.axis_infos}
