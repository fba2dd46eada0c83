"""Offline neural translation. In: items, a folder of models. Out: answers, without any network.

Two kinds of models are known. An unzipped `.argosmodel` (Argos Translate): metadata.json, model/
and sentencepiece.model or bpe.model. A directory that a CTranslate2 converter has written from
OPUS-MT: model.bin and its vocabulary, with the model's source.spm beside them; its pair stands in
its name (`opus-mt-en-de`, `en_de`) or in the front matter of its README.md. Languages are named by
who made the model: ISO 639-1, ISO 639-3 (https://iso639-3.sil.org/code_tables/639/data), with a
script, or by a custom of their own (Argos writes `zt` for traditional Chinese).

Captions are sent part by part and line by line, as they are: no sentence splitter. Where there is
no model for a pair, two are chained by way of English, as Argos Translate does, and the caption is
marked `pivot`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Literal

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.model import Locale
from memeloc.settings import validate
from memeloc.translate.protocol import (
    Answer,
    FreeTranslator,
    TranslationItem,
    failure,
    filled_texts,
    pair_of,
    translation,
)

_PAIR = re.compile(
    r"(?:^|[-_.])([a-z]{2,3}(?:_[a-z]{4})?)[-_]([a-z]{2,3}(?:_[a-z]{4})?)(?=$|[-_.]\d)"
)
_GROUPS = re.compile(r"opus-mt-(?:tc-(?:big|base)-)?([a-z]+)-([a-z]+)$")
"""Groups of languages, such as opus-mt-en-ROMANCE."""
_DEPTH = 3
"""How deep below the folder models are looked for."""
_TARGET_TOKEN = re.compile(r">>([A-Za-z_]+)<<")

_CUSTOM = {
    "zh-Hans": ("zh", "cmn_Hans", "zh_cn", "zho_Hans", "cmn"),
    "zh-Hant": ("zt", "zh_tw", "cmn_Hant", "zh_hant", "zho_Hant"),
    "nb": ("no", "nor"),
    "he": ("iw",),
    "id": ("in",),
    "fil": ("tl", "tgl"),
    "fa": ("pes",),
    "sr": ("srp_Cyrl",),
    "ar": ("arb",),
    "ms": ("zsm",),
    "ne": ("npi",),
    "sw": ("swh",),
}
"""What makers of models write beside ISO 639; of a macrolanguage, the code of what is written."""

_Load = Callable[[Sequence[str], Locale], list[str]]


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


@dataclass(frozen=True, slots=True)
class Model:
    """A translation model on disk.

    Attributes:
        path, weights: its folder, and that of model.bin.
        source, target: language codes as the model names them, lower case.
        tokens: the tokenizer's file of the source side.
        licence, version: as its files say; empty when they do not.
        target_prefix: a token that every translation begins with, or empty.
        end_token: what the source must end with where the model does not add it itself.
        targets: codes of target languages that the source names by a token `>>code<<`; empty for
            a model of one target language.
    """

    path: Path
    kind: Literal["argos", "opus"]
    source: str
    target: str
    weights: Path
    tokens: Path
    licence: str = ""
    version: str = ""
    target_prefix: str = ""
    end_token: str = ""
    targets: tuple[str, ...] = ()

    @property
    def tokenizer(self) -> Literal["sentencepiece", "bpe"]:
        """Return which kind of file `tokens` is."""
        return "bpe" if self.tokens.name == "bpe.model" else "sentencepiece"

    def target_token(self, locale: Locale) -> str:
        """Return the token by which a model of several target languages is given the language."""
        codes = model_codes(locale)
        matches = [code for code in self.targets if code.lower() in codes]
        return f">>{min(matches, key=lambda code: codes.index(code.lower()))}<<" if matches else ""


def from_settings(settings: Mapping[str, Any]) -> CTranslate2Translator:
    """Return the translator, from a table of settings."""
    return CTranslate2Translator(
        validate(CTranslate2Settings, settings, "the translator ctranslate2")
    )


class CTranslate2Translator(FreeTranslator):
    """Translator with models on disk; free, and nothing leaves the machine."""

    name = "ctranslate2"

    def __init__(self, settings: CTranslate2Settings | None = None) -> None:
        self.settings = settings or CTranslate2Settings()
        self._loaded: dict[Path, _Load] = {}

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """See `Translator.translate`. Raise InputError if there is no such folder, or no model in
        it; MissingError if ctranslate2 or sentencepiece is missing."""
        models, problems = find_models(Path(self.settings.models))
        if not models:
            why = f" ({problems[0]})" if problems else ""
            raise InputError(
                "holds no translation model; put an unzipped .argosmodel or a converted "
                f"OPUS-MT folder there{why}",
                file=self.settings.models,
            )
        remaining = iter(items)
        while chunk := sorted(islice(remaining, self.settings.batch), key=pair_of):
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
                self._loaded[model.path] = _load(model, self.settings)
        try:
            for model in chain:
                texts = self._loaded[model.path](texts, target)
        except RuntimeError as trouble:
            if len(items) > 1:  # one caption that is too long must not take the others with it
                for item in items:
                    yield from self._group([item], models)
                return
            sentence = f"the model cannot translate meme {items[0].meme_id}: {trouble}"
            yield failure(items[0], InputError(sentence))
            return
        lines, marks = iter(texts), ("pivot",) if len(chain) > 1 else ()
        names = " + ".join(f"{model.path.name} {model.version}".strip() for model in chain)
        empty = ServiceError("ctranslate2", "the model gave an empty text", retryable=False)
        for item in items:
            parts = [
                "\n".join(next(lines) for _ in part.split("\n")) for part in filled_texts(item)
            ]
            if all(part.strip() for part in parts):
                yield translation(item, parts, self.name, *marks, provenance={"model": names})
            else:
                yield failure(item, empty, wrong=True)


def _load(model: Model, settings: CTranslate2Settings) -> _Load:
    """Load a model and its tokenizer, and return what translates texts with it."""
    try:
        import ctranslate2

        encode, decode = (_moses_bpe if model.tokenizer == "bpe" else _sentence_pieces)(model)
    except ImportError as error:
        raise MissingError(
            f"the translator ctranslate2 needs {error.name}: pip install 'memeloc[offline]'"
        ) from error
    try:
        translator = ctranslate2.Translator(
            str(model.weights),
            device=settings.device,
            compute_type=settings.compute_type,
            intra_threads=settings.threads,
        )
    except (RuntimeError, ValueError) as error:
        raise InputError(f"cannot be loaded: {error}", file=model.path) from error

    def translate(texts: Sequence[str], target: Locale) -> list[str]:
        """Return each text translated; empty ones stay empty."""
        wanted = [index for index, text in enumerate(texts) if text.strip()]
        before = [token] if (token := model.target_token(target)) else []
        after = [model.end_token] if model.end_token else []
        sources = [[*before, *encode(texts[index]), *after] for index in wanted]
        prefix = model.target_prefix
        answers = translator.translate_batch(
            sources,
            target_prefix=[[prefix]] * len(sources) if prefix else None,
            beam_size=settings.beam_size,
            replace_unknowns=True,
            max_input_length=0,  # never cut a source short in silence
            max_decoding_length=min(256, max(32, 4 * max(map(len, sources), default=0))),
        )
        translated = list(texts)
        for index, answer in zip(wanted, answers, strict=True):
            tokens = answer.hypotheses[0]
            if prefix and tokens[:1] == [prefix]:
                tokens = tokens[1:]
            translated[index] = decode(tokens).strip()
        return translated

    return translate


def _sentence_pieces(model: Model) -> tuple[Callable[..., Any], Callable[..., str]]:
    """Return encoder and decoder of SentencePiece (Kudo and Richardson 2018), of the source's side.

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


