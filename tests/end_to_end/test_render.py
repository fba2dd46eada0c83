"""Captions become pictures in many languages, run after run, with templates, fonts of one's own."""

from __future__ import annotations

import json
import re
import shutil
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image, ImageCms

from memeloc import Renderer, load_templates, locales, render_table
from memeloc.errors import InputError
from memeloc.fonts import FontLibrary
from memeloc.resources import folder
from tests.conftest import Outcome
from tests.end_to_end.study import Study
from tests.s3_server import make_bucket, s3_server
from tests.worlds import STARTER, read_rows, write_table

SMALL = ("--max-side", 160, "--jobs", 1)
PROOF = ("meme_id", "language", "locale", "width", "height", "font_size", "lines", "fonts")
MEMEGEN = """\
name: Kettle
source: https://example.org/kettle
keywords: [tea]
text:
  - {style: default, font: comic, color: black, align: left, anchor_x: 0.05, anchor_y: 0.05,
     scale_x: 0.9, scale_y: 0.4}
  - {style: upper, anchor_y: 0.75, scale_y: 0.2, angle: 5, anchor_x: 0.1, scale_x: 0.8}
overlay:
  - {center_x: 0.5, center_y: 0.5}
"""
BOX = '[[box]]\nname = "top"\nx = 0.1\ny = 0.1\nwidth = 0.8\nheight = 0.3\n'
WRONG_TEMPLATES = {
    "two-names": f'image = "p.png"\n{BOX}{BOX}',
    "outside": f'image = "p.png"\n{BOX}'.replace("0.8", "0.95"),
    "turned": f'image = "p.png"\n{BOX}angle = 60\n',
    "leads-out": f'image = "../p.png"\n{BOX}',
    "unknown": f'image = "p.png"\n{BOX}colour = "red"\n',
    "no-boxes": 'image = "p.png"\n',
    "no-picture": f'image = "q.png"\n{BOX}',
    "no-toml": "image = \n",
}
LONG = " ".join(["Rechtsschutzversicherungsgesellschaften"] * 40)
FIRST = [
    {"meme_id": "m1", "template": "robot-chef", "en": "two eggs // one error",
     "de": "zwei Eier // ein Fehler", "ar": "بيضتان // خطأ واحد"},
    {"meme_id": "m2", "template": "summit-snail", "en": "I said // by noon",
     "de": "sagte ich // bis Mittag", "ar": "قلت // عند الظهر"},
    {"meme_id": "m3", "template": "bookmark", "en": "hm", "de": LONG, "ar": ""},
    {"meme_id": "m4", "template": "robot-chief", "en": "a // b", "de": "a // b", "ar": "a // b"},
    {"meme_id": "m5", "template": "robot-chef", "en": "a // b // c", "de": "a // b",
     "ar": "\U00012000 // b"},
]  # fmt: skip


