"""Run files of fine-tuning: what they may say, and the shipped ones against their papers."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.evaluate.training import read_run, shipped_runs
from memeloc.evaluate.training.run_file import SHIPPED, FineTuningRun, LoraRun
from tests.each import each

TABLE_A1 = {
    "TextBERT": (16, 100, 0.001),
    "VGG19": (64, 200, 0.01),
    "DenseNet-161": (32, 200, 0.01),
    "ResNet-152": (32, 300, 0.01),
    "ResNeXt-101": (32, 300, 0.01),
    "Late Fusion": (16, 200, 0.0001),
    "Concat BERT": (16, 200, 0.001),
}


def shipped(name: str) -> FineTuningRun:
    run = read_run(name)
    assert isinstance(run, FineTuningRun)
    return run


def test_harmeme_has_the_values_of_table_a1() -> None:
    run = shipped("harmeme-finetuning")
    trained = {model.name: run.training_of(model) for model in run.models}
    assert {
        name: (each.batch_size, each.epochs, each.learning_rate) for name, each in trained.items()
    } == TABLE_A1
    # Adam is AdamW without weight decay.
    assert all(each.class_weights and not each.weight_decay for each in trained.values())
    assert len(run.not_built) + len(run.models) == 10
    assert [model.fusion for model in run.models[-2:]] == ["score", "concat"]


def test_adapters_are_those_of_multi3hate(tmp_path: Path) -> None:
    text = (SHIPPED / "multi3hate-lora.toml").read_text(encoding="utf-8")
    path = tmp_path / "run.toml"
    path.write_text(text.replace("# learning_rate = ...", "learning_rate = 1e-4 #"), "utf-8")
    run = read_run(path)
    assert isinstance(run, LoraRun)
    lora, training = run.lora, run.training
    assert (lora.rank, lora.alpha, lora.modules, lora.folds) == (8, 16, ("q_proj", "v_proj"), 3)
    assert (training.epochs, training.batch_size, training.schedule) == (3, 16, "constant")
    assert (lora.picture_size, lora.new_tokens) == (512, 40)
    assert run.dataset.path == str(tmp_path / "memes.csv")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("batch_size = 10\naccumulate = 4", "batch_size is a multiple of accumulate"),
        ("epochs = 0", "passes over the examples"),
        ("momentum = 0.9", "has no setting 'training.momentum'"),
    ],
)
def test_a_wrong_setting_is_a_sentence(setting: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    text = (SHIPPED / "charmemes-finetuning.toml").read_text(encoding="utf-8")
    names = [line.partition(" = ")[0] for line in setting.splitlines()]
    kept = [line for line in text.splitlines() if line.partition(" = ")[0] not in names]
    changed = "\n".join(kept).replace("[training]", f"[training]\n{setting}")
    path.write_text(changed, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_run(path)


@each("name", shipped_runs())
def test_shipped_runs_are_valid(name: str) -> None:
    if name == "multi3hate-lora":
        return  # see above
    assert read_run(name).dataset.path == "memes.csv"


def test_a_run_of_another_kind_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text('kind = "asking"\n', encoding="utf-8")
    with pytest.raises(InputError, match="of another kind, 'asking'; training has baselines"):
        read_run(tmp_path / "run.toml")
