"""A real model: its answers are read whatever they are, and it is known not to see."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from memeloc.errors import ServiceError
from memeloc.evaluate import read_choice
from memeloc.language_models import (
    Answer,
    AnswerError,
    FileCache,
    LanguageModel,
    Message,
    Picture,
    Question,
    option_logprobs,
    read_model_settings,
)
from tests.small_model import NAME, serve_small_model

pytestmark = pytest.mark.slow
STARTER = Path(__file__).parents[2] / "examples" / "starter" / "captions.csv"


class Label(BaseModel):
    label: Literal["weather", "food", "work", "animals", "other"]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve_small_model(tmp_path_factory.mktemp("model")) as address:
        yield address


def _settings(url: str, **more: Any) -> Any:
    values = {"model": NAME, "base_url": url, "at_once": 2, "timeout": 600.0, **more}
    return read_model_settings(values, environ={})


def _captions(count: int) -> list[str]:
    with STARTER.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    texts = [row[tag] for tag in ("en", "de", "es") for row in rows if row[tag]]
    return list(dict.fromkeys(texts))[:count]


def test_it_labels_a_hundred_captions_by_a_form(url: str, tmp_path: Path) -> None:
    questions = [
        Question((Message("user", f"What is this meme about? {text}"),), Label)
        for text in _captions(100)
    ]
    with (
        FileCache(tmp_path / "kept.sqlite") as kept,
        LanguageModel(_settings(url, max_tokens=24, asks=1), kept) as model,
    ):
        answers = [answer for _, answer in model.ask_all(questions)]
        right = [answer for answer in answers if isinstance(answer, Answer)]
        # llama.cpp holds it to the schema; only what is cut off at its tokens may be wrong.
        assert len(right) >= 95
        assert {type(answer) for answer in answers} <= {Answer, AnswerError}
        requests = model.spent.requests
        assert all(
            isinstance(answer, Answer | AnswerError) for _, answer in model.ask_all(questions)
        )
        assert model.spent.requests == requests == 100


def test_it_answers_a_hundred_questions_in_words(url: str) -> None:
    options = [("a", "Weather"), ("b", "Other")]
    prompt = "Is this meme about the weather? Answer with one letter.\na) Weather\nb) Other\n"
    questions = [
        Question[str]((Message("user", f"{prompt}Meme: {text}"),), None) for text in _captions(100)
    ]
    with LanguageModel(_settings(url, max_tokens=12, logprobs=5)) as model:
        for question, answer in model.ask_all(questions):
            assert isinstance(answer, Answer)
            assert answer.model == NAME
            assert answer.logprobs
            choice = read_choice(
                answer.value, options=options, language="en", prompt=question.messages[0].text
            )
            assert choice.name in ("Weather", "Other", "")
            assert choice.invalid is (choice.name == "")
            assert set(option_logprobs(answer.logprobs, ["a", "b"])) <= {"a", "b"}


def test_it_is_known_not_to_see_after_one_picture(url: str) -> None:
    picture = Picture("tea", lambda: b"tea")
    questions = [Question[str]((Message("user", str(n), (picture,)),), None) for n in range(9)]
    with (
        LanguageModel(_settings(url, max_tokens=4)) as model,
        pytest.raises(ServiceError, match="answers texts, but no picture: image input is not"),
    ):
        list(model.ask_all(questions))
