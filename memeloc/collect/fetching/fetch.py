"""Fetching, politely and safely. In: an address. Out: a `Page`, or the reason why there is none.

Polite: robots.txt is kept (RFC 9309), a host gets one request at a time with a pause between, pages
are kept and asked for again only if they have changed (RFC 9111, conditional requests), and a
server that is busy is waited for. Safe: see addresses.py; besides, sizes are limited
after decompression, every request has a time limit, redirects are followed by hand and checked
each time, and a picture is one by its content.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from memeloc.collect.fetching.addresses import FetchRefused, Place, place_of
from memeloc.collect.fetching.encodings import decode
from memeloc.collect.fetching.http_cache import Entry, HttpCache
from memeloc.collect.fetching.responses import check_picture, read_body, refusal_of, within
from memeloc.collect.fetching.settings import FetchSettings, FetchStatistics
from memeloc.errors import MissingError, ServiceError
from memeloc.request_pool import GIVE_UP_AFTER, Backoff, TransientFailure, retry_after

if TYPE_CHECKING:
    import httpx
    from protego import Protego

__all__ = ["FetchRefused", "FetchSettings", "FetchStatistics", "Fetcher", "Page"]

Accept = Literal["page", "json", "picture"]

_ACCEPT: dict[str, str] = {
    "page": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
    "json": "application/json,*/*;q=0.1",
    "picture": "image/*,*/*;q=0.1",
}
_REDIRECTS = (301, 302, 303, 307, 308)
_BUSY = (429, 500, 502, 503, 504)
_ROBOTS_AGE = 86_400.0  # RFC 9309, 2.4: robots.txt may be kept for a day
_ROBOTS_BYTES = 512_000  # RFC 9309, 2.5: at least 500 KiB of it are read
_LONGEST_PAUSE = 60.0  # seconds; a longer Crawl-delay would be a refusal in other words
_AGENT_TOKEN = "memeloc"  # noqa: S105 - what robots.txt calls a product token
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Page:
    """What an address gave.

    Attributes:
        url: where it was in the end, after redirects.
        body: its bytes, decompressed.
        content_type: as the server stated it, with parameters.
        fetched: when it was last known to be so.
        from_cache: whether its bytes were there already.
    """

    url: str
    body: bytes = field(repr=False)
    content_type: str
    fetched: datetime
    from_cache: bool

    @property
    def encoding(self) -> str:
        """The encoding of its text: see `memeloc.collect.fetching.encodings.decode`."""
        return decode(self.body, self.content_type)[1]

    @property
    def text(self) -> str:
        """Its text; what cannot be decoded is U+FFFD."""
        return decode(self.body, self.content_type)[0]

    def json(self) -> Any:
        """Its value as JSON.

        Raises:
            FetchRefused: it is not JSON.
        """
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise FetchRefused(self.url, "not JSON", f"the answer is not JSON ({error})") from error


class _BusyError(Exception):
    """An answer that asks to come again later."""

    def __init__(self, status: int, wait: float) -> None:
        self.status = status
        self.wait = wait
        super().__init__(f"status {status}")


class Fetcher:
    """Fetches pages; keeps them, and keeps to what their hosts ask for.

    Use it as a context manager. It may be shared by threads: a host still gets one request at a
    time.

    Args:
        cache: the folder of what was fetched before; None keeps nothing.
        settings: how.

    Raises:
        MissingError: the extra is not installed.
    """

    def __init__(self, cache: Path | None = None, settings: FetchSettings | None = None) -> None:
        try:
            import httpx
            from protego import Protego

            from memeloc.collect.fetching.connecting import PublicTransport
        except ModuleNotFoundError as error:
            raise MissingError(
                f"Collecting needs {error.name}: pip install 'memeloc[collect]'"
            ) from error
        self.settings = settings or FetchSettings()
        self.statistics = FetchStatistics()
        self._cache = HttpCache(cache) if cache is not None else None
        self._parse_robots = Protego.parse
        self._httpx = httpx
        # The transport alone: no cookies, no proxies, no password files, no redirects of its own.
        self._transport = PublicTransport(self.settings.allow_hosts)
        self._timeout = httpx.Timeout(self.settings.timeout).as_dict()
        self._backoff = Backoff(
            attempts=self.settings.retries + 1,
            first=max(self.settings.delay, 0.05),
            patience=self.settings.patience,
            seed=self.settings.seed,
        )
        self._robots: dict[str, Protego | FetchRefused] = {}
        self._next: dict[str, float] = {}
        self._silent: dict[str, int] = {}  # connections in a row that a host did not take
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def get(self, url: str, *, accept: Accept = "page", max_bytes: int | None = None) -> Page:
        """Fetch an address, or take it from what was fetched before.

        Args:
            url: http or https.
            accept: what is expected; a `picture` is checked to be one, by its content.
            max_bytes: how many it may have, other than the settings say for its kind.

        Raises:
            FetchRefused: it is not fetched, or not taken; `reason` is a short key for why.
        """
        try:
            return self._get(url, accept, max_bytes)
        except FetchRefused:
            self.statistics.refused += 1
            raise

    def _get(self, url: str, accept: Accept, max_bytes: int | None) -> Page:
        limit = max_bytes or (
            self.settings.max_picture_bytes if accept == "picture" else self.settings.max_page_bytes
        )
        entry, content, kept = self._follow(url, accept, limit, self.settings.max_age, robots=True)
        if accept == "picture" and not entry.picture:
            check_picture(entry.url, content)
            if self._cache is not None:
                self._cache.put(replace(entry, picture=True))
        elif accept == "page" and b"\0" in content[:1000] and content[:2] not in _UTF16:
            raise FetchRefused(entry.url, "not a page", "it is no text, so no page")
        moment = datetime.fromtimestamp(entry.fetched, UTC)
        return Page(entry.url, content, entry.content_type, moment, kept)

    def _follow(
        self, url: str, accept: Accept, limit: int, max_age: float, *, robots: bool
    ) -> tuple[Entry, bytes, bool]:
        """The page at the end of an address's redirects, and whether its bytes were there."""
        first = url
        for _ in range(self.settings.max_redirects + 1):
            parsed, place = place_of(url)
            if robots:
                self._check_robots(parsed, place)
            entry, content, kept = self._hop(
                parsed, place, accept, limit, max_age, shorten=not robots
            )
            if not entry.location:
                return entry, content, kept
            try:
                url = str(parsed.join(entry.location))
            except (self._httpx.InvalidURL, ValueError) as error:
                sentence = f"it leads to what is no address ({error})"
                raise FetchRefused(url, "not an address", sentence) from error
        raise FetchRefused(
            first,
            "too many redirects",
            f"it leads on more than {self.settings.max_redirects} times",
        )

    def _hop(
        self,
        url: httpx.URL,
        place: Place,
        accept: Accept,
        limit: int,
        max_age: float,
        *,
        shorten: bool,
    ) -> tuple[Entry, bytes, bool]:
        """One address: from the cache while it is fresh, else asked for."""
        known = self._cache.find(str(url)) if self._cache is not None else None
        content = self._cache.body(known) if self._cache and known and known.body else None
        if known is not None and time.time() - known.fetched < max_age:
            if known.location:
                return known, b"", True
            if content is not None:
                self.statistics.cached += 1
                return known, within(known.url, content, limit), True
        if self._silent.get(place.name, 0) >= GIVE_UP_AFTER:
            sentence = f"{place.name} took no connection {GIVE_UP_AFTER} times, so it is left alone"
            raise FetchRefused(str(url), "not reached", sentence)
        headers = {
            "User-Agent": self.settings.user_agent,
            "Accept": _ACCEPT[accept],
            "Accept-Encoding": "gzip",
        }
        if known is not None and content is not None:
            if known.etag.isascii() and known.etag:  # RFC 9110 allows others; few servers mean them
                headers["If-None-Match"] = known.etag
            if known.modified.isascii() and known.modified:
                headers["If-Modified-Since"] = known.modified
        try:
            answer, body = self._backoff.ask(
                lambda: self._send(url, place, headers, limit, shorten), self._passing(url)
            )
        except ServiceError as error:
            if isinstance(error.__cause__, self._httpx.ConnectError):
                self._silent[place.name] = self._silent.get(place.name, 0) + 1
            reason = "busy" if isinstance(error.__cause__, _BusyError) else "not reached"
            raise FetchRefused(str(url), reason, error.message) from error
        self._silent.pop(place.name, None)
        entry = Entry(str(url), time.time())
        if answer.status_code == 304 and known is not None and content is not None:
            self.statistics.not_modified += 1
            entry = replace(known, fetched=entry.fetched)
            self._keep(entry, None)
            return entry, within(entry.url, content, limit), True
        location = answer.headers.get("location", "")
        if answer.status_code in _REDIRECTS and location:
            entry = replace(entry, location=location)
            self._keep(entry, None)
            return entry, b"", False
        if answer.status_code != 200:
            raise refusal_of(str(url), answer.status_code)
        self.statistics.fetched += 1
        self.statistics.bytes += len(body)
        entry = replace(
            entry,
            content_type=answer.headers.get("content-type", ""),
            etag=answer.headers.get("etag", ""),
            modified=answer.headers.get("last-modified", ""),
        )
        return self._keep(entry, body), body, False

    def _keep(self, entry: Entry, body: bytes | None) -> Entry:
        return entry if self._cache is None else self._cache.put(entry, body)

    def _send(
        self, url: httpx.URL, place: Place, headers: dict[str, str], limit: int, shorten: bool
    ) -> tuple[httpx.Response, bytes]:
        """Send one request when the host's turn has come, and read the answer."""
        with self._lock_of(place):
            self._wait_for(place)
            self.statistics.requests += 1
            deadline = time.monotonic() + self.settings.total
            asked = 0.0
            request = self._httpx.Request(
                "GET",
                url,
                headers=headers,
                extensions={"timeout": self._timeout, "deadline": deadline},
            )
            try:
                answer = self._transport.handle_request(request)
                try:
                    if answer.status_code in _BUSY:
                        wait = retry_after(answer.headers.get("retry-after", ""))
                        asked = min(wait, self.settings.patience)
                        raise _BusyError(answer.status_code, wait)
                    body = b""
                    if answer.status_code == 200:
                        body = read_body(answer, limit, deadline, shorten=shorten)
                    return answer, body
                finally:
                    answer.close()
            finally:
                self._next[place.name] = time.monotonic() + max(asked, self._pause(place))

    def _passing(self, url: httpx.URL) -> Any:
        """Which failures may pass, for `Backoff`."""
        from memeloc.collect.fetching.connecting import (
            InsideNetworkError,
            TooSlowError,
            UnknownNameError,
        )

        host = url.host

        def judge(error: Exception) -> TransientFailure | None:
            if isinstance(error, InsideNetworkError):
                raise FetchRefused(str(url), "inside the network", f"{error}") from error
            if isinstance(error, TooSlowError):
                raise FetchRefused(str(url), "too slow", f"{error}") from error
            if isinstance(error, UnknownNameError):
                raise FetchRefused(str(url), "not reached", f"{error}") from error
            if isinstance(error, _BusyError):
                sentence = f"the server is busy (status {error.status})"
                return TransientFailure(ServiceError(host, sentence, retryable=True), error.wait)
            if isinstance(error, self._httpx.TransportError):
                sentence = f"it cannot be reached ({str(error) or type(error).__name__})"
                return TransientFailure(ServiceError(host, sentence, retryable=True))
            return None

        return judge

    # Politeness

    def _check_robots(self, url: httpx.URL, place: Place) -> None:
        rules = self._robots_of(place)
        if isinstance(rules, FetchRefused):
            raise FetchRefused(str(url), rules.reason, rules.message)
        if not rules.can_fetch(str(url), _AGENT_TOKEN):
            raise FetchRefused(str(url), "robots.txt", "the site's robots.txt asks not to fetch it")

    def _robots_of(self, place: Place) -> Protego | FetchRefused:
        """The rules of a host: none when it has no robots.txt, all refused when it cannot tell."""
        key = f"{place.scheme}://{place.name}"
        known = self._robots.get(key)
        if known is None:
            try:
                entry, content, _ = self._follow(
                    f"{key}/robots.txt", "page", _ROBOTS_BYTES, _ROBOTS_AGE, robots=False
                )
                known = self._parse_robots(decode(content, entry.content_type)[0])
            except FetchRefused as error:
                if error.reason in ("not found", "forbidden", "status"):
                    known = self._parse_robots("")
                elif error.reason == "inside the network":
                    known = error
                else:
                    known = FetchRefused(
                        error.url,
                        "robots.txt not reached",
                        f"the site's robots.txt cannot be read ({error.message}), so it is left",
                    )
            self._robots[key] = known
        return known

    def _pause(self, place: Place) -> float:
        rules = self._robots.get(f"{place.scheme}://{place.name}")
        asked = None
        if rules is not None and not isinstance(rules, FetchRefused):
            asked = rules.crawl_delay(_AGENT_TOKEN)
        return max(self.settings.delay, min(float(asked or 0.0), _LONGEST_PAUSE))

    def _wait_for(self, place: Place) -> None:
        wait = self._next.get(place.name, 0.0) - time.monotonic()
        if wait > 0:
            time.sleep(wait)

    def _lock_of(self, place: Place) -> threading.Lock:
        with self._lock:
            return self._locks.setdefault(place.name, threading.Lock())
