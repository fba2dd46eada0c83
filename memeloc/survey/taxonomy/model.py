"""Label sets. In: what a file says. Out: the frozen types of a `Taxonomy`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=60)]
Ids = tuple[Id, ...]
_FORBID = ConfigDict(extra="forbid")
Flag = Annotated[bool, Field(strict=True)]


@dataclass(frozen=True, slots=True)
class Label:
    """One answer to the question.

    A severity of 0 is harmless, higher is worse. One that abstains means "I don't know": it is
    stored, and left out of the vote. Subcategories are ids of finer kinds; the group is the id of
    the coarser class that it counts as, empty when there are no such classes.
    """

    __pydantic_config__ = _FORBID

    id: Id
    severity: Annotated[int, Field(ge=0, le=100, strict=True)] = 0
    abstain: Flag = False
    subcategories: Ids = ()
    group: Id | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class SecondQuestion:
    """A question that is asked after the labels `when`, with its answers in the order shown."""

    __pydantic_config__ = _FORBID

    id: Id
    when: Annotated[Ids, Field(min_length=1)]
    answers: Annotated[Ids, Field(min_length=2)]
    several: Flag = False


@dataclass(frozen=True, slots=True)
class Example:
    """A meme of a built-in template that the introduction explains; implicit checks show it again.

    `label` is the id of the right answer; its caption and explanation stand in the texts.
    """

    __pydantic_config__ = _FORBID

    id: Id
    label: Id
    template: str


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """A label set.

    Attributes:
        source: paper and section that it is after.
        labels: in the order shown.
        rules: ids of the decision rules that the introduction gives, in order.
        most_severe: whether, of several that fit, the most severe label is to be chosen.
        texts: by language tag and key (see `keys`), the texts of a taxonomy that does not ship;
            empty for those that do.
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

    def keys(self) -> tuple[str, ...]:
        """The names of all texts that it needs in a language, as `SurveyTexts.get` takes them."""
        keys = ["question", "definition"]
        for label in self.labels:
            keys += [f"label.{label.id}.name", f"label.{label.id}.definition"]
            keys += (f"label.{label.id}.subcategory.{name}" for name in label.subcategories)
        keys += (f"group.{group}" for group in self.groups)
        if second := self.second:
            keys.append(f"second.{second.id}.question")
            keys += (f"second.{second.id}.answer.{answer}" for answer in second.answers)
        keys += (f"rule.{rule}" for rule in self.rules)
        for example in self.examples:
            keys += [f"example.{example.id}.caption", f"example.{example.id}.why"]
        return tuple(f"taxonomy.{self.name}.{key}" for key in keys)
