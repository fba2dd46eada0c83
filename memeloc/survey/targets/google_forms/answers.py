"""What one person sent through a form. In: texts by question. Out: a submission, and the rest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memeloc.survey.model import Answer, RejectedRow, Sheet, Submission, entry_id
from memeloc.survey.targets.google_forms.plan import QUESTIONS, STOP, Form, Item, second_key
from memeloc.survey.targets.google_forms.words import plain
from memeloc.survey.targets.placing import (
    DECLINED,
    NOT_ASKED,
    declined_content,
    not_asked,
    unclear_id,
)

NAME = "google-forms"
_LONGEST_CHOICES = 20_000
"""Characters of a cell with several answers; what is longer names none."""


@dataclass(slots=True)
class Known:
    """A form as it is read back."""

    sheet: Sheet
    form: Form
    items: dict[str, Item]
    titles: dict[str, str]
    """Keys of questions by their titles, as compared."""
    options: dict[str, dict[str, str]]
    """By key, ids of options by their texts, as compared."""
    order: dict[str, int] = field(default_factory=dict)
    when: frozenset[str] = frozenset()
    """The labels after which the second question is asked."""

    @classmethod
    def of(cls, form: Form, sheet: Sheet) -> Known:
        """A plan as it is read back."""
        questions = [item for item in form.items if item.kind in QUESTIONS]
        return cls(
            sheet,
            form,
            {item.key: item for item in questions},
            {plain(item.title): item.key for item in questions},
            {
                item.key: {plain(option.id): option.id for option in item.options}
                | {plain(option.text): option.id for option in item.options}
                for item in questions
            },
            {item.key: number for number, item in enumerate(questions)},
            frozenset(
                option.id
                for item in questions
                for option in item.options
                if option.goes.endswith("-second")
            ),
        )


@dataclass(slots=True)
class Told:
    """Gathers what cannot be placed."""

    file: str
    rejected: list[RejectedRow] = field(default_factory=list)

    def say(self, row: int, reason: str, message: str, **content: Any) -> None:
        """Keep what stands in a row, with the reason."""
        self.rejected.append(RejectedRow(self.file, row, reason, message, content))


def submission_of(
    known: Known,
    said: Mapping[str, Sequence[str]],
    told: Told,
    row: int,
    moment: datetime | None,
    own: str = "",
) -> Submission | None:
    """What one person sent, from texts by the questions' keys; None when it cannot be placed."""
    who = " ".join(plain_id(text) for text in said.get("participant", ()))
    consent = _chosen(known, "consent", said, told, row)
    status = "no consent" if consent == ["no"] else "complete"
    answers: list[Answer] = []
    if status == "no consent":
        count = sum(key.startswith("entry:") and any(said[key]) for key in said)
        if count:
            told.say(row, *DECLINED, **declined_content(known.sheet.id, count))
    for entry in () if status == "no consent" else known.sheet.entries:
        name = entry_id(entry)
        texts = [text for text in said.get(f"entry:{name}", ()) if text.strip()]
        second = _chosen(known, second_key(name), said, told, row)
        if not texts and not second:
            continue
        labels = _chosen(known, f"entry:{name}", said, told, row)
        if second and not any(label in known.when for label in labels):
            message = not_asked(name, " | ".join(texts)[:80])
            words = list(said.get(second_key(name), ()))
            told.say(row, NOT_ASKED, message, sheet=known.sheet.id, entry=name, second=words)
            second = []
        if not texts:
            continue
        if STOP in labels:
            status = "returned"
        elif len(labels) == 1:
            answers.append(Answer(name, labels[0], tuple(second)))
        else:
            answers.append(Answer(name, "", tuple(second), " | ".join(texts)))
    for text in said.get("comments", ()) if status != "no consent" else ():
        if text.strip():
            message = "A comment is no answer; it is kept here."
            told.say(row, "comment", message, participant=who, sheet=known.sheet.id, text=text)
    content = {
        known.items[key].title: list(said[key]) for key in sorted(said) if key in known.items
    }
    if status != "no consent" and len(set(map(plain_id, said.get("participant", ())))) > 1:
        message = "Two columns name different participants; leave the right one."
        told.say(row, "participants differ", message, sheet=known.sheet.id, answers=content)
        return None
    when = moment.isoformat() if moment else ""
    number = own or _content_id(known.sheet.id, who, when, status, answers)
    if status != "no consent":
        if not who:
            message = "It does not say who answered; give the participant's id and import it again."
            told.say(row, "no participant", message, sheet=known.sheet.id, answers=content)
            return None
        typed = " ".join(text.strip() for text in said.get("participant", ()))
        if unclear := unclear_id(who) or unclear_id(typed):
            told.say(row, "participant unreadable", unclear, sheet=known.sheet.id, answers=content)
            return None
    return Submission(
        id=number,
        sheet=known.sheet.id,
        participant=who or f"declined-{number}",
        answers=tuple(answers),
        source=NAME,
        submitted=moment,
        status=status,
        row=row,
    )


def plain_id(text: str) -> str:
    """A participant's id without what copying brings along: white space, marks, quotation marks."""
    kept = "".join(letter for letter in text if letter.isprintable())
    return kept.strip().strip("'\"").strip()


def _content_id(sheet: str, who: str, when: str, status: str, answers: Sequence[Answer]) -> str:
    said = [[one.entry, one.label, list(one.second), one.text] for one in answers]
    whole = json.dumps([NAME, sheet, who, when, status, said], ensure_ascii=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


def _chosen(
    known: Known, key: str, said: Mapping[str, Sequence[str]], told: Told, row: int
) -> list[str]:
    """The ids of the options that texts name, in the form's order; what names none is told."""
    texts, item = said.get(key), known.items.get(key)
    if not texts or item is None:
        return []
    options = known.options[key]
    found: set[str] = set()
    for text in texts:
        if not text.strip():
            continue
        one = options.get(plain(text))
        several = [one] if one else _several(text, options) if item.kind == "choices" else []
        if several:
            found.update(several)
            continue
        message = f"{item.title[:80]!r}: {text[:80]!r} is none of its answers."
        told.say(row, "unknown answer", message, sheet=known.sheet.id, question=key, text=text)
    return [option.id for option in item.options if option.id in found]


def _several(text: str, options: Mapping[str, str]) -> list[str]:
    """Options that stand in one cell, between semicolons (Forms) or commas (the linked sheet).

    An option may have such a mark in it, so the longest that fits is taken each time.
    """
    rest, found = plain(text), []
    words = sorted(options, key=len, reverse=True)
    if len(rest) > _LONGEST_CHOICES:
        return []
    while rest:
        one = next(
            (word for word in words if rest == word or rest.startswith((f"{word};", f"{word},"))),
            None,
        )
        if one is None:
            return []
        found.append(options[one])
        rest = rest[len(one) :].lstrip(";, ")
    return found
