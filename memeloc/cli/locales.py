"""`memeloc locales`. In: tags, folders of TOML. Out: which locales there are, what they lack."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from memeloc.fonts import FontLibrary
    from memeloc.locales import Coverage
    from memeloc.model import Locale

app = typer.Typer(no_args_is_help=True, help="Look at the locales, and check them.")

Tag = Annotated[str, typer.Argument(metavar="TAG", help="A BCP 47 tag, such as de or zh-Hant.")]
Folders = Annotated[
    list[Path] | None,
    typer.Option(
        "--locales",
        metavar="DIR",
        help="A folder of your own locales (one TOML each); may be given several times.",
        show_default=False,
    ),
]
FontFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--font",
        metavar="FILE",
        help="A font file of your own, tried before all others; may be given several times.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@app.command("list")
def list_locales(locales: Folders = None, as_json: AsJson = False) -> None:
    """List the locales: tag, names, script, direction, country.

    \b
    Example:
      memeloc locales list
      memeloc locales list --locales my-locales --json
    """
    from memeloc.cli.output import print_json, table
    from memeloc.locales import Registry

    found = list(Registry.load(*(locales or ())))
    columns = ["tag", "name", "native_name", "script", "direction", "country"]
    if as_json:
        print_json({"locales": [{key: getattr(one, key) for key in columns} for one in found]})
        return
    scripts = len({one.script for one in found})
    table(
        f"{len(found)} locales in {scripts} scripts",
        [column.replace("_", " ") for column in columns],
        [[getattr(one, key) for key in columns] for one in found],
    )


@app.command("show")
def show(tag: Tag, locales: Folders = None, as_json: AsJson = False) -> None:
    """Show all that is known of a locale, with its letters.

    \b
    Example:
      memeloc locales show zh-TW
    """
    from dataclasses import asdict

    from memeloc.cli.output import print_json, table
    from memeloc.locales import Registry

    registry = Registry.load(*(locales or ()))
    locale = registry.get(tag)
    fields = asdict(locale) | {"exemplars": registry.exemplars(locale.tag)}
    if as_json:
        print_json(fields)
    else:
        table(
            f"{locale.name} ({locale.tag})",
            ["field", "value"],
            [[key.replace("_", " "), _shown(value)] for key, value in fields.items()],
        )


@app.command("check")
def check(
    tag: Annotated[
        str | None,
        typer.Argument(metavar="TAG", help="A BCP 47 tag, such as de; or give --all."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Check every locale.")] = False,
    locales: Folders = None,
    font: FontFiles = None,
    as_json: AsJson = False,
) -> None:
    """Check that a locale's fonts draw its letters: CLDR's exemplar characters.

    Both stacks are checked, poster and plain, without help from other fonts.
    Where posters are upper case, capitals are checked too.
    The exit status is 1 when a letter is missing.

    \b
    Example:
      memeloc locales check th
      memeloc locales check --all
    """
    from memeloc.cli.output import print_json, say, table
    from memeloc.fonts import FontLibrary
    from memeloc.locales import Registry

    if (tag is None) != every:
        raise typer.BadParameter("give either a TAG or --all", param_hint="TAG")
    registry = Registry.load(*(locales or ()))
    library = FontLibrary(font or ())
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    for locale in registry if tag is None else [registry.get(tag)]:
        letters = registry.exemplars(locale.tag)
        if not letters:
            problems.append(
                f"{locale.tag}: CLDR has no exemplar characters for it; list its letters in its "
                "TOML, as exemplars in [letters]"
            )
        for face in ("poster", "plain"):
            covered = _coverage(locale, letters, library, face)
            rows.append(
                {
                    "tag": locale.tag,
                    "face": face,
                    "clusters": covered.clusters,
                    "families": covered.families,
                    "missing": list(covered.missing),
                }
            )
            if covered.missing:
                problems.append(
                    f"{locale.tag}: the {face} fonts lack {len(covered.missing)} of "
                    f"{covered.clusters} letters: {_letters(covered.missing)}"
                )
    if as_json:
        print_json({"checks": rows, "problems": problems})
    else:
        table(
            f"Letters of {len(rows) // 2} locales",
            ["tag", "face", "letters", "missing", "drawn by"],
            [
                [
                    row["tag"],
                    row["face"],
                    row["clusters"],
                    len(row["missing"]),
                    ", ".join(f"{name} {count}" for name, count in row["families"].items()),
                ]
                for row in rows
            ],
        )
    for problem in problems:
        say(problem)
    if problems:
        raise typer.Exit(1)


def _coverage(
    locale: Locale, letters: tuple[str, ...], library: FontLibrary, face: str
) -> Coverage:
    """What the locale's own stack draws; a family of another stack does not count."""
    from memeloc.locales import coverage

    poster = face == "poster"
    stack = library.stack(locale, "poster" if poster else "plain")
    own = {face.family for face in stack.preferred}

    def family_for(cluster: str) -> str | None:
        drawn_by = stack.font_for(cluster)
        return drawn_by.family if drawn_by and drawn_by.family in own else None

    return coverage(locale, letters, family_for, upper=poster)


def _letters(missing: tuple[str, ...], most: int = 40) -> str:
    shown = " ".join(missing[:most])
    return shown if len(missing) <= most else f"{shown} … and {len(missing) - most} more"


def _shown(value: object) -> str | float | bool:
    if isinstance(value, tuple):
        return _letters(value, 200)
    return value if isinstance(value, str | float | bool) else str(value)
