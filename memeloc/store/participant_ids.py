"""People's ids. In: ids, and JSON values that may hold some. Out: keyed hashes in their place.

A row that could not be resolved is kept whole, so it may hold the id of whom it is about.
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
from typing import Any

from memeloc.errors import InputError

KEY_VARIABLE = "MEMELOC_SURVEY_KEY"
"""The environment variable with the key that participants are hashed with."""

KEY_FILE = "survey.key"
"""Where a key is stored that was made here; it is for its owner only, and is never exported."""

_KEY = re.compile(
    r"participant|prolific.?pid|user.?id|completed.?by|annotator|e-?mail|submission.?id|session.?id",
    re.IGNORECASE,
)
_ID = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-f]{24}(?![0-9A-Za-z])"  # as Prolific calls people and submissions
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_TOKEN = re.compile(r"[^\s,;:'\"()\[\]{}<>|]+")


def survey_key(root: Path | None) -> bytes:
    """The key of hashes and completion codes: from the environment, or the workspace's own.

    Raises:
        InputError: the workspace has no folder, and the environment no key.
    """
    secret = os.environ.get(KEY_VARIABLE, "")
    if secret:
        return hashlib.sha256(secret.encode()).digest()
    if root is None:
        raise InputError(
            f"Participants are hashed with a key; set {KEY_VARIABLE}, or open the workspace by "
            "its folder."
        )
    file = root / KEY_FILE
    if not file.exists():
        handle, name = tempfile.mkstemp(dir=root, prefix=f".{KEY_FILE}.")  # for its owner only
        with os.fdopen(handle, "w") as partial:
            partial.write(secrets.token_hex(32))
        try:
            os.link(name, file)
        except FileExistsError:
            pass  # whoever comes second keeps the first one's key
        except OSError:
            Path(name).replace(file)
        Path(name).unlink(missing_ok=True)
    return hashlib.sha256(file.read_bytes().strip()).digest()


def hash_id(key: bytes, participant: str) -> str:
    """A person's id as it is stored: HMAC-SHA-256, 32 hex digits; an empty id stays empty."""
    if not participant:
        return ""
    return hmac.digest(key, participant.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]


def hidden(value: Any, ids: Collection[str], hashed: Callable[[str], str]) -> Any:
    """JSON values with every id of a person in them hashed.

    An id is what stands under a heading for one (text or number), what is one of the file's
    other rows (`ids`), and whatever looks like one of Prolific's ids or an e-mail address.
    """
    if isinstance(value, str):
        return _text(value, ids, hashed)
    if isinstance(value, Mapping):
        return {
            key: _person(each, ids, hashed) if _KEY.search(str(key)) else hidden(each, ids, hashed)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [hidden(each, ids, hashed) for each in value]
    return value


def _person(value: Any, ids: Collection[str], hashed: Callable[[str], str]) -> Any:
    """What stands under a heading for ids; some programs number people, or add facts."""
    if isinstance(value, str):
        return hashed(value.strip()) if value.strip() else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        # As an importer names the person, so that both have one hash.
        return hashed(str(int(value) if value == value // 1 else value))
    if isinstance(value, Mapping):
        own = {"id": _person(value["id"], ids, hashed)} if "id" in value else {}
        return {**hidden(value, ids, hashed), **own}
    if isinstance(value, list | tuple):
        return [_person(each, ids, hashed) for each in value]
    return value


def _text(value: str, ids: Collection[str], hashed: Callable[[str], str]) -> str:
    if value.strip() in ids:
        return hashed(value.strip())
    value = _TOKEN.sub(lambda match: hashed(match[0]) if match[0] in ids else match[0], value)
    return _ID.sub(lambda match: hashed(match[0]), value)
