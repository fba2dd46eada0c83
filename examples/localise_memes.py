"""Finished memes for localise.sh: pictures whose truth is known, translations, and figures.

    localise_memes.py make FOLDER                       pictures, and truth.csv
    localise_memes.py translate FOLDER CAPTIONS LANGS   fills the table of `memeloc localise`
    localise_memes.py measure FOLDER LOCALISED          how near the clean pictures are to the truth

The memes stand on memeloc's templates, on made photographs with posters, bars and bubbles, and four
of them on one made photograph. Their texts and translations are those of the starter set.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

sys.path.insert(0, str(Path(__file__).parents[1]))  # the made photographs are the benchmark's

from bench.backgrounds import make_background
from memeloc.fonts import FontLibrary
from memeloc.model import STYLES, Caption, Template, TextBox
from memeloc.render import Renderer
from memeloc.templates import load_templates

Row = dict[str, str]

STARTER = Path(__file__).parent / "starter" / "captions.csv"
KNOWN = ("robot-chef-01", "night-owl-01", "tall-giraffe-02", "chat-with-fridge-01")
"""On memeloc's own templates: the clean picture is known."""
TOGETHER = ("summit-snail-01", "busy-market-01", "robot-chef-02", "long-train-01")
"""On one made picture: where they agree is the clean picture."""
ALONE = (
    ("poster", "sky", "summit-snail-02"),
    ("poster", "valley", "bookmark-03"),
    ("bar", "clouds", "black-bar-llama-01"),
    ("bubbles", "drawing", "robot-chef-03"),
)
"""Each on a picture of its own: it is painted."""
SIZE = 720, 540
POSTER = (
    TextBox("top", 0.03, 0.02, 0.94, 0.24, valign="top"),
    TextBox("bottom", 0.03, 0.74, 0.94, 0.24, valign="bottom"),
)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("make", "translate", "measure"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("other", nargs="*")
    given = parser.parse_args()
    if given.what == "make":
        make(given.folder)
    elif given.what == "translate":
        translate(given.folder, Path(given.other[0]), given.other[1].split(","))
    else:
        measure(given.folder, Path(given.other[0]))


def make(folder: Path) -> None:
    """Draw the memes, and beside them what stands behind their text."""
    clean = folder / "clean"
    clean.mkdir(parents=True)
    captions = {row["meme_id"]: row for row in read(STARTER)}
    renderer = Renderer(FontLibrary(), max_side=max(SIZE))
    truth = []
    for name, meme, template in _memes(clean, captions):
        texts = [part for part in Caption.parse(captions[meme]["en"]).parts if part]
        if template.boxes == POSTER or template.name.startswith("alone"):
            caption = Caption(tuple(texts[: len(template.boxes)]))
        else:
            caption = Caption.parse(captions[meme]["en"])
        image = renderer.render(template, caption, "en").image.convert("RGB")
        image.save(folder / f"{name}.jpg", quality=90)
        behind = renderer.render(template, Caption(()), "en").image.convert("RGB")
        behind.save(clean / f"{name}.png")
        text = np.abs(as_numbers(image) - as_numbers(behind)).max(axis=2) > 1
        Image.fromarray(text).save(clean / f"{name}-text.png")
        truth.append({"meme_id": name, "starter": meme, "texts": " // ".join(texts)})
    write(folder / "truth.csv", truth)


def _memes(folder: Path, captions: dict[str, Row]) -> Iterator[tuple[str, str, Template]]:
    own, _ = load_templates()
    for meme in KNOWN:
        yield f"known-{meme}", meme, own[captions[meme]["template"]]
    together = folder / "together.jpg"
    Image.fromarray(make_background("valley", SIZE, 11)).save(together, quality=95)
    for number, meme in enumerate(TOGETHER, 1):
        yield f"together-{number}", meme, Template("together", together, POSTER)
    for number, (layout, kind, meme) in enumerate(ALONE, 1):
        image = Image.fromarray(make_background(kind, SIZE, 20 + number))
        boxes = _boxes(layout, image)
        file = folder / f"alone-{number}-background.png"
        image.save(file)
        yield f"alone-{number}-{layout}", meme, Template(f"alone-{number}", file, boxes)


def _boxes(layout: str, image: Image.Image) -> tuple[TextBox, ...]:
    """The boxes of a layout; its bar or bubbles are drawn on the picture."""
    draw, (width, height) = ImageDraw.Draw(image), image.size
    if layout == "poster":
        return POSTER
    if layout == "bar":
        draw.rectangle((0, 0, width, 0.2 * height), fill="#ffffff")
        return (TextBox("bar", 0.03, 0.02, 0.94, 0.16, align="start", style=STYLES["plain"]),)
    boxes = []
    for number, (x, y) in enumerate(((0.06, 0.07), (0.42, 0.55)), 1):
        edges = (x * width, y * height, (x + 0.52) * width, (y + 0.36) * height)
        draw.rounded_rectangle(edges, 50, "#ffffff", "#222222", 3)
        boxes.append(TextBox(f"{number}", x + 0.04, y + 0.05, 0.44, 0.26, style=STYLES["bubble"]))
    return tuple(boxes)


def translate(folder: Path, table: Path, languages: list[str]) -> None:
    """Fill in the translations, text for text in the order in which they stand in the picture.

    What was read is corrected, too, as a person would: by what stands in the picture.
    """
    starter = {row["meme_id"]: row for row in read(STARTER)}
    truth = {row["meme_id"]: row for row in read(folder / "truth.csv")}
    rows, exact, texts = read(table), 0, 0
    for row in rows:
        known = truth[row["meme_id"]]
        original = known["texts"].split(" // ")
        parts = list(Caption.parse(row["en"]).parts)
        places = [place for place, part in enumerate(parts) if part]
        exact += sum(
            _letters(parts[place]) == _letters(text)
            for place, text in zip(places, original, strict=False)
        )
        texts += len(original)
        for language in ("en", *languages):
            translated = [p for p in Caption.parse(starter[known["starter"]][language]).parts if p]
            if len(places) != len(original) or len(translated) < len(places):
                continue
            filled = parts.copy()
            for place, text in zip(places, translated, strict=False):
                filled[place] = text
            row[language] = str(Caption(tuple(filled)))
    write(table, rows)
    print(f"texts read without an error: {exact} of {texts}")


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def measure(folder: Path, localised: Path) -> None:
    """Print, for each meme, how near its clean picture is to the truth where its text stood."""
    names = {row["meme_id"]: row["template"] for row in read(localised / "captions.csv")}
    own, _ = load_templates()
    for row in read(folder / "truth.csv"):
        name = row["meme_id"]
        template = names.get(name, "")
        picture = next((localised / "templates" / template).glob("picture.*"), None)
        if template in own and picture is None:
            print(f"{name}: the known template {template}")
        elif picture is None:
            print(f"{name}: not localised")
        else:
            with Image.open(folder / "clean" / f"{name}-text.png") as mask:
                text = np.asarray(mask.convert("L")) > 0
            with Image.open(picture) as made, Image.open(folder / "clean" / f"{name}.png") as truth:
                error = float(((as_numbers(made) - as_numbers(truth))[text] ** 2).mean())
            ratio = min(99.0, 10 * np.log10(255**2 / max(error, 1e-6)))
            print(f"{name}: {ratio:.1f} dB behind the letters")


def as_numbers(image: Image.Image) -> np.ndarray:
    """The levels of a picture, as numbers that may be subtracted."""
    return np.asarray(image.convert("RGB"), dtype=np.float64)


def read(file: Path) -> list[Row]:
    """A table."""
    with file.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def write(file: Path, rows: list[Row]) -> None:
    """Write a table."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(dict.fromkeys(k for r in rows for k in r)))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
