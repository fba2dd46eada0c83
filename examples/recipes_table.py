"""What came of the surveys of recipes.sh: a table, and labels compared with those counted apart.

    recipes_table.py FOLDER SURVEY...

Of each survey FOLDER has SURVEY.json (what `survey settle --json` printed), SURVEY-check.json,
SURVEY-labels.csv, and back/SURVEY/votes.csv: what the simulated people answered.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

NO_VOTES = {"unknown", "skip", "unsure"}
REJECTS = {"other-language", "unreadable", "unimodal", "cartoon", "trash"}
PLURALITY = ("multi3hate", "harmeme")
"""Surveys in which more votes than for any other label decide; in others more than half do."""


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def counted_apart(folder: Path, survey: str) -> dict[tuple[str, str], str]:
    """The label that most people gave; none where half or more reject the item."""
    votes: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in rows(folder / "back" / survey / "votes.csv"):
        if row["question"] == "label":
            votes[row["item"], row["culture"]].setdefault(row["participant"], row["answer"])
    labels = {}
    for cell, given in votes.items():
        counts = Counter(label for label in given.values() if label not in NO_VOTES | REJECTS)
        rejected = sum(label in REJECTS for label in given.values())
        (label, most), *others = [*counts.most_common(), ("", 0)]
        is_ahead = most > others[0][1] if others else False
        if not survey.startswith(PLURALITY):
            is_ahead = 2 * most > counts.total()
        labels[cell] = label if is_ahead and rejected < counts.total() else ""
    return labels


def main() -> None:
    """Print the table, and fail where labels differ."""
    folder, *surveys = sys.argv[1:]
    print("survey\tquestion\titems\tpeople\tlabels\trejected\tdiscuss\talpha\tFleiss\tCohen")
    for survey in surveys:
        settled = json.loads((Path(folder) / f"{survey}.json").read_text("utf-8"))
        checked = json.loads((Path(folder) / f"{survey}-check.json").read_text("utf-8"))
        table = rows(Path(folder) / f"{survey}-labels.csv")
        for part in checked["agreement"]:
            print("\t".join(map(str, line(survey, part, settled, table))))
        labels = {(row["item"], row["culture"]): row["label"] for row in table}
        apart = counted_apart(Path(folder), survey)
        differing = [cell for cell in labels if labels[cell] != apart.get(cell, "")]
        print(f"{survey}: {len(labels)} labels, {len(differing)} differ from those counted apart")
        if differing:
            sys.exit(f"the labels are not those of the simulation: {differing[:5]}")


def line(
    survey: str, part: dict[str, Any], settled: dict[str, Any], table: list[dict[str, str]]
) -> tuple[object, ...]:
    """A question of a culture."""
    question, measures = part["question"], part["measures"]
    own = [row for row in table if row["culture"] == part["culture"]]
    open_rows = [
        row
        for row in settled["discuss"]
        if (row["question"], row["culture"]) == (question, part["culture"])
    ]
    return (
        f"{survey} {part['culture']}",
        question,
        len(own),
        measures["annotators"],
        sum(bool(row[question]) for row in own),
        sum(row["state"] == "rejected" for row in own),
        len(open_rows),
        *(
            "-" if measures[name] is None else f"{measures[name]:.3f}"
            for name in ("alpha", "fleiss", "cohen")
        ),
    )


if __name__ == "__main__":
    main()
