"""How sheets are served. In: the table survey.serve of memeloc.toml. Out: `ServeSettings`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from memeloc.settings import validate

_Count = Annotated[int, Field(ge=0, le=100_000)]
_Share = Annotated[float, Field(gt=0, le=1)]
_Name = Annotated[str, Field(min_length=1, max_length=100)]


class Parameters(BaseModel):
    """What the parameters are called that a recruiter adds to the address; Prolific's names.

    Prolific's SESSION_ID is not read: its export says which submission is whose.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    participant: _Name = "PROLIFIC_PID"
    study: _Name = "STUDY_ID"
    sheet: _Name = "sheet"
    culture: _Name = "culture"
    sex: _Name = "sex"


class ServeSettings(BaseModel):
    """How people get places in sheets, and what the server asks of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    address: str = Field(
        "", description="the server's address as people write it, such as https://HOST/memes"
    )
    hold_minutes: Annotated[int, Field(ge=1, le=100_000)] = Field(
        120, description="how long a place is kept for somebody after their last answer"
    )
    training: _Count = Field(
        0, description="how many examples are asked with feedback before the first meme"
    )
    qualify: _Count = Field(
        0, description="how many of them have to be answered right at once to go on"
    )
    screen_out: bool = Field(
        False,
        description="whether a sheet ends when its attention checks cannot be passed any more",
    )
    sheets: _Count = Field(
        0, description="sheets that a person may fill; 0 takes the rule person of quality control"
    )
    repeat_memes: bool = Field(
        False, description="whether a person may get a meme again in another sheet"
    )
    people: dict[str, _Count] = Field({}, description="by culture, how many people are let in")
    sex: dict[str, _Share] = Field(
        {}, description="largest shares of the places of a culture, as {female = 0.5, male = 0.5}"
    )
    parameters: Parameters = Field(
        Parameters(), description="names of the parameters that a recruiter adds to the address"
    )
    proxies: tuple[str, ...] = Field(
        ("127.0.0.1", "::1"), description="addresses whose X-Forwarded-For and -Proto are believed"
    )
    requests_a_minute: _Count = Field(1200, description="requests of one client; 0 for any number")
    answers_a_minute: _Count = Field(120, description="answers to one place; 0 for any number")

    @field_validator("address")
    @classmethod
    def _is_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.netloc or parts.query):
            raise ValueError("begins with https:// and has no part after ? or #")
        return value.rstrip("/")

    @field_validator("sex")
    @classmethod
    def _folds(cls, value: dict[str, float]) -> dict[str, float]:
        return {name.strip().casefold(): share for name, share in value.items()}

    @property
    def root_path(self) -> str:
        """The path of the address, which a proxy takes away; empty without one."""
        return urlsplit(self.address).path


def read_serve_settings(values: Mapping[str, Any]) -> ServeSettings:
    """Settings from plain values.

    Raises:
        InputError: there is no such setting, or it cannot have that value.
    """
    return validate(ServeSettings, values, "the server for sheets")
