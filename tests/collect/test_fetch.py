"""Fetching: polite to hosts, careful with what they send, and never inside the network."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.collect.fetching.addresses import FetchRefused, check_address, is_public
from memeloc.collect.fetching.fetch import Fetcher, FetchSettings
from tests.collect import hostile_site
from tests.collect.local_site import Site, served
from tests.local_server import Reply, Request

QUICK = FetchSettings(
    delay=0.0, timeout=5.0, total=60.0, retries=2, patience=1.0, max_page_bytes=5_000_000, seed=1
)


def fetcher(site: Site, cache: Path | None = None, **changes: object) -> Fetcher:
    """A fetcher that may ask the test's own server."""
    return Fetcher(cache, replace(QUICK, allow_hosts=frozenset({site.host}), **changes))  # type: ignore[arg-type]


NOT_THERE = Reply(status=404)


def page(text: bytes = b"<title>a page</title>", **headers: str) -> Callable[[Request], Reply]:
    """A site that gives the same page for all addresses, and has no robots.txt."""

    named = {name.replace("_", "-"): value for name, value in headers.items()}
    result = Reply(text, headers={"content-type": "text/html", **named})
    return lambda request: NOT_THERE if request.path == "/robots.txt" else result


@pytest.fixture(scope="module")
def hostile() -> object:
    with served(hostile_site.answer) as site:
        yield site


@pytest.mark.parametrize(("path", "reason"), hostile_site.REASONS.items())
def test_each_harm_is_refused_with_its_reason(hostile: Site, path: str, reason: str) -> None:
    total = 2.0 if reason == "too slow" else 60.0
    with fetcher(hostile, total=total) as ours, pytest.raises(FetchRefused) as refused:
        ours.get(hostile.url + path, accept="picture" if path.endswith(".png") else "page")
    assert refused.value.reason == reason
    assert refused.value.message
    assert ours.statistics.refused == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9009/",
        "http://localhost/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://0/",
        "http://10.1.2.3/",
        "http://192.168.0.1/",
        "http://100.64.0.1/",
        "http://169.254.169.254/latest",
        "http://[fd00::1]/",
        "http://224.0.0.1/",
    ],
)
def test_no_form_of_an_inner_address_is_asked(url: str) -> None:
    with Fetcher(None, QUICK) as ours, pytest.raises(FetchRefused) as refused:
        ours.get(url)
    assert refused.value.reason == "inside the network"


