"""Finished memes for finished.sh: pictures and a table, and what a person answers about them.

    finished_memes.py make FOLDER              pictures, memes.csv, and truth.csv, what they show
    finished_memes.py transcribe TRUTH SHEET   types what stands in the pictures into a sheet
    finished_memes.py judge TRUTH SHEET        answers a sheet of judgements

Memes of the starter set are rendered as people would share them: copies of three, a fourth that
looks like another one and is not, German and code-mixed ones, one blurred, one without text, a
comic; a file that is no picture, and one that is missing.
"""

from __future__ import annotations

import argparse
import csv
import shutil
from collections.abc import Mapping
from pathlib import Path

from PIL import Image, ImageFilter

from memeloc.fonts import FontLibrary
from memeloc.locales import default
from memeloc.model import Caption
from memeloc.render import Renderer
from memeloc.templates import load_templates
from memeloc.workspace import Workspace

Rows = list[dict[str, str]]

STARTER = Path(__file__).parent / "starter" / "captions.csv"
ENGLISH = (
    *("night-owl-01", "busy-market-01", "tall-giraffe-02", "long-train-01", "long-train-02"),
    *("robot-chef-01", "summit-snail-01", "black-bar-llama-01"),
)
COPIED = ("night-owl-01", "busy-market-01", "robot-chef-01")
GERMAN = ("bookmark-03",)
MIXED = "मेरी chai ठंडी हो गई // because meeting अभी भी चल रही है"
COMIC = "chat-with-fridge-01"
SIDE = 480
"""Longer side of a picture, in pixels."""


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("make", "transcribe", "judge"))
    parser.add_argument("paths", nargs="+", type=Path)
    given = parser.parse_args()
    if given.what == "make":
        make(given.paths[0])
        return
    truth = {row["id"]: row for row in read(given.paths[0])}
    fill = transcribe if given.what == "transcribe" else judge
    fill(given.paths[1], truth)


def make(folder: Path) -> None:
    """Draw the pictures, and write both tables."""
    pictures = folder / "img"
    pictures.mkdir(parents=True)
    captions = {row["meme_id"]: row for row in read(STARTER)}
    templates, _ = load_templates()
    renderer = Renderer(FontLibrary(), max_side=SIDE)
    rows: Rows = []

    def add(name: str, text: str, why: str) -> Path:
        number = f"{len(rows) + 1:03}"
        label = "not harmful" if len(rows) % 3 else "somewhat harmful"
        file = pictures / f"{number}.jpg"
        row = {"id": number, "image": f"img/{file.name}", "label": label, "split": "train"}
        rows.append({**row, "name": name, "text": text, "why": why})
        return file

    def draw(template: str, text: str, language: str) -> Image.Image:
        locale = default().get(language)
        caption = Caption.parse(text)
        return renderer.render(templates[template], caption, locale).image.convert("RGB")

    drawn = {}
    for language, names in (("en", (*ENGLISH, COMIC)), ("de", GERMAN)):
        for name in names:
            text = captions[name][language]
            image = draw(captions[name]["template"], text, language)
            drawn[name] = add(name, text, {COMIC: "cartoon"}.get(name, language))
            image.save(drawn[name], quality=88)
    draw("then-and-now", MIXED, "hi").save(add("mixed", MIXED, "mixed"), quality=88)
    blurred = draw("four-steps", captions["four-steps-01"]["en"], "en")
    blurred = blurred.filter(ImageFilter.GaussianBlur(9))
    blurred.save(add("blurred", "", "unreadable"), quality=88)
    hamster = templates["protest-hamster"]
    draw(hamster.name, "", "en").save(add("silent", "", "unimodal"), quality=88)
    same, smaller, worse = (add(name, captions[name]["en"], "copy") for name in COPIED)
    shutil.copy(drawn[COPIED[0]], same)
    with Image.open(drawn[COPIED[1]]) as image:
        image.resize((image.width // 2, image.height // 2)).save(smaller, quality=88)
    with Image.open(drawn[COPIED[2]]) as image:
        image.save(worse, quality=30)
    add("broken", "", "broken").write_text("this is no picture", encoding="utf-8")
    add("gone", "", "missing")
    write(folder / "memes.csv", rows, ("id", "image", "label", "split"))
    write(folder / "truth.csv", rows, ("id", "name", "text", "why"))


def transcribe(sheet: Path, truth: Mapping[str, Mapping[str, str]]) -> None:
    """Type what stands in the pictures, part for part; what is left over goes into the last."""
    keys, rows = keys_of_items(), read(sheet)
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["meme_id"]] = counts.get(row["meme_id"], 0) + 1
    for row in rows:
        parts = list(Caption.parse(truth[keys[row["meme_id"].partition(":")[2]]]["text"]).parts)
        places, place = counts[row["meme_id"]], int(row["part"]) - 1
        if not any(parts):
            row["status"] = "no-text"
            continue
        parts[places - 1 :] = [" ".join(parts[places - 1 :])] if len(parts) >= places else []
        row["status"] = "corrected"
        row["your text"] = parts[place] if place < len(parts) else "-"
    write(sheet, rows, list(rows[0]))


def judge(sheet: Path, truth: Mapping[str, Mapping[str, str]]) -> None:
    """Answer a sheet: pairs by what their pictures show, questions by what is wrong."""
    keys, rows = keys_of_items(), read(sheet)
    for row in rows:
        first, *other = (truth[keys[item]] for item in row["subject"].split("|"))
        if other:
            answer = "same" if first["name"] == other[0]["name"] else "different"
        else:
            answer = "yes" if first["why"] == row["question"] else "no"
        row["your answer"] = answer
    write(sheet, rows, list(rows[0]))


def keys_of_items() -> dict[str, str]:
    """The key in the table by the id in the workspace."""
    with Workspace.find() as workspace:
        return {item.id: item.origin.key for item in workspace.store.items.find("picture")}


def read(path: Path) -> Rows:
    """The rows of a CSV."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def write(path: Path, rows: Rows, columns: list[str] | tuple[str, ...]) -> None:
    """Write rows as a CSV."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
