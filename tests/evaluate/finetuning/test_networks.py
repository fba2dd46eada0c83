"""Encoders that learn to classify, on small models made here with random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memeloc.errors import InputError
from memeloc.evaluate.training import frame_of, load_encoder
from memeloc.evaluate.training.networks import Encoder
from memeloc.evaluate.training.run_file import NetworkSettings, NetworkTraining
from tests.evaluate.finetuning.drawn import LABELS, draw_examples

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
