# ruff: noqa: E501 - regions of memegen, one a line
"""A folder in memegen's template format, in every variant that its own folder has, and worse ones.

The variants are those of jacebrowning/memegen (its config.yml files were read, none is copied); the
texts and pictures are made here.
"""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, ImageDraw

from tests.curate.drawn import png_that_claims

GOOD: dict[str, str] = {
    # The usual one, as memegen writes it today: all keys, one empty keyword, the default overlay.
    "usual": """\
name: The Usual Train
source: https://example.org/memes/usual-train
keywords:
  -
text:
  - style: upper
    color: white
    font: thick
    anchor_x: 0.0
    anchor_y: 0.0
    angle: 0.0
    scale_x: 1.0
    scale_y: 0.2
    align: center
    start: 0.0
    stop: 1.0
  - style: upper
    color: white
    font: thick
    anchor_x: 0.0
    anchor_y: 0.8
    angle: 0.0
    scale_x: 1.0
    scale_y: 0.2
    align: center
    start: 0.0
    stop: 1.0
example:
  - the train is on time
  - nobody told the passengers
overlay:
  - center_x: 0.5
    center_y: 0.5
    angle: 0.0
    scale: 0.25
""",
    # As memegen wrote it in 2020: no font, `sample` for `example`, a list of styles, shouting.
    "older": """\
name: Older Owl
source: http://example.org/memes/older-owl
text:
  - color: white
    style: upper
    anchor_x: 0.0
    anchor_y: 0.0
    angle: 0.0
    scale_x: 1.0
    scale_y: 0.2
  - color: white
    style: upper
    anchor_x: 0.0
    anchor_y: 0.8
    angle: 0.0
    scale_x: 1.0
    scale_y: 0.2
styles:
  -
sample:
  - NOT SURE IF EARLY
  - OR STILL AWAKE
""",
    "no-text": "name: No Regions Named\nexample: [one line, another line]\n",
    "empty-file": "",
    "only-comment": "# to be filled\n",
    # A long address that was folded, and regions that end a thousandth beyond the picture.
    "folded": """\
name: A Folded Address
source:
  https://example.org/a/very/long/address/that/a/writer/of/yaml/puts/on/a/line/of/its/own/
text:
  - {style: default, color: khaki, font: thin, anchor_x: 0.502, anchor_y: 0.399, scale_x: 0.499, scale_y: 0.1, start: 0.4}
  - {style: upper, color: palegoldenrod, anchor_x: 0.025, anchor_y: 0.7, scale_x: 0.95, scale_y: 0.265}
example:
  - Wait, it's round?
  - always has been
""",
    "empty-regions": "name: Without Regions\ntext: []\nexample:\n  - a\n  - b\n",
    "null-region": "name: A Region of Defaults\ntext:\n  -\nexample:\n  - all by default\n",
    "one-mapping": "name: No List\ntext: {anchor_y: 0.4, style: none}\nexample: Just one line\n",
    # Labels on a picture: colours by name and number, the thin font, sentences.
    "labels": """\
name: Labels / On Things
keywords:
  - object-labelling
  - 'IQ: high'
  - object-labelling
text:
  - {style: default, color: khaki, font: thin, anchor_x: 0.02, anchor_y: 0.02, scale_x: 0.45, scale_y: 0.3}
  - {style: default, color: silver, font: comic, anchor_x: 0.52, anchor_y: 0.02, scale_x: 0.45, scale_y: 0.3}
  - {style: default, color: '#BBBBBB', font: impact, anchor_x: 0.02, anchor_y: 0.35, scale_x: 0.45, scale_y: 0.3}
  - {style: thin, color: '#FFFFFF80', anchor_x: 0.52, anchor_y: 0.35, scale_x: 0.45, scale_y: 0.3}
  - {style: none, color: black, font: notosans, anchor_x: 0.02, anchor_y: 0.69, scale_x: 0.45, scale_y: 0.3, align: left}
  - {style: lower, color: 'white,navy', font: jp, anchor_x: 0.52, anchor_y: 0.69, scale_x: 0.45, scale_y: 0.3, align: right}
example:
  - you hear a sound downstairs
  - it is just the cat
  - you do not have a cat
  - the cat disagrees
  - ThE cat
  - A Cat IS Here
""",
    # Turned regions, also ones that reach out of the picture.
    "turned": """\
name: Turned Signs
source: https://example.org/memes/turned-signs
text:
  - {style: none, color: black, anchor_x: 0.085, anchor_y: 0.085, angle: 12.5, scale_x: 0.32, scale_y: 0.095}
  - {style: none, color: black, anchor_x: 0.455, anchor_y: 0.06, angle: -9.5, scale_x: 0.23, scale_y: 0.08}
  - {style: upper, anchor_x: -0.0275, anchor_y: 0.3, angle: -45.0, scale_x: 0.4, scale_y: 0.4}
  - {style: upper, anchor_x: 0.4, anchor_y: 0.35, angle: 27.5, scale_x: 0.4, scale_y: 0.4}
  - {style: upper, anchor_x: -0.1, anchor_y: 0.8, angle: 0.001, scale_x: 1.0, scale_y: 0.2}
example:
  - Push this button.
  - Push that button.
  - left
  - right
  - can't decide
""",
    "outside": """\
name: Regions That Reach Out
text:
  - {anchor_x: 0.8, anchor_y: 0.57, scale_x: 0.39, scale_y: 0.2}
  - {anchor_x: 1.2, anchor_y: 1.3, scale_x: 0.3, scale_y: 0.2}
  - {anchor_x: -2, anchor_y: -2, scale_x: 5, scale_y: 5}
  - {anchor_x: 0.5, anchor_y: 0.5, scale_x: 2, scale_y: 2, angle: 30}
  - {anchor_x: 0.495, anchor_y: 0.2, scale_x: 0.505, scale_y: 0.13}
example: [one, two, three, four, five]
""",
    # Shown at a time only, on an animation; two overlays that move.
    "moving": """\
name: Moving Goalposts
keywords: [goal, posts]
text:
  - {style: upper, anchor_x: 0.14, anchor_y: 0.01, angle: 8.0, scale_x: 0.38, scale_y: 0.3, start: 0.0, stop: 0.54}
  - {style: upper, anchor_x: 0.05, anchor_y: 0.61, angle: 8.0, scale_x: 0.38, scale_y: 0.3, start: 0.61, stop: 0.75}
example:
  - push to the branch
  - it turns green
overlay:
  - {center_x: 0.18, center_y: 0.3, angle: -3.0, scale: 0.4, start: 0.0, stop: 0.5}
  - {center_x: 0.7, center_y: 0.22, angle: 5.0, scale: 0.4, start: 0.5, stop: 1.0}
""",
    "moving-and-still": "name: Both Kinds\nexample: ['', this is a still]\n",
    "old-animation": "name: Animated by Name\nexample: ['', it moves]\n",
    "webp": "name: A Moving WebP\nexample: ['', it moves too]\n",
    "styled": """\
name: Many Grounds
styles:
  - bark
  - wide
example:
  - such ground
  - very style
overlay:
  - {center_x: 0.5, center_y: 0.5, angle: 0.0, scale: 0.25}
""",
    # Lines that YAML 1.1 takes for something else, quoted ones, too many, too few, several scripts.
    "odd-lines": """\
name: "Odd: Lines"
text:
  - {style: none, anchor_y: 0.0, scale_y: 0.1}
  - {style: none, anchor_y: 0.1, scale_y: 0.1}
  - {style: none, anchor_y: 0.2, scale_y: 0.1}
  - {style: none, anchor_y: 0.3, scale_y: 0.1}
  - {style: none, anchor_y: 0.4, scale_y: 0.1}
  - {style: none, anchor_y: 0.5, scale_y: 0.1}
  - {style: none, anchor_y: 0.6, scale_y: 0.1}
  - {style: none, anchor_y: 0.7, scale_y: 0.1}
example:
  - no
  - 1.10
  - 2020-01-01
  - 'Me: can we stop?'
  -
  - "two\\nlines"
  - ":wave: مرحبا"
  - 1_000
  - a ninth line
""",
    "few-lines": "name: Fewer Lines\ntext: [{anchor_y: 0.0}, {anchor_y: 0.4}, {anchor_y: 0.8}]\nexample: [one]\n",
    "mocking": """\
name: Mocking Parrot
text:
  - {style: default, anchor_y: 0.0}
  - {style: mock, anchor_y: 0.8}
example:
  - i said do not repeat this
  - i SaId Do NoT rEpEaT tHiS
""",
    "no-example": "name: No Example\nexample:\n  - ''\n",
    "placeholder": "name: Placeholder\nexample:\n  - Top Line\n  - Bottom Line\n",
    # What memegen's classes do not have, and values of the wrong kind.
    "newer": """\
name: Newer Than We Know
layout: top
description: {en: A mapping}
aliases: [newest, latest]
text:
  - {style: upper, weight: 900, anchor_x: abc, scale_x: .nan, angle: [1], color: octarine, font: wingdings, align: justify}
  - {style: sparkle, scale_y: 0, anchor_y: '0.7', color: [1, 2]}
  - 17
example: [one, {two: 2}, three]
""",
    # YAML as people write it: comments, anchors, folded lines, documents.
    "yaml-features": """\
%YAML 1.2
---
name: >-
  A Folded
  Name
text:
  - style: default
    scale_x: 0.5
    anchor_y: 0.1   # the left one
  - {style: default, scale_x: 0.5, anchor_x: 0.5, anchor_y: 0.1}
example: &lines
  - the same
  - the same
keywords: !!python/name:os.system [harmless, words]
...
""",
    "_test": "name: Test\nsource:\nexample:\n  - Top Line\n  - Bottom Line\n",
    "_error": "name: Error\nsource:\nexample:\n  - your text\n  - goes here\n",
    "_custom": "name: <Name of Meme>\nsource: <URL documenting the origin of the meme>\n",
    "test": "name: Not the Other Test\nexample: [a, b]\n",
    "Zoë's cat": "name: A Name With Spaces\nexample: [a, b]\n",
    "猫": "name: 猫\nexample: [ねこ, です]\n",
    "CON.": "name: Ends With a Dot\nexample: [a, b]\n",
    "bom": "\ufeffname: Byte Order Mark\nexample: [a, b]\n",
    "crlf": "name: Windows\r\ntext:\r\n  - style: upper\r\n    anchor_y: 0.4\r\nexample:\r\n  - a line\r\n",
    "turned-photo": "name: Taken Upright\ntext:\n  - {angle: 20, anchor_x: 0.1, anchor_y: 0.1, scale_x: 0.5}\nexample: [a photo]\n",
    "panorama": "name: Wide\ntext:\n  - {angle: -75, anchor_x: 0.4, anchor_y: 0.0, scale_x: 0.2, scale_y: 0.2}\nexample: [up]\n",
    "palette": "name: Transparent\nexample: [a, b]\n",
    "grey16": "name: Deep Grey\nexample: [a, b]\n",
    "second-picture": "name: The First Is Broken\nexample: [a, b]\n",
    "broken-picture": "name: Broken Picture\nexample: [a, b]\n",
    "html-picture": "name: A Page Called Picture\nexample: [a, b]\n",
    "huge-picture": "name: Too Large\nexample: [a, b]\n",
}
"""Templates that must come in, by their ids."""

