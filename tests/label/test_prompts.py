"""Prompts: built from the taxonomy, as CHARMemes prints them, or a team's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.label.prompts import label_prompt
from memeloc.label.topics import Topic, merged, new_topics, read_merges, read_topics
from memeloc.language_models import Picture
from memeloc.language_models.meme_inputs import MemeInput
from memeloc.workspace.labels.labelling import labels_of

SCHEME = labels_of("charmemes")[1]
TEXT = MemeInput("m", "c", "tea {system} // time", "en")
PICTURE = MemeInput("m", "c", picture=Picture("p", lambda: b""))


def test_the_built_prompt_names_every_category_and_rule() -> None:
    system, asked = label_prompt("taxonomy", SCHEME).question(TEXT).messages
    for category in SCHEME.categories:
        assert f"- {category.id}: {category.name}. {category.definition}" in system.text
    assert "    - racism-xenophobia: Racism and xenophobia" in system.text
    assert all(f"- {rule}\n" in system.text for rule in SCHEME.rules)
    assert "- If several fit, name all of them" in system.text
    assert "choose the one that stands highest" not in system.text
    assert "I don't know" not in system.text
    assert "tea {system} // time" in asked.text


@pytest.mark.parametrize("name", ["araharmeme", "harmeme", "m-quest", "multi3hate"])
def test_every_label_set_makes_a_prompt(name: str) -> None:
    scheme = labels_of(name)[1]
    system, asked = label_prompt("taxonomy", scheme).question(TEXT).messages
    assert all(f"- {category.id}: " in system.text for category in scheme.categories)
    assert "the one category that fits best" in asked.text
    assert "{" not in system.text


def test_questions_of_each_item_are_refused() -> None:
    with pytest.raises(InputError, match="has a text of each item's own"):
        labels_of("m-quest-validation")


def test_a_picture_is_asked_for_its_text_and_a_text_is_not() -> None:
    prompt = label_prompt("taxonomy", SCHEME)
    of_picture, of_text = prompt.question(PICTURE), prompt.question(TEXT)
    assert of_picture.messages[1].pictures == (PICTURE.picture,)
    assert of_picture.form is not None
    assert of_text.form is not None
    assert "caption" in of_picture.form.model_fields
    assert "caption" not in of_text.form.model_fields


def test_the_printed_prompt_is_sent_word_for_word() -> None:
    prompt = label_prompt("charmemes", SCHEME, [Topic("tea", "Tea", "Hot drinks.")])
    (message,) = prompt.question(PICTURE).messages
    assert message.role == "user"
    assert message.text.startswith("You are an expert meme classifier.\nYour task is to analyze")
    assert '"subcategory": "2.1 Racism & Xenophobia"' in message.text
    (topics,) = prompt.topics_question(PICTURE).messages
    assert "Recommended taxonomy (ID -> name/definition):\ntea: Tea. Hot drinks." in topics.text
    assert '"proposed_id": "short_snake_case"' in topics.text


def test_the_printed_prompt_goes_with_its_taxonomy_only() -> None:
    with pytest.raises(InputError, match="names the categories of that paper"):
        label_prompt("charmemes", labels_of("harmeme")[1])


def test_an_own_prompt_is_a_file_and_has_a_hash_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'system = "{question}\\n{categories}"\npicture = "Name {how_many}."\n'
        'both = "{text} {how_many}"\ntext = "{language}: {text}. {how_many}"\n'
    )
    prompt = label_prompt(str(path), SCHEME)
    assert prompt.question(TEXT).messages[0].text.startswith("Which of these describes")
    assert prompt.sha256 != label_prompt("taxonomy", SCHEME).sha256
    path.write_text('system = "a"\npicture = "Name {how_many}."\n')
    with pytest.raises(InputError, match="needs a text named both"):
        label_prompt(str(path), SCHEME)


def test_topics_of_a_table_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "topics.csv"
    path.write_text("id,name,definition\ntea,Tea,Hot drinks\ntea,Again,\n")
    with pytest.raises(InputError, match="is there already, in row 2"):
        read_topics(path)
    path.write_text("id,name\ncats,Cats\n")
    assert read_topics(path) == (Topic("cats", "Cats"),)


def test_new_topics_are_counted_and_merged(tmp_path: Path) -> None:
    new = {"id": "kitten", "name": "Kittens", "definition": "Young cats."}
    listed = new_topics([("m1", [new, {"id": "tea"}]), ("m2", [new])], {"kitten": ("cats", "Ana")})
    assert [(row.id, row.memes, row.into, row.person) for row in listed] == [
        ("kitten", 2, "cats", "Ana")
    ]
    path = tmp_path / "sheet.csv"
    path.write_text("id,merge into\nkitten,cats\nrain,keep\nsun,\n")
    merges = read_merges(path, ["cats"])
    assert merges == {"kitten": "cats", "rain": "rain"}
    assert merged("kitten", {**merges, "cats": "animals"}) == "animals"


@pytest.mark.parametrize(
    ("rows", "problem"),
    [("kitten,dogs", "there is no topic 'dogs'"), ("a,b\nb,a", "goes in a circle")],
)
def test_merges_that_cannot_be_are_named(tmp_path: Path, rows: str, problem: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(f"id,merge into\n{rows}\n")
    with pytest.raises(InputError, match=problem):
        read_merges(path, ["cats"])
