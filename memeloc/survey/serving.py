"""Sheets that a server shows. In: `[survey.serve]` of memeloc.toml, who comes, what is taken. Out:
settings, signed names for addresses, who gets which sheet, what its page shows, early ends.

What is stored of it stands in memeloc/store/surveys/serving.py.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import math
import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count, islice
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.survey.model import Check, Entry, Sheet, entry_id
from memeloc.survey.quality.rules import Attention
from memeloc.survey.targets.html.target import PROLIFIC_RETURN
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import RawAnswer, RawSubmission, SheetsToSend
from memeloc.taxonomy import LABEL


def _server_address(value: str) -> str:
    parts = urlsplit(value)
    if value and (parts.scheme not in ("http", "https") or not parts.netloc or parts.query):
        raise ValueError("begins with https:// and has no part after ? or #")
    return value.rstrip("/")


def _secure_address(value: str) -> str:
    if value and not value.startswith("https://"):
        raise ValueError("begins with https://, or is empty")
    return value


_Count = Annotated[int, Field(ge=0, le=100_000)]
_Share = Annotated[float, Field(gt=0, le=1)]
_Name = Annotated[str, Field(min_length=1, max_length=100)]
_Sex = Annotated[str, AfterValidator(lambda name: name.strip().casefold())]


class Parameters(BaseModel):
    """Names of the parameters that a recruiter adds to the address; Prolific's. Prolific's
    SESSION_ID is not read: its export says which submission is whose."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    participant: _Name = "PROLIFIC_PID"
    study: _Name = "STUDY_ID"
    sheet: _Name = "sheet"
    culture: _Name = "culture"
    sex: _Name = "sex"


class ServeSettings(BaseModel):
    """Settings of places in sheets, and of what the server asks of people."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    address: Annotated[str, AfterValidator(_server_address)] = ""
    """the server's address as people write it, such as https://HOST/memes"""
    hold_minutes: Annotated[int, Field(ge=1, le=100_000)] = 120
    """how long a place is kept for somebody after their last answer"""
    training: _Count = 0
    """how many examples are asked with feedback before the first meme"""
    qualify: _Count = 0
    """how many of them have to be answered right at once to go on"""
    screen_out: bool = False
    """whether a sheet ends when its attention checks cannot be passed any more"""
    sheets: _Count = 0
    """sheets that a person may fill; 0 takes the rule person of quality control"""
    repeat_memes: bool = False
    """whether a person may get a meme again in another sheet"""
    order: Literal["", "fixed", "turned", "drawn"] = ""
    """the order of answers: fixed, turned round for every second person, or drawn for each; empty
    takes the design's"""
    people: dict[str, _Count] = {}
    """by culture, how many people are let in"""
    sex: dict[_Sex, _Share] = {}
    """largest shares of the places of a culture, as {female = 0.5, male = 0.5}"""
    invited: str = ""
    """a table with the column participant: nobody else is let in"""
    prolific_keys: str = ""
    """a file with Prolific's public keys (its .well-known/study/jwks.json); with it only links that
    Prolific has signed are taken"""
    return_to: Annotated[str, AfterValidator(_secure_address)] = PROLIFIC_RETURN
    """where the last page's link leads whom a service sent; {code} is their code"""
    parameters: Parameters = Parameters()
    """names of the parameters that a recruiter adds to the address"""
    proxies: tuple[str, ...] = ("127.0.0.1", "::1")
    """addresses whose X-Forwarded-For and -Proto are believed"""
    requests_a_minute: _Count = 1200
    """requests of one client; 0 for any number"""
    joins_a_minute: _Count = 60
    """people who come from one address, and codes that are tried there; 0: any"""
    answers_a_minute: _Count = 120
    """answers to one place; 0 for any number"""

    @property
    def root_path(self) -> str:
        """The path of the address, which a proxy takes away; empty without one."""
        return urlsplit(self.address).path


