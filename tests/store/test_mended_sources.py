"""A source that is mended takes no human text away: it stands, outdated, beside a suggestion."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from memeloc import Workspace
from tests.worlds import correct, memeloc, read_rows, write_table

FIRST, MENDED = "Wether on monday: // me", "Weather on monday: // me"
HINDI = "सोमवार का मौसम: // मैं"
SUGGESTED = "[धऋणऑढऋह डच ओडचॐणस: डचऋ ऑधड] // [ओऋ डचऋ]"


def source(folder: Path, text: str, **cells: str) -> Path:
    """Write the table of two memes, one of them with this source."""
    rows = [
        {"meme_id": "weather", "template": "cloud-monday", "en": text, **cells},
        {"meme_id": "owl", "template": "night-owl", "en": "one // two", **dict.fromkeys(cells, "")},
    ]
    return write_table(folder / "table.csv", rows)


def start(place: Path) -> None:
    """Make a workspace whose Hindi captions Asha has corrected or found right."""
    place.mkdir(exist_ok=True)
    memeloc(place, "init", ".", "--langs", "hi,de")
    memeloc(place, "import", source(place, FIRST))
    memeloc(place, "translate", "--with", "pseudo")
    answer(place, "asha", {"weather": HINDI})


@pytest.fixture
def folder(place: Path, made_once: Callable[..., Path]) -> Path:
    import os

    if os.environ.get("MEMELOC_DATABASE_URL"):
        start(place)
    else:
        made_once(start, place)
    return place


def export(folder: Path, person: str, *options: str, form: str = "csv") -> Path | None:
    """Export a Hindi sheet, and return its file; None where there is nothing to correct."""
    made = memeloc(
        *(folder, "correct", "export", "--langs", "hi", "--to", person, "--format", form),
        *("--no-pictures", "--json", *options),
    )
    file = json.loads(made)["sheets"][0]["file"]
    return folder / file if file else None


def answer(folder: Path, person: str, texts: dict[str, str], *options: str) -> list[dict[str, str]]:
    """Export a sheet, answer with these texts and find the rest correct; return what it showed."""
    sheet = export(folder, person, *options)
    assert sheet is not None
    shown = read_rows(sheet)
    correct(sheet, texts)
    memeloc(folder, "correct", "import", sheet)
    return shown


def mend(folder: Path, text: str, **cells: str) -> dict[str, Any]:
    """Import the table with another source; return what the import counted."""
    counted: dict[str, Any] = json.loads(
        memeloc(folder, "import", source(folder, text, **cells), "--json")
    )
    return counted


def current(folder: Path) -> tuple[str, str]:
    """Return the Hindi caption that goes out, and its state."""
    with Workspace.open(folder) as workspace:
        text = workspace.table("captions").set_index("meme_id").loc["weather", "hi"]
        (state,) = (
            row.state for row in workspace.captions.states(["hi"]) if row.meme_id == "weather"
        )
    return text, state


def column(rows: Iterable[dict[str, str]], name: str) -> str:
    """Return a column of the sheet's rows about the mended meme, joined as a caption."""
    return " // ".join(row[name] for row in rows if row["meme_id"] == "weather")


def test_a_human_text_stands_when_its_source_is_mended(folder: Path) -> None:
    assert mend(folder, MENDED)["outdated"] == {"hi": 1}
    assert current(folder) == (HINDI, "outdated")
    translated = json.loads(memeloc(folder, "translate", "--with", "pseudo", "--json"))
    assert translated["translated"] == 2  # Hindi as a suggestion, German as the caption
    assert current(folder) == (HINDI, "outdated")
    memeloc(folder, "export", "history", "--to", "history.csv")
    rows = [row for row in read_rows(folder / "history.csv") if row["meme_id"] == "weather"]
    hindi = [(row["text"], row["current"]) for row in rows if row["language"] == "hi"]
    assert hindi[1:] == [(HINDI, "true"), (SUGGESTED, "false")]
    # It is paid for once.
    translated = json.loads(memeloc(folder, "translate", "--with", "pseudo", "--json"))
    assert translated["plan"]["captions"] == 0


