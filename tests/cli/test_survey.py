"""`memeloc survey` in a workspace: from memes to labels, and every wrong turn a sentence."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memeloc.store import FileRecord
from memeloc.survey.model import Answer, Check, Participant, Sheet, entry_id
from memeloc.survey.targets.protocol import Imported
from memeloc.workspace import Workspace
from memeloc.workspace.surveys.packs import sent_packs
from tests.conftest import Outcome

Run = Callable[..., Outcome]

STARTER = Path(__file__).parents[2] / "examples" / "starter" / "captions.csv"
CULTURES = "US,DE,MX=es"
CONTACT = ("--contact", "lab@university.example")


@pytest.fixture(scope="session")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with fourteen memes in three languages, and their pictures."""
    from memeloc import render_table

    folder = tmp_path_factory.mktemp("surveyed") / "work"
    with STARTER.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))[:14]
    table = folder.parent / "cut.csv"
    with table.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(
            stream, ["meme_id", "template", "en", "de", "es"], extrasaction="ignore"
        )
        writer.writeheader()
        writer.writerows(rows)
    with Workspace.create(folder, languages=["de", "es"]) as workspace:
        workspace.import_captions(table)
    render_table(table, folder / "out", languages="all", max_side=120, jobs=1)
    return folder


@pytest.fixture(autouse=True)
def folder(rendered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import shutil

    for name in ("MEMELOC_DATABASE_URL", "MEMELOC_SURVEY_KEY", "PROLIFIC_API_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    work = tmp_path / "work"
    shutil.copytree(rendered, work)
    monkeypatch.chdir(work)
    return work


def build(command: Run, *more: str, name: str = "pilot") -> Mapping[str, Any]:
    done = command("survey", "build", name, "--cultures", CULTURES, "--size", "7", "--json", *more)
    assert done.status == 0, done.err
    told: Mapping[str, Any] = json.loads(done.out)
    return told


def sheets_of(name: str = "pilot") -> tuple[Sheet, ...]:
    with Workspace.find() as workspace:
        return workspace.survey(name).sheets


def saved(sheet: Sheet, who: str, label: str | Mapping[str, str] = "no-hate", **more: Any) -> Any:
    """What the page of a sheet saves for somebody who passes every check."""
    answers = []
    for entry in sheet.entries:
        if isinstance(entry, Check):
            given = entry.expected
        else:
            given = label if isinstance(label, str) else label.get(entry.meme_id, "no-hate")
        answers.append({"entry": entry_id(entry), "label": given, "second": []})
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


def test_the_same_seed_gives_the_same_batches_and_another_gives_others(command: Run) -> None:
    first = build(command, "--seed", "3")
    assert first["new"] == len(first["batches"]) == 2
    assert build(command, "--seed", "3") == {**first, "new": 0}
    other = build(command, "--seed", "4", name="other")
    assert [one["memes"] for one in other["batches"]] != [one["memes"] for one in first["batches"]]


def test_every_culture_gets_the_same_entries_in_the_same_order(command: Run) -> None:
    build(command)
    by_batch: dict[str, list[list[str]]] = {}
    for sheet in sheets_of():
        by_batch.setdefault(sheet.batch, []).append([entry_id(one) for one in sheet.entries])
        assert sum(isinstance(one, Check) for one in sheet.entries) == 4
        assert not isinstance(sheet.entries[0], Check)
        assert not isinstance(sheet.entries[-1], Check)
    for orders in by_batch.values():
        assert len(orders) == 3
        assert orders[0] == orders[1] == orders[2]


def test_a_survey_is_never_changed(command: Run) -> None:
    build(command)
    done = command("survey", "build", "pilot", "--cultures", "US,DE")
    assert done.status == 1
    assert "other settings" in done.err


def test_memes_without_a_caption_in_a_language_are_left_out_and_told(
    command: Run, folder: Path
) -> None:
    (folder / "more.csv").write_text(
        "meme_id,template,en,de\nnew-1,robot-chef,one // two,eins // zwei\n", encoding="utf-8"
    )
    assert command("import", "more.csv").status == 0
    done = command("survey", "build", "pilot", "--cultures", CULTURES, "--json")
    assert json.loads(done.out)["memes"] == 14
    assert "1 memes have no caption in es and are left out: new-1" in done.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--cultures", "US,MX"), "Which language is MX asked in?"),
        (("--cultures", "US,US"), "twice"),
        (("--cultures", "US=xx-none"), "xx-none"),
        (("--cultures", "US", "--taxonomy", "nothing"), "There is no taxonomy 'nothing'"),
        (("--cultures", "US", "--implicit", "40"), "too few"),
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
    assert not list(folder.glob("surveys/*"))


# Out


@pytest.mark.parametrize("target", ["html", "csv", "google-forms", "label-studio", "potato", "qsf"])
def test_a_target_gets_every_sheet_and_the_same_bytes_again(
    command: Run, target: str, folder: Path
) -> None:
    build(command)
    done = command("survey", "export", "pilot", "--to", target, *CONTACT, "--json")
    assert done.status == 0, done.err
    assert len(json.loads(done.out)["sheets"]) == 6
    made = {path: path.read_bytes() for path in (folder / "surveys").rglob("*") if path.is_file()}
    assert command("survey", "export", "pilot", "--to", target).status == 0  # contact is known
    assert {path: path.read_bytes() for path in made} == made


def test_pictures_that_are_missing_or_old_are_told(command: Run, folder: Path) -> None:
    build(command)
    done = command("survey", "export", "pilot", "--to", "html", *CONTACT, "--pictures", "none")
    assert (done.status, "memeloc render --out" in done.err) == (1, True)
    (folder / "new.csv").write_text(
        "meme_id,template,en,de\ncloud-monday-01,cloud-monday,Monday’s forecast: // me,"
        "Ganz anders // ich\n",
        encoding="utf-8",
    )
    assert command("import", "new.csv").status == 0
    done = command("survey", "export", "pilot", "--to", "html", *CONTACT)
    assert done.status == 0
    assert "The picture of cloud-monday-01 in de shows an earlier caption" in done.err


def test_a_language_that_was_not_rendered_is_named_with_its_command(
    command: Run, folder: Path
) -> None:
    assert command("import", STARTER, "--langs", "fr").status == 0
    assert command("survey", "build", "french", "--cultures", "FR=fr").status == 0
    done = command("survey", "export", "french", "--to", "html", *CONTACT)
    assert done.status == 1
    assert "memeloc render --langs fr --out out" in done.err


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (("--to", "nowhere", *CONTACT), 1, "There is no target 'nowhere'"),
        (("--to", "html"), 1, "--contact"),
        (("--to", "html", *CONTACT, "--option", "colour=red"), 1, "no option 'colour'"),
        (("--to", "html", *CONTACT, "--option", "red"), 1, "KEY=VALUE"),
        (("--to", "html", *CONTACT, "--cultures", "FR"), 1, "no culture 'FR'"),
        (("--to", "html", *CONTACT, "--round", "9"), 1, "no round '9'"),
        (("--to", "html", *CONTACT, "--push"), 1, "google-forms or prolific"),
        (("--to", "prolific", *CONTACT, "--publish"), 2, "goes with --push"),
        (("--to", "prolific", *CONTACT, "--push"), 1, "Look it up"),
    ],
)
def test_what_cannot_go_out_is_a_sentence(
    command: Run, arguments: tuple[str, ...], status: int, sentence: str
) -> None:
    build(command)
    done = command("survey", "export", "pilot", *arguments)
    assert done.status == status
    assert sentence in done.err


