"""A form that was made of another sheet's is the one that its own sheet would be planned as."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.locales import default
from memeloc.survey.codes import codes
from memeloc.survey.design.build import Design, build, to_sheets
from memeloc.survey.model import Culture
from memeloc.survey.targets.google_forms.answers import Known
from memeloc.survey.targets.google_forms.known import Forms
from memeloc.survey.targets.google_forms.plan import plan, question_id
from memeloc.survey.targets.google_forms.words import plain
from memeloc.survey.targets.placing import Places, once
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.taxonomy import load_taxonomy
from memeloc.survey.texts import survey_texts

MEMES = [(f"{mark}{number}", f"template-{number % 7}") for mark in ("m", "x:before-", "entry:")
         for number in range(40)]  # fmt: skip


def survey(taxonomy_name: str, size: int) -> SurveyPack:
    """Some batches in Arabic, German and Hindi; every third sheet has no completion code."""
    locales, taxonomy = default(), load_taxonomy(taxonomy_name)
    cultures = tuple(
        Culture(code, locales.get(tag)) for code, tag in (("EG", "ar"), ("DE", "de"), ("IN", "hi"))
    )
    design = Design("known", taxonomy_name, cultures, size=size, seed=3)
    sheets = to_sheets(
        build(MEMES, design, taxonomy),
        design,
        lambda meme, culture: Path(f"{culture.code}.jpg"),
        lambda meme, culture: f"{meme} // {culture.code}",
        lambda example, culture: Path(f"{example}.png"),
        templates=dict(MEMES),
    )
    return SurveyPack(
        "known",
        sheets,
        taxonomy,
        {one.locale.tag: survey_texts(one.locale) for one in cultures},
        {
            sheet.id: codes("known", sheet.id, bytes(range(32)))
            for number, sheet in enumerate(sheets)
            if number % 3
        },
        {("DE", example.id): Path("seen.jpg") for example in taxonomy.examples},
        "lab@university.example",
    )


@pytest.mark.parametrize(("taxonomy", "size"), [("multi3hate", 4), ("harmeme", 3)])
def test_a_form_made_of_another_is_the_planned_one(taxonomy: str, size: int) -> None:
    pack = survey(taxonomy, size)
    forms = Forms(pack)
    assert list(forms) == [sheet.id for sheet in pack.sheets]
    participants, titles, questions = set(), set(), {}
    for sheet in pack.sheets:
        wanted, found = Known.of(plan(pack, sheet), sheet), forms[sheet.id]
        assert found.sheet is sheet
        assert found.titles == wanted.titles
        assert found.options == wanted.options
        assert found.order == wanted.order
        assert found.form.ids() == wanted.form.ids()
        for key, item in wanted.items.items():
            same = found.items[key]
            assert (same.key, same.kind, same.title) == (key, item.kind, item.title)
            assert [one.id for one in same.options] == [one.id for one in item.options]
        participants.add(plain(wanted.items["participant"].title))
        titles |= set(wanted.titles)
        for key, own in wanted.form.ids().items():
            if key in wanted.items:
                questions[question_id(own)] = (sheet.id, key)
    assert forms.participants == participants
    assert forms.titles == titles
    assert forms.questions == questions


def test_few_forms_are_planned() -> None:
    pack = survey("multi3hate", 4)
    forms = Forms(pack)
    assert len(forms.titles) > 20
    assert len(forms._planned) < len(pack.sheets) * 2 / 3


def test_what_is_made_of_a_pack_is_made_once() -> None:
    packs = [survey("multi3hate", size) for size in (4, 5)]
    first, second = (Places.of(pack) for pack in packs)
    assert first is not second
    assert Places.of(packs[0]) is first
    assert once(Forms, packs[0]) is once(Forms, packs[0])
    assert Places.of(packs[1]) is second
    assert once(Forms, packs[1]) is not once(Forms, packs[0])
