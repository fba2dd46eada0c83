"""Finished memes are read, cleaned of their text and set again in other languages."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from PIL import Image

from bench.backgrounds import make_background
from memeloc import Workspace
from memeloc.ocr.error_rate import error_rate
from tests.end_to_end.study import Study, fill_in
from tests.end_to_end.test_render import show_manifest
from tests.ocr.pictures import needs
from tests.worlds import memeloc, read_rows, write_table

pytest.importorskip("cv2")
pytest.importorskip("rapidocr")

GROUND = """\
image = "picture.png"
[[box]]
name = "top"
x = 0.03
y = 0.02
width = 0.94
height = 0.3
valign = "top"
[[box]]
name = "bottom"
x = 0.03
y = 0.7
width = 0.94
height = 0.28
valign = "bottom"
"""
SIZE = (320, 320)


@pytest.fixture(autouse=True)
def hide_versions(study: Study) -> None:
    """Hide which version of a reader read."""
    study.hide(r"[\d,.]+ pictures? a second", "<speed> pictures a second")
    study.hide(r"\b(rapidocr|tesseract) \d[\w.]*", r"\1 <version>")
    study.hide(r'"uncertain": [\d.]+|\b\d+\.\d %', "<share>")
    study.hide(r'"seconds": [\d.]+', '"seconds": <seconds>')


def draw(study: Study, memes: Mapping[str, tuple[str, str]], language: str = "en") -> None:
    """Render memes, by name, of a template and a text, and put them into the folder."""
    Path("grounds/sky").mkdir(parents=True, exist_ok=True)
    Image.fromarray(make_background("valley", SIZE, 5)).save("grounds/sky/picture.png")
    Path("grounds/sky/template.toml").write_text(GROUND)
    rows = [
        {"meme_id": name, "template": template, language: text}
        for name, (template, text) in memes.items()
    ]
    write_table(Path("drawn.csv"), rows)
    options = ("--templates", "grounds", "--out", "drawn", "--max-side", 320, "--jobs", 1)
    memeloc(study.folder, "render", "drawn.csv", *options)
    for path in Path("drawn", language).glob("*/*.jpg"):
        shutil.copy(path, path.name)


def show_templates(study: Study, folder: str) -> None:
    """Add what the templates of a folder are, their boxes to a tenth of the picture."""
    for path in sorted(Path(folder).glob("*/template.toml")):
        values = tomllib.loads(path.read_text("utf-8"))
        for box in values["box"]:
            for name, value in box.items():
                box[name] = round(value, 1) if isinstance(value, float) else value
        study.show(path.as_posix(), values)


def test_finished_memes_in_other_languages(study: Study) -> None:
    draw(
        study,
        {
            "onions": ("sky", "two melons // no onion"),
            "harbour": ("sky", "a quiet // harbour"),
            "chef": ("robot-chef", "two eggs // one error"),
        },
    )
    Path("no.jpg").write_bytes(b"no picture")
    with Image.open("chef.jpg") as chef:
        chef.save("chef.gif", save_all=True, append_images=[chef.rotate(180)], duration=100)
    given = ("onions.jpg", "chef.gif", "no.jpg", "--langs", "de", "--with", "pseudo")
    study.run("localise", *given, status=1)
    study.files("localised")
    study.file("localised/captions.csv")
    show_templates(study, "localised/templates")
    columns = ("meme_id", "template", "language", "width", "lines")
    show_manifest(study, columns, "localised/rendered")

    # A person corrects what was read and a translation, and wants one text to stay.
    rows = read_rows(Path("localised/captions.csv"))
    rows[0] |= {"en": "Two Melons! // No Onion", "de": "Zwei Melonen! // Keine Zwiebel"}
    write_table(Path("localised/captions.csv"), rows)
    study.run("localise", "onions.jpg", "harbour.jpg", "--exclude", "harbour.2", "--json")
    sheet = Path("localised/review.xlsx")
    study.file(sheet)
    again = ("harbour.jpg", "--alone", "--exclude", "sea.9")
    for answer, *langs in (("perhaps",), ("text", "--langs", "de,hi", "--with", "pseudo")):
        fill_in(sheet, [{"subject": "harbour.2", "your answer": answer}], by=["subject"])
        study.run("localise", *again, *langs)
    study.file("localised/captions.csv")

    study.run("localise", "chef.jpg", "--ocr", "eyes", status=1)
    study.run("localise", "chef.jpg", "--inpaint", "nobody", status=1)
    study.run("localise", "chef.jpg", "--source", "xx", status=1)
    study.run("localise", status=1)
    Path("mine").mkdir()
    Path("mine/index.html").write_text("my own")
    study.run("localise", "chef.jpg", "--out", "mine", status=1)
    study.check()


@pytest.mark.slow
def test_templates_recovered_of_memes(study: Study) -> None:
    texts = ("tea // again", "the printer // has opinions today", "rain // it said sun", "// ok")
    memes = {f"sky-{number}": ("sky", text) for number, text in enumerate(texts)}
    draw(study, memes | {"alone": ("robot-chef", "two eggs // one error")})
    Path("no.jpg").write_bytes(b"no picture")
    with Image.open("sky-1.jpg") as image:
        image.resize((336, 256)).save("sky-1.jpg")
    pictures = (*(f"{name}.jpg" for name in memes), "alone.jpg", "no.jpg")
    study.run("templates", "recover", *pictures, "--out", "recovered", "--jobs", 1, "--json")
    show_templates(study, "recovered")
    study.files("recovered")
    study.run("templates", "recover", *pictures[:2], "--out", "again", "--jobs", 1)
    study.run("templates", "recover", status=1)
    study.check()


@pytest.mark.slow
def test_collected_pictures_are_read_and_made_anew(study: Study) -> None:
    needs("eng", "deu", "ara")
    draw(study, {"bus": ("robot-chef", "my bus // left early")})
    rain = "طقس يوم الاثنين // أنا مرة أخرى"
    draw(study, {"rain": ("night-owl", rain)}, "ar")
    read = memeloc(study.folder, "ocr", "rain.jpg", "--langs", "ar")
    assert (error_rate(rain.replace(" // ", "\n"), read) or 0) <= 0.15
    Image.new("RGB", (120, 120), "#77aaee").save("sky.jpg")
    Path("page.png").write_text("<html>not a picture</html>")
    study.run("ocr", "bus.jpg", "--jobs", 1)
    study.run("ocr", "bus.jpg", "page.png", "--reader", "tesseract", "--json", status=1)
    study.run("ocr", "bus.jpg", "--reader", "tesseract-plain")
    study.run("ocr", "bus.jpg", "--langs", "tlh", status=1)
    study.run("ocr", status=1)
    study.run("init", "project", "--langs", "de")
    Path("pictures").mkdir()
    for name in ("bus", "sky"):
        shutil.move(f"{name}.jpg", "pictures")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir("project")
        study.run("collect", "folder", "../pictures")
        study.run("ocr", "--reader", "eyes", status=1)
        study.run("ocr", "--jobs", 1)
        study.run("ocr", "--json")
        study.run("ocr", "--only", "all", "--json")
        study.run("ocr", "--reader", "source")
        sheet = ("--kind", "transcript", "--langs", "en", "--format", "csv", "--no-pictures")
        study.run("correct", "export", *sheet, "--to", "anna", "--out", "anna.csv")
        rows = read_rows(Path("anna.csv"))
        (sky,) = (row["meme_id"] for row in rows if "sky" in row["meme_id"])
        no_text = {"meme_id": sky, "part": "1", "status": "no text in the picture"}
        words = {"status": "corrected", "your text": "My bus"}
        fill_in(Path("anna.csv"), [rows[0] | words, no_text], by=["meme_id", "part"])
        study.run("correct", "import", "anna.csv", "--json")
        study.run("correct", "status")
        study.run("match", "--captions", "captions.csv", "--jobs", 1)
        study.file("project/captions.csv")
        study.run("import", "captions.csv")
        study.run("translate", "--langs", "de", "--with", "pseudo")
        study.run("render", "--langs", "de", "--max-side", 160, "--jobs", 1, "--json")
        study.run("render", "--captions", "accepted", "--max-side", 160, "--jobs", 1)
        study.run("localise", "--langs", "de", "--with", "pseudo", "--json")
        study.run("proof", "out", "--ocr", "--json")
        with Workspace.find() as workspace:
            transcripts = workspace.store.transcripts.all().values()
            study.show("transcripts", [[each.parts, each.stage] for each in transcripts])
    study.check()
