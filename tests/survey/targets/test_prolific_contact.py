"""Bonuses are paid and messages sent once, whatever is lost; against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

pytest.importorskip("httpx")

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.request_pool import Backoff
from memeloc.survey.rewards import THANKS, TIME, Bonus
from memeloc.survey.targets.prolific.client import TOKEN
from memeloc.survey.targets.prolific.target import Prolific
from tests.survey import prolific_server
from tests.survey.packs import MemoryState
from tests.survey.prolific_server import ProlificServer

SET_UP, PAY = "POST submissions/bonus-payments/", "POST bulk-bonus-payments/ID/pay/"
NUMBERS = [f"{n:024x}" for n in range(1, 4)]
IDS = {f"s{n}": number for n, number in enumerate(NUMBERS)}
DUE = [Bonus(f"p{n}", f"s{n}", "r1-b01-DE", Decimal("0.50"), TIME) for n in range(3)]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProlificServer]:
    with prolific_server.serving() as (state, address):
        state.address = address
        state.studies["study1"] = study("study1")
        state.awaiting(*NUMBERS, study="study1", status="APPROVED")
        monkeypatch.setenv(TOKEN, prolific_server.TOKEN)
        yield state


@pytest.fixture
def target(server: ProlificServer) -> Prolific:
    target = Prolific(endpoint=server.address)
    target.backoff = Backoff(attempts=3, first=0.001, longest=0.002, seed=1)
    return target


@pytest.fixture
def made() -> MemoryState:
    return MemoryState()


def study(number: str, currency: str = "GBP") -> dict[str, Any]:
    return {"id": number, "status": "ACTIVE", "presentment_currency_code": currency}


def agreed(_: str) -> bool:
    return True


def asked(_: str) -> bool:
    pytest.fail("asked")


def paid(server: ProlificServer) -> list[list[int]]:
    return [server.submissions[number]["bonus_payments"] for number in NUMBERS]


def test_a_bonus_is_paid_once_after_the_sum_was_agreed_to(
    server: ProlificServer, target: Prolific, made: MemoryState
) -> None:
    costs: list[str] = []
    assert target.pay_bonuses(DUE, IDS, made, agree=lambda text: bool(costs.append(text))) == {}
    # 150 minor units, 40 % of fee on them, and a fifth of that as tax.
    assert costs == [
        "Paying bonuses for 3 submissions costs 2.22 GBP, fee and tax included; people get 1.50 of "
        "it. This cannot be taken back."
    ]
    assert (paid(server), PAY in server.calls) == ([[]] * 3, False)
    assert target.pay_bonuses(DUE, IDS, made, agree=agreed) == {"sent": 3}
    assert paid(server) == [[50]] * 3
    assert target.pay_bonuses(DUE, IDS, made, agree=asked) == {"sent before": 3}
    assert paid(server) == [[50]] * 3


def test_only_what_is_still_due_is_paid(
    server: ProlificServer, target: Prolific, made: MemoryState
) -> None:
    target.pay_bonuses(DUE[:1], IDS, made, agree=agreed)
    more = Bonus("p0", "s0", "r1-b01-DE", Decimal("0.80"), TIME)
    thanks = Bonus("p0", "s0", "r1-b01-DE", Decimal("0.50"), THANKS)
    for bonus in (more, thanks, more, thanks):
        target.pay_bonuses([bonus], IDS, made, agree=agreed)
    assert paid(server)[0] == [50, 30, 50]


def test_who_is_not_approved_or_not_known_gets_no_bonus(
    server: ProlificServer, target: Prolific, made: MemoryState
) -> None:
    server.submissions[NUMBERS[1]]["status"] = "REJECTED"
    ids = {name: number for name, number in IDS.items() if name != "s2"}
    outcomes = target.pay_bonuses(DUE, ids, made, agree=agreed)
    assert outcomes == {"sent": 1, "REJECTED": 1, "no id": 1}
    assert paid(server) == [[50], [], []]


@pytest.mark.parametrize("fault", ["cut", "half", 503])
def test_a_lost_answer_never_pays_twice(
    server: ProlificServer, target: Prolific, made: MemoryState, fault: int | str
) -> None:
    server.faults[PAY] = [fault]
    with pytest.raises(ServiceError, match="not known whether 3 bonuses were paid"):
        target.pay_bonuses(DUE, IDS, made, agree=agreed)
    assert server.calls.count(PAY) == 1
    outcomes = target.pay_bonuses(DUE, IDS, made, agree=agreed)
    # What was done is seen at the submissions; what is not seen there is left to a person.
    assert outcomes == ({"sent before": 3} if fault != 503 else {"unclear": 3})
    assert paid(server) == ([[50]] * 3 if fault != 503 else [[]] * 3)
    assert server.calls.count(PAY) == 1


def test_a_refused_payment_can_be_sent_again(
    server: ProlificServer, target: Prolific, made: MemoryState
) -> None:
    server.faults[PAY] = [400]
    with pytest.raises(ServiceError, match="400"):
        target.pay_bonuses(DUE, IDS, made, agree=agreed)
    assert target.pay_bonuses(DUE, IDS, made, agree=agreed) == {"sent": 3}
    assert paid(server) == [[50]] * 3


def test_setting_up_pays_nothing_and_is_tried_again(
    server: ProlificServer, target: Prolific, made: MemoryState
) -> None:
    server.faults[SET_UP] = ["cut", 503]
    assert target.pay_bonuses(DUE, IDS, made, agree=agreed) == {"sent": 3}
    assert len(server.bonuses) == 2
    assert paid(server) == [[50]] * 3


def test_a_study_in_another_currency_is_paid_nothing(
    server: ProlificServer, target: Prolific, made: MemoryState
) -> None:
    server.studies["study1"] = study("study1", "USD")
    with pytest.raises(InputError, match="pays in USD, and the wage is in GBP"):
        target.pay_bonuses(DUE, IDS, made, agree=asked)
    assert SET_UP not in server.calls


def test_a_token_without_rights_leaves_nothing_unclear(
    server: ProlificServer, target: Prolific, made: MemoryState
) -> None:
    server.faults[PAY] = [403]
    with pytest.raises(MissingError):
        target.pay_bonuses(DUE, IDS, made, agree=agreed)
    assert target.pay_bonuses(DUE, IDS, made, agree=agreed) == {"sent": 3}
