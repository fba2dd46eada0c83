"""Surveys in a workspace. In: batches, what came back. Out: submissions of hashed participants.

`Surveyed` is the part of `Workspace` that surveys use.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.store.collected import Collected
from memeloc.store.hiding import hidden

if TYPE_CHECKING:
    from memeloc.store.records import FileRecord
    from memeloc.store.storing_surveys import AddedSubmissions
    from memeloc.survey.model import Batch, Participant, Submission
    from memeloc.survey.targets.protocol import Imported

KEY_VARIABLE = "MEMELOC_SURVEY_KEY"
"""The environment variable with the key that participants are hashed with."""

KEY_FILE = "survey.key"
"""Where a key is kept that was made here; it is for its owner only, and is never exported."""


class Surveyed(Collected):
    """The surveys of a workspace."""

    def add_survey(self, name: str, design: Mapping[str, Any], batches: Sequence[Batch]) -> int:
        """Store a survey and its first batches; how many were not there.

        Raises:
            InputError: there is another survey under that name.
        """
        from memeloc.store import storing_surveys

        with self.database.write() as connection:
            storing_surveys.add_survey(connection, name, design)
            return storing_surveys.add_batches(connection, name, batches)

    def add_batches(self, survey: str, batches: Sequence[Batch]) -> int:
        """Store further batches of a survey, such as a round of ties; how many were not there."""
        from memeloc.store import storing_surveys

        if survey not in self.surveys():
            raise self._unknown(survey)
        with self.database.write() as connection:
            return storing_surveys.add_batches(connection, survey, batches)

    def surveys(self) -> list[str]:
        """The surveys' names, oldest first."""
        from memeloc.store import storing_surveys

        with self.database.read() as connection:
            return storing_surveys.find_surveys(connection)

    def survey_design(self, survey: str) -> dict[str, Any]:
        """How a survey was designed.

        Raises:
            InputError: there is none of that name.
        """
        from memeloc.store import storing_surveys

        with self.database.read() as connection:
            found = storing_surveys.find_design(connection, survey)
        if found is None:
            raise self._unknown(survey)
        return found

    def _unknown(self, survey: str) -> InputError:
        known = ", ".join(self.surveys()) or "none"
        return InputError(f"There is no survey {survey[:60]!r}; there are {known}.")

    def survey_batches(self, survey: str) -> list[Batch]:
        """The batches of all rounds, in the order in which they were made."""
        from memeloc.store import storing_surveys

        with self.database.read() as connection:
            return storing_surveys.find_batches(connection, survey)

    def survey_state(self, survey: str, target: str) -> dict[str, Any]:
        """What a service made of the sheets, by key."""
        from memeloc.store import storing_surveys

        with self.database.read() as connection:
            return storing_surveys.find_state(connection, survey, target)

    def put_survey_state(self, survey: str, target: str, key: str, value: Any) -> None:
        """Note what a service made, at once, so that a second run makes nothing twice."""
        from memeloc.store import storing_surveys

        with self.database.write() as connection:
            storing_surveys.put_state(connection, survey, target, key, value)

    def add_submissions(
        self, survey: str, file: FileRecord, imported: Imported, *, hashed: bool = True
    ) -> AddedSubmissions:
        """Store what a file of answers holds, whole or not at all, and once.

        Args:
            survey: its name.
            file: `FileRecord("submissions", name, sha256, rows)`.
            imported: as an importer read it.
            hashed: whether participants are stored as keyed hashes, and so is every mention of
                them; without it they are stored as they are.
        """
        from memeloc.store import storing_surveys

        if survey not in self.surveys():
            raise self._unknown(survey)
        several, people = list(imported.submissions), list(imported.participants)
        rejected = list(imported.rejected)
        if hashed and (several or people or rejected):
            key = self.survey_key
            known = {name for sent in several for name in (sent.participant, sent.id)}
            known |= {name for row in people for name in (row.participant, row.submission)}
            known.discard("")
            rejected = [
                replace(
                    one,
                    message=hidden(one.message, known, lambda each: _hashed(key, each)),
                    content=hidden(one.content, known, lambda each: _hashed(key, each)),
                )
                for one in rejected
            ]
            several = [
                replace(one, participant=_hashed(key, one.participant), id=_hashed(key, one.id))
                for one in several
            ]
            people = [
                replace(
                    one,
                    participant=_hashed(key, one.participant),
                    submission=_hashed(key, one.submission),
                )
                for one in people
            ]
        with self.database.write() as connection:
            return storing_surveys.add_submissions(
                connection, survey, file, several, people, rejected
            )

    def submissions(self, survey: str) -> list[Submission]:
        """Of each person and sheet what was sent last, in the order of coming."""
        from memeloc.store import storing_surveys

        with self.database.read() as connection:
            return storing_surveys.find_submissions(connection, survey)

    def survey_participants(self, survey: str) -> list[Participant]:
        """What recruitment services say of people by now, once for each person and study."""
        from memeloc.store import storing_surveys

        with self.database.read() as connection:
            return storing_surveys.find_participants(connection, survey)

    def add_survey_check(
        self, survey: str, rules: Mapping[str, Any], report: Mapping[str, Any]
    ) -> int:
        """Store a quality control, as JSON values; the same as the last one adds nothing."""
        from memeloc.store import storing_surveys

        with self.database.write() as connection:
            return storing_surveys.add_check(connection, survey, rules, report)

    def survey_check(self, survey: str) -> tuple[dict[str, Any], Any] | None:
        """The rules and the report of the last quality control."""
        from memeloc.store import storing_surveys

        with self.database.read() as connection:
            return storing_surveys.find_check(connection, survey)

    def add_survey_labels(
        self, survey: str, settings: Mapping[str, Any], labels: Sequence[Any]
    ) -> int:
        """Store a settling, as JSON values; the same as the last one adds nothing."""
        from memeloc.store import storing_surveys

        with self.database.write() as connection:
            return storing_surveys.add_labels(connection, survey, settings, labels)

    def survey_labels(self, survey: str) -> tuple[dict[str, Any], Any] | None:
        """The settings and the labels of the last settling."""
        from memeloc.store import storing_surveys

        with self.database.read() as connection:
            return storing_surveys.find_labels(connection, survey)

    def hash_participant(self, participant: str) -> str:
        """A person's id as it is stored: HMAC-SHA-256 under the survey key, 32 hex digits.

        An empty id stays empty.
        """
        return _hashed(self.survey_key, participant) if participant else ""

    @property
    def survey_key(self) -> bytes:
        """The key of hashes and completion codes: from the environment, or the workspace's own.

        Raises:
            InputError: the workspace has no folder, and the environment no key.
        """
        given = os.environ.get(KEY_VARIABLE, "")
        if given:
            return hashlib.sha256(given.encode()).digest()
        if self.root is None:
            raise InputError(
                f"Participants are hashed with a key; set {KEY_VARIABLE}, or open the workspace by "
                "its folder."
            )
        file = self.root / KEY_FILE
        if not file.exists():
            partial = self.root / f".{KEY_FILE}.{os.getpid()}"
            handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                os.write(handle, secrets.token_hex(32).encode())
            finally:
                os.close(handle)
            try:
                os.link(partial, file)  # whoever comes second keeps the first one's key
            except FileExistsError:
                pass
            except OSError:
                partial.replace(file)
            partial.unlink(missing_ok=True)
        return hashlib.sha256(file.read_bytes().strip()).digest()


def _hashed(key: bytes, words: str) -> str:
    if not words:
        return ""
    return hmac.digest(key, words.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]
