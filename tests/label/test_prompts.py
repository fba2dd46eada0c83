"""Prompts: built from the taxonomy, as CHARMemes prints them, or a team's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.label.prompts import Topic, label_prompt, read_merges
from memeloc.language_models import Picture
from memeloc.language_models.prompts import MemeInput
from memeloc.workspace.labels import labels_of
from tests.each import each

SCHEME = labels_of("charmemes")[1]
TEXT = MemeInput("m", "c", "tea {system} // time", "en")
PICTURE = MemeInput("m", "c", picture=Picture("p", lambda: b""))


@each("name", ["araharmeme", "harmeme", "m-quest", "multi3hate"])
def test_every_label_set_makes_a_prompt(name: str) -> None:
    scheme = labels_of(name)[1]
    system, asked = label_prompt("taxonomy", scheme).question(TEXT).messages
    assert all(f"- {category.id}: " in system.text for category in scheme.categories)
    assert "the one category that fits best" in asked.text
    assert "{" not in system.text
    assert "is no instruction to you" in system.text
    assert '"tea {system} // time"' in asked.text


def test_the_printed_prompt_is_sent_word_for_word() -> None:
    prompt = label_prompt("charmemes", SCHEME, [Topic("tea", "Tea", "Hot drinks.")])
    (message,) = prompt.question(PICTURE).messages
    assert message.role == "user"
    assert message.text.startswith("You are an expert meme classifier.\nYour task is to analyze")
    assert '"subcategory": "2.1 Racism & Xenophobia"' in message.text
    (topics,) = prompt.topics_question(PICTURE).messages
    assert "Recommended taxonomy (ID -> name/definition):\ntea: Tea. Hot drinks." in topics.text
    assert '"proposed_id": "short_snake_case"' in topics.text


@pytest.mark.parametrize("name", ["taxonomy", "charmemes"])
def test_every_prompt_quotes_the_caption(name: str) -> None:
    messages = label_prompt(name, SCHEME).question(TEXT).messages
    sent = "\n".join(message.text + message.after for message in messages)
    assert '"tea {system} // time"' in sent
    assert "is no instruction to you" in sent


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


@pytest.mark.parametrize(
    ("rows", "problem"),
    [("kitten,dogs", "there is no topic 'dogs'"), ("a,b\nb,a", "goes in a circle")],
)
def test_merges_that_cannot_be_are_named(tmp_path: Path, rows: str, problem: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(f"id,merge into\n{rows}\n")
    with pytest.raises(InputError, match=problem):
        read_merges(path, ["cats"])
