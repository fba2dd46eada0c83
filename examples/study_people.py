"""The people of study.sh and study.py, simulated, and the check of what became of their work.

    study_people.py fill SHEET... --into DIR --typed TABLE
    study_people.py check TYPED CAPTIONS HISTORY CASES LABELS RETAINED... --release DIR

`fill` answers workbooks as two careful people would: most captions are right, every fourth is typed
anew, one in twenty is given up as wordplay, and some get a comment. TABLE has what was typed, a row
an answer. `check` counts apart: every text that was typed is in the history or among the cases, the
labels are those that the simulation's careful annotators gave, and the release can be read.
"""

from __future__ import annotations

import argparse
import csv
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from examples.edit_sheet import fill_xlsx, headings

FIELDS = ("language", "round", "person", "meme_id", "answer", "comment")
FULL_STOPS = {"hi": "।", "zh-Hans": "。"}


def read(path: str | Path) -> list[dict[str, str]]:
    """Read a CSV table."""
    with Path(path).open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def answer(meme: str, language: str, round_: int, text: str) -> tuple[str, str]:
    """What a person answers to a caption, a text or a status, and what she comments."""
    chance = zlib.crc32(f"{meme} {language}".encode()) % 20
    mark = FULL_STOPS.get(language, ".") if round_ == 1 else "!"
    better = text.rstrip(".!。।") + mark
    if round_ == 1:
        if chance < 5:
            return better, "reads better so" * (chance == 0)
        return ("wordplay", "one word cannot carry both") if chance == 5 else ("correct", "")
    return (better, "") if chance in (0, 7) else ("correct", "it is clear" * (chance == 8))


def fill(sheet: Path, into: Path) -> list[dict[str, str]]:
    """Write a workbook filled in into a folder; what was answered."""
    from openpyxl import load_workbook

    page = load_workbook(sheet).worksheets[0]
    columns = headings(page)
    texts: defaultdict[str, dict[int, str]] = defaultdict(dict)
    facts: dict[str, str] = {}
    for number in range(2, page.max_row + 1):
        row = {name: page.cell(number, column).value or "" for name, column in columns.items()}
        texts[row["meme_id"]][int(row["part"])] = row["to be corrected"]
        facts = {name: row[name] for name in ("language", "round", "person")}
    answers = {
        meme: answer(meme, facts["language"], int(facts["round"]), " // ".join(parts.values()))
        for meme, parts in texts.items()
    }
    into.mkdir(parents=True, exist_ok=True)
    fill_xlsx(sheet, into / sheet.name, answers, "", False)
    return [
        {**facts, "meme_id": meme, "answer": text, "comment": comment}
        for meme, (text, comment) in answers.items()
    ]


def write_typed(table: Path, answers: Iterable[dict[str, str]]) -> None:
    """Add answers to the table of what was typed."""
    is_new = not table.exists()
    with table.open("a", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, FIELDS)
        if is_new:
            writer.writeheader()
        writer.writerows(answers)


def lost_texts(
    typed: Sequence[Mapping[Any, Any]],
    history: Sequence[Mapping[Any, Any]],
    given_up: set[tuple[str, str]],
) -> list[Mapping[Any, Any]]:
    """The answers of which neither a version of the caption nor a case has the text."""

    def parts(text: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in text.split(" // "))

    versions = {(row["meme_id"], row["language"], parts(row["text"])) for row in history}
    return [
        row
        for row in typed
        if row["answer"] != "correct"
        and (
            (row["meme_id"], row["language"]) not in given_up
            if row["answer"] == "wordplay"
            else (row["meme_id"], row["language"], parts(row["answer"])) not in versions
        )
    ]


def differing_labels(
    labels: Sequence[Mapping[Any, Any]], retained: Sequence[Mapping[Any, Any]]
) -> list[tuple[str, str]]:
    """The items and cultures whose label is not what most careful annotators answered."""
    votes: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in retained:
        votes[row["item"], row["culture"]][row["participant"]] = row["label"]
    expected = {}
    for cell, given in votes.items():
        counts = Counter(label for label in given.values() if label != "unknown")
        best = [label for label, count in counts.items() if count == max(counts.values())]
        expected[cell] = best[0] if len(best) == 1 else ""
    settled = {(row["item"], row["culture"]): row["label"] for row in labels}
    cells = expected.keys() | settled.keys()
    return [cell for cell in sorted(cells) if expected.get(cell) != settled.get(cell)]


def check_release(folder: Path, memes: int) -> int:
    """How many pictures a release has; ends the program if it cannot be read or lacks a meme."""
    from pyarrow import parquet

    pictures, ids = 0, set[str]()
    for path in sorted(folder.rglob("*.parquet")):
        names = parquet.read_schema(path).names
        if {"meme_id", "image"} <= {*names}:
            column = parquet.read_table(path, columns=["meme_id"]).column(0).to_pylist()
            pictures += len(column)
            ids |= {*column}
    if len(ids) != memes:
        raise SystemExit(f"the release has {len(ids)} memes, not {memes}")
    return pictures


def main() -> None:
    """Fill in sheets, or check what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    filling = commands.add_parser("fill")
    filling.add_argument("sheets", nargs="+", type=Path)
    filling.add_argument("--into", type=Path, required=True)
    filling.add_argument("--typed", type=Path, required=True)
    checking = commands.add_parser("check")
    for name in ("typed", "captions", "history", "cases", "labels"):
        checking.add_argument(name, type=Path)
    checking.add_argument("retained", nargs="+", type=Path)
    checking.add_argument("--release", type=Path, required=True)
    given = parser.parse_args()
    if given.command == "fill":
        for sheet in given.sheets:
            write_typed(given.typed, fill(sheet, given.into))
        return
    print(
        report(
            read(given.typed),
            read(given.captions),
            read(given.history),
            read(given.cases),
            read(given.labels),
            [row for path in given.retained for row in read(path)],
            given.release,
        )
    )


def report(
    typed: Sequence[Mapping[Any, Any]],
    captions: Sequence[Mapping[Any, Any]],
    history: Sequence[Mapping[Any, Any]],
    cases: Sequence[Mapping[Any, Any]],
    labels: Sequence[Mapping[Any, Any]],
    retained: Sequence[Mapping[Any, Any]],
    release: Path,
) -> str:
    """What is as it should be, counted; ends the program where something is not."""
    lost = lost_texts(typed, history, {(row["meme_id"], row["language"]) for row in cases})
    differing = differing_labels(labels, retained)
    texts = sum(row["answer"] not in ("correct", "wordplay") for row in typed)
    if lost or differing or len(captions) != 40:
        raise SystemExit(
            f"{len(captions)} memes; lost: {lost[:3]}; labels that differ: {differing[:5]}"
        )
    return (
        f"{len(captions)} memes; {len(typed)} answers, {texts} texts typed, 0 lost, "
        f"{len(cases)} given up; {len(labels)} labels, 0 differ; "
        f"{check_release(release, len(captions))} pictures in the release"
    )


if __name__ == "__main__":
    main()
