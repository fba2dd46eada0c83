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
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from memeloc.agreement import measure
from memeloc.agreement.crowd import Method, label_odds, likeliest
from memeloc.errors import InputError
from memeloc.survey.model import PERSON, Answer, LabelDecision, Participant, Sheet, Submission
from memeloc.survey.quality.checking import sent
from memeloc.survey.quality.rules import Settling
from memeloc.taxonomy import LABEL, Question, Taxonomy

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """The agreement of a culture's people on one question; `measures` are those of `measure`."""

    culture: str
    question: str
    measures: dict[str, Any]


def survey_agreement(answers: pd.DataFrame, taxonomy: Taxonomy) -> tuple[QuestionAgreement, ...]:
    """Return the agreement on each question in each culture that answered it, sorted by culture.

    "I don't know" is no vote, and is left out. A question that depends on another is measured over
    the items where people were asked it; of several answers at once the whole set has to be the
    same. The ordinal alpha goes by the labels' severity, if that has three steps or more, and by a
    scale's numbers. `answers` are as `answers_table` gives them.
    """
    voting = [label.id for label in taxonomy.of_role("vote")]
    leaving = [label.id for label in taxonomy.of_role("skip", "reject")]
    labels = answers[answers[LABEL].isin(voting)]
    others = answers[~answers[LABEL].isin(leaving)]
    asked = [(LABEL, labels, severities(taxonomy))]
    for question in taxonomy.about("item", "picture"):
        if question.kind in ("choice", "choices", "scale"):
            first, last = question.scale or (0, -1)
            levels = {str(number): float(number) for number in range(first, last + 1)}
            answered = others[others[question.id] != ""]
            answered = answered.assign(label=answered[question.id])
            asked.append((question.id, answered, levels or None))
    return tuple(
        QuestionAgreement(str(code), name, measure(part[part["culture"] == code], levels))
        for code in sorted(set(answers["culture"]))
        for name, part, levels in asked
    )


def severities(taxonomy: Taxonomy) -> Mapping[str, float] | None:
    """Return the labels' severities as an order; None where they have fewer than three steps."""
    levels = {label.id: float(label.severity) for label in taxonomy.of_role("vote")}
    return levels if len(set(levels.values())) > 2 else None


def aggregate(
    answers: pd.DataFrame, taxonomy: Taxonomy, method: Method, **settings: int
) -> pd.DataFrame:
    """Label every item in each culture; cultures are modelled apart, and only votes count. Raise
    MissingError if crowd-kit is not installed; InputError if a column is missing.

    Args:
        answers: as of `settle`.
        settings: seed, iterations and restarts as of `label_odds`.

    Returns:
        `item`, `culture`, `label` (empty where two are equally likely) and `probability`, sorted.
    """
    import pandas as pd

    answered = labelled_answers(answers)
    answered = answered[answered[LABEL].isin([label.id for label in taxonomy.of_role("vote")])]
    tables = [pd.DataFrame(columns=["item", "culture", LABEL, "probability"])]
    for culture, part in answered.groupby("culture"):
        odds, _ = label_odds(part, method, **settings)
        columns = {"culture": culture, LABEL: likeliest(odds), "probability": odds.max(axis=1)}
        tables.append(pd.DataFrame(columns).rename_axis("item").reset_index())
    table = pd.concat(tables[1:] or tables)
    return table.sort_values(["item", "culture"], kind="stable", ignore_index=True)


def differences(settled: Settled, **others: pd.DataFrame) -> pd.DataFrame:
    """Return where the majority's labels differ from tables of `aggregate`, each by a name.

    That is a row for each item and culture in which not all agree: `item`, `culture`, `majority`
    (empty for none), and of each other `NAME` and `NAME.probability`. A majority of none differs
    from any label: it is where a model would decide a tie.
    """
    table = settled.table[["item", "culture", LABEL]].rename(columns={LABEL: "majority"})
    for name, other in others.items():
        columns = {LABEL: name, "probability": f"{name}.probability"}
        table = table.merge(other.rename(columns=columns), "left", ["item", "culture"])
        table[name] = table[name].astype(object).fillna("")
    differs = table[list(others)].ne(table["majority"], axis=0).any(axis=1)
    return table[differs].reset_index(drop=True)


Cell = tuple[str, str]
"""Item and culture."""
COLUMNS = ("item", "culture", "participant", LABEL)
"""What a table of answers has: the meme's id, the culture's code, who, and the label's id."""
SHOWN = "shown_ms"
"""For how many milliseconds the picture was seen, 0 for one that could not be shown."""
BETWEEN = "|"
"""What stands between several answers in one cell."""

