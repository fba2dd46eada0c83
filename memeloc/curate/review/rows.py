"""Who is to look at what. In: a question, items, verdicts, answers. Out: rows to review.

A subject is an item's id, or of a pair both, see `memeloc.curate.duplicates.pairs.Pair`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.curate.duplicates.pairs import PAIR, Pair
from memeloc.curate.review.questions import (
    DISAGREE,
    INCOMPLETE,
    UNSURE,
    ReviewQuestion,
    unanimous,
)
from memeloc.curate.review.sampling import ErrorRate
from memeloc.curate.review.sheets import ANSWER, HINT, SIDES
from memeloc.curate.verdict import (
    Judgement,
    Verdict,
    Verdicts,
    by_subject,
    content_of,
    majority,
)
from memeloc.items import Item, content_hash
from memeloc.model import SEPARATOR


def subjects(
    question: ReviewQuestion,
    items: Iterable[Item],
    verdicts: Verdicts,
    pairs: Sequence[Pair] = (),
    no_text: Collection[str] = (),
    people: Mapping[tuple[str, str], str] | None = None,
) -> list[str]:
    """What a question is about, in the order of the items.

    `left` is every item of the question's kinds that no other filter has dropped, nor its template;
    `above` are the templates of the captions that are left; `asked` is what the question's filter
    could not decide, or any filter says that this question is to answer, without duplicates;
    `unread` is what is in
    `no_text`, as nothing could be read in it; `dated` is what has a year; `pairs` are the pairs
    that wait for a person. For `people` see `memeloc.curate.selecting.stages.answers_of`.
    """
    if question.which == "pairs":
        return [pair.subject for pair in pairs if pair.outcome == "ask"]
    items = list(items)
    settled = people or {}
    own = question.filter

    def is_dropped(subject: str, *but: str) -> bool:
        return any(
            settled.get((subject, name), verdict.verdict) == "drop"
            for name, verdict in verdicts.get(subject, {}).items()
            if name not in but
        )

    def is_left(item: Item) -> bool:
        # The captions of a template that is there twice count as those of the other one.
        return not is_dropped(item.id, own) and not is_dropped(item.parent, own, "dedup")

    def is_asked(item: Item) -> bool:
        # A duplicate needs no answer. What another filter drops may stay by other settings.
        others = {name for name in verdicts.get(item.id, {}) if name != "dedup"}
        return not is_dropped(item.id, *others) and any(
            verdict.verdict == "ask"
            and (item.id, name) not in settled
            and (
                (name == own and verdict.reason in (question.reasons or (verdict.reason,)))
                or question.name in verdict.evidence.get("unanswered", ())
                or verdict.reason == f"not answered: {question.name}"
            )
            for name, verdict in verdicts.get(item.id, {}).items()
        )

    above = {item.parent for item in items if item.kind == "caption" and is_left(item)}
    is_chosen: dict[str, Callable[[Item], bool]] = {
        "left": is_left,
        "above": lambda item: item.id in above,
        "asked": is_asked,
        "unread": lambda item: item.id in no_text and is_left(item),
        "dated": lambda item: item.year is not None,
    }
    of_kinds = (item for item in items if item.kind in question.kinds)
    return [item.id for item in of_kinds if is_chosen[question.which](item)]


def left_for(person: str, asked: Sequence[str], judgements: Iterable[Judgement]) -> list[str]:
    """The subjects that a person has not answered, in their order."""
    answers = by_subject(judgements)
    return [subject for subject in asked if person not in answers.get(subject, {})]


def review_rows(
    question: ReviewQuestion,
    asked: Sequence[str],
    items: Mapping[str, Item],
    *,
    person: str = "",
    verdicts: Verdicts | None = None,
    pairs: Sequence[Pair] = (),
    judgements: Iterable[Judgement] = (),
    picture: Callable[[Path], Path | None] = lambda path: path,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a sheet or page about subjects, by its columns; none about what is no item.

    Beside the columns a row has `scores`, by name. Verdicts and pairs are for hints; of the
    judgements, the answers to this question, those of the person stand in the rows. `picture` makes
    a small copy, or None of what does not open.
    """
    pair_of = {pair.subject: pair for pair in pairs}
    before = {answer.subject: answer for answer in judgements if answer.person == person}
    for subject in asked:
        ids = subject.split(PAIR)
        if any(id not in items for id in ids):
            continue
        pair, earlier = pair_of.get(subject), before.get(subject)
        verdict = (verdicts or {}).get(subject, {}).get(question.filter)
        hint = pair.reason if pair else _hint(question, items[ids[0]], items, verdict)
        scores = dict(pair.scores) if pair else {}
        row: dict[str, Any] = {
            "subject": subject,
            HINT: [hint, ", ".join(f"{name} {value:g}" for name, value in scores.items())],
            "scores": scores,
            ANSWER: earlier.answer if earlier else "",
            "comment": earlier.comment if earlier else "",
            "content": content_of(ids, {id: content_hash(items[id]) for id in ids}),
        }
        for names, id in zip(SIDES, ids, strict=False):
            row |= dict(zip(names, _side(question, items[id], items, picture), strict=True))
        yield row


