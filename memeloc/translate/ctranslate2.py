"""Offline neural translation. In: items, a folder of models. Out: answers, without any network.

CTranslate2 runs the models that memeloc.translate.models finds. Captions are sent part by part and
line by line, as they are: no sentence splitter. Where there is no model for a pair, two are chained
by way of English, as Argos Translate does, and the caption is marked `pivot`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.model import Locale
from memeloc.settings import validate
from memeloc.translate.models import Model, find_models, route
from memeloc.translate.protocol import (
    Answer,
    FreeTranslator,
    Translation,
    TranslationItem,
    failure,
    filled_texts,
    merged,
    pair_of,
)


@dataclass(frozen=True, slots=True)
class CTranslate2Settings:
    """The table `[translate.ctranslate2]` of memeloc.toml.

    `device` is cpu, cuda or auto; `compute_type` as CTranslate2 names it (int8, float16, ...), by
    default as the model is; `batch` captions are translated at once; 0 `threads` are its choice.
    """

    models: str = "models"
    device: str = "cpu"
    compute_type: str = "default"
    beam_size: int = 4
    batch: int = 32
    threads: int = 0


def from_settings(settings: Mapping[str, Any]) -> CTranslate2Translator:
    """Return the translator, from a table of settings."""
    return CTranslate2Translator(
        validate(CTranslate2Settings, settings, "the translator ctranslate2")
    )


class CTranslate2Translator(FreeTranslator):
    """Translates with models on disk; free, and nothing leaves the machine."""

    name = "ctranslate2"

    def __init__(self, settings: CTranslate2Settings | None = None) -> None:
        self.settings = settings or CTranslate2Settings()
        self._loaded: dict[Path, _Loaded] = {}

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """See `Translator.translate`.

        Raises:
            InputError: there is no such folder, or no model in it.
            MissingError: ctranslate2 or sentencepiece is missing.
        """
        models, problems = find_models(Path(self.settings.models))
        if not models:
            why = f" ({problems[0]})" if problems else ""
            raise InputError(
                "holds no translation model; put an unzipped .argosmodel or a converted "
                f"OPUS-MT folder there{why}",
                file=self.settings.models,
            )
        remaining = iter(items)
        while chunk := list(islice(remaining, self.settings.batch)):
            chunk.sort(key=pair_of)
            for _, group in groupby(chunk, pair_of):
                yield from self._group(list(group), models)

    def _group(self, items: Sequence[TranslationItem], models: Sequence[Model]) -> Iterator[Answer]:
        """Yield the answers of items of one language pair."""
        source, target = items[0].source_locale, items[0].target
        chain = route(models, source, target)
        if not chain:
            error = InputError(
                f"there is no model from {source.tag} into {target.tag}, nor by way of English, "
                f"in {self.settings.models}"
            )
            yield from (failure(item, error) for item in items)
            return
        texts = [line for item in items for part in filled_texts(item) for line in part.split("\n")]
        for model in chain:
            if model.path not in self._loaded:
                self._loaded[model.path] = _Loaded(model, self.settings)
        try:
            for model in chain:
                loaded = self._loaded[model.path]
                texts = loaded.translate(texts, target, self.settings.beam_size)
        except RuntimeError as trouble:
            if len(items) > 1:  # one caption that is too long must not take the others with it
                for item in items:
                    yield from self._group([item], models)
                return
            sentence = f"the model cannot translate meme {items[0].meme_id}: {trouble}"
            yield failure(items[0], InputError(sentence))
            return
        lines = iter(texts)
        marks = ("pivot",) if len(chain) > 1 else ()
        names = " + ".join(f"{model.path.name} {model.version}".strip() for model in chain)
        for item in items:
            parts = [
                "\n".join(next(lines) for _ in part.split("\n")) for part in filled_texts(item)
            ]
            if not all(part.strip() for part in parts):
                empty = ServiceError("ctranslate2", "the model gave an empty text", retryable=False)
                yield failure(item, empty, wrong=True)
                continue
            yield Translation(
                *(item.meme_id, target.tag, merged(item, parts), self.name, marks),
                provenance={"model": names},
            )


_Encode = Callable[[str], list[str]]
_Decode = Callable[[Sequence[str]], str]


class _Loaded:
    """A model in memory, with its tokenizer: tokens of a source text, text of target tokens."""

    def __init__(self, model: Model, settings: CTranslate2Settings) -> None:
        self._model = model
        try:
            import ctranslate2

            tokenizer = _moses_bpe if model.tokenizer == "bpe" else _sentence_pieces
            self._encode, self._decode = tokenizer(model)
        except ImportError as error:
            raise MissingError(
                f"the translator ctranslate2 needs {error.name}: pip install 'memeloc[offline]'"
            ) from error
        try:
            self._translator = ctranslate2.Translator(
                str(model.weights),
                device=settings.device,
                compute_type=settings.compute_type,
                intra_threads=settings.threads,
            )
        except (RuntimeError, ValueError) as error:
            raise InputError(f"cannot be loaded: {error}", file=model.path) from error

    def translate(self, texts: Sequence[str], target: Locale, beam_size: int) -> list[str]:
        """Return each text translated; empty ones stay empty."""
        wanted = [index for index, text in enumerate(texts) if text.strip()]
        before = [token] if (token := self._model.target_token(target)) else []
        after = [self._model.end_token] if self._model.end_token else []
        sources = [[*before, *self._encode(texts[index]), *after] for index in wanted]
        prefix = self._model.target_prefix
        answers = self._translator.translate_batch(
            sources,
            target_prefix=[[prefix]] * len(sources) if prefix else None,
            beam_size=beam_size,
            replace_unknowns=True,
            max_input_length=0,  # never cut a source short in silence
            max_decoding_length=min(256, max(32, 4 * max(map(len, sources), default=0))),
        )
        translated = list(texts)
        for index, answer in zip(wanted, answers, strict=True):
            tokens = answer.hypotheses[0]
            if prefix and tokens[:1] == [prefix]:
                tokens = tokens[1:]
            translated[index] = self._decode(tokens).strip()
        return translated


def _sentence_pieces(model: Model) -> tuple[_Encode, _Decode]:
    """Return a tokenizer of SentencePiece (Kudo and Richardson 2018), of the source side's model.

    Target pieces are joined here rather than by their model, which drops those it does not know,
    and an unknown word that CTranslate2 has copied from the source is one.
    """
    from sentencepiece import SentencePieceProcessor

    try:
        processor = SentencePieceProcessor(model_file=str(model.tokens))
    except (OSError, RuntimeError) as error:
        raise InputError(f"is not a SentencePiece model: {error}", file=model.tokens) from error
    return (
        lambda text: processor.encode(text, out_type=str),
        lambda tokens: "".join(tokens).replace("▁", " ").strip(),
    )


def _moses_bpe(model: Model) -> tuple[_Encode, _Decode]:
    """Return a tokenizer of Moses' words, cut by byte-pair encoding (Sennrich, Haddow and Birch
    2016) as subword-nmt does it."""
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

    return lambda text: merges.segment_tokens(words.tokenize(normalizer.normalize(text))), decode
