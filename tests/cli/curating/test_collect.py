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
from tests.collect.local_site import served
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


def _hostile_list(folder: Path, address: str) -> Path:
    """A list of addresses as an image search leaves it: all that means harm, and a good one."""
    names = [address + path for path in hostile_site.REASONS if path != "/drip"]
    names += [
        f"{address}/good.png",
        "http://169.254.169.254/latest/meta-data",
        f"{address}/../../etc/passwd.png",
        "file:///etc/passwd",
    ]
    file = folder / "found.txt"
    file.write_text("\n".join(names), encoding="utf-8")
    return file


def test_harm_is_refused_with_its_reason_and_the_rest_collected(command: Run, folder: Path) -> None:
    (folder / "memeloc.toml").write_text(
        "[collect.fetch]\nretries = 0\ntotal = 5.0\npatience = 1.0\nmax_picture_bytes = 3000000\n"
    )
    with served(hostile_site.answer) as site:
        file = _hostile_list(folder, site.url)
        done = command(
            "collect", "search", str(file), "--smallest", "1", "--delay", "0",
            "--allow-host", site.host, "--json",
        )  # fmt: skip
    assert done.status == 0, done.err
    shown = json.loads(done.out)
    assert shown["found"] == {"picture": 1}
    reasons = {row["url"].removeprefix(site.url): row["reason"] for row in shown["refusals"]}
    for path in ("/to-this-machine", "/to-metadata"):
        assert reasons[path] == "inside the network"
    assert reasons["http://169.254.169.254/latest/meta-data"] == "inside the network"
    assert reasons["/huge.png"] == "too large"
    assert reasons["/bomb.gz"] == "too large"
    assert reasons["/endless"] == "too large"
    assert reasons["/page.png"] == "not a picture"
    assert len(reasons) >= len(hostile_site.REASONS)
    assert all(row["sentence"] for row in shown["refusals"])
    with Workspace.open(folder) as workspace:
        (item,) = workspace.store.items.find()
        assert item.path is not None
        assert item.path.read_bytes() == hostile_site.good_picture()
        assert len(workspace.store.items.refusals()) == len(shown["refusals"])
        assert item.path.is_relative_to(folder / "images")


def test_how_a_table_is_read_is_said_before(command: Run, folder: Path) -> None:
    (folder / "memes").mkdir()
    (folder / "memes/1.png").write_bytes(hostile_site.good_picture())
    (folder / "memes/memes.csv").write_text("image,text,date,fun\n1.png,tea,2019-05-01 10:00,no\n")
    how = "memes.csv: columns guessed by their names: image = image, text = text, created = date"
    how += ", labels = mood (fun)"
    plan = command("collect", "table", "memes", "--label", "mood=fun", "--dry-run")
    assert plan.out.splitlines()[-1] == how
    done = command("collect", "table", "memes", "--label", "mood=fun")
    assert done.err.splitlines()[0] == how
    shown = json.loads(command("collect", "table", "memes", "--dry-run", "--json").out)
    assert shown["tables"][0]["example"]["text"] == "tea"
    assert (shown["dataset"], shown["there"]) == ("memes", {"picture": 1})
    with Workspace.open(folder) as workspace:
        (item,) = workspace.store.items.find()
        assert (item.created, item.parts) == ("2019-05-01T10:00:00", ("tea",))


def test_the_dates_of_a_table_say_which_duplicate_is_oldest(command: Run, folder: Path) -> None:
    (folder / "memes").mkdir()
    for name in ("0.png", "1.png"):
        (folder / "memes" / name).write_bytes(hostile_site.good_picture())
    (folder / "memes/m.csv").write_text("file,when\n0.png,2021-05-01\n1.png,1546300800\n")
    assert command("collect", "table", "memes", "--created", "when").status == 0
    result = json.loads(command("dedup", "--keep", "oldest", "--json").out)
    (dropped,) = result["duplicates"]
    assert (dropped["item"][:2], dropped["kept"][:2]) == ("0-", "1-")


def test_the_second_time_nothing_is_new(command: Run, folder: Path) -> None:
    with serving() as sites:
        where = f"{sites.address}/memegenerator/"
        options = ("--allow-host", sites.host, "--delay", "0", "--max-age", "0", "--json")
        first = json.loads(command("collect", "memegenerator", where, *options).out)
        again = json.loads(command("collect", "memegenerator", where, *options).out)
        sites.edition = 2
        later = json.loads(command("collect", "memegenerator", where, *options).out)
    assert first["new"] == sum(first["found"].values()) > 100
    assert (again["new"], again["changed"], again["requests"]["fetched"]) == (0, 0, 0)
    pages = first["requests"]["fetched"] - 1  # robots.txt holds for a day
    assert again["requests"]["not modified"] == pages
    assert (later["new"], later["requests"]["fetched"]) == (1, 1)


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


def test_an_unknown_source_and_a_missing_path_are_sentences(command: Run, folder: Path) -> None:
    assert command("collect", "nowhere", "x").status == 2
    done = command("collect", "folder", "not-there")
    assert done.status == 1
    assert "not-there" in done.err


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
    assert {year.by for year in after.values() if year} <= {"data", "rule", "model"}
    asked = [name for name, year in before.items() if year is None]
    assert len(chat.bodies) == len(asked) > 0


def test_a_dry_run_sends_nothing(command: Run, folder: Path) -> None:
    with serving() as sites:
        done = command(
            "collect", "memegenerator", f"{sites.address}/memegenerator/", "--limit", "3",
            "--allow-host", sites.host, "--dry-run",
        )  # fmt: skip
        assert sites.requests == []
    assert done.status == 0
    assert "limit 3" in done.out
    assert "nothing" in done.out
