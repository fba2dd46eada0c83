"""Who somebody is for the server: browsers, codes, signed and personal links, lists, consent."""

from __future__ import annotations

import base64
import json
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from starlette.testclient import TestClient

from memeloc.survey.serving import Tokens
from memeloc.taxonomy import load_taxonomy
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.studio.conftest import InProcess
from tests.studio.served import Annotator

Make = Callable[..., InProcess]
DE = "r1-b01-DE"


def browser(made: InProcess) -> Annotator:
    """Somebody with a browser of their own."""
    return Annotator(TestClient(made.client.app, base_url=str(made.client.base_url)), "")


def stored(made: InProcess) -> list[tuple[Any, ...]]:
    """Everything that is stored of people at the server."""
    queries = (
        "SELECT id, participant, status, held_until, presented FROM survey_places ORDER BY id",
        "SELECT place_id, item, turn, value FROM given_answers ORDER BY number",
        "SELECT participant, answers FROM submissions ORDER BY number",
    )
    with made.workspace.store.database.read() as connection:
        return [tuple(row) for query in queries for row in connection.exec_driver_sql(query)]


@pytest.mark.parametrize("is_done", [False, True])
def test_who_knows_an_id_gets_at_nothing_of_its_person(application: Make, is_done: bool) -> None:
    made = application()
    anna, bela = browser(made), browser(made)
    anna.join(PROLIFIC_PID="anna", sheet=DE)
    assert anna.answer(anna.items[0], "hate").status_code == 200
    if is_done:
        assert anna.finish("returned").status_code == 200
    bela.join(PROLIFIC_PID="bela", sheet=DE)
    own = bela.client.get("/join?PROLIFIC_PID=bela&sheet=" + DE).url
    place = anna.client.get("/join?PROLIFIC_PID=anna&sheet=" + DE).url.path
    before, replies = stored(made), list[httpx.Response]()
    headers = {"X-CSRF-Token": bela.serve["csrf"]}
    bodies = ("code=AAAA-AAAA", '{"status": "no consent"}', '{"status": "complete"}')
    for route in made.client.app.routes:  # type: ignore[attr-defined]
        for method in route.methods - {"HEAD"}:
            path = route.path.replace("{token}", place.rpartition("/")[2]).replace("{name}", "x")
            for query in ("", f"?PROLIFIC_PID=anna&sheet={DE}", "?PROLIFIC_PID=anna&culture=DE"):
                for body in bodies:
                    url = path + query
                    reply = bela.client.request(method, url, content=body, headers=headers)
                    replies.append(reply)
    assert len(replies) > 50
    shown = "".join(reply.text for reply in replies if reply.url != own)
    assert "X-CSRF" not in shown
    assert '"csrf"' not in shown
    assert made.server.to_send.codes[DE].done not in shown
    assert not re.search(r'id="sheet"', shown)
    assert stored(made) == before


def test_the_code_opens_a_place_in_another_browser(application: Make) -> None:
    made = application(joins_a_minute=6)
    anna, phone = browser(made), browser(made)
    anna.join(PROLIFIC_PID="anna", sheet=DE)
    assert "anderen Browser" in phone.join(PROLIFIC_PID="anna", sheet=DE).text
    phone.client.post(anna.place, data={"code": "AAAA-AAAA"})
    phone.open(anna.place)
    assert phone.serve == {}
    phone.client.post(anna.place, data={"code": anna.serve["code"].lower().replace("-", " ")})
    phone.open(anna.place)
    assert phone.serve["csrf"] == anna.serve["csrf"]
    statuses = [phone.client.post(anna.place, data={"code": "A"}).status_code for _ in range(5)]
    assert statuses[-1] == 429


def test_nothing_is_taken_of_who_has_not_agreed(application: Make) -> None:
    made = application()
    comer = browser(made)
    comer.client.get(f"/join?PROLIFIC_PID=anna&sheet={DE}")  # and the page is only looked at
    other = browser(made)
    other.join(PROLIFIC_PID="bela", sheet=DE)
    place = comer.client.get(f"/join?PROLIFIC_PID=anna&sheet={DE}").url.path
    token = place.rpartition("/")[2]
    tokens: Tokens = made.server.tokens
    comer.serve = {name: f"{place}/{name}" for name in ("answer", "finish")}
    comer.serve |= {"csrf": tokens.proof("csrf", token)}
    assert comer.answer(other.items[0], "hate").status_code == 409
    assert comer.finish("returned").status_code == 409
    assert other.answer(other.items[0], "hate").status_code == 200
    assert other.finish("returned").status_code == 200
    (sent,) = made.workspace.survey("pilot").submissions
    assert sent.presented["consent"] == {
        "at": "2026-01-02T03:04:05Z", **other.page["consent"], "language": "de",
    }  # fmt: skip


class Signer:
    """A service that signs links as Prolific does."""

    def __init__(self, keys: Path) -> None:
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        numbers = self._key.public_key().public_numbers()
        parts = {"n": numbers.n.to_bytes(256), "e": numbers.e.to_bytes(3)}
        key = {name: self._text(value) for name, value in parts.items()}
        keys.write_text(json.dumps({"keys": [{"kid": "k1", "kty": "RSA", "alg": "RS256", **key}]}))

    @staticmethod
    def _text(content: bytes) -> str:
        return base64.urlsafe_b64encode(content).rstrip(b"=").decode()

    def sign(self, who: str, **more: Any) -> str:
        claims = {
            "aud": "https://survey.example",
            "exp": time.time() + 60,
            "prolific": {"PROLIFIC_PID": who, "STUDY_ID": "s", "workspace_id": "w"},
        }
        head = {"alg": "RS256", "kid": "k1", "typ": "JWT"}
        signed = ".".join(
            self._text(json.dumps(each).encode()) for each in (head, {**claims, **more})
        )
        signature = self._key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{signed}.{self._text(signature)}"


