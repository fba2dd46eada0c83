"""Tokens for offline models. In: a model's tokenizer file. Out: text to tokens and back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from memeloc.errors import InputError, MissingError
from memeloc.translate.models import Model

_EXTRA = "the translator ctranslate2 needs {}: pip install 'memeloc[offline]'"
_JOINER = "@@"
_END = "</w>"


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
        return MosesBpe(model.source_tokens, model.source, model.target)
    return SentencePieces(model.source_tokens, model.target_tokens)


class SentencePieces:
    """SentencePiece (Kudo and Richardson 2018), one model a side."""

    def __init__(self, source: Path, target: Path) -> None:
        try:
            from sentencepiece import SentencePieceProcessor
        except ImportError as error:
            raise MissingError(_EXTRA.format("sentencepiece")) from error
        try:
            self._source = SentencePieceProcessor(model_file=str(source))
            self._target = SentencePieceProcessor(model_file=str(target))
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

    Args:
        codes: the merges, one a line, the commonest first.
        source, target: ISO 639-1 codes, for Moses' rules.
    """

    def __init__(self, codes: Path, source: str, target: str) -> None:
        try:
            from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer
        except ImportError as error:
            raise MissingError(_EXTRA.format("sacremoses")) from error
        self._normalizer = MosesPunctNormalizer(source)
        self._tokenizer = MosesTokenizer(source)
        self._detokenizer = MosesDetokenizer(target)
        self._bpe = BytePairs(codes)

    def encode(self, text: str) -> list[str]:
        """The subwords of a source text."""
        words = self._tokenizer.tokenize(self._normalizer.normalize(text))
        return [piece for word in words for piece in self._bpe.cut(word)]

    def decode(self, tokens: Sequence[str]) -> str:
        """The text of target subwords."""
        joined = " ".join(tokens).replace(f"{_JOINER} ", "").removesuffix(_JOINER)
        text: str = self._detokenizer.detokenize(joined.split(" "))
        return text


class BytePairs:
    """Cuts words by learned merges.

    Args:
        codes: a file of subword-nmt's learn-bpe, of version 0.1 or 0.2.

    Raises:
        InputError: a line is not two subwords.
    """

    def __init__(self, codes: Path) -> None:
        lines = codes.read_text(encoding="utf-8").splitlines()
        self._end_apart = True
        first = 0
        if lines and lines[0].startswith("#version:"):
            self._end_apart = lines[0].split()[-1] == "0.1"
            first = 1
        self._ranks: dict[tuple[str, str], int] = {}
        for number, line in enumerate(lines[first:], start=first + 1):
            pair = line.strip("\r\n ").split(" ")
            if len(pair) != 2:
                raise InputError("is not two subwords with a space between", file=codes, row=number)
            self._ranks.setdefault((pair[0], pair[1]), number)
        self._known: dict[str, list[str]] = {}

    def cut(self, word: str) -> list[str]:
        """The subwords of a word; all but the last end in `@@`."""
        if not word:
            return []
        if word not in self._known:
            self._known[word] = self._cut(word)
        return self._known[word]

    def _cut(self, word: str) -> list[str]:
        pieces = [*word, _END] if self._end_apart else [*word[:-1], word[-1] + _END]
        while len(pieces) > 1:
            pairs = list(pairwise(pieces))
            best = min(pairs, key=lambda pair: self._ranks.get(pair, len(self._ranks) + 9))
            if best not in self._ranks:
                break
            pieces = _merge(pieces, best)
        if pieces[-1] == _END:
            pieces.pop()
        else:
            pieces[-1] = pieces[-1].removesuffix(_END)
        return [*(f"{piece}{_JOINER}" for piece in pieces[:-1]), pieces[-1]]


def _merge(pieces: Sequence[str], pair: tuple[str, str]) -> list[str]:
    merged: list[str] = []
    index = 0
    while index < len(pieces):
        if tuple(pieces[index : index + 2]) == pair:
            merged.append(pieces[index] + pieces[index + 1])
            index += 2
        else:
            merged.append(pieces[index])
            index += 1
    return merged
