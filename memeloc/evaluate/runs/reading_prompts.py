"""Texts of prompts, read. In: a TOML with a section a language, or shipped ones. Out: `Prompts`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.evaluate.runs.prompt_texts import Prompts, PromptTexts
from memeloc.evaluate.runs.published_prompts import read_published
from memeloc.settings import parse_toml, read_toml, validate

_SHIPPED = files("memeloc.evaluate.runs") / "texts"


def read_prompts(name: str, folder: Path, labels: Sequence[str] = ()) -> Prompts:
    """Texts by the name of shipped ones, or of a file below `folder`: a TOML, or published Python.

    Args:
        labels: of the run, which languages' `names` must fit.

    Raises:
        InputError: there are none of that name, or something in them is wrong.
    """
    path = folder / name
    if path.suffix == ".py":
        return read_published(path, _shipped("multi3hate", labels))
    if path.suffix == ".toml":
        return _prompts(path.stem, read_toml(path), labels, path)
    return _shipped(name, labels)


def _shipped(name: str, labels: Sequence[str]) -> Prompts:
    shipped = {Path(file.name).stem: file for file in _SHIPPED.iterdir()}
    if name not in shipped:
        raise InputError(
            f"There are no prompts {name[:60]!r}: name a TOML file, a Python file of published "
            f"prompts, or one of {', '.join(sorted(shipped))}."
        )
    return _prompts(name, parse_toml(shipped[name].read_text("utf-8")), labels, None)


def _prompts(
    name: str, values: dict[str, Any], labels: Sequence[str], file: Path | None
) -> Prompts:
    source = str(values.pop("source", ""))
    languages = {}
    for tag, section in values.items():
        where = f"the prompts in {tag[:20]}"
        if not isinstance(section, dict):
            raise InputError(f"{tag[:40]!r} is no section of a language", file=file)
        section.pop("published", None)
        texts = validate(PromptTexts, section, where, file=file)
        for what, given in (("names", texts.names), ("definitions", texts.definitions)):
            if given and labels and len(given) != len(labels):
                raise InputError(
                    f"{where} have {len(given)} {what} for the run's {len(labels)} labels "
                    f"({', '.join(labels)}); give one each, in that order",
                    file=file,
                )
        if labels and len(texts.markers) < len(labels):
            raise InputError(f"{where} have fewer markers than the run has labels", file=file)
        if texts.country_wordings and len(texts.country_wordings) != len(texts.wordings):
            raise InputError(f"{where} need a country_wording for each wording", file=file)
        languages[tag] = texts
    if not languages:
        raise InputError("has no section of a language, such as [en]", file=file)
    return Prompts(name, languages, source)