WITHOUT_PICTURE = {"_custom", "broken-picture", "html-picture", "huge-picture", "linked-picture"}

BAD: dict[str, bytes] = {
    "bad-yaml": b"name: [unclosed\ntext: }\n",
    "bad-list": b"- a\n- b\n",
    "bad-text": b"just a sentence\n",
    "bad-bytes": b"name: \xff\xfe\x00\x01\n",
    "bad-control": b"name: \x07bell\n",
    "bad-escape": b'name: "\\UFFFFFFFF"\n',
    "bad-deep": b"text: " + b"[" * 20_000,
    "bad-self": b"text: &a [*a, *a]\n",
    "bad-large": b"# " + b"x" * 260_000,
    "bad-two": b"name: one\n---\nname: two\n",
    "bad-bomb": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(
        b"%c: &%c [%s]\n"
        % (ord("a") + i, ord("a") + i, b",".join([b"*%c" % (ord("a") + i - 1)] * 9))
        for i in range(1, 10)
    ),
}
"""config.yml files that must be refused, by the ids of their templates."""


def drawing(size: tuple[int, int] = (400, 300), hue: int = 0) -> Image.Image:
    """Something to write on: bands of colour and a disc."""
    picture = Image.new("RGB", size)
    draw = ImageDraw.Draw(picture)
    for band in range(8):
        colour = f"hsl({(hue + band * 20) % 360}, 40%, {20 + band * 7}%)"
        draw.rectangle((0, band * size[1] // 8, size[0], (band + 1) * size[1] // 8), fill=colour)
    radius = min(size) // 5
    middle = size[0] // 2, size[1] // 2
    draw.ellipse(
        (middle[0] - radius, middle[1] - radius, middle[0] + radius, middle[1] + radius),
        fill="#e8c547",
    )
    return picture


def _animation(path: Path, frames: list[Image.Image]) -> None:
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=80, loop=0)


def _pictures(name: str, folder: Path) -> None:
    """What stands in a template's folder beside its config.yml."""
    moving = [drawing(hue=hue) for hue in (0, 90, 180, 270)]
    flat = Image.new("RGB", (400, 300), "black")
    special = WITHOUT_PICTURE | {"moving", "webp", "old-animation"}
    if name not in special | {"turned-photo", "panorama", "palette", "grey16", "empty-file"}:
        drawing().save(folder / "default.png")
    if name == "empty-file":
        drawing((300, 500)).save(folder / "default.jpg", quality=90)
    elif name == "moving":
        _animation(folder / "default.gif", [flat, flat, *moving])
    elif name == "moving-and-still":
        _animation(folder / "default.gif", moving)
    elif name == "old-animation":
        _animation(folder / "animated.gif", moving)
    elif name == "webp":
        _animation(folder / "default.webp", moving)
    elif name == "styled":
        drawing(hue=200).save(folder / "bark.jpg")
        drawing((600, 200), hue=100).save(folder / "wide.png")
        drawing().save(folder / "_custom-0ddf0e0b5de4648b.png")
        (folder / "default.img").write_bytes(b"")
        (folder / ".DS_Store").write_bytes(b"\0\0")
    elif name == "turned-photo":
        turned = Image.Exif()
        turned[0x0112] = 6  # to be turned by 90 degrees: 400 x 300 is shown as 300 x 400
        drawing().save(folder / "default.jpg", exif=turned)
    elif name == "panorama":
        drawing((900, 200)).save(folder / "default.jpg")
    elif name == "palette":
        picture = drawing().convert("P", palette=Image.Palette.ADAPTIVE)
        picture.save(folder / "default.png", transparency=0)
    elif name == "grey16":
        Image.new("I;16", (300, 300), 40_000).save(folder / "default.png")
    elif name == "second-picture":
        (folder / "default.jpg").write_bytes(b"\xff\xd8\xff\xe0 cut off")
    elif name == "broken-picture":
        drawing().save(whole := io.BytesIO(), "PNG")
        (folder / "default.png").write_bytes(whole.getvalue()[:300])
    elif name == "html-picture":
        (folder / "default.png").write_text("<!doctype html><title>Not here</title>")
    elif name == "huge-picture":
        (folder / "default.png").write_bytes(png_that_claims(50_000, 50_000))


def make_checkout(root: Path) -> Path:
    """Write a checkout of memegen below `root`; returns its path."""
    templates = root / "memegen" / "templates"
    for name, text in GOOD.items():
        folder = templates / name
        folder.mkdir(parents=True)
        (folder / "config.yml").write_bytes(text.encode())
        _pictures(name, folder)
    for name, content in BAD.items():
        (templates / name).mkdir()
        (templates / name / "config.yml").write_bytes(content)
        drawing().save(templates / name / "default.png")
    (templates / "no-config").mkdir()
    drawing().save(templates / "no-config" / "default.png")
    (templates / "README.md").write_text("# templates\n")
    linked = templates / "linked-picture"
    linked.mkdir()
    (linked / "config.yml").write_text("name: A Link Out\nexample: [a, b]\n")
    outside = root / "outside.png"
    drawing().save(outside)
    (linked / "default.png").symlink_to(outside)
    return root / "memegen"
