"""The errors a user can meet. In: what went wrong, where, and what to do. Out: one sentence each.

Every error that memeloc raises on purpose derives from `MemelocError`; only the command line
catches them. Anything else that escapes is a defect.
"""

from __future__ import annotations

from os import PathLike, fspath
from typing import Annotated, Any


class MemelocError(Exception):
    """A failure with a sentence for people: what was wrong, where, and what to do about it."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Return the schema by which a result as JSON has its sentence."""
        from pydantic import PlainSerializer

        return handler.generate_schema(Annotated[Any, PlainSerializer(str, return_type=str)])


class InputError(MemelocError):
    """Something in a file or value the user gave is wrong.

    `message` says what, and what to do, without the place: the file, the row as the user counts it
    (a table's header is row 1) and the column's name, or a TOML file's key, each if there is one.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | PathLike[str] | None = None,
        row: int | None = None,
        column: str | None = None,
    ) -> None:
        self.message = message
        self.file = None if file is None else fspath(file)
        self.row = row
        self.column = column
        super().__init__(message)

    def __str__(self) -> str:
        place = [self.file] if self.file else []
        if self.row is not None:
            place.append(f"row {self.row}")
        if self.column:
            kind = "key" if str(self.file).endswith(".toml") else "column"
            place.append(f"{kind} {self.column}")
        return f"{', '.join(place)}: {self.message}" if place else self.message

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the place when the error crosses a process boundary."""
        return (_rebuild_input_error, (self.message, self.file, self.row, self.column))


def _rebuild_input_error(
    message: str, file: str | None, row: int | None, column: str | None
) -> InputError:
    return InputError(message, file=file, row=row, column=column)


class MissingError(MemelocError):
    """A program, an extra, a font or a credential is not there; the message says how to get it."""


class ServiceError(MemelocError):
    """A remote service failed: what it answered, and whether trying again may help.

    `cost` is what may have been paid all the same, `wait` the seconds that it asks to wait.
    """

    cost = 0.0
    wait = 0.0

    def __init__(self, service: str, message: str, *, retryable: bool) -> None:
        self.service = service
        self.message = message
        self.retryable = retryable
        super().__init__(f"{service}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        """Cross a process boundary whole."""
        return (_rebuild_service_error, (self.service, self.message, self.retryable))


def _rebuild_service_error(service: str, message: str, retryable: bool) -> ServiceError:
    return ServiceError(service, message, retryable=retryable)


class KeptFileWarning(UserWarning):
    """A file that a person may have changed was left as it is, and another one was written."""
