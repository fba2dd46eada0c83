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
) -> Mapping[str, int]:
    """Approve, ask to return and reject, as decided and agreed to; see `Decide`.

    Returns:
        How many decisions came to what: `sent`; `no id` when Prolific's id of the submission is not
        known; `sent before`; or the submission's status there, such as `APPROVED` or `return
        requested`. Nothing when it was not agreed to.
    """
    outcomes: Counter[str] = Counter()
    waiting: list[tuple[Decision, str]] = []
    for decision in decisions:
        own = ids.get(decision.service)
        if not own:
            outcomes["no id"] += 1
        elif state.get(f"decided/{decision.service}"):
            outcomes["sent before"] += 1
        else:
            waiting.append((decision, checked_id(own, "submission")))
    if not waiting:
        return outcomes
    counts = Counter(decision.action for decision, _ in waiting)
    listed = ", ".join(f"{action} {count:,}" for action, count in sorted(counts.items()))
    if agree(f"Sending to Prolific: {listed}. This cannot be taken back.") is not True:
        return {}
    with connect() as api:
        for decision, own in waiting:
            outcome = _send(api, own, decision)
            outcomes[outcome] += 1
            if outcome == SENT:
                state.put(f"decided/{decision.service}", decision.action)
    return outcomes


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
