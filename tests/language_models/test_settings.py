"""Settings of the client: where they come from, and what is reported of wrong ones."""

from __future__ import annotations

from typing import Any

import pytest

from memeloc.errors import InputError
from memeloc.language_models import read_model_settings
from tests.each import each


def test_command_comes_before_file_before_environment() -> None:
    environ = {"OPENAI_BASE_URL": "http://localhost:1/v1", "OPENAI_MODEL": "env"}
    assert read_model_settings({}, environ=environ).model == "env"
    read = read_model_settings({"model": "file", "price_in": 1}, environ=environ)
    assert (read.model, read.base_url, read.price_in) == ("file", "http://localhost:1/v1", 1.0)
    read = read_model_settings({"model": "file"}, model="cli", environ={})
    assert (read.model, read.base_url) == ("cli", "https://api.openai.com/v1")
    assert (read.temperature, read.seed) == (0.0, 0)


@each(
    ("table", "message"),
    [
        ({}, "no language model is named"),
        ({"model": "m", "modle": 1}, "no setting 'modle'"),
        ({"model": "m", "key": "sk-1"}, "no setting 'key'"),
        ({"model": "m", "price_in": "cheap"}, "price_in .*number.*million tokens"),
        ({"model": "m", "price_in": float("nan")}, "price_in .*finite"),
        ({"model": "m", "asks": 0}, "asks .*greater than or equal to 1"),
        ({"model": "m", "base_url": "ftp://localhost"}, "setting base_url"),
        ({"model": "m", "base_url": "file:///etc/hosts"}, "setting base_url"),
        ({"model": "m", "base_url": "http://"}, "setting base_url"),
        ({"model": "m", "key_variable": "MY KEY"}, "setting key_variable"),
    ],
)
def test_a_wrong_setting_is_a_sentence(table: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_model_settings(table, environ={})


def test_a_password_in_an_address_is_refused_and_not_shown() -> None:
    with pytest.raises(InputError) as raised:
        read_model_settings({"model": "m", "base_url": "http://me:sesame@localhost/v1"}, environ={})
    assert "sesame" not in str(raised.value)
