"""Sheets are given out once, and to whom a token names."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memeloc.locales import default
from memeloc.survey.model import Check, Culture, Entry, MemeEntry, Sheet
from memeloc.survey.quality.rules import Attention
from memeloc.survey.serving import (
    Assigner,
    Occupancy,
    Place,
    ServeSettings,
    Tokens,
    cannot_pass,
)
from tests.each import each

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


SOON, BEFORE = NOW + timedelta(hours=1), NOW - timedelta(hours=1)


def sheet(name: str, memes: str, code: str = "US", wanted: int = 2) -> Sheet:
    culture = Culture(code, default().get("en"))
    entries: tuple[Entry, ...] = tuple(MemeEntry(meme, "t", Path("p.jpg")) for meme in memes)
    return Sheet(name, "pilot", name, 1, culture, "multi3hate", entries, wanted)


SHEETS = (
    sheet("a-US", "mn"), sheet("b-US", "op"), sheet("c-US", "nq"), sheet("a-DE", "mn", "DE"),
)  # fmt: skip


def place(of: str, status: str = "open", until: datetime = SOON) -> Place:
    return Place("7", "pilot", of, "who", "", status, until, BEFORE)


def assign(
    sheet: str = "",
    culture: str = "",
    who: str = "",
    came: dict[str, int] | None = None,
    **more: Any,
) -> object:
    """What who comes for a sheet, or with a culture, gets."""
    values = {key: more.pop(key) for key in list(more) if key not in ("places", "filled", "sexes")}
    names = [each.id for each in SHEETS if sheet == each.id or each.culture.code == culture]
    taken = Occupancy(Counter(came or {}), more.pop("sexes", {}), **more)
    most = values.get("sheets", 1)
    return Assigner(SHEETS, ServeSettings(**values)).assign(
        names, taken, NOW, is_study=bool(sheet), sex=who, most=most
    )


def test_a_study_leads_to_its_sheet_and_a_culture_to_the_emptiest() -> None:
    assert assign(sheet="b-US") == SHEETS[1]
    assert assign(culture="US") == SHEETS[0]
    assert assign(culture="US", came={"a-US": 1, "b-US": 1}) == SHEETS[2]
    assert assign(culture="FR") == "serve.full"


def test_nobody_gets_a_meme_twice_unless_the_design_allows_it() -> None:
    done = place("a-US", "complete")
    assert assign(culture="US", places=[done], sheets=3) == SHEETS[1]
    assert assign(sheet="c-US", places=[done], sheets=3) == "serve.full"
    assert assign(sheet="c-US", places=[done], sheets=3, repeat_memes=True) == SHEETS[2]


@pytest.mark.parametrize("status", ["failed_checks", "screened_out"])
def test_who_was_screened_out_gets_no_other_sheet(status: str) -> None:
    out = place("a-US", status)
    assert assign(culture="US", places=[out], sheets=3) == out
    assert assign(sheet="b-US", places=[out], sheets=3) == "serve.taken"
    assert assign(sheet="b-US", places=[place("a-US", "returned")], sheets=3) == SHEETS[1]


def test_quotas_by_culture_and_by_sex() -> None:
    assert assign(culture="US", came={"a-US": 2, "b-US": 1}, people={"US": 3}) == "serve.full"
    half = {"female": 0.5, "male": 0.5}
    sexes = {("a-US", "female"): 2, ("b-US", "female"): 1}
    people = {"a-US": 2, "b-US": 1}
    assert assign(culture="US", who="female", came=people, sexes=sexes, sex=half) == "serve.full"
    assert assign(culture="US", who="male", came=people, sexes=sexes, sex=half) == SHEETS[2]
    assert assign(culture="US", who="other", came=people, sexes=sexes, sex=half) == SHEETS[2]


def test_checks_that_cannot_be_passed_any_more() -> None:
    checks = [Check("check-1", "explicit", "hate")]
    checks += [Check(f"check-{n}", "implicit", "hate") for n in (2, 3, 4)]
    of = replace(SHEETS[0], entries=(*SHEETS[0].entries, *checks))
    rule = Attention()
    assert not cannot_pass(of, {}, rule)
    assert not cannot_pass(of, {"check-1": "hate", "check-2": "no-hate"}, rule)
    assert cannot_pass(of, {"check-2": "no-hate", "check-3": "no-hate"}, rule)
    assert cannot_pass(of, {"check-1": "no-hate"}, rule)
    assert not cannot_pass(of, {"check-1": "no-hate"}, Attention(on=False))


TOKENS = Tokens("pilot", b"k" * 32)


@each(
    "changed",
    [
        lambda token: token.replace("DE", "US"),
        lambda token: token[:-1] + ("0" if token[-1] != "0" else "1"),
        lambda token: token.upper(),
        lambda token: "",
        lambda token: "é" * 40,
        lambda token: token + "\n",
    ],
)
def test_a_changed_token_is_none(changed: object) -> None:
    assert callable(changed)
    assert TOKENS.read("place", changed(TOKENS.sign("place", "a1b2", "r1-b03-DE"))) is None


def test_a_token_is_for_one_survey_and_one_use() -> None:
    token = TOKENS.sign("place", "a1b2", "r1-b03-DE")
    assert Tokens("other", b"k" * 32).read("place", token) is None
    assert Tokens("pilot", b"l" * 32).read("place", token) is None
    assert TOKENS.read("link", token) is None