def picture(path: Path, size: tuple[int, int] = (240, 160), **options: Any) -> None:
    """Save a picture of slowly changing colours."""
    path.parent.mkdir(parents=True, exist_ok=True)
    down, across = np.mgrid[0 : size[1], 0 : size[0]]
    levels = np.stack([60 + across // 3, 160 - down // 3, 90 + 0 * down], axis=-1)
    Image.fromarray(levels.astype(np.uint8)).save(path, **options)


def show_manifest(study: Study, columns: Sequence[str], out: str = "out") -> None:
    """Add columns of a set's manifest, numbers rounded as a person would say them."""
    rows = pd.read_parquet(f"{out}/manifest")
    study.show(f"{out}/manifest", rows[list(columns)].map(_rounded))


def _rounded(value: object) -> object:
    if isinstance(value, np.ndarray | list):
        return " ".join(str(_rounded(part)).replace(" ", "_") for part in value)
    if isinstance(value, dict):
        return "/".join(map(str, value.values()))
    return round(value, 1) if isinstance(value, float) else value


@pytest.fixture(autouse=True)
def hide_what_differs(study: Study) -> None:
    """Hide how long a run took, and where memeloc's own templates are."""
    study.hide(re.escape(str(folder("templates"))), "<templates>")
    study.hide(r"[\d,.]+ pictures? a second", "<speed> pictures a second")
    study.hide(r'"seconds": [\d.]+', '"seconds": <seconds>')


def test_a_set_grows_run_by_run(study: Study) -> None:
    write_table(Path("captions.csv"), FIRST)
    study.run("render", "captions.csv", "--langs", "de,en", *SMALL)
    study.run("render", "captions.csv", "--langs", "de,en", *SMALL, "--json")
    study.files("out")
    study.file("out/skipped.csv")
    show_manifest(study, (*PROOF, "relative_size", "problems", "findings"))
    study.run("proof", "out")
    study.run("proof", "out", "--limit", 1, "--json", "--fail-on-problems", status=1)
    study.run("proof", "out", "--langs", "en", "--boxes", "boxes.csv")
    study.show("boxes.csv", pd.read_csv("boxes.csv").iloc[:4])

    # One caption is corrected, a picture retouched, a file put in a new picture's place.
    rows = [dict(row) for row in FIRST]
    rows[0]["de"] = "zwei Eier // und // noch ein Fehler"
    rows[1]["de"] = "sagte ich doch // bis Mittag"
    write_table(Path("captions.csv"), [*rows[:3], {**rows[0], "meme_id": "new"}])
    own = Path("out/ar/robot-chef/m1.jpg")
    picture(Path("out/de/summit-snail/m2.jpg"))
    picture(own)
    study.run("render", "captions.csv", *SMALL)
    study.run("render", "captions.csv", "--prune", "--parity", *SMALL, "--json")
    study.run("render", "captions.csv", "--langs", "ar", "--format", "png", "--source", "de",
              "--force", *SMALL)  # fmt: skip
    study.files("out", "ar/**/*")
    page = Path("out/index.html").read_text("utf-8")
    study.show("the page", json.loads(re.findall(r'id="about">(.*?)</script>', page)[0]))
    study.check()


def test_what_is_wrong_is_said(study: Study) -> None:
    table = write_table(Path("captions.csv"), FIRST)
    for arguments, status in (
        (("captions.csv", "--langs", "fr"), 1),
        (("captions.csv", "--langs", "de", "--format", "gif"), 1),
        (("captions.csv", "--langs", "de", "--to", "zip"), 1),
        (("captions.csv", "--langs", "de", "--engine", "steam"), 1),
        (("captions.csv", "--langs", "de", "--templates", "nowhere"), 2),
        (("captions.csv", "--langs", "de", "--font", "nowhere.ttf"), 1),
        (("captions.csv", "--langs", "de", "--quality", "101"), 2),
        (("captions.csv", "--captions", "accepted"), 2),
        (("captions.csv", "--strict"), 1),
        (("nowhere.csv",), 1),
        ((), 1),
    ):
        study.run("render", *arguments, status=status)
    write_table(table, [{"meme_id": "CON", "template": "robot-chef", "en": "a // b"}])
    study.run("render", "captions.csv", status=1)
    write_table(table, [{"meme_id": "a", "en": "a // b"}])
    study.run("render", "captions.csv", status=1)
    study.run("proof", "out", status=1)

    # A folder of somebody's own, a broken picture, and a set that a language is missing of.
    Path("mine").mkdir()
    Path("mine/index.html").write_text("my own")
    write_table(table, [FIRST[0], {**FIRST[0], "meme_id": "m6", "template": "cut"}])
    study.run("render", "captions.csv", "--out", "mine", status=1)
    picture(Path("pictures/cut.png"))
    content = Path("pictures/cut.png").read_bytes()
    Path("pictures/cut.png").write_bytes(content[: len(content) // 2])
    Path("pictures/text.png").write_text("only called a picture")
    failing = ("captions.csv", "--langs", "en", "--templates", "pictures")
    study.run("render", *failing, *SMALL, status=1)
    study.run("proof", "out", "--langs", "en,xx", status=1)
    study.check()


def test_all_scripts_and_styles(study: Study) -> None:
    """Posters, bubbles, bars and turned boxes in each script; handwriting where it is there."""
    picture(Path("mine/styles/picture.png"), (480, 320))
    definition = (
        'image = "picture.png"\nmirror = true\n'
        '[[box]]\nname = "bar"\nbar = "top"\nbar_colour = "#ffeecc"\n'
        '[[box]]\nname = "poster"\nx = 0.02\ny = 0.02\nwidth = 0.6\nheight = 0.4\nalign = "start"\n'
        '[[box]]\nname = "bubble"\nx = 0.6\ny = 0.05\nwidth = 0.38\nheight = 0.4\n'
        'style = "bubble"\nangle = -8\n'
        '[[box]]\nname = "last"\nx = 0.05\ny = 0.5\nwidth = 0.9\nheight = 0.45\nvalign = "bottom"\n'
    )
    Path("mine/styles/template.toml").write_text(f'{definition}style = "plain"\nfill = "#ffffff"\n')
    shutil.copytree("mine/styles", "handwritten/comic")
    Path("handwritten/comic/template.toml").write_text(f'{definition}style = "comic"\n')
    starter = {row["meme_id"]: row for row in read_rows(STARTER)}
    memes = [starter[meme] for meme in ("cloud-monday-01", "night-owl-01", "robot-chef-03")]
    row = {"meme_id": "all", "template": "styles"}
    for name in list(starter["robot-chef-03"])[2:]:
        parts = [part for meme in memes for part in meme[name].split(" // ")]
        row[name] = " // ".join(parts[0:5:2] + parts[-1:])
    row |= {
        "my": "တနင်္လာနေ့ // မိုးလေဝသ // ငါ // ပြန်လာပြီ",
        "am": "ሰኞ // የአየር ሁኔታ // እኔ // እንደገና",
        "ta": "திங்கள் // வானிலை // நான் // மீண்டும்",
        "zh-TW": "星期一 // 天氣預報：「晴」 // 我 // 又來了，（大概）",
    }
    hard = {
        "meme_id": "hard", "template": "styles",
        "en": "\u202eevil\u202c text // see https://a.example/b // one\ntwo // a\u0000b \ufffd",
        "de": "Straße // Donaudampfschifffahrtsgesellschaftskapitän // ja // Rhabarberbarbara",
        "he": "קניתי (2) USB-C ב־10:30, זה \u2067בערך\u2069 // // a אב 12 ג. // \u202bאב\u202c cd",
        "ar": "شاهد «memeloc 2.0» // ٣ من 5 // (نعم) // \u2066left\u2069 يمين",
        "ja": "「えっ」、（それ）！！ // ーぁっ。 // Wi-Fiを3回 // カッコ「」『』だらけ、ですね。",
        "th": "ภาษาไทยไม่มีเว้นวรรคระหว่างคำเลยจริงๆนะ // a // b // c",
    }  # fmt: skip
    few = {"meme_id": "few", "template": "styles", "en": "// // only the third"}
    write_table(Path("captions.csv"), [row, hard, few])
    study.run("render", "captions.csv", "--templates", "mine", "--jobs", 1)
    columns = (
        *PROOF[1:],
        "ink",
        "contrast",
        "problems",
        "findings",
    )
    show_manifest(study, columns)
    handwritten = ("en", "de", "hi", "vi")
    write_table(
        Path("captions.csv"),
        [{"meme_id": "c", "template": "comic"} | {name: row[name] for name in handwritten}],
    )
    options = ("--templates", "handwritten", "--out", "comic", "--parity", "--format", "webp")
    study.run("render", "captions.csv", *options, "--jobs", 1)
    show_manifest(study, (*PROOF, "relative_size", "ink"), "comic")
    study.check()


def test_sets_for_training_and_in_buckets(study: Study) -> None:
    rows = [{**row, "ar": ""} for row in FIRST[:3]]
    write_table(Path("captions.csv"), rows)
    for layout in ("webdataset", "parquet"):
        options = ("captions.csv", "--langs", "en,de", "--to", layout, "--out", layout, *SMALL)
        study.run("render", *options)
        study.run("render", *options, "--json")
        study.files(layout, "shards/*")
        show_manifest(study, ("meme_id", "language", "path", "shard"), layout)
    (shard,) = Path("parquet/shards").iterdir()
    table = pd.read_parquet(shard)
    study.show("a shard of parquet", table.drop(columns="image").iloc[:, :6])
    (shard,) = Path("webdataset/shards").iterdir()
    with tarfile.open(shard) as tar:
        study.show("a shard of webdataset", tar.getnames())
        sample = json.load(tar.extractfile(tar.getnames()[1]))
        study.show("the first sample", {name: sample[name] for name in sample if name != "bytes"})
    write_table(Path("captions.csv"), [{**rows[0], "en": "three eggs // no error"}, rows[1]])
    study.run("render", *options, "--prune")
    study.run("render", *options[:-1], 2, "--force")  # by two processes
    study.run("proof", "parquet", "--limit", 1)
    study.run("proof", "parquet", "--boxes", "words.csv", "--json")
    study.run("render", "captions.csv", "--to", "files", "--out", "parquet", status=1)
    with s3_server() as server:
        bucket = make_bucket(server, "memes")
        options = ("captions.csv", "--langs", "en", "--out", f"{bucket}/a set", *SMALL)
        study.run("render", *options)
        study.run("render", *options, "--json")
        study.run("proof", f"{bucket}/a set", "--json")
        study.run("render", *options, "--out", "s3://nowhere/set", status=1)
    study.check()


def test_templates_fonts_and_locales_of_ones_own(
    study: Study, command: Callable[..., Outcome]
) -> None:
    turned = Image.Exif()
    turned[0x0112] = 6  # a camera held upright
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    picture(Path("beach.png"), icc_profile=srgb)
    picture(Path("turned.jpg"), exif=turned, icc_profile=b"broken")
    for layout, name in (("side-by-side", "beach"), ("bar", "bars"), ("four", "four")):
        options = ("--name", name, "--to", "mine", "--boxes", layout)
        study.run("templates", "add", "beach.png", *options)
    study.run("templates", "add", "turned.jpg", "--to", "mine", "--json")
    study.run("templates", "add", "beach.png", "--to", "mine", status=1)
    study.run("templates", "add", "beach.png", "--boxes", "five", status=2)
    study.run("templates", "add", "nowhere.png", status=1)
    study.file("mine/bars/template.toml")
    study.files("mine")
    study.show("turned", Image.open(next(Path("mine/turned").glob("*.jpg"))).size)
    # A checkout of memegen, and what is wrong in a folder.
    memegen = Path("memegen/templates/kettle")
    picture(memegen / "default.jpg")
    (memegen / "config.yml").write_text(MEMEGEN)
    picture(Path("mine/plain.webp"))
    for name, text in WRONG_TEMPLATES.items():
        picture(Path(f"wrong/{name}/p.png"))
        Path(f"wrong/{name}/template.toml").write_text(text)
    Path("wrong/text.png").write_text("only called a picture")
    folders = [part for name in ("mine", "memegen") for part in ("--templates", name)]
    study.run("templates", "show", *folders)
    study.run("templates", "show", "--templates", "wrong", status=1)
    listed = command("templates", "show", *folders, "--json").out
    study.show("templates list", [each["name"] for each in json.loads(listed)["templates"]])
    study.run("templates", "show", "kettle", *folders, "--json")
    study.run("templates", "show", "cat-and-plant")
    study.run("templates", "show", "robo-chef", status=1)
    study.run("templates", "show", "outside", "--templates", "wrong", status=1)
    rows = [{"meme_id": name, "template": name, "en": "a"} for name in ("outside", "text")]
    write_table(Path("captions.csv"), rows)
    study.run("render", "captions.csv", "--templates", "wrong", status=1)
    study.run("templates", "show", "four", *folders, "--boxes", "four.png")
    study.run("templates", "show", "summit-snail", "--boxes", "new/boxes.png", "--json")
    study.file("new/boxes.png")

    study.run("locales", "show")
    study.run("locales", "show", "pt_br", "--json")
    study.run("locales", "show", "de")
    study.run("locales", "show", "germn", status=1)
    data = Path(locales.__file__).with_name("data").joinpath("sw.toml").read_text("utf-8")
    Path("locales").mkdir()
    Path("locales/sw-TZ.toml").write_text(
        data.replace('tag = "sw"', 'tag = "sw-TZ"').replace('"anton"', '"Mine.ttf"')
    )
    shutil.copy(FontLibrary().families["noto-sans"].path, "locales/Mine.ttf")
    study.run("locales", "show", "sw-TZ", "--check", "--locales", "locales")
    study.run("locales", "show", "de", "--check", "--json")
    Path("locales/odd.toml").write_text(
        data.replace('tag = "sw"', 'tag = "qaa"').replace('"Latn"', '"Cyrl"')
    )
    study.run("locales", "show", "qaa", "--check", "--locales", "locales", status=1)
    russian = Path(locales.__file__).with_name("data").joinpath("ru.toml").read_text("utf-8")
    Path("locales/odd.toml").write_text(
        russian.replace('tag = "ru"', 'tag = "ru-AQ"').replace('["noto-sans", ', '["anton", ', 1)
    )
    study.run("locales", "show", "ru-AQ", "--check", "--locales", "locales", status=1)
    study.run("locales", "show", "--check", "--locales", "none", status=1)
    Path("locales/odd.toml").write_text("tag = 1")
    study.run("locales", "show", "--locales", "locales", status=1)
    Path("locales/odd.toml").unlink()

    study.run("fonts", "É漢 ক্ষি \U00013000", status=1)
    study.run("fonts", "骨a", "--lang", "ja", "--face", "plain", "--json")
    study.run("fonts", "aক", "--font", "locales/Mine.ttf")
    study.run("fonts", "a", "--lang", "xq", status=1)
    listed = command("fonts", "--font", "locales/Mine.ttf", "--json").out
    families = pd.DataFrame(json.loads(listed)["families"])
    of_packages = families[(families["licence"] != "") | (families["family"] == "Mine")]
    columns = ["family", "package", "licence", "scripts", "styles", "colour", "state"]
    study.show("fonts list", of_packages[columns].map(_rounded))
    assert command("fonts").out.count("\n") == len(families)

    row = {"meme_id": "m", "template": "bars", "sw-TZ": "Mvua tena leo", "en": "rain again"}
    rows = [row, *({**row, "meme_id": name, "template": name} for name in ("kettle", "plain"))]
    write_table(Path("captions.csv"), rows)
    own = (*folders, "--locales", "locales", "--font", "en=locales/Mine.ttf:wght=700")
    study.run("render", "captions.csv", *own, *SMALL, "--format", "avif")
    show_manifest(study, (*PROOF, "path", "template_source", "template_licence"))
    study.check()


def test_from_a_notebook(study: Study) -> None:
    templates, problems = load_templates()
    assert not problems
    rendered = Renderer(max_side=200).render(templates["protest-hamster"], "Snacks?! Now!", "en")
    study.show("parts", [asdict(part) for part in rendered.proof.parts])
    rendered.save("new/hamster.png")
    study.file("new/hamster.png")
    with pytest.raises(InputError) as refused:
        rendered.save("hamster.gif")
    study.show("refused", str(refused.value))
    frame = pd.DataFrame(FIRST[:3]).set_index("meme_id")
    summary = render_table(frame, "out", languages="ar, en", max_side=60)
    study.show("counts", [summary.rendered, summary.skipped, summary.languages])
    study.show("problems", [str(problem) for problem in summary.input_problems])
    with pytest.raises(InputError) as refused:
        render_table(pd.DataFrame({"a": [1]}), "out", languages="de")
    study.show("refused", str(refused.value))
    study.check()
