"""Label sets. In: a TOML. Out: a `Taxonomy`: labels, severities, a second question, examples.

A taxonomy says what may be answered and what follows from it; the words that annotators read stand
in memeloc/survey/texts/, by language. Shipped taxonomies stand in memeloc/survey/taxonomies/.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memeloc.errors import InputError

FOLDER = Path(__file__).parent / "taxonomies"

_ID = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"


@dataclass(frozen=True, slots=True)
class Label:
    """One answer to the question.

    Attributes:
        id: names it in tables and files.
        severity: 0 is harmless, higher is worse.
        abstain: whether it means "I don't know": stored, and left out of the vote.
        subcategories: ids of finer kinds.
    """

    id: str
    severity: int = 0
    abstain: bool = False
    subcategories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SecondQuestion:
    """A question that depends on the first.

    Attributes:
        id: names it.
        when: ids of the labels that it is asked after.
        answers: ids of its answers, in the order shown.
        several: whether more than one may be chosen.
    """

    id: str
    when: tuple[str, ...]
    answers: tuple[str, ...]
    several: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A meme that the introduction explains, and that an implicit check shows again.

    Attributes:
        id: names it; its caption and why it is what it is stand in the texts.
        label: id of the right answer.
        template: a built-in template.
    """

    id: str
    label: str
    template: str


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """A label set.

    Attributes:
        name: of the taxonomy.
        source: paper and section that it is after.
        labels: in the order shown.
        second: a question that depends on the first, or None.
        examples: at least one.
        rules: ids of the decision rules that the introduction gives, in order.
        most_severe: whether, of several that fit, the most severe label is to be chosen.
    """

    name: str
    source: str
    labels: tuple[Label, ...]
    second: SecondQuestion | None
    examples: tuple[Example, ...]
    rules: tuple[str, ...] = ()
    most_severe: bool = False

    @property
    def abstain(self) -> Label | None:
        """The label that means "I don't know", if there is one."""
        return next((label for label in self.labels if label.abstain), None)

    def label(self, label_id: str) -> Label:
        """The label of that id; KeyError when there is none."""
        for label in self.labels:
            if label.id == label_id:
                return label
        raise KeyError(label_id)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


_Id = Annotated[str, Field(pattern=_ID, max_length=60)]


class _Label(_Section):
    id: _Id
    severity: Annotated[int, Field(ge=0, le=100)] = 0
    abstain: bool = False
    subcategories: tuple[_Id, ...] = ()


class _Second(_Section):
    id: _Id
    when: Annotated[tuple[_Id, ...], Field(min_length=1)]
    answers: Annotated[tuple[_Id, ...], Field(min_length=2)]
    several: bool = False


class _Example(_Section):
    id: _Id
    label: _Id
    template: str


class _File(_Section):
    name: _Id
    source: str = ""
    most_severe: bool = False
    rules: tuple[_Id, ...] = ()
    label: Annotated[tuple[_Label, ...], Field(min_length=2)]
    second: _Second | None = None
    example: tuple[_Example, ...] = ()


def taxonomy_names() -> tuple[str, ...]:
    """The names of the shipped taxonomies, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def load_taxonomy(name: str | Path) -> Taxonomy:
    """A shipped taxonomy by its name, or one of your own by its file.

    Raises:
        InputError: there is none of that name, or the file says something that cannot be.
    """
    path = FOLDER / f"{name}.toml"
    if isinstance(name, Path) or str(name).endswith(".toml"):
        path = Path(name)
    elif not path.is_file():
        raise InputError(
            f"There is no taxonomy {str(name)[:60]!r}; there are {', '.join(taxonomy_names())}. "
            "One of your own is named by its .toml file."
        )
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"is not TOML: {error}", file=path) from error
    try:
        found = _File.model_validate(values)
    except ValidationError as error:
        raise InputError(_sentence(error.errors()[0]), file=path) from error
    _check(found, path)
    return Taxonomy(
        found.name,
        found.source,
        tuple(Label(one.id, one.severity, one.abstain, one.subcategories) for one in found.label),
        None
        if found.second is None
        else SecondQuestion(
            found.second.id, found.second.when, found.second.answers, found.second.several
        ),
        tuple(Example(one.id, one.label, one.template) for one in found.example),
        found.rules,
        found.most_severe,
    )


def _sentence(problem: Any) -> str:
    place = ".".join(str(step) for step in problem["loc"])
    return f"{place}: {problem['msg']}"


def _check(found: _File, path: Path) -> None:
    """What no single value can be blamed for.

    Raises:
        InputError: ids are there twice, or name what is not there.
    """
    labels = [one.id for one in found.label]
    for what, ids in (
        ("label", labels),
        ("example", [one.id for one in found.example]),
        ("answer", list(found.second.answers) if found.second else []),
        ("rule", list(found.rules)),
    ):
        twice = next((one for one in ids if ids.count(one) > 1), None)
        if twice is not None:
            raise InputError(f"the {what} {twice!r} is there twice", file=path)
    if sum(one.abstain for one in found.label) > 1:
        raise InputError('two labels abstain; one is enough to say "I don\'t know"', file=path)
    wanted = [(f"example {one.id}", one.label) for one in found.example]
    wanted += [("the second question", one) for one in (found.second.when if found.second else ())]
    for where, label in wanted:
        if label not in labels:
            known = ", ".join(labels)
            raise InputError(f"{where} names the label {label!r}; there are {known}", file=path)
