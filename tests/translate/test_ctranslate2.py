"""Offline models: real CTranslate2 models of a few kilobytes, found on disk, run and chained."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

from memeloc.errors import InputError
from memeloc.translate import Translation, TranslationFailure, TranslationItem, create
from memeloc.translate.ctranslate2 import find_models
from tests.translate.tiny_model import (
    pieces_of,
    rot13,
    write_argos,
    write_opus,
    write_pieces,
    write_weights,
)

Item = Callable[..., TranslationItem]


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pieces(tmp_path_factory.mktemp("pieces"))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory, pieces: Path) -> Path:
    """English to German (Argos) and French (OPUS-MT), Spanish to English (Argos)."""
    folder = tmp_path_factory.mktemp("models")
    write_argos(folder / "translate-en_de-1_0", "en", "de", pieces)
    write_argos(folder / "packages" / "es_en", "es", "en", pieces)
    write_opus(folder / "opus-mt-en-fr", pieces)
    return folder


def _one(folder: Path, asked: TranslationItem) -> Translation | TranslationFailure:
    (answer,) = create("ctranslate2", {"models": str(folder)}).translate([asked])
    return answer


def test_two_models_are_chained_by_way_of_english(models: Path, item: Item) -> None:
    answer = _one(models, item("cuando pasa // al fin", "de", source="es"))
    assert isinstance(answer, Translation)
    assert answer.caption.parts == ("cuando pasa", "al fin")  # enciphered twice
    assert answer.marks == ("pivot",)


def test_a_pair_without_a_way_fails_alone(models: Path, item: Item) -> None:
    items = [item("me", "hi", meme_id="1"), item("me", "de", meme_id="2")]
    answers = list(create("ctranslate2", {"models": str(models)}).translate(items))
    failure, good = sorted(answers, key=lambda answer: answer.meme_id)
    assert isinstance(failure, TranslationFailure)
    assert "from en into hi" in str(failure.error)
    assert isinstance(good, Translation)


def test_a_broken_model_is_reported_and_the_others_found(
    models: Path, tmp_path: Path, item: Item
) -> None:
    shutil.copytree(models / "translate-en_de-1_0", tmp_path / "good")
    shutil.copytree(models / "translate-en_de-1_0", tmp_path / "no-tokens")
    (tmp_path / "no-tokens" / "sentencepiece.model").unlink()
    shutil.copytree(models / "opus-mt-en-fr", tmp_path / "no-spm-en-fr")
    (tmp_path / "no-spm-en-fr" / "source.spm").unlink()
    shutil.copytree(models / "opus-mt-en-fr", tmp_path / "nameless")
    (tmp_path / "nameless" / "README.md").unlink()
    found_models, problems = find_models(tmp_path)
    assert [model.path.name for model in found_models] == ["good"]
    sentences = "\n".join(map(str, problems))
    assert "has neither sentencepiece.model nor bpe.model" in sentences
    assert "--copy_files source.spm target.spm" in sentences
    assert "name the folder as opus-mt-en-de" in sentences
    with pytest.raises(InputError, match="there is no such folder"):
        find_models(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no translation model"):
        _one(tmp_path / "empty", item("me"))
    (tmp_path / "good" / "model" / "model.bin").write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot be loaded"):
        _one(tmp_path / "good", item("me"))


def test_a_model_of_many_targets_is_given_the_target(
    pieces: Path, tmp_path: Path, item: Item
) -> None:
    folder = tmp_path / "opus-mt-en-ROMANCE"
    tokens = [*pieces_of(pieces), ">>spa<<", ">>fra<<"]
    # What names the target is exchanged for an exclamation mark, so that it can be seen.
    change = {token: rot13(token) for token in tokens} | {">>spa<<": "!", ">>fra<<": "?"}
    write_weights(folder, tokens, change)
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(pieces.read_bytes())
    (model,) = find_models(tmp_path)[0]
    assert model.targets == ("spa", "fra")
    for target, mark in (("es", "!"), ("fr", "?")):
        answer = _one(tmp_path, item("hello", target))
        assert isinstance(answer, Translation)
        assert answer.caption.parts == (f"{mark} {rot13('hello')}",)
    assert isinstance(_one(tmp_path, item("hello", "de")), TranslationFailure)


def test_a_bpe_model_translates_moses_words(tmp_path: Path, item: Item) -> None:
    codes = tmp_path / "codes"
    words = ["when the build passes on the first try", "the tests pass , and then they don ' t"]
    with codes.open("w", encoding="utf-8") as out:
        learn_bpe(words * 5, out, 30)
    with codes.open(encoding="utf-8") as stream:
        subwords = BPE(stream)
    tokens = sorted(
        {
            piece
            for line in words
            for word in line.split()
            for piece in subwords.segment_tokens([word])
        }
        | {"Moses", "&apos;t"}
    )
    folder = tmp_path / "translate-en_de-1_0"
    write_weights(folder / "model", tokens, lambda token: token)
    (folder / "metadata.json").write_text(json.dumps({"from_code": "en", "to_code": "de"}))
    shutil.copy(codes, folder / "bpe.model")
    answer = _one(tmp_path, item("the tests pass, on the first try"))
    assert isinstance(answer, Translation)
    assert answer.caption.parts == ("the tests pass, on the first try",)
