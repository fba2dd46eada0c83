"""Drafts are made once, published only when it is said and agreed to; against a real server."""

from __future__ import annotations

import io
import json
import logging
import pickle
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.request_pool import Backoff
from memeloc.survey.codes import codes
from memeloc.survey.model import Check
from memeloc.survey.quality.checking import check
from memeloc.survey.quality.decisions import Decision, decisions
from memeloc.survey.targets.prolific.back import ProlificBack
from memeloc.survey.targets.prolific.client import (
    TOKEN,
    ApiSettings,
    ProlificApi,
    StatusError,
    checked_id,
)
from memeloc.survey.targets.prolific.decide import tell
from memeloc.survey.targets.prolific.export import Prolific
from memeloc.survey.targets.prolific.filters import load_filters, lookup, write_filters
from memeloc.survey.targets.prolific.push import FileState, Money, PushSettings, studies_made
from memeloc.survey.targets.prolific.studies import GROUP_FILTER, STUDIES_FILTER
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.taxonomy import load_taxonomy
from memeloc.survey.texts import survey_texts
from tests.survey import prolific_server
from tests.survey.annotators import fill, person, sheet
from tests.survey.prolific_server import ProlificServer, offered, problems

SHEETS = (sheet("DE"), sheet("US"), sheet("IN"))
CULTURES = tuple(one.culture for one in SHEETS)
PACK = SurveyPack(
    "pilot",
    SHEETS,
    load_taxonomy("multi3hate"),
    {one.culture.locale.tag: survey_texts(one.culture.locale) for one in SHEETS},
    {one.id: codes("pilot", one.id, bytes(range(32))) for one in SHEETS},
    minutes=20,
)
COUNTRIES = sorted({names[0] for names in load_filters().countries.values()})
MAKING = "POST studies/"


@pytest.fixture
def there() -> Iterator[tuple[ProlificServer, str]]:
    with prolific_server.serving() as (state, address):
        state.filters = offered(COUNTRIES)
        yield state, address


@pytest.fixture
def exporter(tmp_path: Path) -> Prolific:
    found, missing = lookup(
        load_filters(), offered(COUNTRIES), CULTURES, source="x", day="2026-11-21"
    )
    assert missing == []
    write_filters(found, tmp_path / "filters.toml")
    return Prolific(urls="https://survey.example/", filters=tmp_path / "filters.toml")


def settings(tmp_path: Path, address: str, **values: Any) -> PushSettings:
    backoff = Backoff(attempts=4, first=0.001, longest=0.002, seed=1)
    options: dict[str, Any] = {"environ": {TOKEN: prolific_server.TOKEN}}
    return PushSettings(
        FileState(tmp_path / "made.json"),
        ApiSettings(address, timeout=10, backoff=backoff),
        **(options | values),
    )


def whole(state: ProlificServer) -> None:
    """There is one valid draft a sheet, in one group."""
    names = [one["internal_name"] for one in state.studies.values()]
    assert sorted(names) == sorted(f"memeloc pilot {one.id}" for one in SHEETS)
    assert len(state.groups) == 1
    (group,) = state.groups
    for one in state.studies.values():
        assert [each["selected_values"] for each in one["filters"]
                if each["filter_id"] == GROUP_FILTER] == [[group]]  # fmt: skip


def published(state: ProlificServer) -> list[str]:
    return [call for call in state.calls if call.endswith("transition/")]