def test_a_dry_run_tells_what_would_be_made_and_makes_nothing(command: Run) -> None:
    build(command)
    for target, options in (
        ("google-forms", ("--option", "pictures_base=https://pictures.example/x")),
        ("prolific", ("--option", "urls=https://survey.example/")),
    ):
        done = command(
            "survey", "export", "pilot", "--to", target, *CONTACT, *options,
            "--push", "--dry-run", "--json",
        )  # fmt: skip
        assert done.status == 0, done.err
        pushed = json.loads(done.out)["pushed"]
        assert {one["sheet"] for one in pushed} == {sheet.id for sheet in sheets_of()}
    with Workspace.find() as workspace:
        assert workspace.store.surveys.state("pilot", "google-forms") == {}
        assert workspace.store.surveys.state("pilot", "prolific") == {}


# Back


def test_a_file_counts_once_and_what_has_no_place_is_kept(command: Run, folder: Path) -> None:
    build(command)
    sheet = sheets_of()[0]
    wrong = saved(sheet, "ben")
    wrong["answers"][0]["label"] = "=HYPERLINK(1)"
    file = write(folder / "back.json", [saved(sheet, "ada"), wrong, {"memeloc": "survey-answers"}])
    done = command("survey", "import", "pilot", file, "--json", "--left", "left.csv")
    assert done.status == 0, done.err
    told = json.loads(done.out)
    assert told["files"][0]["kind"] == "html"
    assert (told["files"][0]["submissions"], told["files"][0]["new"]) == (2, 2)
    assert told["rejected_by_reason"] == {"not a submission": 1, "unknown label": 1}
    with (folder / "left.csv").open(encoding="utf-8-sig", newline="") as stream:
        left = list(csv.DictReader(stream))
    assert [row["reason"] for row in left] == ["unknown label", "not a submission"]
    assert "HYPERLINK" in left[0]["content"]
    again = json.loads(command("survey", "import", "pilot", file, "--json").out)
    assert (again["files"][0]["new"], again["files"][0]["seen"]) == (0, True)


