"""`memeloc status`: the path, what was spent, and what it loads."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.model import Caption
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.worlds import answers_of, correct, memeloc, read_rows, write_table

Command = Callable[..., Outcome]


def _path(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Return done, open and the command of each stage, and of all as `next`."""
    status = json.loads(memeloc(folder, "status", "--json"))
    path = {step["stage"]: (step["done"], step["open"], step["next"]) for step in status["path"]}
    return path | {"next": (0, 0, status["next"].partition("  #")[0])}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("captions", {"translate": (0, 24, "memeloc translate --langs de,hi")}),
        (
            "translated",
            {
                "translate": (24, 0, ""),
                "correct": (
                    *(0, 24),
                    "memeloc correct export --langs de,hi --round 1 --to NAME",
                ),
            },
        ),
        (
            "given",
            {
                "translate": (24, 0, ""),
                "correct": (24, 0, ""),
                "render": (0, 36, "memeloc render"),
            },
        ),
        (
            "labelled",
            {
                "translate": (24, 0, ""),
                "correct": (24, 0, ""),
                "render": (36, 0, ""),
                "survey": (45, 0, ""),
                "settle": (36, 0, ""),
                "analyze": (0, 1, "memeloc analyze pilot"),
            },
        ),
    ],
)
def test_the_path_of_a_study(
    name: str, path: dict[str, tuple[int, int, str]], world: Callable[[str], Path]
) -> None:
    command = next(step[2] for step in path.values() if step[2])
    assert _path(world(name)) == path | {"next": (0, 0, command)}


def test_whose_answers_are_waited_for(world: Callable[[str], Path]) -> None:
    folder = world("translated")
    to = ("--to", "anna,ben", "--share", "--format", "csv", "--no-pictures")
    memeloc(folder, "correct", "export", "--langs", "de", *to)
    assert "--langs hi --round 1" in _path(folder)["next"][2]
    memeloc(folder, "correct", "export", "--langs", "hi", "--to", "asha", "--no-pictures")
    (why,) = (line for line in memeloc(folder, "status").splitlines() if line.startswith("Next"))
    anna, ben = (
        len({row["meme_id"] for row in read_rows(folder / f"de-r1-{person}.csv")})
        for person in ("anna", "ben")
    )
    assert why == (
        f"Next: memeloc correct import FILE  # out with anna {anna} (de-r1-anna.csv), "
        f"ben {ben} (de-r1-ben.csv), asha 12 (hi-r1-asha.xlsx)"
    )
    correct(folder / "de-r1-anna.csv", {})
    memeloc(folder, "correct", "import", "de-r1-anna.csv")
    assert (
        memeloc(folder, "correct", "import", "de-r1-anna.csv", "--take-back").splitlines()[-1]
        == why
    )
    printed = memeloc(folder, "correct", "import", "de-r1-anna.csv").splitlines()[-1]
    assert printed.startswith("Next: memeloc correct export --langs de --round 2")
    assert printed.endswith(f"  # round 2 of 2, on nobody's sheet: de {anna}")


def test_pictures_of_captions_that_have_changed(world: Callable[[str], Path]) -> None:
    folder = world("rendered")
    assert _path(folder)["next"][2] == "memeloc survey build NAME --cultures CODES"
    rows = read_rows(folder / "captions.csv")
    rows[0]["de"] = "Eins // zwei"
    write_table(folder / "captions.csv", rows)
    memeloc(folder, "import", "captions.csv")
    assert _path(folder)["render"] == (35, 1, "memeloc render")
    printed = memeloc(folder, "render", "--langs", "de", "--max-side", 160, "--jobs", 1)
    assert printed.splitlines()[-1].startswith("Next: memeloc survey build NAME")
    assert _path(folder)["render"] == (36, 0, "")


def test_what_was_dropped_is_no_picture_to_render(world: Callable[[str], Path]) -> None:
    folder = world("rendered")
    memeloc(
        folder,
        "drop",
        read_rows(folder / "captions.csv")[0]["meme_id"],
        "--langs",
        "de",
        "--why",
        "a pun",
    )
    assert _path(folder)["render"] == (35, 0, "")
    memeloc(folder, "render", "--max-side", 160, "--jobs", 1)
    assert _path(folder)["render"] == (35, 0, "")


@pytest.mark.parametrize(
    ("status", "label", "commands"),
    [
        (
            *("complete", "hate"),
            [
                "memeloc survey check pilot  # answers are not checked yet",
                "memeloc survey check pilot --out excluded.csv  # all are excluded: attention 45",
            ],
        ),
        (
            *("returned", "hate"),
            [
                "memeloc survey import pilot FILE  # all that came is incomplete; 45 people are "
                "still to answer"
            ],
        ),
    ],
)
def test_what_comes_next_goes_by_what_became_of_the_answers(
    status: str, label: str, commands: list[str], world: Callable[[str], Path]
) -> None:
    folder = world("surveyed")
    assert "memeloc survey export pilot" in _path(folder)["next"][2]
    memeloc(folder, "survey", "export", "pilot", "--to", "csv", "--contact", "lab@example.org")
    assert _path(folder)["next"][2] == "memeloc survey import pilot FILE"
    with Workspace.open(folder) as workspace:
        answers = list(answers_of(workspace.survey("pilot").all_sheets))
    for sent in answers:
        sent["status"] = status
        sent["answers"] = [{**answer, "label": label} for answer in sent["answers"]]
    (folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
    printed = [memeloc(folder, "survey", "import", "pilot", "answers.json")]
    printed += [memeloc(folder, "survey", "check", "pilot") for _ in commands[1:]]
    assert [lines.splitlines()[-1] for lines in printed] == [f"Next: {line}" for line in commands]


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
        answers = workspace.store.computed
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
    assert loaded.isdisjoint({"pandas", "pyarrow", "PIL"})
