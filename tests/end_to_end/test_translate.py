"""Captions come in as a table and are translated: by a service, a model, a memory."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from memeloc import Workspace
from tests.chat_server import serve_chat
from tests.end_to_end.study import Study
from tests.translate.google_server import serve_rest
from tests.translate.tiny_model import write_argos, write_pieces
from tests.worlds import starter_rows, write_table

TABLE = """meme_id,template,en,de,notes
a,cloud-monday,one // two,eins // zwei,x
b,cloud-monday,three,,
c,no-such,four,vier,
a,cloud-monday,again,,
d,cloud-monday,,,
e,cloud-monday,1 // 2 // 3,eins // zwei // drei,
,cloud-monday,no id,,
"""
UNIT = (
    '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>{0}</seg></tuv>'
    '<tuv xml:lang="de"><seg>{1}</seg></tuv></tu></body></tmx>'
)


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")


def test_a_table_with_faults_comes_in(study: Study) -> None:
    table = study.folder / "captions.csv"
    table.write_text(TABLE, encoding="utf-8")
    study.run("import", "captions.csv", status=1)
    study.run("init", "--langs", "de,klingon", status=1)
    study.run("init", "--langs", "de", "--json")
    study.run("init", "--langs", "de", status=1)
    study.file("memeloc.toml")
    study.run("import", "no-such.csv", status=1)
    study.run("import", "captions.csv", "--strict", status=1)
    study.run("import", "captions.csv", "--langs", "hi", status=1)
    study.run("import", "captions.csv")
    study.run("import", "captions.csv")
    table.write_text(TABLE.replace("three", "drei"), encoding="utf-8")
    study.run("import", "captions.csv", "--json")
    (study.folder / "pictures").mkdir()
    Image.new("RGB", (400, 300), "white").save(study.folder / "pictures" / "no-such.png")
    study.run("import", "captions.csv", "--templates", "pictures", "--json")
    (study.folder / "bad.csv").write_text("meme,text\n1,2\n")
    study.run("import", "bad.csv", status=1)
    for kind in ("csv", "jsonl", "parquet"):
        study.run("export", "captions", "--to", f"out.{kind}", "--json")
        study.run("import", f"out.{kind}")
    study.file("out.csv")
    study.run("status", "--json")
    study.run("status")
    study.check()


def test_a_service_translates_within_a_budget(study: Study, world: Callable[..., Path]) -> None:
    world("captions", study.folder)
    study.run("translate", "--langs", "de", status=1)
    study.run("translate", "--with", "babel", status=1)
    study.run("translate", "--langs", "dee", "--with", "pseudo", status=1)
    study.run("translate", "--with", "google", "--dry-run", "--json")
    study.run("translate", "--langs", "de", "--with", "google", status=1)
    with serve_rest() as server:
        server.lose = lambda text: "melons" in text
        settings = study.folder / "memeloc.toml"
        text = settings.read_text("utf-8").partition("\n[translate]")[0]
        settings.write_text(
            f'{text}\n[translate]\nwith = "google"\n[translate.google]\n'
            f'endpoint = "{server.endpoint}"\nproject = "memes"\n',
            encoding="utf-8",
        )
        study.run("translate", "--langs", "de,hi", "--budget", "0.005", "--json", status=1)
        server.trouble = lambda number, request: (
            "invalid" if request.target_language_code == "hi" else ""
        )
        study.run("translate", status=1)
        server.trouble = lambda number, request: ""
        study.run("translate")
        study.run("translate")
        again = ("translate", "--langs", "de", "--again", "google", "--set", "glossary=g")
        study.run(*again, status=1)
        study.run(*again, "--set", "location=us-central1", "--json")
        rows = starter_rows(())
        rows[0]["en"] = "Tuesday’s forecast: // you"
        study.run("import", write_table(study.folder / "changed.csv", rows).name)
        study.run("status")
        study.run("translate", "--only", "new", "--dry-run")
        study.run("translate", "--only", "changed", "--json")
        study.show("sent", sorted({text for each in server.requests for text in each.contents}))
    study.run("export", "memory", "--to", "memory.csv")
    study.file("memory.csv")
    study.run("status", "--json")
    study.check()


def test_a_memory_and_a_model_translate(study: Study, world: Callable[..., Path]) -> None:
    world("captions", study.folder)
    tmx = study.folder / "in.tmx"
    tmx.write_text(UNIT.format("All week: day off // Your barbecue: overtime!", "frei // voll"))
    study.run("import", "in.tmx", "--json")
    tmx.write_text("<tmx>")
    study.run("import", "in.tmx", status=1)
    study.run("translate", "--langs", "de", "--with", "memory", "--json")
    study.run("translate", "--langs", "de", "--with", "memory", "--fuzzy", "0.9")
    settings = study.folder / "memeloc.toml"
    settings.write_text(
        settings.read_text("utf-8").replace('glossary = ""', 'glossary = "terms.csv"'), "utf-8"
    )
    terms = study.folder / "terms.csv"
    terms.write_text("term,de,de forbidden\nonion,Zwie*bel,\n")
    study.run("glossary", status=1)
    terms.write_text("term,de,de forbidden\nonion,Zwiebel*,\nlift*,Aufzug*,Lift*\n")
    study.run("glossary", "--json")
    study.run("glossary", "--langs", "de")
    with serve_chat() as server:
        server.say = _answer
        asked = ("translate", "--with", "openai")
        asked += ("--set", "model=tiny", "--set", f"endpoint={server.url}")
        study.run(*asked, "--langs", "de", "--dry-run", "--json")
        study.run(*asked, "--langs", "de", "--json", status=1)
        study.run(*asked, "--langs", "de", status=1)
        study.show("a request", min(server.bodies, key=str))
    models = study.folder / "models"
    write_argos(models / "en_hi", "en", "hi", write_pieces(study.folder / "pieces"))
    (models / "broken").mkdir()
    (models / "broken" / "model.bin").write_bytes(b"")
    study.run("translate", "--set", "models=models", status=1)
    (models / "broken" / "model.bin").unlink()
    (models / "broken").rmdir()
    study.run("translate", "--set", "models=models", "--json")
    study.run(
        "translate", "--langs", "hi", "--with", "ctranslate2", "--set", "models=models", "--json"
    )
    study.run("correct", "check", "--langs", "de", "--json")
    study.hide(r"\d{8}T\d{6}Z", "<time>")
    study.run("export", "memory", "--to", "out.tmx", "--langs", "de")
    study.file("out.tmx")
    with Workspace.open(".") as workspace:
        study.show("captions", workspace.table("captions"))
    study.check()


def _answer(number: int, body: dict[str, Any]) -> str:
    """Answer by letters moved by 13; one text without its second part, and one in no form."""
    caption = json.loads(body["messages"][1]["content"])["caption"]
    parts = [codecs.encode(part["text"], "rot13") for part in caption]
    if "404" in parts:
        return "I would rather not"
    return json.dumps({"parts": parts[:1] if "melons" in str(caption) else parts})
