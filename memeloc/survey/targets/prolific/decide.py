"""Decisions told to Prolific. In: decisions, and the ids of submissions. Out: what was told.

Nothing is told before the counts were agreed to. Each submission is looked at first: what has been
decided meanwhile, there or in an earlier run, is left alone, so nobody is told the same twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memeloc.survey.quality.decisions import Decision
from memeloc.survey.targets.prolific.client import ProlificApi, checked_id
from memeloc.survey.targets.prolific.columns import STATUSES, key_of
from memeloc.survey.targets.prolific.push import PushSettings

WAITING = STATUSES["awaiting review"]
TOLD = "told"
"""What became of a decision that Prolific took."""


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a decision.

    Attributes:
        decision: the decision.
        outcome: `told`; or why it was not: `no id` when Prolific's id of the submission is not
            known, `told before`, or the submission's status there, such as `APPROVED` or
            `return requested`; empty in a dry run.
    """

    decision: Decision
    outcome: str


def tell(
    found: Sequence[Decision],
    ids: Mapping[str, str],
    settings: PushSettings,
    *,
    agree: Callable[[Mapping[str, int]], bool],
) -> tuple[Told, ...]:
    """Approve, ask to return and reject, as decided and agreed to.

    Args:
        found: the decisions.
        ids: by `Decision.service`, which may be stored as a hash, Prolific's id of the submission.
        settings: how Prolific is reached; the state remembers what was told. In a dry run nothing
            is asked or told.
        agree: is shown beforehand how many of each action may be told; only True goes on.

    Returns:
        What became of each decision; nothing when it was not agreed to.

    Raises:
        InputError: an id is none.
        MissingError: httpx or the token is missing, or is not accepted.
        ServiceError: Prolific refused, or could not be reached; what was told until then is
            remembered.
    """
    state = settings.state
    outcomes = [
        "no id" if not ids.get(one.service) else "told before" if state.get(_key(one)) else ""
        for one in found
    ]
    waiting = [place for place, outcome in enumerate(outcomes) if not outcome]
    for place in waiting:
        checked_id(ids[found[place].service], "submission")
    if waiting and not settings.dry_run:
        if agree(Counter(found[place].action for place in waiting)) is not True:
            return ()
        with ProlificApi(settings.api, settings.environ) as api:
            for place in waiting:
                one = found[place]
                outcomes[place] = _told(api, ids[one.service], one)
                if outcomes[place] == TOLD:
                    state.put(_key(one), one.action)
    return tuple(Told(one, outcome) for one, outcome in zip(found, outcomes, strict=True))


def _key(decision: Decision) -> str:
    return f"decided/{decision.service}"


def _told(api: ProlificApi, submission: str, decision: Decision) -> str:
    path, body = decision.body()
    tried = False

    def send() -> str:
        nonlocal tried
        # Looked at each time: an answer that was lost may have been one of success.
        there = api.send("GET", f"submissions/{submission}/")
        said = there if isinstance(there, dict) else {}
        status = STATUSES.get(key_of(str(said.get("status", ""))), "")
        asked = bool(said.get("return_requested"))
        if tried and (status != WAITING or (asked and decision.action == "return")):
            return TOLD
        if status != WAITING:
            return status or "UNKNOWN"
        if asked and decision.action == "return":
            return "return requested"
        tried = True
        api.send("POST", f"submissions/{submission}/{path}", body)
        return TOLD

    return str(api.patiently(send))