STATES = ("settled", "short", "tied", "given up", "rejected", "decided")
"""Enough answers and a label; too few answers; no label yet; no label, and the limit reached; more
than half say that the item is invalid; people decided together."""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A question of an item in a culture that has no settled answer."""

    item: str
    culture: str
    question: str

    @property
    def cell(self) -> Cell:
        return (self.item, self.culture)


@dataclass(frozen=True)
class Settled:
    """Labels, settled answers, votes, and what is open.

    Attributes:
        rows: by item and culture, sorted: `item`, `culture`, `label` (empty for none), `state` (one
            of `STATES`), `answers` (all but skips), `abstained`, `rejected` (how many reject the
            item), `reasons` (of a rejected one, the most frequent first, with `BETWEEN` between),
            `votes` (by label), and, if the taxonomy has more questions, `further`: by question
            asked the `answer` (empty for none; of choices several with `BETWEEN` between), `people`
            (who answered it) and `votes`.
        votes: by cell and question how often each answer was given, also of labels that are no
            votes; most first.
        ties: the questions besides the label on which people differ, and no answer is ahead.
        open: labels that are short of answers, tied or given up, and of `Settling.questions` the
            questions without an answer, or with a tie.
        needs: by item and culture how many more answers to ask for, as `build_next` takes it.
    """

    taxonomy: Taxonomy
    rows: list[dict[str, Any]]
    votes: Mapping[Cell, Mapping[str, Mapping[str, int]]]
    ties: frozenset[Unsettled]
    open: tuple[Unsettled, ...]
    needs: dict[Cell, int]

    @property
    def labels(self) -> dict[Cell, str]:
        return {(row["item"], row["culture"]): row[LABEL] for row in self.rows}

    @property
    def table(self) -> pd.DataFrame:
        """The rows, with `votes` as their sum, `votes.LABEL` of each label, and each question."""
        import pandas as pd

        voting = [label.id for label in self.taxonomy.of_role("vote")]
        asked = [question.id for question in self.taxonomy.about("item", "picture")]
        records = []
        for row in self.rows:
            numbers = {f"votes.{label}": row["votes"].get(label, 0) for label in voting}
            answers = {name: row["further"].get(name, {}).get("answer", "") for name in asked}
            records.append({**row, "votes": sum(numbers.values()), **numbers, **answers})
        columns = [
            *("item", "culture", LABEL, "state", "answers", "votes", "abstained", "rejected"),
            *("reasons", *(f"votes.{label}" for label in voting), *asked),
        ]
        return pd.DataFrame(records, columns=columns)


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
        (*key, answer.label, answer.shown, *(BETWEEN.join(answer.get(name)) for name in questions))
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
    culture_of: dict[str, str] = {}
    values: dict[tuple[str, str, str], tuple[str, ...]] = {}
    asked = {question.id for question in taxonomy.about("person")}
    for submission in sorted(submissions, key=sent):
        if submission.sheet in cultures:
            person = person_of(submission)
            culture_of[person] = cultures[submission.sheet]
            for answer in (each for each in submission.answers if each.entry == PERSON):
                for name in asked & answer.values.keys():
                    values[person, "sheet", name] = answer.get(name)
    for row in (row for row in participants if row.participant in culture_of):
        for fact, value in row.facts.items():
            values[row.participant, "service", fact] = (value,)
    rows = sorted(
        (person, culture_of[person], source, question, value)
        for (person, source, question), several in values.items()
        for value in several
    )
    columns = ["participant", "culture", "source", "question", "answer"]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def labelled_answers(answers: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have a label of a table with `COLUMNS`, without those there twice. Raise
    InputError if a column is missing."""
    for name in COLUMNS:
        if name not in answers.columns:
            columns = ", ".join(COLUMNS)
            raise InputError(f"a table of answers has the columns {columns}", column=name)
    labelled = answers[LABEL].notna() & (answers[LABEL] != "")
    return answers[labelled].drop_duplicates(list(COLUMNS)).astype(object)


