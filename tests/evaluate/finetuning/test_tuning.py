"""Runs of fine-tuning from the table to the page, on small models made here."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memeloc.evaluate.training import frame_of, read_run, train_run
from memeloc.evaluate.training.run_file import FineTuningRun, LoraSettings, NetworkTraining
from memeloc.reports.figures import value_of, wide
from tests.evaluate.finetuning.drawn import LABELS, draw_examples

pytestmark = pytest.mark.slow

RUN = """
kind = "finetuning"
name = "desk"
device = "cpu"
bootstraps = 50

[data]
table = "memes.csv"
pictures = "pictures"
language = "en"
columns = {{ item = "item", label = "label", text = "text", picture = "picture", split = "split" }}

[labels]
order = {labels}
coarser = {{ "2 classes" = {coarser} }}

[training]
epochs = 3
learning_rate = 5e-3
batch_size = 8
class_weights = true

[[models]]
name = "Text"
text = "text"

[[models]]
name = "Both"
text = "text"
picture = "vision"
training = {{ epochs = 4 }}

[[not_built]]
name = "Third"
why = "nobody has its weights"
"""
LORA = """
kind = "lora"
name = "two cultures"
device = "cpu"
bootstraps = 50

[data]
table = "memes.csv"
pictures = "pictures"
columns = {{ item = "item", text = "word", picture = "picture", group = "group" }}

[labels]
order = ["Non-hate", "Hate"]

[training]
epochs = 8
learning_rate = 2e-2
batch_size = 8
accumulate = 2
schedule = "constant"

