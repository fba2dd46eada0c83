"""Translation models on disk. In: a folder. Out: which models stand in it, and for which pairs.

Two kinds are known. An unzipped `.argosmodel` (Argos Translate): metadata.json, model/ and
sentencepiece.model or bpe.model. A directory that a CTranslate2 converter has written from OPUS-MT:
model.bin and its vocabulary, with the model's source.spm beside them; its pair stands in its name
(`opus-mt-en-de`, `en_de`) or in the front matter of its README.md. Languages are named by who made
the model: ISO 639-1, ISO 639-3 (https://iso639-3.sil.org/code_tables/639/data), with a script, or
by a custom of their own (Argos writes `zt` for traditional Chinese).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memeloc.errors import InputError
from memeloc.model import Locale

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
    tokenizer: Literal["sentencepiece", "bpe"]
    tokens: Path
    licence: str = ""
    version: str = ""
    target_prefix: str = ""
    end_token: str = ""
    targets: tuple[str, ...] = ()

    def target_token(self, locale: Locale) -> str:
        """Return the token by which a model of several target languages is given the language."""
        codes = model_codes(locale)
        matches = [code for code in self.targets if code.lower() in codes]
        matches.sort(key=lambda code: codes.index(code.lower()))
        return f">>{matches[0]}<<" if matches else ""


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
    plain = (code.replace("-", "_").lower() for code in codes if code)
    return tuple(dict.fromkeys(plain))


def find_models(folder: Path) -> tuple[list[Model], list[InputError]]:
    """Return all models in a folder and below it; problems are given, the rest goes on.

    Raises:
        InputError: there is no such folder.
    """
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
    tokens = _first_file(path, "sentencepiece.model", "bpe.model")
    if tokens is None:
        raise InputError("has neither sentencepiece.model nor bpe.model", file=path)
    about = {name: str(facts.get(name) or "") for name in ("license", "package_version")}
    return Model(
        path,
        "argos",
        source.lower(),
        target.lower(),
        path / "model",
        "bpe" if tokens.name == "bpe.model" else "sentencepiece",
        tokens,
        about["license"] or _licence(path),
        about["package_version"],
        target_prefix=str(facts.get("target_prefix") or ""),
    )


def _opus(path: Path) -> Model:
    tokens = _first_file(path, "source.spm", "sentencepiece.model")
    if tokens is None:
        raise InputError(
            "has a model.bin but no source.spm and target.spm; copy them from the original model "
            "(ct2-transformers-converter does so with --copy_files source.spm target.spm)",
            file=path,
        )
    pair = _pair(path)
    if pair is None:
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
        *pair,
        path,
        "sentencepiece",
        tokens,
        _licence(path),
        end_token=end_token,
        targets=tuple(dict.fromkeys(_TARGET_TOKEN.findall(words))),
    )


def _first_file(path: Path, *names: str) -> Path | None:
    return next((path / name for name in names if (path / name).is_file()), None)


def _pair(path: Path) -> tuple[str, str] | None:
    match = _PAIR.search(path.name.lower()) or _GROUPS.search(path.name.lower())
    if match:
        return match[1], match[2]
    languages = re.findall(r"^-\s*([a-z]{2,3})\s*$", _front_matter(path), re.MULTILINE)
    return (languages[0], languages[1]) if len(languages) == 2 else None


def _licence(path: Path) -> str:
    match = re.search(r"^license:\s*['\"]?([^'\"\n]+)", _front_matter(path), re.MULTILINE)
    if match:
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