def test_people_are_known_by_keyed_hashes_unless_it_is_said(command: Run, folder: Path) -> None:
    build(command)
    file = write(folder / "back.json", saved(sheets_of()[0], "ada"))
    assert command("survey", "import", "pilot", file).status == 0
    with Workspace.find() as workspace:
        (one,) = workspace.store.surveys.submissions("pilot")
        assert one.participant == workspace.store.surveys.hash_participant("ada")
    assert (folder / "survey.key").stat().st_mode & 0o077 == 0
    build(command, name="plain")
    file = write(folder / "plain.json", saved(sheets_of("plain")[0], "ada"))
    assert command("survey", "import", "plain", file, "--plain-ids").status == 0
    with Workspace.find() as workspace:
        assert workspace.store.surveys.submissions("plain")[0].participant == "ada"


def test_one_bad_file_does_not_keep_the_others_out(command: Run, folder: Path) -> None:
    build(command)
    good = write(folder / "good.json", saved(sheets_of()[0], "ada"))
    bad = folder / "bad.bin"
    bad.write_bytes(b"\x89PNG\r\n")
    done = command("survey", "import", "pilot", bad, folder / "none.json", good, "--json")
    assert done.status == 1
    told = json.loads(done.out)
    assert [one["file"] for one in told["files"]] == [str(good)]
    assert [Path(one.split(":")[0]).name for one in told["problems"]] == ["bad.bin", "none.json"]


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
        pack = sent_packs(survey)[0]
        texts = pack.texts["de"]
        said = {key: texts.get(key) for key in texts.keys()}  # noqa: SIM118
        said |= {
            f"taxonomy.multi3hate.label.{one}.name": f"Neu {one}" for one in ("hate", "no-hate")
        }
        workspace.store.surveys.put_state(
            "pilot", "texts", "de later", {"place": 99, "texts": said}
        )
        assert len(sent_packs(survey)) == 2
    told = json.loads(command("survey", "import", "pilot", "filled.csv", "--json").out)
    assert (told["files"][0]["submissions"], told["rejected"]) == (1, [])


# Labels


