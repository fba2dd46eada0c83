"""`memeloc templates`. In: folders, pictures, names. Out: what there is, its boxes, a new one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from memeloc.errors import InputError
    from memeloc.model import Template

app = typer.Typer(no_args_is_help=True, help="Look at the templates, and make new ones.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="A template's name, as list shows it.")]
Folders = Annotated[
    list[Path] | None,
    typer.Option(
        "--templates",
        metavar="DIR",
        help="A folder of your own templates or of plain pictures; may be given several times.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@app.command("list")
def list_templates(templates: Folders = None, as_json: AsJson = False) -> None:
    """List the templates with their boxes, in the order of a caption's parts.

    The exit status is 1 when a template is wrong; a sentence says how.

    \b
    Example:
      memeloc templates list
      memeloc templates list --templates my-pictures --json
    """
    from memeloc.cli.output import print_json, say, table

    found, problems = _load(templates)
    if as_json:
        print_json(
            {
                "templates": [_entry(template) for template in found.values()],
                "problems": [str(problem) for problem in problems],
            }
        )
    else:
        table(
            f"{len(found)} templates",
            ["name", "title", "boxes", "keywords"],
            [
                [
                    template.name,
                    template.title,
                    ", ".join(box.name for box in template.boxes),
                    ", ".join(template.keywords),
                ]
                for template in found.values()
            ],
        )
    for problem in problems:
        say(str(problem))
    if problems:
        raise typer.Exit(1)


@app.command("show")
def show(name: Name, templates: Folders = None, as_json: AsJson = False) -> None:
    """Show all that is known of a template: what it shows, where it is from, its boxes.

    \b
    Example:
      memeloc templates show cat-and-plant
    """
    from memeloc.cli.output import print_json, table
    from memeloc.templates import picture_size

    template = _named(name, templates)
    width, height = picture_size(template.image)
    if as_json:
        print_json(_entry(template) | {"width": width, "height": height})
        return
    table(
        f"{template.title} ({template.name})",
        ["field", "value"],
        [
            ["description", template.description],
            ["keywords", ", ".join(template.keywords)],
            ["picture", str(template.image)],
            ["size", f"{width} x {height} pixels"],
            ["source", template.source],
            ["licence", template.licence],
        ],
    )
    print()
    table(
        "Boxes, in fractions of the picture",
        ["part", "name", "x", "y", "width", "height", "angle", "align", "valign", "style", "fill"],
        [
            [
                number,
                box.name,
                box.x,
                box.y,
                box.width,
                box.height,
                box.angle,
                box.align,
                box.valign,
                box.style.name,
                box.style.fill,
            ]
            for number, box in enumerate(template.boxes, 1)
        ],
    )


@app.command("preview")
def preview(
    name: Name,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Where to write the PNG (default: NAME-boxes.png)."
        ),
    ] = None,
    templates: Folders = None,
    as_json: AsJson = False,
) -> None:
    """Draw a template's boxes, with their numbers and names, over its picture.

    \b
    Example:
      memeloc templates preview protest-hamster --out boxes.png
    """
    from memeloc.cli.output import print_json
    from memeloc.templates import write_preview

    template = _named(name, templates)
    path = out if out is not None else Path(f"{template.name}-boxes.png")
    write_preview(template, path)
    if as_json:
        print_json({"preview": str(path)})
    else:
        print(path)


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
    from memeloc.cli.output import print_json, say
    from memeloc.templates import LAYOUTS, add_template

    if boxes not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise typer.BadParameter(f"{boxes!r} is not one of {known}", param_hint="--boxes")
    folder = add_template(image, to, name=name, layout=boxes)
    if as_json:
        print_json({"template": folder.name, "folder": str(folder)})
        return
    print(folder)
    say(
        f"Complete {folder / 'template.toml'}, then look at the boxes: "
        f"memeloc templates preview {folder.name} --templates {to}"
    )


def _load(folders: list[Path] | None) -> tuple[dict[str, Template], list[InputError]]:
    from memeloc.templates import load_templates

    return load_templates(folders or ())


def _named(name: str, folders: list[Path] | None) -> Template:
    """The template of that name; else the problems on the way there, and an InputError."""
    from memeloc.cli.output import say
    from memeloc.templates import find_template

    found, problems = _load(folders)
    if name not in found:
        for problem in problems:
            say(str(problem))
    return find_template(found, name)


def _entry(template: Template) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(template) | {"image": str(template.image)}
