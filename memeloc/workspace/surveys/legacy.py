"""Targets that are not of the new protocol yet. In: a stored survey. Out: their options, a push."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.targets.registry import TARGETS
from memeloc.workspace.surveys.stored import StoredSurvey


def is_legacy(name: str) -> bool:
    """Whether a service takes settings of its own instead of a state."""
    push = getattr(TARGETS.load(name), "push", None)
    return push is not None and "state" not in inspect.signature(push).parameters


def legacy_options(
    survey: StoredSurvey, name: str, options: Mapping[str, Any], *, reading: bool
) -> dict[str, Any]:
    """Options of a service, with what was made there."""
    known = {key: value for key, value in options.items() if key not in ("endpoint", "workspace")}
    forms = survey.folder / "google-forms.json"
    if name == "google-forms" and forms.exists():
        known.setdefault("made", forms)
    if name == "prolific" and reading:
        known.setdefault("made", survey.state("prolific"))
    if name == "prolific" and not reading:
        file = _root(survey) / "prolific-filters.toml"
        if file.exists():
            known.setdefault("filters", file)
        made = survey.state("google-forms")
        urls = {sheet: one["prolific"] for sheet, one in made.items() if one.get("prolific")}
        if urls:
            known.setdefault("urls", urls)
    return known


def legacy_push(
    survey: StoredSurvey,
    target: Any,
    pack: SurveyPack,
    *,
    publish: bool,
    agree: Callable[[str], bool],
    dry_run: bool,
) -> Sequence[Mapping[str, Any]]:
    """Make the sheets at Google."""
    from memeloc.survey.targets.google_forms.push import PushSettings

    if publish:
        raise InputError("--publish is for Prolific; a form is open at once")
    file = survey.folder / "google-forms.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    endpoint = str(survey.settings(target.name).get("endpoint", ""))
    made = [asdict(one) for one in target.push(pack, PushSettings(file, dry_run, endpoint))]
    for one in made:
        if one["form"] and not dry_run:
            value = {key: one[key] for key in ("form", "responder", "prolific")}
            survey.put_state(target.name, one["sheet"], value)
    return made


def _root(survey: StoredSurvey) -> Any:
    return survey.folder.parent.parent
