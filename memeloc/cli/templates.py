"""`memeloc templates`. In: folders, pictures, names. Out: what there is, its boxes, a new one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memeloc.cli.options import AsJson, TemplateFolders
from memeloc.cli.output import say
from memeloc.cli.show import Table, as_plain, explain, show

if TYPE_CHECKING:
    from memeloc.model import Template

app = typer.Typer(no_args_is_help=True, help="Look at the templates, and make new ones.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="A template's name, as list shows it.")]

_TEMPLATES = Table(
    lambda result: f"{len(result['templates'])} templates",
    lambda result: result["templates"],
    (
        ("name", "name"),
        ("title", "title"),
        ("boxes", lambda template: ", ".join(box["name"] for box in template["boxes"])),
        ("keywords", lambda template: ", ".join(template["keywords"])),
    ),
)
_TEMPLATE = (
    Table(
        lambda template: f"{template['title']} ({template['name']})",
        lambda template: [
            ("description", template["description"]),
            ("keywords", ", ".join(template["keywords"])),
            ("picture", template["image"]),
            ("size", f"{template['width']} x {template['height']} pixels"),
            ("source", template["source"]),
            ("licence", template["licence"]),
        ],
        (("field", lambda row: row[0]), ("value", lambda row: row[1])),
    ),
    Table(
        "Boxes, in fractions of the picture",
        lambda template: enumerate(template["boxes"], 1),
        (
            ("part", lambda row: row[0]),
            *(
                (name, lambda row, name=name: row[1][name])
                for name in ("name", "x", "y", "width", "height", "angle", "align", "valign")
            ),
            ("style", lambda row: row[1]["style"]["name"]),
            ("fill", lambda row: row[1]["style"]["fill"]),
        ),
    ),
)


@app.command("list")
def list_templates(templates: TemplateFolders = None, as_json: AsJson = False) -> None:
    """List the templates with their boxes, in the order of a caption's parts.

    The exit status is 1 when a template is wrong; a sentence says how.

    \b
    Example:
      memeloc templates list
      memeloc templates list --templates my-pictures --json
    """
    from memeloc.templates import load_templates

    by_name, problems = load_templates(templates or ())
    result = {"templates": as_plain(list(by_name.values())), "problems": list(map(str, problems))}
    show(result, as_json=as_json, tables=[_TEMPLATES])
    explain("", problems, most=len(problems))
    if problems:
        raise typer.Exit(1)


@app.command("show")
def show_template(name: Name, templates: TemplateFolders = None, as_json: AsJson = False) -> None:
    """Show all that is known of a template: what it shows, where it is from, its boxes.

    \b
    Example:
      memeloc templates show cat-and-plant
    """
    from memeloc.templates import picture_size

    template = _named(name, templates)
    width, height = picture_size(template.image)
    show(as_plain(template) | {"width": width, "height": height}, as_json=as_json, tables=_TEMPLATE)


@app.command("preview")
def preview(
    name: Name,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Where to write the PNG (default: NAME-boxes.png)."
        ),
    ] = None,
    templates: TemplateFolders = None,
    as_json: AsJson = False,
) -> None:
    """Draw a template's boxes, with their numbers and names, over its picture.

    \b
    Example:
      memeloc templates preview protest-hamster --out boxes.png
    """
    from memeloc.templates import write_preview

    template = _named(name, templates)
    path = out if out is not None else Path(f"{template.name}-boxes.png")
    write_preview(template, path)
    show({"preview": str(path)}, as_json=as_json, then=str(path))


@app.command("add")
def add(
    image: Annotated[Path, typer.Argument(metavar="IMAGE", help="A picture.")],
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="The template's name (default: that of the picture)."
        ),
    ] = None,
    to: Annotated[
        Path, typer.Option("--to", metavar="DIR", help="The folder of templates it goes into.")
    ] = Path("templates"),
    boxes: Annotated[
        str,
        typer.Option(
            "--boxes",
            metavar="LAYOUT",
            help="Boxes to begin with: top-bottom, caption, side-by-side or four.",
        ),
    ] = "top-bottom",
    as_json: AsJson = False,
) -> None:
    """Make a template of a picture: DIR/NAME with the picture and a template.toml to complete.

    The picture is written anew, so that nothing but its pixels is kept: no place, no camera.
    Nothing is ever written over.

    \b
    Example:
      memeloc templates add holiday.jpg --name beach --to my-templates
      memeloc templates add two-cats.png --boxes side-by-side
    """
    from memeloc.templates import LAYOUTS, add_template

    if boxes not in LAYOUTS:
        names = ", ".join(LAYOUTS)
        raise typer.BadParameter(f"{boxes!r} is not one of {names}", param_hint="--boxes")
    folder = add_template(image, to, name=name, layout=boxes)
    show({"template": folder.name, "folder": str(folder)}, as_json=as_json, then=str(folder))
    say(
        f"Complete {folder / 'template.toml'}, then look at the boxes: "
        f"memeloc templates preview {folder.name} --templates {to}"
    )


def _named(name: str, folders: list[Path] | None) -> Template:
    """The template of that name; else the problems on the way there, and an InputError."""
    from memeloc.templates import find_template, load_templates

    by_name, problems = load_templates(folders or ())
    if name not in by_name:
        explain("", problems)
    return find_template(by_name, name)