def _moses_bpe(model: Model) -> tuple[Callable[..., Any], Callable[..., str]]:
    """Return encoder and decoder of Moses' words, cut by byte-pair encoding (Sennrich, Haddow and
    Birch 2016) as subword-nmt does it."""
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


# Models on disk


def model_codes(locale: Locale) -> tuple[str, ...]:
    """Return codes by which a model file may name the locale, lower case, `_` for `-`.

    >>> from memeloc.locales import default
    >>> model_codes(default().get("zh-TW"))[:2]
    ('zh_hant', 'zt')
    """
    from icu import Locale as Language

    language = locale.tag.partition("-")[0]
    codes = [locale.tag, *_CUSTOM.get(locale.tag, ())]
    if locale.tag != "zh-Hant":  # `zh` and `zho` mean simplified Chinese
        codes += [language, Language(language).getISO3Language()]
    return tuple(dict.fromkeys(code.replace("-", "_").lower() for code in codes if code))


def find_models(folder: Path) -> tuple[list[Model], list[InputError]]:
    """Return all models in a folder and below it, and what is wrong with others. Raise InputError
    if there is no such folder."""
    if not folder.is_dir():
        raise InputError("there is no such folder of models", file=folder)
    models: list[Model] = []
    problems: list[InputError] = []
    for path in _folders(folder, _DEPTH):
        try:
            if (path / "metadata.json").is_file() and (path / "model").is_dir():
                models.append(_argos(path))
            elif (path / "model.bin").is_file():
                models.append(_opus(path))
        except InputError as error:
            problems.append(error)
    return sorted(models, key=lambda model: (model.source, model.target, str(model.path))), problems


