"""The starter set as a paper's dataset. In: a shipped run. Out: the run and its dataset.

The labels are stand-ins: memes are counted off by the length of their English text, so that there
is something to learn; they say nothing of the memes. Pictures are left out: the vision models of
the papers are fetched or exported by hand.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from memeloc.evaluate.training import Dataset, read_dataset, read_run
from memeloc.evaluate.training.run_file import TrainingRun

CAPTIONS = Path(__file__).parents[1] / "starter" / "captions.csv"
TARGETS = ("individual", "organization", "community", "society")


def starter_rows() -> list[dict[str, str]]:
    """Return a row a meme: its id, its template, and its caption in each language."""
    with CAPTIONS.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def write_rows(path: Path, rows: Sequence[dict[str, object]]) -> None:
    """Write rows with the same columns."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def open_run(name: str, labels: Sequence[str], language: str) -> tuple[TrainingRun, Dataset]:
    """Return a shipped run and its dataset, memes.csv of the folder, or the starter set.

    Args:
        labels: of the paper, which stand-ins are taken from.
    """
    run = read_run(name)
    assert isinstance(run, TrainingRun)
    if Path("memes.csv").is_file():
        return run, read_dataset(run.dataset, run.gold, Path(name))
    print("There is no memes.csv here: the starter set, with labels that stand in.")
    rows = sorted(starter_rows(), key=lambda row: len(row["en"]))
    table: list[dict[str, object]] = [
        {
            "item": row["meme_id"],
            "label": labels[number % 10 * len(labels) // 10],
            "text": row[language],
            "language": language,
            "template": row["template"],
            "split": "test" if number % 3 == 2 else "train",
            "year": 2007 + number % 19,
            "target": TARGETS[number % len(TARGETS)],
        }
        for number, row in enumerate(rows)
    ]
    write_rows(Path("starter.csv"), table)
    columns = {role: column for role, column in run.dataset.columns.items() if role != "picture"}
    data = run.dataset.model_copy(update={"path": "starter.csv", "columns": columns})
    texts = {name: each for name, each in run.features.items() if each.kind != "pictures"}
    models = [each for each in run.models if set(each.features) <= set(texts)]
    changed = {"dataset": data, "features": texts, "models": tuple(models), "bootstraps": 200}
    run = run.model_copy(update=changed)
    return run, read_dataset(run.dataset, run.gold, Path(name))
