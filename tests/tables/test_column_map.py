"""The one map of columns: which column is what, what its values mean, and what is asked about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.texts import TaxonomyTexts, survey_texts
from memeloc.tables.column_map import (
    MappedRows,
    Role,
    columns_of,
    levels_of,
    read_map,
    read_rows,
)
from memeloc.taxonomy import load_taxonomy
from tests.each import each

CASES = Path(__file__).parent / "cases"
ROLES = (
    Role("item", ("item", "id", "meme id"), required=True),
    Role("annotator", ("annotator", "user id"), required=True),
    Role("culture", ("culture", "nationality"), required=True, values="culture"),
    Role("label", ("label",), required=True, values="label"),
    Role("demographics", many=True, values="fact"),
)
MULTI3HATE = {"columns": {"label": "hatespeech"}, "labels": {"1": "hate", "0": "not hate"}}


def rows_of(labels: list[Any], **more: list[Any]) -> pd.DataFrame:
    count = len(labels)
    known = {"item": [f"m{n}" for n in range(count)], "annotator": ["a"] * count}
    return pd.DataFrame({**known, "culture": ["US"] * count, "label": labels, **more})


def read(table: Any, source: Any = None, **given: Any) -> MappedRows:
    return read_rows(table, read_map(source, **given), ROLES)


def levels(answers: list[Any], **given: Any) -> dict[str, float]:
    column_map = read_map(**given)
    mapped = read_rows(rows_of(answers), column_map, ROLES)
    labels = mapped.frame["label"]
    return levels_of(labels[labels != ""], column_map, mapped)


@each(
    ("headings", "named", "column"),
    [
        (["Meme ID", "x"], {}, "Meme ID"),
        (["ID", "item"], {}, "item"),
        (["meme_id", "x"], {}, "meme_id"),
        (["ＩＴＥＭ", "x"], {}, "ＩＴＥＭ"),
        (["key", "id"], {"item": "KEY"}, "key"),
        (["Key", "key"], {"item": "Key"}, "Key"),
        (["b", "c"], {"item": ["a", "b", "c"]}, "b"),
    ],
)
def test_a_column_is_known_by_name_or_named(
    headings: list[str], named: dict[str, Any], column: str
) -> None:
    assert columns_of(headings, read_map(**named), ROLES[:1]) == {"item": {column: column}}


def test_roles_of_many_columns_have_a_key_for_each() -> None:
    roles = [Role("label", ("label*", "class"), many=True), Role("demographics", many=True)]
    named = read_map(demographics={"nationality": "From"})
    columns = columns_of(["label_2", "Label", "From", "x"], named, roles)
    assert columns == {
        "label": {"label_2": "label_2", "Label": "Label"},
        "demographics": {"nationality": "From"},
    }


@each(
    ("headings", "named", "sentence"),
    [
        (["iten", "x"], {"item": "item"}, "f.csv, column item: .*no column 'item'.*mean 'iten'"),
        (["x"], {}, "No column is known to be the item. Its columns are 'x'.*--map item=COLUMN"),
        (["id", "id"], {"item": "id"}, "column id: 2 columns have this heading"),
        (["Id", "iD"], {}, "2 columns have this heading .'Id' and 'iD'"),
        (["x"], {"itemm": "x"}, "no role 'itemm'; did you mean 'item'"),
        (["x"], {"item": {"US": "x"}}, "the role item has one column"),
        (["x"], {"levels": {"a": float("nan")}}, "finite number"),
        (["x"], {"order": ["a", "a"]}, "twice"),
    ],
)
def test_a_wrong_map_is_one_sentence(
    headings: list[str], named: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        columns_of(headings, read_map(**named), ROLES[:1], "f.csv")


def test_published_answers_are_read_by_the_map() -> None:
    mapped = read(CASES / "raw_annotations.csv", MULTI3HATE, demographics=["Age", "Sex"])
    assert mapped.frame["label"].tolist()[:4] == ["hate", "not hate", "-1", "not hate"]
    assert mapped.many("demographics").iloc[2].to_dict() == {"Age": "", "Sex": "Female"}
    assert mapped.frame["row"].tolist() == list(range(2, 14))


def test_a_column_a_culture_becomes_a_row_a_culture() -> None:
    wide = {"US": "United_States_Hate", "UK": "United_Kingdom_Hate", "SG": "Singapore_Hate"}
    mapped = read(CASES / "wide_cultures.csv", label=wide)
    first = mapped.frame[mapped.frame["item"] == "a1"]
    assert first["culture"].tolist() == ["US", "UK", "SG"]
    assert first["label"].tolist() == ["Hate", "Non-hate", "Hate"]
    assert first["annotator"].tolist() == list(wide.values())
    assert mapped.notes.lines() == [
        "no column says who answered: each column of labels is taken for a person",
        "row 2: 'hate' is taken for 'Hate', another spelling of a label",
    ]


def test_headings_in_arabic_are_named_like_others() -> None:
    named = {"item": "المعرف", "annotator": "المشارك", "culture": "البلد", "label": "الإجابة"}
    mapped = read(CASES / "arabic_headings.csv", **named, labels={"ضار": "harmful"})
    assert mapped.frame["label"].tolist() == ["harmful", "غير ضار", "لا أعرف", "harmful"]


def test_a_frame_is_read_like_a_file() -> None:
    path = CASES / "raw_annotations.csv"
    frame = pd.read_csv(path).astype({"Nationality": "category"})
    expected = read(path, MULTI3HATE).frame.drop(columns="row")
    assert read(frame, MULTI3HATE).frame.drop(columns="row").equals(expected)
    with pytest.raises(InputError, match="the data frame, column nope"):
        read(frame, label="nope")
    doubled = frame.rename(columns={"Age": "Sex"})
    with pytest.raises(InputError, match="the data frame, column Sex: two columns"):
        read(doubled, MULTI3HATE)


@each(
    ("labels", "expected", "note"),
    [
        (["hate", "HATE", "hate "], ["hate"] * 3, "row 2: 'HATE' is taken for 'hate'"),
        (["1.0", "1", "0,0"], ["1", "1", "0"], ""),
        (["fine", "n/a", None], ["fine", "", ""], "row 2: 'n/a' is taken for no answer"),
        (["none", "some", "Non-hate"], ["none", "some", "Non-hate"], ""),
    ],
)
def test_values_of_labels(labels: list[str], expected: list[str], note: str) -> None:
    mapped = read(rows_of(labels))
    assert mapped.frame["label"].tolist() == expected
    assert note in "\n".join(mapped.notes.lines())


@each(
    ("labels", "shown"),
    [
        (["1", "0", "2", "1"], 'labels are numbers: 0 .1., 1 .2., 2 .1.*0 = "..."'),
        (["1", "0", "-1"], '\n-1 = "..."'),
        ([str(n) for n in range(1, 8)], "scale = true .--scale."),
        (["1", "2", "3", "refused"], "labels are numbers: 1"),
        ([1.0, 2.5, 3.0], '\n"2.5" = '),
    ],
)
def test_numeric_codes_are_asked_about(labels: list[Any], shown: str) -> None:
    with pytest.raises(InputError, match=f"(?s)the data frame, column label: .*{shown}"):
        levels(labels)


def test_abstentions_of_our_surveys_are_known_in_every_language() -> None:
    taxonomy = load_taxonomy("multi3hate")
    ids = [label.id for label in taxonomy.labels if label.role == "abstain"]
    for locale in default():
        names = TaxonomyTexts(survey_texts(locale, taxonomy=taxonomy), taxonomy).labels
        assert all(read_map().abstains(names[id]) for id in ids), locale.tag