[lora]
model = "chat"
folds = 2
cultures = ["US", "DE"]
options = [["a", "Hate"], ["b", "Non-hate"]]
prompt = "{{text}} what is this picture about ? a b"
picture_size = 32
new_tokens = 4
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of memes with pictures, a run of each kind, and the models that they begin with."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: extra torch")
    pytest.importorskip("peft", reason="peft is not installed: extra torch")
    torch.set_num_threads(1)
    from tests.evaluate.finetuning import tiny_models

    folder = tmp_path_factory.mktemp("runs")
    tiny_models.text_encoder(folder / "text")
    tiny_models.vision_encoder(folder / "vision")
    tiny_models.chat_model(folder / "chat")
    examples = draw_examples(folder / "pictures", 48)
    with (folder / "memes.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        # Folds keep nearly the same texts together, but for those of a word.
        columns = ["item", "label", "text", "word", "picture", "group", "split", "US", "DE"]
        writer.writerow(columns)
        for number, each in enumerate(examples):
            assert each.picture is not None
            text = "" if number == 47 else each.text
            split = "test" if number >= 32 else "train"
            cells = [each.item, each.label, text, text[:3], each.picture.name, each.group, split]
            writer.writerow([*cells, each.other["US"], each.other["DE"] if number else ""])
    coarser = ", ".join(f'"{label}" = "{label[:3]}"' for label in LABELS)
    run = RUN.format(labels=json.dumps(LABELS), coarser=f"{{ {coarser} }}")
    (folder / "desk.toml").write_text(run, encoding="utf-8")
    (folder / "cultures.toml").write_text(LORA.format(), encoding="utf-8")
    return folder


def test_encoders_are_trained_scored_and_kept(
    folder: Path, tmp_path: Path, command: Callable[..., Any]
) -> None:
    out = tmp_path / "out"
    outcome = command("evaluate", "train", folder / "desk.toml", "--out", out, "--json")
    assert outcome.status == 0, outcome.err
    figures = pd.DataFrame(json.loads(outcome.out))
    # The text tells two of the four labels, and which of the coarser two an item has.
    assert value_of(figures, "accuracy", "accuracy", "Both · both", "gold") == 1
    text = value_of(figures, "accuracy", "accuracy", "Text · text", "gold")
    assert text == pytest.approx(0.5, abs=0.1)
    assert value_of(figures, "tasks", "accuracy", "2 classes · Text · text", "gold") == 1
    # An item without text is compared by no model, for one does not see it.
    assert set(figures.loc[figures["analysis"].isin(["accuracy", "tasks"]), "n"]) == {15}
    assert len(wide(figures, "epochs")) == 3 + 4
    answers = pd.read_parquet(out / "answers.parquet")
    assert answers.groupby("model").size().to_dict() == {"Text": 15, "Both": 16}
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Third is not built: nobody has its weights" in page
    card = (out / "models" / "02-both" / "README.md").read_text(encoding="utf-8")
    assert "| gold | 15 | 1.000 |" in card
    assert "- class weights: True" in card


def test_a_finished_model_is_not_trained_again(folder: Path, tmp_path: Path) -> None:
    run = read_run(folder / "desk.toml")
    assert isinstance(run, FineTuningRun)
    run = run.model_copy(update={"models": run.models[:1], "save": False})
    steps: list[str] = []

    def count(what: str, more: int, total: int) -> None:
        steps.append(what)

    first = train_run(run, tmp_path, on_progress=count)
    assert steps.count("steps") == 12
    steps.clear()
    again = train_run(run, tmp_path, on_progress=count)
    assert steps == ["models"]
    assert again.answers.table.equals(first.answers.table)
    train_run(run.model_copy(update={"seed": 1}), tmp_path, on_progress=count)
    assert steps.count("steps") == 12


def test_a_stopped_training_goes_on_from_its_last_epoch(folder: Path, tmp_path: Path) -> None:
    run = read_run(folder / "desk.toml")
    assert isinstance(run, FineTuningRun)
    run = run.model_copy(update={"models": run.models[:1], "save": False})
    steps: list[str] = []

    def stop(what: str, more: int, total: int) -> None:
        steps.append(what)
        if steps.count("steps") == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_run(run, tmp_path / "stopped", on_progress=stop)
    steps.clear()
    resumed = train_run(
        run, tmp_path / "stopped", on_progress=lambda what, more, total: steps.append(what)
    )
    assert steps.count("steps") == 8  # of 12; an epoch has 4
    whole = train_run(run, tmp_path / "whole")
    for name in ("answers", "history", "trained_on"):
        assert getattr(resumed.tested[0], name) == getattr(whole.tested[0], name)
    assert not list((tmp_path / "stopped").rglob("checkpoint*"))


def test_a_model_for_each_culture_is_scored_against_all(
    folder: Path, tmp_path: Path, command: Callable[..., Any]
) -> None:
    out = tmp_path / "out"
    outcome = command("evaluate", "train", folder / "cultures.toml", "--out", out, "--json")
    assert outcome.status == 0, outcome.err
    figures = pd.read_parquet(out / "figures.parquet")
    matrix = wide(figures, "cultures", "accuracy").set_index(["group", "item"])["accuracy"]
    models = list(matrix.index.unique("group"))
    assert models == ["zero-shot", "fine-tuned on US", "fine-tuned on DE"]
    # Labels of US go by the text, those of DE by the picture, crosswise.
    for own, other in (("US", "DE"), ("DE", "US")):
        assert matrix[f"fine-tuned on {own}", own] > 0.9
        assert matrix[f"fine-tuned on {own}", other] == pytest.approx(0.5, abs=0.15)
        assert value_of(figures, "cultures", "own_is_best", item=own) == 1
    methods = (out / "methods.txt").read_text(encoding="utf-8")
    assert "2 of 2 cultures agree best with the model that was trained" in methods
    answers = pd.read_parquet(out / "answers.parquet")
    assert answers.groupby("model")["item"].nunique().tolist() == [48] * 3
    assert set(answers.loc[answers["model"] == "fine-tuned on US", "answer"]) == {"a", "b"}
    folds = sorted(path.name for path in (out / "models").iterdir())
    assert folds == [
        "01-zero-shot-all",
        *(f"02-fine-tuned-on-us-fold-{fold}" for fold in (1, 2)),
        *(f"03-fine-tuned-on-de-fold-{fold}" for fold in (1, 2)),
    ]
    assert (out / "models" / folds[1] / "adapter_model.safetensors").is_file()


def test_adapters_leave_the_model_as_it_was(folder: Path) -> None:
    from memeloc.evaluate.training.networks import Adapter

    settings = LoraSettings(
        model=str(folder / "chat"), cultures=("US",), prompt="what is this picture about ?",
        options=(("a", "Hate"), ("b", "Non-hate")), picture_size=32,
    )  # fmt: skip
    training = NetworkTraining(
        epochs=1, learning_rate=1e-2, batch_size=4, precision="bfloat16"
    )  # fmt: skip
    adapter = Adapter(settings, training, device="cpu")
    adapter.checkpoints = folder / "checkpoints"
    chat = adapter.chat
    before = {name: each.clone() for name, each in chat.module.state_dict().items()}
    examples = draw_examples(folder / "more", 4)
    frame = frame_of(examples)
    adapter.fit(frame, [each.other["US"] for each in examples])
    layers = {name for name, each in chat.adapted.named_parameters() if each.requires_grad}
    assert len(adapter.predict(frame)) == 4
    adapter.fit(frame[:0], [])
    assert len(adapter.predict(frame)) == 4
    assert all(".q_proj." in name or ".v_proj." in name for name in layers)
    assert not any("vision" in name for name in layers)
    after = chat.module.state_dict()
    assert before.keys() == after.keys()
    assert all((before[name] == after[name]).all() for name in before)
