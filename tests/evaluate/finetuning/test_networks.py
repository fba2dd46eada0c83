"""Encoders that learn to classify, labels of cultures, and run files of fine-tuning."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from memeloc.errors import InputError
from memeloc.evaluate.training import frame_of, load_encoder, read_run, shipped_runs
from memeloc.evaluate.training.dataset import read_cultures
from memeloc.evaluate.training.networks import Encoder
from memeloc.evaluate.training.run_file import (
    SHIPPED,
    FineTuningRun,
    LoraRun,
    NetworkSettings,
    NetworkTraining,
)
from memeloc.publish.publishing import publish
from memeloc.settings import validate
from tests.each import each
from tests.evaluate.finetuning.drawn import LABELS, draw_examples
from tests.publish.releases import small_release, table

TRAINING = NetworkTraining(epochs=4, learning_rate=5e-3, batch_size=8)


def test_a_network_needs_an_encoder() -> None:
    with pytest.raises(ValueError, match="needs the encoder"):
        NetworkSettings(name="nothing")


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: extra torch")
    pytest.importorskip("accelerate", reason="accelerate is not installed: extra torch")
    torch.set_num_threads(1)
    from tests.evaluate.finetuning.tiny_models import text_encoder, vision_encoder

    folder = tmp_path_factory.mktemp("encoders")
    kinds = ("vit", "convnext", "resnet", "efficientnet")
    return {"text": text_encoder(folder / "text")} | {
        kind: vision_encoder(folder / kind, kind) for kind in kinds
    }


def trained(settings: NetworkSettings, folder: Path, epochs: int = 4) -> tuple[float, float]:
    """Share of examples that a network labels rightly, and its last loss, after saving it."""
    frame = frame_of(draw_examples(folder / "pictures", 32))
    training = TRAINING.model_copy(update={"epochs": epochs})
    network = Encoder(settings, LABELS, training, device="cpu")
    network.checkpoints = folder / "checkpoints"
    network.fit(frame, frame["label"])
    assert not network.checkpoints.exists()
    network.save(folder / "saved")
    loaded = load_encoder(folder / "saved", device="cpu")
    assert loaded.labels == LABELS
    scores = network.predict_proba(frame)
    np.testing.assert_allclose(loaded.predict_proba(frame), scores, atol=1e-6)
    same = network.predict(frame) == frame["label"]
    return float(np.mean(same)), network.history[-1]["loss"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["vit", "convnext"])
@pytest.mark.parametrize("fusion", ["concat", "score"])
def test_both_encoders_together_learn_all_labels(
    kind: str, fusion: str, encoders: dict[str, str], tmp_path: Path
) -> None:
    settings = NetworkSettings(
        name="both", text=encoders["text"], picture=encoders[kind], fusion=fusion
    )
    assert trained(settings, tmp_path)[0] == 1


@pytest.mark.slow
@pytest.mark.usefixtures("encoders")
def test_a_folder_without_a_model_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot load the model .* Name a folder"):
        Encoder(NetworkSettings(name="text", text=str(tmp_path)), LABELS, TRAINING).build()


OPTIONS = (("a", "calm"), ("b", "wild"))


def run_of(data: dict[str, object], **changed: object) -> LoraRun:
    lora = {"model": "m", "cultures": ("US", "DE"), "options": OPTIONS, "prompt": "?", **changed}
    values = {
        "kind": "lora",
        "name": "two",
        "dataset": data,
        "gold": {"order": ("calm", "wild"), "labels": {"0": "calm", "1": "wild"}},
        "training": {"epochs": 1, "learning_rate": 1e-4},
        "lora": lora,
    }
    return validate(LoraRun, values, "the run")


def write_memes(path: Path, label: str = "1") -> dict[str, object]:
    with path.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["item", "template", "US", "DE"])
        for number in range(8):
            rows.writerow([f"{number:03}", f"t{number % 4}", "0", "01"[number % 2]])
        rows.writerow(["008", "t9", "", label])
    columns = {"item": "item", "group": "template"}
    return {"path": str(path), "columns": columns}


def test_a_culture_has_the_labels_of_its_column(tmp_path: Path) -> None:
    datasets = read_cultures(run_of(write_memes(tmp_path / "memes.csv")), tmp_path)
    assert [len(datasets[culture].examples) for culture in ("US", "DE")] == [8, 9]
    assert {example.label for example in datasets["US"].examples} == {"calm"}
    assert datasets["DE"].examples[-1].label == "wild"


def test_a_label_that_is_no_option_is_a_sentence(tmp_path: Path) -> None:
    data = write_memes(tmp_path / "memes.csv", label="2")
    with pytest.raises(InputError, match=r"row 10.*'2' is none of calm, wild"):
        read_cultures(run_of(data), tmp_path)


def test_a_release_has_the_labels_of_each_culture(tmp_path: Path) -> None:
    labels = [("nap", "US", "calm"), ("nap", "DE", "wild"), ("tea", "US", "wild")]
    labels += [("tea", "DE", "calm"), ("rain", "DE", "calm")]
    made = small_release(tmp_path / "made")
    texts = {"meme_id": "the meme", "culture": "of whom", "label": "of most"}
    tables = {**made.tables, "labels": table("labels", labels, **texts)}
    publish(small_release(tmp_path / "made", tables=tables), tmp_path / "cats", "hf")
    data = {"path": str(tmp_path / "cats"), "where": {"language": "de"}}
    datasets = read_cultures(run_of(data), tmp_path)
    assert {
        culture: {each.item: each.label for each in dataset.examples}
        for culture, dataset in datasets.items()
    } == {
        "US": {"nap/de": "calm", "tea/de": "wild"},
        "DE": {"nap/de": "wild", "tea/de": "calm", "rain/de": "calm"},
    }


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
