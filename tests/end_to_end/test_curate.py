"""Memes and templates are collected, looked through, judged and chosen."""

from __future__ import annotations

import json
import shutil
import tarfile
import urllib.request
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
from PIL import Image, ImageOps

from examples.sites.serve import serving
from memeloc import Workspace
from tests.chat_server import serve_chat
from tests.collect import hostile_site
from tests.collect.local_site import served
from tests.curate.drawn import draw_picture
from tests.curate.onnx_models import write_picture_model, write_text_model
from tests.end_to_end.study import Study, fill_in
from tests.worlds import read_rows, write_table

ODS = (
    '<o:document-content xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:t="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:x="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><o:body><o:spreadsheet>'
    '<t:table t:name="Memes">{}</t:table></o:spreadsheet></o:body></o:document-content>'
)
FETCH = "[collect.fetch]\nretries = 0\ntotal = 2.0\npatience = 1.0\nmax_picture_bytes = 3000000\n"
TEXTS = {
    "tea": "When the tea is ready before the meeting",
    "tea-smaller": "When the tea is ready before the meeting",
    "tea-mirrored": "When the tea is ready before the meeting",
    "tea-silent": "",
    "german": "Wenn du merkst, dass heute doch erst Dienstag ist",
    "mixed": "Monday morning aber ich bin noch sehr müde",
    "cat": "My cat has been sitting on the keyboard all day",
    "russian": "Сегодня снова понедельник и дождь",
    "tiny": "They told me it would only take five minutes",
}


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_MODEL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_sites_are_collected_and_captions_chosen(study: Study) -> None:
    study.run("init", "--langs", "de", "--json")
    settings = study.folder / "memeloc.toml"
    settings.write_text(f"{settings.read_text('utf-8')}\n{FETCH}", "utf-8")
    study.hide(r"-[0-9a-f]{10}\b", "-<key>")
    study.hide(r'(?<="bytes": )\d+', "<bytes>")
    with serving() as sites:
        own = ("--allow-host", sites.host, "--delay", "0", "--max-age", "0")
        where = {
            "memegenerator": "memegenerator/",
            "encyclopaedia": "know-your-meme/memes/all",
            "imgflip": "imgflip",
            "memegen": "memegen",
        }
        study.run("collect", "imgflip", f"{sites.address}/imgflip", *own, "--dry-run")
        study.run("collect", "imgflip", f"{sites.address}/imgflip", "--delay", "0")
        for source, path in where.items():
            few = ("--limit", "8") if source == "memegenerator" else ()
            few = ("--gallery", "2") if source == "encyclopaedia" else few
            study.run("collect", source, f"{sites.address}/{path}", *own, *few, "--json")
        few = ("--limit", "2")
        study.run("collect", "encyclopaedia", f"{sites.address}/memepedia/memoteka/", *own, *few)
        page = f"{sites.address}/search/list.txt?q=rainy+bus"
        urllib.request.urlretrieve(page, study.folder / "rainy-bus.txt")
        study.run("collect", "search", "rainy-bus.txt", *own, "--json")
        sites.edition = 2
        few = ("--limit", "8")
        study.run("collect", "memegenerator", f"{sites.address}/memegenerator/", *own, *few)
        study.run("collect", "memegenerator", f"{sites.address}/broken/", *own, "--limit", "2")
    with served(hostile_site.answer) as site:
        names = [path for path in hostile_site.REASONS if path not in ("/drip", "/endless")]
        addresses = [site.url + name for name in (*names, "/good.png")]
        addresses += ["http://169.254.169.254/latest/meta-data", "file:///etc/passwd"]
        (study.folder / "found.txt").write_text("\n".join(addresses), encoding="utf-8")
        own = ("--allow-host", site.host, "--delay", "0", "--smallest", "1")
        study.run("collect", "search", "found.txt", *own)
        (study.folder / "lists").mkdir()
        rows = [{"address": f"{site.url}/good.png", "query": "tea"}, {"address": "", "query": ""}]
        write_table(study.folder / "lists/tea.csv", [{"url": row["address"]} | row for row in rows])
        (study.folder / "lists/more_tea.txt").write_text(f"# found\n{site.url}/good.png\ttea\n")
        study.run("collect", "search", "lists", *own, "--json")
        study.run("collect", "search", "nowhere", *own, status=1)
    study.run("collect", "nowhere", "x", status=2)
    study.run("status")
    study.run("dedup")
    study.run("filter", "language", "quality", "topics", "--langs", "en", "--dry-run")
    study.run("filter", "language", "quality", "topics", "--langs", "en", "--json")
    study.run("keywords", "--topics")
    few = (
        "--set",
        "per_template=4",
        "--set",
        "templates_per_topic=1",
        "--set",
        "most_per_template=2",
    )
    study.run("select", *few, "--dry-run")
    study.run("select", *few)
    study.run("status", "--json")
    for table in ("templates", "funnel"):
        study.run("export", table, "--to", f"{table}.csv")
        study.file(f"{table}.csv")
    study.run("export", "items", "--selected", "--to", "items.csv")
    study.file("items.csv")
    study.check()


