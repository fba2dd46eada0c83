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

LABEL = "label"
"""The id of the question whose answers are the labels; every item is asked it, most first."""
Role = Literal["vote", "abstain", "skip", "reject"]
"""`abstain` is "I don't know", an answer and no vote; `skip` leaves the item to somebody else, and
is no answer; `reject` says that the item is invalid, the label's name why (harmeme B.3)."""
Kind = Literal["choice", "choices", "scale", "text", "span"]
"""One answer, any number of them, a whole number, free text, or a part of the meme's caption."""
About = Literal["item", "picture", "person"]
"""An item; its picture, settled over all items of the template; or who is asked, at the end."""
_Number = Annotated[int, Field(ge=0, le=100, strict=True)]


@dataclass(frozen=True, slots=True)
class Label:
    """One answer to the question what an item is.

    A `severity` of 0 is harmless, higher is worse; `subcategories` are ids of finer kinds, `group`
    that of the coarser class, if there are any.
    """

    __pydantic_config__ = _FORBID

    id: Id
    severity: _Number = 0
    role: Role = "vote"
    subcategories: Ids = ()
    group: Id | Literal[""] = ""

    @property
    def kinds_id(self) -> str:
        """The id of the question for its finer kinds."""
        return f"{self.id}-kind"


@dataclass(frozen=True, slots=True)
class Question:
    """A question that is asked besides the one for the label.

    Attributes:
        answers: of a choice, or of choices, in the order shown; `scale` has least and greatest.
        when: it is asked if each of these questions (`LABEL` among them) was answered by one of
            these; always if there are none.
        before: whether it is asked before the question for the label, on which it cannot depend
            then (M-QUEST: a statement comes before the question that was made of it).
        item_text: whether the items' table has, in a column of the question's name, its `question`
            (a text that stands for `{text}` in the question; not asked where that is empty) or a
            draft of the `answer`, a text to be corrected. Without such a table nothing that is
            drafted is asked.
    """

    __pydantic_config__ = _FORBID

    id: Id
    kind: Kind = "choice"
    answers: Ids = ()
    scale: tuple[_Number, _Number] | None = None
    when: Mapping[Id, Annotated[Ids, Field(min_length=1)]] = field(default_factory=dict, hash=False)
    required: Flag = True
    before: Flag = False
    about: About = "item"
    item_text: Literal["", "question", "answer"] = ""

    def asked_after(self, answers: Mapping[str, tuple[str, ...]]) -> bool:
        """Return whether it is asked of somebody with these answers, by question id."""
        return all(set(ids).intersection(answers.get(name, ())) for name, ids in self.when.items())


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
    """A label set, and what else is asked of an item.

    Attributes:
        source: paper and section that it is after.
        labels, rules: in the order shown.
        questions: in the order asked; with `ask_subcategories` those for the finer kinds of a label
            come first.
        most_severe: whether, of several that fit, the most severe label is to be chosen.
        item_text: `question` if the question for the label has `{text}`, which the items' table
            gives in its column `label`.
        demographics: ids of those questions that are of the shipped block about the person.
        texts: by language tag and key (see `keys`), the texts of a taxonomy that does not ship;
            empty for those that do.
    """

    name: str
    source: str
    labels: tuple[Label, ...]
    questions: tuple[Question, ...]
    examples: tuple[Example, ...]
    rules: tuple[str, ...] = ()
    most_severe: bool = False
    ask_subcategories: bool = False
    item_text: Literal["", "question"] = ""
    demographics: Ids = ()
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)

    @property
    def abstain(self) -> Label | None:
        """The label that means "I don't know", if there is one."""
        return next(iter(self.of_role("abstain")), None)

    def of_role(self, *roles: Role) -> tuple[Label, ...]:
        """Return the labels that have one of these roles, in the order shown."""
        return tuple(label for label in self.labels if label.role in roles)

    def question(self, id: str) -> Question | None:
        return next((question for question in self.questions if question.id == id), None)

    def about(self, *about: About) -> tuple[Question, ...]:
        return tuple(question for question in self.questions if question.about in about)

    @property
    def groups(self) -> tuple[str, ...]:
        """The ids of the coarser classes, in the order in which labels name them first."""
        return tuple(dict.fromkeys(label.group for label in self.labels if label.group))

    def whose_kinds(self, question: Question) -> Label | None:
        """Return the label whose finer kinds a question asks for, if it asks for such."""
        labels = self.labels if self.ask_subcategories else ()
        return next((label for label in labels if label.kinds_id == question.id), None)

    @property
    def item_columns(self) -> tuple[str, ...]:
        """Columns that the items' table needs: ids of questions with a text of each item's own."""
        of_label = (LABEL,) if self.item_text else ()
        return (*of_label, *(each.id for each in self.questions if each.item_text == "question"))

    @property
    def draft_columns(self) -> tuple[str, ...]:
        """Columns that the items' table may have: ids of questions whose answers are drafted."""
        return tuple(each.id for each in self.questions if each.item_text == "answer")

    def keys(self) -> tuple[str, ...]:
        """Return the names of all texts that it needs in a language, as `SurveyTexts.get` does."""
        keys = ["question", "definition"]
        for label in self.labels:
            keys += [f"label.{label.id}.name", f"label.{label.id}.definition"]
            keys += (f"label.{label.id}.subcategory.{name}" for name in label.subcategories)
        keys += (f"group.{group}" for group in self.groups)
        for question in self.questions:
            if self.whose_kinds(question) is None and question.id not in self.demographics:
                keys.append(f"questions.{question.id}.text")
                keys += (f"questions.{question.id}.answer.{name}" for name in question.answers)
        keys += (f"rule.{rule}" for rule in self.rules)
        for example in self.examples:
            keys += [f"example.{example.id}.caption", f"example.{example.id}.why"]
        return tuple(f"taxonomy.{self.name}.{key}" for key in keys)
