"""Tokens for offline models. In: a model's tokenizer file. Out: text to tokens and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memeloc.errors import InputError, MissingError
from memeloc.translate.models import Model


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """`encode` gives the tokens of a source text, `decode` the text of target tokens."""

    encode: Callable[[str], list[str]]
    decode: Callable[[Sequence[str]], str]


def tokenizer(model: Model) -> Tokenizer:
    """The tokenizer of a model.

    Raises:
        InputError: its file cannot be used.
        MissingError: sentencepiece, sacremoses or subword-nmt is missing.
    """
    try:
        return _moses_bpe(model) if model.tokenizer == "bpe" else _sentence_pieces(model)
    except ImportError as error:
        raise MissingError(
            f"the translator ctranslate2 needs {error.name}: pip install 'memeloc[offline]'"
        ) from error


def _sentence_pieces(model: Model) -> Tokenizer:
    """SentencePiece (Kudo and Richardson 2018), with the model of the source side.

    Target pieces are joined here rather than by their model, which drops those it does not know,
    and an unknown word that CTranslate2 has copied from the source is one.
    """
    from sentencepiece import SentencePieceProcessor

    try:
        processor = SentencePieceProcessor(model_file=str(model.tokens))
    except (OSError, RuntimeError) as error:
        raise InputError(f"is not a SentencePiece model: {error}", file=model.tokens) from error
    return Tokenizer(
        lambda text: processor.encode(text, out_type=str),
        lambda tokens: "".join(tokens).replace("▁", " ").strip(),
    )


def _moses_bpe(model: Model) -> Tokenizer:
    """Moses tokens cut by byte-pair encoding (Sennrich, Haddow and Birch 2016), as subword-nmt."""
    from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer
    from subword_nmt.apply_bpe import BPE

    normalizer, words = MosesPunctNormalizer(model.source), MosesTokenizer(model.source)
    detokenizer = MosesDetokenizer(model.target)
    try:
        with model.tokens.open(encoding="utf-8") as file:
            merges = BPE(file)
    except (SystemExit, ValueError, IndexError) as error:  # subword-nmt exits at a broken line
        raise InputError("is not a file of subword-nmt's merges", file=model.tokens) from error

    def decode(tokens: Sequence[str]) -> str:
        joined = " ".join(tokens).replace("@@ ", "").removesuffix("@@")
        return str(detokenizer.detokenize(joined.split(" ")))

    return Tokenizer(
        lambda text: merges.segment_tokens(words.tokenize(normalizer.normalize(text))), decode
    )