_TOKEN = re.compile(r"([A-Za-z0-9]{2,32})\.([A-Za-z0-9-]{1,80})\.([0-9a-f]{32})")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Signs what people hold in their addresses and browsers; `secret` is the workspace's key. A
    signature is 128 bits of an HMAC-SHA-256 under a key that is used for nothing else, so that no
    hash or completion code of the survey is one."""

    survey: str
    secret: bytes = field(repr=False)

    def proof(self, kind: str, first: str, second: str = "") -> str:
        """Return a signature: `csrf` is what a place's page sends along, `browser` the cookie."""
        key = hmac.digest(self.secret, b"memeloc survey serve", "sha256")
        # None of the parts has a line break, so no two splits give the same message.
        message = "\n".join((kind, self.survey, first, second))
        return hmac.digest(key, message.encode(), "sha256").hex()[:32]

    def is_proof(self, text: str, kind: str, first: str, second: str = "") -> bool:
        proof = self.proof(kind, first, second)
        return hmac.compare_digest(proof.encode(), text.encode("utf-8", "replace"))

    def sign(self, kind: str, first: str, second: str) -> str:
        """Return a token, `first.second.SIGNATURE`. Kinds: `place` (its id, its sheet), `link` (the
        culture, who it is for)."""
        return f"{first}.{second}.{self.proof(kind, first, second)}"

    def read(self, kind: str, token: str) -> tuple[str, str] | None:
        """Return what was signed; None of what was not signed here for that."""
        match = _TOKEN.fullmatch(token)
        if match is None or not self.is_proof(match[3], kind, match[1], match[2]):
            return None
        return match[1], match[2]

    def link(self, culture: str) -> str:
        """Return a personal link's token, for one person of a culture; another one each time."""
        return self.sign("link", culture, secrets.token_hex(10))

    def code(self, place_id: str) -> str:
        """Return the code by which a person goes on in another browser: 40 bits, `ABCD-2345`."""
        letters = base64.b32encode(bytes.fromhex(self.proof("code", place_id)))[:8].decode()
        return f"{letters[:4]}-{letters[4:]}"

    def is_code(self, text: str, place_id: str) -> bool:
        typed = re.sub(r"[\W_]", "", text).upper().encode("utf-8", "replace")
        return hmac.compare_digest(self.code(place_id).replace("-", "").encode(), typed)

    def picture(self, content: bytes) -> str:
        """Return a picture's name, which tells nothing of it and stays as long as it does."""
        key = hmac.digest(self.secret, b"memeloc survey serve pictures", "sha256")
        return hmac.digest(key, content, "sha256").hex()[:32]


# The ASN.1 of a SHA-256 in an RSASSA-PKCS1-v1_5 signature: RFC 8017, 9.2, note 1.
_SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")


def read_signed(token: str, keys: Path, host: str, at: datetime) -> Mapping[str, str] | None:
    """Return the parameters that Prolific has signed, or None: docs.prolific.com, "get-study-jwks".

    A JSON Web Token (RFC 7519) with RS256 under one of the `keys`, for this `host` (any where it is
    empty), not expired `at`; its claim `prolific` has the parameters of the study's address. Raise
    InputError if `keys` is no such file.
    """
    try:
        by_id = {key["kid"]: key for key in json.loads(keys.read_text(encoding="utf-8"))["keys"]}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError("This is no set of public keys (JWKS).", file=keys) from error

    def decoded(text: str) -> bytes:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))

    try:
        head, body, signature = token.split(".")
        header, claims = json.loads(decoded(head)), json.loads(decoded(body))
        modulus, exponent = (int.from_bytes(decoded(by_id[header["kid"]][name])) for name in "ne")
        size = (modulus.bit_length() + 7) // 8
        digest = _SHA256 + hashlib.sha256(f"{head}.{body}".encode()).digest()
        expected = b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest
        opened = pow(int.from_bytes(decoded(signature)), exponent, modulus).to_bytes(size)
        audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        is_valid = (
            header["alg"] == "RS256"
            and hmac.compare_digest(expected, opened)
            and at.timestamp() < float(claims["exp"])
            and (not host or host in {urlsplit(name).hostname or name for name in audience})
        )
        return {str(k): str(v) for k, v in claims["prolific"].items()} if is_valid else None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None


