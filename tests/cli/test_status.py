"""`memeloc status`: counts, what to do next, and what it loads."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.model import Caption
from memeloc.store import LanguageStatus
from memeloc.workspace import Workspace
from memeloc.workspace.captions import next_steps
from tests.conftest import Outcome

Command = Callable[..., Outcome]


def _language(
    tag: str, *, missing: int = 0, outdated: int = 0, cases: int = 0, **stages: int
) -> LanguageStatus:
    named = {name.replace("_", " "): count for name, count in stages.items()}
    return LanguageStatus(tag, tag == "en", missing, outdated, named, {}, cases, 0)


ENGLISH = _language("en", imported=9)


@pytest.mark.parametrize(
    ("languages", "memes", "steps"),
    [
        ([ENGLISH], 0, ["memeloc import TABLE"]),
        ([ENGLISH], 9, ["name the languages to translate into in memeloc.toml"]),
        (
            [ENGLISH, _language("de", missing=9), _language("hi", outdated=1, imported=8)],
            9,
            ["memeloc translate --langs de,hi"],
        ),
        (
            [ENGLISH, _language("de", translated=2, corrected_1=7)],
            9,
            [
                "memeloc correct export --lang de --round 1 --to NAME",
                "memeloc correct export --lang de --round 2 --to NAME",
            ],
        ),
        (
            [ENGLISH, _language("de", corrected_2=9, cases=1)],
            9,
            ["memeloc correct settle --lang de"],
        ),
        ([ENGLISH, _language("de", corrected_2=8, settled_2=1)], 9, ["memeloc render --langs all"]),
    ],
)
def test_what_to_do_next(languages: list[LanguageStatus], memes: int, steps: list[str]) -> None:
    assert next_steps(languages, memes, 2) == steps


def test_what_was_spent_over_all_runs(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    command("init", "--langs", "de")
    Path("table.csv").write_text("meme_id,template,en\na,cloud-monday,one\n", encoding="utf-8")
    command("import", "table.csv")
    with Workspace.open(tmp_path) as workspace:
        captions = workspace.store.captions
        source = captions.current("en")["a"]
        for text in ("eins", "zwei"):
            captions.add_translation(
                *("a", "de", Caption((text,))),
                source_id=source.id, translator="google", cost=0.25, currency="USD", replace=True,
            )  # fmt: skip
        answers = workspace.store.computed.model_answers
        for key, cost in (("1", 0.5), ("2", 0.0), ("3", 0.125)):
            kept = {"text": "yes", "model": "tiny", "cost": cost, "currency": "EUR"}
            answers.put(key, json.dumps(kept))
        answers.put("4", json.dumps({"text": "yes", "model": "tiny"}))
        answers.put("5", "no")
    assert json.loads(command("status", "--json").out)["spent"] == [
        {"name": "tiny", "currency": "EUR", "cost": 0.625, "texts": 2},
        {"name": "google", "currency": "USD", "cost": 0.5, "texts": 2},
    ]
    assert "google\t2\t0.5000\tUSD" in command("status").out


def test_it_loads_no_library_of_other_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    table = tmp_path / "table.csv"
    table.write_text("meme_id,template,en,de\na,cloud-monday,one,eins\n", encoding="utf-8")
    with Workspace.create(tmp_path / "w", languages=["de"]) as workspace:
        workspace.import_captions(table)
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "memeloc", "status", "--json"],
        cwd=tmp_path / "w",
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["memes"] == 1
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert loaded.isdisjoint({"pandas", "pyarrow", "alembic", "PIL"})
