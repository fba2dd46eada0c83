"""Prolific's options. In: `--option KEY=VALUE` and `[survey.prolific]`. Out: `ProlificSettings`."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from memeloc.survey.design.pay import WAGE, Rates, read_pay
from memeloc.survey.targets.prolific.client import BASE_URL

Device = Literal["desktop", "tablet", "mobile"]
_Count = Annotated[int, Field(ge=0, le=100_000)]


def _split(value: Any) -> Any:
    if isinstance(value, str):
        return [part.strip().lower() for part in value.split(",")]
    return value


class ProlificSettings(BaseModel):
    """How studies are made, and how Prolific is reached."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    urls: str | dict[str, str] = Field(
        "",
        description="where sheets are filled in: an https address with {sheet} in it, or that of "
        "the folder of SHEET.html, or by sheet id; the participant's id is added to it",
    )
    server: str = Field(
        "",
        description="the https address of `memeloc survey serve`, where each study is given a "
        "place in its sheet; comes before urls",
    )
    wage: str | float | Decimal = Field(WAGE, description="an hour; multi3hate's by default")
    currency: str = Field("GBP", description="of your account at Prolific, GBP or USD")
    fee: str | float | Decimal = Field(
        "academic", description="Prolific's share, for estimates: academic, corporate or a share"
    )
    minutes: _Count = Field(0, description="that a sheet took, if more than it says itself")
    limit: _Count = Field(0, description="minutes a submission may take; 0 leaves it to Prolific")
    filters: str = Field("", description="a TOML of filter ids; else the workspace's or shipped")
    devices: Annotated[tuple[Device, ...], BeforeValidator(_split)] = Field(
        ("desktop", "tablet", "mobile"), description="with commas between them"
    )
    warning: Literal["sensitive", "explicit"] = Field("sensitive", description="of the content")
    balance_sex: bool = Field(True, description="whether as many women as men are asked for")
    project: str = Field("", description="id of the project; empty for your default one")
    group: str = Field(
        "", description="id of the group that keeps people to one sheet; pushing makes one"
    )
    screen_out_reward: _Count = Field(0, description="minor units for who is screened out")
    screen_out_places: _Count = Field(
        0, description="how many may be; 0 asks those to return the study instead"
    )
    endpoint: str = Field(BASE_URL, description="the address of Prolific's API")
    workspace: str = Field("", description="id of the workspace, if the account has several")
    sheet: str = Field("", description="of an import: whose study a file is of")

    @property
    def pay(self) -> Rates:
        """The wage, currency and fee; raises as `read_pay` does."""
        return read_pay(self.wage, self.currency, self.fee)
