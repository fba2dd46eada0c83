"""`memeloc collect`: any source by its options; killed, against harm, and the second time."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from examples.sites.serve import serving
from memeloc.workspace import Workspace
from tests.chat_server import serve_chat
from tests.collect import hostile_site
from tests.conftest import Outcome

Run = Callable[..., Outcome]
ROOT = Path(__file__).parents[3]
_MAIN = "from memeloc.cli import main; main()"


@pytest.fixture(autouse=True)
def _on_sqlite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty workspace, the working directory."""
    Workspace.create(tmp_path / "work", languages=["de"]).close()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def _items(folder: Path) -> list[tuple[object, ...]]:
    """What is in a workspace, but for when it was fetched."""
    with Workspace.open(folder) as workspace:
        return sorted(
            (item.id, item.kind, item.parts, item.parent, item.picture, item.votes)
            for item in workspace.store.items.find()
        )


def test_the_dates_of_a_table_say_which_duplicate_is_oldest(command: Run, folder: Path) -> None:
    (folder / "memes").mkdir()
    for name in ("0.png", "1.png"):
        (folder / "memes" / name).write_bytes(hostile_site.good_picture())
    (folder / "memes/m.csv").write_text("file,when\n0.png,2021-05-01\n1.png,1546300800\n")
    assert command("collect", "table", "memes", "--created", "when").status == 0
    result = json.loads(command("dedup", "--set", "keep=oldest", "--json").out)
    (dropped,) = result["duplicates"]
    assert (dropped["item"][:2], dropped["kept"][:2]) == ("0-", "1-")


def _start(folder: Path, sites: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            sys.executable, "-c", _MAIN, "collect", "memegenerator",
            f"{sites.address}/memegenerator/", "--allow-host", sites.host, "--delay", "0",  # type: ignore[attr-defined]
        ],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.mark.slow
def test_a_killed_run_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    chance = random.Random(4)
    with serving() as sites:
        Workspace.create(tmp_path / "whole").close()
        began = time.monotonic()
        assert _start(tmp_path / "whole", sites).wait(timeout=60) == 0
        whole = time.monotonic() - began
        Workspace.create(tmp_path / "killed").close()
        killed = 0
        for _ in range(4):
            process = _start(tmp_path / "killed", sites)
            time.sleep(chance.uniform(0.4, 1.0) * whole)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                killed += 1
            process.wait()
        assert _start(tmp_path / "killed", sites).wait(timeout=60) == 0
    assert killed
    assert _items(tmp_path / "killed") == _items(tmp_path / "whole")


def test_a_limit_stops_a_source_that_has_none_of_its_own(command: Run, folder: Path) -> None:
    (folder / "list.txt").write_text("http://10.0.0.1/a\nhttp://10.0.0.1/b\n")
    done = command("collect", "search", "list.txt", "--limit", "1", "--json")
    assert len(json.loads(done.out)["refusals"]) == 1


def test_a_wrong_setting_of_fetching_is_reported(command: Run, folder: Path) -> None:
    (folder / "memeloc.toml").write_text("[collect.fetch]\ndelays = 3\n")
    (folder / "list.txt").write_text("http://10.0.0.1/a\n")
    done = command("collect", "search", "list.txt")
    assert done.status == 1
    assert "no setting 'delays'" in done.err


def test_a_language_model_reads_years_where_one_is_set_up(
    command: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(number: int, body: dict[str, object]) -> str:
        text = json.dumps(body["messages"], ensure_ascii=False)
        result = re.search(r"[^.\"\\]{0,80}\b(20\d\d)\b", text.rpartition("user")[2])
        if result is None:
            return json.dumps({"evidence": "", "year": None})
        return json.dumps({"evidence": result[0].strip(), "year": int(result[1])})

    with serving() as sites, serve_chat() as chat:
        chat.say = answer
        monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
        where = f"{sites.address}/know-your-meme/memes/all"
        options = ("--allow-host", sites.host, "--delay", "0", "--json")
        command("collect", "encyclopaedia", where, *options)
        with Workspace.open(folder) as workspace:
            before = {item.name: item.year for item in workspace.store.items.find("template")}
        (folder / "memeloc.toml").write_text('[language_model]\nmodel = "reader"\n')
        command("collect", "encyclopaedia", where, *options)
        with Workspace.open(folder) as workspace:
            after = {item.name: item.year for item in workspace.store.items.find("template")}
    stored = [name for name, year in before.items() if year is not None]
    assert stored
    assert all(after[name] == before[name] for name in stored)
    assert {year.by for year in after.values() if year} <= {"data", "model"}
    asked = [name for name, year in before.items() if year is None]
    assert 0 < len(chat.bodies) <= len(asked)  # one whose text has no year is not asked about
