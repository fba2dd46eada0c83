"""Targets with what a workspace remembers. In: a stored survey. Out: services, and their state.

What a target made at its service is noted in the survey's state, so that a second run makes
nothing twice. Services are found by what they offer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from memeloc.survey.targets.protocol import Decide, SurveyPack
from memeloc.survey.targets.registry import TARGETS
from memeloc.workspace.surveys.stored import StoredSurvey

Agree = Callable[[str], bool]
"""Is given a sentence that says what it takes; only True goes on."""


def disagree(costs: str) -> bool:
    """Agree to nothing."""
    return False


class SurveyState:
    """What a target remembers of a survey, kept in the store; see `State`."""

    def __init__(self, survey: StoredSurvey, target: str) -> None:
        self._survey, self._target = survey, target

    def get(self, key: str) -> Any:
        """The value under a key; None if there is none."""
        return self._survey.state(self._target).get(key)

    def put(self, key: str, value: Any) -> None:
        """Remember a value; it is stored when this returns."""
        self._survey.put_state(self._target, key, value)


def with_state(survey: StoredSurvey, pack: SurveyPack) -> SurveyPack:
    """A pack that has what targets made of the survey so far, and the workspace's folder."""
    made = {name: values for name in TARGETS.names() if (values := survey.state(name))}
    return replace(pack, made=made, root=survey.workspace.root)


def offering(offer: type) -> Iterator[str]:
    """The names of the targets that offer an optional protocol, such as `Push`."""
    return (name for name in TARGETS.names() if isinstance(TARGETS.make(name), offer))


def recruiter() -> str:
    """The name of the service that takes decisions, whose settings have the pay; the first."""
    return next(offering(Decide))