OPEN, COMPLETE, RETURNED = "open", "complete", "returned"
FAILED_CHECKS, SCREENED_OUT = "failed_checks", "screened_out"
"""What a place is, or how the person came to the sheet's end."""

LINK = "link"
"""The origin of whoever came by a personal link, not by a service."""

Refusal = Literal["serve.full", "serve.taken", "serve.time"]
"""Why somebody gets no place, by the text that says so."""


@dataclass(frozen=True, slots=True)
class Place:
    """Somebody's place in a sheet; `participant` is hashed, and `held_until` when it is freed.
    `presented` is as of `Submission`, None before the person has agreed to take part."""

    id: str
    survey: str
    sheet: str
    participant: str
    sex: str
    status: str
    held_until: datetime
    created_at: datetime
    origin: str | None = None
    presented: Mapping[str, Any] | None = None

    def is_held(self, at: datetime) -> bool:
        """Return whether nobody else can have it: it is open, and its time is not over."""
        return self.status == OPEN and at < self.held_until


def raw_submission(
    place: Place, answers: Mapping[str, Mapping[str, Any]], submitted: datetime
) -> RawSubmission:
    """Return what was answered at a place, by item as it is stored; the end is not known."""
    return RawSubmission(
        place.participant,
        [
            RawAnswer(
                item,
                {LABEL: [value["label"]] if value["label"] else [], **value.get("further", {})},
                shown=value.get("shown"),
                took=value.get("took"),
            )
            for item, value in answers.items()
        ],
        sheet=place.sheet,
        id=place.id,
        consent=True,
        started=place.created_at,
        submitted=submitted,
        presented=place.presented or {},
    )


@dataclass(frozen=True, slots=True)
class Occupancy:
    """The places that are taken.

    Attributes:
        people: by sheet, how many filled it or are at it; `sexes`, the same by sheet and sex.
        places: those of the person who comes, in the order of time.
        filled: sheets that the person filled, wherever.
    """

    people: Mapping[str, int]
    sexes: Mapping[tuple[str, str], int]
    places: Sequence[Place] = ()
    filled: Collection[str] = ()


class Assigner:
    """Assigns people to sheets. Nobody gets a sheet twice, nor a meme, unless the design allows
    that, and who was screened out gets no other. Of the sheets that somebody can have, the one with
    the fewest people is given, the first of several."""

    def __init__(self, sheets: Sequence[Sheet], settings: ServeSettings) -> None:
        self._sheets = {sheet.id: sheet for sheet in sheets}
        self._settings = settings

    def assign(
        self,
        sheets: Sequence[str],
        taken: Occupancy,
        at: datetime,
        *,
        is_study: bool = False,
        sex: str = "",
        most: int = 1,
    ) -> Place | Sheet | Refusal:
        """Return the place to go on with or whose end is shown, a sheet to begin, or why not.
        Somebody comes for one of the `sheets` (ids; `is_study` if that is the one of their study),
        of `most` that they may fill in all."""
        places = [place for place in taken.places if place.sheet in sheets]
        for place in places:
            if place.status == OPEN:
                return place if place.is_held(at) or self.has_room(place, taken) else "serve.time"
        if is_study and places:
            return places[-1]
        had = {place.sheet for place in taken.places} | set(taken.filled)
        is_out = any(place.status in (FAILED_CHECKS, SCREENED_OUT) for place in taken.places)
        if is_out or len(had) >= most:
            return places[-1] if places else "serve.taken"
        seen = {meme for name in had & self._sheets.keys() for meme in self._sheets[name].memes}
        free = [
            sheet
            for sheet in map(self._sheets.__getitem__, sheets)
            if sheet.id not in had
            and self._is_free(sheet, sex, taken)
            and (self._settings.repeat_memes or seen.isdisjoint(sheet.memes))
        ]
        if not free:
            return places[-1] if places else "serve.full"
        return min(free, key=lambda sheet: taken.people.get(sheet.id, 0))

    def has_room(self, place: Place, taken: Occupancy) -> bool:
        """Return whether a place whose time is over can be taken up again."""
        sheet = self._sheets.get(place.sheet)
        return sheet is not None and self._is_free(sheet, place.sex, taken)

    def _is_free(self, sheet: Sheet, sex: str, taken: Occupancy) -> bool:
        of_culture = [each for each in self._sheets.values() if each.culture == sheet.culture]
        people = sum(taken.people.get(each.id, 0) for each in of_culture)
        of_sex = sum(taken.sexes.get((each.id, sex), 0) for each in of_culture)
        places = sum(each.wanted for each in of_culture)
        return (
            taken.people.get(sheet.id, 0) < sheet.wanted
            and people < self._settings.people.get(sheet.culture.code, places)
            and of_sex < math.ceil(self._settings.sex.get(sex, 1.0) * places)
        )


