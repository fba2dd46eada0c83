"""Settings of asking a language model. In: a table of settings, the environment. Out:
`ModelSettings`.

The key is never a setting: it is read from the environment when a question is sent, and stands in
no file, error or log.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from memeloc.errors import InputError, MissingError
from memeloc.settings import validate

URL_VARIABLE = "OPENAI_BASE_URL"
MODEL_VARIABLE = "OPENAI_MODEL"
OWN_FIELDS = frozenset(
    (
        "model",
        "messages",
        "temperature",
        "seed",
        "max_tokens",
        "max_completion_tokens",
        "response_format",
        "logprobs",
        "top_logprobs",
        "n",
        "stream",
    )
)
"""Fields of a request that other settings set, or that would change what is read."""


class ModelSettings(BaseModel):
    """Settings of a model: where it is asked, how, and what it costs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(min_length=1, description="the model, as its server names it")
    base_url: str = Field(
        "https://api.openai.com/v1",
        pattern=r"^https?://[^\s/@?#]+(/[^\s?#]*)?(\?api-version=[\w.-]+)?$",
        description="the server's address up to and with /v1, without a password, as "
        '"http://localhost:11434/v1"; of an Azure deployment with ?api-version=...',
    )
    provider: str = Field(
        "",
        pattern=r"^[a-z][a-z0-9]*$|^$",
        description="a service that does not speak the OpenAI protocol, asked through any-llm-sdk: "
        "anthropic, gemini, mistral and the like; its key is in the service's own variable, as "
        "ANTHROPIC_API_KEY",
    )
    key_variable: str = Field(
        "OPENAI_API_KEY",
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="the environment variable that holds the key; it may be unset where the "
        "server wants none",
    )
    price_in: float = Field(
        0.0, ge=0, allow_inf_nan=False, description="price of a million tokens of question"
    )
    price_out: float = Field(
        0.0, ge=0, allow_inf_nan=False, description="price of a million tokens of answer"
    )
    currency: str = Field(
        "USD", pattern=r"^[A-Z]{3}$", description="of the prices, its ISO 4217 code"
    )
    temperature: float = Field(
        0.0, ge=0, le=2, allow_inf_nan=False, description="0 gives the likeliest answer"
    )
    seed: int = Field(0, description="of the model's random numbers, where its server takes one")
    max_tokens: int = Field(
        1024, ge=1, description="tokens of an answer at the most; more are not billed"
    )
    picture_tokens: int = Field(
        1200, ge=0, description="tokens that a picture counts as in estimates"
    )
    asks: int = Field(
        3,
        ge=1,
        le=10,
        description="how often a question is asked until its answer is right, time-outs included",
    )
    at_once: int = Field(4, ge=1, le=256, description="requests in flight")
    timeout: float = Field(120.0, gt=0, allow_inf_nan=False, description="seconds for one request")
    logprobs: int = Field(
        0, ge=0, le=20, description="likeliest tokens whose logprobs come with each; 0 for none"
    )
    extra: dict[str, JsonValue] = Field(
        {},
        description="further fields of a request, sent as they are, such as top_p or a service's "
        "safety_settings",
    )

    @field_validator("extra")
    @classmethod
    def _further(cls, fields: dict[str, JsonValue]) -> dict[str, JsonValue]:
        for name in OWN_FIELDS & fields.keys():
            raise ValueError(f"{name} is set by memeloc itself; see its other settings")
        json.dumps(fields, allow_nan=False)
        return fields

    @cached_property
    def recorded(self) -> dict[str, Any]:
        """Return all that an answer depends on beside its question; it is recorded with it."""
        names = {"model", "temperature", "seed", "max_tokens", "logprobs", "extra"}
        recorded = {"base_url": self.base_url.rstrip("/"), **self.model_dump(include=names)}
        if self.provider:
            address = recorded["base_url"] if "base_url" in self.model_fields_set else ""
            recorded |= {"provider": self.provider, "base_url": address}
        return recorded

    def require_prices(self) -> None:
        """Raise InputError unless both prices are set: without them no budget can be kept."""
        if not {"price_in", "price_out"} <= self.model_fields_set:
            raise InputError(
                f"a budget is kept by prices, and those of {self.model} are not set: write "
                "price_in and price_out, the money for a million tokens of question and of "
                "answer, where its other settings stand ([language_model] of memeloc.toml, "
                "[translate.openai] for translations, [[model]] of a run); a server of your own "
                "has 0.0. Or leave the budget out"
            )

    def price(self, tokens_in: float, tokens_out: float) -> float:
        """Return what tokens cost."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6


def read_model_settings(
    table: Mapping[str, Any],
    *,
    model: str | None = None,
    environ: Mapping[str, str] | None = None,
    where: str = "[language_model] of memeloc.toml",
) -> ModelSettings:
    """Return settings of a table, over the environment's, under a model that is named here.

    The environment (None: this process's) may set `OPENAI_BASE_URL` and `OPENAI_MODEL`; `where` is
    what the table is called in errors. Raise InputError if no model is named, a setting is unknown,
    or a value is wrong.
    """
    variables = os.environ if environ is None else environ
    named = {"base_url": variables.get(URL_VARIABLE), "model": variables.get(MODEL_VARIABLE)}
    if table.get("provider"):  # the address is of another protocol
        named["base_url"] = None
    values = {name: value for name, value in named.items() if value} | dict(table)
    if model:
        values["model"] = model
    if "model" not in values:
        raise InputError(
            f"no language model is named: set model in {where}, the environment variable "
            f"{MODEL_VARIABLE}, or name one on the command line"
        )
    return validate(ModelSettings, values, where)


def read_key(settings: ModelSettings, environ: Mapping[str, str] | None = None) -> str:
    """Return the key from the environment; empty when there is none and the server is not OpenAI's.
    Raise MissingError if OpenAI's own server is to be asked without a key, or the key cannot stand
    in a header. The sentence does not show it."""
    variables = os.environ if environ is None else environ
    key = variables.get(settings.key_variable, "").strip()
    if not key and settings.base_url.split("/")[2].lower().split(":")[0] == "api.openai.com":
        raise MissingError(
            f"api.openai.com wants a key: set the environment variable {settings.key_variable}; "
            "or name another server by base_url or the environment variable "
            f"{URL_VARIABLE}. --dry-run needs none"
        )
    if not all("!" <= letter <= "~" for letter in key):
        raise MissingError(
            f"the key in the environment variable {settings.key_variable} holds a space or a "
            "letter that no key has; was more copied than the key?"
        )
    return key