def test_what_fails_a_check_is_set_aside_with_evidence_and_can_be_brought_back(
    command: Run, folder: Path
) -> None:
    build(command)
    hurried = saved(sheets_of()[0], "eve", submitted="2026-03-01T10:00:05+00:00")
    file = write(folder / "back.json", [*everybody(4), hurried])
    assert command("survey", "import", "pilot", file).status == 0
    done = command("survey", "check", "pilot", "--json", "--out", "aside.csv")
    told = json.loads(done.out)
    assert (told["submissions"], told["retained"]) == (25, 24)
    assert told["by_rule"] == {"speed": 1}
    with (folder / "aside.csv").open(encoding="utf-8-sig", newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert json.loads(row["evidence"])["seconds"] == 5.0
    told = json.loads(command("survey", "check", "pilot", "--without", "speed", "--json").out)
    assert told["retained"] == 25
    status = json.loads(command("survey", "status", "pilot", "--json").out)
    assert status["whole"]["retained"] == 25  # the last rules hold
    done = command("survey", "check", "pilot", "--without", "luck")
    assert (done.status, "has no setting 'luck'" in done.err) == (1, True)
    done = command("survey", "check", "pilot", "--set", "speed.fewest=many")
    assert (done.status, "fewest of the rule speed" in done.err) == (1, True)


def test_ties_are_asked_again_until_there_is_a_majority(command: Run, folder: Path) -> None:
    build(command)
    tied = {"p4": "unknown"}
    assert (
        command("survey", "import", "pilot", write(folder / "1.json", everybody(**tied))).status
        == 0
    )
    first = json.loads(command("survey", "settle", "pilot", "--json", "--out", "labels.csv").out)
    assert {one["state"] for one in first["labels"]} == {"tied"}
    assert [one["batch"] for one in first["next"]] == ["r2-b01", "r2-b02"]
    assert {one["answers"] for one in first["next"]} == {1}
    again = json.loads(command("survey", "settle", "pilot", "--json").out)
    assert again["next"] == []  # places are open, so nothing is asked twice
    more = [saved(one, f"{one.id}-x", "hate") for one in sheets_of() if one.round == 2]
    assert command("survey", "import", "pilot", write(folder / "2.json", more)).status == 0
    last = json.loads(command("survey", "settle", "pilot", "--json").out)
    assert {(one["label"], one["state"]) for one in last["labels"]} == {("hate", "settled")}
    assert len(last["labels"]) == 14 * 3
    with (folder / "labels.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert {row["label"] for row in csv.DictReader(stream)} == {""}


def test_nothing_more_comes_when_it_is_said_and_only_then(command: Run, folder: Path) -> None:
    build(command)
    assert command("survey", "import", "pilot", write(folder / "1.json", everybody(3))).status == 0
    waiting = json.loads(command("survey", "settle", "pilot", "--json").out)
    assert waiting["next"] == []
    assert {one["state"] for one in waiting["labels"]} == {"short"}
    closed = json.loads(command("survey", "settle", "pilot", "--close", "--json").out)
    assert {one["answers"] for one in closed["next"]} == {2}
    again = json.loads(command("survey", "settle", "pilot", "--close", "--json").out)
    assert again["next"] == []  # nobody has answered the new round yet: it is not closed


def test_limits_and_looks_without_batches(command: Run, folder: Path) -> None:
    build(command)
    tied = write(folder / "1.json", everybody(p4="unknown"))
    assert command("survey", "import", "pilot", tied).status == 0
    looked = json.loads(command("survey", "settle", "pilot", "--no-next", "--json").out)
    assert looked["next"] == []
    limited = json.loads(command("survey", "settle", "pilot", "--most", "5", "--json").out)
    assert {one["state"] for one in limited["labels"]} == {"given up"}
    for suffix in ("jsonl", "parquet"):
        done = command("survey", "settle", "pilot", "--no-next", "--out", f"labels.{suffix}")
        assert done.status == 0, done.err
        assert (folder / f"labels.{suffix}").stat().st_size > 500
    done = command("survey", "settle", "pilot", "--no-next", "--out", "labels.doc")
    assert (done.status, ".csv, .jsonl or .parquet" in done.err) == (1, True)


def test_the_answer_to_a_second_question_stands_beside_the_label(
    command: Run, folder: Path
) -> None:
    build(command, "--taxonomy", "harmeme", "--answers", "3")
    answers = []
    for sheet in sheets_of():
        for n, whom in enumerate(("individual", "individual", "society")):
            one = saved(sheet, f"{sheet.id}-{n}", "very-harmful")
            for answer in one["answers"]:
                if answer["label"] in ("very-harmful", "partially-harmful"):
                    answer["second"] = [whom]
            answers.append(one)
    assert command("survey", "import", "pilot", write(folder / "1.json", answers)).status == 0
    done = command("survey", "settle", "pilot", "--json", "--out", "labels.csv")
    assert done.status == 0, done.err
    labels = json.loads(done.out)["labels"]
    assert {(one["label"], one["second"]) for one in labels} == {("very-harmful", "individual")}
    with (folder / "labels.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert {row["second"] for row in csv.DictReader(stream)} == {"individual"}


@pytest.mark.slow
def test_models_stand_beside_the_majority(command: Run, folder: Path) -> None:
    pytest.importorskip("crowdkit")
    build(command)
    assert command("survey", "import", "pilot", write(folder / "1.json", everybody())).status == 0
    told = json.loads(command("survey", "settle", "pilot", "--models", "--json").out)
    for one in told["differences"]:
        assert {"majority", "dawid_skene", "mace"} <= set(one)


def test_status_counts_answers_and_money(command: Run, folder: Path) -> None:
    build(command)
    assert (
        command("survey", "export", "pilot", "--to", "html", *CONTACT, "--minutes", "10").status
        == 0
    )
    assert command("survey", "import", "pilot", write(folder / "1.json", everybody(3))).status == 0
    people = [
        Participant(f"{sheet.id}-{n}", {}, f"{sheet.id}-{n}", sheet.id, status)
        for sheet in sheets_of()
        for n, status in enumerate(("APPROVED", "AWAITING REVIEW", "RETURNED"))
    ]
    with Workspace.find() as workspace:
        record = FileRecord("submissions", "people.csv", "f" * 64, len(people))
        workspace.store.surveys.add_submissions("pilot", record, Imported((), tuple(people)))
    told = json.loads(command("survey", "status", "pilot", "--wage", "12", "--json").out)
    assert told["whole"]["wanted"] == 14 * 3 * 5
    assert told["whole"]["sent"] == 18
    assert [one["name"] for one in told["cultures"]] == ["US", "DE", "MX"]
    # Ten minutes at 12.00 an hour are 2.00, with a fee of a third 2.67; six sheets.
    assert (told["money"]["paid"], told["money"]["owed"]) == ("16.02", "16.02")
    assert told["currency"] == "GBP"
    assert json.loads(command("survey", "status", "--json").out)["surveys"][0]["survey"] == "pilot"
    for by in ("culture", "batch", "sheet"):
        assert command("survey", "status", "pilot", "--by", by).status == 0


# Before


def test_a_plan_counts_people_minutes_and_money(command: Run) -> None:
    done = command(
        "survey", "plan", "--memes", "300", "--cultures", "US,DE,MX,IN,CN", "--json",
        "--wage", "12", "--loss", "0", "--fee", "0.25", "--vat", "0.2",
    )  # fmt: skip
    told = json.loads(done.out)
    assert [one["annotators"] for one in told["cultures"]] == [75] * 5
    # 24 entries of 20 seconds and 180 for the introduction are 11 minutes, which pay 2.20.
    assert {(one["minutes"], one["reward"]) for one in told["cultures"]} == {(11, "2.20")}
    assert told["total"] == "1072.50"  # 825.00 to people, 206.25 fee, 41.25 tax
    build(command)
    told = json.loads(command("survey", "plan", "pilot", "--json").out)
    assert [one["sheets"] for one in told["cultures"]] == [2, 2, 2]
    done = command("survey", "plan", "--wage", "much")
    assert (done.status, "the setting wage of the pay" in done.err) == (1, True)


def test_power_is_told_by_simulation(command: Run) -> None:
    told = json.loads(command("survey", "power", "--draws", "500", "--json").out)
    five = next(one for one in told["majority"] if (one["answers"], one["agreement"]) == (5, 0.8))
    assert five["right"] == pytest.approx(0.942, abs=0.04)  # binomial: P(X >= 3), n 5, p 0.8
    assert told["difference"][0]["items"] == 50


def test_taxonomies_are_listed_and_shown(command: Run) -> None:
    told = json.loads(command("survey", "taxonomies", "--json").out)
    names = [one["name"] for one in told["taxonomies"]]
    assert names == ["araharmeme", "charmemes", "harmeme", "m-quest", "multi3hate"]
    shown = command("survey", "taxonomies", "multi3hate", "--lang", "de")
    assert "Hassrede" in shown.out
    assert command("survey", "taxonomies", "harmeme").status == 0


def test_a_balanced_set_is_chosen_by_pre_annotation(command: Run, folder: Path) -> None:
    told = build(command, "--preannotate")
    assert {tuple(one["cultures"]) for one in told["batches"]} == {("US",), ("DE",), ("MX",)}
    assert {one["answers"] for one in told["batches"]} == {2}
    harmful = {f"{meme}" for one in told["batches"] for meme in one["memes"][:2]}
    answers = [
        saved(sheet, f"{sheet.id}-{n}", dict.fromkeys(harmful, "hate"))
        for sheet in sheets_of()
        for n in range(2)
    ]
    assert command("survey", "import", "pilot", write(folder / "0.json", answers)).status == 0
    done = command("survey", "choose", "pilot", "--total", "300")
    assert (done.status, "not enough memes" in done.err) == (1, True)
    done = command(
        "survey", "choose", "pilot", "--total", "8", "--harmful", "0.5", "--harmless", "0.5",
        "--tied", "0", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    (batch,) = {tuple(one["memes"]) for one in json.loads(done.out)["batches"][:1]}
    chosen = {meme for one in json.loads(done.out)["batches"] for meme in one["memes"]}
    assert len(chosen & harmful) == len(chosen - harmful) == 4
    assert set(batch) <= chosen
    settled = json.loads(command("survey", "settle", "pilot", "--json").out)
    assert len(settled["labels"]) == 8 * 3  # the pre-annotation's answers are not labels
    done = command("survey", "choose", "pilot", "--total", "2")
    assert done.status == 1


def test_what_was_not_answered_is_not_counted(command: Run, folder: Path) -> None:
    build(command)
    sheet = sheets_of()[0]
    one = saved(sheet, "ada")
    one["answers"] = one["answers"][:3]
    one["status"] = "returned"
    assert command("survey", "import", "pilot", write(folder / "1.json", one)).status == 0
    with Workspace.find() as workspace:
        (kept,) = workspace.store.surveys.submissions("pilot")
    assert kept.answers == tuple(Answer(each["entry"], each["label"]) for each in one["answers"])
    told = json.loads(command("survey", "check", "pilot", "--json").out)
    assert (told["retained"], "status" in told["by_rule"]) == (0, True)


@pytest.mark.parametrize(
    "words",
    [
        ("export", "nothing", "--to", "html"),
        ("import", "nothing", "x.json"),
        ("check", "nothing"),
        ("decide", "nothing"),
        ("settle", "nothing"),
        ("status", "nothing"),
        ("choose", "nothing"),
        ("plan", "nothing"),
        ("filters", "nothing"),
    ],
)
def test_an_unknown_survey_is_a_sentence(command: Run, words: tuple[str, ...]) -> None:
    done = command("survey", *words)
    assert done.status == 1
    assert "There is no survey 'nothing'; there are none." in done.err
