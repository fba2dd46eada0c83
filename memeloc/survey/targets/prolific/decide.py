"""Decisions sent to Prolific. In: decisions, and the ids of submissions. Out: what became of each.

Nothing is sent before the counts were agreed to. Each submission is looked at first: what has been
decided meanwhile, there or in an earlier run, is left alone, so nobody hears the same twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from memeloc.survey.quality.decisions import Decision
from memeloc.survey.targets.prolific.client import ProlificApi, checked_id, validated
from memeloc.survey.targets.prolific.columns import STATUSES, key_of
from memeloc.survey.targets.prolific.records import SubmissionRecord
from memeloc.survey.targets.protocol import State

WAITING = STATUSES["awaiting review"]
SENT = "sent"
"""What became of a decision that Prolific took."""


def send_decisions(
    decisions: Sequence[Decision],
    ids: Mapping[str, str],
    state: State,
    connect: Callable[[], ProlificApi],
    agree: Callable[[str], bool],
) -> tuple[str, ...]:
    """Approve, ask to return and reject, as decided and agreed to.

    Args:
        decisions: all of them.
        ids: by `Decision.service`, which may be stored as a hash, Prolific's id of the submission.
        state: what was sent before.
        connect: opens the connection.
        agree: is given a sentence with the counts before; only True goes on.

    Returns:
        What became of each decision: `sent`; `no id` when Prolific's id of the submission is not
        known; `sent before`; or the submission's status there, such as `APPROVED` or `return
        requested`. Nothing when it was not agreed to.

    Raises:
        InputError: an id is not one.
        MissingError: httpx or the token is missing, or is not accepted.
        ServiceError: Prolific refused, or could not be reached; what was sent until then is
            remembered.
    """
    outcomes = [
        "no id" if not ids.get(each.service) else "sent before" if state.get(_key(each)) else ""
        for each in decisions
    ]
    waiting = [place for place, outcome in enumerate(outcomes) if not outcome]
    for place in waiting:
        checked_id(ids[decisions[place].service], "submission")
    if not waiting:
        return tuple(outcomes)
    counts = Counter(decisions[place].action for place in waiting)
    listed = ", ".join(f"{action} {count:,}" for action, count in sorted(counts.items()))
    if agree(f"Sending to Prolific: {listed}. This cannot be taken back.") is not True:
        return ()
    with connect() as api:
        for place in waiting:
            decision = decisions[place]
            outcomes[place] = _send(api, ids[decision.service], decision)
            if outcomes[place] == SENT:
                state.put(_key(decision), decision.action)
    return tuple(outcomes)


def _key(decision: Decision) -> str:
    return f"decided/{decision.service}"


def _send(api: ProlificApi, submission: str, decision: Decision) -> str:
    path, body = decision.body()
    tried = False

    def send() -> str:
        nonlocal tried
        # Looked at each time: an answer that was lost may have been one of success.
        record = validated(SubmissionRecord, api.send("GET", f"submissions/{submission}/"))
        status = STATUSES.get(key_of(record.status), "UNKNOWN")
        asked = bool(record.return_requested) and decision.action == "return"
        if status != WAITING or asked:
            return SENT if tried else "return requested" if status == WAITING else status
        tried = True
        api.send("POST", f"submissions/{submission}/{path}", body)
        return SENT

    return api.patiently(send)
