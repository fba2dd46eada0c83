"""The server as a process: a rush for few places, a crash in the middle, and the command itself."""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from memeloc.store.tables.types import decode_json
from memeloc.workspace import Workspace
from tests.studio.served import Annotator, serving

DE, SECOND = "r1-b01-DE", "r1-b02-DE"


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


@pytest.mark.parametrize("kills", [1, pytest.param(12, marks=pytest.mark.slow)])
def test_crashes_lose_and_double_nothing(on: Path, kills: int) -> None:
    """People go on while the server is killed at random moments, from joining to the end."""
    chance, ended, people = random.Random(kills), threading.Event(), max(3, kills // 2)
    with serving(on) as server:

        def fill(number: int) -> None:
            with httpx.Client(timeout=60) as own:
                annotator = Annotator(own, server.address)

                def insist(send: Callable[[], httpx.Response]) -> None:
                    """Send as the page does: until the server says that it is stored."""
                    while True:
                        with suppress(httpx.TransportError):
                            if send().status_code == 200:
                                return
                        time.sleep(0.2)

                sheet = DE if number < 5 else SECOND
                insist(lambda: annotator.join(PROLIFIC_PID=f"p{number}", sheet=sheet))
                for at, item in enumerate(annotator.items, 1):
                    time.sleep(0.1)
                    insist(lambda item=item, at=at: annotator.answer(item, "no-hate", at))
                ended.wait()
                insist(annotator.finish)

        threads = [threading.Thread(target=fill, args=(number,)) for number in range(people)]
        for thread in threads:
            thread.start()
        for _ in range(kills):
            time.sleep(chance.uniform(0, 0.4))
            server.kill()
            server.start()
        ended.set()
        for thread in threads:
            thread.join()
    with Workspace.open(on) as workspace:
        sent = workspace.survey("pilot").submissions
        with workspace.store.database.read() as connection:
            rows = connection.exec_driver_sql(
                "SELECT place_id, item, value FROM given_answers"
            ).all()
    assert [(each.status, len(each.answers)) for each in sent] == [("complete", 8)] * people
    assert set(Counter((row[0], row[1]) for row in rows).values()) == {1}
    labels = {decode_json(row[2])["label"] for row in rows}
    assert (len(rows), labels) == (8 * people, {"no-hate"})
