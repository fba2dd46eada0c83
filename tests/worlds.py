"""Worlds that tests begin in: workspaces with captions, corrections, pictures, surveys, labels.

Each is made once a run, of the one before it, and copied for a test (`tests.conftest.world`). All
go through commands, so that what is inside may change. Nothing in them is drawn by chance.

    captions    the first twelve memes of the starter set in English
    given       the same with the starter set's German and Hindi
    translated  `captions`, and machine translations into German and Hindi
    corrected   `translated`, and sheets of two people in German, who differ on one meme, settled
    rendered    `given`, and all its pictures in out/, 160 pixels wide
    surveyed    `rendered`, and the survey pilot in the United States, Germany and India
    answered    `surveyed`, and what five people of each culture answered
    labelled    `answered`, checked and settled
"""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from memeloc import Workspace
from memeloc.cli import run
from memeloc.correct.sheet_form import languages, sheet_texts

STARTER = Path(__file__).parents[1] / "examples" / "starter" / "captions.csv"
LANGUAGES = ("de", "hi")
CULTURES = ("US", "DE", "IN=hi")
MEMES = 12


def write_table(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write rows as a CSV table, in the order of the first row's columns."""
    rows = list(rows)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV table."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def starter_rows(languages: Sequence[str], memes: int = MEMES) -> list[dict[str, str]]:
    """Return the first memes of the starter set, in English and other languages."""
    columns = ("meme_id", "template", "en", *languages)
    return [{name: row[name] for name in columns} for row in read_rows(STARTER)[:memes]]


def memeloc(folder: Path, *arguments: object) -> str:
    """Run a command in a folder, in this process; return what it printed."""
    printed, reported = io.StringIO(), io.StringIO()
    with chdir(folder), redirect_stdout(printed), redirect_stderr(reported):
        status = run([str(argument) for argument in arguments])
    assert status == 0, reported.getvalue()
    return printed.getvalue()


def make_captions(folder: Path, languages: Sequence[str] = ()) -> None:
    """Make a workspace with captions of the starter set."""
    folder.mkdir()
    write_table(folder / "captions.csv", starter_rows(languages))
    memeloc(folder, "init", ".", "--langs", ",".join(LANGUAGES))
    memeloc(folder, "import", "captions.csv")


def make_given(folder: Path) -> None:
    """Make a workspace with captions in three languages."""
    make_captions(folder, LANGUAGES)


def make_translated(folder: Path) -> None:
    """Translate a workspace's captions by the pseudo-translator."""
    memeloc(folder, "translate", "--langs", ",".join(LANGUAGES), "--with", "pseudo")


def make_corrected(folder: Path) -> None:
    """Correct German captions by two people, who differ on night-owl-01; Anna's is taken."""
    typed = {
        "anna": {
            "cloud-monday-01": "Wetter am Montag: // ich",
            "night-owl-01": "Acht Stunden geschlafen, // seit Donnerstag",
        },
        "ben": {
            "cloud-monday-01": "Wetter am Montag: // ich",
            "night-owl-01": "Ich schlief acht Stunden // seit Donnerstag",
        },
    }
    for person, texts in typed.items():
        to = ("--to", person, "--format", "csv", "--out", f"de-{person}.csv", "--no-pictures")
        memeloc(folder, "correct", "export", "--langs", "de", *to)
        correct(folder / f"de-{person}.csv", texts)
    memeloc(folder, "correct", "import", *(f"de-{person}.csv" for person in typed))
    for case in json.loads(memeloc(folder, "correct", "settle", "--json"))["cases"]:
        (answer,) = (each for each in case["answers"] if each["person"] == "anna")
        accepted = ("--accept", answer["answer"], "--as", "maria", "--comment", "shorter")
        memeloc(folder, "correct", "settle", case["case"], *accepted)


def correct(sheet: Path, texts: Mapping[str, str], rest: str = "correct") -> None:
    """Fill in a CSV sheet: captions by meme, and a status for the rest."""
    rows = read_rows(sheet)
    for row in rows:
        if text := texts.get(row["meme_id"]):
            row["status"] = "corrected"
            row["your text"] = text.split(" // ")[int(row["part"]) - 1]
        else:
            row["status"] = rest
    write_table(sheet, rows)


def make_rendered(folder: Path) -> None:
    """Render a workspace's captions into its out/."""
    langs = ",".join(("en", *LANGUAGES))
    memeloc(folder, "render", "--langs", langs, "--max-side", 160, "--jobs", 1)


def make_surveyed(folder: Path, cultures: Sequence[str] = CULTURES) -> None:
    """Build a survey of three batches in some cultures."""
    built = ("--cultures", ",".join(cultures), "--size", 4, "--seed", 7)
    memeloc(folder, "survey", "build", "pilot", *built)


def make_answered(folder: Path) -> None:
    """Import what everybody answered to the survey."""
    with Workspace.open(folder) as workspace:
        answers = list(answers_of(workspace.survey("pilot").all_sheets))
    (folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
    memeloc(folder, "survey", "import", "pilot", "answers.json")


def make_labelled(folder: Path) -> None:
    """Check the survey's answers and settle its labels."""
    memeloc(folder, "survey", "check", "pilot")
    memeloc(folder, "survey", "settle", "pilot")


def label_of(meme: str, culture: str, person: int) -> str:
    """Return what one of a culture's five people answers to a meme.

    Every third meme is hate to the majority in the United States and Germany, every fourth to
    that in India; the fifth person of each culture does not know one meme, and the fourth
    contradicts the majority on every second meme.
    """
    number = sum(meme.encode())
    label = "hate" if number % (4 if culture == "IN" else 3) == 0 else "no-hate"
    if person == 4 and number % 5 == 0:
        return "unknown"
    if person == 3 and number % 2 == 0:
        return "no-hate" if label == "hate" else "hate"
    return label


def answers_of(
    sheets: Iterable[Any],
    people: int = 5,
    label: Callable[[str, str, int], str] = label_of,
) -> Iterator[dict[str, Any]]:
    """Yield what the pages of sheets save for people who pass every attention check."""
    for sheet in sheets:
        culture = sheet.culture.code
        for person in range(people):
            yield {
                "memeloc": "survey-answers",
                "survey": sheet.survey,
                "sheet": sheet.id,
                "submission": f"{sheet.id}-{person}",
                "participant": f"{culture}-{sheet.batch}-{person}",
                "status": "complete",
                "code": "",
                "started": "2026-03-01T10:00:00+00:00",
                "submitted": f"2026-03-01T10:0{5 + person % 4}:00+00:00",
                "answers": [
                    {
                        "entry": entry.id if hasattr(entry, "expected") else entry.meme_id,
                        "label": entry.expected
                        if hasattr(entry, "expected")
                        else label(entry.meme_id, culture, person),
                        "further": {},
                    }
                    for entry in sheet.entries
                ],
            }


WORLDS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "captions": ("", make_captions),
    "given": ("", make_given),
    "translated": ("captions", make_translated),
    "corrected": ("translated", make_corrected),
    "rendered": ("given", make_rendered),
    "surveyed": ("rendered", make_surveyed),
    "answered": ("surveyed", make_answered),
    "labelled": ("answered", make_labelled),
}
"""By name: the world that it is made of, and what is done to a copy of that."""


def copy_world(name: str, made: Path, folder: Path) -> Path:
    """Copy a world into a folder; make it in the folder `made` if it is not there yet.

    Processes that make the same world at once do it twice; the first one's stays.
    """
    kept = made / name
    if not kept.exists():
        before, make = WORLDS[name]
        new = folder.with_name(f"{folder.name}.{name}.new")
        if before:
            copy_world(before, made, new)
        make(new)
        try:
            new.rename(kept)
        except OSError:
            shutil.rmtree(new)
    return Path(shutil.copytree(kept, folder, dirs_exist_ok=True))


def columns_of(headings: Iterable[Any]) -> list[str]:
    """The names of a correction sheet's columns, whose headings are in the sheet's language."""
    names = {
        heading: name
        for tag in languages()
        for name, heading in sheet_texts(tag).items()
        if not name.startswith("how")
    }
    return [names.get(str(heading), str(heading)) for heading in headings]
