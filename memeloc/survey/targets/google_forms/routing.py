"""What is asked after what. In: the questions of an entry. Out: the steps, each a section.

A form knows nothing but the option that was just chosen, so a question whose answers lead on in
other ways for people who answered earlier questions otherwise is there more than once: each `Step`
is a question for all to whom the same is asked later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memeloc.errors import InputError
from memeloc.survey.targets.instructions import ShownQuestion

AFTER = -1
"""Leads to what comes after the entry."""


@dataclass(slots=True)
class Step:
    """A question and the places among the steps that its answers lead to.

    Attributes:
        copy: 1 for the first step with that question, then 2 and so on.
        leads: by answer id; the empty id is for a question whose answer decides nothing.
    """

    question: ShownQuestion
    copy: int = 1
    leads: dict[str, int] = field(default_factory=dict)


_State = tuple[int, frozenset[int]]
"""The place of a question, and those of later ones that nothing has ruled out."""


def steps_of(questions: Sequence[ShownQuestion]) -> list[Step]:
    """The steps of an entry, its first question first; a step leads to later ones only.

    Raises:
        InputError: a question depends on one with several answers, which leads nowhere in a form.
    """
    for question in questions:
        for other in questions:
            if other.id in question.when and other.kind != "choice":
                raise InputError(
                    f"Google Forms cannot ask {question.id!r} depending on {other.id!r}, which "
                    "people may give several answers to; take another target"
                )
    if len(questions) == 1:  # as of most label sets
        return [Step(questions[0], leads={"": AFTER})]
    first = (0, frozenset(range(1, len(questions))))
    found: dict[_State, dict[str, _State | None]] = {}
    waiting = [first]
    while waiting:
        state = waiting.pop()
        if state not in found:
            found[state] = _leads(questions, state)
            waiting += [after for after in found[state].values() if after is not None]
    states = sorted(found, key=lambda state: (state[0], sorted(state[1])))
    places = {state: place for place, state in enumerate(states)}
    steps: list[Step] = []
    for state in states:
        question = questions[state[0]]
        copies = sum(step.question is question for step in steps)
        leads = {
            answer: AFTER if after is None else places[after]
            for answer, after in found[state].items()
        }
        steps.append(Step(question, copies + 1, leads))
    return steps


def _leads(questions: Sequence[ShownQuestion], state: _State) -> dict[str, _State | None]:
    place, possible = state
    question = questions[place]
    depend = [other for other in possible if question.id in questions[other].when]
    if not depend:
        return {"": _following(questions, place, possible)}
    leads = {}
    for answer in question.answers:
        ruled_out = {other for other in depend if answer not in questions[other].when[question.id]}
        leads[answer] = _following(questions, place, possible - ruled_out)
    return leads


def _following(
    questions: Sequence[ShownQuestion], place: int, possible: frozenset[int]
) -> _State | None:
    """The next question that is asked; what depends on one that is not is not asked either."""
    for after in range(place + 1, len(questions)):
        if after in possible:
            return after, frozenset(other for other in possible if other > after)
        own = questions[after].id
        possible = frozenset(other for other in possible if own not in questions[other].when)
    return None
