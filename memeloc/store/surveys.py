"""Surveys. In: designs, batches, what came back. Out: submissions of hashed participants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.store.database import Database
from memeloc.store.records import FileRecord
from memeloc.store.storing_surveys import AddedSubmissions
from memeloc.store.surveyed import Surveyed
from memeloc.survey.model import Batch, Participant, Submission

if TYPE_CHECKING:
    from memeloc.survey.targets.protocol import Imported


class Surveys:
    """The surveys of a workspace."""

    def __init__(self, root: Path | None, database: Database) -> None:
        self.root = root
        self.database = database
        self._old = Surveyed.__new__(Surveyed)
        self._old.root, self._old.database = root, database

    def add(self, name: str, design: Mapping[str, Any], batches: Sequence[Batch]) -> int:
        """Store a survey and its first batches; how many were not there.

        Raises:
            InputError: there is another survey under that name.
        """
        return self._old.add_survey(name, design, batches)

    def add_batches(self, survey: str, batches: Sequence[Batch]) -> int:
        """Store further batches of a survey, such as a round of ties; how many were not there."""
        return self._old.add_batches(survey, batches)

    def names(self) -> list[str]:
        """The surveys' names, oldest first."""
        return self._old.surveys()

    def design(self, name: str) -> dict[str, Any]:
        """How a survey was designed.

        Raises:
            InputError: there is no survey of that name.
        """
        return self._old.survey_design(name)

    def batches(self, name: str) -> list[Batch]:
        """The batches of all rounds, in the order in which they were made."""
        return self._old.survey_batches(name)

    def state(self, name: str, target: str) -> dict[str, Any]:
        """What a service made of the sheets, by key."""
        return self._old.survey_state(name, target)

    def put_state(self, name: str, target: str, key: str, value: Any) -> None:
        """Note what a service made, at once, so that a second run makes nothing twice."""
        self._old.put_survey_state(name, target, key, value)

    def add_submissions(
        self, name: str, file: FileRecord, imported: Imported, *, hashed: bool = True
    ) -> AddedSubmissions:
        """Store what a file of answers holds, whole or not at all, and once.

        Args:
            name: the survey's.
            file: `FileRecord("submissions", name, sha256, rows)`.
            imported: its submissions, participants and rejected rows.
            hashed: whether participants are stored as keyed hashes, and so is every mention of
                them; without it they are stored as they are.
        """
        return self._old.add_submissions(name, file, imported, hashed=hashed)

    def submissions(self, name: str) -> list[Submission]:
        """Of each person and sheet what was sent last, in the order of coming."""
        return self._old.submissions(name)

    def participants(self, name: str) -> list[Participant]:
        """What recruitment services report of people by now, once for each person and study."""
        return self._old.survey_participants(name)

    def add_check(self, name: str, rules: Mapping[str, Any], report: Mapping[str, Any]) -> int:
        """Store a quality control, as JSON values; the same as the last one adds nothing."""
        return self._old.add_survey_check(name, rules, report)

    def check(self, name: str) -> tuple[dict[str, Any], Any] | None:
        """The rules and the report of the last quality control."""
        return self._old.survey_check(name)

    def add_labels(self, name: str, settings: Mapping[str, Any], labels: Sequence[Any]) -> int:
        """Store a settling, as JSON values; the same as the last one adds nothing."""
        return self._old.add_survey_labels(name, settings, labels)

    def labels(self, name: str) -> tuple[dict[str, Any], Any] | None:
        """The settings and the labels of the last settling."""
        return self._old.survey_labels(name)

    def hash_participant(self, participant: str) -> str:
        """A person's id as it is stored: HMAC-SHA-256 under the survey key, 32 hex digits.

        An empty id stays empty.
        """
        return self._old.hash_participant(participant)

    @property
    def key(self) -> bytes:
        """The key of hashes and completion codes: from the environment, or the workspace's own.

        Raises:
            InputError: the workspace has no folder, and the environment no key.
        """
        return self._old.survey_key
