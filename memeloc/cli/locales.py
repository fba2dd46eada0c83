"""`memeloc locales`. In: tags, folders of TOML. Out: which locales there are, what they lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from memeloc.cli.options import AsJson, FontFiles, LocaleFolders, own_and
from memeloc.cli.output import say
from memeloc.cli.show import Table, explain, show
from memeloc.counts import counted

if TYPE_CHECKING:
    from memeloc.fonts import FontLibrary
    from memeloc.model import FaceName, Locale

app = typer.Typer(no_args_is_help=True, help="Look at the locales, check them, and begin new ones.")

Tag = Annotated[str, Argument(metavar="TAG", help="A BCP 47 tag, such as de or zh-Hant.")]

_COLUMNS = ("tag", "name", "native_name", "script", "direction", "country")
_LOCALES = Table(
    lambda result: (
        f"{len(result['locales'])} locales in "
        f"{len({locale['script'] for locale in result['locales']})} scripts"
    ),
    "locales",
    _COLUMNS,
)
_FIELDS = Table(
    "{0[name]} ({0[tag]})",
    lambda fields: fields.items(),
    (("field", lambda row: row[0].replace("_", " ")), ("value", lambda row: _shown(row[1]))),
)
_CHECKS = Table(
    lambda result: f"Letters of {len(result['checks']) // 2} locales",
    "checks",
    (
        "tag face letters=clusters",
        ("missing", lambda row: len(row["missing"])),
        "drawn_by=families",
    ),
)


@app.command("list")
def list_locales(locales: LocaleFolders = None, as_json: AsJson = False) -> None:
    """List the locales: tag, names, script, direction, country.

    Example:
      memeloc locales list
      memeloc locales list --locales my-locales --json
    """
    from memeloc.locales import Registry

    locales_ = [
        {name: getattr(locale, name) for name in _COLUMNS}
        for locale in Registry.load(own_and(locales, "locales"))
    ]
    show({"locales": locales_}, _LOCALES, as_json=as_json)


@app.command("show")
def show_locale(tag: Tag, locales: LocaleFolders = None, as_json: AsJson = False) -> None:
    """Show all that is known of a locale, with its letters.

    Example:
      memeloc locales show zh-TW
    """
    from memeloc.locales import Registry

    registry = Registry.load(own_and(locales, "locales"))
    locale = registry.get(tag)
    fields = asdict(locale) | {"exemplars": registry.exemplars(locale.tag)}
    show(fields, _FIELDS, as_json=as_json)


@app.command("new")
def new_locale(
    tag: Tag,
    to: Path = Option(Path("locales"), "--locales", metavar="DIR", help="Folder it goes into."),
    as_json: AsJson = False,
) -> None:
    """Write DIR/TAG.toml for a new language, with what CLDR knows, for a person to finish.

    Names, script, direction, country and fonts are filled in; what only a reader of the language
    knows is a line behind a #, with an example. Of a language that memeloc has it is a copy.
    Nothing is ever written over.

    Example:
      memeloc locales new ha
      memeloc locales new pt-PT --locales my-locales
    """
    from memeloc.locales import new_locale

    path = new_locale(tag, to)
    show({"locale": path.stem, "file": str(path)}, str(path), as_json=as_json)
    say(f"Complete {path}, then see its letters: memeloc locales check {path.stem} --locales {to}")


@app.command("check")
def check(
    tag: str | None = Argument(None, metavar="TAG", help="A BCP 47 tag, such as de; or --all."),
    every: bool = Option(False, "--all", help="Check every locale."),
    locales: LocaleFolders = None,
    font: FontFiles = None,
    as_json: AsJson = False,
) -> None:
    """Check that a locale's fonts draw its letters: CLDR's exemplar characters.

    Both stacks are checked, poster and plain, without help from other fonts.
    Where posters are upper case, capitals are checked too.
    The exit status is 1 when a letter is missing.

    Example:
      memeloc locales check th
      memeloc locales check --all
    """
    from memeloc.fonts import FontLibrary
    from memeloc.locales import Registry
    from memeloc.workspace.own_folders import own_folders

    if (tag is None) != every:
        raise typer.BadParameter("give either a TAG or --all", param_hint="TAG")
    registry = Registry.load(own_and(locales, "locales"))
    library = FontLibrary([*(font or ()), *own_folders().fonts])
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    chosen = list(registry) if tag is None else [registry.get(tag)]
    faces: tuple[FaceName, ...] = ("poster", "plain")
    library.check(registry, chosen, faces)
    for locale in chosen:
        letters = registry.exemplars(locale.tag)
        if not letters:
            problems.append(
                f"{locale.tag}: CLDR has no exemplar characters for it; list its letters in its "
                "TOML, as exemplars in [letters]"
            )
        for face in faces:
            drawn_by = _coverage(locale, letters, library, face)
            missing = [cluster for cluster, family in drawn_by.items() if family is None]
            families = Counter(filter(None, drawn_by.values()))
            about = {"tag": locale.tag, "face": face, "clusters": len(drawn_by)}
            rows.append(about | {"families": dict(families), "missing": missing})
            if missing:
                problems.append(
                    f"{locale.tag}: the {face} fonts lack {len(missing)} of "
                    f"{counted(len(drawn_by), 'letter')}: {_letters(missing)}"
                )
    show({"checks": rows, "problems": problems}, _CHECKS, as_json=as_json)
    explain("", problems, most=None, fail=True)


def _coverage(
    locale: Locale, letters: tuple[str, ...], library: FontLibrary, face: FaceName
) -> dict[str, str | None]:
    from memeloc.locales import coverage

    stack = library.stack(locale, face)
    own = {None} | {each.family for each in stack.preferred}

    def family_for(cluster: str) -> str | None:
        family = getattr(stack.font_for(cluster), "family", None)
        return family if family in own else None  # one of another stack does not count

    return coverage(locale, letters, family_for, upper=face == "poster")


def _letters(missing: Sequence[str], most: int = 40) -> str:
    shown = " ".join(missing[:most])
    return shown if len(missing) <= most else f"{shown} … and {len(missing) - most} more"


def _shown(value: object) -> str | float | bool:
    if isinstance(value, tuple):
        texts = [each if isinstance(each, str) else " → ".join(each) for each in value]
        return _letters(texts, 200)
    return value if isinstance(value, str | float | bool) else str(value)
