"""Drafts are made once, published only when it is said and agreed to; against a real server."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from memeloc.errors import InputError, MissingError
from memeloc.request_pool import Backoff
from memeloc.survey.model import Check, codes
from memeloc.survey.quality.checking import check
from memeloc.survey.quality.decisions import Decision, decisions
from memeloc.survey.targets.prolific.api import STUDIES_FILTER, TOKEN, ProlificApi
from memeloc.survey.targets.prolific.studies import (
    GROUP_FILTER,
    load_filters,
    lookup,
    write_filters,
)
from memeloc.survey.targets.prolific.target import Prolific
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.services import RequestError
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import load_taxonomy
from tests.each import each
from tests.survey import prolific_server
from tests.survey.annotators import fill, person, sheet
from tests.survey.packs import MemoryState
from tests.survey.prolific_server import ProlificServer, offered, offered_records, problems

SHEETS = (sheet("DE"), sheet("US"), sheet("IN"))
CULTURES = tuple(sheet.culture for sheet in SHEETS)
PACK = SheetsToSend(
    "pilot",
    SHEETS,
    load_taxonomy("multi3hate"),
    {sheet.culture.locale.tag: survey_texts(sheet.culture.locale) for sheet in SHEETS},
    {sheet.id: codes("pilot", sheet.id, bytes(range(32))) for sheet in SHEETS},
    minutes=20,
)
COUNTRIES = sorted({names[0] for names in load_filters().countries.values()})
MAKING = "POST studies/"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProlificServer]:
    with ProlificServer().serving() as state:
        state.filters = offered(COUNTRIES)
        monkeypatch.setenv(TOKEN, prolific_server.TOKEN)
        yield state


@pytest.fixture
def filters(tmp_path: Path) -> str:
    records = offered_records(COUNTRIES)
    filters, missing = lookup(load_filters(), records, CULTURES)
    assert missing == []
    write_filters(filters, tmp_path / "filters.toml")
    return str(tmp_path / "filters.toml")


@pytest.fixture
def target(server: ProlificServer, filters: str) -> Prolific:
    return prolific(server, filters=filters)


@pytest.fixture
def made() -> MemoryState:
    return MemoryState()


def prolific(server: ProlificServer, **options: Any) -> Prolific:
    target = Prolific(**{"urls": "https://survey.example/", "endpoint": server.address, **options})
    target.backoff = Backoff(attempts=4, first=0.001, longest=0.002, seed=1)
    return target


def agreed(_: str) -> bool:
    return True


def asked(_: str) -> bool:
    pytest.fail("asked")


def whole(server: ProlificServer) -> None:
    """There is one valid draft a sheet, in one group."""
    names = [study["internal_name"] for study in server.studies.values()]
    assert sorted(names) == sorted(f"memeloc pilot {sheet.id}" for sheet in SHEETS)
    (group,) = server.groups
    for study in server.studies.values():
        kept_out = [
            criterion for criterion in study["filters"] if criterion["filter_id"] == GROUP_FILTER
        ]
        assert [each["selected_values"] for each in kept_out] == [[group]]


def published(server: ProlificServer) -> list[str]:
    return [call for call in server.calls if call.endswith("transition/")]


def column(rows: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    return [row[name] for row in rows]


@pytest.mark.parametrize("style", ["page", "offset", "whole"])
def test_a_lost_state_finds_what_was_made_among_many(
    server: ProlificServer, target: Prolific, style: str
) -> None:
    server.style = style
    for number in range(130):
        other = {"id": f"other{number}", "internal_name": None, "status": "COMPLETED"}
        server.studies[f"other{number}"] = other
        server.groups[f"group{number}"] = {"id": f"group{number}", "name": f"g{number}"}
    first = target.push(PACK, MemoryState())
    again = target.push(PACK, MemoryState())
    assert column(again, "study") == column(first, "study")
    assert not any(column(again, "made"))
    assert server.calls.count(MAKING) == 3
    assert server.calls.count("POST participant-groups/") == 1


@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("fault", ["cut", "half", "drop", 429, 503])
def test_what_passes_is_waited_for_and_makes_no_second_study(
    server: ProlificServer, target: Prolific, made: MemoryState, fault: int | str, place: int
) -> None:
    server.faults[MAKING] = [*["ok"] * place, fault]
    server.faults["POST participant-groups/"] = [fault]
    assert all(column(target.push(PACK, made), "made"))
    whole(server)


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("tkn-wrong-and-secret", r"does not accept the token.*\[token\]"),
        ("", "needs a token"),
        ("a b\nc", "needs a token"),
    ],
)
def test_a_refused_token_is_reported_without_it(
    server: ProlificServer,
    target: Prolific,
    made: MemoryState,
    monkeypatch: pytest.MonkeyPatch,
    token: str,
    message: str,
) -> None:
    monkeypatch.setenv(TOKEN, token)
    with pytest.raises(MissingError, match=message) as caught:
        target.push(PACK, made)
    assert not token or token not in str(caught.value)
    assert server.studies == {}


def test_the_token_stands_nowhere(
    server: ProlificServer,
    target: Prolific,
    made: MemoryState,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        texts = [repr(target.push(PACK, made, publish=True, agree=agreed)), repr(made)]
        with ProlificApi(server.address) as api:
            texts.append(repr(api))
            with pytest.raises(RequestError) as refused:
                api.call("POST", "studies/", {"name": prolific_server.TOKEN})
            texts.append(str(refused.value))
    for text in (*texts, out.getvalue(), caplog.text):
        assert prolific_server.TOKEN not in text
    assert all(prolific_server.TOKEN not in each.path for each in server.requests)
    assert all(each.headers["Authorization"].startswith("Token ") for each in server.requests)


# Publishing


def test_nothing_is_published_without_agreeing_to_the_money(
    server: ProlificServer, target: Prolific, made: MemoryState
) -> None:
    shown: list[str] = []
    answers: list[Any] = [False, None, 1, "yes"]

    def answer(sentence: str) -> Any:
        shown.append(sentence)
        return answers[len(shown) - 1]

    for _ in answers:
        rows = target.push(PACK, made, publish=True, agree=answer)
        assert set(column(rows, "status")) == {"UNPUBLISHED"}
    target.push(PACK, made, publish=True)
    assert published(server) == []
    # 3 studies of 5 places at 3.55, a fee of 40 % and a fifth of the fee as tax.
    sentence = "Publishing 3 studies costs 78.81 GBP, fee and tax included; people get 53.25 of it."
    assert shown == [sentence] * len(answers)


def test_money_is_shown_first_and_people_are_kept_to_one_sheet(
    server: ProlificServer, target: Prolific, made: MemoryState
) -> None:
    def agree(_: str) -> bool:
        assert published(server) == []
        assert server.calls.count("POST study-cost-calculator/") == 3
        return True

    rows = target.push(PACK, made, publish=True, agree=agree)
    assert column(rows, "status") == ["ACTIVE"] * 3
    before: list[str] = []
    for number in column(rows, "study"):
        study = server.studies[number]
        kept_out = [
            criterion["selected_values"]
            for criterion in study["filters"]
            if criterion["filter_id"] == STUDIES_FILTER
        ]
        assert kept_out == ([sorted(before)] if before else [])
        assert problems({key: study[key] for key in study.keys() - _READ_ONLY}) == []
        before.append(number)
    # A second time there is nothing to publish, and no money to be shown.
    again = target.push(PACK, made, publish=True, agree=asked)
    assert column(again, "status") == ["ACTIVE"] * 3
    assert len(published(server)) == 3


_READ_ONLY = {"id", "status", "presentment_currency_code"}


# What stops a push before anything is made


@each(
    "address",
    [
        "http://api.prolific.com",
        "ftp://localhost",
        "https://me:x@api.prolific.com",
        "https://",
        "https://[x",
        "https://api.prolific.com/?a=b",
    ],
)
def test_the_token_goes_over_https_or_to_this_machine_only(address: str) -> None:
    with pytest.raises(InputError, match="begins with https://"):
        ProlificApi(address)


# Decisions


def decided(*who: str) -> list[Decision]:
    """One who is approved, one who is asked to return, and one who is rejected."""
    first, second, third = who
    on = replace(SHEETS[1], entries=(*SHEETS[1].entries, Check("check-5", "explicit", "hate")))
    submissions = [
        fill(on, first),
        fill(on, second, wrong=("check-1", "check-2", "check-3")),
        fill(on, third, wrong=("check-1", "check-5")),
    ]
    people = [replace(person(each, on), submission=f"sub{each}") for each in who]
    drawn = decisions(check(submissions, [on], people), {on.id: 12})
    assert sorted(each.action for each in drawn) == ["approve", "reject", "return"]
    return drawn


def own_ids(expected: Sequence[Decision]) -> dict[str, str]:
    return {each.service: each.service for each in expected}


def test_decisions_are_sent_once_and_only_when_agreed_to(
    server: ProlificServer, target: Prolific, made: MemoryState
) -> None:
    drawn = decided("a", "b", "c")
    ids = own_ids(drawn)
    server.awaiting(*ids)
    assert target.decide(drawn, ids, made) == {}
    assert server.calls == []
    sentences: list[str] = []

    def agree(sentence: str) -> bool:
        sentences.append(sentence)
        return True

    assert target.decide(drawn, ids, made, agree=agree) == {"sent": 3}
    assert sentences == [
        "Sending to Prolific: approve 1, reject 1, return 1. This cannot be taken back."
    ]
    assert server.submissions["suba"]["status"] == "APPROVED"
    assert server.submissions["subb"]["return_requested"]
    (rejected,) = server.submissions["subc"]["bodies"]
    assert rejected["rejection_category"] == "FAILED_CHECK"
    assert len(rejected["message"]) >= 100
    assert target.decide(drawn, ids, made, agree=asked) == {"sent before": 3}
    late = target.decide(drawn, ids, MemoryState(), agree=agreed)
    assert late == {"APPROVED": 1, "REJECTED": 1, "return requested": 1}
    assert all(len(submission["bodies"]) == 1 for submission in server.submissions.values())
