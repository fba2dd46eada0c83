"""Tokens for offline models. In: a model's tokenizer file. Out: text to tokens and back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from memeloc.errors import InputError, MissingError
from memeloc.translate.models import Model

_EXTRA = "the translator ctranslate2 needs {}: pip install 'memeloc[offline]'"
_JOINER = "@@"


class Tokenizer(Protocol):
    """Text to tokens and back."""

    def encode(self, text: str) -> list[str]:
        """The tokens of a source text."""
        ...

    def decode(self, tokens: Sequence[str]) -> str:
        """The text of target tokens."""
        ...


def tokenizer(model: Model) -> Tokenizer:
    """The tokenizer of a model.

    Raises:
        InputError: its file cannot be used.
        MissingError: sentencepiece or sacremoses is missing.
    """
    if model.tokenizer == "bpe":
        return MosesBpe(model.tokens, model.source, model.target)
    return SentencePieces(model.tokens)


class SentencePieces:
    """SentencePiece (Kudo and Richardson 2018), the model of the source side."""

    def __init__(self, source: Path) -> None:
        try:
            from sentencepiece import SentencePieceProcessor
        except ImportError as error:
            raise MissingError(_EXTRA.format("sentencepiece")) from error
        try:
            self._source = SentencePieceProcessor(model_file=str(source))
        except (OSError, RuntimeError) as error:
            raise InputError(f"is not a SentencePiece model: {error}", file=source) from error

    def encode(self, text: str) -> list[str]:
        """The pieces of a source text."""
        pieces: list[str] = self._source.encode(text, out_type=str)
        return pieces

    def decode(self, tokens: Sequence[str]) -> str:
        """The text of target pieces.

        Pieces are joined here rather than by their model, which drops those it does not know, and
        an unknown word that CTranslate2 has copied from the source is one.
        """
        return "".join(tokens).replace("▁", " ").strip()


class MosesBpe:
    """Moses tokens cut by byte-pair encoding (Sennrich, Haddow and Birch 2016), as subword-nmt.

    `codes` are the merges, one a line, the commonest first; the languages are for Moses' rules.
    """

    def __init__(self, codes: Path, source: str, target: str) -> None:
        try:
            from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer
            from subword_nmt.apply_bpe import BPE
        except ImportError as error:
            raise MissingError(_EXTRA.format(error.name)) from error
        self._normalizer = MosesPunctNormalizer(source)
        self._tokenizer = MosesTokenizer(source)
        self._detokenizer = MosesDetokenizer(target)
        try:
            with codes.open(encoding="utf-8") as file:
                self._bpe = BPE(file)
        except (SystemExit, ValueError, IndexError) as error:  # subword-nmt exits at a broken line
            raise InputError("is not a file of subword-nmt's merges", file=codes) from error

    def encode(self, text: str) -> list[str]:
        """The subwords of a source text."""
        words = self._tokenizer.tokenize(self._normalizer.normalize(text))
        pieces: list[str] = self._bpe.segment_tokens(words)
        return pieces

    def decode(self, tokens: Sequence[str]) -> str:
        """The text of target subwords."""
        joined = " ".join(tokens).replace(f"{_JOINER} ", "").removesuffix(_JOINER)
        text: str = self._detokenizer.detokenize(joined.split(" "))
        return text
