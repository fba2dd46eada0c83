"""`memeloc templates`. In: folders, pictures, names. Out: what there is, its boxes, a new one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from memeloc.cli.options import AsJson, Jobs, TemplateFolders, own_and
from memeloc.cli.output import progress, say
from memeloc.cli.show import SHOWN, Table, as_plain, by_place, explain, show

if TYPE_CHECKING:
    from memeloc.model import Template

app = typer.Typer(no_args_is_help=True, help="Look at the templates, and make new ones.")

Name = Annotated[str, Argument(metavar="NAME", help="A template's name, as list shows it.")]

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
)

_RECOVERED = (
    Table(
        "{n:template}",
        "templates",
        [
            ("folder", lambda template: str(template.folder)),
            ("memes", lambda template: len(template.memes)),
            ("painted", lambda template: f"{100 * template.uncertain:.1f} %"),
            "boxes",
        ],
        empty=True,
    ),
    Table(
        "Left out",
        lambda result: [row for template in result.templates for row in template.left_out.items()],
        by_place("picture", "why"),
        most=SHOWN,
    ),
    Table(
        "No other meme on the same picture",
        lambda result: [(picture,) for picture in result.alone],
        by_place("picture"),
        most=SHOWN,
    ),
)


@app.command("list")
def list_templates(templates: TemplateFolders = None, as_json: AsJson = False) -> None:
    """List the templates with their boxes, in the order of a caption's parts.

    The exit status is 1 when a template is wrong; a sentence says how.

    Example:
      memeloc templates list
      memeloc templates list --templates my-pictures --json
    """
    from memeloc.templates import load_templates

    by_name, problems = load_templates(own_and(templates, "templates"))
    result = {"templates": as_plain(list(by_name.values())), "problems": list(map(str, problems))}
    show(result, _TEMPLATES, as_json=as_json)
    explain("", problems, most=None, fail=True)


@app.command("show")
def show_template(name: Name, templates: TemplateFolders = None, as_json: AsJson = False) -> None:
    """Show all that is known of a template: what it shows, where it is from, its boxes.

    Example:
      memeloc templates show cat-and-plant
    """
    from memeloc.templates import picture_size

    template = _named(name, templates)
    width, height = picture_size(template.image)
    show(as_plain(template) | {"width": width, "height": height}, *_TEMPLATE, as_json=as_json)


@app.command("preview")
def preview(
    name: Name,
    out: Path | None = Option(None, metavar="FILE", help="The PNG (default: NAME-boxes.png)."),
    templates: TemplateFolders = None,
    as_json: AsJson = False,
) -> None:
    """Draw a template's boxes, with their numbers and names, over its picture.

    Example:
      memeloc templates preview protest-hamster --out boxes.png
    """
    from memeloc.templates import write_preview

    template = _named(name, templates)
    path = out if out is not None else Path(f"{template.name}-boxes.png")
    write_preview(template, path)
    show({"preview": str(path)}, str(path), as_json=as_json)


@app.command("add")
def add(
    image: Path = Argument(..., metavar="IMAGE", help="A picture."),
    name: str | None = Option(None, metavar="NAME", help="Its name (default: the picture's)."),
    to: Path = Option(Path("templates"), metavar="DIR", help="Folder of templates it goes into."),
    boxes: str = Option(
        "top-bottom",
        metavar="LAYOUT",
        help="Boxes to begin with: top-bottom, caption, side-by-side, four, or a bar above it.",
    ),
    as_json: AsJson = False,
) -> None:
    """Make a template of a picture: DIR/NAME with the picture and a template.toml to complete.

    The picture is written anew, so that nothing but its pixels is kept: no place, no camera.
    Nothing is ever written over.

    Example:
      memeloc templates add holiday.jpg --name beach --to my-templates
      memeloc templates add two-cats.png --boxes side-by-side
      memeloc templates add desk.jpg --boxes bar
    """
    from memeloc.templates import LAYOUTS, add_template
    from memeloc.templates.pictures import picture_notes

    if boxes not in LAYOUTS:
        names = ", ".join(LAYOUTS)
        raise typer.BadParameter(f"{boxes!r} is not one of {names}", param_hint="--boxes")
    folder = add_template(image, to, name=name, layout=boxes)
    explain("Note", picture_notes(image))
    show({"template": folder.name, "folder": str(folder)}, str(folder), as_json=as_json)
    say(
        f"Complete {folder / 'template.toml'}, then look at the boxes: "
        f"memeloc templates preview {folder.name} --templates {to}"
    )


@app.command("recover")
def recover(
    pictures: list[Path] | None = Argument(
        None, metavar="[PICTURE...]", help="Memes; without, the pictures that were collected."
    ),
    out: Path = Option(Path("templates"), metavar="DIR", help="Folder the templates go into."),
    inpaint: str = Option(
        "auto", metavar="NAME|FILE", help="What paints the places that no meme shows without text."
    ),
    jobs: Jobs = None,
    as_json: AsJson = False,
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
    show(result, *_RECOVERED, as_json=as_json)
    explain("", [f"{name}: {problem}" for name, problem in result.problems.items()], most=None)


def _named(name: str, folders: list[Path] | None) -> Template:
    from memeloc.templates import find_template, load_templates

    by_name, problems = load_templates(own_and(folders, "templates"))
    if name not in by_name:
        explain("", problems)
    return find_template(by_name, name)
