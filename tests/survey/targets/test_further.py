"""Questions of all kinds: asked, read back, and rejected one by one where they cannot be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from memeloc.locales import default
from memeloc.survey.model import Culture, MemeEntry, Sheet
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.questions import resolve_answers
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question, Taxonomy, load_taxonomy
from memeloc.taxonomy.file import complete
from tests.each import each

QUESTIONS = (
    Question("whom", "choice", ("one", "many"), when={"label": ("hate",)}),
    Question("how", "choices", ("irony", "insult"), when={"whom": ("many",)}, required=False),
    Question("strength", "scale", scale=(1, 5)),
    Question("where", "span", required=False),
    Question("text", "text", item_text="answer", required=False),
    Question("claim", "choice", ("yes", "no"), item_text="question"),
    Question("age", "scale", scale=(18, 99), about="person"),
)
TAXONOMY = complete(replace(load_taxonomy("multi3hate"), questions=QUESTIONS))
ENTRY = MemeEntry("m1", "t", Path("x.jpg"), "two eggs", {"claim": "It is about eggs."})


def resolved(
    label: str, given: Mapping[str, Sequence[str]], taxonomy: Taxonomy = TAXONOMY
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """What is taken of somebody's answers about `ENTRY`, and the reasons of what is not."""

    def name(question: str, text: str) -> str | None:
        asked = taxonomy.question(question)
        return text if question == "label" or (asked and text in asked.answers) else None

    answers, problems = resolve_answers(taxonomy, ENTRY, {"label": [label], **given}, name)
    assert answers.pop("label") == (label,)
    return answers, sorted(reason for reason, _ in problems)


WHOLE = {"whom": ["one"], "strength": ["3"], "claim": ["yes"]}


@each(
    ("change", "taken", "reasons"),
    [
        ({}, {}, []),
        ({"whom": ["many"], "how": ["insult", "irony"]}, {"how": ("irony", "insult")}, []),
        ({"how": ["irony"]}, {}, ["not asked"]),
        ({"whom": ["nobody"]}, {}, ["unknown answer"]),
        ({"whom": ["one", "many"]}, {}, ["several answers"]),
        ({"strength": ["3.0"]}, {"strength": ("3",)}, []),
        ({"strength": ["٤"]}, {"strength": ("4",)}, []),
        ({"strength": ["6"]}, {}, ["unknown answer"]),
        ({"strength": ["nan"]}, {}, ["no answer"]),
        ({"strength": ["much"]}, {}, ["unknown answer"]),
        ({"strength": []}, {}, ["not answered"]),
        ({"where": ["4-8", "0 – 3"]}, {"where": ("0-3", "4-8")}, []),
        ({"where": ["eggs"]}, {"where": ("4-8",)}, []),
        ({"where": ["4-9"]}, {}, ["unknown answer"]),
        ({"where": ["3-3"]}, {}, ["unknown answer"]),
        ({"where": ["ham"]}, {}, ["unknown answer"]),
        ({"text": [" two eggs "]}, {"text": ("two eggs",)}, []),
        ({"text": ["x" * 20_001]}, {}, ["unknown answer"]),
        ({"colour": ["red"]}, {}, ["unknown question"]),
        ({"age": ["40"]}, {}, ["not asked"]),
    ],
)
def test_each_answer_counts_or_is_rejected_by_itself(
    change: dict[str, list[str]], taken: dict[str, tuple[str, ...]], reasons: list[str]
) -> None:
    answers, problems = resolved("hate", WHOLE | change)
    assert problems == reasons
    for question, values in taken.items():
        assert answers[question] == values
    untouched = WHOLE.keys() - change.keys()
    assert {name: answers[name] for name in untouched} == {
        name: tuple(WHOLE[name]) for name in untouched
    }


def test_who_skips_or_rejects_is_asked_nothing_more() -> None:
    charmemes = load_taxonomy("charmemes")
    own = replace(charmemes, questions=(Question("strength", "scale", scale=(1, 5)),))
    for label in ("skip", "trash"):
        assert resolved(label, {}, complete(own)) == ({}, [])
        assert resolved(label, {"strength": ["3"]}, complete(own)) == ({}, ["not asked"])
    assert resolved("safe", {}, complete(own)) == ({}, ["not answered"])


def test_statements_are_asked_before_the_question_made_of_them() -> None:
    taxonomy = load_taxonomy("m-quest-validation")
    own = dict.fromkeys(taxonomy.item_columns, "A model wrote this.")
    entry = MemeEntry("m1", "t", Path("x.jpg"), texts=own)
    culture = Culture("US", default().get("en"))
    sheet = Sheet("r1-b01-US", "q", "r1-b01", 1, culture, taxonomy.name, (entry,), 1)
    texts = {"en": survey_texts(culture.locale, taxonomy=taxonomy)}
    shown = SheetTexts(SheetsToSend("q", (sheet,), taxonomy, texts), sheet)
    assert [question.id for question in shown.questions(entry)] == [
        "toxicity-statement", "linked-statement", "label", "toxicity-answer", "linked-question",
        "linked-answer",
    ]  # fmt: skip
