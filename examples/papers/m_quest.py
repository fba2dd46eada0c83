"""M-QUEST: questions with four options about memes, asked as the paper asks them.

    python examples/papers/m_quest.py

On the starter set: which caption is the meme's, beside three captions of other templates, and what
`memeloc evaluate m-quest` would ask a model of OPENAI_MODEL. `examples/knowledge.sh` makes
questions from what models say that memes mean, as the paper does.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

from memeloc.cli import run as command

# Run by its file it has its own folder only to import from.
sys.path.append(str(Path(__file__).parents[2]))

from examples.papers.starter import starter_rows, write_rows


def main() -> None:
    memes, draw = starter_rows(), random.Random(0)
    rows: list[dict[str, object]] = []
    for row in memes[:24]:
        others = [each["en"] for each in memes if each["template"] != row["template"]]
        options = [row["en"], *draw.sample(others, 3)]
        draw.shuffle(options)
        rows.append(
            {
                "id": row["meme_id"],
                "meme": row["meme_id"],
                "dimension": "Caption",
                "question": f"Which caption was written for the template {row['template']}?",
                **dict(zip("ABCD", options, strict=True)),
                "correct": "ABCD"[options.index(row["en"])],
            }
        )
    write_rows(Path("questions.csv"), rows)
    longest = [max("ABCD", key=lambda letter: len(str(row[letter]))) for row in rows]
    share = sum(row["correct"] == letter for row, letter in zip(rows, longest, strict=True))
    print(f"The longest option is right in {share / len(rows):.0%} of {len(rows)} questions.")
    os.environ.setdefault("OPENAI_BASE_URL", "http://localhost:11434/v1")
    model = os.environ.get("OPENAI_MODEL", "a-model-of-yours")
    words = ["--data", "questions.csv", "--only", "question-alone", "--model", model, "--dry-run"]
    raise SystemExit(command(["evaluate", "m-quest", *words]))


if __name__ == "__main__":
    main()
