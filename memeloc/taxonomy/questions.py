"""What is asked besides the label. In: a `Taxonomy` as written. Out: it complete; its problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memeloc.taxonomy.model import LABEL, Question, Taxonomy, kinds_id

_TAKEN = frozenset(
    {
        LABEL, "item", "meme-id", "culture", "participant", "person", "state", "answers", "votes",
        "abstained", "rejected", "reasons", "consent", "comments", "answer", "submitted", "sheet",
        "number", "picture", "text", "question",
    }
)  # fmt: skip
"""What columns of tables are called that have a column for each question as well."""


def complete(taxonomy: Taxonomy) -> Taxonomy:
    """The taxonomy with what its file leaves to be understood.

    The questions for finer kinds come first, each after its label. Whoever skips or rejects an item
    is asked nothing more about it, so a question that is always asked comes after all other labels.
    """
    finer = tuple(
        Question(kinds_id(label), answers=label.subcategories, when={LABEL: (label.id,)})
        for label in taxonomy.labels
        # Of a single finer kind there is nothing to ask.
        if taxonomy.ask_subcategories and len(label.subcategories) > 1
    )
    going_on = tuple(label.id for label in taxonomy.of_role("vote", "abstain"))
    own = tuple(
        replace(question, when={LABEL: going_on})
        if not (question.when or question.before or question.about == "person")
        and len(going_on) < len(taxonomy.labels)
        else question
        for question in taxonomy.questions
    )
    return replace(taxonomy, questions=(*finer, *own))


def without_drafts(taxonomy: Taxonomy) -> Taxonomy:
    """The taxonomy for items without drafts of answers.

    Without the questions whose answers are drafted, and those that only lead to them.
    """
    kept = [each for each in taxonomy.questions if each.item_text != "answer"]
    drafted = [each for each in taxonomy.questions if each.item_text == "answer"]
    lead_to, lead_on = ({name for each in some for name in each.when} for some in (drafted, kept))
    only = lead_to - lead_on
    return replace(taxonomy, questions=tuple(each for each in kept if each.id not in only))


def question_problems(taxonomy: Taxonomy) -> Iterator[str]:
    """What is wrong with the questions of a complete taxonomy, as sentences."""
    yield from repeated("question", [question.id for question in taxonomy.questions])
    earlier = {LABEL: tuple(label.id for label in taxonomy.labels)}
    for question in taxonomy.questions:
        what = f"the question {question.id!r}"
        if question.id in _TAKEN:
            yield f"{what} has a name that tables use for something else; give it another"
        yield from _kind_problems(question, what)
        people = question.about == "person"
        if question.before and LABEL in question.when:
            yield f"{what} comes before the one for the label, so it cannot be asked after that"
        for name, answers in question.when.items():
            if name not in earlier:
                yield (
                    f"{what} is asked after {name!r}, and no question with answers to choose from "
                    f"is called so and comes before it; there are {', '.join(earlier)}"
                )
                continue
            other = taxonomy.question(name)
            if people != (other is not None and other.about == "person"):
                yield f"{what} is asked after {name!r}, but one of them is about the person"
            yield from repeated(f"answer that {question.id!r} is asked after", answers)
            for answer in answers:
                if answer not in earlier[name]:
                    yield (
                        f"{what} is asked after the answer {answer!r} to {name!r}, which has "
                        f"{', '.join(earlier[name])}"
                    )
        if question.answers:
            earlier[question.id] = question.answers


def _kind_problems(question: Question, what: str) -> Iterator[str]:
    chosen = question.kind in ("choice", "choices")
    yield from repeated(f"answer of {question.id!r}", question.answers)
    if chosen and len(question.answers) < (1 if question.kind == "choices" else 2):
        yield f"{what} has too few answers to choose from; write answers = [...]"
    if not chosen and question.answers:
        yield f"{what} is a {question.kind}, which has no answers to choose from"
    if (question.kind == "scale") != (question.scale is not None):
        yield f'{what}: kind = "scale" and scale = [least, greatest] go together'
    if question.scale and question.scale[0] >= question.scale[1]:
        yield f"{what} has a scale whose first number is not the smaller one"
    if question.about == "person" and (question.item_text or question.kind == "span"):
        yield f"{what} is about the person, so there is no text of an item"
    if question.item_text == "answer" and question.kind != "text":
        yield f'{what} has drafts of its answers; they go with kind = "text" only'


def repeated(what: str, names: Iterable[str]) -> Iterator[str]:
    """A sentence for each name that is there more than once."""
    for name, times in Counter(names).items():
        if times > 1:
            yield f"the {what} {name!r} is there twice"
