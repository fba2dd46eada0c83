"""Extraction of knowledge. In: made pictures, a slow server. Out: CPU a meme, beside the client's.

The client is measured alone with the very requests of the extraction, and with the same cache. It
sends and reads in threads of its own, and gives answers to the caller's; what the caller's thread
does more in an extraction is what that adds (making questions, reading answers, storing them), and
so are its checks of values, which the client's threads make: they are timed by themselves.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.chat_server import LATENCY
from bench.figures import Bound, Figure
from bench.model_client import AT_ONCE, chat_server, make_pictures
from memeloc.items import FoundPicture, Origin
from memeloc.knowledge.dimensions import read_recipe
from memeloc.language_models import Answer, LanguageModel, Question
from memeloc.workspace import Workspace
from memeloc.workspace.knowledge_questions import KnowledgeSettings, extraction_job

_GROUP = "knowledge"
MEMES = 1_000
STATEMENTS = 8
_ENTITIES = 6
_CHECKS = 2
"""How often the client checks an answer: when it comes, and when it is given."""


def measure(*, say: Callable[[str], None], memes: int = MEMES) -> list[Figure]:
    """CPU time a meme of extraction with links, less the client's own."""
    say(f"knowledge of {memes:,} memes")
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as name:
        folder = Path(name)
        answers = folder / "answers.json"
        answers.write_text(json.dumps(_answers()))
        make_pictures(folder, memes)
        with chat_server(answers) as url:
            for each in ("extraction", "client"):
                _workspace(folder, folder / each, url)
            whole = _process("--extract", folder / "extraction")
            alone = _process("--client", folder / "extraction", folder / "client")
    note = (
        f"{memes:,} memes, {whole['questions'] // memes} questions each with the picture, "
        f"{STATEMENTS} statements a dimension, {LATENCY * 1000:g} ms, {AT_ONCE} at once"
    )
    assert whole["questions"] == alone["questions"]
    own = 1000 * (whole["caller"] - alone["caller"] + alone["checks"]) / memes
    return [
        Figure(_GROUP, "CPU time of extraction a meme", own, "ms", Bound("at most", 15.0),
            f"{note}; the client's own is not counted"),
        Figure(_GROUP, "CPU time of the client a meme", 1000 * alone["cpu"] / memes, "ms", None,
            "the same requests alone, with the pictures' encoding and the cache"),
        Figure(_GROUP, "time of the extraction", whole["wall"], "s", None, note),
    ]  # fmt: skip


def _answers() -> dict[str, str]:
    """By a text of a question its answer."""
    entities = [
        {"id": f"cat-{n}", "label": f"a grey cat {n}", "kind": ""} for n in range(_ENTITIES)
    ]

    def found(relation: str, **value: str) -> str:
        statements = [
            {"text": f"A cat waits for tea, as in picture {n}.", "entities": ["cat-1"], **value}
            for n in range(STATEMENTS)
        ]
        relations = [
            {"source": "cat-1", "relation": relation, "target": f"cat-{n}"} for n in (2, 3)
        ]
        return json.dumps({"entities": entities, "relations": relations, "statements": statements})

    answers = {
        f"The dimension: {each.name}": found(
            next(iter(each.relations)), **({"value": "harmful"} if each.values else {})
        )
        for each in read_recipe("m-quest").dimensions
    }
    links = [
        {"statement": f"toxicity-{n}", "rests_on": ["scene-1", f"visual-{n}"]}
        for n in range(1, STATEMENTS + 1)
    ]
    return {**answers, "Statements of the dimension": json.dumps({"links": links})}


def _workspace(pictures: Path, folder: Path, url: str) -> None:
    """A workspace with the pictures as finished memes, whose model is behind the address."""
    with Workspace.create(folder) as workspace:
        workspace.store.items.add(
            [
                FoundPicture(
                    Origin("bench", path.stem), path.read_bytes(), path.stem, language="en"
                )
                for path in sorted(pictures.glob("*.jpg"))
            ]
        )
    settings = folder / "memeloc.toml"
    table = f'[language_model]\nmodel = "bench"\nbase_url = "{url}"\nat_once = {AT_ONCE}\n'
    settings.write_text(settings.read_text().replace("[language_model]\n", table))


def _process(*arguments: str | Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.knowledge", *map(str, arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _extract(folder: Path) -> None:
    """Extract all; print times as JSON."""
    with Workspace.open(folder) as workspace:
        begin, caller = time.monotonic(), time.thread_time()
        result = workspace.knowledge.extract()
        wall, caller = time.monotonic() - begin, time.thread_time() - caller
    assert (result["stopped"], result["unanswered"], result["wrong"]) == ("", 0, 0), result
    print(json.dumps({"caller": caller, "wall": wall, "questions": result["asked"]}))


def _client(extracted: Path, folder: Path) -> None:
    """Send the requests of a finished extraction again, of another workspace's empty cache."""
    with Workspace.open(extracted) as workspace:
        run = extraction_job(workspace, KnowledgeSettings(), "")
        questions: list[Question[Any]] = []
        for memes in run.slices():
            for (each,) in run.stages:
                questions += filter(None, (each.question(meme) for meme in memes))
    with Workspace.open(folder) as workspace:
        cache: Any = workspace.store.computed
        caller, cpu = time.thread_time(), time.process_time()
        with LanguageModel(run.job.model.settings, cache=cache) as model:
            asked = list(model.ask_all(replace(each, mark=each, check=None) for each in questions))
        caller, cpu = time.thread_time() - caller, time.process_time() - cpu
    checks = time.thread_time()
    for question, answer in asked:
        if question.mark.check is not None:
            assert isinstance(answer, Answer)
            for _ in range(_CHECKS):
                question.mark.check(answer.value)
    checks = time.thread_time() - checks
    print(json.dumps({"caller": caller, "cpu": cpu, "checks": checks, "questions": len(asked)}))


def main() -> None:
    """A part of the bench, in a process of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--extract", type=Path)
    parser.add_argument("--client", nargs=2, type=Path)
    chosen = parser.parse_args()
    gc.set_threshold(50_000)  # as the command: see memeloc.cli
    if chosen.extract:
        _extract(chosen.extract)
    else:
        _client(*chosen.client)


if __name__ == "__main__":
    main()