def test_an_import_and_its_dry_run_count_what_is_outdated(folder: Path) -> None:
    table = source(folder, MENDED)
    tried = json.loads(memeloc(folder, "import", table, "--dry-run", "--json"))
    assert (tried["outdated"], tried["changed"]) == ({"hi": 1}, {"en": 1})
    assert current(folder) == (HINDI, "corrected")
    assert json.loads(memeloc(folder, "import", table, "--json")) == tried
    assert "1 text that people wrote is outdated now" in tried["notes"][0]
    again = json.loads(memeloc(folder, "import", table, "--json"))
    assert (again["outdated"], again["changed"]) == ({}, {})
    with Workspace.open(folder) as workspace, pytest.warns(UserWarning, match="outdated now"):
        workspace.import_captions(source(folder, "Weather again // me"))


def test_status_says_what_to_do_about_outdated_texts(folder: Path) -> None:
    mend(folder, MENDED)
    status = json.loads(memeloc(folder, "status", "--json"))
    (hindi,) = (row for row in status["languages"] if row["language"] == "hi")
    assert (hindi["outdated"], hindi["states"]["outdated"]) == (1, 1)
    translate, correct, *_ = (step["next"] for step in status["path"])
    assert translate == "memeloc translate --langs de"  # the machine's alone must be anew
    assert correct == "memeloc correct export --langs hi,de --round 1 --to NAME"


def test_the_next_sheet_shows_what_changed_and_a_suggestion(folder: Path) -> None:
    mend(folder, MENDED)
    memeloc(folder, "translate", "--with", "pseudo")
    shown = answer(folder, "ravi", {}, "--only", "changed")
    assert {row["meme_id"] for row in shown} == {"weather"}
    assert column(shown, "source") == MENDED
    assert column(shown, "source before") == FIRST
    assert column(shown, "to be corrected") == HINDI
    assert column(shown, "suggestion") == SUGGESTED
    assert all("outdated: the source has changed since" in row["marks"] for row in shown)
    assert current(folder) == (HINDI, "accepted")  # Ravi has found Asha's text right
    status = json.loads(memeloc(folder, "status", "--json"))
    assert [row["outdated"] for row in status["languages"]] == [0, 0, 0]
    assert export(folder, "ravi", "--only", "changed") is None


def test_a_new_text_or_a_suggestion_replaces_an_outdated_one(folder: Path) -> None:
    mend(folder, MENDED)
    memeloc(folder, "translate", "--with", "pseudo")
    answer(folder, "ravi", {"weather": SUGGESTED}, "--only", "changed")
    assert current(folder) == (SUGGESTED, "corrected")


def test_a_table_that_was_exported_earlier_undoes_no_correction(folder: Path) -> None:
    memeloc(folder, "translate", "--langs", "de", "--with", "pseudo")
    memeloc(folder, "export", "captions", "--to", "first.csv")
    answer(folder, "ravi", {"weather": "मौसम // मैं"}, "--round", "2")
    memeloc(folder, "export", "captions", "--to", "second.csv")
    rows = read_rows(folder / "first.csv")  # what Asha wrote stands in it
    rows[1]["de"] = "eins // zwei"
    write_table(folder / "first.csv", rows)
    counted = json.loads(memeloc(folder, "import", "first.csv", "--json"))
    assert (counted["changed"], counted["unchanged"]) == ({"de": 1}, 5)
    assert current(folder) == ("मौसम // मैं", "accepted")
    counted = json.loads(memeloc(folder, "import", "second.csv", "--json"))
    assert counted["changed"] == {}  # nor does a machine's text take the place of the German one


def test_what_goes_out_says_that_it_is_outdated(folder: Path) -> None:
    mend(folder, MENDED)
    memeloc(folder, "translate", "--with", "pseudo")
    with Workspace.open(folder) as workspace:
        result = workspace.captions.export("captions", folder / "all.csv")
        accepted = workspace.captions.export("captions", folder / "some.csv", captions="accepted")
        summary = workspace.rendering.render(folder / "out", languages=["hi"], max_side=64, jobs=1)
    assert result["acceptance"].taken["hi"]["outdated"] == 1
    assert accepted["acceptance"].left_out["hi"]["outdated"] == 1
    assert summary.acceptance.taken["hi"]["outdated"] == 1
    assert summary.rendered == 2


def test_a_text_with_other_parts_than_its_source_is_not_asked(folder: Path) -> None:
    mend(folder, "Weather on monday, and me")
    assert export(folder, "ravi", "--only", "changed") is None  # nobody could find it right
    memeloc(folder, "translate", "--with", "pseudo")
    shown = answer(folder, "ravi", {}, "--only", "changed")
    assert column(shown, "to be corrected").startswith("[")
    assert column(shown, "suggestion") == HINDI
    assert column(shown, "source before") == FIRST
