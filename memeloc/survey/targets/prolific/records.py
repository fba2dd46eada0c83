"""What Prolific's API answers with, as far as it is used. In: JSON. Out: pydantic models."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
"""What Prolific's ids of people, studies, submissions and groups look like."""


class WorkspaceRecord(BaseModel):
    """A workspace of the account."""

    id: Id
    title: str | None = ""


class GroupRecord(BaseModel):
    """A participant group."""

    id: Id
    name: str | None = ""
    is_deleted: bool = False


class FilterRecord(BaseModel):
    """A filter; `choices` are labels by id, where it has any."""

    filter_id: str
    title: str | None = ""
    choices: dict[str, Any] | None = None

    @property
    def labels(self) -> dict[str, str]:
        """By the id of a choice, what it is called."""
        return {key: str(label) for key, label in (self.choices or {}).items()}


class StudyRecord(BaseModel):
    """A study, a draft or published."""

    id: Id
    internal_name: str | None = ""
    status: str = ""
    external_study_url: str | None = None
    total_available_places: int | None = None
    reward: float | None = None
    presentment_currency_code: str | None = None
    currency_code: str | None = None


class SubmissionRecord(BaseModel):
    """A submission, as far as it decides whether a decision may be sent."""

    status: str = ""
    return_requested: Any = None


class CostRecord(BaseModel):
    """What a study costs, in minor units."""

    total_cost: Annotated[float, Field(ge=0)]
