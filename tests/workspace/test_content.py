"""Judgements belong to content: another picture or text is judged anew, the history stays."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memeloc.ocr.transcript import Transcript
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.curate.drawn import as_png, draw_picture

Command = Callable[..., Outcome]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three pictures, of which the second is the same as the first."""
    place = tmp_path / "memes"
    place.mkdir()
    (place / "001.png").write_bytes(as_png(draw_picture(1)))
    (place / "002.png").write_bytes(as_png(draw_picture(1)))
    (place / "003.png").write_bytes(as_png(draw_picture(3)))
    return place


@pytest.fixture
def workspace(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    with Workspace.create(tmp_path / "work") as made:
        monkeypatch.chdir(tmp_path / "work")
        made.collecting.collect("folder", {"path": folder, "language": "en"})
        yield made


def id_of(workspace: Workspace, key: str) -> str:
    return next(item.id for item in workspace.store.items.find() if item.origin.key == key)


def replaced(workspace: Workspace, folder: Path, key: str, picture: int) -> None:
    (folder / key).write_bytes(as_png(draw_picture(picture)))
    result = workspace.collecting.collect("folder", {"path": folder, "language": "en"})
    assert (result.new, result.changed) == (0, 1)


def answered(sheet: Path, answer: str) -> Path:
    """A sheet of a review with an answer in every row."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return write(sheet, [row | {"your answer": answer} for row in rows])


def write(sheet: Path, rows: list[dict[str, str]]) -> Path:
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return sheet


def test_a_filter_judges_a_replaced_picture_again(workspace: Workspace, folder: Path) -> None:
    item = id_of(workspace, "001.png")
    workspace.curating.filter(["quality"])
    before = workspace.curating.explain(item)
    assert len(before["verdicts"]) == 1
    replaced(workspace, folder, "001.png", 5)
    between = workspace.curating.explain(item)
    assert (between["verdicts"], between["earlier_verdicts"]) == ([], before["verdicts"])
    (run,) = workspace.curating.filter(["quality"])["filters"]
    assert (run["judged"], run["skipped"]) == (1, 2)
    after = workspace.curating.explain(item)
    assert (len(after["verdicts"]), after["earlier_verdicts"]) == (1, before["verdicts"])
    replaced(workspace, folder, "001.png", 1)
    assert workspace.curating.explain(item)["verdicts"] == before["verdicts"]


def test_a_corrected_text_is_judged_again(workspace: Workspace) -> None:
    item = id_of(workspace, "001.png")
    transcripts = workspace.store.transcripts
    transcripts.add([Transcript(item, ("monday tea",), "en", "reader 1", 0.9)])
    workspace.curating.filter(["quality"])
    transcripts.add([Transcript(item, ("monday cat",), "en", "reader 2", 0.9)])
    (run,) = workspace.curating.filter(["quality"])["filters"]
    assert (run["judged"], run["skipped"]) == (1, 2)


def test_a_person_is_asked_again_about_a_replaced_picture(
    workspace: Workspace, folder: Path, tmp_path: Path
) -> None:
    item, sheet = id_of(workspace, "001.png"), tmp_path / "sheet.csv"
    workspace.curating.filter(["quality"], {"quality": {"smallest_side": 9000}})
    workspace.curating.export_review("quality", "Ana", sheet, only=[item])
    workspace.curating.import_reviews([answered(sheet, "keep")])
    assert [answer.answer for answer in workspace.store.curation.judgements()] == ["keep"]
    replaced(workspace, folder, "001.png", 5)
    assert workspace.store.curation.judgements() == []
    (answer,) = workspace.curating.explain(item)["earlier_people"]
    assert (answer.person, answer.answer) == ("Ana", "keep")
    (status,) = workspace.curating.review_status(["quality"])
    assert status["answered"] == 0


def test_a_sheet_about_an_earlier_picture_is_kept_with_it(
    workspace: Workspace, folder: Path, tmp_path: Path, command: Command
) -> None:
    item, sheet = id_of(workspace, "001.png"), tmp_path / "sheet.csv"
    workspace.curating.export_review("cartoon", "Ana", sheet, only=[item])
    replaced(workspace, folder, "001.png", 5)
    shown = command("review", "import", str(answered(sheet, "yes")))
    assert "1 of them are about an earlier picture or text of" in shown.out
    assert item in shown.out
    assert workspace.store.curation.judgements() == []
    explained = json.loads(command("filter", "--explain", item, "--json").out)
    assert [row["answer"] for row in explained["earlier_people"]] == ["yes"]
    assert "yes (of an earlier picture or text)" in command("filter", "--explain", item).out
    replaced(workspace, folder, "001.png", 1)
    assert [row.answer for row in workspace.store.curation.judgements()] == ["yes"]


def test_a_sheet_that_does_not_say_what_it_showed_says_so(
    workspace: Workspace, tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(
        f"subject,your answer,question,person\n{id_of(workspace, '001.png')},yes,cartoon,Ana\n"
    )
    (file,) = workspace.curating.import_reviews([sheet])["files"]
    assert "does not say what it showed" in file["note"]
    assert [answer.answer for answer in workspace.store.curation.judgements()] == ["yes"]


def test_pairs_are_looked_for_and_asked_again(
    workspace: Workspace, folder: Path, tmp_path: Path
) -> None:
    curation, sheet = workspace.store.curation, tmp_path / "pairs.csv"
    first, second = id_of(workspace, "001.png"), id_of(workspace, "002.png")
    workspace.curating.deduplicate({"keep": "first"})
    assert curation.verdicts("dedup")[second]["dedup"].verdict == "drop"
    pair = "|".join(sorted((first, second)))
    workspace.curating.export_review("duplicates", "Ana", sheet, only=[pair])
    workspace.curating.import_reviews([answered(sheet, "same")])
    assert [answer.subject for answer in curation.judgements("duplicates")] == [pair]
    replaced(workspace, folder, "001.png", 5)
    # The duplicate has not changed, but what it was compared with has.
    assert not {first, second} & curation.verdicts("dedup").keys()
    assert curation.pairs() == []
    assert curation.judgements("duplicates") == []
    workspace.curating.deduplicate({"keep": "first"})
    assert curation.verdicts("dedup")[second]["dedup"].verdict == "keep"


def test_a_replaced_picture_is_read_again(workspace: Workspace, folder: Path) -> None:
    item, transcripts = id_of(workspace, "001.png"), workspace.store.transcripts
    transcripts.add([Transcript(item, ("tea",), "en", "reader 1", 0.9)])
    (first,) = transcripts.all().values()
    assert workspace.store.items.count_unread() == 2
    replaced(workspace, folder, "001.png", 5)
    assert transcripts.all() == {}
    assert workspace.store.items.count_unread() == 3
    (shown,) = workspace.store.items.find(ids=[item])
    assert shown.parts == ()
    transcripts.add([Transcript(item, ("coffee",), "en", "reader 1", 0.9)])
    (second,) = transcripts.all().values()
    assert (second.parts, second.version) == (("coffee",), 1)
    replaced(workspace, folder, "001.png", 1)
    assert list(transcripts.all().values()) == [first]


def test_a_transcript_of_an_earlier_picture_is_kept_with_it(
    workspace: Workspace, folder: Path, tmp_path: Path, command: Command
) -> None:
    item, sheet = id_of(workspace, "001.png"), tmp_path / "sheet.csv"
    transcripts = workspace.store.transcripts
    transcripts.add([Transcript(item, ("tee",), "en", "reader 1", 0.9)])
    workspace.correcting.export_sheets(["en"], ["Ana"], format="csv", kind="transcript", out=sheet)
    replaced(workspace, folder, "001.png", 5)
    transcripts.add([Transcript(item, ("coffee",), "en", "reader 1", 0.9)])
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    write(sheet, [row | {"status": "corrected", "your text": "tea"}])
    shown = command("correct", "import", str(sheet))
    assert shown.status == 0, shown.err
    assert "1 answer is about an earlier picture" in shown.err
    assert transcripts.all()[item].parts == ("coffee",)
    replaced(workspace, folder, "001.png", 1)
    assert transcripts.all()[item].parts == ("tea",)


@pytest.mark.slow
def test_ocr_reads_a_replaced_picture_and_no_other(workspace: Workspace, folder: Path) -> None:
    item = id_of(workspace, "001.png")
    assert workspace.collecting.read(jobs=1)["pictures"] == 3
    assert workspace.collecting.read(jobs=1)["pictures"] == 0
    replaced(workspace, folder, "001.png", 5)
    assert workspace.collecting.read(jobs=1)["pictures"] == 1
    assert workspace.store.transcripts.all()[item].version == 1