def test_a_dry_run_asks_prolific_nothing(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    state, address = there
    found = exporter.push(PACK, settings(tmp_path, address, dry_run=True, environ={}))
    assert [(one.sheet, one.study, one.made) for one in found] == [
        (one.id, "", False) for one in SHEETS
    ]
    assert state.calls == []
    assert not (tmp_path / "made.json").exists()


def test_drafts_are_made_once_and_none_is_published(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    state, address = there
    found = exporter.push(PACK, settings(tmp_path, address))
    assert [one.status for one in found] == ["UNPUBLISHED"] * 3
    assert all(one.made for one in found)
    whole(state)
    assert published(state) == []
    again = exporter.push(PACK, settings(tmp_path, address))
    assert [(one.study, one.made) for one in again] == [(one.study, False) for one in found]
    assert state.calls.count(MAKING) == 3
    made = studies_made(FileState(tmp_path / "made.json").values)
    assert made == {one.study: one.sheet for one in found}
    assert ProlificBack(tmp_path / "made.json").studies == made


@pytest.mark.parametrize("style", ["page", "offset", "whole"])
def test_a_lost_state_finds_what_was_made_among_many(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific, style: str
) -> None:
    state, address = there
    state.style = style
    for number in range(130):
        other = {"id": f"other{number}", "internal_name": None, "status": "COMPLETED"}
        state.studies[f"other{number}"] = other
        state.groups[f"group{number}"] = {"id": f"group{number}", "name": f"g{number}"}
    first = exporter.push(PACK, settings(tmp_path, address))
    (tmp_path / "made.json").unlink()
    again = exporter.push(PACK, settings(tmp_path, address))
    assert [one.study for one in again] == [one.study for one in first]
    assert not any(one.made for one in again)
    assert state.calls.count(MAKING) == 3
    assert state.calls.count("POST participant-groups/") == 1


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("fault", ["cut", "half", "drop", 429, 503])
def test_what_passes_is_waited_for_and_makes_no_second_study(
    tmp_path: Path,
    there: tuple[ProlificServer, str],
    exporter: Prolific,
    fault: int | str,
    place: int,
) -> None:
    state, address = there
    state.faults[MAKING] = [*["ok"] * place, fault]
    state.faults["POST participant-groups/"] = [fault]
    found = exporter.push(PACK, settings(tmp_path, address))
    assert all(one.made for one in found)
    whole(state)


def test_a_run_that_died_goes_on_where_it_was(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    state, address = there
    # The second study is made, and its answer never comes, however often it is asked for.
    state.faults[MAKING] = ["ok", "cut"]
    state.faults["GET studies/"] = ["ok", *["drop"] * 8]
    with pytest.raises(ServiceError, match="Prolific"):
        exporter.push(PACK, settings(tmp_path, address))
    assert len(state.studies) == 2
    assert len(studies_made(FileState(tmp_path / "made.json").values)) == 1
    state.faults.clear()
    found = exporter.push(PACK, settings(tmp_path, address))
    assert [one.made for one in found] == [False, False, True]
    whole(state)


def test_retry_after_is_kept_to(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    state, address = there
    state.retry_after = 1
    state.faults["GET filters/"] = [429]
    before = time.monotonic()
    exporter.push(PACK, settings(tmp_path, address))
    assert time.monotonic() - before >= 1
    impatient = Backoff(attempts=4, first=0.001, patience=0.5, seed=1)
    state.faults["GET filters/"] = [429]
    with pytest.raises(ServiceError, match="429"):
        exporter.push(
            PACK, replace(settings(tmp_path, address), api=ApiSettings(address, backoff=impatient))
        )


def test_a_token_that_is_not_accepted_is_told_without_it(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    state, address = there
    secret = "tkn-wrong-and-secret"
    with pytest.raises(MissingError, match="does not accept the token") as caught:
        exporter.push(PACK, settings(tmp_path, address, environ={TOKEN: secret}))
    assert secret not in str(caught.value)
    assert "[token]" in str(caught.value)
    assert state.studies == {}
    with pytest.raises(MissingError, match="wants a token"):
        exporter.push(PACK, settings(tmp_path, address, environ={}))
    with pytest.raises(MissingError, match="no token"):
        exporter.push(PACK, settings(tmp_path, address, environ={TOKEN: "a b\nc"}))


def test_the_token_stands_nowhere(
    tmp_path: Path,
    there: tuple[ProlificServer, str],
    exporter: Prolific,
    caplog: pytest.LogCaptureFixture,
) -> None:
    state, address = there
    caplog.set_level(logging.DEBUG)
    out = io.StringIO()
    said: list[str] = []
    with redirect_stdout(out), redirect_stderr(out):
        chosen = settings(tmp_path, address)
        said.append(repr(exporter.push(PACK, chosen, publish=True, agree=lambda _: True)))
        with ProlificApi(chosen.api, chosen.environ) as api:
            said.append(repr(api))
            with pytest.raises(StatusError) as refused:
                api.ask("POST", "studies/", {"name": prolific_server.TOKEN})
            said += [str(refused.value), repr(pickle.loads(pickle.dumps(refused.value)))]
    files = [one.read_text() for one in tmp_path.rglob("*") if one.is_file()]
    for text in (*said, *files, out.getvalue(), caplog.text):
        assert prolific_server.TOKEN not in text
    assert all(prolific_server.TOKEN not in path for _, path, _ in state.sent)
    assert all(one["Authorization"].startswith("Token ") for one in state.headers)


def test_what_prolific_refuses_is_told_in_its_words(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    state, address = there
    chosen = settings(tmp_path, address)
    body = {**exporter.studies(PACK)[0].body, "content_warnings": ["violent"]}
    with ProlificApi(chosen.api, chosen.environ) as api, pytest.raises(StatusError) as caught:
        api.ask("POST", "studies/", body)
    assert caught.value.status == 400
    assert not caught.value.retryable
    assert "content_warnings" in str(caught.value)
    assert "'violent' is not one of ['sensitive', 'explicit']" in str(caught.value)
    assert state.calls.count(MAKING) == 1


# Publishing


def test_nothing_is_published_without_agreeing_to_the_money(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    state, address = there
    shown: list[Money] = []
    answers: list[Any] = [False, None, 1, "yes"]

    def answer(money: Money) -> Any:
        shown.append(money)
        return answers[len(shown) - 1]

    for _ in answers:
        found = exporter.push(PACK, settings(tmp_path, address), publish=True, agree=answer)
        assert {one.status for one in found} == {"UNPUBLISHED"}
    assert published(state) == []
    # 3 studies of 5 places at 3.55, a fee of 40 % and a fifth of the fee as tax.
    assert shown == [Money("GBP", {one.id: 2627 for one in SHEETS}, 3 * 5 * 355, 3 * 2627)] * len(
        answers
    )
    with pytest.raises(InputError, match="agreed to"):
        exporter.push(PACK, settings(tmp_path, address), publish=True)


def test_the_money_is_shown_first_and_people_are_kept_to_one_sheet(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    state, address = there

    def agree(_: Money) -> bool:
        assert published(state) == []
        assert state.calls.count("POST study-cost-calculator/") == 3
        return True

    found = exporter.push(PACK, settings(tmp_path, address), publish=True, agree=agree)
    assert [one.status for one in found] == ["ACTIVE"] * 3
    before: list[str] = []
    for one in found:
        study = state.studies[one.study]
        kept_out = [
            each["selected_values"]
            for each in study["filters"]
            if each["filter_id"] == STUDIES_FILTER
        ]
        assert kept_out == ([sorted(before)] if before else [])
        assert problems({key: study[key] for key in study.keys() - _READ_ONLY}) == []
        before.append(one.study)
    # A second time there is nothing to publish, and no money to be shown.
    again = exporter.push(
        PACK, settings(tmp_path, address), publish=True, agree=lambda _: pytest.fail("asked")
    )
    assert [one.status for one in again] == ["ACTIVE"] * 3
    assert len(published(state)) == 3


_READ_ONLY = {"id", "status", "presentment_currency_code"}


def test_publishing_that_was_cut_publishes_the_rest(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    state, address = there
    state.faults["POST studies/ID/transition/"] = ["ok", "cut", "drop"]
    found = exporter.push(PACK, settings(tmp_path, address), publish=True, agree=lambda _: True)
    assert [one.status for one in found] == ["ACTIVE"] * 3
    assert {one["status"] for one in state.studies.values()} == {"ACTIVE"}


def test_being_screened_out_is_in_the_money(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    _, address = there
    paying = Prolific(
        urls="https://survey.example/",
        filters=tmp_path / "filters.toml",
        screen_out_reward=20,
        screen_out_places=10,
    )
    shown: list[Money] = []

    def show(money: Money) -> bool:
        shown.append(money)
        return False

    paying.push(PACK, settings(tmp_path, address), publish=True, agree=show)
    (money,) = shown
    assert money.rewards == 3 * (5 * 355 + 10 * 20)
    assert money.total == 3 * (2627 + 296)


# What stops a push before anything is made


def test_what_is_missing_or_wrong_stops_it_first(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    state, address = there
    with pytest.raises(InputError, match="not known"):
        Prolific(urls="https://survey.example/").push(PACK, settings(tmp_path, address))
    with pytest.raises(InputError, match="name the addresses"):
        Prolific(filters=tmp_path / "filters.toml").push(PACK, settings(tmp_path, address))
    assert state.calls == []
    by_id = {one["filter_id"]: one for one in state.filters}
    right = dict(by_id["nationality"]["choices"])
    by_id["nationality"]["choices"] = dict.fromkeys(right, "Atlantis")
    with pytest.raises(InputError, match="'Atlantis' and not"):
        exporter.push(PACK, settings(tmp_path, address))
    by_id["nationality"]["choices"] = right
    state.workspaces = ["a", "b"]
    with pytest.raises(InputError, match=r"2 workspaces.*a = Lab; b = Lab"):
        exporter.push(PACK, settings(tmp_path, address))
    assert state.studies == {}


def test_a_draft_of_other_content_is_not_taken_for_it(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    state, address = there
    exporter.push(PACK, settings(tmp_path, address))
    longer = replace(PACK, minutes=30)
    with pytest.raises(InputError, match="drafted with other content"):
        exporter.push(longer, settings(tmp_path, address))
    (tmp_path / "made.json").unlink()
    with pytest.raises(InputError, match="whose reward is another"):
        exporter.push(longer, settings(tmp_path, address))
    assert state.calls.count(MAKING) == 3
    twin = dict(next(iter(state.studies.values())), id="twin")
    state.studies["twin"] = twin
    with pytest.raises(ServiceError, match="delete all but one"):
        exporter.push(PACK, settings(tmp_path, address))


def test_an_account_of_another_currency_is_told(
    tmp_path: Path, there: tuple[ProlificServer, str], exporter: Prolific
) -> None:
    state, address = there
    state.currency = "USD"
    with pytest.raises(InputError, match="pays in USD, and the wage is in GBP"):
        exporter.push(PACK, settings(tmp_path, address), publish=True, agree=lambda _: True)
    assert published(state) == []


@pytest.mark.parametrize(
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
        ProlificApi(ApiSettings(address), {TOKEN: "x"})


def test_ids_from_outside_cannot_leave_their_place() -> None:
    for strange in ("../users/me", "a/b", "", None, 7, "x" * 65, "a?b"):
        with pytest.raises(InputError, match="is no id of a study"):
            checked_id(strange, "study")


def test_a_state_that_is_none_is_told(tmp_path: Path) -> None:
    for content in ("[", "{}", '{"memeloc": "other", "values": {}}', "[" * 100_000):
        (tmp_path / "made.json").write_text(content)
        with pytest.raises(InputError):
            FileState(tmp_path / "made.json")


def test_filters_are_looked_up_from_the_service(
    tmp_path: Path, there: tuple[ProlificServer, str]
) -> None:
    _, address = there
    chosen = settings(tmp_path, address)
    with ProlificApi(chosen.api, chosen.environ) as api:
        found, missing = lookup(
            load_filters(), api.filters(), CULTURES, source=address, day="2026-11-21"
        )
    assert missing == []
    assert found.of(CULTURES[0], balance_sex=True)[1] == []


# Decisions


def decided(*who: str) -> list[Decision]:
    """One who is approved, one who is asked to return, and one who is rejected."""
    first, second, third = who
    on = replace(SHEETS[1], entries=(*SHEETS[1].entries, Check("check-5", "explicit", "hate")))
    several = [
        fill(on, first),
        fill(on, second, wrong=("check-1", "check-2", "check-3")),
        fill(on, third, wrong=("check-1", "check-5")),
    ]
    people = [replace(person(one, on), submission=f"sub{one}") for one in who]
    found = decisions(check(several, [on], people), [on], 12)
    assert sorted(one.action for one in found) == ["approve", "reject", "return"]
    return found


def test_decisions_are_told_once_and_only_when_agreed_to(
    tmp_path: Path, there: tuple[ProlificServer, str]
) -> None:
    state, address = there
    found = decided("a", "b", "c")
    ids = {one.service: one.service for one in found}
    state.awaiting(*ids)
    chosen = settings(tmp_path, address)
    assert tell(found, ids, chosen, agree=lambda _: False) == ()
    assert state.calls == []
    counts: list[Mapping[str, int]] = []

    def agree(some: Mapping[str, int]) -> bool:
        counts.append(dict(some))
        return True

    told = tell(found, ids, chosen, agree=agree)
    assert counts == [{"approve": 1, "return": 1, "reject": 1}]
    assert [one.outcome for one in told] == ["told"] * 3
    assert state.submissions["suba"]["status"] == "APPROVED"
    assert state.submissions["subb"]["return_requested"]
    (rejected,) = state.submissions["subc"]["told"]
    assert rejected["rejection_category"] == "FAILED_CHECK"
    assert len(rejected["message"]) >= 100
    again = tell(found, ids, settings(tmp_path, address), agree=lambda _: pytest.fail("asked"))
    assert [one.outcome for one in again] == ["told before"] * 3
    (tmp_path / "made.json").unlink()
    late = tell(found, ids, settings(tmp_path, address), agree=lambda _: True)
    assert sorted(one.outcome for one in late) == ["APPROVED", "REJECTED", "return requested"]
    assert all(len(one["told"]) == 1 for one in state.submissions.values())


@pytest.mark.parametrize("fault", ["cut", "drop", 503])
def test_a_decision_whose_answer_was_lost_is_told_once(
    tmp_path: Path, there: tuple[ProlificServer, str], fault: int | str
) -> None:
    state, address = there
    found = decided("a", "b", "c")
    ids = {one.service: one.service for one in found}
    state.awaiting(*ids)
    state.faults["POST submissions/ID/transition/"] = [fault, fault]
    state.faults["POST submissions/ID/request-return/"] = [fault]
    told = tell(found, ids, settings(tmp_path, address), agree=lambda _: True)
    assert [one.outcome for one in told] == ["told"] * 3
    assert all(len(one["told"]) == 1 for one in state.submissions.values())


def test_decisions_of_unknown_ids_wait(tmp_path: Path, there: tuple[ProlificServer, str]) -> None:
    state, address = there
    found = decided("a", "b", "c")
    told = tell(found, {}, settings(tmp_path, address), agree=lambda _: pytest.fail("asked"))
    assert [one.outcome for one in told] == ["no id"] * 3
    hashed = [replace(one, service=f"h-{one.service}") for one in found]
    ids = {f"h-{one.service}": one.service for one in found}
    state.awaiting(*ids.values())
    dry = tell(hashed, ids, settings(tmp_path, address, dry_run=True), agree=lambda _: True)
    assert [one.outcome for one in dry] == [""] * 3
    assert state.calls == []
    told = tell(hashed, ids, settings(tmp_path, address), agree=lambda _: True)
    assert [one.outcome for one in told] == ["told"] * 3
    with pytest.raises(InputError, match="no id of a submission"):
        tell(decided("d", "e", "f"), {"subd": "../x"}, settings(tmp_path, address), agree=bool)


def test_bodies_of_decisions_are_as_documented() -> None:
    for one in decided("a", "b", "c"):
        path, body = one.body()
        kind = "request_return" if path == "request-return/" else "submission_transition"
        assert problems(json.loads(json.dumps(body)), f"requests.json#/$defs/{kind}") == []
