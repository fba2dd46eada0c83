"""Errors are sentences that say where, and they survive the way between processes."""

from __future__ import annotations

import pickle
from pathlib import Path

from memeloc.errors import InputError, MemelocError, MissingError, ServiceError
from tests.each import each


@each(
    ("error", "sentence"),
    [
        (InputError("is empty"), "is empty"),
        (InputError("is empty", file="a.csv"), "a.csv: is empty"),
        (InputError("is empty", file=Path("a.csv"), row=3), "a.csv, row 3: is empty"),
        (
            InputError("is empty", file="a.csv", row=3, column="de"),
            "a.csv, row 3, column de: is empty",
        ),
        (InputError("is empty", row=0), "row 0: is empty"),
        (MissingError("There is no ffmpeg"), "There is no ffmpeg"),
        (ServiceError("Translate", "too busy", retryable=True), "Translate: too busy"),
    ],
)
def test_an_error_is_a_sentence_with_its_place(error: MemelocError, sentence: str) -> None:
    assert str(error) == sentence
    assert isinstance(error, MemelocError)


def test_the_place_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(InputError("is empty", file="a.csv", row=3, column="de")))
    assert isinstance(error, InputError)
    assert (error.message, error.file, error.row, error.column) == ("is empty", "a.csv", 3, "de")
    assert str(error) == "a.csv, row 3, column de: is empty"


def test_whether_trying_again_helps_is_known() -> None:
    assert ServiceError("Translate", "too many requests", retryable=True).retryable
    assert not ServiceError("Translate", "wrong key", retryable=False).retryable


def test_a_service_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(ServiceError("Translate", "wrong key", retryable=False)))
    assert isinstance(error, ServiceError)
    assert (error.service, str(error), error.retryable) == (
        "Translate",
        "Translate: wrong key",
        False,
    )
