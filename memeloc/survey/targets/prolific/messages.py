"""Messages through Prolific. In: messages, ids. Out: sent once each, after they were agreed to.

docs.prolific.com/api-reference/messages: a message goes to a person about a study. A run that did
not hear whether one was sent looks for it among the messages with that person.
"""

from __future__ import annotations

import hashlib

from memeloc.survey.messages import Message
from memeloc.survey.targets.prolific.client import ProlificApi, checked_id, validated
from memeloc.survey.targets.prolific.push import SENT
from memeloc.survey.targets.prolific.records import MessageRecord, SubmissionRecord
from memeloc.survey.targets.protocol import State


def is_sent(message: Message, state: State) -> bool:
    """Whether the person was sent the very text before."""
    return bool(_noted(message, state).get(_digest(message)) == SENT)


def send(api: ProlificApi, message: Message, submission: str, state: State) -> None:
    """Send a message about a submission, by Prolific's own id of it; raises as `ProlificApi.ask`.

    The state has under `message/SUBMISSION` the digests of texts that were sent.
    """
    record = validated(SubmissionRecord, api.ask("GET", f"submissions/{submission}/"))
    person = checked_id(record.participant or "", "participant")
    study = checked_id(record.study_id or "", "study")
    tried = _digest(message) in _noted(message, state)

    def send_once() -> None:
        nonlocal tried
        if tried and _arrived(api, person, message.text):  # an answer that was lost
            return
        if not tried:
            _note(message, state, "sending")
            tried = True
        api.send(
            "POST", "messages/", {"recipient_id": person, "body": message.text, "study_id": study}
        )

    api.patiently(send_once)
    _note(message, state, SENT)


def _arrived(api: ProlificApi, person: str, text: str) -> bool:
    messages = api.pages(MessageRecord, "messages/", user_id=person)
    return any((each.body or "").split() == text.split() for each in messages)


def _digest(message: Message) -> str:
    return hashlib.sha256(message.text.encode()).hexdigest()[:16]


def _noted(message: Message, state: State) -> dict[str, str]:
    return dict(state.get(f"message/{message.service}") or {})


def _note(message: Message, state: State, outcome: str) -> None:
    noted = {**_noted(message, state), _digest(message): outcome}
    state.put(f"message/{message.service}", noted)
