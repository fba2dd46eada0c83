"""`memeloc review` in a workspace."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from memeloc.curate.verdict import Pair, Verdict
from memeloc.items import FoundCaption, FoundPicture, FoundTemplate, Origin, item_id
from memeloc.ocr.transcript import NO_TEXT, Transcript
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.curate.drawn import as_jpeg, draw_picture

Run = Callable[..., Outcome]

ONE = item_id("test", "caption", "c1", "Seas the day =1+1")
TWO = item_id("test", "caption", "c2", "Good morning")
PAIR = sorted(item_id("test", "picture", key, key) for key in ("p1", "p2"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    with Workspace.create(tmp_path / "work") as workspace:
        workspace.store.items.add(
            [
                FoundTemplate(Origin("test", "t"), "Ground", as_jpeg(draw_picture(3))),
                FoundCaption(Origin("test", "c1"), "t", ("Seas the day", "=1+1")),
                FoundCaption(Origin("test", "c2"), "t", ("Good morning",)),
                FoundPicture(Origin("test", "p1"), as_jpeg(draw_picture(1)), name="p1"),
                FoundPicture(Origin("test", "p2"), as_jpeg(draw_picture(1), 60), name="p2"),
            ]
        )
        workspace.store.curation.add_pairs(
            [Pair(PAIR[0], PAIR[1], "hash", "ask", {"distance": 2.0}, "no text")]
        )
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def answer(path: Path, answers: dict[str, str]) -> None:
    """Fill in a workbook, as a person would."""
    book = openpyxl.load_workbook(path)
    page = book["Review"]
    titles = [cell.value for cell in page[1]]
    subject, place = titles.index("subject"), titles.index("your answer")
    for line in page.iter_rows(min_row=2):
        if line[subject].value in answers:
            line[place].value = answers[line[subject].value]
    book.save(path)


def test_a_person_in_two_spellings_is_one_person(folder: Path, command: Run) -> None:
    for spelling in ("Asha", " asha "):
        with (folder / f"{spelling}.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows(
                [["subject", "your answer", "question", "memo"], [TWO, "no", "wordplay", spelling]]
            )
        done = command("review", "import", f"{spelling}.csv", "--person", spelling)
    assert "1 answer of Asha" in done.out, done.err
    assert "0 of them new" in done.out
    command("filter", "wordplay")
    with Workspace.find() as workspace:
        assert workspace.store.curation.verdicts("wordplay")[TWO]["wordplay"].verdict == "ask"
    exported = json.loads(command("review", "export", "wordplay", "--to", "ASHA", "--json").out)
    assert (exported["person"], exported["rows"]) == ("Asha", 1)


def test_no_text_is_asked_until_a_person_wrote_it(folder: Path, command: Run) -> None:
    def asked() -> int:
        result = json.loads(command("review", "status", "no-text", "--json").out)
        return int(result["questions"][0]["subjects"])

    assert asked() == 0, "nothing was read yet"
    read = [Transcript(row, ("x",), "en", "reader 1", 0.0, (NO_TEXT,)) for row in PAIR]
    with Workspace.find() as workspace:
        workspace.store.transcripts.add(read)
    assert asked() == 2
    sheet = ("--langs", "en", "--kind", "transcript", "--to", "bo", "--format", "csv", "--out")
    assert command("correct", "export", *sheet, "t.csv").status == 0
    lines = list(csv.reader((folder / "t.csv").read_text("utf-8-sig").splitlines()))
    lines[1][lines[0].index("your text")] = "Good morning"
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(lines)
    done = command("correct", "import", "t.csv")
    assert done.status == 0, done.err
    assert asked() == 1


def test_a_file_twice_adds_nothing_new_answers_stand_beside(folder: Path, command: Run) -> None:
    command("review", "export", "wordplay", "--person", "asha")
    path = folder / "review-wordplay-asha.xlsx"
    answer(path, {ONE: "no"})
    assert "1 of them new" in command("review", "import", path).out
    assert "0 of them new" in command("review", "import", path).out
    again = json.loads(command("review", "export", "wordplay", "--person", "asha", "--json").out)
    assert again["rows"] == 1  # what she has answered is not asked again
    answer(path, {TWO: "no"})
    command("review", "import", path)
    done = command("review", "export", "wordplay", "--person", "asha")
    assert "nothing to ask" in done.out
    command("review", "export", "wordplay", "--person", "asha", "--only", "all")
    answer(path, {ONE: "yes"})
    assert "2 answers" in command("review", "import", path).out
    with Workspace.find() as workspace:
        shown = {row.subject: row.answer for row in workspace.store.curation.judgements("wordplay")}
    assert shown == {ONE: "yes", TWO: "no"}


def test_a_filter_s_doubt_is_settled(folder: Path, command: Run) -> None:
    with Workspace.find() as workspace:
        workspace.store.curation.add_verdicts(
            [Verdict(ONE, "script", "ask", None, "mixed scripts", {}, "s")]
        )
    command("review", "export", "script", "--person", "asha", "-o", "s.csv")
    text = (folder / "s.csv").read_text("utf-8-sig")
    assert ONE in text
    assert TWO not in text
    assert "mixed scripts" in text
    assert "'=1+1" not in text  # within a cell it is harmless


def test_wrong_usage(folder: Path, command: Run) -> None:
    assert command("review", "export", "weather", "--person", "a").status == 1
    assert command("review", "export", "wordplay", "--person", " ").status == 1
    assert command("review", "export", "wordplay", "--person", "a", "-o", "a.html").status == 1
    assert command("review", "export", "wordplay", "--person", "a", "--only", "x").status == 1
    done = command("review", "export", "wordplay", "--person", "../a", "--limit", "1")
    assert "review-wordplay-a.xlsx" in done.out
    assert "1 more are left" in done.out


def save_answers(folder: Path, answers: dict[str, str]) -> None:
    """What a page of pairs saves."""
    with (folder / "saved.csv").open("w", newline="") as stream:
        rows = [[pair, given, "duplicates", "asha"] for pair, given in answers.items()]
        csv.writer(stream).writerows([["subject", "your answer", "question", "person"], *rows])


@pytest.fixture
def removed(folder: Path, command: Run) -> dict[str, str]:
    """Ten captions of which nine are dropped as duplicates of the first; the pair of each."""
    template = FoundTemplate(Origin("test", "t2"), "Ground 2", as_jpeg(draw_picture(4)))
    texts = ["Tea is ready", *("tea is ready" + "!" * number for number in range(1, 10))]
    with Workspace.find() as workspace:
        workspace.store.items.add(
            [
                template,
                *(
                    FoundCaption(Origin("test", f"d{number}"), "t2", (text,))
                    for number, text in enumerate(texts)
                ),
            ]
        )
        assert command("dedup").status == 0
        verdicts = workspace.store.curation.verdicts("dedup")
    return {
        item: "|".join(sorted((item, by["dedup"].evidence["kept"])))
        for item, by in verdicts.items()
        if by["dedup"].verdict == "drop"
    }


def test_an_audit_is_a_seeded_sample_of_the_removed(
    folder: Path, command: Run, removed: dict[str, str]
) -> None:
    def drawn(*options: str) -> list[str]:
        done = command("review", "export", "duplicates", "--to", "asha", "-o", "a.csv", *options)
        assert done.status == 0, done.err
        rows = csv.DictReader((folder / "a.csv").read_text("utf-8-sig").splitlines())
        return [row["subject"] for row in rows]

    pairs = drawn("--audit", "4", "--seed", "7")
    assert len(pairs) == 4
    assert set(pairs) < set(removed.values())
    assert drawn("--audit", "4", "--seed", "7") == pairs
    assert drawn("--audit", "4", "--seed", "8") != pairs
    assert sorted(drawn("--audit", "99")) == sorted(removed.values())
    done = command("review", "export", "duplicates", "--to", "asha", "--audit", "3")
    assert "Wrote 3 pairs of 9 removed duplicates" in done.out
    assert "same but for case" in (folder / "review-duplicates-asha.html").read_text("utf-8")


def test_a_pair_that_is_called_different_comes_back(
    folder: Path, command: Run, removed: dict[str, str]
) -> None:
    (item, pair), (_, other), *_ = removed.items()
    save_answers(folder, {pair: "different", other: "same"})
    done = command("review", "import", "saved.csv")
    assert "of 2 removed duplicates 1 is different, 50.0 % (95 % interval" in done.err
    result = json.loads(command("dedup", "--json").out)
    assert item not in {row["item"] for row in result["duplicates"]}
    assert len(result["duplicates"]) == 8
    restored = {(line["kind"], line["stage"]): line["restored"] for line in result["stages"]}
    assert restored["caption", "caption"] == 1
    audit = command(
        "review", "export", "duplicates", "--to", "bo", "--audit", "99", "--json", "-o", "b.csv"
    )
    assert json.loads(audit.out)["removed"] == 7, "what people decided is not audited"


def test_any_pair_can_be_chosen(folder: Path, command: Run, removed: dict[str, str]) -> None:
    item, pair = next(iter(removed.items()))
    far = "|".join(sorted((ONE, TWO), reverse=True))
    done = command("review", "export", "duplicates", "--to", "asha", "--only", f"{item},{far}")
    assert "Wrote 2 pairs" in done.out
    page = (folder / "review-duplicates-asha.html").read_text("utf-8")
    assert pair in page
    assert "|".join(sorted((ONE, TWO))) in page


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("duplicates", "--only", TWO), "is no duplicate of another"),
        (("duplicates", "--only", f"{ONE}|{ONE}"), "no pair of two items"),
        (("duplicates", "--only", f"{ONE}|{TWO}", "--audit", "2"), "drawn by chance"),
        (("wordplay", "--audit", "2"), "of removed duplicates, not of wordplay"),
        (("wordplay", "--only", f"{ONE}|{TWO}"), "asks about items"),
    ],
)
def test_wrong_choices_of_pairs_are_named(
    options: tuple[str, ...], words: str, folder: Path, command: Run
) -> None:
    assert command("dedup").status == 0
    done = command("review", "export", *options, "--to", "asha")
    assert done.status == 1
    assert words in done.err
