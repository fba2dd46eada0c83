"""`memeloc templates, fonts, locales, glossary`. In: names, files. Out: what there is of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli import options
from memeloc.cli.output import progress, say
from memeloc.cli.show import SHOWN, Table, as_plain, by_place, explain, show
from memeloc.counts import counted
from memeloc.errors import InputError, MemelocError

if TYPE_CHECKING:
    from memeloc.fonts import Family, FontLibrary
    from memeloc.fonts.faces import FontStack
    from memeloc.locales import Registry
    from memeloc.model import FaceName, Locale

templates = typer.Typer(no_args_is_help=True, help="Look at the templates, and make new ones.")
locales = typer.Typer(no_args_is_help=True, help="Look at the locales, and begin new ones.")

_TEMPLATES = Table(
    "{n:template}",
    "templates",
    ("name title", ("boxes", lambda one: [box["name"] for box in one["boxes"]]), "keywords"),
)
_TEMPLATE = (
    Table(
        "{0[title]} ({0[name]})",
        lambda template: {
            "description": template["description"],
            "keywords": template["keywords"],
            "picture": template["image"],
            "size": f"{template['width']} x {template['height']} pixels",
            "source": template["source"],
            "licence": template["licence"],
            "pictures of their own": ", ".join(
                f"{key}: {Path(path).name}" for key, path in template["pictures"]
            ),
            "notes": "; ".join(template["notes"]),
        }.items(),
        by_place("field", "value"),
    ),
    Table(
        "Boxes, in fractions of the picture",
        lambda template: [
            box
            | {"part": part, "style": box["style"]["name"], "fill": box["style"]["fill"]}
            | {"bar": (box["bar"] or {}).get("side", ""), "mirror": "yes" if box["mirror"] else ""}
            for part, box in enumerate(template["boxes"], 1)
        ],
        "part name x y width height angle align valign style fill bar mirror",
    ),
    lambda template: [f"Drawn: {template['preview']}"] if "preview" in template else [],
)
_RECOVERED = (
    Table(
        "{n:template}",
        "templates",
        [
            ("folder", lambda template: str(template["folder"])),
            ("memes", lambda template: len(template["memes"])),
            ("painted", lambda template: f"{100 * template['uncertain']:.1f} %"),
            "boxes",
        ],
        empty=True,
    ),
    Table(
        "Left out",
        lambda result: [
            row for template in result["templates"] for row in template["left_out"].items()
        ],
        by_place("picture", "why"),
        most=SHOWN,
    ),
    Table(
        "No other meme on the same picture",
        lambda result: [(picture,) for picture in result["alone"]],
        by_place("picture"),
        most=SHOWN,
    ),
)


@templates.command("show")
def show_templates(
    name: str = Argument("", metavar="NAME", help="One of them, whole.", show_default="all"),
    boxes: Path | None = Option(
        None, metavar="FILE", help="Draw its boxes, with numbers and names, over its picture: .png."
    ),
    folders: options.TemplateFolders = None,
) -> None:
    """List the templates with their boxes, in the order of a caption's parts; or show one whole.

    The exit status is 1 when a template is wrong; a sentence says how.

    Example:
      memeloc templates show --templates my-pictures
      memeloc templates show protest-hamster --boxes boxes.png
    """
    from memeloc.templates import find_template, load_templates, picture_size, write_preview

    by_name, problems = load_templates(options.own_and(folders, "templates"))
    if not name:
        if boxes:
            raise typer.BadParameter("draws the boxes of one template", param_hint="--boxes")
        result = {"templates": as_plain([*by_name.values()]), "problems": [*map(str, problems)]}
        show(result, _TEMPLATES)
        explain("", problems, most=None, fail=True)
        return
    explain("", problems if name not in by_name else ())
    template = find_template(by_name, name)
    width, height = picture_size(template.image)
    fields = as_plain(template) | {"width": width, "height": height}
    if boxes:
        write_preview(template, boxes)
        fields["preview"] = str(boxes)
    show(fields, *_TEMPLATE)


@templates.command("add")
def add(
    image: Path = Argument(..., metavar="IMAGE", help="A picture."),
    name: str | None = Option(None, metavar="NAME", help="Its name (default: the picture's)."),
    to: Path = Option(Path("templates"), metavar="DIR", help="Folder of templates it goes into."),
    boxes: str = Option(
        "top-bottom",
        metavar="LAYOUT",
        help="Boxes to begin with: top-bottom, caption, side-by-side, four, or a bar above it.",
    ),
) -> None:
    """Make a template of a picture: DIR/NAME with the picture and a template.toml to complete.

    The picture is written anew, so that nothing but its pixels is kept: no place, no camera.
    Nothing is ever written over.

    Example:
      memeloc templates add holiday.jpg --name beach --to my-templates
      memeloc templates add two-cats.png --boxes side-by-side
    """
    from memeloc.templates import LAYOUTS, add_template
    from memeloc.templates.pictures import picture_notes

    if boxes not in LAYOUTS:
        names = ", ".join(LAYOUTS)
        raise typer.BadParameter(f"{boxes!r} is not one of {names}", param_hint="--boxes")
    folder = add_template(image, to, name=name, layout=boxes)
    explain("Note", picture_notes(image))
    show({"template": folder.name, "folder": str(folder)}, str(folder))
    say(
        f"Complete {folder / 'template.toml'}, then look at the boxes: "
        f"memeloc templates show {folder.name} --templates {to} --boxes boxes.png"
    )


@templates.command("recover")
def recover(
    pictures: list[Path] | None = Argument(
        None, metavar="PICTURE", help="Memes; without, the pictures that were collected."
    ),
    out: Path = Option(Path("templates"), metavar="DIR", help="Folder the templates go into."),
    inpaint: str = Option(
        "auto", metavar="NAME|FILE", help="What paints the places that no meme shows without text."
    ),
    jobs: options.Jobs = None,
) -> None:
    """Make templates of memes: where several on one picture agree is the picture without text.

    Memes are grouped by the picture they stand on; they may be scaled, cropped, compressed, have
    bars and marks. Of each group with different texts DIR gets a template with the picture and a
    box where the memes have their text. uncertain.png beside it shows what was painted, because no
    meme shows it without text.

    Example:
      memeloc templates recover downloads/*.jpg --out my-templates
    """
    from memeloc.workspace.recovering import recover_templates

    with progress(unit="pictures") as bar:
        result = recover_templates(
            pictures or [], out, inpaint=inpaint, jobs=jobs, on_progress=bar.phase
        )
    show(result, *_RECOVERED)
    explain("", [f"{name}: {problem}" for name, problem in result["problems"].items()], most=None)


_FONTS = Table(
    "{n:font family|font families}",
    "families",
    (
        "family package version licence scripts styles",
        (
            "axes",
            lambda font: " ".join(f"{tag} {a:g}-{b:g}" for tag, (a, b) in font["axes"].items()),
        ),
        ("KB", lambda font: None if font["bytes"] is None else round(font["bytes"] / 1000)),
        "colour state",
        # The name of a file that memeloc brings, the whole path of any other.
        ("file", lambda font: Path(font["file"]).name if font["licence"] else font["file"]),
    ),
)
_CLUSTERS = Table(
    "{0[language]}, {0[face]} text",
    "clusters",
    ("cluster code_points", ("family", lambda row: row["family"] or "MISSING")),
    empty=True,
)


def fonts(
    text: str = Argument("", metavar="TEXT", help="A text to be drawn.", show_default="none"),
    lang: str = Option("en", metavar="TAG", help="The language whose font stack draws TEXT."),
    face: Literal["poster", "plain", "comic"] = Option(
        "poster",
        help="Captions on pictures (poster), bubbles and bars (plain), or handwriting (comic).",
    ),
    font: options.FontFiles = None,
    locales: options.LocaleFolders = None,
) -> None:
    """List the font families, their scripts, styles, files; or say which of them draws a text.

    A package's file is checked to be the one that fonts.toml names. A font of the system is used
    where it is found. Of TEXT, as it stands, without upper-casing, each grapheme cluster is named
    with its font. The exit status is 1 when a file is missing or another, or no font has a cluster.

    Example:
      memeloc fonts
      memeloc fonts "Größe 漢字 👩🏽‍💻" --lang de
    """
    from memeloc.fonts import FontLibrary

    if text:
        _draw(text, lang, face, FontLibrary(font or ()), locales or ())
        return
    families: list[dict[str, Any]] = []
    problems: list[str] = []
    for family in FontLibrary(font or ()).families.values():
        try:
            state = _state(family)
        except MemelocError as error:
            state = "wrong"
            problems.append(str(error))
        families.append(_fields(family, state))
    show({"families": families, "problems": problems}, _FONTS)
    explain("", problems, fail=True)


def _draw(
    text: str, lang: str, face: FaceName, library: FontLibrary, folders: Sequence[Path]
) -> None:
    from memeloc.locales import Registry
    from memeloc.render.typesetting.breaks import clusters as cluster_ends
    from memeloc.render.typesetting.itemize import Itemizer

    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError("TEXT is not UTF-8; check the terminal's encoding") from error
    locale = Registry.load(*folders).get(lang)
    itemizer = Itemizer(library.stack(locale, face))
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
    show(result, _CLUSTERS)
    problem = (
        f"No font draws {len(missing)} of {len(clusters)} clusters: "
        f"{' '.join(dict.fromkeys(missing))}. Name a font that does with --font FILE."
    )
    explain("", [problem] if missing else [], fail=True)


def _state(family: Family) -> str:
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


_COLUMNS = ("tag", "name", "native_name", "script", "direction", "country")
_LOCALES = Table(
    lambda result: (
        f"{len(result['locales'])} locales in "
        f"{len({locale['script'] for locale in result['locales']})} scripts"
    ),
    "locales",
    _COLUMNS,
)
_LOCALE = Table(
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


@locales.command("show")
def show_locales(
    tag: str = Argument(
        "", metavar="TAG", help="A BCP 47 tag, such as de or zh-Hant.", show_default="all"
    ),
    check: bool = Option(
        False, "--check", help="Check instead that the fonts draw CLDR's exemplar characters."
    ),
    folders: options.LocaleFolders = None,
    font: options.FontFiles = None,
) -> None:
    """List the locales: tag, names, script, direction, country; or show one, with its letters.

    With --check both stacks of fonts are checked, poster and plain, without help from other fonts;
    where posters are upper case, capitals too. The exit status is 1 when a letter is missing.

    Example:
      memeloc locales show zh-TW
      memeloc locales show th --check
      memeloc locales show --check --locales my-locales
    """
    from memeloc.locales import Registry

    registry = Registry.load(options.own_and(folders, "locales"))
    chosen = [registry.get(tag)] if tag else [*registry]
    if check:
        _check(registry, chosen, font or ())
    elif tag:
        show(asdict(chosen[0]) | {"exemplars": registry.exemplars(chosen[0].tag)}, _LOCALE)
    else:
        rows = [{name: getattr(locale, name) for name in _COLUMNS} for locale in chosen]
        show({"locales": rows}, _LOCALES)


@locales.command("new")
def new_locale(
    tag: str = Argument(..., metavar="TAG", help="A BCP 47 tag, such as ha or pt-PT."),
    to: Path = Option(Path("locales"), "--locales", metavar="DIR", help="Folder it goes into."),
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
    show({"locale": path.stem, "file": str(path)}, str(path))
    letters = f"memeloc locales show {path.stem} --check --locales {to}"
    say(f"Complete {path}, then see its letters: {letters}")


def _check(registry: Registry, chosen: Sequence[Locale], font: Sequence[str]) -> None:
    from memeloc.fonts import FontLibrary
    from memeloc.locales import coverage
    from memeloc.workspace.own_folders import own_folders

    library = FontLibrary([*font, *own_folders().fonts])
    faces: tuple[FaceName, ...] = ("poster", "plain")
    library.check(registry, chosen, faces)
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    for locale in chosen:
        letters = registry.exemplars(locale.tag)
        if not letters:
            problems.append(
                f"{locale.tag}: CLDR has no exemplar characters for it; list its letters in its "
                "TOML, as exemplars in [letters]"
            )
        for face in faces:
            stack = library.stack(locale, face)
            preferred = {None} | {each.family for each in stack.preferred}

            def family_for(
                cluster: str, stack: FontStack = stack, preferred: set[Any] = preferred
            ) -> Any:
                # One of another stack does not count.
                family = getattr(stack.font_for(cluster), "family", None)
                return family if family in preferred else None

            drawn_by = coverage(locale, letters, family_for, upper=face == "poster")
            missing = [cluster for cluster, family in drawn_by.items() if family is None]
            families = Counter(filter(None, drawn_by.values()))
            about = {"tag": locale.tag, "face": face, "clusters": len(drawn_by)}
            rows.append(about | {"families": dict(families), "missing": missing})
            if missing:
                problems.append(
                    f"{locale.tag}: the {face} fonts lack {len(missing)} of "
                    f"{counted(len(drawn_by), 'letter')}: {_letters(missing)}"
                )
    show({"checks": rows, "problems": problems}, _CHECKS)
    explain("", problems, most=None, fail=True)


def _letters(missing: Sequence[str], most: int = 40) -> str:
    shown = " ".join(missing[:most])
    return shown if len(missing) <= most else f"{shown} … and {len(missing) - most} more"


def _shown(value: object) -> str | float | bool:
    if isinstance(value, tuple):
        texts = [each if isinstance(each, str) else " → ".join(each) for each in value]
        return _letters(texts, 200)
    return value if isinstance(value, str | float | bool) else str(value)


_TERMS = Table("Glossary", "terms", "language term wanted forbidden note", most=SHOWN)


def glossary(langs: options.Langs = "all") -> None:
    """Read the team's glossary and list its terms, by language.

    The setting `glossary` of memeloc.toml names the file; guides/machine-translation.md says what
    stands in it. What is wrong in it is named with its row and column.

    Example:
      memeloc glossary --langs hi
    """
    from memeloc.glossary import shown

    fields = {"term": "names", "wanted": "wanted", "forbidden": "forbidden"}
    with memeloc.Workspace.find() as workspace:
        file = workspace.settings.glossary
        terms = [
            {"language": locale.tag}
            | {name: shown(getattr(term, field)) for name, field in fields.items()}
            | {"note": term.note}
            for locale in workspace.locales_of(options.languages(langs))
            for term in workspace.glossary.terms(locale)
        ]
    count = counted(len(terms), "term")
    then = f"{file}: {count}" if file else "Name one: `glossary` in memeloc.toml"
    show({"glossary": file, "terms": terms}, _TERMS, then)
