"""Label sets from files: one of one's own, and every way to get one wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.resources import folder
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import load_taxonomy, taxonomy_names

OWN = """
name = "weather"
source = "our handbook, page 3"
rules = ["cloud"]

[[label]]
id = "storm"
severity = 2
subcategories = ["hail", "thunder"]

[[label]]
id = "drizzle"
severity = 1

[[label]]
id = "sun"

[[label]]
id = "unknown"
role = "abstain"

[[question]]
id = "where"
answers = ["here", "there"]
when = { label = ["storm", "drizzle"] }

[[example]]
id = "monday"
label = "drizzle"
template = "cloud-monday"

[text.en]
question = "What is the weather in this meme?"
definition = "Weather is what falls from the sky."
label.storm.name = "Storm"
label.storm.definition = "It blows."
label.storm.subcategory.hail = "Hail"
label.storm.subcategory.thunder = "Thunder"
label.drizzle.name = "Drizzle"
label.drizzle.definition = "It drips."
label.sun.name = "Sun"
label.sun.definition = "It shines."
label.unknown.name = "I don't know"
label.unknown.definition = "You cannot see the sky."
questions.where.text = "Where is it?"
questions.where.answer.here = "Here"
questions.where.answer.there = "There"
rule.cloud = "A cloud alone is no weather."
example.monday.caption = "Monday's forecast // me"
example.monday.why = "It drips on one person."
"""
ENGLISH = OWN.partition("[text.en]\n")[2]

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "weather.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def changed(old: str, new: str) -> str:
    assert old in OWN
    return OWN.replace(old, new, 1)


# One of one's own.


@pytest.mark.parametrize(
    ("written", "tag"),
    [("de", "de"), ("DE", "de"), ("de-AT", "de"), ("zh-CN", "zh-Hans"), ("iw", "he")],
)
def test_its_languages_are_found_however_tags_are_written(
    write: Write, written: str, tag: str
) -> None:
    german = ENGLISH.replace('"Storm"', '"Sturm"')
    taxonomy = load_taxonomy(write(f"{OWN}\n[text.{written}]\n{german}"))
    assert set(taxonomy.texts) == {"en", tag}
    texts = survey_texts(default().get(tag), taxonomy=taxonomy)
    assert texts.get("taxonomy.weather.label.storm.name") == "Sturm"


def test_the_example_of_the_guide_can_be_loaded(write: Write) -> None:
    guide = (folder("guides") / "taxonomies.md").read_text(encoding="utf-8")
    example, *_ = re.findall(r"^```toml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    taxonomy = load_taxonomy(write(example))
    assert taxonomy.questions
    assert taxonomy.abstain is not None
    assert taxonomy.rules
    assert any(label.subcategories for label in taxonomy.labels)
    assert len(taxonomy.texts) == 2, "English and another language"
    fields = r"name|source|most_severe|rules|severity|role|subcategories|group|kind|when|template"
    assert set(re.findall(rf"^({fields}) =", example, re.MULTILINE)) == set(fields.split("|"))


def test_the_guide_lists_what_is_shipped() -> None:
    guide = (folder("guides") / "taxonomies.md").read_text(encoding="utf-8")
    for name in taxonomy_names():
        taxonomy = load_taxonomy(name)
        row, *_ = re.findall(rf"^\| `{name}` \|.*$", guide, re.MULTILINE)
        for label in taxonomy.labels:
            assert f"`{label.id}`" in row or label.role == "abstain"
        for question in taxonomy.questions:
            for answer in question.answers if not taxonomy.whose_kinds(question) else ():
                assert f"`{answer}`" in row


# Wrong files, each reported in a sentence that names the file and the place.

STORM = 'id = "storm"\nseverity = 2'
WRONG = {
    "no name": ('name = "weather"\n', "", "the taxonomy needs the setting name"),
    "a name with spaces": ('"weather"', '"my weather"', "name of the taxonomy: string"),
    "a name that is shipped": (
        'name = "weather"', 'name = "harmeme"', "a shipped taxonomy is called 'harmeme'",
    ),
    "a label without an id": ('id = "sun"\n', "", "needs the setting label.2.id"),
    "two labels of one id": ('id = "sun"', 'id = "storm"', "the label 'storm' is there twice"),
    "a severity that is a word": (
        STORM, 'id = "storm"\nseverity = "high"', "label.0.severity of the taxonomy: input",
    ),
    "a severity beyond numbers": (
        STORM, f'id = "storm"\nseverity = {"9" * 5000}', "is not TOML",
    ),
    "a word that nothing means": (
        STORM, f'{STORM}\ncolour = "grey"', "label.0.colour of the taxonomy: unexpected",
    ),
    "two that abstain": (
        'id = "sun"', 'id = "sun"\nrole = "abstain"', "two labels abstain, 'sun' and 'unknown'",
    ),
    "a group for one label only": (
        STORM, f'{STORM}\ngroup = "bad"', "the label 'drizzle' has no group, and others have",
    ),
    "an example of an unknown label": (
        'label = "drizzle"', 'label = "fog"', "the example 'monday' names the label 'fog'",
    ),
    "an unknown template": (
        '"cloud-monday"', '"sky"', "names the template 'sky', and no built-in one is called so",
    ),
    "a question after an unknown label": (
        '["storm", "drizzle"]', '["fog"]', "after the answer 'fog' to 'label', which has storm",
    ),
    "a question after its own answer": (
        'when = { label = ["storm", "drizzle"] }', 'when = { where = ["here"] }',
        "is asked after 'where', and no question with answers to choose from is called so",
    ),
    "a question with one answer": ('answers = ["here", "there"]', 'answers = ["here"]', "too few"),
    "a scale without numbers": (
        'answers = ["here", "there"]', 'kind = "scale"', 'kind = "scale" and scale',
    ),
    "a scale that falls": (
        'answers = ["here", "there"]', 'kind = "scale"\nscale = [5, 1]', "not the smaller one",
    ),
    "a text with answers": (
        'id = "where"', 'id = "where"\nkind = "text"', "is a text, which has no answers",
    ),
    "an item's text without a place": (
        'id = "where"', 'id = "where"\nitem_text = "question"', "write {text} there",
    ),
    "a person's question after an item's": (
        'id = "where"', 'id = "where"\nabout = "person"', "one of them is about the person",
    ),
    "ids without an end": (
        '["hail", "thunder"]', f'["{"h" * 60}"]', "93 are the limit; shorten the ids",
    ),
    "a rule without its text": (
        '["cloud"]', '["cloud", "rain"]', "the text 'rule.rain' is missing in [text.en]",
    ),
    "no words": (
        'label.sun.name = "Sun"\n', "", "the text 'label.sun.name' is missing in [text.en]",
    ),
    "words of nothing": (
        'rule.cloud =', 'rule.fog = "?"\nrule.cloud =',
        "the text 'rule.fog' in [text.en] belongs to nothing that this taxonomy has",
    ),
    "words that are a number": (
        '"It blows."', "7", "'label.storm.definition' in [text.en] has to be a text",
    ),
    "two labels of one name": (
        'label.sun.name = "Sun"', 'label.sun.name = " STORM "',
        "two answers are called 'Storm' in [text.en]",
    ),
    "a caption of too few parts": (
        '"Monday\'s forecast // me"', '"me"', "has 1 part in [text.en], and the template",
    ),
    "a language that is none": ("[text.en]", '[text."x y"]', "[text.x y] names no language"),
    "no English": ("[text.en]", "[text.de]", "'question' is missing in [text.en]"),
    "texts without a language": (
        "[text.en]\n", '[text]\nquestion = "?"\n[text.en]\n', "text.question of the taxonomy",
    ),
    "no end of tables": (
        "[text.en]\n", f"[text.en]\n{'a.' * 5000}b = 1\n", "has to be a text in quotation marks",
    ),
    "no end of lists": (
        'source = "our handbook, page 3"', f"source = {'[' * 50000}", "is not TOML",
    ),
    "a key twice": ('name = "weather"', 'name = "a"\nname = "b"', "is not TOML"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_refused_with_a_sentence(write: Write, case: str) -> None:
    old, new, message = WRONG[case]
    path = write(changed(old, new))
    with pytest.raises(InputError) as caught:
        load_taxonomy(path)
    assert message in str(caught.value)
    assert path.name in str(caught.value)
    assert "pydantic" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_huge_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "huge.toml"
    with path.open("wb") as file:
        file.truncate(50_000_000_000)
    with pytest.raises(InputError, match="too large"):
        load_taxonomy(path)
