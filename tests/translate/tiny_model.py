"""Tiny CTranslate2 models that really run: Transformers whose weights are set by hand.

The decoder's cross-attention at step t looks at source position t alone (positions are one-hot),
takes that token's one-hot embedding through a table, and the projection reads it off: the model
substitutes token by token. With a SentencePiece model of single characters it is a cipher, so that
each translation is known exactly.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

POSITIONS = 160
_SPECIAL = ["<unk>", "<s>", "</s>"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def rot13(text: str) -> str:
    return codecs.encode(text, "rot13")


def write_pieces(folder: Path) -> Path:
    """A SentencePiece model of single characters, trained here."""
    import sentencepiece

    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "text.txt"
    text.write_text("\n".join([f"{LETTERS} {LETTERS.upper()} 0123456789 .,:;!?'"] * 20))
    sentencepiece.SentencePieceTrainer.train(
        input=str(text),
        model_prefix=str(folder / "pieces"),
        model_type="char",
        vocab_size=75,
        hard_vocab_limit=False,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    return folder / "pieces.model"


def pieces_of(model: Path) -> list[str]:
    """Its pieces, but for the special ones."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=str(model))
    pieces = [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
    return [piece for piece in pieces if piece not in _SPECIAL]


def write_weights(
    folder: Path,
    tokens: list[str],
    change: Callable[[str], str] | Mapping[str, str],
    *,
    add_end: bool = True,
    **config: object,
) -> None:
    """Write a model that exchanges each token for another.

    With `add_end` the model adds `</s>` to the source itself, else the caller has to: the end of
    the source is what ends the translation.
    """
    # Slow to import; xdist's workers import all modules of tests.
    from ctranslate2.specs import TransformerSpec
    from ctranslate2.specs.model_spec import SequenceToSequenceModelConfig

    vocabulary = [*_SPECIAL, *tokens]
    table = change if callable(change) else lambda token: change.get(token, token)
    numbers = {token: number for number, token in enumerate(vocabulary)}
    size = len(vocabulary)
    depth = size + POSITIONS
    spec = TransformerSpec.from_config((1, 1), 1, pre_norm=True)

    def zero_linear(linear: object, out: int, into: int) -> None:
        linear.weight = np.zeros((out, into), dtype=np.float32)  # type: ignore[attr-defined]
        linear.bias = np.zeros(out, dtype=np.float32)  # type: ignore[attr-defined]

    def plain_norm(norm: object) -> None:
        norm.gamma = np.ones(depth, dtype=np.float32)  # type: ignore[attr-defined]
        norm.beta = np.zeros(depth, dtype=np.float32)  # type: ignore[attr-defined]

    embeddings = np.zeros((size, depth), dtype=np.float32)
    embeddings[:, :size] = np.eye(size)
    positions = np.zeros((POSITIONS, depth), dtype=np.float32)
    positions[:, size:] = np.eye(POSITIONS)
    for side in (spec.encoder, spec.decoder):
        side.scale_embeddings = False
        side.position_encodings.encodings = positions
        plain_norm(side.layer_norm)
        for layer in side.layer:
            plain_norm(layer.self_attention.layer_norm)
            zero_linear(layer.self_attention.linear[0], 3 * depth, depth)
            zero_linear(layer.self_attention.linear[1], depth, depth)
            plain_norm(layer.ffn.layer_norm)
            zero_linear(layer.ffn.linear_0, 4, depth)
            zero_linear(layer.ffn.linear_1, depth, 4)
    spec.encoder.embeddings[0].weight = embeddings
    spec.decoder.embeddings.weight = embeddings

    cross = spec.decoder.layer[0].attention
    plain_norm(cross.layer_norm)
    zero_linear(cross.linear[0], depth, depth)  # query: the position
    zero_linear(cross.linear[1], 2 * depth, depth)  # key: the position; value: the other token
    zero_linear(cross.linear[2], depth, depth)
    for position in range(size, depth):
        cross.linear[0].weight[position, position] = 40.0
        cross.linear[1].weight[position, position] = 40.0
    for token, number in numbers.items():
        other = numbers.get(table(token), number)
        cross.linear[1].weight[depth + other, number] = 1.0
    cross.linear[2].weight[:size, :size] = 30.0 * np.eye(size)
    zero_linear(spec.decoder.projection, size, depth)
    spec.decoder.projection.weight[:, :size] = 10.0 * np.eye(size)

    spec.register_source_vocabulary(vocabulary)
    spec.register_target_vocabulary(vocabulary)
    spec.validate()
    spec.optimize()
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))
    settings = SequenceToSequenceModelConfig().to_dict()
    settings |= {"add_source_eos": add_end, **config}
    (folder / "config.json").write_text(json.dumps(settings))


def write_argos(folder: Path, source: str, target: str, pieces: Path, **metadata: object) -> Path:
    """An unzipped .argosmodel that enciphers by rot13."""
    write_weights(folder / "model", pieces_of(pieces), rot13)
    facts = {"package_version": "1.0", "from_code": source, "to_code": target, **metadata}
    (folder / "metadata.json").write_text(json.dumps(facts))
    (folder / "sentencepiece.model").write_bytes(pieces.read_bytes())
    (folder / "README.md").write_text("# A model\n\nLicensed under CC0.\n")
    return folder


def write_opus(folder: Path, pieces: Path) -> Path:
    """A converted OPUS-MT directory, as the converter from Hugging Face leaves it."""
    write_weights(folder, pieces_of(pieces), rot13, add_end=False)
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(pieces.read_bytes())
    (folder / "README.md").write_text(
        "---\nlanguage:\n- en\n- fr\nlicense: apache-2.0\n---\n# A model\n"
    )
    return folder


__all__ = ["pieces_of", "rot13", "write_argos", "write_opus", "write_pieces"]