def test_captions_are_judged_for_wordplay_and_alone(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.run("init", "--langs", "de")
    lemons = study.folder / "memegen/templates/lemons"
    lemons.mkdir(parents=True)
    draw_picture(3).save(lemons / "default.png")
    (lemons / "config.yml").write_text("name: Lemons\nexample: [drink vinegar, when life]\n")
    study.run("collect", "memegen-folder", "memegen")
    study.run("filter", "wordplay")
    for person, told in (("asha", "no"), ("bo", "no"), ("asha", "A lemon."), ("bo", "Fruit.")):
        question = "wordplay" if told == "no" else "description"
        study.run("review", "export", question, "--to", person, "--limit", "5")
        book = study.folder / f"review-{question}-{person}.xlsx"
        subjects = [row[6].value for row in openpyxl.load_workbook(book)["Review"]][1:]
        answers = [{"subject": subject, "your answer": told} for subject in subjects]
        fill_in(book, answers, by=["subject"])
        study.run("review", "import", book.name)
    study.file(book)
    study.run("review", "status")
    study.run("filter", "wordplay", "--json")
    study.run("filter", "multimodality", status=1)
    with serve_chat() as chat:
        chat.say = lambda number, body: json.dumps(
            {"why": "taste", "hateful": "A lem" in str(body)}
        )
        monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
        study.run("filter", "multimodality", "--model", "tiny")
        study.show("a question", min((body["messages"] for body in chat.bodies), key=str))
    study.run("select", "--set", "topics=false", "--set", "per_template=1", "--kind", "caption")
    study.run("export", "verdicts", "--to", "verdicts.csv")
    study.file("verdicts.csv")
    study.check()


def test_datasets_on_disk_are_collected(study: Study) -> None:
    _make_datasets(study.folder)
    study.run("init", "set", "--langs", "de")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(study.folder / "set")
        study.run("collect", "table", "../table", "--dry-run")
        study.run("collect", "table", "../table", "--label", "mood=fun", "--json")
        study.run("collect", "table", "../table/memes.csv", "--image", "nothing", status=1)
        study.run("collect", "table", "../table", "--layout", "no-such", status=1)
        for name in ("memes.xlsx", "memes.ods", "memes.jsonl", "memes.tar", "latin.tsv"):
            study.run("collect", "table", f"../{name}", "--pictures", "../table", "--dry-run")
        for source in ("hateful-memes", "harmeme", "multi3hate", "huggingface", "folder"):
            study.run("collect", source, f"../{source}")
        for folder in ("telegram", "gallery-dl", "img2dataset"):
            study.run("collect", "table", f"../{folder}")
        study.run("collect", "huggingface", "../huggingface", "--language", "en")
        study.run("ocr", "--reader", "source")
        study.run("collect", "memegen-folder", "../memegen", "--styles", "--dataset", "ours")
        study.run("collect", "folder", "../nothing-there", status=1)
        study.run("export", "items", "--to", "items.csv")
        study.file("set/items.csv")
        study.run("export", "templates", "--to", "templates.csv")
        study.file("set/templates.csv")
        study.run("match", "--distance", "6", "--captions", "captions.csv", "--json")
        study.run("match", "../memegen/templates/kettle/default.png", "--distance", "4")
        study.file("set/captions.csv")
        study.run("import", "captions.csv")
    study.run("keywords", "قهوة", "--lang", "ar", "--kind", "arabizi")
    study.run("keywords", "owl", "--lang", "en", "--kind", "digits", "--json")
    study.run("keywords", "x", status=1)
    (study.folder / "lines.txt").write_text("A night-owl at work\nNothing\nNIGHT OWLS\n")
    (study.folder / "words.csv").write_text("keyword\nnight owl\n")
    study.run("keywords", "words.csv", "--lang", "en", "-o", "variants.csv")
    study.run("keywords", "owl", "--in", "gone.txt", "--lang", "en", status=1)
    study.run("keywords", "words.csv", "--in", "lines.txt", "--lang", "en")
    study.check()


def test_memes_are_judged_by_rules_people_and_a_model(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.run("init", "--langs", "de")
    _draw_memes(study.folder / "memes")
    study.run("collect", "table", "memes", "--language", "en")
    study.run("ocr", "--reader", "source")
    study.run("dedup", "--json")
    study.run("dedup", "--set", "rule=none", status=1)
    study.run("review", "export", "duplicates", "--to", "asha")
    write_picture_model(study.folder / "pictures.onnx")
    write_text_model(study.folder / "texts/model.onnx")
    models = (
        "--set",
        "images_model=onnx:pictures.onnx",
        "--set",
        "texts_model=onnx:texts/model.onnx",
    )
    study.run("dedup", "--copies", "--set", "keep=largest", *models)
    study.run("filter", "--list")
    study.run("filter", "nothing", status=1)
    study.run("filter", "language", "--set", "sure=yes", status=1)
    study.run("filter", "language", "script", "mixing", "quality", "--json")
    study.run("filter", "language", "--set", "sure=0.5")
    study.run("filter", "cartoon")
    for person, told in (("asha", "yes"), ("bo", "no")):
        study.run("review", "export", "cartoon", "--to", person, "--out", f"{person}.csv")
        rows = read_rows(study.folder / f"{person}.csv")
        answers = [row | {"your answer": "no"} for row in rows]
        answers[0]["your answer"] = told
        fill_in(study.folder / f"{person}.csv", answers, by=["subject"])
    study.file("asha.csv")
    study.run("review", "export", "duplicates", "--to", "asha")
    study.run("review", "export", "duplicates", "--to", "asha", "--audit", "2", "-o", "audit.csv")
    study.run("review", "export", "weather", "--to", "asha", status=1)
    study.run("review", "import", "asha.csv", "bo.csv", "--dry-run")
    study.run("review", "import", "asha.csv", "bo.csv", "--json")
    study.run("review", "import", "asha.csv")
    wrong = [{"your answer": "perhaps"}, {"your answer": "no", "subject": "gone-1"}]
    write_table(study.folder / "wrong.csv", [rows[0] | row for row in wrong])
    study.run("review", "import", "wrong.csv", "gone.csv", status=1)
    study.run("review", "status", "--json")
    study.run("review", "status", "cartoon")
    with serve_chat() as chat:
        chat.say = _look
        monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
        priced = "[language_model]\nprice_in = 1.0\nprice_out = 1.0\n"
        settings = study.folder / "memeloc.toml"
        settings.write_text(settings.read_text("utf-8").replace("[language_model]\n", priced))
        asked = ("filter", "cartoon", "--model", "tiny")
        study.run(*asked, "--dry-run", "--json")
        study.run(*asked, "--budget", "0.0006", status=1)
        study.run(*asked, "--json")
        study.run("filter", "cartoon", "--again", "--model", "tiny")
        study.show("questions asked", len(chat.bodies))
    with Workspace.open(".") as workspace:
        items = workspace.table("items")
        study.run("filter", "--explain", items["item"].iloc[0])
    study.run("select", "--kind", "picture", "--set", "asked=keep", "--json")
    study.run("dedup", "--recipe", "harmeme")
    study.run("filter", "--recipe", "harmeme")
    study.run("select", "--recipe", "harmeme")
    study.run("select", "--kind", "picture", "--recipe", "no-such", status=1)
    study.run("export", "pictures", "--selected", "--to", "selected.csv")
    for table in ("verdicts", "pictures", "funnel"):
        study.run("export", table, "--to", f"{table}.csv")
        study.file(f"{table}.csv")
    study.check()


def _look(number: int, body: Mapping[str, Any]) -> str:
    """Answer that a picture is a photograph, but for small files."""
    return json.dumps({"shows": "shapes", "cartoon": "no" if len(str(body)) > 18_000 else "whole"})


def _draw_memes(folder: Path) -> None:
    """Draw the memes of TEXTS: one with three copies of it, one that is too small."""
    folder.mkdir()
    tea = draw_picture(1)
    pictures = {
        "tea": tea,
        "tea-smaller": tea.resize((250, 200)),
        "tea-mirrored": ImageOps.mirror(tea),
        "tea-silent": tea.resize((400, 320)),
        "tiny": draw_picture(8, 100, 80),
    }
    for number, name in enumerate(TEXTS, 2):
        pictures.get(name, draw_picture(number)).save(folder / f"{name}.png")
    rows = [{"image": f"{name}.png", "text": text} for name, text in TEXTS.items()]
    write_table(folder / "memes.csv", rows)


def _make_datasets(root: Path) -> None:
    """Write a small dataset of each layout, with a fault in each."""
    pictures = [draw_picture(seed, 120, 90) for seed in range(6)]

    def save(number: int, *names: str) -> None:
        for name in names:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            pictures[number].save(root / name)

    def lines(name: str, *records: Mapping[str, Any]) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("".join(f"{json.dumps(record)}\n" for record in records))

    def table(name: str, *rows: Mapping[str, Any]) -> Path:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        return write_table(root / name, rows)

    save(0, "table/1.png", "hateful-memes/img/01.png", "harmeme/images/covid_1.png")
    save(1, "table/2.png", "multi3hate/data/memes/en/12.jpg", "folder/b/deep/one.png")
    save(2, "multi3hate/data/memes/de/Happy-Dog/0012.png", "huggingface/pictures/a.png")
    save(3, "memegen/templates/kettle/default.png", "huggingface/pictures/tea.png")
    save(4, "memegen/templates/kettle/steam.png")
    rows = [
        {"image": "1.png", "text": "tea // again", "date": "2019-05-01 10:00", "fun": "no"},
        {"image": "2.png", "text": "rain", "date": "1546300800", "fun": "yes"},
        {"image": "gone.png", "text": "", "date": "", "fun": "no"},
        {"image": "../out.png", "text": "", "date": "", "fun": "no"},
    ]
    csv = table("table/memes.csv", *rows)
    frame = pd.read_csv(csv, dtype=str)
    frame.to_excel(root / "memes.xlsx", index=False)
    with zipfile.ZipFile(root / "memes.ods", "w") as archive:
        cells = ("".join(f"<t:table-cell><x:p>{cell}</x:p></t:table-cell>" for cell in row)
                 for row in ([*rows[0]], rows[0].values()))  # fmt: skip
        table_rows = "".join(f"<t:table-row>{row}</t:table-row>" for row in cells)
        archive.writestr("content.xml", ODS.format(table_rows))
    frame.to_json(root / "memes.jsonl", orient="records", lines=True)
    (root / "latin.tsv").write_bytes("image\ttext\n1.png\tthé déjà prêt\n".encode("latin-1"))
    with tarfile.open(root / "memes.tar", "w") as archive:
        archive.add(root / "table/1.png", "a.png")
        (root / "a.json").write_text('{"caption": "tea", "url": "https://example.org/a.png"}')
        archive.add(root / "a.json", "a.json")
    meme = {"id": 1, "img": "img/01.png", "label": 0, "text": "good morning"}
    lines("hateful-memes/train.jsonl", meme, meme | {"id": 2, "img": "img/02.png"})
    meme = {"id": "covid_1", "image": "covid_1.png", "labels": ["not harmful"], "text": "stay in"}
    lines("harmeme/annotations/train.jsonl", meme, meme | {"id": "covid_2", "image": "2.png"})
    heading = {"Meme ID": "12", "Template Name": "Happy Dog", "Original (English)": "good // day"}
    table("multi3hate/data/captions/en.csv", heading | {"Translation": "good // day"})
    table("multi3hate/data/captions/de.csv", heading | {"Translation": "guten // Tag"})
    votes = {"Meme ID": "12", "US": 0, "DE": 1, "MX": 0, "IN": "", "CN": 0}
    table("multi3hate/data/final_annotations.csv", votes)
    (root / "huggingface/README.md").write_text("---\nlicense: cc-by-4.0\n---\n# Cats\n")
    embedded = {"bytes": (root / "table/1.png").read_bytes(), "path": "one.png"}
    beside = [{"bytes": None, "path": f"pictures/{name}.png"} for name in ("a", "tea")]
    shown = [embedded, *beside, {"bytes": b"no picture", "path": "c.png"}]
    data = {"image": shown, "text": ["good // day", "", "Tea // again", "x"], "id": [*"6789"]}
    frame = pd.DataFrame(data | {"label": ["calm", "calm", "lively", "calm"]})
    frame.to_parquet(root / "huggingface/train.parquet")
    _make_exports(root, pictures[5])
    (root / "folder/page.gif").write_text("<html>")
    (root / "folder/notes.txt").write_text("text")
    Image.new("RGB", (30, 20)).save(root / "folder/small.png")
    (root / "memegen/templates/kettle/config.yml").write_text(
        "name: Kettle\nsource: https://example.org/kettle\ntext:\n"
        "  - {color: white, anchor_x: 0, anchor_y: 0.0, scale_x: 1, scale_y: 0.2}\n"
        "  - {color: white, anchor_x: 0, anchor_y: 0.8, scale_x: 1, scale_y: 0.2}\n"
        "example:\n  - tea\n  - again\n"
    )
    shutil.copytree(root / "memegen/templates/kettle", root / "memegen/templates/broken")
    (root / "memegen/templates/broken/config.yml").write_text("name: [")


def _make_exports(root: Path, picture: Image.Image) -> None:
    """Write what Telegram Desktop, gallery-dl and img2dataset leave."""
    for name in ("telegram/photos/2.jpg", "gallery-dl/cats/a.jpg", "img2dataset/00000/0.jpg"):
        (root / name).parent.mkdir(parents=True)
        picture.save(root / name)
    shared = {"type": "message", "date": "2023-02-02T10:34:28", "text": ["Tea at ", "noon"]}
    messages = [
        {"id": 1, "type": "service", "photo": "photos/1.jpg", "text": ""},
        {"id": 2, "photo": "photos/2.jpg"} | shared,
        {"id": 3, "photo": "(File not included.)"} | shared,
        {"id": 4, "file": "stickers/s.webp", "media_type": "sticker"} | shared,
    ]
    chat = {"name": "Office", "type": "public_channel", "id": 9, "messages": messages}
    (root / "telegram/result.json").write_text(json.dumps(chat))
    post = {"category": "reddit", "title": "My cat", "date": "2021-03-04 05:06:07", "score": 12}
    (root / "gallery-dl/cats/a.jpg.json").write_text(json.dumps(post | {"extension": "jpg"}))
    (root / "gallery-dl/cats/info.json").write_text('{"category": "reddit"}')
    good = {"url": "https://example.org/a.jpg", "caption": "a cat", "key": "0", "status": "success"}
    failed = good | {"key": "1", "status": "failed", "error_message": "HTTP Error 404"}
    for each in (good, failed):
        (root / f"img2dataset/00000/{each['key']}.json").write_text(json.dumps(each))
