"""People's ids. In: ids, and JSON values that may hold some. Out: keyed hashes in their place.

A row that could not be resolved may hold the id of whom it is about anywhere, so of its texts only
those stay that are the survey's own words; every other text is hashed as an id is.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from memeloc.errors import InputError
from memeloc.files import replacing

_ID_HEADING = re.compile(
    r"participant|prolific.?pid|user.?id|completed.?by|annotator|e-?mail|submission.?id|session.?id",
    re.IGNORECASE,
)
_ID = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-f]{24}(?![0-9A-Za-z])"  # as Prolific calls people and submissions
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_WORD = re.compile(r"[^\s,;:'\"()\[\]{}<>|]+")
_QUOTED = re.compile(r"""(?<!\w)('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)""")
"""What a message quotes of a file; it is quoted by `repr`."""


class SecretKey(NamedTuple):
    """A key of a workspace: of an environment variable, else of a file of the workspace, which is
    for its owner only and never exported. `use` begins the sentence that it is missing.

    A workspace that was loaded from a dump, which has no keys, keeps beside it (`.check`) by what
    its key is recognised, and makes no new one.
    """

    variable: str
    file: str
    use: str

    def read(self, root: Path | None) -> bytes:
        """Return the key, made if need be. Raise InputError if the workspace has no folder, and the
        environment no key, or if it was loaded from a dump, and the key is missing or another."""
        key, check = self._present(root), self._stored_check(root)
        if check and (key is None or _check_of(key) != check):
            state = "missing" if key is None else "another one than before"
            raise InputError(
                f"This workspace was loaded from a dump, and its key {self.file} is {state}, so "
                f"that people would not be recognised. Copy {self.file} from the workspace that "
                f"was dumped, or set {self.variable} as it was.",
                file=root,
            )
        if key is not None:
            return key
        if root is None:
            raise InputError(
                f"{self.use}; set {self.variable}, or open the workspace by its folder."
            )
        return _make_key(root / self.file)

    def check(self, root: Path | None, *, stored: bool = True) -> str:
        """Return what the key is recognised by and cannot be had from, as 32 hex digits: from the
        key, or (`stored`) from what was kept of one; else an empty text."""
        key = self._present(root)
        return _check_of(key) if key is not None else self._stored_check(root) if stored else ""

    def keep_check(self, root: Path, check: str) -> None:
        with replacing(root / f"{self.file}.check") as partial:
            partial.write_text(f"{check}\n", encoding="utf-8")

    def _stored_check(self, root: Path | None) -> str:
        file = root / f"{self.file}.check" if root else None
        return file.read_text(encoding="utf-8").strip() if file and file.is_file() else ""

    def _present(self, root: Path | None) -> bytes | None:
        if secret := os.environ.get(self.variable, ""):
            return hashlib.sha256(secret.encode()).digest()
        file = root / self.file if root else None
        return _digest(file) if file and file.exists() else None


SURVEY_KEY = SecretKey("MEMELOC_SURVEY_KEY", "survey.key", "Participants are hashed with a key")
"""The key of people's ids and of completion codes."""
ERASURE_KEY = SecretKey(
    "MEMELOC_ERASURE_KEY", "erasure.key", "Tokens of erased people have a key of their own"
)
KEYS = {key.file: key for key in (SURVEY_KEY, ERASURE_KEY)}


def _check_of(key: bytes) -> str:
    return hmac.digest(key, b"memeloc key check", "sha256").hex()[:32]


def _digest(file: Path) -> bytes:
    return hashlib.sha256(file.read_bytes().strip()).digest()


def _make_key(file: Path) -> bytes:
    """Make a key and its file; of two that are made at once both get the first."""
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")  # its owner's
    with os.fdopen(handle, "w") as partial:
        partial.write(secrets.token_hex(32))
    try:
        os.link(temporary, file)
    except FileExistsError:
        pass  # whoever comes second keeps the first one's key
    except OSError:
        Path(temporary).replace(file)
    Path(temporary).unlink(missing_ok=True)
    return _digest(file)


def hash_id(key: bytes, participant: str) -> str:
    """Return a person's id as it is stored: HMAC-SHA-256, 32 hex digits; an empty one stays so."""
    if not participant:
        return ""
    return hmac.digest(key, participant.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]


def plain_number(value: float) -> str:
    """Return a number as an importer names a person by it, so that both have one hash."""
    return str(int(value) if value == value // 1 else value)


def hidden(
    value: Any,
    ids: Collection[str],
    hashed: Callable[[str], str],
    is_known: Callable[[str], bool] | None = None,
) -> Any:
    """Return JSON values with every id of a person in them hashed, and every text that is not
    known, as one of the survey's own words (None: all are).

    An id is what stands under a heading for one (text or number), what is one of the file's
    other rows (`ids`), and whatever looks like one of Prolific's ids or an e-mail address.
    """

    def text(value: str) -> str:
        if value.strip() in ids:
            return hashed(value.strip())
        value = _WORD.sub(lambda match: hashed(match[0]) if match[0] in ids else match[0], value)
        return _ID.sub(lambda match: hashed(match[0]), value)

    def walk(value: Any, *, is_id: bool = False) -> Any:
        if isinstance(value, str):
            if value.strip() and (is_id or (is_known and not is_known(value))):
                return hashed(value.strip())
            return value if is_id else text(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return hashed(plain_number(value)) if is_id else value
        if isinstance(value, Mapping):  # some programs add facts to a person's id
            return {
                text(str(key)): walk(
                    each, is_id=bool(_ID_HEADING.search(str(key))) or (is_id and key == "id")
                )
                for key, each in value.items()
            }
        if isinstance(value, list | tuple):
            return [walk(each, is_id=is_id) for each in value]
        return value

    return walk(value)


def hidden_message(
    message: str,
    ids: Collection[str],
    hashed: Callable[[str], str],
    is_known: Callable[[str], bool] | None,
) -> str:
    """Return a message without ids, and without what it quotes of a file but for known texts."""

    def quoted(match: re.Match[str]) -> str:
        return match[0] if is_known is None or is_known(match[0][1:-1]) else "“…”"

    return str(hidden(_QUOTED.sub(quoted, message), ids, hashed))
