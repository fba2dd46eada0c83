"""Embedding models, through the real ONNX Runtime and tokenizers on tiny models made here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from memeloc import plugins
from memeloc.curate.duplicates.dedup import similar_vectors, unit_vectors
from memeloc.embedding.models import create, pack, unpack
from memeloc.errors import InputError, MissingError
from tests.curate.drawn import draw_picture
from tests.curate.onnx_models import (
    WORDS,
    write_map_model,
    write_picture_model,
    write_text_model,
)

PLAIN = {"mean": (0, 0, 0), "std": (1, 1, 1)}


def cosine(rows: np.ndarray) -> np.ndarray:
    unit = unit_vectors(rows)
    return unit @ unit.T


def test_pictures_are_embedded_as_the_settings_say(tmp_path: Path) -> None:
    write_picture_model(tmp_path / "model.onnx")
    files = [tmp_path / f"{number}.png" for number in range(3)]
    draw_picture(1).save(files[0])
    draw_picture(1).resize((250, 200)).save(files[1])
    draw_picture(2).save(files[2])
    model = create("images", f"onnx:{tmp_path}/model.onnx", {"fit": "squash", **PLAIN})
    rows = model.embed(files)
    assert rows.shape == (3, 3 * 16)
    assert rows.dtype == np.float32
    with Image.open(files[0]) as picture:
        small = np.asarray(picture.resize((32, 32), Image.Resampling.BICUBIC)) / 255
    expected = small.reshape(4, 8, 4, 8, 3).mean(axis=(1, 3)).transpose(2, 0, 1).ravel()
    np.testing.assert_allclose(rows[0], expected, atol=1e-5)
    cosines = cosine(rows)
    assert cosines[0, 1] > 0.99 > cosines[0, 2]
    cut = create("images", f"onnx:{tmp_path}/model.onnx", {"fit": "crop"})
    assert cut.name != model.name
    assert len(cut.name) < 48
    assert not np.allclose(cut.embed(files[:1]), rows[:1])


def test_a_map_of_features_is_averaged(tmp_path: Path) -> None:
    write_map_model(tmp_path / "map.onnx")
    Image.new("RGB", (50, 20), (255, 0, 51)).save(tmp_path / "a.png")
    model = create("images", f"onnx:{tmp_path}/map.onnx", PLAIN)
    np.testing.assert_allclose(model.embed([tmp_path / "a.png"]), [[1, 0, 0.2]], atol=1e-6)


def test_texts_are_averaged_over_their_own_tokens(tmp_path: Path) -> None:
    write_text_model(tmp_path / "model.onnx")
    model = create("texts", f"onnx:{tmp_path}/model.onnx", {"output": "states"})
    rows = model.embed(["My cat", "MY CAT", "when it is monday", "\ud800 zebra", "my dog"])
    assert rows.shape == (5, len(WORDS))
    expected = np.zeros(len(WORDS))
    expected[[WORDS.index("my"), WORDS.index("cat")]] = 0.5
    np.testing.assert_allclose(rows[0], expected)
    cosines = cosine(rows)
    assert cosines[0, 1] == pytest.approx(1)
    assert cosines[0, 4] == pytest.approx(0.5)
    assert cosines[0, 2] == pytest.approx(0)


def test_a_broken_model_is_refused_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(InputError, match="ONNX Runtime can load"):
        create("images", f"onnx:{tmp_path}/model.onnx")
    with pytest.raises(InputError, match="cannot be read"):
        create("images", f"onnx:{tmp_path}/gone.onnx")
    write_text_model(tmp_path / "texts" / "model.onnx")
    with pytest.raises(InputError, match="takes more than a picture"):
        create("images", f"onnx:{tmp_path}/texts/model.onnx")
    with pytest.raises(InputError, match=r"no output 'x'; it has states, seen"):
        create("texts", f"onnx:{tmp_path}/texts/model.onnx", {"output": "x"})
    (tmp_path / "texts" / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="is not a tokenizer"):
        create("texts", f"onnx:{tmp_path}/texts/model.onnx")
    with pytest.raises(InputError, match="no setting 'siez'"):
        create("images", f"onnx:{tmp_path}/model.onnx", {"siez": 3})
    write_picture_model(tmp_path / "small.onnx", 32)
    draw_picture(1).save(tmp_path / "a.png")
    wrong = create("images", f"onnx:{tmp_path}/small.onnx", {"size": 64})
    with pytest.raises(InputError, match="check its settings"):
        wrong.embed([tmp_path / "a.png"])
    for spec in ("onnx", "onnx:", ""):
        with pytest.raises(InputError, match="KIND:WHERE"):
            create("images", spec)
    with pytest.raises(InputError, match="onnx, efficientnet, ngrams, sentence-transformers"):
        create("images", "resnet:x")


@pytest.mark.parametrize(
    ("spec", "package", "extra"),
    [
        ("onnx:model.onnx", "onnxruntime", "embeddings"),
        ("sentence-transformers:some-model", "sentence_transformers", "torch-models"),
    ],
)
def test_a_missing_package_is_an_error_with_its_pip_line(
    spec: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingError, match=rf"pip install 'memeloc\[{extra}\]'"):
        create("images", spec)


def test_another_package_may_bring_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    class Flat:
        name = "flat"

        def embed(self, things: Any) -> Any:
            return np.ones((len(things), 2), dtype=np.float32)

    class Entry:
        name = "flat"

        def load(self) -> Any:
            return lambda task, where, settings: Flat()

    monkeypatch.setattr(plugins, "entry_points", lambda **wanted: [Entry()])
    assert create("texts", "flat:anything").embed(["a"]).tolist() == [[1, 1]]


def test_vectors_pass_through_json() -> None:
    vector = np.random.default_rng(1).normal(size=300).astype(np.float32)
    assert unpack(pack(vector)).tolist() == vector.tolist()


def test_similar_vectors_are_found_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memeloc.curate.duplicates.dedup._BLOCK", 7)
    rows = unit_vectors(np.random.default_rng(2).normal(size=(50, 4)).astype(np.float32))
    table = rows @ rows.T
    expected = {(i, j) for i in range(50) for j in range(i + 1, 50) if table[i, j] >= 0.8}
    pairs = [(first, second) for first, second, _ in similar_vectors(rows, 0.8)]
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == expected
    broken = unit_vectors(np.array([[np.nan, np.inf], [0, 0], [3, 4]], dtype=np.float32))
    assert broken.tolist() == [[0, 0], [0, 0], [pytest.approx(0.6), pytest.approx(0.8)]]


@pytest.mark.slow
def test_sentence_transformers_on_a_model_made_here(tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers")
    transformers = pytest.importorskip("transformers")
    (tmp_path / "vocab.txt").write_text(
        "\n".join(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "my", "cat", "dog")),
        encoding="utf-8",
    )
    config = transformers.BertConfig(
        vocab_size=8, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8
    )
    transformers.BertModel(config).save_pretrained(tmp_path / "bert")
    transformers.BertTokenizer(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path / "bert")
    words = library.models.Transformer(str(tmp_path / "bert"))
    pooling = library.models.Pooling(words.get_word_embedding_dimension())
    library.SentenceTransformer(modules=[words, pooling], device="cpu").save(str(tmp_path / "st"))
    rows = create("texts", f"sentence-transformers:{tmp_path}/st").embed(
        ["my cat", "MY CAT", "dog"]
    )
    assert rows.shape == (3, 8)
    np.testing.assert_allclose(rows[0], rows[1], rtol=1e-5)
