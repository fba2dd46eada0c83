"""Multi3Hate: models asked in five languages, and a model with adapters for each culture.

    python examples/papers/multi3hate.py [CHAT_MODEL]

On the starter set in the paper's languages, with labels that stand in: what `memeloc evaluate
multi3hate` would ask a model of OPENAI_MODEL. With CHAT_MODEL, a folder of a model that sees
pictures, adapters are trained for each culture (appendix C) and scored against all.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from memeloc.cli import run as command
from memeloc.evaluate.training import read_run, train_run, write_training
from memeloc.evaluate.training.run_file import SHIPPED, LoraRun

# Run by its file it has its own folder only to import from.
sys.path.append(str(Path(__file__).parents[2]))

from examples.papers.starter import starter_rows, write_rows

LANGUAGES = {"US": "en", "DE": "de", "MX": "es", "IN": "hi", "CN": "zh"}
TEMPLATES = Path(__file__).parents[2] / "templates"


def main() -> None:
    memes = starter_rows()[:24]
    labels = ("Hate", "Non-hate")
    asked: list[dict[str, object]] = [
        {"id": row["meme_id"], "text": row[tag], "language": tag, "label": labels[number % 2]}
        for number, row in enumerate(memes)
        for tag in LANGUAGES.values()
    ]
    write_rows(Path("asked.csv"), asked)
    os.environ.setdefault("OPENAI_BASE_URL", "http://localhost:11434/v1")
    model = os.environ.get("OPENAI_MODEL", "a-model-of-yours")
    words = ["--data", "asked.csv", "--inputs", "text", "--model", model, "--dry-run"]
    if command(["evaluate", "multi3hate", *words]):
        raise SystemExit(1)
    if len(sys.argv) < 2:
        print("Name a chat model that sees pictures to train adapters.")
        return
    table: list[dict[str, object]] = [
        {
            "item": row["meme_id"],
            "text": row["en"],
            "picture": next((TEMPLATES / row["template"]).glob("picture.*")),
            "template": row["template"],
        }
        | {culture: labels[(number + len(culture)) % 2] for culture in LANGUAGES}
        for number, row in enumerate(memes)
    ]
    write_rows(Path("memes.csv"), table)
    text = (SHIPPED / "multi3hate-lora.toml").read_text("utf-8")
    text = text.replace("# learning_rate = ...", "learning_rate = 1e-4 #")
    Path("run.toml").write_text(text, "utf-8")
    run = read_run("run.toml")
    assert isinstance(run, LoraRun)
    lora = run.lora.model_copy(update={"model": sys.argv[1]})
    written = write_training(
        train_run(run.model_copy(update={"lora": lora}), Path("multi3hate")), Path("multi3hate")
    )
    print(written.files.page)


if __name__ == "__main__":
    main()
