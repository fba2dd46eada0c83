"""What the TOML of a taxonomy says. In: the file. Out: its values, checked.

Every complaint is an InputError that names the file and the place in it, and says what is allowed.
What needs the whole taxonomy, such as which texts are missing, taxonomy/definition.py checks.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memeloc import resources
from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.locales.tags import canonical, is_well_formed

_ID = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"
_LARGEST = 1_000_000
_LONGEST = 5000
_DEEPEST = 6


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


_Id = Annotated[str, Field(pattern=_ID, max_length=60)]
_Ids = Annotated[tuple[_Id, ...], Field(strict=False)]


class _Label(_Section):
    id: _Id
    severity: Annotated[int, Field(ge=0, le=100)] = 0
    abstain: bool = False
    subcategories: _Ids = ()
    group: Annotated[str, Field(pattern=rf"^$|{_ID}", max_length=60)] = ""


class _Second(_Section):
    id: _Id
    when: Annotated[_Ids, Field(min_length=1)]
    answers: Annotated[_Ids, Field(min_length=2)]
    several: bool = False


class _Example(_Section):
    id: _Id
    label: _Id
    template: Annotated[str, Field(max_length=100)]


class TaxonomyFile(_Section):
    """All values of a file; `Taxonomy` says what they mean."""

    name: _Id
    source: Annotated[str, Field(max_length=500)] = ""
    most_severe: bool = False
    rules: _Ids = ()
    label: Annotated[tuple[_Label, ...], Field(strict=False, min_length=2, max_length=100)]
    second: _Second | None = None
    example: Annotated[tuple[_Example, ...], Field(strict=False, min_length=1, max_length=100)]
    text: dict[str, dict[str, Any]] = {}


def read_taxonomy(path: Path) -> TaxonomyFile:
    """The values of a taxonomy's file, each of them checked, and what they say of each other.

    Raises:
        InputError: the file cannot be read, or says something that cannot be.
    """
    try:
        found = TaxonomyFile.model_validate(_values(path))
    except ValidationError as error:
        raise InputError(_sentence(error.errors()[0]), file=path) from error
    _check(found, path)
    return found


def read_texts(found: TaxonomyFile, path: Path) -> dict[str, dict[str, str]]:
    """The words that a file brings, by language and name, in the tags that locales have.

    What stands under zh-CN is found under zh-Hans.

    Raises:
        InputError: one is no text, or stands under no language.
    """
    texts = {tag: _flat_texts(said, tag, path) for tag, said in found.text.items()}
    return _by_locale(texts, path)


def _values(path: Path) -> dict[str, Any]:
    try:
        if path.exists() and not path.is_file():
            raise InputError("is not a file", file=path)
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise InputError("is too large for a taxonomy; one megabyte is the limit", file=path)
        return tomllib.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8, as TOML has to be; save it as that", file=path) from error
    except (ValueError, RecursionError) as error:
        # tomllib lets out more than its own: an endless number is a plain ValueError.
        raise InputError(f"is not TOML: {error}", file=path) from error


def _flat_texts(texts: Mapping[str, Any], tag: str, path: Path) -> dict[str, str]:
    """The texts of one language by name, each of them a text.

    Raises:
        InputError: one is something else, too long, or has characters that no page can show.
    """
    found: dict[str, str] = {}
    waiting: list[tuple[tuple[str, ...], Mapping[str, Any]]] = [((), texts)]
    while waiting:
        before, table = waiting.pop()
        for key, value in table.items():
            steps = (*before, key)
            name = ".".join(steps)[:80]
            if isinstance(value, dict) and len(steps) < _DEEPEST:
                waiting.append((steps, value))
                continue
            if not isinstance(value, str):
                raise InputError(
                    f"the text {name!r} in [text.{tag[:40]}] has to be a text in quotation marks",
                    file=path,
                )
            if len(value) > _LONGEST:
                raise InputError(
                    f"the text {name!r} in [text.{tag[:40]}] is longer than {_LONGEST} characters",
                    file=path,
                )
            if odd := next((one for one in value if _is_control(one)), None):
                raise InputError(
                    f"the text {name!r} in [text.{tag[:40]}] has the control character "
                    f"U+{ord(odd):04X}; take it out",
                    file=path,
                )
            found[".".join(steps)] = unicodedata.normalize("NFC", value.strip())
    return found


def _is_control(character: str) -> bool:
    return unicodedata.category(character) == "Cc" and character not in "\n\t"


def _by_locale(texts: Mapping[str, dict[str, str]], path: Path) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for tag, said in texts.items():
        exact = canonical(tag)
        if not is_well_formed(exact):
            raise InputError(
                f"[text.{tag[:40]}] names no language; write a tag such as de or pt-BR", file=path
            )
        if exact in found:
            raise InputError(f"the language {exact} is there twice", file=path)
        found[exact] = said
    for exact in tuple(found):
        locale = default().get(exact).tag if exact in default() else exact
        if locale not in found:
            found[locale] = found.pop(exact)
    return found


_SAID = {
    "missing": "is missing",
    "extra_forbidden": "is not something that a taxonomy has; see guides/taxonomies.md",
    "string_pattern_mismatch": "has to be small letters a-z, digits and single hyphens",
    "bool_type": "has to be true or false",
    "int_type": "has to be a whole number",
    "string_type": "has to be a text in quotation marks",
    "tuple_type": "has to be a list",
    "greater_than_equal": "has to be 0 or more",
    "less_than_equal": "has to be 100 or less",
    "too_short": "has too few entries",
    "too_long": "has too many entries",
    "string_too_long": "is too long",
    "model_type": "has to be a table",
    "dict_type": "has to be a table",
}


def _sentence(problem: Any) -> str:
    """What pydantic found, in our words: `label 2, severity: has to be a whole number`."""
    steps = [f" {step + 1}" if isinstance(step, int) else f", {step}" for step in problem["loc"]]
    said = _SAID.get(problem["type"], problem["msg"])
    return f"{''.join(steps).removeprefix(', ')}: {said}"


def _check(found: TaxonomyFile, path: Path) -> None:
    """What no single value can be blamed for.

    Raises:
        InputError: ids are there twice, or name what is not there.
    """
    labels = [one.id for one in found.label]
    _check_twice(found, path)
    _check_order(found, path)
    abstaining = [one.id for one in found.label if one.abstain]
    if len(abstaining) > 1:
        raise InputError(
            f"two labels abstain, {abstaining[0]!r} and {abstaining[1]!r}; "
            'one is enough to say "I don\'t know"',
            file=path,
        )
    if len(labels) - len(abstaining) < 2:
        raise InputError("there have to be two labels that do not abstain", file=path)
    if any(one.group for one in found.label if not one.abstain) and not all(
        one.group for one in found.label if not one.abstain
    ):
        without = next(one.id for one in found.label if not one.abstain and not one.group)
        raise InputError(
            f"the label {without!r} has no group, and others have; give all of them one", file=path
        )
    wanted = [(f"the example {one.id!r}", one.label) for one in found.example]
    wanted += [("the second question", one) for one in (found.second.when if found.second else ())]
    for where, label in wanted:
        if label not in labels:
            known = ", ".join(labels)
            raise InputError(f"{where} names the label {label!r}; there are {known}", file=path)
        if label in abstaining:
            raise InputError(
                f"{where} names the label {label!r}, which abstains; name another", file=path
            )
    built_in = {one.name for one in resources.folder("templates").iterdir() if one.is_dir()}
    for example in found.example:
        if example.template not in built_in:
            raise InputError(
                f"the example {example.id!r} names the template {example.template[:60]!r}, and no "
                "built-in one is called so; `memeloc templates list` names them",
                file=path,
            )


def _check_order(found: TaxonomyFile, path: Path) -> None:
    """Whether it is plain which of two labels is the more severe one.

    Raises:
        InputError: it is not, and the most severe is to win.
    """
    if not found.most_severe:
        return
    weighed: dict[int, str] = {}
    for one in found.label:
        if not one.abstain and (other := weighed.setdefault(one.severity, one.id)) != one.id:
            raise InputError(
                f"the most severe label wins, and {other!r} and {one.id!r} both have the severity "
                f"{one.severity}; give each label one of its own",
                file=path,
            )


def _check_twice(found: TaxonomyFile, path: Path) -> None:
    several = [
        ("label", [one.id for one in found.label]),
        ("example", [one.id for one in found.example]),
        ("answer", list(found.second.answers) if found.second else []),
        ("label of the second question", list(found.second.when) if found.second else []),
        ("rule", list(found.rules)),
        *((f"subcategory of {one.id!r}", list(one.subcategories)) for one in found.label),
    ]
    for what, ids in several:
        twice = next((one for one in ids if ids.count(one) > 1), None)
        if twice is not None:
            raise InputError(f"the {what} {twice!r} is there twice", file=path)
