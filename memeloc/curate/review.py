"""Reviews by people. In: a question, items, verdicts, answers. Out: sheets, and judgements of them.

A question is data: a text, what it is asked of, and what may be answered (data/questions.toml). A
filter's name is a question too, answered with `keep` or `drop`: it settles what the filter asks. A
subject is an item's id, or of a pair both, see `memeloc.curate.verdict.Pair`. The sheet of one
question for one person is a form of `memeloc.sheets`; what a page of pairs saves has the same
columns. On the page both pictures stand side by side, 1, 2 and 3 answer, and the browser keeps the
answers until they are saved as CSV. It asks nothing of any network, and everything that came from
elsewhere is only ever text to it.
"""

from __future__ import annotations

import base64
import difflib
import hashlib
import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from memeloc.counts import counted
from memeloc.curate.verdict import (
    PAIR,
    Judgement,
    Pair,
    Verdict,
    Verdicts,
    by_subject,
    content_of,
    majority,
)
from memeloc.errors import InputError
from memeloc.items import Item, ItemKind, content_hash
from memeloc.model import SEPARATOR
from memeloc.sheets import (
    Filled,
    FilledRow,
    SheetColumn,
    SheetForm,
    read_form,
    records_of,
    write_form,
    write_sheet,
)
from memeloc.tables import drawable

UNSURE = "unsure"
DISAGREE, INCOMPLETE = "disagree", "incomplete"
BURNED_TEXT = "burned-text"  # whether a text in a finished meme is to be translated
LONGEST_ANSWER = 5000  # characters that an answer in free text, or a comment, may have
MOST_PAIRS = 1000  # pairs on one page, which holds all their pictures
FORMATS = ("xlsx", "csv")
ANSWER, HINT = "your answer", "hint, only a hint"
SIDES = (("picture", "text", "about"), ("other picture", "other text", "about the other"))
"""The columns of what is asked about, and of the other of a pair."""

_CONTENT = re.compile("[0-9a-f]{64}")
_ALONE = "Please answer alone: what counts is what several people say without asking each other."
_SENT = "copy it from the sheet that was sent"
_PAGES = Path(__file__).parent / "pages"


@dataclass(frozen=True, slots=True)
class ReviewQuestion:
    """A question to people; for what stands in it see data/questions.toml."""

    name: str
    text: str
    answers: Mapping[str, str] = field(default_factory=dict)
    kinds: Sequence[ItemKind] = ()
    which: Literal["left", "above", "asked", "unread", "dated", "pairs"] = "left"
    filter: str = ""
    people: int = 1
    note: str = ""
    reasons: Sequence[str] = ()
    wrong: str = ""

    @property
    def is_free(self) -> bool:
        return not self.answers

    def as_answer(self, typed: str) -> str | None:
        """Return the answer that somebody typed or picked; None when it is not an answer.

        Case and white space do not count, a unique beginning is enough, and what an answer means
        stands for it.

        >>> find_question("wordplay").as_answer(" YES "), find_question("wordplay").as_answer("no")
        ('yes', 'no')
        >>> find_question("duplicates").as_answer("diff")
        'different'
        """
        if self.is_free:
            return typed.strip() or None
        wanted = " ".join(typed.casefold().split())
        for answer, meaning in self.answers.items():
            if wanted in (answer, meaning.casefold()):
                return answer
        near = [answer for answer in self.answers if wanted and answer.startswith(wanted)]
        return near[0] if len(near) == 1 else None


_FILE = Path(__file__).parent / "data" / "questions.toml"
BUILT_IN: Mapping[str, ReviewQuestion] = {
    table["name"]: ReviewQuestion(**table)
    for table in tomllib.loads(_FILE.read_text("utf-8"))["question"]
}
"""The questions that memeloc brings, by name; filters' names are questions besides."""


def question_names() -> tuple[str, ...]:
    """Return the names of all questions: the built-in ones, then those of filters."""
    from memeloc.curate.protocol import FILTERS

    return tuple(dict.fromkeys([*BUILT_IN, *FILTERS.names()]))


def find_question(name: str) -> ReviewQuestion:
    """Return the question of a name. Raise InputError if there is none."""
    wanted = name.strip().casefold()
    if wanted in BUILT_IN:
        return BUILT_IN[wanted]
    names = question_names()
    if wanted in names:
        return ReviewQuestion(
            wanted,
            f"Does it stay? The filter “{wanted}” could not decide.",
            {"keep": "keep it", "drop": "leave it out", UNSURE: "I cannot tell"},
            ("caption", "picture", "template"),
            which="asked",
            filter=wanted,
        )
    near = difflib.get_close_matches(wanted, names, 1)
    meant = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
    raise InputError(f"there is no question {name[:60]!r}: {meant}")


