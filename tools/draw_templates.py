"""Rasterise the built-in templates. In: templates/NAME/picture.svg. Out: the pictures beside each.

Needs `rsvg-convert` (Debian: librsvg2-bin). Which file a template wants is in its template.toml; a
JPEG for the painterly ones, a PNG for the flat ones. A picture of its own for right-to-left
languages (`[pictures] rtl`) is the mirror image. The drawings use no fonts, so the same
librsvg draws the same pixels everywhere.

    python tools/draw_templates.py [NAME ...]
"""

from __future__ import annotations

import io
import subprocess
import sys
import tomllib
from pathlib import Path

from PIL import Image

TEMPLATES = Path(__file__).parent.parent / "templates"
JPEG_QUALITY = 92
LARGEST_PICTURE = 200_000
LARGEST_DRAWING = 150_000


def draw(folder: Path) -> list[Path]:
    """Write the pictures of the template in `folder` from its drawing, and return their paths.

    Raises:
        ValueError: the drawing or the picture is larger than a template's may be (in bytes).
        subprocess.CalledProcessError: librsvg cannot read the drawing.
    """
    drawing = folder / "picture.svg"
    if drawing.stat().st_size > LARGEST_DRAWING:
        raise ValueError(f"{drawing}: more than {LARGEST_DRAWING} bytes")
    definition = tomllib.loads((folder / "template.toml").read_text("utf-8"))
    raster = subprocess.run(["rsvg-convert", str(drawing)], check=True, capture_output=True).stdout
    picture = Image.open(io.BytesIO(raster)).convert("RGB")
    targets = [folder / str(definition["image"])]
    write(picture, targets[0])
    if mirrored := definition.get("pictures", {}).get("rtl"):
        targets.append(folder / str(mirrored))
        write(picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT), targets[1])
    return targets


def write(picture: Image.Image, target: Path) -> None:
    """Write a picture as its name says, whole or not at all.

    Raises:
        ValueError: it is larger than a template's may be (in bytes).
    """
    encoded = io.BytesIO()
    if target.suffix == ".jpg":
        picture.save(encoded, "JPEG", quality=JPEG_QUALITY, optimize=True)
    else:
        picture.save(encoded, "PNG", optimize=True)
    if encoded.tell() > LARGEST_PICTURE:
        raise ValueError(f"{target}: {encoded.tell()} bytes, more than {LARGEST_PICTURE}")
    partial = target.with_suffix(".partial")
    partial.write_bytes(encoded.getvalue())
    partial.replace(target)


def main(names: list[str]) -> None:
    """Draw the named templates, or all."""
    folders = [TEMPLATES / name for name in names] or sorted(
        path.parent for path in TEMPLATES.glob("*/picture.svg")
    )
    for folder in folders:
        for target in draw(folder):
            print(f"{target.relative_to(TEMPLATES)}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