def test_only_links_that_prolific_signed_are_taken_where_there_is_a_key(
    application: Make, folder: Path
) -> None:
    signer = Signer(folder / "jwks.json")
    made = application(prolific_keys="jwks.json", address="https://survey.example")
    token = signer.sign("anna")
    anna, again = browser(made), browser(made)
    anna.join(prolific_token=token, PROLIFIC_PID="bela", sheet=DE)
    again.join(prolific_token=token, sheet=DE)  # the link itself says who comes
    assert again.place == anna.place
    known = made.workspace.store.surveys.hash_participant("anna")
    assert known in str(stored(made))
    refused = [
        {"PROLIFIC_PID": "anna"},
        {"prolific_token": token[:-8] + "AAAAAAAA"},
        {"prolific_token": signer.sign("anna", exp=time.time() - 1)},
        {"prolific_token": signer.sign("anna", aud="https://other.example")},
        {"prolific_token": token.replace(".", "", 1)},
        {"prolific_token": "é.é.é"},
    ]
    for parameters in refused:
        assert "does not work" in browser(made).join(sheet=DE, **parameters).text


def test_a_list_lets_nobody_else_in(application: Make, folder: Path) -> None:
    (folder / "people.csv").write_text("participant\nanna\n", encoding="utf-8")
    made = application(invited="people.csv")
    anna, bela = browser(made), browser(made)
    anna.join(PROLIFIC_PID="anna", sheet=DE)
    assert anna.serve
    assert "eingeladen" in bela.join(PROLIFIC_PID="bela", sheet=DE).text


def test_people_of_a_team_get_their_sheets_by_their_links(application: Make, folder: Path) -> None:
    (folder / "team.csv").write_text(
        "participant,group\n" + "".join(f"{g}{n},{g}\n" for g in "ab" for n in (1, 2, 3)),
        encoding="utf-8",
    )
    with Workspace.open(folder) as workspace:
        workspace.surveys.build(
            "groups", "DE", recipe="harmeme", people=folder / "team.csv", size=4
        )
        rows = workspace.survey("groups").people.team()["sheets"]
    assigned = {row["place"]: set[str]() for row in rows}
    for row in rows:
        assigned[row["place"]].add(row["sheet"])
    made = application("groups")
    links = dict(made.server.links({}, "http://survey.example", team=True)["links"])
    assert links.keys() == assigned.keys()
    for place, link in links.items():
        comer, again = browser(made), browser(made)
        comer.open(link)
        assert comer.page["sheet"] in assigned[place]
        again.open(link)
        assert again.place == comer.place
    for who in ("stranger", "a1"):  # who is in a team is known to the others
        assert "eingeladen" in browser(made).join(PROLIFIC_PID=who, culture="DE").text


def test_pairs_of_a_team_label_each_meme(
    application: Make, folder: Path, command: Callable[..., Outcome]
) -> None:
    """CHARMemes: two people a meme, in turn; what they see differently goes to a session."""
    people = ("anna", "bela", "carl")
    (folder / "team.csv").write_text("participant\n" + "\n".join(people), encoding="utf-8")
    with Workspace.open(folder) as workspace:
        workspace.surveys.build(
            "pairs",
            "DE",
            recipe="charmemes",
            people=folder / "team.csv",
            collected="none",
            size=2,
        )
        rows = workspace.survey("pairs").people.team(folder / "team.csv")["sheets"]
    assigned = {(row["participant"], row["sheet"]) for row in rows}
    assert set(Counter(sheet for _, sheet in assigned).values()) == {2}
    assert {len([who for who, _ in assigned if who == name]) for name in people} <= {2, 3}
    made = application("pairs")
    links = dict(made.server.links({}, "http://survey.example", team=True)["links"])
    answers_by_question = {each.id: each.answers for each in load_taxonomy("charmemes").questions}
    kinds = answers_by_question["offensive-kind"]
    names = {row["place"]: row["participant"] for row in rows}
    filled = set()
    for place, link in links.items():
        label = "safe" if names[place] == "carl" else "offensive"
        kind = kinds[people.index(names[place])]
        further = {} if label == "safe" else {"offensive-kind": [kind]}
        while (comer := browser(made)).open(link) and comer.serve:
            filled.add((names[place], comer.page["sheet"]))
            for item in comer.items:
                assert comer.answer(item, label, further=further).status_code == 200
            assert comer.finish().status_code == 200
    assert filled == assigned
    assert command("survey", "check", "pairs").status == 0
    settled = json.loads(command("survey", "settle", "pairs", "--json").out)
    assert settled["places"] == 0
    differing = {row["item"]: row["question"] for row in settled["discuss"]}
    assert (len(settled["discuss"]), len(differing)) == (8, 8)
    of_carl = {sheet for who, sheet in assigned if who == "carl"}
    with Workspace.open(folder) as workspace:
        sheets = workspace.survey("pairs").all_sheets
    for sheet in sheets:
        question = "label" if sheet.id in of_carl else "offensive-kind"
        assert {differing[meme] for meme in sheet.memes} == {question}