def unanimous(by_person: Mapping[str, str], people: int = 2) -> str:
    """Return what people, each with an answer, say of one subject, when at least `people` agree.

    `disagree` as soon as two differ, or when one of enough people is unsure; `incomplete` while
    answers are missing.

    >>> unanimous({"ana": "no", "bo": "no"}), unanimous({"ana": "no"})
    ('no', 'incomplete')
    """
    answers = [answer.casefold() for answer in by_person.values()]
    clear = {*answers} - {UNSURE}
    if len(clear) > 1:
        return DISAGREE
    if len(answers) < people:
        return INCOMPLETE
    return DISAGREE if UNSURE in answers else clear.pop()


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """The count of wrong things among those looked at, the rate, and its 95 % interval.

    Rates are 0 to 1; they are of all things where those that were looked at were drawn by chance.

    >>> str(ErrorRate.of(3, 100))
    '3.0 % (95 % interval 1.0 to 8.5 %)'
    """

    wrong: int
    judged: int
    rate: float = 0.0
    low: float = 0.0
    high: float = 1.0

    @classmethod
    def of(cls, wrong: int, judged: int) -> ErrorRate:
        """Return the rate with its interval, by Wilson's score (JASA 22, 1927)."""
        from memeloc.statistics.significance import wilson

        if not judged:
            return cls(wrong, judged)
        low, high = wilson(wrong, judged, 0.95)
        return cls(wrong, judged, wrong / judged, float(low), float(high))

    def __str__(self) -> str:
        low, high = f"{100 * self.low:.1f}", f"{100 * self.high:.1f}"
        return f"{100 * self.rate:.1f} % (95 % interval {low} to {high} %)"


def draw(subjects: Collection[str], count: int, seed: int) -> list[str]:
    """Return at most `count` subjects by chance, sorted; the same for the same seed."""
    ordered = sorted(subjects)
    return sorted(random.Random(seed).sample(ordered, min(count, len(ordered))))


# Who is to look at what


