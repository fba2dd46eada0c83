"""Labels from answers. In: retained submissions, decisions. Out: labels, and what is open.

The definition is the one of multi3hate 3.3: the majority among the retained answers; "I don't know"
is stored and left out of the vote; a tie is no label and asks for more answers. A label follows
from the votes alone, so another "I don't know" never changes it; whether an item has enough
answers stands beside it. Whoever skipped an item gave no answer. An item that more than half reject
is rejected; one that just half reject is tied (harmeme B.3, charmemes C: annotators may say that an
item is invalid).

araharmeme 3.4 takes a three-way disagreement to a discussion, charmemes 4.2 what two people see
differently to a consensus session, harmeme 4.3 to a fourth person. The newest decision about a
question of an item in a culture goes before all votes on it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.arrays import Ints
from memeloc.errors import InputError
from memeloc.survey.model import PERSON, Answer, Participant, Sheet, Submission
from memeloc.survey.quality.checking import sent
from memeloc.survey.quality.rules import Settling
from memeloc.taxonomy import LABEL, Question, Taxonomy

if TYPE_CHECKING:
    import pandas as pd

Cell = tuple[str, str]
"""Item and culture."""
COLUMNS = ("item", "culture", "participant", "label")
"""What a table of answers has: the meme's id, the culture's code, who, and the label's id."""
SHOWN = "shown_ms"
"""For how many milliseconds the picture was seen, 0 for one that could not be shown."""
BETWEEN = "|"
"""What stands between several answers in one cell."""

STATES = ("settled", "short", "tied", "given up", "rejected", "decided")
"""Enough answers and a label; too few answers; no label yet; no label, and the limit reached; more
than half say that the item is invalid; people decided together."""


@dataclass(frozen=True)
class Settled:
    """Labels and votes.

    Attributes:
        table: sorted by item and culture, with `item`, `culture`, `label` (empty for none),
            `state` (one of `STATES`), `answers` (all but skips), `votes` (for labels), `abstained`,
            `rejected` (how many reject the item), `reasons` (of a rejected one, the most frequent
            first, with `BETWEEN` between), and `votes.LABEL` for each label that is voted for.
        needs: by item and culture how many more answers to ask for, as `build_next` takes it.
    """

    table: pd.DataFrame
    needs: Mapping[Cell, int]

    def labels(self) -> dict[Cell, str]:
        return dict(zip(self.cells, self.table["label"], strict=True))

    @property
    def cells(self) -> list[Cell]:
        return list(zip(self.table["item"], self.table["culture"], strict=True))

    def as_json(self) -> list[dict[str, Any]]:
        """Return the rows of the table, with the labels that were voted for as `votes`."""
        names = [name for name in map(str, self.table) if name.startswith("votes.")]
        rows: Any = self.table.drop(columns="votes").to_dict("records")
        for row in rows:
            counts = {name.removeprefix("votes."): row.pop(name) for name in names}
            row["votes"] = {label: count for label, count in counts.items() if count}
        return list(rows)


@dataclass(frozen=True, slots=True)
class LabelDecision:
    """What some people decided about an item in a culture.

    Attributes:
        values: what was decided by question id, as of `Answer`; the label may reject the item.
        people: who took part, as they are stored: keyed hashes.
        reason: why, in their words.
    """

    item: str
    culture: str
    values: Mapping[str, tuple[str, ...]] = field(hash=False)
    people: tuple[str, ...]
    reason: str

    @property
    def cell(self) -> Cell:
        return (self.item, self.culture)


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A question of an item in a culture that has no settled answer."""

    item: str
    culture: str
    question: str

    @property
    def cell(self) -> Cell:
        return (self.item, self.culture)


def answers_table(
    submissions: Iterable[Submission], sheets: Sequence[Sheet], questions: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the answers of retained submissions to memes, a row each, without entries left empty.

    Memes that could not be shown are there, without a label. Of a person who answered a meme in
    several submissions the first one sent counts. Submissions without a participant are of a person
    each.

    Returns:
        `COLUMNS`, `SHOWN` (None where that was not measured), and a column for each of `questions`
        (ids): what was answered, several answers with `BETWEEN` between them.
    """
    import pandas as pd

    memes_of = {sheet.id: set(sheet.memes) for sheet in sheets}
    cultures = {sheet.id: sheet.culture.code for sheet in sheets}
    rows: dict[tuple[str, str, str], Answer] = {}
    for submission in sorted(submissions, key=sent):
        memes, person = memes_of.get(submission.sheet, ()), person_of(submission)
        for answer in submission.answers:
            if answer.entry in memes and (answer.label or answer.shown == 0):
                key = (answer.entry, cultures[submission.sheet], person)
                if not rows.setdefault(key, answer).label:
                    rows[key] = answer
    table = [
        (
            *(*key, answer.label, answer.shown),
            *(BETWEEN.join(answer.get(question)) for question in questions),
        )
        for key, answer in rows.items()
    ]
    return pd.DataFrame(table, columns=[*COLUMNS, SHOWN, *questions], dtype=object)


