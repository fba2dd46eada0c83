"""Questions of Qualtrics. In: what is asked. Out: their payloads, and the logic that shows them.

Qualtrics publishes no schema; fields and their types are those of files that it exports.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from memeloc.survey.targets.instructions import ShownQuestion

FIXED: dict[str, Any] = json.loads((Path(__file__).parent / "fixed.json").read_text("utf-8"))
"""What is the same in every survey; neither addresses nor places of people are kept."""

MOST_BUTTONS = 11
"""Points of a scale that fit side by side; a longer one is a slider."""

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the file by its number there, `QID3`, and the ids of its choices in order."""

    number: str
    choices: tuple[str, ...] = ()

    def place(self, choice: str) -> int:
        """The number of a choice, from 1."""
        return self.choices.index(choice) + 1


def payload_of(question: ShownQuestion) -> Payload:
    """What a question is but for its text: a choice, a scale, or a box for text."""
    if question.kind == "text":
        return _text(required=question.required)
    if question.kind != "scale":
        several = question.kind == "choices"
        return choice(question.answers, several=several, required=question.required)
    least, most = question.scale or (1, MOST_BUTTONS)
    if most - least < MOST_BUTTONS:
        points = {str(point): str(point) for point in range(least, most + 1)}
        return {
            **choice(points, required=question.required),
            "Selector": "SAHR",
            # Exports as numeric values have the points themselves.
            "RecodeValues": {str(n): point for n, point in enumerate(points, 1)},
        }
    return _slider(least, most, required=question.required)


def choice(choices: Mapping[str, str], *, several: bool = False, required: bool = True) -> Payload:
    """A question with choices, names by id; exported by their ids."""
    named = {str(number): choice for number, choice in enumerate(choices, 1)}
    return {
        "QuestionType": "MC",
        "Selector": "MAVR" if several else "SAVR",
        "SubSelector": "TX",
        "Choices": {number: {"Display": escape(choices[own])} for number, own in named.items()},
        "ChoiceOrder": list(named),
        "VariableNaming": named,
        "RecodeValues": {number: number for number in named},
        "NextChoiceId": len(named) + 1,
        "Validation": _validation(required=required),
    }


def description() -> Payload:
    """A text that asks nothing."""
    return {
        "QuestionType": "DB",
        "Selector": "TB",
        "ChoiceOrder": [],
        "NextChoiceId": 4,
        "Validation": {"Settings": {"Type": "None"}},
    }


def _text(*, required: bool) -> Payload:
    """A box for a text of several lines."""
    return {
        "QuestionType": "TE",
        "Selector": "ML",
        "ChoiceOrder": [],
        "NextChoiceId": 4,
        "SearchSource": {"AllowFreeResponse": "false"},
        "Validation": _validation(required=required),
    }


def _slider(least: int, most: int, *, required: bool) -> Payload:
    """A scale of whole numbers that is slid along."""
    return {
        "QuestionType": "Slider",
        "Selector": "HSLIDER",
        "Configuration": {
            **FIXED["question"]["Configuration"],
            "CSSliderMin": least,
            "CSSliderMax": most,
            "GridLines": 10,
            "SnapToGrid": False,
            "NumDecimals": "0",
            "ShowValue": True,
            "CustomStart": False,
            "NotApplicable": False,
            "MobileFirst": True,
        },
        "Choices": {"1": {"Display": f"{least} – {most}"}},
        "ChoiceOrder": ["1"],
        "Labels": [],
        "NextChoiceId": 2,
        "Validation": _validation(required=required),
    }


def _validation(*, required: bool) -> Payload:
    forced = "ON" if required else "OFF"
    return {"Settings": {"ForceResponse": forced, "ForceResponseType": forced, "Type": "None"}}


def shown_if(groups: Iterable[Iterable[Payload]]) -> Payload:
    """The logic that shows a question in its page where of each group a condition is met."""
    logic: Payload = {}
    for number, group in enumerate(groups):
        conditions: Payload = {"Type": "If"}
        for place, condition in enumerate(group):
            # Spelled as Qualtrics spells it; groups are joined by their first condition.
            join = "Or" if place else "And" if number else ""
            conditions[str(place)] = {**condition, "Conjuction": join} if join else condition
        logic[str(number)] = conditions
    return {**logic, "Type": "BooleanExpression", "inPage": True}


def condition(asked: Asked, place: int, *, selected: bool = True) -> Payload:
    """Whether a choice of a question is chosen, by its number; or whether it is not."""
    locator = f"q://{asked.number}/SelectableChoice/{place}"
    operator = "Selected" if selected else "NotSelected"
    return {
        **FIXED["logic"],
        "Operator": operator,
        "QuestionID": asked.number,
        "ChoiceLocator": locator,
        "QuestionIDFromLocator": asked.number,
        "LeftOperand": locator,
        "Description": f"If {asked.number} {place} is {operator}",
    }
