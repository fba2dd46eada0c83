"""A survey that asks every kind of question, and what people answer; for all targets that can."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from memeloc.survey.model import Answer, MemeEntry, PersonEntry, Sheet, entry_id
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Kind, Label, Question
from tests.survey.annotators import labelled

CAPTION = "🐌 two eggs // one <b>segfault</b>"
"""With a letter that JavaScript counts as two characters."""
DRAFT = "two egs"
STATEMENTS = ("It laughs at eggs, for $5.", "It says </script> {{ 7 * 7 }}.")
QUESTIONS = (
    Question("whom", "choice", ("one", "many"), when={"label": ("hate",)}),
    Question("why", "choices", ("eggs", "code"), when={"whom": ("many",), "label": ("hate",)}),
    Question("funny", "scale", scale=(0, 3)),
    Question("ocr", "text", item_text="answer"),
    Question("words", "span", when={"label": ("hate",)}),
    Question("statement", "choice", ("yes", "no"), item_text="question"),
    Question("why-not", "text", required=False),
    Question("age", "choice", ("young", "old"), about="person"),
    Question("languages", "choices", ("one", "two"), about="person", when={"age": ("old",)}),
)
TEXTS = {
    "whom.text": "Whom?", "whom.answer.one": "One person", "whom.answer.many": "Many, or a group",
    "why.text": "Why?", "why.answer.eggs": "Eggs", "why.answer.code": "Code; or {{ 7 * 7 }}",
    "funny.text": "How funny?", "ocr.text": "What does it say?",
    "words.text": "Which words?", "statement.text": "Is this so: {text}",
    "statement.answer.yes": "It is so", "statement.answer.no": "It is not so",
    "why-not.text": "Anything else?", "age.text": "How old are you?", "age.answer.young": "Young",
    "age.answer.old": "Old", "languages.text": "How many languages?",
    "languages.answer.one": "One", "languages.answer.two": "Two or more",
}  # fmt: skip
WHOLE = (
    labelled(
        "m1",
        "hate",
        whom=("many",),
        why=("eggs", "code"),
        funny=("0",),
        ocr=("two eggs",),
        words=("2-10",),
        statement=("no",),
        why_not=("It is\nlate.",),
    ),
    labelled("check-1", "unknown"),
    labelled("check-2", "hate", whom=("one",), funny=("1",), ocr=("x",), words=("0-6",)),
    labelled("m2", "skip", funny=("3",), ocr=(DRAFT,), statement=("yes",)),
    labelled("person", age=("old",), languages=("one", "two")),
)


def every_kind(survey: SheetsToSend, kinds: Iterable[Kind]) -> SheetsToSend:
    """A small survey (see `packs.pack`), with the questions of these kinds."""
    kinds = set(kinds)
    questions = tuple(question for question in QUESTIONS if question.kind in kinds)
    questions = tuple(_without_unasked(question, questions) for question in questions)
    skip = Label("skip", role="skip")
    taxonomy = replace(survey.taxonomy, labels=(*survey.taxonomy.labels, skip), questions=questions)
    name = survey.taxonomy.name
    own = {f"taxonomy.{name}.questions.{key}": text for key, text in TEXTS.items()}
    own |= {
        f"taxonomy.{name}.label.skip.name": "Skip it",
        f"taxonomy.{name}.label.skip.definition": "Somebody else answers.",
    }
    texts = {tag: survey_texts(each.locale, own) for tag, each in survey.texts.items()}
    asks_person = bool(taxonomy.about("person"))
    sheets = tuple(_with_texts(sheet, asks_person) for sheet in survey.sheets)
    return replace(survey, sheets=sheets, taxonomy=taxonomy, texts=texts)


def answered(survey: SheetsToSend) -> tuple[Answer, ...]:
    """`WHOLE`, as far as the survey asks it."""
    asked = {"label", *(question.id for question in survey.taxonomy.questions)}
    entries = set(map(entry_id, survey.sheets[0].entries))
    return tuple(
        replace(each, values={name: own for name, own in each.values.items() if name in asked})
        for each in WHOLE
        if each.entry in entries
    )


def _without_unasked(question: Question, asked: tuple[Question, ...]) -> Question:
    names = {"label", *(each.id for each in asked)}
    when = {name: answers for name, answers in question.when.items() if name in names}
    return replace(question, when=when)


def _with_texts(sheet: Sheet, asks_person: bool) -> Sheet:
    own: Mapping[str, Mapping[str, str]] = {
        "m1": {"ocr": DRAFT, "statement": STATEMENTS[0]},
        "m2": {"ocr": DRAFT, "statement": STATEMENTS[1]},
    }
    entries = tuple(
        replace(entry, texts=own.get(entry.meme_id, {}), caption=CAPTION)
        if isinstance(entry, MemeEntry)
        else entry
        for entry in sheet.entries
    )
    return replace(sheet, entries=(*entries, *([PersonEntry()] if asks_person else [])))