def _side(
    question: ReviewQuestion,
    item: Item,
    items: Mapping[str, Item],
    picture: Callable[[Path], Path | None],
) -> tuple[Path | None, str, list[str]]:
    """Return an item's small picture, its text, and its name with what else is known."""
    template = items.get(item.parent, item)
    shown = item.path or template.path
    facts = [
        item.origin.source,
        f"{item.width} x {item.height}" if item.width else "",
        item.created,
    ]
    if item.votes is not None:
        facts.append(f"{item.votes:,} votes")
    text = SEPARATOR.join(item.parts)
    if question.which == "dated" and item.year is not None:
        facts.append(item.origin.url)
        text = f"{item.year.year}: {item.description}"
    name = item.name or template.name or item.id
    small = picture(shown) if shown is not None else None
    return small, text or name, [name, ", ".join(filter(None, facts))]


def _hint(
    question: ReviewQuestion, item: Item, items: Mapping[str, Item], verdict: Verdict | None
) -> str:
    """What rules and models find in an item: the verdict's reason, and wordplay's rules."""
    if question.name == "wordplay":
        from memeloc.curate.hints import hint_line

        stored = verdict.evidence.get("hints") if verdict is not None else None
        return str(stored or hint_line(item, items.get(item.parent)))
    if question.which == "dated" and item.year is not None:
        return f"{item.year.by}: {item.year.evidence}"
    # Other people's answers are not shown, so that each person decides alone.
    if verdict is None or verdict.verdict == "keep" or "people" in verdict.evidence:
        return ""
    if question.name == "language" and verdict.evidence.get("language"):
        return f"{verdict.reason}; looks like {verdict.evidence['language']}"
    return verdict.reason


def error_rate_of(question: ReviewQuestion, judgements: Iterable[Judgement]) -> ErrorRate:
    """Return how often the majority gives the `wrong` answer of a question that has one."""
    decided = majority(judgements, [name for name in question.answers if name != UNSURE])
    return ErrorRate.of([*decided.values()].count(question.wrong), len(decided))


def review_status(
    question: ReviewQuestion, asked: Sequence[str], judgements: Iterable[Judgement]
) -> dict[str, Any]:
    """Return how far a question is, from its subjects (see `subjects`) and the answers to it.

    `subjects` is what it is about now, or was answered; of these `answered` by somebody, `complete`
    by as many people as it needs, of whom some `agreed` and some `disagreed`: a free text agrees
    with any other. `people` is how many each person has answered, `answers` how often each answer
    was given, `errors` an `ErrorRate` of a question that checks a program.
    """
    judgements = list(judgements)
    by_person = by_subject(judgements)
    outcomes = [unanimous(by, question.people) for by in by_person.values()]
    answers = Counter(text.casefold() for by in by_person.values() for text in by.values())
    if question.is_free:
        is_enough = (len(by) >= question.people for by in by_person.values())
        outcomes = ["answered" if enough else INCOMPLETE for enough in is_enough]
        answers.clear()
    people = Counter(name for by in by_person.values() for name in by)
    return {
        "question": question.name,
        "subjects": len({*asked, *by_person}),
        "answered": len(by_person),
        "complete": sum(len(by) >= question.people for by in by_person.values()),
        "agreed": sum(outcome not in (INCOMPLETE, DISAGREE) for outcome in outcomes),
        "disagreed": outcomes.count(DISAGREE),
        "people": dict(sorted(people.items())),
        "answers": dict(sorted(answers.items())),
        "errors": error_rate_of(question, judgements) if question.wrong and by_person else None,
    }