def settle(
    answers: pd.DataFrame,
    taxonomy: Taxonomy,
    settings: Settling | None = None,
    *,
    wanted: Iterable[Cell] = (),
    pending: Mapping[Cell, int] | None = None,
    templates: Mapping[str, str] | None = None,
    decisions: Iterable[LabelDecision] = (),
) -> Settled:
    """Settle what has been answered: the label of each item in each culture, and the answers to the
    questions that are asked after it.

    A question is settled of an item whose own settled answers ask for it; everybody counts who
    answered it. Of a choice the answer with most votes wins, and a tie is none (harmeme 4.3: the
    target apart from the harmfulness); of choices, and of drafts that people correct (araharmeme
    3.3), that which more than half gave; of a scale it is the median; other texts and spans are
    listed, and none of them wins. What is asked about the picture is settled over all items of a
    template. Raise InputError if a column is missing, a label is not the taxonomy's, or a person
    gave two different answers to one item in one culture.

    Args:
        answers: a table with `COLUMNS`, as of `answers_table`, in any order; rows without a label
            are no answers, and a row that is there twice counts once.
        wanted: item and culture of all that has been asked, for those without an answer.
        pending: by item and culture, how many answers are still to come from places that are open;
            they are not asked for again.
        templates: by item, for questions about the picture.
        decisions: oldest first; votes stay as they are, and no more labels are asked for.
    """
    settings, pending, templates = settings or Settling(), pending or {}, templates or {}
    asked = taxonomy.about("item", "picture")
    voting = {label.id for label in taxonomy.of_role("vote")}
    roles = {label.id: label.role for label in taxonomy.labels}
    severity = {label.id: label.severity for label in taxonomy.labels}
    decided: dict[Cell, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for decision in decisions:
        decided[decision.cell] |= decision.values
    labels, votes = _count(answers, taxonomy, templates)
    rows, shown = [], dict[Cell, dict[str, dict[str, int]]]()
    open_labels, open_questions, ties = [], [], set()
    needs: dict[Cell, int] = {}
    for cell in sorted({*wanted, *labels}):
        fixed = decided.get(cell, {})
        row, more = _label(labels[cell], roles, severity, settings, fixed.get(LABEL, ()))
        shown[cell] = {LABEL: _most_first(labels[cell])}
        if row["state"] in ("short", "tied", "given up"):
            open_labels.append(Unsettled(*cell, LABEL))
        answered: dict[str, tuple[str, ...]] = {LABEL: (row[LABEL],)}
        others: dict[str, dict[str, Any]] = {}
        for question in asked if row["state"] != "rejected" else ():
            # Where each vote asks it, it is asked without a label, too.
            always = voting <= set(question.when.get(LABEL, voting))
            when = [name for name in question.when if name != LABEL or not always]
            if not all(set(question.when[name]) & set(answered.get(name, ())) for name in when):
                continue
            item = templates.get(cell[0], cell[0]) if question.about == "picture" else cell[0]
            if question.item_text == "question" and (question.id, item, cell[1]) not in votes:
                continue  # it is asked only of items with a text of their own
            people, counts = votes.get((question.id, item, cell[1]), (0, Counter[str]()))
            answer, is_tied = _answer(question, people, counts)
            if question.id in fixed:
                answer, is_tied = fixed[question.id], False
            answered[question.id] = answer
            shown[cell][question.id] = _most_first(counts)
            others[question.id] = {
                "answer": BETWEEN.join(answer),
                "people": people,
                "votes": shown[cell][question.id],
            }
            if is_tied:
                ties.add(Unsettled(*cell, question.id))
            if question.id in settings.questions and (is_tied or not answer):
                open_questions.append(Unsettled(*cell, question.id))
                # harmeme 4.3 asks a fourth person where the target is open.
                more = max(more, min(settings.extra, settings.limit - row["answers"]))
        if more > pending.get(cell, 0):
            needs[cell] = more - pending.get(cell, 0)
        about = {"item": cell[0], "culture": cell[1]}
        rows.append({**about, **row, **({"further": others} if asked else {})})
    return Settled(taxonomy, rows, shown, frozenset(ties), (*open_labels, *open_questions), needs)


def _count(
    answers: pd.DataFrame, taxonomy: Taxonomy, templates: Mapping[str, str]
) -> tuple[dict[Cell, Counter[str]], dict[tuple[str, str, str], tuple[int, Counter[str]]]]:
    """Return by item and culture how often each label was given; and by question, item (or
    template) and culture who answered, and how often each way."""
    table, ids = labelled_answers(answers), [label.id for label in taxonomy.labels]
    for label in table.loc[~table[LABEL].isin(ids), LABEL]:
        message = f"there is no label {label[:60]!r} in {taxonomy.name}; there are {', '.join(ids)}"
        raise InputError(message, column=LABEL)
    twice = table[table.duplicated(list(COLUMNS[:3]))]
    for item, culture, who, _ in twice[list(COLUMNS)].to_numpy():
        raise InputError(
            f"{who[:60]!r} gave two different answers to {item[:60]!r} in {culture[:60]!r}; "
            "keep the one that counts"
        )
    labels: dict[Cell, Counter[str]] = defaultdict(Counter)
    for item, culture, label in zip(table["item"], table["culture"], table[LABEL], strict=True):
        labels[item, culture][label] += 1
    # Who leaves an item to others, or rejects it, may have answered what comes before the label.
    leaving = [label.id for label in taxonomy.of_role("skip", "reject")]
    staying = table[~table[LABEL].isin(leaving)]
    votes: dict[tuple[str, str, str], tuple[int, Counter[str]]] = {}
    for question in taxonomy.about("item", "picture"):
        if question.id not in table.columns:
            continue
        asked = staying[staying[LABEL].isin(question.when.get(LABEL, ids))]
        filled = asked[asked[question.id].notna() & (asked[question.id] != "")]
        for item, culture, text in filled[["item", "culture", question.id]].to_numpy():
            values = set(text.split(BETWEEN)) if question.kind in ("choices", "span") else {text}
            if question.item_text == "answer":  # of a corrected text only what can be seen counts
                values = {" ".join(unicodedata.normalize("NFC", text).split())}
            subject = templates.get(item, item) if question.about == "picture" else item
            people, counts = votes.get((question.id, subject, culture), (0, Counter[str]()))
            counts.update(values)
            votes[question.id, subject, culture] = (people + 1, counts)
    return labels, votes


def _label(
    votes: Mapping[str, int],
    roles: Mapping[str, str],
    severity: Mapping[str, int],
    settings: Settling,
    decided: Sequence[str],
) -> tuple[dict[str, Any], int]:
    """Return what is settled of a label by its votes, and how many more answers to ask for."""
    voted = [label for label in roles if label in votes]
    counts = {label: votes[label] for label in voted if roles[label] == "vote"}
    rejected = {label: votes[label] for label in voted if roles[label] == "reject"}
    abstained = sum(votes[label] for label in voted if roles[label] == "abstain")
    for_label, against = sum(counts.values()), sum(rejected.values())
    total = for_label + abstained + against
    if settings.rule == "most severe":
        ahead = [label for label, count in counts.items() if count >= settings.severe_votes]
    else:
        ahead = [label for label, count in counts.items() if count == max(counts.values())]
    if settings.rule == "absolute majority":
        ahead = [label for label in ahead if 2 * counts[label] > for_label]
    if "most severe" in (settings.rule, settings.ties):
        worst = max((severity[label] for label in ahead), default=0)
        ahead = [label for label in ahead if severity[label] == worst]
    is_won = len(ahead) == 1 and (against < for_label or not against)
    winner, more = ahead[0] if is_won else "", 0
    reasons = sorted(rejected, key=lambda label: -rejected[label])
    if total < settings.answers:
        state, more = "short", settings.answers - total
    elif against > for_label:
        state = "rejected"
    elif winner:
        state = "settled"
    elif total >= settings.limit:
        state = "given up"
    else:
        state, more = "tied", min(settings.extra, settings.limit - total)
    if decided:
        is_rejected = roles.get(decided[0]) == "reject"
        state, winner, more = "rejected" if is_rejected else "decided", decided[0], 0
        reasons, winner = ([winner], "") if is_rejected else ([], winner)
    row = {
        LABEL: winner,
        "state": state,
        "answers": total,
        "abstained": abstained,
        "rejected": against,
        "reasons": BETWEEN.join(reasons) if state == "rejected" else "",
        "votes": counts,
    }
    return row, more


def _answer(question: Question, people: int, counts: Counter[str]) -> tuple[tuple[str, ...], bool]:
    """Return the answers that are settled, and whether others have as many votes."""
    if question.kind == "scale":
        return ((f"{median(map(int, counts.elements())):g}",) if counts else (), False)
    if question.kind == "choice":
        won = [each for each in question.answers if counts and counts[each] == max(counts.values())]
        return (tuple(won) if len(won) == 1 else (), len(won) > 1)
    if question.kind == "choices":
        won = [answer for answer in question.answers if 2 * counts[answer] > people]
        half = any(2 * count == people for count in counts.values())
        return tuple(won), half or (people > 1 and not won)
    if question.item_text == "answer":
        won = [answer for answer, count in counts.items() if 2 * count > people]
        return tuple(won), people > 1 and not won
    return (), False


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    """Sort votes: equal ones by name, so that no order of people shows."""
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