def test_a_name_that_changes_its_mind_gains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the name is looked up once, and the connection goes to what was checked."""
    asked: list[object] = []
    answers = iter([["93.184.215.14"], ["127.0.0.1"]])

    def look_up(host: str, port: int, **_: object) -> list[object]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (item, port)) for item in next(answers)]

    connected: list[object] = []

    def connect(address: tuple[str, int], *args: object, **more: object) -> socket.socket:
        connected.append(address[0])
        raise OSError("no network in tests")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket, "create_connection", connect)
    with Fetcher(None, replace(QUICK, retries=1)) as ours, pytest.raises(FetchRefused) as refused:
        ours.get("http://two-faced.example/")
    assert connected == ["93.184.215.14"]
    assert refused.value.reason in ("inside the network", "robots.txt not reached")


def test_pages_are_asked_for_again_only_if_they_have_changed(tmp_path: Path) -> None:
    version = {"tag": '"one"', "text": "first"}

    def answer(request: Request) -> Reply:
        if request.path == "/robots.txt":
            return NOT_THERE
        headers = {"ETag": version["tag"]}
        if request.headers.get("If-None-Match") == version["tag"]:
            return Reply(status=304, headers=headers)
        return Reply(version["text"].encode(), headers=headers)

    with served(answer) as site:
        with fetcher(site, tmp_path, max_age=0.0) as ours:
            assert ours.get(site.url + "/a").text == "first"
        with fetcher(site, tmp_path, max_age=0.0) as ours:
            assert ours.get(site.url + "/a").text == "first"
            assert (ours.statistics.fetched, ours.statistics.not_modified) == (0, 1)
        version.update(tag='"two"', text="second")
        with fetcher(site, tmp_path, max_age=0.0) as ours:
            assert ours.get(site.url + "/a").text == "second"
        with fetcher(site, tmp_path, max_age=60.0) as ours:
            before = len(site.paths())
            assert ours.get(site.url + "/a").text == "second"
            assert len(site.paths()) == before


def test_a_damaged_cache_is_no_harm(tmp_path: Path) -> None:
    with served(page(b"text", ETag='"e"')) as site:
        with fetcher(site, tmp_path) as ours:
            ours.get(site.url)
        for file in tmp_path.rglob("bodies/*/*"):
            file.write_bytes(b"other")
        with fetcher(site, tmp_path) as ours:
            assert ours.get(site.url).text == "text"
        for file in tmp_path.rglob("*.json"):
            file.write_bytes(b'{"url": 3')
        with fetcher(site, tmp_path) as ours:
            assert ours.get(site.url).text == "text"


def test_a_busy_server_is_waited_for_as_long_as_it_asks() -> None:
    times: list[float] = []

    def answer(request: Request) -> Reply:
        if request.path == "/robots.txt":
            return NOT_THERE
        times.append(time.monotonic())
        return Reply(b"now") if len(times) > 1 else Reply(status=429, headers={"Retry-After": "1"})

    with served(answer) as site, fetcher(site) as ours:
        assert ours.get(site.url).text == "now"
    assert times[1] - times[0] >= 1.0


def test_a_server_that_asks_for_too_long_is_left() -> None:
    busy = Reply(status=503, headers={"Retry-After": "9999"})
    with (
        served(lambda request: busy) as site,
        fetcher(site) as ours,
        pytest.raises(FetchRefused) as refused,
    ):
        ours.get(site.url)
    assert refused.value.reason == "robots.txt not reached"
    assert len(site.log) == 1


def test_a_host_gets_one_request_at_a_time_with_a_pause_between() -> None:
    spans: list[tuple[float, float]] = []

    def answer(request: Request) -> Reply:
        begin = time.monotonic()
        time.sleep(0.02)
        spans.append((begin, time.monotonic()))
        return NOT_THERE if request.path == "/robots.txt" else Reply(b"x")

    with served(answer) as site, fetcher(site, delay=0.1) as ours:
        threads = [
            threading.Thread(target=ours.get, args=(f"{site.url}/{number}",)) for number in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    spans.sort()
    gaps = [after[0] - before[1] for before, after in pairwise(spans)]
    assert min(gaps) >= 0.08


class Crowd:
    """A site that waits until so many requests are there at once, or for a moment."""

    def __init__(self, least: int, robots: bytes = b"") -> None:
        self.most = 0
        self._running = 0
        self._least = least
        self._robots = robots
        self._changed = threading.Condition()

    def answer(self, request: Request) -> Reply:
        if request.path == "/robots.txt":
            return Reply(self._robots, headers={"Content-Type": "text/plain"})
        with self._changed:
            self._running += 1
            self.most = max(self.most, self._running)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self.most >= self._least, 20)
            self._running -= 1
        return NOT_THERE if request.path == "/4" else Reply(request.path.encode())


def test_a_host_that_allows_it_gets_several_requests_at_once() -> None:
    crowd = Crowd(3)
    with served(crowd.answer) as site, fetcher(site, at_once={site.host: 3}) as ours:
        pages = list(ours.get_all(f"{site.url}/{number}" for number in range(7)))
    assert crowd.most == 3
    texts = [page.reason if isinstance(page, FetchRefused) else page.text for page in pages]
    assert texts == ["/0", "/1", "/2", "/3", "not found", "/5", "/6"], "in their order"
    assert sorted(site.paths()) == [f"/{number}" for number in range(7)]
    assert ours.statistics.fetched == 7, "robots.txt among them"


@pytest.mark.parametrize(
    ("named", "robots"), [(False, b""), (True, b"User-agent: *\nCrawl-delay: 0.01\n")]
)
def test_others_and_those_with_a_crawl_delay_get_one(named: bool, robots: bytes) -> None:
    crowd = Crowd(1, robots)
    with served(crowd.answer) as site:
        at_once = {site.host if named else "example.org": 3}
        with fetcher(site, at_once=at_once) as ours:
            assert len(list(ours.get_all(f"{site.url}/{number}" for number in range(5)))) == 5
    assert crowd.most == 1


@pytest.mark.parametrize("count", [0, 9])
def test_a_host_gets_between_one_and_eight_requests_at_once(count: int) -> None:
    with pytest.raises(ValueError, match="at_once"):
        FetchSettings(at_once={"example.org": count})


def test_the_crawl_delay_of_a_site_is_kept() -> None:
    times: list[float] = []

    def answer(request: Request) -> Reply:
        times.append(time.monotonic())
        text = b"User-agent: memeloc\nCrawl-delay: 0.3\n" if request.path == "/robots.txt" else b"x"
        return Reply(text, headers={"Content-Type": "text/plain"})

    with served(answer) as site, fetcher(site) as ours:
        ours.get(site.url + "/1")
        ours.get(site.url + "/2")
    assert times[-1] - times[-2] >= 0.3


@pytest.mark.parametrize(
    ("status", "allowed"), [(404, True), (403, True), (410, True), (500, False), (503, False)]
)
def test_a_missing_robots_txt_allows_and_a_failing_one_forbids(status: int, allowed: bool) -> None:
    """RFC 9309, 2.3.1.3 and 2.3.1.4."""

    def answer(request: Request) -> Reply:
        return Reply(b"x", status if request.path == "/robots.txt" else 200)

    with served(answer) as site, fetcher(site, retries=0) as ours:
        if allowed:
            assert ours.get(site.url).text == "x"
        else:
            with pytest.raises(FetchRefused) as refused:
                ours.get(site.url)
            assert refused.value.reason == "robots.txt not reached"
            assert site.paths() == []


def test_memeloc_says_who_it_is_and_takes_gzip() -> None:
    with (
        served(page(gzip.compress(b"packed"), content_encoding="gzip")) as site,
        fetcher(site) as ours,
    ):
        assert ours.get(site.url).text == "packed"
    headers = site.log[-1].headers
    assert headers["User-Agent"].startswith("memeloc/")
    assert headers["Accept-Encoding"] == "gzip"
    assert "Cookie" not in headers


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with served(page(b"straight")) as site, fetcher(site) as ours:
        assert ours.get(site.url).text == "straight"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://Memes.Example/a#b", "memes.example:443"),
        ("http://memes.example:8080/", "memes.example:8080"),
        ("https://пример.example/", "xn--e1afmkfd.example:443"),
    ],
)
def test_where_a_url_leads(url: str, name: str) -> None:
    parsed, server = check_address(url)
    assert server == name
    assert not parsed.fragment


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://memes.example/", "not http"),
        ("javascript:alert(1)", "not http"),
        ("data:text/html,x", "not http"),
        ("//memes.example/x", "not http"),
        ("", "not http"),
        ("https://", "not an address"),
        ("https://a:b@memes.example/", "not an address"),
        ("http://memes.example:22/", "not a web port"),
        ("http://memes.example:99999/", "not a web port"),
        ("http://" + "a" * 5000, "not an address"),
        ("http://[::1", "not an address"),
        ("http://\ud800/", "not an address"),
    ],
)
def test_what_is_not_followed(url: str, reason: str) -> None:
    with pytest.raises(FetchRefused) as refused:
        check_address(url)
    assert refused.value.reason == reason


@given(st.text(max_size=200))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    for url in (text, "http://" + text):
        try:
            parsed, server = check_address(url)
        except FetchRefused:
            continue
        assert parsed.scheme in ("http", "https")
        assert server.rpartition(":")[0]


@given(st.ip_addresses(v=4))
def test_ipv4_is_public_as_the_standard_library_says(address: IPv4Address) -> None:
    expected = address.is_global and not address.is_multicast and not address.is_reserved
    protocols = IPv4Network("192.0.0.0/24")  # RFC 6890; Python calls some of it global
    assert is_public(str(address)) == (expected and address not in protocols)


@given(st.ip_addresses(v=4))
def test_an_inner_address_stays_one_in_every_ipv6_dress(inner: IPv4Address) -> None:
    number = int(inner)
    dressed = {
        "mapped": IPv6Address(0xFFFF00000000 + number),
        "6to4": IPv6Address((0x2002 << 112) + (number << 80) + 1),
        "nat64": IPv6Address(int(IPv6Address("64:ff9b::")) + number),
    }
    for address in dressed.values():
        if not is_public(str(inner)):
            assert not is_public(str(address))


@given(st.text(max_size=40))
def test_text_that_is_no_ip_address_is_not_public(text: str) -> None:
    try:
        ip_address(text.partition("%")[0])
    except ValueError:
        assert not is_public(text)