def person_of(submission: Submission) -> str:
    """Return the participant, or a name of its own for a submission without one."""
    return submission.participant or f"{submission.sheet}/{submission.id}"


def people_table(
    submissions: Iterable[Submission],
    sheets: Sequence[Sheet],
    participants: Iterable[Participant],
    taxonomy: Taxonomy,
) -> pd.DataFrame:
    """Return what retained people answered about themselves, and what services say of them.

    Returns:
        `participant` as stored, `culture`, `source` (`sheet` or `service`), `question` and
        `answer`, sorted; of several answers to a question each has a row; of several sheets the one
        sent last counts.
    """
    import pandas as pd

    cultures = {sheet.id: sheet.culture.code for sheet in sheets}
    of_person: dict[str, str] = {}
    answered: dict[tuple[str, str, str], tuple[str, ...]] = {}
    asked = taxonomy.about("person")
    for submission in sorted(submissions, key=sent):
        if submission.sheet in cultures:
            person = person_of(submission)
            of_person[person] = cultures[submission.sheet]
            for answer in (each for each in submission.answers if each.entry == PERSON):
                given = {(person, "sheet", each.id): answer.get(each.id) for each in asked}
                answered |= {key: values for key, values in given.items() if values}
    for row in (row for row in participants if row.participant in of_person):
        for fact, value in row.facts.items():
            answered[row.participant, "service", fact] = (value,)
    rows = sorted(
        (person, of_person[person], source, question, value)
        for (person, source, question), values in answered.items()
        for value in values
    )
    columns = ["participant", "culture", "source", "question", "answer"]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def given_answers(answers: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with a label of a long table with `COLUMNS`.

    Raises:
        InputError: a column is missing.
    """
    for name in COLUMNS:
        if name not in answers.columns:
            columns = ", ".join(COLUMNS)
            raise InputError(f"a table of answers has the columns {columns}", column=name)
    labelled = answers["label"].notna() & (answers["label"] != "")
    return answers.loc[labelled, list(COLUMNS)].astype(object)


def settle(
    answers: pd.DataFrame,
    taxonomy: Taxonomy,
    settings: Settling | None = None,
    *,
    wanted: Sequence[Cell] = (),
    pending: Mapping[Cell, int] | None = None,
) -> Settled:
    """Settle what has been answered.

    Args:
        answers: a long table with `COLUMNS`, in any order; rows without a label are no answers, and
            a row that is there twice counts once.
        wanted: item and culture of all that has been asked, for those without an answer.
        pending: by item and culture, how many answers are still to come from places that are open;
            they are not asked for again.

    Raises:
        InputError: a column is missing, a label is not the taxonomy's, or a person gave two
            different answers to one item in one culture.
    """
    import pandas as pd

    settings = settings or Settling()
    ids = [label.id for label in taxonomy.labels]
    given = given_answers(answers).drop_duplicates()
    for label in given.loc[~given["label"].isin(ids), "label"]:
        raise InputError(
            f"there is no label {label[:60]!r} in {taxonomy.name}; there are {', '.join(ids)}",
            column="label",
        )
    twice = given[given.duplicated(["item", "culture", "participant"])]
    for item, culture, who in twice[["item", "culture", "participant"]].to_numpy():
        raise InputError(
            f"{who[:60]!r} gave two different answers to {item[:60]!r} in {culture[:60]!r}; "
            "keep the one that counts"
        )
    votes = Counter(zip(given["item"], given["culture"], given["label"], strict=True))
    cells = sorted({*((item, culture) for item, culture, _ in votes), *wanted})
    rows = [[votes[item, culture, label] for label in ids] for item, culture in cells]
    counts = np.array(rows, dtype=np.int64).reshape(len(cells), len(ids))
    voting, rejecting = taxonomy.of_role("vote"), taxonomy.of_role("reject")
    voted, abstained, rejected = (
        counts[:, [ids.index(label.id) for label in labels]]
        for labels in (voting, taxonomy.of_role("abstain"), rejecting)
    )
    for_label, against = voted.sum(axis=1), rejected.sum(axis=1)
    total = for_label + abstained.sum(axis=1) + against
    winner = _winners(voted, np.array([label.severity for label in voting]), settings)
    winner[(against >= for_label) & (against > 0)] = len(voting)
    conditions = {
        "short": total < settings.answers,
        "rejected": against > for_label,
        "settled": winner < len(voting),
        "given up": total >= settings.limit,
    }
    state = np.select(list(conditions.values()), list(conditions), "tied")
    given_reasons = [
        dict(zip((label.id for label in rejecting), row, strict=True)) for row in rejected.tolist()
    ]
    table = pd.DataFrame(
        {
            "item": [item for item, _ in cells],
            "culture": [culture for _, culture in cells],
            "label": np.array([*(label.id for label in voting), ""], dtype=object)[winner],
            "state": state.astype(object),
            "answers": total,
            "votes": for_label,
            "abstained": abstained.sum(axis=1),
            "rejected": against,
            "reasons": [
                BETWEEN.join(sorted(filter(own.get, own), key=lambda id: -own[id]))
                if each == "rejected"
                else ""
                for each, own in zip(state, given_reasons, strict=True)
            ],
            **{f"votes.{label.id}": column for label, column in zip(voting, voted.T, strict=True)},
        }
    )
    more = np.where(state == "short", settings.answers - total, settings.extra)
    more = np.where(np.isin(state, ("short", "tied")), np.minimum(more, settings.limit - total), 0)
    needs = Counter(dict(zip(cells, more.tolist(), strict=True)))
    needs.subtract(pending or {})
    return Settled(table, {cell: count for cell, count in needs.items() if count > 0})


def _winners(votes: Ints, severity: Ints, settings: Settling) -> Ints:
    """Return by row the column of the label that wins; the one after the last for none."""
    top = votes.max(axis=1, initial=1, keepdims=True)
    ahead = votes >= settings.severe_votes if settings.rule == "most severe" else votes == top
    if settings.rule == "absolute majority":
        ahead &= 2 * top > votes.sum(axis=1, keepdims=True)
    if "most severe" in (settings.rule, settings.ties):
        ranks = np.where(ahead, severity, -1)
        ahead &= ranks == ranks.max(axis=1, keepdims=True)
    winners: Ints = np.where(ahead.sum(axis=1) == 1, ahead.argmax(axis=1), votes.shape[1])
    return winners


def by_votes(counts: Mapping[str, int]) -> dict[str, int]:
    """Sort votes: most first, equal ones by name, so that no order of people shows."""
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def decided_answers(decisions: Iterable[LabelDecision]) -> dict[Cell, dict[str, str]]:
    """Return by item and culture what holds by question id; of several decisions, oldest first, the
    last. Several answers to a question have `BETWEEN` between them."""
    answers: dict[Cell, dict[str, str]] = {}
    for decision in decisions:
        own = answers.setdefault(decision.cell, {})
        own |= {question: BETWEEN.join(values) for question, values in decision.values.items()}
    return answers


def with_decisions(
    settled: Settled, decided: Mapping[Cell, Mapping[str, str]], taxonomy: Taxonomy
) -> Settled:
    """Return the labels with those of `decided_answers`, in the state `decided`, or `rejected` with
    its reason; votes stay as they are, and nothing more is asked for where there is a decision."""
    import pandas as pd

    rejecting = {label.id for label in taxonomy.of_role("reject")}
    made = {cell: answers[LABEL] for cell, answers in decided.items() if LABEL in answers}
    table = settled.table.copy()
    labels = pd.Series([made.get(cell) for cell in settled.cells], table.index, dtype=object)
    rejected = labels.isin(rejecting)
    table.loc[labels.notna(), "state"] = "decided"
    table.loc[rejected, "state"] = "rejected"
    table["label"] = labels.mask(rejected, "").fillna(table["label"])
    table["reasons"] = labels.where(rejected | labels.isna(), "").fillna(table["reasons"])
    needs = {cell: count for cell, count in settled.needs.items() if cell not in made}
    return replace(settled, table=table, needs=needs)


def settle_further(
    answers: pd.DataFrame,
    settled: Settled,
    taxonomy: Taxonomy,
    templates: Mapping[str, str],
    decided: Mapping[Cell, Mapping[str, str]] | None = None,
) -> pd.DataFrame:
    """Settle the answers to further questions, of each item and culture that they are asked of.

    A question is settled of an item whose own settled answers ask for it; everybody counts who
    answered it. Of a choice the answer with most votes wins, and a tie is none (harmeme 4.3: the
    target apart from the harmfulness); of choices, and of drafts that people correct (araharmeme
    3.3), that which more than half gave; of a scale it is the median; other texts and spans are
    listed, and none of them wins. What is asked about the picture is settled over all items of a
    template.

    Args:
        answers: as `answers_table` gives them, with a column for each question.
        templates: by item, for questions about the picture.
        decided: as of `decided_answers`.

    Returns:
        `item`, `culture`, `question` (its id), `answer` (empty for none; of choices several with
        `BETWEEN` between), `people` (who answered it), `votes` (how many there are of each answer)
        and `tied` (people differ, and none of the answers in question has more votes than others).
        Sorted by item and culture, in the questions' order.
    """
    import pandas as pd

    asked = taxonomy.about("item", "picture")
    # Who leaves an item to others, or rejects it, may have answered what comes before the label.
    leaving = {label.id for label in taxonomy.of_role("skip", "reject")}
    answers = answers[~answers["label"].isin(leaving)]
    votes = {question.id: _votes(answers, question, templates) for question in asked}
    everything = {label.id for label in taxonomy.of_role("vote")}
    rows = []
    states = zip(settled.cells, settled.table["label"], settled.table["state"], strict=True)
    for (item, culture), label, state in states:
        given: dict[str, tuple[str, ...]] = {LABEL: (label,)}
        for question in asked if state != "rejected" else ():
            always = everything.issubset(question.when.get(LABEL, everything))
            when = {name for name in question.when if name != LABEL or not always}
            if not all(set(question.when[name]) & set(given.get(name, ())) for name in when):
                continue
            subject = templates.get(item, item) if question.about == "picture" else item
            own = votes[question.id].get((subject, culture))
            if own is None and question.item_text == "question":
                continue  # it is asked only of items with a text of their own
            people, counts = own or (0, Counter())
            answer, tied = _answer(question, people, counts)
            if fixed := (decided or {}).get((item, culture), {}).get(question.id, ""):
                answer, tied = fixed, False
            given[question.id] = tuple(answer.split(BETWEEN)) if answer else ()
            rows.append((item, culture, question.id, answer, people, by_votes(counts), tied))
    columns = ["item", "culture", "question", "answer", "people", "votes", "tied"]
    return pd.DataFrame(rows, columns=columns)


def _votes(
    answers: pd.DataFrame, question: Question, templates: Mapping[str, str]
) -> dict[Cell, tuple[int, Counter[str]]]:
    """Return by item (or template) and culture who answered a question, and how often each way."""
    votes: dict[Cell, tuple[int, Counter[str]]] = {}
    if question.id not in answers.columns:
        return votes
    if LABEL in question.when:
        answers = answers[answers["label"].isin(question.when[LABEL])]
    given = answers[answers[question.id] != ""]
    for item, culture, cell in given[["item", "culture", question.id]].to_numpy():
        chosen = cell.split(BETWEEN) if question.kind in ("choices", "span") else [cell]
        if question.item_text == "answer":  # of a corrected text only what can be seen counts
            chosen = [" ".join(unicodedata.normalize("NFC", cell).split())]
        subject = templates.get(item, item) if question.about == "picture" else item
        people, counts = votes.get((subject, culture), (0, Counter()))
        counts.update(set(chosen))
        votes[subject, culture] = (people + 1, counts)
    return votes


def _answer(question: Question, people: int, counts: Counter[str]) -> tuple[str, bool]:
    """Return the answer that is settled, empty for none, and whether others have as many votes."""
    if question.kind == "scale":
        return f"{median(map(int, counts.elements())):g}" if counts else "", False
    if question.kind == "choice":
        top = max(counts.values(), default=1)
        won = [answer for answer in question.answers if counts[answer] == top]
        return won[0] if len(won) == 1 else "", len(won) > 1
    if question.kind == "choices":
        won = [answer for answer in question.answers if 2 * counts[answer] > people]
        half = any(2 * count == people for count in counts.values())
        return BETWEEN.join(won), half or (people > 1 and not won)
    if question.item_text == "answer":
        won = [answer for answer, count in counts.items() if 2 * count > people]
        return "".join(won), people > 1 and not won
    return "", False


def beside_labels(labels: pd.DataFrame, further: pd.DataFrame, taxonomy: Taxonomy) -> pd.DataFrame:
    """Return the table of labels with a column for each further question, named by its id."""
    keys = zip(further["item"], further["culture"], further["question"], strict=True)
    answers = dict(zip(keys, further["answer"], strict=True))
    cells = list(zip(labels["item"], labels["culture"], strict=True))
    questions = [question.id for question in taxonomy.about("item", "picture")]
    columns = {name: [answers.get((*cell, name), "") for cell in cells] for name in questions}
    return labels.assign(**columns)


def as_json(further: pd.DataFrame) -> dict[Cell, dict[str, Any]]:
    values: dict[Cell, dict[str, Any]] = defaultdict(dict)
    for row in further.to_dict("records"):
        settled = {name: row[name] for name in ("answer", "people", "votes")}
        values[row["item"], row["culture"]][row["question"]] = settled
    return values


def unsettled(settled: Settled, further: pd.DataFrame, settings: Settling) -> tuple[Unsettled, ...]:
    """Return labels that are short of answers, tied or given up, and of the further questions
    `settings.further` those without an answer, or with a tie."""
    table = settled.table
    labels = table.loc[table["state"].isin(("short", "tied", "given up")), ["item", "culture"]]
    open_ = further["question"].isin(settings.further) & (
        (further["answer"] == "") | further["tied"].astype(bool)
    )
    return (
        *(Unsettled(item, culture, LABEL) for item, culture in labels.to_numpy()),
        *(
            Unsettled(*row)
            for row in further.loc[open_, ["item", "culture", "question"]].to_numpy()
        ),
    )


def needs_of(
    settled: Settled,
    open_questions: Sequence[Unsettled],
    settings: Settling,
    pending: Mapping[Cell, int],
) -> dict[Cell, int]:
    """Return by item and culture how many more answers to ask for, those for further questions,
    too (harmeme 4.3 asks a fourth person where the target is open); `pending` are still to come."""
    needs = dict(settled.needs)
    given = dict(zip(settled.cells, settled.table["answers"], strict=True))
    for row in open_questions:
        if row.question != LABEL:
            more = min(settings.extra, settings.limit - int(given[row.cell]))
            more -= pending.get(row.cell, 0)
            if more > needs.get(row.cell, 0):
                needs[row.cell] = more
    return needs
