"""Targets with what a workspace knows. In: a stored survey, a name. Out: targets that are ready.

What a target made at its service is noted in the survey's state, so that a second run makes
nothing twice. Services that take decisions or look something up are found by what they offer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.quality.decisions import Decision
from memeloc.survey.targets.protocol import (
    Decide,
    LookedUp,
    Lookup,
    Push,
    SurveyPack,
    Target,
)
from memeloc.survey.targets.registry import TARGETS, make_target
from memeloc.workspace.surveys.stored import StoredSurvey

Agree = Callable[[str], bool]
"""Is given a sentence that says what it takes; only True goes on."""


def disagree(costs: str) -> bool:
    """Agree to nothing."""
    return False


class SurveyState:
    """What a target remembers of a survey, kept in the store."""

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


def writer(survey: StoredSurvey, name: str, given: Mapping[str, Any]) -> Target:
    """A target with memeloc.toml's options and those given."""
    return make_target(name, {**survey.settings(name), **given})


def check_push(target: Target) -> None:
    """Refuse a target that is not a service.

    Raises:
        InputError: it is not.
    """
    if not isinstance(target, Push):
        names = " or ".join(_offering(Push))
        raise InputError(f"{target.name} makes nothing at a service; --push goes to {names}")


def push_pack(
    survey: StoredSurvey,
    target: Target,
    pack: SurveyPack,
    *,
    publish: bool,
    agree: Agree,
    dry_run: bool,
) -> Sequence[Mapping[str, Any]]:
    """Make the sheets at a service; a row a sheet."""
    assert isinstance(target, Push)
    state = SurveyState(survey, target.name)
    return target.push(pack, state, dry_run=dry_run, publish=publish, agree=agree)


def decider(survey: StoredSurvey) -> Target:
    """The service that takes decisions; of several the first."""
    return _service(survey, Decide)


def send_decisions(
    survey: StoredSurvey,
    target: Target,
    decisions: Sequence[Decision],
    ids: Mapping[str, str],
    agree: Agree,
) -> Mapping[str, int]:
    """Give a service the decisions; how many came to what."""
    assert isinstance(target, Decide)
    return target.decide(decisions, ids, SurveyState(survey, target.name), agree=agree)


def look_up(survey: StoredSurvey, out: Path | None) -> LookedUp:
    """Have a service look up what an export needs; see `Lookup`."""
    target = _service(survey, Lookup)
    assert isinstance(target, Lookup)
    return target.look_up(survey.design.cultures, survey.workspace.root or Path(), out)


def _service(survey: StoredSurvey, offer: type) -> Target:
    return writer(survey, _offering(offer)[0], {})


def _offering(offer: type) -> list[str]:
    """The names of the targets that offer an optional part of the protocol."""
    return [name for name in TARGETS.names() if issubclass(TARGETS.load(name), offer)]  # type: ignore[arg-type]