def cannot_pass(sheet: Sheet, labels: Mapping[str, str], rule: Attention) -> bool:
    """Return whether the checks of a sheet are failed, whatever is still answered.

    Args:
        labels: those so far, by the entry's id.
        rule: how many may be missed (multi3hate A.6); one that is off is never failed.
    """
    checks = [entry for entry in sheet.entries if isinstance(entry, Check)]
    wrong = [check for check in checks if labels.get(check.id, check.expected) != check.expected]
    explicit = sum(check.kind == "explicit" for check in wrong)
    implicit = sum(check.kind == "implicit" for check in checks)
    spare = implicit - min(rule.implicit_passed, implicit)
    return rule.on and (explicit > rule.explicit_missed or len(wrong) - explicit > spare)


def training_items(survey: SheetsToSend, sheet: Sheet, number: int) -> tuple[Check, ...]:
    """Return the first examples of the taxonomy as items; they have ids that no entry has. They are
    asked as implicit checks are, so they look like memes. An example's label differs from the one
    before where that is possible, so that nobody learns the order."""
    taken = {entry_id(entry) for entry in sheet.entries}
    names = (name for each in count(1) if (name := f"training-{each}") not in taken)
    by_label: dict[str, list[str]] = {}
    for example in survey.taxonomy.examples:
        by_label.setdefault(example.label, []).append(example.id)
    order = sorted(survey.taxonomy.examples, key=lambda each: by_label[each.label].index(each.id))
    code = sheet.culture.code
    return tuple(
        Check(name, "implicit", each.label, each.id, survey.examples.get((code, each.id)))
        for name, each in zip(names, islice(order, number), strict=False)
    )


class PageTexts(SheetTexts):
    """A sheet's texts, with `number` training items before the first meme.

    The introduction does not explain the examples that are asked as training.

    Attributes:
        original: the sheet without them.
        training: the training items by the keys that the page names them by, in order.
        entries: all entries by these keys, in order.
    """

    def __init__(self, survey: SheetsToSend, sheet: Sheet, number: int) -> None:
        items = training_items(survey, sheet, number)
        super().__init__(survey, replace(sheet, entries=(*items, *sheet.entries)))
        self.original = sheet
        self.entries: dict[str, Entry] = {
            item_key(survey.name, sheet.id, entry_id(entry)): entry for entry in self.sheet.entries
        }
        self.training = dict(zip(self.entries, items, strict=False))
        examples = {item.example for item in items}
        others = tuple(each for each in survey.taxonomy.examples if each.id not in examples)
        self.survey = replace(survey, taxonomy=replace(survey.taxonomy, examples=others))

    def introduction(self) -> str:
        text = super().introduction()
        if not self.training:
            return text
        between = "" if text.endswith("。") else " "
        return f"{text}{between}{self.get('serve.practice', count=len(self.training))}"

    def feedback(self, item: Check, label: str) -> dict[str, object]:
        """Return the feedback on an answer to a training item."""
        is_right = label == item.expected
        text = "serve.right" if is_right else "serve.wrong"
        values = {"why": self.reasons[item.example], "label": self.labels[item.expected]}
        return {"correct": is_right, "text": self.get(text, **values)}