def subjects(
    question: ReviewQuestion,
    items: Iterable[Item],
    verdicts: Verdicts,
    pairs: Sequence[Pair] = (),
    no_text: Collection[str] = (),
    people: Mapping[tuple[str, str], str] | None = None,
) -> list[str]:
    """Return what a question is about, in the order of the items.

    `left` is every item of the question's kinds that no other filter has dropped, nor its template;
    `above` are the templates of the captions that are left; `asked` is what the question's filter
    could not decide, or any filter says that this question is to answer, without duplicates;
    `unread` is what is in `no_text`, as nothing could be read in it; `dated` is what has a year;
    `pairs` are the pairs that wait for a person. For `people` see
    `memeloc.curate.selection.answers_of`.
    """
    if question.which == "pairs":
        return [pair.subject for pair in pairs if pair.outcome == "ask"]
    items, settled, filter_ = list(items), people or {}, question.filter

    def is_dropped(subject: str, *but: str) -> bool:
        return any(
            settled.get((subject, name), verdict.verdict) == "drop"
            for name, verdict in verdicts.get(subject, {}).items()
            if name not in but
        )

    def is_left(item: Item) -> bool:
        # The captions of a template that is there twice count as those of the other one.
        return not is_dropped(item.id, filter_) and not is_dropped(item.parent, filter_, "dedup")

    def is_for_this(name: str, verdict: Verdict) -> bool:
        return (
            (name == filter_ and verdict.reason in (question.reasons or (verdict.reason,)))
            or question.name in verdict.evidence.get("unanswered", ())
            or verdict.reason == f"not answered: {question.name}"
        )

    def is_asked(item: Item) -> bool:
        # A duplicate needs no answer. What another filter drops may stay by other settings.
        by = verdicts.get(item.id, {})
        return not is_dropped(item.id, *({*by} - {"dedup"})) and any(
            verdict.verdict == "ask"
            and (item.id, name) not in settled
            and is_for_this(name, verdict)
            for name, verdict in by.items()
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
    """Return the subjects that a person has not answered, in their order."""
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
            item, template = items[id], items.get(items[id].parent, items[id])
            facts = [item.origin.source]
            facts.append(f"{item.width} x {item.height}" if item.width else "")
            facts += [item.created, "" if item.votes is None else f"{item.votes:,} votes"]
            text, name = SEPARATOR.join(item.parts), item.name or template.name or item.id
            if question.which == "dated" and item.year is not None:
                facts.append(item.origin.url)
                text = f"{item.year.year}: {item.description}"
            shown = item.path or template.path
            about = [name, ", ".join(filter(None, facts))]
            side = (picture(shown) if shown is not None else None, text or name, about)
            row |= dict(zip(names, side, strict=True))
        yield row


def _hint(
    question: ReviewQuestion, item: Item, items: Mapping[str, Item], verdict: Verdict | None
) -> str:
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
    complete = [len(by) >= question.people for by in by_person.values()]
    outcomes = [unanimous(by, question.people) for by in by_person.values()]
    if question.is_free:
        outcomes = ["answered" if enough else INCOMPLETE for enough in complete]
    texts = () if question.is_free else (text for by in by_person.values() for text in by.values())
    answers = Counter(text.casefold() for text in texts)
    people = Counter(name for by in by_person.values() for name in by)
    return {
        "question": question.name,
        "subjects": len({*asked, *by_person}),
        "answered": len(by_person),
        "complete": sum(complete),
        "agreed": sum(outcome not in (INCOMPLETE, DISAGREE) for outcome in outcomes),
        "disagreed": outcomes.count(DISAGREE),
        "people": dict(sorted(people.items())),
        "answers": dict(sorted(answers.items())),
        "errors": error_rate_of(question, judgements) if question.wrong and by_person else None,
    }


# Sheets


def review_form(question: ReviewQuestion, person: str = "") -> SheetForm:
    """Return the sheet of a question; `content` is the hash of what a row shows."""
    shown: list[SheetColumn] = []
    for picture, text, about in SIDES if question.which == "pairs" else SIDES[:1]:
        shown.append(SheetColumn(picture, "picture", 30))
        shown += [SheetColumn(text, "text", 36), SheetColumn(about, "", 18)]
    is_free = question.is_free
    how = f"{'Write' if is_free else 'Pick'} under “{ANSWER}”{'' if is_free else ' from the list'}"
    also = ("answer", "your answers", "answers")
    return SheetForm(
        "Review",
        (
            *shown,
            SheetColumn(ANSWER, "answer", 60 if is_free else 18, (*question.answers,), also=also),
            SheetColumn("comment", "note", 28, also=("comments", "note", "notes")),
            SheetColumn(HINT, "hint", 26),
            SheetColumn("subject", "key", also=("item", "item id", "id", "pair", "key")),
            SheetColumn("question", "fact"),
            SheetColumn("person", "fact"),
            SheetColumn("content", hidden=True),
        ),
        asked=question.text,
        how=(
            question.text,
            *filter(None, (question.note,)),
            f"{how}; leave it empty to come back to it later.",
            "Under “comment” you may write anything. Grey cells are locked.",
            "“hint” is what a program guessed. It is often wrong: decide by yourself.",
            _ALONE,
            *(f"{answer}: {text}" for answer, text in question.answers.items() if answer != text),
        ),
        facts={"question": question.name, "person": person},
        side=200,
    )


def write_review(
    question: ReviewQuestion, rows: Iterable[Mapping[str, Any]], path: Path, person: str
) -> Path:
    """Write a sheet, as its suffix says: .xlsx or .csv; return where, see `memeloc.sheets`. Raise
    InputError if the suffix is another, or the file cannot be written."""
    if path.suffix.lower().lstrip(".") not in FORMATS:
        raise InputError(f"a sheet of a review is {' or '.join(FORMATS)}", file=path)
    return write_form(path, review_form(question, person), list(rows))


def read_review(path: Path) -> tuple[Filled, list[Judgement]]:
    """Read a sheet, or the file that a page of pairs saves, as it came back: xlsx, ods or CSV.

    What is wrong with a row is among the file's problems. Its facts are the question's name and the
    person, who is empty when the file does not say. Raise InputError if the file is broken, no
    table of it has our headings, or it has several questions or people.
    """
    # The columns of all questions: which one it is, its rows say.
    form = review_form(ReviewQuestion("", "", which="pairs"))
    filled = read_form(path, form, needed=[(ANSWER, "subject", "question")])
    name, person = _only(filled, "question", "questions"), _only(filled, "person", "people")
    if not name:
        message = "no row says which question it answers: copy the column “question” from the sheet"
        raise InputError(f"{message} that was sent", file=path)
    try:
        question = find_question(name)
    except InputError as error:
        raise InputError(error.message, file=path, column="question") from None
    answers: dict[str, Judgement] = {}

    def take(row: FilledRow) -> None:
        judgement = _judgement(question, person, row)
        if judgement is None:
            return
        earlier = answers.setdefault(judgement.subject, judgement)
        if earlier.answer != judgement.answer:
            raise InputError(
                f"{judgement.subject} stands in row {earlier.row} too, with another answer; the "
                "first is taken: delete one of them"
            )

    problems = tuple(records_of(filled, take)[1])
    facts = {"question": question.name, "person": person}
    return replace(filled, facts=facts, problems=problems), list(answers.values())


def _only(filled: Filled, name: str, kind: str) -> str:
    texts = {row[name].casefold(): row[name] for row in filled.rows if row[name]}
    if len(texts) > 1:
        named = ", ".join(sorted(text[:40] for text in texts.values())[:6])
        raise InputError(
            f"rows of several {kind} stand together ({named}): import each in a file of its own",
            file=filled.file,
        )
    return next(iter(texts.values()), "")


def _judgement(question: ReviewQuestion, person: str, row: FilledRow) -> Judgement | None:
    """Return the answer of a row; None when it is not answered. Raise InputError if it cannot be
    taken; with the column."""
    typed, comment = row[ANSWER], "\n".join(filter(None, (row["comment"], *row.comments)))
    if not typed:
        if comment:
            raise InputError(f"has the comment {comment[:40]!r} and no answer", column=ANSWER)
        return None
    for name, text in ((ANSWER, typed), ("comment", comment)):
        if len(text) > LONGEST_ANSWER:
            much = counted(len(text), "character")
            raise InputError(f"has {much}; {LONGEST_ANSWER:,} are read", column=name)
    answer = question.as_answer(typed)
    if answer is None:
        near = difflib.get_close_matches(typed.casefold(), list(question.answers), 1)
        *others, last = question.answers
        meant = f"did you mean {near[0]!r}?" if near else f"it is {', '.join(others)} or {last}"
        raise InputError(f"{typed[:40]!r} is not an answer: {meant}", column=ANSWER)
    subject, is_pair = row["subject"], question.which == "pairs"
    ids = [id.strip() for id in subject.split(PAIR)]
    if not all(ids) or len(ids) != (2 if is_pair else 1):
        kind = f"a pair of two ids with {PAIR} between" if is_pair else "an item's id"
        wrong = f"is {subject[:60]!r}, which is not {kind}" if subject else "is lost"
        raise InputError(f"the subject {wrong}: {_SENT}", column="subject")
    content = row["content"].lower()
    if content and not _CONTENT.fullmatch(content):
        message = f"{content[:40]!r} does not say what was shown: {_SENT}"
        raise InputError(message, column="content")
    subject = PAIR.join(sorted(ids))
    return Judgement(subject, question.name, person, answer, comment, row.number, content)


# Pages of pairs


def write_pairs_page(
    question: ReviewQuestion, rows: Iterable[Mapping[str, Any]], path: Path, person: str
) -> Path:
    """Write the page of at most `MOST_PAIRS` pairs; return where it is, see `memeloc.sheets`."""
    text = pairs_page(question, list(rows), person)
    return write_sheet(path, lambda draft: draft.write_text(text, encoding="utf-8"))[0]


def pairs_page(question: ReviewQuestion, rows: Sequence[Mapping[str, Any]], person: str) -> str:
    """Return the page of some pairs, for the person who answers; each picture is in it once."""
    from memeloc.pages import browser_store, fill_page, script_hash

    pictures: dict[str, str] = {}

    def side(picture: Path | None, text: str, about: Sequence[str]) -> dict[str, str]:
        key, (name, facts) = "", about
        if picture is not None and picture.is_file():
            content = picture.read_bytes()
            key = hashlib.sha256(content).hexdigest()[:16]
            data = base64.b64encode(content).decode()
            pictures.setdefault(key, f"data:image/jpeg;base64,{data}")
        texts = {"name": name, "text": "" if text == name else text, "about": facts}
        return {"picture": key} | {field: drawable(each) for field, each in texts.items()}

    shown = [
        {
            "subject": drawable(row["subject"]),
            "sides": [side(*(row[name] for name in names)) for names in SIDES],
            "hint": drawable(row[HINT][0]),
            "scores": {n.replace("_", " "): round(score, 4) for n, score in row["scores"].items()},
            "answer": row[ANSWER],
            "comment": drawable(row["comment"]),
            "content": row["content"],
        }
        for row in rows
    ]
    # Other pairs or pictures, or another person, have a store of their own in the browser.
    named = "|".join([question.name, person, *(f"{r['subject']}|{r['content']}" for r in rows)])
    script = f'"use strict";\n{browser_store()}{(_PAGES / "pairs.js").read_text("utf-8")}'
    return fill_page(
        _PAGES / "pairs.html",
        question=question,
        data={
            "question": question.name,
            "person": drawable(person),
            "answers": dict(question.answers),
            "headings": ["question", "person", "subject", ANSWER, "comment", "content"],
            "rows": shown,
            "pictures": pictures,
        },
        store=hashlib.sha256(named.encode("utf-8", "replace")).hexdigest()[:16],
        script=script,
        script_hash=script_hash(script),
        style=(_PAGES / "pairs.css").read_text("utf-8"),
    )
