"""Run files, texts of prompts, and runs against a server: what is sent, asked again and written."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

from memeloc.errors import InputError
from memeloc.evaluate import read_choice
from memeloc.evaluate.runs.asking import OpenRun
from memeloc.evaluate.runs.dataset import RunData, as_label, read_table_data
from memeloc.evaluate.runs.prompts import fill, read_prompts
from memeloc.evaluate.runs.run import Run, read_run, run_names
from memeloc.resources import folder
from memeloc.taxonomy import load_taxonomy
from tests.chat_server import ChatServer
from tests.each import each
from tests.evaluate.runs.small_dataset import checkout, texts_of

ENGLISH = [{"name": "english", "inputs": ["both"], "prompt_languages": ["en"]}]


def _opened(folder: Path, *, gold: bool = False, **changes: Any) -> tuple[Run, RunData]:
    languages = {"languages": changes.pop("languages", ["en"])}
    run, _ = read_run("multi3hate", {"dataset": languages, "condition": ENGLISH, **changes})
    data = read_table_data(run, checkout(folder))
    return run, data if gold else replace(data, gold=None)  # without it no page is drawn


def test_six_prompts_are_sent_as_text_picture_text(
    tmp_path: Path, chat: ChatServer, sources: dict[str, Any]
) -> None:
    run, data = _opened(tmp_path / "set")
    result = OpenRun(run, data, tmp_path / "out", **sources).ask()
    assert (result["questions"], result["answered"], result["requests"]) == (18, 18, 18)
    body = chat.bodies[0]
    assert "response_format" not in body
    assert (body["temperature"], body["max_tokens"], len(body["messages"])) == (0, 40, 1)
    before, picture, after = body["messages"][0]["content"]
    assert before["text"].startswith("Hate speech is")
    assert before["text"].endswith("\nMeme: ")
    assert picture["type"] == "image_url"
    assert "Text in the meme: 'tea // again'" in after["text"]
    orders = Counter(texts_of(each).endswith("a: Hate\nb: Non-hate\n") for each in chat.bodies)
    assert orders == {True: 9, False: 9}


def test_an_invalid_answer_is_asked_again_with_a_reminder(
    tmp_path: Path, chat: ChatServer, sources: dict[str, Any]
) -> None:
    chat.say = lambda number, body: "b" if len(body["messages"]) == 5 else "tea, please"
    run, data = _opened(tmp_path / "set", reasks=5)
    result = OpenRun(run, data, tmp_path / "out", **sources).ask()
    assert (result["invalid"], result["reasked"], result["requests"]) == (0, 36, 54)
    roles = [message["role"] for message in chat.bodies[-1]["messages"]]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert chat.bodies[-1]["messages"][1]["content"] == "tea, please"
    assert "one letter only: a, b." in chat.bodies[-1]["messages"][2]["content"]
    assert result["answers"] is not None
    table = pd.read_parquet(result["answers"])
    assert set(table["asks"]) == {3}
    assert set(table["first_answer"]) == {"tea, please"}


def test_araharmeme_leaves_out_what_is_missing(
    tmp_path: Path, chat: ChatServer, sources: dict[str, Any]
) -> None:
    table = tmp_path / "memes.csv"
    table.write_text("id,text,picture,label\n1,شاي,1.jpg,2\n2,,1.jpg,1\n", encoding="utf-8")
    (checkout(tmp_path / "set") / "data/memes/en/7.jpg").rename(tmp_path / "1.jpg")
    chat.say = lambda number, body: "2\nIt is about tea."
    run, _ = read_run("araharmeme")
    data = replace(read_table_data(run, table), gold=None)
    result = OpenRun(run, data, tmp_path / "out", **sources).ask()
    assert (result["questions"], result["answered"]) == (5, 5)
    assert any("1 item without text left out" in note for note in result["notes"])
    shown = ["Extracted text: شاي" in texts_of(body) for body in chat.bodies]
    assert sum(shown) == 2
    assert all(texts_of(body).endswith("<class_number>\n<explanation>") for body in chat.bodies)


def test_reasons_of_a_model_have_tokens_of_their_own(
    tmp_path: Path, chat: ChatServer, sources: dict[str, Any]
) -> None:
    chat.say = lambda number, body: "It is only about tea.\nb"
    models = [{"model": "thinker", "reasoning": "before"}, {"model": "quick"}]
    run, data = _opened(tmp_path / "set", model=models, wordings=[1], orders=[0])
    result = OpenRun(run, data, tmp_path / "out", **sources).ask()
    asked = {body["model"]: (body["max_tokens"], texts_of(body)) for body in chat.bodies}
    assert (asked["thinker"][0], asked["quick"][0]) == (440, 40)
    assert "First give your reasons" in asked["thinker"][1]
    assert "reasons" not in asked["quick"][1]
    assert result["answers"] is not None
    table = pd.read_parquet(result["answers"])
    assert set(table["choice"]) == {"Non-hate"}
    assert set(table["explanation"]) == {"It is only about tea"}
    assert table.attrs["Dataset"] == "set"
    assert table.attrs["Sent"] == "temperature 0.0, seed 0"


def test_new_runs_are_answered_in_json(
    tmp_path: Path, chat: ChatServer, sources: dict[str, Any]
) -> None:
    """By a schema of the options' letters; what does not fit it is asked again."""
    answers = ['{"answer": "c"}', '{"answer": "a", "explanation": "It is rude."}', "I cannot help."]
    chat.say = lambda number, body: answers[(number - 1) % 3]
    run, data = _opened(tmp_path / "set", parser="json", reasks=1, reasoning="after",
        source="", wordings=[1], orders=[1])  # fmt: skip
    result = OpenRun(run, data, tmp_path / "out", **{**sources, "defaults": {
        **sources["defaults"], "at_once": 1}}).ask()  # fmt: skip
    schema = chat.bodies[0]["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["answer", "explanation"]
    assert schema["properties"]["answer"]["enum"] == ["a", "b"]
    assert (result["answered"], result["invalid"], result["refused"]) == (3, 1, 0)
    table = pd.read_parquet(result["answers"])
    assert table["rule"].tolist() == ["json", "not as the schema has it", "json"]
    assert table["choice"].tolist() == ["Non-hate", "", "Non-hate"]
    assert table["explanation"][0] == "It is rude."
    assert table["asks"].tolist() == [2, 2, 1]


@each("name", run_names())
def test_a_shipped_run_fits_its_prompts(name: str) -> None:
    run, where = read_run(name)
    prompts = read_prompts(run.prompts, where, run.labels)
    assert run.source
    assert prompts.languages


def test_multi3hate_keeps_the_papers_constants() -> None:
    run, where = read_run("multi3hate")
    prompts = read_prompts(run.prompts, where, run.labels)
    assert list(prompts.languages) == ["en", "de", "es", "hi", "zh"]
    assert {len(texts.wordings) for texts in prompts.languages.values()} == {3}
    assert (run.orders, run.reasks, run.max_tokens) == ((0, 1), 0, 40)
    assert (run.temperature, run.picture_side, run.definition) == (0.0, 512, True)


@pytest.mark.parametrize("name", ["multi3hate", "araharmeme", "charmemes"])
def test_labels_of_a_survey_are_labels_of_the_run(name: str) -> None:
    run, _ = read_run(name)
    voted = [label.id for label in load_taxonomy(name).of_role("vote")]
    assert {as_label(label, run) for label in voted} == set(run.labels)


def test_the_files_of_the_guide_can_be_read(tmp_path: Path) -> None:
    guide = (folder("guides") / "evaluation.md").read_text(encoding="utf-8")
    run_file, prompts_file = re.findall(r"^```toml\n(.*?)^```", guide, re.M | re.S)[:2]
    (tmp_path / "run.toml").write_text(run_file, encoding="utf-8")
    (tmp_path / "prompts.toml").write_text(prompts_file, encoding="utf-8")
    run, where = read_run(tmp_path / "run.toml")
    assert [model.title for model in run.models] == ["small-vl", "text-only"]
    assert run.models[1].inputs == ("text",)
    prompts = read_prompts("prompts.toml", where, run.labels)
    assert prompts.of("en").countries == {"DE": "Germany"}


PUBLISHED = """
import os
os.mkdir("{folder}")
PROMPTS_MULTI = {{"en": ["Is it tea?", "Tea or not?"], "hi": ["क्या यह चाय है?", "चाय?"]}}
PROMPT_CAPTION_MULTI = {{"en": "\\nCaption: '{{}}'", "hi": "\\nकैप्शन: '{{}}'"}}
PROMPT_PREFIX_MULTI = {{"en": "Tea is hot.", "hi": "चाय गर्म है।"}}
PROMPT_POSTFIX_MULTI = {{
    "en": ["\\nChoose:\\na: Tea\\nb: No tea\\n", "\\nChoose:\\na: No tea\\nb: Tea\\n"],
    "hi": ["\\nचुनें:\\nक: चाय\\nख: चाय नहीं\\n", "\\nचुनें:\\nक：चाय नहीं\\nख：चाय\\n"],
}}
PROMPT_IMAGE_PREFIX_MULTI = {{"en": "\\nMeme: ", "hi": "\\nमीम: "}}
PROMPTS_COUNTRY_INSERTION = ["Is it tea in {{}}?", "Tea or not in {{}}?"]
"""


def test_published_prompts_are_read_and_never_run(tmp_path: Path) -> None:
    trap = tmp_path / "made-by-running"
    file = tmp_path / "all_prompts.py"
    file.write_text(PUBLISHED.format(folder=trap), encoding="utf-8")
    prompts = read_prompts("all_prompts.py", tmp_path)
    assert not trap.exists()
    english, hindi = prompts.of("en"), prompts.of("hi")
    assert english.wordings == ("Is it tea?", "Tea or not?")
    assert english.caption == "\nCaption: '{text}'"
    assert english.country_wordings[0] == "Is it tea in {country}?"
    assert english.choices(1, ["Tea", "No tea"]).options == (("a", "No tea"), ("b", "Tea"))
    assert hindi.choices(1, ["Tea", "No tea"]).options == (("क", "चाय नहीं"), ("ख", "चाय"))
    assert english.choices(0, ["Tea", "No tea"]).text == "\nChoose:\na: Tea\nb: No tea\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x = ", "is not Python"),
        ("PROMPTS_MULTI = {}", "assigns no dictionary to PROMPT_CAPTION_MULTI"),
        (PUBLISHED.format(folder="x").replace("a: Tea", "Tea"), "the options are lines"),
    ],
)
def test_other_python_is_refused(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "prompts.py"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_prompts("prompts.py", tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[en]", "needs the setting wordings"),
        ('[en]\nwordings = ["?"]\nnames = ["a"]', "1 names for the run's 2 labels"),
        ('[en]\nwordings = ["?"]\ncountry_wordings = ["?", "?"]', "country_wording for each"),
        ('[en]\nwordings = ["?"]\nchose = "x"', "did you mean 'choose'"),
        ('source = "here"', "no section of a language"),
    ],
)
def test_a_wrong_file_of_texts_is_a_sentence(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(content)
    with pytest.raises(InputError, match=message):
        read_prompts("own.toml", tmp_path, ["Hate", "Non-hate"])


QUESTIONS = (
    "item,meme,dimension,language,question,A,B,C,D,correct,explanation,picture,caption\n"
    "m/toxicity,m,toxicity,en,Is it kind?,Yes,No,Perhaps,None of the others,A,It is.,m.png,tea\n"
    "n/scene,n,scene,en,Where is it?,Home,Office,Sea,None of the others,Office,,n.png,\n"
)


PRINTED = (
    "Where is it?\n\nA. Home, B. Office, C. Sea, D. None of the others\n\n"
    "First, analyze the meme image carefully and explain your reasoning (Chain of Thought). "
    "Then provide your answer by selecting one of the options above."
)
"""M-QUEST, figure 6; its lines are wrapped in the print."""


def examined(folder: Path, sources: dict[str, Any], run: str, **changes: Any) -> dict[str, Any]:
    (folder / "questions.csv").write_text(QUESTIONS, encoding="utf-8")
    for name in ("m.png", "n.png"):
        Image.new("RGB", (40, 30), "teal").save(folder / name)
    opened, _ = read_run(run, changes)
    data = replace(read_table_data(opened, folder), gold=None)  # no page is drawn
    return OpenRun(opened, data, folder / "out", **sources).ask()


def test_figure_6_is_sent_word_for_word(
    tmp_path: Path, chat: ChatServer, sources: dict[str, Any]
) -> None:
    chat.say = lambda number, body: "It shows a desk. Therefore, the correct answer is: B. Office"
    result = examined(tmp_path, sources, "m-quest-figure-6")
    sent = next(
        body["messages"][0]["content"]
        for body in chat.bodies
        if "Where" in texts_of(body) and not isinstance(body["messages"][0]["content"], str)
    )
    picture, text = sent
    assert picture["type"] == "image_url"
    assert text == {"type": "text", "text": PRINTED}
    assert result["answers"] is not None
    table = pd.read_parquet(result["answers"]).set_index(["item", "input"])
    assert table.loc[("n/scene", "picture"), "choice"] == "Office"


def test_who_cannot_reason_is_asked_for_the_answer_alone(
    tmp_path: Path, chat: ChatServer, sources: dict[str, Any]
) -> None:
    models = [{"model": "plain", "reasoning": "none"}]
    examined(tmp_path, sources, "m-quest-figure-6", model=models)
    for body in chat.bodies:
        assert texts_of(body).endswith(
            "\n\nProvide your answer by selecting one of the options above."
        )
        assert body["max_tokens"] == 40


def test_letters_of_every_language_are_read() -> None:
    prompts = read_prompts("multiple-choice", Path())
    assert {"en", "de", "es", "hi", "zh", "ar", "fr", "pt", "ru", "tr", "id", "ja"} == set(
        prompts.languages
    )
    for tag, texts in prompts.languages.items():
        choices = texts.choices(0, (), ("a cat", "an office", "the sea", "none"))
        asked = fill(texts.wordings[0] + texts.after, {"question": "?"}) + choices.text
        for marker, name in choices.options:
            for answer in (marker, f"{marker}.\n{name}", f"**{marker}**"):
                assert read_choice(answer, choices.options, language=tag, prompt=asked).name == name
