"""AraHarMeme: harmful, genuine or not a meme, where models go wrong, and what they go by.

    python examples/papers/araharmeme.py

It reads memes.csv of the current folder, as `memeloc/evaluate/training/shipped/araharmeme.toml`
says, or the starter set in Arabic, and writes the folder araharmeme.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from memeloc.evaluate.confusion import confusion_figures
from memeloc.evaluate.scores.joining import join
from memeloc.evaluate.training import train_run, write_training
from memeloc.taxonomy import load_taxonomy

# Run by its file it has its own folder only to import from.
sys.path.append(str(Path(__file__).parents[2]))

from examples.papers.explaining import explain
from examples.papers.starter import open_run

OUT = Path("araharmeme")


def main() -> None:
    labels = [label.id for label in load_taxonomy("araharmeme").of_role("vote")]
    run, dataset = open_run("araharmeme", labels, language="ar")
    training = train_run(run, OUT, dataset)
    answers = replace(training.answers, table=training.answers.table.assign(language=""))
    written = write_training(training, OUT, confusion_figures(join(answers, training.gold)))
    kept = [model.name for model in training.saved]
    for page in explain(training, "Late fusion" if "Late fusion" in kept else "Characters", OUT):
        print(page)
    print(written.files.page)


if __name__ == "__main__":
    main()
