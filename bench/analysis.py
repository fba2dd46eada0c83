"""Analysis, through the command. In: simulated answers. Out: figures.

A survey as large as multi3hate's with ten thousand repetitions of random groups and two thousand
permutations of people, and a million answers. Figures are of the whole command: start, reading, all
analyses, the report with its tables and plots. Times are of the processor, in one process.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from bench.command import Run, run
from bench.figures import Bound, Figure

_GROUP = "Analysis"
_CULTURES = ("CN", "DE", "IN", "MX", "US")
_BATCH = 50
"""Items that the same people answer."""
_ANSWERS = (4, 5, 5, 5, 5)
"""Answers an item and culture, one of these: some are missing."""
_MEGABYTE = 1_000_000

_SMALL, _SMALL_TIME = 300, Bound("at most", 20)
_LARGE, _LARGE_TIME = 41_600, Bound("at most", 180)
_MEMORY = Bound("at most", 2_000)


def measure(say: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """Seconds and memory of `memeloc analyze` on 7,000 answers, and on a million."""
    figures = []
    for items, bound in ((_SMALL, _SMALL_TIME), (_LARGE, _LARGE_TIME)):
        with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
            answers = write_answers(Path(folder) / "answers.csv", items, seed=17)
            say(f"{answers:,} answers to {items:,} items are analysed")
            took = _analyze(Path(folder))
        name = f"{answers:,} answers to {items:,} items"
        note = f"wall {took.wall:.1f} s; 5 cultures, 10,000 repetitions, 1,999 permutations"
        memory = took.memory / _MEGABYTE
        figures += [
            Figure(_GROUP, f"{name}, CPU", took.cpu, "s", bound, note),
            Figure(_GROUP, "peak memory of that", memory, "MB", _MEMORY),
        ]
    return figures


def write_answers(path: Path, items: int, *, seed: int) -> int:
    """A table with a row an answer, of people who abstain now and then; how many answers it has."""
    random = np.random.default_rng(seed)
    harsh = random.beta(0.5, 0.5, size=items)
    names = np.char.add("m", np.char.zfill(np.arange(items).astype(str), 6))
    tables = []
    for number, culture in enumerate(_CULTURES):
        answers = random.choice(_ANSWERS, size=items)
        item = np.repeat(np.arange(items), answers)
        place = np.arange(len(item)) - np.repeat(np.cumsum(answers) - answers, answers)
        person = item // _BATCH * max(_ANSWERS) + place
        hate = random.random(len(item)) < np.clip(harsh[item] + 0.03 * number, 0, 1)
        label = np.where(hate, "hate", "not hate")
        table = {
            "item": names[item],
            "culture": culture,
            "annotator": np.char.add(culture, person.astype(str)),
            "label": np.where(random.random(len(item)) < 0.04, "don't know", label),
            "time": pd.Timestamp("2026-03-01T08:00Z")
            + pd.to_timedelta(random.permutation(len(item)), unit="s"),
            "age": 18 + person * 7 % 50,
            "gender": np.where(person % 2 == 0, "woman", "man"),
            "category": np.char.add("category ", (item % 5).astype(str)),
            "topic": np.char.add("topic ", (item % 15).astype(str)),
            "template": np.char.add("template ", (item % 45).astype(str)),
        }
        tables.append(pd.DataFrame(table))
    pd.concat(tables).to_csv(path, index=False)
    return sum(map(len, tables))


def _analyze(folder: Path) -> Run:
    options = {name: name for name in ("item", "annotator", "culture", "label")}
    options |= {"demographics": "age,gender", "map": str(folder / "map.toml")}
    (folder / "map.toml").write_text('abstentions = ["don\'t know"]\n', encoding="utf-8")
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return run("analyze", str(folder / "answers.csv"), *words, "--out", str(folder / "report"))
