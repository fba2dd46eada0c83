from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.settings import parse_toml, read_toml, validate
from tests.each import each


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    size: int = 1


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str = Field(description="what it is called")
    count: int = Field(default=1, ge=1, description="how many")
    inner: Inner = Inner()


@dataclass(frozen=True)
class Plain:
    url: str
    wait: float = 1.0


def test_values_become_the_model() -> None:
    assert validate(Model, {"name": "x", "count": 2}, "the thing").count == 2
    assert validate(Plain, {"url": "x", "wait": 2}, "the thing") == Plain("x", 2.0)


@each(
    ("model", "values", "message"),
    [
        (
            Model,
            {"nam": "x"},
            r"no setting 'nam'; did you mean 'name' \(what it is called\)\? it has name",
        ),
        (Model, {}, r"the thing needs the setting name \(what it is called\)"),
        (Model, {"name": "x", "count": 0}, r"setting count of the thing: .* \(how many\)"),
        (Model, {"name": "x", "inner": {"size": "a"}}, "the setting inner.size of the thing"),
        (Plain, {}, "the thing needs the setting url"),
        (Plain, {"url": "x", "wait": "soon"}, "the setting wait of the thing: input should be"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    model: type[Any], values: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        validate(model, values, "the thing")


def test_toml_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with pytest.raises(InputError, match="cannot be read"):
        read_toml(path)
    path.write_bytes("\ufeffa = 'ü'".encode())
    assert read_toml(path) == {"a": "ü"}
    with pytest.raises(InputError, match="too large"):
        read_toml(path, largest=3)
    path.write_bytes(b"a = '\xff'")
    with pytest.raises(InputError, match="not UTF-8"):
        read_toml(path)
    for text in ("a = ", "a = " + "9" * 10_000):
        with pytest.raises(InputError, match="not TOML"):
            parse_toml(text)
