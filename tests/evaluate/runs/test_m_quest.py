"""The run m-quest: what is sent with and without the meme, and the prompt that the paper prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from PIL import Image

from memeloc.evaluate import read_choice
from memeloc.evaluate.runs.asking import OpenRun
from memeloc.evaluate.runs.dataset import read_table_data
from memeloc.evaluate.runs.prompts import fill, read_prompts
from memeloc.evaluate.runs.run import read_run
from tests.chat_server import ChatServer
from tests.evaluate.runs.small_dataset import texts_of

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
