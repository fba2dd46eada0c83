"""Label sets. In: the name of a shipped taxonomy, or the TOML of one's own. Out: a `Taxonomy`.

A TOML says which labels there are, which question follows, and which examples explain them. The
words of the shipped ones stand in memeloc/survey/texts/, a file a language; a taxonomy of one's own
brings its words along. guides/taxonomies.md shows how one is written.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memeloc import resources
from memeloc.errors import InputError

FOLDER = Path(__file__).parent / "taxonomies"
SOURCE = "en"
"""The language that every taxonomy has its words in, and that others fall back to."""

_ID = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"
_LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Label:
    """One answer to the question.

    Attributes:
        id: names it in tables and files.
        severity: 0 is harmless, higher is worse.
        abstain: whether it means "I don't know": stored, and left out of the vote.
        subcategories: ids of finer kinds.
        group: id of the coarser class that it counts as; empty when there are no such classes.
    """

    id: str
    severity: int = 0
    abstain: bool = False
    subcategories: tuple[str, ...] = ()
    group: str = ""


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
        texts: by language tag and key (see `keys`), the words of a taxonomy of one's own; empty for
            the shipped ones.
    """

    name: str
    source: str
    labels: tuple[Label, ...]
    second: SecondQuestion | None
    examples: tuple[Example, ...]
    rules: tuple[str, ...] = ()
    most_severe: bool = False
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)

    @property
    def abstain(self) -> Label | None:
        """The label that means "I don't know", if there is one."""
        return next((label for label in self.labels if label.abstain), None)

    @property
    def groups(self) -> tuple[str, ...]:
        """The ids of the coarser classes, in the order in which labels name them first."""
        return tuple(dict.fromkeys(label.group for label in self.labels if label.group))

    def label(self, label_id: str) -> Label:
        """The label of that id; KeyError when there is none."""
        for label in self.labels:
            if label.id == label_id:
                return label
        raise KeyError(label_id)

    def keys(self) -> tuple[str, ...]:
        """The names of all texts that it needs in a language, as `SurveyTexts.get` takes them."""
        return tuple(f"taxonomy.{self.name}.{key}" for key in self._own_keys())

    def _own_keys(self) -> Iterator[str]:
        yield "question"
        yield "definition"
        for label in self.labels:
            yield f"label.{label.id}.name"
            yield f"label.{label.id}.definition"
            for one in label.subcategories:
                yield f"label.{label.id}.subcategory.{one}"
        for group in self.groups:
            yield f"group.{group}"
        if self.second is not None:
            yield f"second.{self.second.id}.question"
            for answer in self.second.answers:
                yield f"second.{self.second.id}.answer.{answer}"
        for rule in self.rules:
            yield f"rule.{rule}"
        for example in self.examples:
            yield f"example.{example.id}.caption"
            yield f"example.{example.id}.why"


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


class _File(_Section):
    name: _Id
    source: Annotated[str, Field(max_length=500)] = ""
    most_severe: bool = False
    rules: _Ids = ()
    label: Annotated[tuple[_Label, ...], Field(strict=False, min_length=2, max_length=100)]
    second: _Second | None = None
    example: Annotated[tuple[_Example, ...], Field(strict=False, min_length=1, max_length=100)]
    text: dict[str, dict[str, Any]] = {}


def taxonomy_names() -> tuple[str, ...]:
    """The names of the shipped taxonomies, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def load_taxonomy(name: str | Path) -> Taxonomy:
    """A shipped taxonomy by its name, or one of your own by its file.

    Raises:
        InputError: there is none of that name, or the file says something that cannot be.
    """
    if isinstance(name, str) and name in taxonomy_names():
        path, own = FOLDER / f"{name}.toml", False
    elif isinstance(name, Path) or name.endswith(".toml"):
        path = Path(name)
        own = path.resolve().parent != FOLDER.resolve()
    else:
        raise InputError(
            f"There is no taxonomy {name[:60]!r}; there are {', '.join(taxonomy_names())}. "
            "One of your own is named by its .toml file."
        )
    try:
        found = _File.model_validate(_values(path))
    except ValidationError as error:
        raise InputError(_sentence(error.errors()[0]), file=path) from error
    _check(found, path)
    taxonomy = Taxonomy(
        found.name,
        found.source,
        tuple(
            Label(one.id, one.severity, one.abstain, one.subcategories, one.group)
            for one in found.label
        ),
        None
        if found.second is None
        else SecondQuestion(
            found.second.id, found.second.when, found.second.answers, found.second.several
        ),
        tuple(Example(one.id, one.label, one.template) for one in found.example),
        found.rules,
        found.most_severe,
        {
            tag: {f"taxonomy.{found.name}.{key}": text for key, text in flat(texts).items()}
            for tag, texts in found.text.items()
        },
    )
    if own:
        _check_own(taxonomy, path)
    return taxonomy


def flat(values: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Texts by their name: a TOML's tables and keys joined by dots."""
    found: dict[str, str] = {}
    for key, value in values.items():
        name = f"{before}.{key}" if before else key
        if isinstance(value, Mapping):
            found |= flat(value, name)
        else:
            found[name] = str(value).strip()
    return found


def _values(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError("is too large for a taxonomy; one megabyte is the limit", file=path)
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"is not TOML: {error}", file=path) from error


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


def _check(found: _File, path: Path) -> None:
    """What no single value can be blamed for.

    Raises:
        InputError: ids are there twice, or name what is not there.
    """
    labels = [one.id for one in found.label]
    _check_twice(found, path)
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
    for example in found.example:
        if not (resources.folder("templates") / Path(example.template).name).is_dir():
            raise InputError(
                f"the example {example.id!r} names the template {example.template[:60]!r}, and no "
                "built-in one is called so; `memeloc templates` lists them",
                file=path,
            )


def _check_twice(found: _File, path: Path) -> None:
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


def _check_own(taxonomy: Taxonomy, path: Path) -> None:
    """Whether a taxonomy of one's own has its words, and a name of its own.

    Raises:
        InputError: it has not.
    """
    if taxonomy.name in taxonomy_names():
        raise InputError(
            f"a shipped taxonomy is called {taxonomy.name!r}; give yours another name", file=path
        )
    before = f"taxonomy.{taxonomy.name}."
    keys = taxonomy.keys()
    for tag in (SOURCE, *sorted(taxonomy.texts)):
        texts = taxonomy.texts.get(tag, {})
        lacking = next((key for key in keys if not texts.get(key)), None)
        if lacking is not None:
            raise InputError(
                f"the text {lacking.removeprefix(before)!r} is missing in [text.{tag}]", file=path
            )
        unknown = next((key for key in texts if key not in keys), None)
        if unknown is not None:
            raise InputError(
                f"the text {unknown.removeprefix(before)!r} in [text.{tag}] belongs to nothing "
                "that this taxonomy has",
                file=path,
            )
