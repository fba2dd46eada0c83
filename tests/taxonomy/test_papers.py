"""The label sets that memeloc ships: what the papers fix of each."""

from __future__ import annotations

import re

import pytest

from memeloc.survey.texts import shipped_texts
from memeloc.taxonomy import (
    FOLDER,
    Label,
    Taxonomy,
    load_taxonomy,
    taxonomy_names,
)


def label_of(taxonomy: Taxonomy, name: str) -> Label:
    (label,) = (label for label in taxonomy.labels if label.id == name)
    return label


def ids(taxonomy: Taxonomy) -> list[str]:
    return [label.id for label in taxonomy.labels]


TO_LABEL = ("araharmeme", "charmemes", "harmeme", "m-quest", "multi3hate")
"""Those by which memes are labelled; the others judge texts about memes."""


def test_the_label_sets_of_the_five_papers_are_shipped() -> None:
    assert taxonomy_names() == tuple(sorted((*TO_LABEL, "m-quest-validation")))
    assert all(load_taxonomy(name).name == name for name in taxonomy_names())


def test_multi3hate_asks_for_hate_speech_or_not_or_i_dont_know() -> None:
    taxonomy = load_taxonomy("multi3hate")  # section 3.3
    assert ids(taxonomy) == ["hate", "no-hate", "unknown"]
    assert [label.severity for label in taxonomy.labels] == [1, 0, 0]
    assert taxonomy.questions == ()
    assert not taxonomy.most_severe
    definition = shipped_texts("en")["taxonomy.multi3hate.definition"]
    assert "United Nations" in definition
    assert "on the basis of who they are" in definition


def test_charmemes_has_eleven_labels_by_severity() -> None:
    taxonomy = load_taxonomy("charmemes")  # appendix C
    voting = [label for label in taxonomy.labels if label.role == "vote"]
    assert [label.id for label in sorted(voting, key=lambda label: -label.severity)] == [
        "sexual-exploitation", "violence", "self-harm", "hate-speech", "harassment",
        "animal-cruelty", "illegal-content", "propaganda", "offensive", "nsfw", "safe",
    ]  # fmt: skip
    assert len({label.severity for label in voting}) == 11
    assert label_of(taxonomy, "safe").severity == 0
    assert taxonomy.most_severe
    assert taxonomy.rules[0] == "most-severe"


def test_harmeme_asks_in_three_degrees_then_for_a_target() -> None:
    taxonomy = load_taxonomy("harmeme")  # figure 1 and section 4.2
    degrees = {label.id: label.severity for label in taxonomy.labels if label.role == "vote"}
    assert degrees == {"very-harmful": 2, "partially-harmful": 1, "harmless": 0}
    (target,) = taxonomy.questions
    assert target.answers == ("individual", "organization", "community", "society")
    assert target.kind == "choice", "annotators choose one by their best judgement (B.1)"


@pytest.mark.parametrize("name", taxonomy_names())
class TestEveryShippedTaxonomy:
    def test_shows_labels_that_are_voted_for_before_others(self, name: str) -> None:
        roles = [label.role != "vote" for label in load_taxonomy(name).labels]
        assert roles == sorted(roles)

    def test_lets_people_say_that_they_do_not_know(self, name: str) -> None:
        taxonomy = load_taxonomy(name)
        if name not in TO_LABEL:
            pytest.skip("people may leave the meme to others")
        assert taxonomy.abstain is not None
        text = shipped_texts("en")[f"taxonomy.{name}.label.{taxonomy.abstain.id}.name"]
        assert text == "I don't know"
        assert taxonomy.rules[-1] == "unsure"

    def test_has_a_harmless_answer_and_a_harmful_one(self, name: str) -> None:
        severities = {
            label.severity for label in load_taxonomy(name).labels if label.role == "vote"
        }
        assert min(severities) == 0 < max(severities)

    def test_has_an_example_of_harm_and_one_of_none(self, name: str) -> None:
        taxonomy = load_taxonomy(name)
        severities = [label_of(taxonomy, example.label).severity for example in taxonomy.examples]
        assert min(severities) == 0 < max(severities)
        assert taxonomy.item_text or len(taxonomy.examples) >= 3, "three implicit checks a sheet"

    def test_names_the_paper_and_the_place_in_it(self, name: str) -> None:
        assert re.search(r"\d|Framework", load_taxonomy(name).source)

    def test_has_no_words_of_its_own(self, name: str) -> None:
        assert load_taxonomy(name).texts == {}

    def test_is_found_by_its_file_too(self, name: str) -> None:
        assert load_taxonomy(FOLDER / f"{name}.toml") == load_taxonomy(name)
