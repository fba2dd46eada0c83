"""Questions of all kinds: asked, read back, and rejected one by one where they cannot be."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.survey.model import Answer, MemeEntry, PersonEntry, Sheet
from memeloc.survey.targets.csv.target import Csv
from memeloc.survey.targets.further import resolve_further
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import SurveyPack, refuse_other_kinds
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question, Taxonomy, load_taxonomy
from memeloc.taxonomy.questions import complete
from tests.survey.packs import pack

QUESTIONS = (
    Question("whom", "choice", ("one", "many"), when={"label": ("hate",)}),
    Question("how", "choices", ("irony", "insult"), when={"whom": ("many",)}, required=False),
    Question("strength", "scale", scale=(1, 5)),
    Question("where", "span", required=False),
    Question("text", "text", item_text="answer", required=False),
    Question("claim", "choice", ("yes", "no"), item_text="question"),
    Question("age", "scale", scale=(18, 99), about="person"),
)
TEXTS = {
    "whom.text": "Whom?", "whom.answer.one": "One person", "whom.answer.many": "Many",
    "how.text": "How?", "how.answer.irony": "By irony", "how.answer.insult": "By insult",
    "strength.text": "How strong?", "where.text": "Where?", "text.text": "What does it say?",
    "claim.text": "Is it right? “{text}”", "claim.answer.yes": "Yes", "claim.answer.no": "No",
    "age.text": "How old are you?",
}  # fmt: skip
TAXONOMY = complete(replace(load_taxonomy("multi3hate"), questions=QUESTIONS))
ENTRY = MemeEntry("m1", "t", Path("x.jpg"), "two eggs", {"claim": "It is about eggs."})


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> SurveyPack:
    """A sheet with all kinds of questions; the second meme has no claim."""
    made = pack(tmp_path_factory.mktemp("pictures"))
    (sheet,) = made.sheets
    own = {f"taxonomy.multi3hate.questions.{key}": text for key, text in TEXTS.items()}
    drafts = {"text": "two egs", "claim": "It is about eggs."}
    entries = [
        replace(entry, texts=drafts if entry.meme_id == "m1" else {"text": "monday"})
        if isinstance(entry, MemeEntry)
        else entry
        for entry in sheet.entries
    ]
    return replace(
        made,
        sheets=(replace(sheet, entries=(*entries, PersonEntry())),),
        taxonomy=TAXONOMY,
        texts={"en": survey_texts(sheet.culture.locale, own)},
    )


def resolved(
    label: str, given: Mapping[str, Sequence[str]], taxonomy: Taxonomy = TAXONOMY
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """What is taken of somebody's answers about `ENTRY`, and the reasons of what is not."""

    def name(question: str, text: str) -> str | None:
        asked = taxonomy.question(question)
        return text if asked and text in asked.answers else None

    answers, problems = resolve_further(taxonomy, ENTRY, label, given, name)
    return dict(answers), sorted(reason for reason, _ in problems)


WHOLE = {"whom": ["one"], "strength": ["3"], "claim": ["yes"]}


@pytest.mark.parametrize(
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
        ({"strength": ["nan"]}, {}, ["unknown answer"]),
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


def test_a_sheet_asks_of_each_entry_what_is_asked_of_it(asking: SurveyPack) -> None:
    shown = SheetTexts(asking, asking.sheets[0])
    asked = [
        {question.id: question for question in shown.questions(entry)}
        for entry in asking.sheets[0].entries
    ]
    first, explicit, implicit, second, person = asked
    assert list(first) == ["label", "whom", "how", "strength", "where", "text", "claim"]
    assert first["claim"].text == "Is it right? “It is about eggs.”"
    assert first["text"].draft == "two egs"
    assert list(explicit) == ["label"], "it says what to choose"
    assert "claim" not in implicit
    assert implicit["text"].draft, "a check looks as memes do"
    assert "claim" not in second, "it has no claim of its own"
    assert list(person) == ["age"]
    assert "{text}" in shown.questions()[-1].text


def sent(pack: SurveyPack, folder: Path, cells: Mapping[str, Mapping[str, str]]) -> Path:
    """The sheet as a person sends it back, with what was typed by entry and column."""
    (path,) = Csv().export(pack, folder)
    (sheet,) = pack.sheets
    keys = {item_key(pack.name, sheet.id, entry): typed for entry, typed in cells.items()}
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row.update(keys.get(row["item"], {}), participant="asha")
        if row["item"] == "consent":
            row["answer"] = "yes"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_table_asks_all_kinds_and_brings_them_back(asking: SurveyPack, tmp_path: Path) -> None:
    typed = {
        "m1": {
            "answer": "Hate speech", "whom": "Many", "how": "By insult | By irony",
            "strength": "5", "where": "eggs | 0-3", "text": "two eggs", "claim": "No",
        },
        "check-1": {"answer": "unknown"},
        "check-2": {"answer": "hate", "whom": "many", "strength": "1"},
        "m2": {"answer": "Not hate speech", "strength": "9", "text": "Monday; again | and again"},
        "person": {"age": "33"},
    }  # fmt: skip
    result = import_file(Csv(), sent(asking, tmp_path, typed), asking)
    (submission,) = result.submissions
    answers = {answer.entry: answer for answer in submission.answers}
    assert answers["m1"].further == (
        ("whom", ("many",)),
        ("how", ("irony", "insult")),
        ("strength", ("5",)),
        ("where", ("0-3", "4-8")),
        ("text", ("two eggs",)),
        ("claim", ("no",)),
    )
    assert answers["m2"].further == (("text", ("Monday; again | and again",)),)
    assert answers["person"] == Answer("person", "", (("age", ("33",)),))
    assert submission.status == "complete"
    assert [row.reason for row in result.rejected] == ["unknown answer"]


def test_a_draft_by_itself_is_no_answer(asking: SurveyPack, tmp_path: Path) -> None:
    result = import_file(Csv(), sent(asking, tmp_path, {}), asking)
    assert [submission.answers for submission in result.submissions] in ([], [()])
    assert result.rejected == ()


def test_a_sheet_without_an_age_that_is_needed_is_not_whole(
    asking: SurveyPack, tmp_path: Path
) -> None:
    (sheet,) = asking.sheets
    labels = {entry: {"answer": "unknown", "strength": "1"} for entry in ids(sheet)}
    (submission,) = import_file(Csv(), sent(asking, tmp_path, labels), asking).submissions
    assert submission.status == "returned"
    assert len(submission.answers) == 4


def ids(sheet: Sheet) -> list[str]:
    return [*sheet.memes, "check-1", "check-2"]


def test_a_target_that_cannot_show_a_kind_is_refused_in_a_sentence() -> None:
    class Plain:
        name, kinds = "plain", frozenset({"choice"})

    refuse_other_kinds(Plain(), load_taxonomy("harmeme"))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="plain cannot show 'how' of multi3hate, a question of"):
        refuse_other_kinds(Plain(), TAXONOMY)  # type: ignore[arg-type]
