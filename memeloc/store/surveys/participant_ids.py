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
from typing import Any

from memeloc.errors import InputError
from memeloc.files import replacing

KEY_VARIABLE = "MEMELOC_SURVEY_KEY"
"""The environment variable with the key that participants are hashed with."""

KEY_FILE = "survey.key"
"""Where a key is stored that was made here; it is for its owner only, and is never exported."""

_CHECK = ".check"
"""What follows a key's name in that of the file with what it is recognised by."""

_KEY = re.compile(
    r"participant|prolific.?pid|user.?id|completed.?by|annotator|e-?mail|submission.?id|session.?id",
    re.IGNORECASE,
)
_ID = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-f]{24}(?![0-9A-Za-z])"  # as Prolific calls people and submissions
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_TOKEN = re.compile(r"[^\s,;:'\"()\[\]{}<>|]+")
_QUOTED = re.compile(r"""(?<!\w)('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)""")
"""What a message quotes of a file; it is quoted by `repr`."""


def survey_key(root: Path | None) -> bytes:
    """The key of hashes and completion codes: from the environment, or the workspace's own; raise
    InputError if the workspace has no folder, and the environment no key."""
    return secret_key(
        root,
        KEY_VARIABLE,
        KEY_FILE,
        f"Participants are hashed with a key; set {KEY_VARIABLE}, or open the workspace by its "
        "folder.",
    )


def secret_key(root: Path | None, variable: str, name: str, missing: str) -> bytes:
    """The key of an environment variable, else of a file of the workspace's own, made if need be.

    None is made in a workspace that was loaded from a dump: its key is that of the one before.
    Raise InputError if the workspace has no folder, and the environment no key; `missing` says so.
    Or the workspace was loaded from a dump, and its key is missing or another one.
    """
    check = _stored_check(root, name)
    key = _present_key(root, variable, name)
    if check and (key is None or key_check(key) != check):
        state = "missing" if key is None else "another one than before"
        raise InputError(
            f"This workspace was loaded from a dump, and its key {name} is {state}, so that people "
            f"would not be recognised. Copy {name} from the workspace that was dumped, or set "
            f"{variable} as it was.",
            file=root,
        )
    if key is not None:
        return key
    if root is None:
        raise InputError(missing)
    return _make_key(root / name)


def key_check(key: bytes) -> str:
    """What a key is recognised by, and cannot be had from: 32 hex digits."""
    return hmac.digest(key, b"memeloc key check", "sha256").hex()[:32]


def known_check(root: Path | None, variable: str, name: str) -> str:
    """What the key is recognised by, from the key or from what `keep_check` kept; else empty."""
    return present_check(root, variable, name) or _stored_check(root, name)


def present_check(root: Path | None, variable: str, name: str) -> str:
    """What the key is recognised by, where there is a key; else empty."""
    key = _present_key(root, variable, name)
    return "" if key is None else key_check(key)


def keep_check(root: Path, name: str, check: str) -> None:
    """Keep in a workspace that was loaded what its key is recognised by, see `secret_key`."""
    with replacing(root / f"{name}{_CHECK}") as partial:
        partial.write_text(f"{check}\n", encoding="utf-8")


def _stored_check(root: Path | None, name: str) -> str:
    file = root / f"{name}{_CHECK}" if root else None
    return file.read_text(encoding="utf-8").strip() if file and file.is_file() else ""


def _present_key(root: Path | None, variable: str, name: str) -> bytes | None:
    """The key of the environment, else of the file; None where there is neither."""
    if secret := os.environ.get(variable, ""):
        return hashlib.sha256(secret.encode()).digest()
    file = root / name if root else None
    return hashlib.sha256(file.read_bytes().strip()).digest() if file and file.exists() else None


def _make_key(file: Path) -> bytes:
    """A key and its file; of two that are made at once both get the first."""
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
    return hashlib.sha256(file.read_bytes().strip()).digest()


def hash_id(key: bytes, participant: str) -> str:
    """A person's id as it is stored: HMAC-SHA-256, 32 hex digits; an empty id stays empty."""
    if not participant:
        return ""
    return hmac.digest(key, participant.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]


Known = Callable[[str], bool]
"""Whether a text is one of the survey's own words."""


def any_text(text: str) -> bool:
    return True


def hidden(
    value: Any, ids: Collection[str], hashed: Callable[[str], str], known: Known = any_text
) -> Any:
    """JSON values with every id of a person in them hashed, and every text that is not `known`.

    An id is what stands under a heading for one (text or number), what is one of the file's
    other rows (`ids`), and whatever looks like one of Prolific's ids or an e-mail address.
    """
    if isinstance(value, str):
        if value.strip() and not known(value):
            return hashed(value.strip())
        return _text(value, ids, hashed)
    if isinstance(value, Mapping):
        return {
            _text(str(key), ids, hashed): _person(each, ids, hashed, known)
            if _KEY.search(str(key))
            else hidden(each, ids, hashed, known)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [hidden(each, ids, hashed, known) for each in value]
    return value


def hidden_message(
    message: str, ids: Collection[str], hashed: Callable[[str], str], known: Known
) -> str:
    """A message without ids, and without what it quotes of a file but for `known` texts."""

    def quoted(match: re.Match[str]) -> str:
        return match[0] if known(match[0][1:-1]) else "“…”"

    return _text(_QUOTED.sub(quoted, message), ids, hashed)


def _person(value: Any, ids: Collection[str], hashed: Callable[[str], str], known: Known) -> Any:
    """What stands under a heading for ids; some programs number people, or add facts."""
    if isinstance(value, str):
        return hashed(value.strip()) if value.strip() else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        # As an importer names the person, so that both have one hash.
        return hashed(str(int(value) if value == value // 1 else value))
    if isinstance(value, Mapping):
        own = {"id": _person(value["id"], ids, hashed, known)} if "id" in value else {}
        return {**hidden(value, ids, hashed, known), **own}
    if isinstance(value, list | tuple):
        return [_person(each, ids, hashed, known) for each in value]
    return value


def _text(value: str, ids: Collection[str], hashed: Callable[[str], str]) -> str:
    if value.strip() in ids:
        return hashed(value.strip())
    value = _TOKEN.sub(lambda match: hashed(match[0]) if match[0] in ids else match[0], value)
    return _ID.sub(lambda match: hashed(match[0]), value)
