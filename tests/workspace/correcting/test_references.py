"""What sheets show beside captions: matches of the memory, terms of the glossary."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memeloc import Workspace
from tests.chat_server import serve_chat

TABLE = """meme_id,template,en,de
m1,robot-chef,Monday morning again // and no coffee,Wieder Montag // und kein Kaffee
m2,robot-chef,Monday evening again // and no coffee,
m3,robot-chef,Monday evening again // and no coffee,
m4,robot-chef,Something else // altogether,
"""
TMX = """<tmx version="1.4"><header srclang="en"/><body><tu>
<tuv xml:lang="en"><seg>Something else // entirely</seg></tuv>
<tuv xml:lang="de"><seg>Etwas ganz // anderes</seg></tuv></tu></body></tmx>"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Four memes in English, one with a German caption by a person, and a memory from outside."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("captions.csv").write_text(TABLE, encoding="utf-8")
    Path("old.tmx").write_text(TMX, encoding="utf-8")
    with Workspace.create("my-set", languages=["de"]) as made:
        made.import_captions("captions.csv")
        made.translate(["de"], translator="pseudo")
        made.translating.import_memory("old.tmx")
        yield made


def _column(workspace: Workspace, heading: str, name: str = "s.csv", **more: int) -> dict[str, str]:
    """A column of a sheet, by meme and part."""
    workspace.correcting.export_sheets(["de"], format="csv", only="all", out=Path(name), **more)  # type: ignore[arg-type]
    with Path(name).open(encoding="utf-8-sig", newline="") as stream:
        return {f"{row['meme_id']}/{row['part']}": row[heading] for row in csv.DictReader(stream)}


def test_a_sheet_shows_what_was_accepted_or_imported(workspace: Workspace) -> None:
    matches = _column(workspace, "translation memory")
    assert matches == {
        "m1/1": "",
        "m1/2": "",
        "m2/1": "87 %: Monday morning again → Wieder Montag",
        "m2/2": "87 %: and no coffee → und kein Kaffee",
        "m3/1": "87 %: Monday morning again → Wieder Montag",
        "m3/2": "87 %: and no coffee → und kein Kaffee",
        "m4/1": "72 %: Something else → Etwas ganz",
        "m4/2": "72 %: entirely → anderes",
    }


def test_a_dropped_meme_is_no_match(workspace: Workspace) -> None:
    workspace.captions.drop(["m1"], "a pun", languages=["de"], person="ada")
    assert not any("Montag" in text for text in _column(workspace, "translation memory").values())


def test_round_2_shows_what_round_1_corrected_elsewhere(workspace: Workspace) -> None:
    path = Path("s.csv")
    _column(workspace, "source", str(path))
    rows = list(csv.reader(path.open(encoding="utf-8-sig", newline="")))
    text = rows[0].index("your text")
    for row in rows[1:]:
        if row[rows[0].index("meme_id")] == "m2":
            row[text] = f"neu {row[rows[0].index('part')]}"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    workspace.correcting.import_sheet(path, person="asha")
    matches = _column(workspace, "translation memory", "t.csv")
    assert matches["m3/1"].splitlines() == [
        "100 %: Monday evening again → neu 1",
        "87 %: Monday morning again → Wieder Montag",
    ]
    assert "neu 1" not in matches["m2/1"]


GLOSSARY = """term,de,de forbidden,note
coffee,Kaffee,Mokka,
Monday,Montag*,,not Tuesday
,,pfui,
"""


def _with_glossary(workspace: Workspace, name: str = "glossary.csv") -> Workspace:
    root = workspace.root
    assert root is not None
    (root / "glossary.csv").write_text(GLOSSARY, encoding="utf-8")
    (root / "memeloc.toml").write_text(f'glossary = "{name}"', encoding="utf-8")
    return Workspace.open(root)


def test_prompts_carry_the_terms_that_occur(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serve_chat() as server, _with_glossary(workspace) as again:
        options = {"model": "tiny", "base_url": server.url}
        job = again.translating.prepare(
            ["de"], translator="openai", options=options, again="pseudo"
        )
        job.run()
    asked = [json.loads(body["messages"][1]["content"]) for body in server.bodies]
    terms = {each["caption"][0]["text"]: each["glossary"] for each in asked}
    assert terms == {
        "Monday evening again": [
            {"term": "coffee", "use": "Kaffee", "avoid": "Mokka"},
            {"term": "Monday", "use": "Montag", "note": "not Tuesday"},
            {"avoid": "pfui"},
        ],
        "Something else": [{"avoid": "pfui"}],
    }
