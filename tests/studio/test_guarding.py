"""What the application refuses: forged and large requests, rushes, untrusted proxies."""

from __future__ import annotations

from collections.abc import Callable

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from memeloc.studio.sheets import LARGEST_BODY
from tests.studio.conftest import InProcess
from tests.studio.served import OWNER

Make = Callable[..., InProcess]
DE = "r1-b01-DE"


def test_every_response_has_its_headers(application: Make) -> None:
    made = application()
    comer = made.comer()
    comer.join(PROLIFIC_PID="a", sheet=DE)
    for path in (comer.place, "/nothing", "/health", "/owner", "/join"):
        headers = made.client.get(path).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"


def test_only_the_page_itself_can_answer(application: Make) -> None:
    made = application()
    comer = made.comer()
    comer.join(PROLIFIC_PID="a", sheet=DE)
    body = {"item": comer.items[0], "label": "hate", "number": 1}
    for headers in ({}, {"X-CSRF-Token": "0" * 32}, {"X-CSRF-Token": "é".encode()}):
        assert (
            made.client.post(comer.serve["answer"], json=body, headers=headers).status_code == 403
        )
        ending = made.client.post(comer.serve["finish"], json={"status": "complete"})
        assert ending.status_code == 403
    assert made.client.get(comer.place.replace(DE, "r1-b02-DE")).text.count("/answer") == 0


_NO_ANSWERS = [
    b"",
    b"[]",
    b"{",
    b'{"item": "x", "label": "hate", "number": "many"}',
    b'{"item": "x", "label": "hate", "number": -1}',
    b'{"item": "x", "label": "hate", "number": 1, "further": {"q": "no list"}}',
    b'{"item": "%s", "label": "hate", "number": 1}' % (b"x" * 200),
    b"\xff\xfe",
]


def test_what_no_page_sends_is_refused(application: Make) -> None:
    made = application()
    comer = made.comer()
    comer.join(PROLIFIC_PID="a", sheet=DE)
    headers = {"X-CSRF-Token": comer.serve["csrf"]}
    for body in _NO_ANSWERS:
        reply = made.client.post(comer.serve["answer"], content=body, headers=headers)
        assert reply.status_code == 422, body


def test_a_large_body_is_refused(application: Make) -> None:
    made = application()
    comer = made.comer()
    comer.join(PROLIFIC_PID="a", sheet=DE)
    headers = {"X-CSRF-Token": comer.serve["csrf"]}
    large = b"x" * (LARGEST_BODY + 1)

    def pieces() -> object:
        yield large[:1000]
        yield large

    for content in (large, pieces()):
        reply = made.client.post(comer.serve["answer"], content=content, headers=headers)  # type: ignore[arg-type]
        assert reply.status_code == 413


def test_a_rush_of_one_client_is_refused(application: Make) -> None:
    made = application(requests_a_minute=20)
    statuses = [made.client.get("/health").status_code for _ in range(30)]
    assert statuses[:20] == [200] * 20
    assert statuses[-1] == 429


def test_a_rush_of_one_place_is_refused_and_can_go_on(application: Make) -> None:
    made = application(answers_a_minute=3)
    comer = made.comer()
    comer.join(PROLIFIC_PID="a", sheet=DE)
    statuses = [comer.answer(comer.items[0], "hate").status_code for _ in range(5)]
    assert statuses[:3] == [200] * 3
    assert statuses[-1] == 429
    other = made.comer()
    other.join(PROLIFIC_PID="b", sheet=DE)
    assert other.answer(other.items[0], "hate").status_code == 200


def test_addresses_stand_below_the_path_of_the_server(application: Make) -> None:
    made = application(address="https://host.example/memes")
    made.client.app = ProxyHeadersMiddleware(made.client.app, "10.0.0.1")  # type: ignore[arg-type]
    assert made.server.settings.root_path == "/memes"
    (_, link), *_ = made.server.links({"DE": 1})["links"]
    assert link.startswith("https://host.example/memes/join/DE.")


def test_the_owner_needs_the_token(application: Make) -> None:
    made = application()
    for path in ("/owner", "/owner/numbers", "/owner?token=wrong", "/owner?token=é"):
        assert made.client.get(path).status_code == 403
    made.client.cookies.set("memeloc_owner", OWNER)
    assert made.client.get("/owner").status_code == 403
    made.client.cookies.clear()
    page = made.client.get(f"/owner?token={OWNER}")
    assert page.status_code == 200
    assert OWNER not in str(page.url)
    assert OWNER not in page.text
    numbers = made.client.get("/owner/numbers").json()
    assert [culture["culture"] for culture in numbers["cultures"]][:2] == ["US", "DE"]


def test_the_owner_sees_numbers_only(application: Make) -> None:
    made = application(hold_minutes=60)
    comer, idle = made.comer(), made.comer()
    comer.join(PROLIFIC_PID="anna", sheet=DE)
    comer.answer(comer.items[0], "hate")
    comer.finish("returned")
    idle.join(PROLIFIC_PID="idle", sheet=DE)
    made.client.get(f"/owner?token={OWNER}")
    text = made.client.get("/owner/numbers").text
    live = made.server.live()
    german = next(culture for culture in live["cultures"] if culture["culture"] == "DE")
    assert (german["at_it"], german["stopped"], german["annotators"]) == (1, 1, 10)
    assert live["stops"] == {"2": 1}
    for secret in ("anna", made.workspace.store.surveys.hash_participant("anna"), comer.place):
        assert secret not in text