def route(models: Iterable[Model], source: Locale, target: Locale) -> tuple[Model, ...]:
    """Return the models to go through: one for the pair, else two by way of English, or none."""
    sources, targets, english = model_codes(source), model_codes(target), ("en", "eng")
    usable = list(models)
    reading = [each for each in usable if each.source in sources]
    writing = [each for each in usable if each.target in targets or each.target_token(target)]
    for model in reading:
        if model in writing:
            return (model,)
    into = next((each for each in reading if each.target in english), None)
    out = next((each for each in writing if each.source in english), None)
    return (into, out) if into and out else ()


def _folders(folder: Path, depth: int) -> Iterator[Path]:
    yield folder
    if depth and not (folder / "metadata.json").is_file():
        for path in sorted(folder.iterdir()):
            if path.is_dir() and not path.name.startswith("."):
                yield from _folders(path, depth - 1)


def _argos(path: Path) -> Model:
    facts = _json(path / "metadata.json")
    source, target = facts.get("from_code"), facts.get("to_code")
    if not isinstance(source, str) or not isinstance(target, str):
        raise InputError("names no from_code and to_code", file=path / "metadata.json")
    if not (path / "model" / "model.bin").is_file():
        raise InputError("has no model/model.bin; unzip the .argosmodel file again", file=path)
    return Model(
        path,
        "argos",
        source.lower(),
        target.lower(),
        path / "model",
        _tokens(path, "sentencepiece.model", "bpe.model"),
        str(facts.get("license") or "") or _licence(path),
        str(facts.get("package_version") or ""),
        target_prefix=str(facts.get("target_prefix") or ""),
    )


def _opus(path: Path) -> Model:
    tokens = _tokens(path, "source.spm", "sentencepiece.model")
    match = _PAIR.search(path.name.lower()) or _GROUPS.search(path.name.lower())
    front = _front_matter(path)
    pair = (
        [match[1], match[2]] if match else re.findall(r"^-\s*([a-z]{2,3})\s*$", front, re.MULTILINE)
    )
    if len(pair) != 2:
        raise InputError("does not say its languages; name the folder as opus-mt-en-de", file=path)
    # Models converted from Hugging Face's Marian expect the end of the source from the caller;
    # converters from Marian itself write `add_source_eos`, and OpenNMT's (Argos) take none.
    config = _json(path / "config.json") if (path / "config.json").is_file() else {}
    end_token = "" if config.get("add_source_eos") else str(config.get("eos_token") or "</s>")
    names = (f"{name}_vocabulary" for name in ("shared", "source"))
    words = "".join(_text(path / f"{name}{end}") for name in names for end in (".json", ".txt"))
    words = words.replace("\\u003e", ">").replace("\\u003c", "<")
    return Model(
        path,
        "opus",
        pair[0],
        pair[1],
        path,
        tokens,
        _licence(path),
        end_token=end_token,
        targets=tuple(dict.fromkeys(_TARGET_TOKEN.findall(words))),
    )


def _tokens(path: Path, *names: str) -> Path:
    """Return the tokenizer's file of the source side."""
    for name in names:
        if (path / name).is_file():
            return path / name
    if "bpe.model" in names:
        raise InputError("has neither sentencepiece.model nor bpe.model", file=path)
    raise InputError(
        "has a model.bin but no source.spm and target.spm; copy them from the original model "
        "(ct2-transformers-converter does so with --copy_files source.spm target.spm)",
        file=path,
    )


def _licence(path: Path) -> str:
    """Return the licence as the front matter, a file of its own or a sentence names it."""
    if match := re.search(r"^license:\s*['\"]?([^'\"\n]+)", _front_matter(path), re.MULTILINE):
        return match[1].strip()
    for name in ("LICENSE", "LICENSE.txt", "LICENCE", "COPYING"):
        if text := _text(path / name).strip():
            return text.split("\n")[0][:60].strip()
    pattern = r"licen[sc]ed? *(?:under|:)\s*([^\n.]{2,60})"
    match = re.search(pattern, _text(path / "README.md"), re.IGNORECASE)
    return match[1].strip(" *_[]") if match else ""


def _front_matter(path: Path) -> str:
    text = _text(path / "README.md")
    return text.split("\n---", 1)[0] if text.startswith("---") else ""


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"is not readable JSON: {error}", file=path) from error
    if not isinstance(value, dict):
        raise InputError("is not a JSON object", file=path)
    return value
