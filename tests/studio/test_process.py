"""The server as a process: a rush for few places, a crash in the middle, and the command itself."""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from pathlib import Path

import httpx
import pytest

from memeloc.store.tables.types import decode_json
from memeloc.workspace import Workspace
from tests.studio.served import Annotator, serving

DE = "r1-b01-DE"


@pytest.fixture
def on(
    made: Path, built: Path, tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A workspace with the survey `pilot`, on both databases."""
    work = tmp_path / "work"
    shutil.copytree(made, work)
    examples = Path("surveys/pilot/examples")
    shutil.copytree(built / examples, work / examples)
    monkeypatch.chdir(work)
    with Workspace.open(work) as workspace:
        if database == "postgresql":
            workspace.import_captions(made.parent / "cut.csv")
        workspace.surveys.build("pilot", "DE", size=4)
    return work


def test_ten_clients_for_five_places(on: Path) -> None:
    barrier, paths = threading.Barrier(10), list[str]()
    with serving(on) as server:

        def come(number: int) -> None:
            with httpx.Client(timeout=60) as client:
                barrier.wait()
                url = f"{server.address}/join?PROLIFIC_PID=p{number}&sheet={DE}"
                paths.append(client.get(url, follow_redirects=True).url.path)

        threads = [threading.Thread(target=come, args=(number,)) for number in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    places = [path for path in paths if path.startswith("/place/")]
    assert len(places) == len(set(places)) == 5
    assert len(paths) == 10


def test_a_crash_loses_and_doubles_nothing(on: Path, client: httpx.Client) -> None:
    with serving(on) as server:
        comers = [Annotator(client, server.address) for _ in range(3)]
        for number, comer in enumerate(comers):
            comer.join(PROLIFIC_PID=f"p{number}", sheet=DE)
        stop = threading.Event()

        def fill(comer: Annotator) -> None:
            with httpx.Client(timeout=60) as own:
                comer.client = own
                for number, item in enumerate(comer.items, 1):
                    while True:  # as the page does it: until the server says that it is stored
                        try:
                            if comer.answer(item, "no-hate", number).status_code == 200:
                                break
                        except httpx.TransportError:
                            stop.wait(0.2)
                comer.finish()

        threads = [threading.Thread(target=fill, args=(comer,)) for comer in comers]
        for thread in threads:
            thread.start()
        server.kill()
        server.start()
        for thread in threads:
            thread.join()
    with Workspace.open(on) as workspace:
        sent = workspace.survey("pilot").submissions
        with workspace.store.database.read() as connection:
            rows = connection.exec_driver_sql(
                "SELECT place_id, item, value FROM given_answers"
            ).all()
    assert [(each.status, len(each.answers)) for each in sent] == [("complete", 8)] * 3
    assert set(Counter((row[0], row[1]) for row in rows).values()) == {1}
    labels = {decode_json(row[2])["label"] for row in rows}
    assert (len(rows), labels) == (24, {"no-hate"})
