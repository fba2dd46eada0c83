"""`memeloc survey` in a workspace: from memes to labels, and every wrong turn a sentence."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memeloc.studio.serving import serve_survey
from memeloc.survey.model import Check, Sheet, entry_id
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.each import each
from tests.worlds import starter_rows, write_table

Run = Callable[..., Outcome]

CULTURES = "US,DE,MX=es"
CONTACT = ("--contact", "lab@university.example")
FILES = ("--set", "codes=false")
"""Pages whose answers are saved as files."""


def _make(folder: Path) -> None:
    from memeloc import render_table

    table = write_table(folder.parent / "cut.csv", starter_rows(["de", "es"], 14))
    with Workspace.create(folder, languages=["de", "es"]) as workspace:
        workspace.import_captions(table)
    render_table(table, folder / "out", languages="all", max_side=120, jobs=1)
    # Pictures of the taxonomy's examples, which each test's export would draw anew.
    drawn = shutil.copytree(folder, folder.parent / "drawn")
    with Workspace.open(drawn) as workspace:
        workspace.surveys.build("pilot", CULTURES, size=7)
        serve_survey(workspace.survey("pilot"), contact=CONTACT[1], pictures=drawn / "out")
    examples = Path("surveys/pilot/examples")
    shutil.copytree(drawn / examples, folder / examples)


@pytest.fixture(scope="session")
def rendered(tmp_path_factory: pytest.TempPathFactory, made_once: Callable[..., Path]) -> Path:
    """A workspace with fourteen memes in three languages, and their pictures."""
    return made_once(_make, tmp_path_factory.mktemp("surveyed") / "work")


@pytest.fixture(autouse=True)
def folder(rendered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("MEMELOC_DATABASE_URL", "MEMELOC_SURVEY_KEY", "PROLIFIC_API_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    work = tmp_path / "work"
    shutil.copytree(rendered, work)
    monkeypatch.chdir(work)
    return work


def build(command: Run, *more: str, name: str = "pilot") -> Mapping[str, Any]:
    done = command("survey", "build", name, "--cultures", CULTURES, "--size", "7", "--json", *more)
    assert done.status == 0, done.err
    printed: Mapping[str, Any] = json.loads(done.out)
    return printed


@pytest.fixture
def pilot(command: Run) -> None:
    """The survey `pilot`, for tests of many commands that change nothing."""
    build(command)


def sheets_of(name: str = "pilot") -> tuple[Sheet, ...]:
    with Workspace.find() as workspace:
        return workspace.survey(name).all_sheets


def saved(sheet: Sheet, who: str, label: str | Mapping[str, str] = "no-hate", **more: Any) -> Any:
    """What the page of a sheet saves for somebody who passes every check."""
    answers = []
    for entry in sheet.entries:
        if isinstance(entry, Check):
            given = entry.expected
        else:
            given = label if isinstance(label, str) else label.get(entry.meme_id, "no-hate")
        answers.append({"entry": entry_id(entry), "label": given, "further": {}})
    return {
        "memeloc": "survey-answers",
        "survey": sheet.survey,
        "sheet": sheet.id,
        "submission": f"{sheet.id}-{who}",
        "participant": who,
        "status": "complete",
        "code": "",
        "started": "2026-03-01T10:00:00+00:00",
        "submitted": "2026-03-01T10:08:00+00:00",
        "answers": answers,
        **more,
    }


def write(path: Path, values: Any) -> Path:
    path.write_text(json.dumps(values), encoding="utf-8")
    return path


def everybody(people: int = 5, **labels: Any) -> list[Any]:
    """Every sheet filled by as many as are wanted; labels by who in the place of the usual."""
    return [
        saved(sheet, f"{sheet.id}-{n}", labels.get(f"p{n}", "no-hate" if n % 2 else "hate"))
        for sheet in sheets_of()
        for n in range(people)
    ]


# Batches


@each(
    ("arguments", "sentence"),
    [
        (("--cultures", "US,MX"), "Which language is MX asked in?"),
        (("--cultures", "US,US"), "twice"),
        (("--cultures", "US=xx-none"), "xx-none"),
        (("--cultures", "US", "--taxonomy", "nothing"), "There is no taxonomy 'nothing'"),
        (("--cultures", "US", "--set", "implicit=40"), "too few"),
        (("--cultures", "US", "--memes", "ids.txt"), "no meme 'nobody'"),
        (("--cultures", "CN=zh-Hans"), "translate first"),
    ],
)
def test_what_cannot_be_built_is_a_sentence(
    command: Run, folder: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    (folder / "ids.txt").write_text("meme_id\nnobody\n", encoding="utf-8")
    done = command("survey", "build", "pilot", *arguments)
    assert done.status == 1
    assert sentence in done.err
    assert {path.name for path in folder.glob("surveys/*/*")} == {"examples"}


# Out


def test_pictures_that_are_missing_or_old_are_reported(command: Run, folder: Path) -> None:
    build(command)
    words = ("survey", "export", "pilot", "--to", "html", *CONTACT, *FILES)
    done = command(*words, "--pictures", "none")
    assert (done.status, "memeloc render --out" in done.err) == (1, True)
    (folder / "new.csv").write_text(
        "meme_id,template,en,de\ncloud-monday-01,cloud-monday,Monday’s forecast: // me,"
        "Ganz anders // ich\n",
        encoding="utf-8",
    )
    assert command("import", "new.csv").status == 0
    done = command(*words)
    assert done.status == 0
    assert "The picture of cloud-monday-01 in de shows an earlier caption" in done.err


@each(
    ("arguments", "status", "sentence"),
    [
        (("--to", "nowhere", *CONTACT), 1, "There is no target 'nowhere'"),
        (("--to", "html"), 1, "--contact"),
        (("--to", "html", *CONTACT, "--set", "colour=red"), 1, "no option 'colour'"),
        (("--to", "html", *CONTACT, "--set", "red"), 1, "KEY=VALUE"),
        (("--to", "html", *CONTACT, "--cultures", "FR"), 1, "no culture 'FR'"),
        (("--to", "html", *CONTACT, "--round", "9"), 1, "no round '9'"),
        (("--to", "html", *CONTACT, "--push"), 1, "google-forms or prolific"),
        (("--to", "html", *CONTACT), 1, "--set send_to=https"),
        (("--to", "prolific", *CONTACT, "--publish"), 2, "goes with --push"),
        (
            ("--to", "prolific", *CONTACT, "--push"),
            1,
            "run memeloc survey export pilot --to prolific",
        ),
    ],
)
def test_what_cannot_go_out_is_a_sentence(
    command: Run, pilot: None, arguments: tuple[str, ...], status: int, sentence: str
) -> None:
    done = command("survey", "export", "pilot", *arguments)
    assert done.status == status
    assert sentence in done.err


# Back


def test_a_bad_file_does_not_keep_the_others_out(command: Run, folder: Path) -> None:
    build(command)
    good = write(folder / "good.json", saved(sheets_of()[0], "ada"))
    bad = folder / "bad.bin"
    bad.write_bytes(b"\x89PNG\r\n")
    done = command("survey", "import", "pilot", bad, folder / "none.json", good, "--json")
    assert done.status == 1
    printed = json.loads(done.out)
    assert [file["file"] for file in printed["files"]] == [str(good)]
    assert [Path(problem.split(":")[0]).name for problem in printed["problems"]] == [
        "bad.bin",
        "none.json",
    ]


def test_answers_are_read_by_the_words_that_went_out(command: Run, folder: Path) -> None:
    build(command)
    assert command("survey", "export", "pilot", "--to", "csv", *CONTACT).status == 0
    with (folder / "surveys/pilot/csv/r1-b01-DE.csv").open(encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["participant"] = "ada"
        words = row["choose from"].split(" | ")
        row["answer"] = words[0] if row["item"] == "consent" else words[1]
    with (folder / "filled.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    with Workspace.find() as workspace:
        survey = workspace.survey("pilot")
        pack = survey.as_sent()[0]
        texts = pack.texts["de"]
        message = {key: texts.get(key) for key in texts.keys()}  # noqa: SIM118
        message |= {
            f"taxonomy.multi3hate.label.{one}.name": f"Neu {one}" for one in ("hate", "no-hate")
        }
        workspace.store.surveys.put_state(
            "pilot", "texts", "de later", {"place": 99, "texts": message}
        )
        assert len(survey.as_sent()) == 2
    printed = json.loads(command("survey", "import", "pilot", "filled.csv", "--json").out)
    assert (printed["files"][0]["submissions"], printed["rejected"]) == (1, [])
