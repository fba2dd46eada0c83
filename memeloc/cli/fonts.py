"""`memeloc fonts`. In: font files and text. Out: which fonts there are, and what each one draws."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer
from typer import Argument, Option

from memeloc.cli.options import AsJson, FontFiles, LocaleFolders
from memeloc.cli.show import Table, explain, show
from memeloc.errors import InputError, MemelocError

if TYPE_CHECKING:
    from memeloc.fonts import Family

app = typer.Typer(no_args_is_help=True, help="Look at the fonts, and at what they draw.")


def _file(font: dict[str, Any]) -> str:
    """The name of a file that memeloc brings, the whole path of any other."""
    return str(font["file"] if not font["licence"] else Path(font["file"]).name)


def _axes(font: dict[str, Any]) -> str:
    return " ".join(f"{tag} {low:g}-{high:g}" for tag, (low, high) in font["axes"].items())


_FONTS = Table(
    "{n:font family|font families}",
    "families",
    (
        "family package version licence scripts styles",
        ("axes", _axes),
        ("KB", lambda font: None if font["bytes"] is None else round(font["bytes"] / 1000)),
        "colour state",
        ("file", lambda font: _file(font)),
    ),
)
_CLUSTERS = Table(
    "{0[language]}, {0[face]} text",
    "clusters",
    ("cluster code_points", ("family", lambda row: row["family"] or "MISSING")),
    empty=True,
)


@app.command("list")
def list_fonts(font: FontFiles = None, as_json: AsJson = False) -> None:
    """List the font families: for which scripts and styles, in colour or not, and where they are.

    A package's file is checked to be the one that fonts.toml names; the exit status is 1 when it
    is missing or its SHA-256 is another. A font of the system is used where it is found.

    Example:
      memeloc fonts list
      memeloc fonts list --json
    """
    from memeloc.fonts import FontLibrary

    families: list[dict[str, Any]] = []
    problems: list[str] = []
    for family in FontLibrary(font or ()).families.values():
        try:
            state = _state(family)
        except MemelocError as error:
            state = "wrong"
            problems.append(str(error))
        families.append(_fields(family, state))
    show({"families": families, "problems": problems}, _FONTS, as_json=as_json)
    explain("", problems, fail=True)


@app.command("check")
def check(
    text: str = Argument(..., metavar="TEXT", help="The text to be drawn."),
    lang: str = Option("en", metavar="TAG", help="The language whose font stack is used."),
    face: Literal["poster", "plain", "comic"] = Option(
        "poster",
        help="Captions on pictures (poster), bubbles and bars (plain), or handwriting (comic).",
    ),
    font: FontFiles = None,
    locales: LocaleFolders = None,
    as_json: AsJson = False,
) -> None:
    """Say which font draws each grapheme cluster of TEXT, and what no font has.

    TEXT is taken as it stands, without upper-casing. The exit status is 1 when something is
    missing.

    Example:
      memeloc fonts check "Größe 漢字 👩🏽‍💻" --lang de
    """
    from memeloc.fonts import FontLibrary
    from memeloc.locales import Registry
    from memeloc.render.typesetting.breaks import clusters as cluster_ends
    from memeloc.render.typesetting.itemize import Itemizer

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
        ends = cluster_ends(line)
        for start, end in zip([0, *ends], ends, strict=False):
            cluster = line[start:end]
            if cluster.isspace():
                continue
            drawn_by = next(run.face for run in itemized.runs if run.start <= start < run.end)
            clusters.append(
                {
                    "cluster": cluster,
                    "code_points": [f"U+{ord(letter):04X}" for letter in cluster],
                    "family": None if cluster in itemized.missing else drawn_by.family,
                }
            )
    result = {"language": locale.tag, "face": face, "clusters": clusters, "missing": missing}
    show(result, _CLUSTERS, as_json=as_json)
    problem = (
        f"No font draws {len(missing)} of {len(clusters)} clusters: "
        f"{' '.join(dict.fromkeys(missing))}. Name a font that does with --font FILE."
    )
    explain("", [problem] if missing else [], fail=True)


def _state(family: Family) -> str:
    """Where a family is from, its file checked."""
    if family.optional:
        return "on this system" if family.found else "not on this system"
    family.check()
    return "verified" if family.sha256 else "your own, not checked"


def _fields(family: Family, state: str) -> dict[str, Any]:
    from importlib.metadata import PackageNotFoundError, version

    import uharfbuzz as hb

    from memeloc.fonts import Face

    try:
        installed = version(family.package) if family.package else ""
    except PackageNotFoundError:
        installed = ""
    size, axes, colour = None, {}, False
    if family.found:
        size = family.path.stat().st_size
        face = hb.Face(hb.Blob.from_file_path(str(family.path)), family.index)
        axes = {axis.tag: (axis.min_value, axis.max_value) for axis in face.axis_infos}
        colour = Face(family, "plain", face).colour
    return {
        "family": family.name,
        "package": family.package,
        "version": installed,
        "licence": family.licence,
        "scripts": list(family.scripts),
        "styles": list(family.styles),
        "axes": axes,
        "colour": colour,
        "file": str(family.path) if family.found or not family.optional else "",
        "names": list(family.system),
        "bytes": size,
        "sha256": family.sha256,
        "state": state,
    }
