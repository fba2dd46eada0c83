"""What Prolific's API answers with, as far as it is used. In: JSON. Out: pydantic models."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, Field

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What Prolific's ids of people, studies, submissions and groups look like."""


class Record(BaseModel):
    """Something that has an id."""

    id: Annotated[str, Field(pattern=f"^{ID.pattern}$")]


class WorkspaceRecord(Record):
    """A workspace of the account."""

    title: str | None = ""


class GroupRecord(Record):
    """A participant group."""

    name: str | None = ""
    is_deleted: bool = False


class StudyRecord(Record):
    """A study, a draft or published."""

    internal_name: str | None = ""
    status: str = ""
    external_study_url: str | None = None
    total_available_places: int | None = None
    reward: float | None = None
    presentment_currency_code: str | None = None
    currency_code: str | None = None


class FilterRecord(BaseModel):
    """A filter; `choices` are labels by id, where it has any."""

    filter_id: str
    title: str | None = ""
    choices: dict[str, Any] | None = None

    @property
    def labels(self) -> dict[str, str]:
        """By the id of a choice, what it is called."""
        return {key: str(label) for key, label in (self.choices or {}).items()}


class SubmissionRecord(BaseModel):
    """A submission."""

    status: str = ""
    return_requested: Any = None


class CostRecord(BaseModel):
    """What a study costs, in minor units."""

    total_cost: Annotated[float, Field(ge=0)]
