"""Fetching, politely and safely. In: an address. Out: a `Page`, or the reason why there is none.

Polite: robots.txt is kept (RFC 9309), a host gets one request at a time with a pause between (more
are an agreement with those who run it, so a setting by host; each of them keeps the pause after its
own last one, and a host that is busy stops them all), pages are kept and asked for again only if
they have changed (RFC 9111, conditional requests), and a server that is busy is waited for. Safe:
see addresses.py; besides, sizes are limited after decompression, every request has a time limit,
redirects are followed by hand and checked each time, and a picture is one by its content.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeVar
from urllib.parse import urlencode

from memeloc.errors import InputError, MemelocError, MissingError, ServiceError
from memeloc.files import temporary_beside
from memeloc.request_pool import GIVE_UP_AFTER, Backoff, TransientFailure, retry_after

try:
    import httpcore
    import httpx
    from protego import Protego

    from memeloc.collect.fetching.addresses import (
        Deadline,
        FetchRefused,
        check_address,
        public_pool,
    )
except ModuleNotFoundError as error:
    raise MissingError(f"Collecting needs {error.name}: pip install 'memeloc[collect]'") from error

from memeloc.collect.fetching.encodings import decode
from memeloc.collect.fetching.settings import FetchSettings, FetchStatistics
from memeloc.templates.pictures import open_picture

__all__ = ["FetchRefused", "FetchSettings", "FetchStatistics", "Fetcher", "Page"]

Accept = Literal["page", "json", "picture"]

_ACCEPT: dict[str, str] = {
    "page": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
    "json": "application/json,*/*;q=0.1",
    "picture": "image/*,*/*;q=0.1",
}
Thing = TypeVar("Thing")

_REDIRECTS = (301, 302, 303, 307, 308)  # RFC 9110, 15.4, those that name one other address
_BUSY = (429, 500, 502, 503, 504)  # what passes by itself, so another attempt is worth it
_ROBOTS_AGE = 86_400.0  # RFC 9309, 2.4: robots.txt may be kept for a day
_ROBOTS_BYTES = 512_000  # RFC 9309, 2.5: at least 500 KiB of it are read
_LONGEST_PAUSE = 60.0  # seconds; a longer Crawl-delay would be a refusal in other words
_AGENT_TOKEN = "memeloc"  # noqa: S105 - what robots.txt calls a product token
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PIECE = 65_536  # bytes that are decompressed at a time
_PACKING = 65_536  # bytes that packing may add to what does not pack well
_GZIP = 16 + zlib.MAX_WBITS
_CUT_OFF = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError)


@dataclass(frozen=True, slots=True)
class Page:
    """The answer of an address: its bytes, decompressed, and when that was last known to be so.

    `url` is where it was in the end, `content_type` as the server stated it, with parameters.
    """

    url: str
    body: bytes = field(repr=False)
    content_type: str
    fetched: datetime

    @property
    def text(self) -> str:
        return decode(self.body, self.content_type)

    def json(self) -> Any:
        """Return its value as JSON, or raise FetchRefused."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise FetchRefused(self.url, "not JSON", f"the answer is not JSON ({error})") from error


class _Wanted(NamedTuple):
    """The answer expected of an address, how large, and how old (seconds) it may be in the
    cache."""

    accept: Accept
    limit: int
    max_age: float
    is_robots: bool = False


class _Response(NamedTuple):
    status: int
    headers: httpx.Headers
    body: bytes


class _BusyError(Exception):
    def __init__(self, status: int, wait: float) -> None:
        self.wait = wait
        super().__init__(f"the server is busy (status {status})")


class HostTurns:
    """The turns of one host, shared by threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self._free: list[float] = []
        self._not_before = 0.0

    def take(self, at_once: int) -> None:
        """Wait for a turn: for fewer requests than `at_once`, and for the pause to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._running < at_once)
            self._running += 1
            free = heapq.heappop(self._free) if self._free else 0.0
        while (left := max(free, self._not_before) - time.monotonic()) > 0:
            time.sleep(left)

    def end(self, pause: float, busy: float = 0.0) -> None:
        """End a turn: the next in its place comes after `pause` seconds, any other after `busy`."""
        with self._changed:
            now = time.monotonic()
            self._running -= 1
            heapq.heappush(self._free, now + pause)
            self._not_before = max(self._not_before, now + busy)
            self._changed.notify()


class Fetcher:
    """Fetcher of pages; it keeps them in a folder, if there is one, and to what their hosts ask
    for.

    Use it as a context manager. It may be shared by threads: a host still gets one request at a
    time, or as many as the settings allow it.
    """

    def __init__(self, cache: Path | None = None, settings: FetchSettings | None = None) -> None:
        self.settings = settings or FetchSettings()
        self.statistics = FetchStatistics()
        self._cache = _HttpCache(cache) if cache is not None else None
        # Connections alone: no cookies, no proxies, no password files, no redirects of their own.
        self._deadline = Deadline()
        self._pool = public_pool(self.settings.allow_hosts, self._deadline)
        self._timeout = httpx.Timeout(self.settings.timeout).as_dict()
        self._backoff = Backoff(
            attempts=self.settings.retries + 1,
            first=max(self.settings.delay, 0.05),
            patience=self.settings.patience,
            seed=self.settings.seed,
        )
        self._robots: dict[str, Protego | FetchRefused] = {}
        self._silent: dict[str, int] = {}  # connections in a row that a host did not take
        self._turns: dict[str, HostTurns] = {}
        self._under_way: dict[tuple[str, Accept], Future[Page]] = {}
        self._robots_locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def get(self, url: str, *, accept: Accept = "page") -> Page:
        """Fetch an address, or take it from what was fetched before; a `picture` has to be one.

        Raises:
            FetchRefused: it is not fetched, or not taken; `reason` is a short key for why.
        """
        ahead = self._under_way.pop((url, accept), None)
        return self._get(url, accept) if ahead is None else ahead.result()

    def _get(self, url: str, accept: Accept) -> Page:
        settings = self.settings
        limit = settings.max_picture_bytes if accept == "picture" else settings.max_page_bytes
        try:
            entry, content = self._follow(url, _Wanted(accept, limit, settings.max_age))
            if accept == "picture" and not entry.picture:
                check_picture(entry.url, content)
                self._keep(replace(entry, picture=True))
            elif accept == "page" and b"\0" in content[:1000] and content[:2] not in _UTF16:
                raise FetchRefused(entry.url, "not a page", "it is no text, so no page")
        except FetchRefused:
            self._count("refused")
            raise
        moment = datetime.fromtimestamp(entry.fetched, UTC)
        return Page(entry.url, content, entry.content_type, moment)

    def get_all(
        self, urls: Iterable[str], *, accept: Accept = "page"
    ) -> Iterator[Page | FetchRefused]:
        """Fetch addresses, each as by `get`, in their order; what is refused is given as its error.

        They are fetched as they are taken, or somewhat ahead, see `look_ahead`.
        """
        for url in self.look_ahead(urls, lambda url: (url,), accept=accept):
            try:
                yield self.get(url, accept=accept)
            except FetchRefused as error:
                yield error

    def look_ahead(
        self,
        things: Iterable[Thing],
        addresses: Callable[[Thing], Iterable[str]],
        *,
        accept: Accept = "picture",
    ) -> Iterator[Thing]:
        """Yield things as they come, whose addresses `get` is then asked for.

        Where the settings allow a host several requests at once, those of the next few things are
        already under way in other threads; else nothing is fetched here.
        """
        at_once = max(self.settings.at_once.values(), default=1)
        if at_once == 1:
            yield from things
            return
        waiting: deque[tuple[Thing, list[tuple[str, Accept]]]] = deque()

        def forget(keys: Iterable[tuple[str, Accept]]) -> None:
            for key in keys:
                self._under_way.pop(key, None)

        def first() -> Iterator[Thing]:
            thing, keys = waiting.popleft()
            try:
                yield thing
            finally:
                forget(keys)

        pool = ThreadPoolExecutor(at_once, "fetch")
        problem: MemelocError | None = None
        try:
            try:
                for thing in things:
                    keys = [(url, accept) for url in addresses(thing)]
                    for key in keys:
                        if key not in self._under_way:
                            self._under_way[key] = pool.submit(self._get, *key)
                    waiting.append((thing, keys))
                    if len(waiting) >= 2 * at_once:
                        yield from first()
            except MemelocError as error:
                problem = error  # what came before it is still there
            while waiting:
                yield from first()
            if problem is not None:
                raise problem
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for _, keys in waiting:
                forget(keys)

    def post(self, url: str, form: dict[str, str]) -> Page:
        """Send a form with a password to an API, over https; one request, nothing is kept."""
        parsed, server = check_address(url)
        if parsed.scheme != "https" and server not in self.settings.allow_hosts:
            raise FetchRefused(url, "not https", "a password is sent over https only")
        wanted = _Wanted("json", self.settings.max_page_bytes, 0.0)
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        try:
            answer = self._send(parsed, server, wanted, headers, urlencode(form).encode())
        except (*_CUT_OFF, _BusyError) as error:
            sentence = f"it cannot be reached ({str(error) or type(error).__name__})"
            raise FetchRefused(url, "not reached", sentence) from error
        if answer.status != 200:
            raise refusal_of(url, answer.status)
        kind = answer.headers.get("content-type", "")
        return Page(url, answer.body, kind, datetime.now(UTC))

    def _follow(self, url: str, wanted: _Wanted) -> tuple[_Entry, bytes]:
        first = url
        for _ in range(self.settings.max_redirects + 1):
            parsed, server = check_address(url)
            if not wanted.is_robots:
                rules = self._robots_of(f"{parsed.scheme}://{server}")
                if isinstance(rules, FetchRefused):
                    raise FetchRefused(str(parsed), rules.reason, rules.message)
                if not rules.can_fetch(str(parsed), _AGENT_TOKEN):
                    sentence = "the site's robots.txt asks not to fetch it"
                    raise FetchRefused(str(parsed), "robots.txt", sentence)
            entry, content = self._hop(parsed, server, wanted)
            if not entry.location:
                return entry, content
            try:
                url = str(parsed.join(entry.location))
            except (httpx.InvalidURL, ValueError) as error:
                sentence = f"it leads to what is no address ({error})"
                raise FetchRefused(url, "not an address", sentence) from error
        sentence = f"it leads on more than {self.settings.max_redirects} times"
        raise FetchRefused(first, "too many redirects", sentence)

    def _hop(self, parsed: httpx.URL, server: str, wanted: _Wanted) -> tuple[_Entry, bytes]:
        """Return one address: from the cache while it is fresh, else asked for."""
        url = str(parsed)
        cached, content = (self._cache and self._cache.find(url)) or (None, b"")
        if cached is not None and time.time() - cached.fetched < wanted.max_age:
            self._count("cached", int(not cached.location))
            return cached, within(url, content, wanted.limit)
        if self._silent.get(server, 0) >= GIVE_UP_AFTER:
            sentence = f"{server} took no connection {GIVE_UP_AFTER} times, so it is left alone"
            raise FetchRefused(url, "not reached", sentence)
        headers = {}
        if cached is not None:
            # RFC 9110 allows others than ASCII; few servers mean them.
            conditions = {"If-None-Match": cached.etag, "If-Modified-Since": cached.modified}
            headers = {name: value for name, value in conditions.items() if value.isascii()}
        try:
            answer = self._backoff.ask(
                lambda: self._send(parsed, server, wanted, headers),
                lambda error: _transient(parsed.host, error),
            )
        except ServiceError as error:
            if isinstance(error.__cause__, httpcore.ConnectError | httpcore.ConnectTimeout):
                self._silent[server] = self._silent.get(server, 0) + 1
            reason = "busy" if isinstance(error.__cause__, _BusyError) else "not reached"
            raise FetchRefused(url, reason, error.message) from error
        self._silent.pop(server, None)
        if answer.status == 304 and cached is not None:
            self._count("not_modified")
            entry = self._keep(replace(cached, fetched=time.time()))
            return entry, within(url, content, wanted.limit)
        location = answer.headers.get("location", "")
        if answer.status in _REDIRECTS and location:
            return self._keep(_Entry(url, time.time(), location)), b""
        if answer.status != 200:
            raise refusal_of(url, answer.status)
        self._count("fetched")
        self._count("bytes", len(answer.body))
        entry = _Entry(
            url,
            time.time(),
            content_type=answer.headers.get("content-type", ""),
            etag=answer.headers.get("etag", ""),
            modified=answer.headers.get("last-modified", ""),
        )
        return self._keep(entry, answer.body), answer.body

    def _keep(self, entry: _Entry, body: bytes | None = None) -> _Entry:
        return entry if self._cache is None else self._cache.put(entry, body)

    def _send(
        self,
        url: httpx.URL,
        server: str,
        wanted: _Wanted,
        headers: dict[str, str],
        form: bytes | None = None,
    ) -> _Response:
        sent = [
            ("User-Agent", self.settings.user_agent),
            ("Accept", _ACCEPT[wanted.accept]),
            ("Accept-Encoding", "gzip"),
            *((name, value) for name, value in headers.items() if value),
        ]
        target = httpcore.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
        )
        key = f"{url.scheme}://{server}"
        with self._lock:
            turns = self._turns.setdefault(server, HostTurns())
        turns.take(self._at_once(url, server))
        self._count("requests")
        self._deadline.moment = time.monotonic() + self.settings.total
        wait = 0.0
        try:
            with self._pool.stream(
                "GET" if form is None else "POST",
                target,
                headers=sent,
                content=form,
                extensions={"timeout": self._timeout},
            ) as answer:
                received = httpx.Headers(answer.headers)
                if answer.status in _BUSY:
                    wait = retry_after(received.get("retry-after", ""))
                    raise _BusyError(answer.status, wait)
                body = b""
                if answer.status == 200:
                    body = read_body(
                        str(url),
                        answer.iter_stream(),
                        received.get("content-encoding", ""),
                        wanted.limit,
                        shorten=wanted.is_robots,
                    )
                return _Response(answer.status, received, body)
        finally:
            pause = max(self.settings.delay, self._crawl_delay(key))
            turns.end(pause, min(wait, self.settings.patience))

    def _count(self, name: str, more: int = 1) -> None:
        with self._lock:
            setattr(self.statistics, name, getattr(self.statistics, name) + more)

    # Politeness

    def _at_once(self, url: httpx.URL, server: str) -> int:
        """Return how many requests a host gets at once; one where it asks for a pause between
        two."""
        allowed = self.settings.at_once
        most = allowed.get(server, allowed.get(url.host, 1))
        return 1 if self._crawl_delay(f"{url.scheme}://{server}") else most

    def _robots_of(self, key: str) -> Protego | FetchRefused:
        """Return the rules of a host: none when it has no robots.txt, all refused when it cannot
        tell."""
        with self._lock:
            asking = self._robots_locks.setdefault(key, threading.Lock())
        with asking:
            if key in self._robots:
                return self._robots[key]
            wanted = _Wanted("page", _ROBOTS_BYTES, _ROBOTS_AGE, is_robots=True)
            rules: Protego | FetchRefused
            try:
                entry, content = self._follow(f"{key}/robots.txt", wanted)
                rules = Protego.parse(decode(content, entry.content_type))
            except FetchRefused as error:
                rules = error
                if error.reason in ("not found", "forbidden", "status"):
                    rules = Protego.parse("")
                elif error.reason != "inside the network":
                    sentence = f"the site's robots.txt cannot be read ({error.message}), so it is "
                    rules = FetchRefused(error.url, "robots.txt not reached", f"{sentence}left")
            return self._robots.setdefault(key, rules)

    def _crawl_delay(self, key: str) -> float:
        rules = self._robots.get(key)
        asked = rules.crawl_delay(_AGENT_TOKEN) if isinstance(rules, Protego) else None
        return min(float(asked or 0.0), _LONGEST_PAUSE)


def _transient(host: str, error: Exception) -> TransientFailure | None:
    if isinstance(error, _BusyError):
        return TransientFailure(ServiceError(host, str(error), retryable=True), error.wait)
    if isinstance(error, _CUT_OFF):
        sentence = f"it cannot be reached ({str(error) or type(error).__name__})"
        return TransientFailure(ServiceError(host, sentence, retryable=True))
    return None


def check_picture(url: str, content: bytes) -> None:
    try:
        open_picture(content)
    except InputError as error:
        large = "megapixels" in error.message or "MB" in error.message
        reason = "too large" if large else "not a picture"
        raise FetchRefused(url, reason, error.message) from error


def within(url: str, content: bytes, limit: int) -> bytes:
    if len(content) > limit:
        raise FetchRefused(url, "too large", f"it has over {limit / 1e6:.1f} MB")
    return content


def refusal_of(url: str, status: int) -> FetchRefused:
    if status in (404, 410):
        return FetchRefused(url, "not found", f"there is nothing (status {status})")
    if status in (401, 402, 403, 407, 451):
        return FetchRefused(url, "forbidden", f"the server does not let us in (status {status})")
    if status >= 500:
        return FetchRefused(url, "server error", f"the server failed (status {status})")
    return FetchRefused(url, "status", f"the server answered with status {status}")


def read_body(
    url: str,
    chunks: Iterable[bytes],
    coding: str,
    limit: int,
    *,
    shorten: bool = False,
) -> bytes:
    """Return the body of a response with that Content-Encoding, or raise FetchRefused.

    The limit is of bytes before and after decompression; `shorten` ends there instead of refusing.
    """
    coding = coding.strip().lower()
    if coding not in ("", "identity", "gzip", "x-gzip"):
        raise FetchRefused(url, "unknown coding", f"it is packed as {coding[:40]!r}, unasked")
    pieces = _arriving(url, chunks, limit + _PACKING)
    if coding.endswith("gzip"):
        pieces = _unpacked(pieces)
    body = bytearray()
    try:
        for piece in pieces:
            body += piece
            if len(body) > limit:
                break
    except zlib.error as error:
        raise FetchRefused(url, "damaged", f"its packing is damaged ({error})") from error
    return bytes(body[:limit]) if shorten else within(url, bytes(body), limit)


def _arriving(url: str, chunks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    received = 0
    for chunk in chunks:
        received += len(chunk)
        if received > limit:  # empty members of gzip unpack to nothing, for ever
            raise FetchRefused(url, "too large", "it is larger than is read")
        yield chunk


def _unpacked(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the members of a gzip stream in small pieces; garbage after a member is passed over."""
    member = zlib.decompressobj(_GZIP)
    for chunk in chunks:
        while chunk:
            is_next = member.eof
            if is_next:
                member = zlib.decompressobj(_GZIP)
            try:
                yield member.decompress(chunk, _PIECE)
            except zlib.error:
                if is_next:  # browsers pass over it, too
                    return
                raise
            chunk = member.unused_data if member.eof else member.unconsumed_tail
    if not member.eof:
        raise zlib.error("it ends too soon")


@dataclass(frozen=True, slots=True)
class _Entry:
    """The stored answer of an address, `fetched` seconds after 1970: its `body` (SHA-256), or a
    `location`.

    `etag` and `modified` are the server's, to ask by whether it has changed; `picture` says whether
    the bytes were found to be one.
    """

    url: str
    fetched: float
    location: str = ""
    body: str = ""
    content_type: str = ""
    etag: str = ""
    modified: str = ""
    picture: bool = False


class _HttpCache:
    """Entries and bodies in a folder, which is made when something is put, and may be deleted.

    An entry is a small JSON file named by the hash of its address, a body a file named by the hash
    of its bytes; both are renamed when they are whole, the body first, so that a killed run leaves
    whole entries only.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, url: str) -> tuple[_Entry, bytes] | None:
        """Return the entry of an address and its bytes; None when they are not there or damaged."""
        try:
            entry = _Entry(**json.loads(self._entry_file(url).read_text("utf-8")))
            content = self._body_file(entry.body).read_bytes() if entry.body else b""
        except (OSError, ValueError, TypeError):
            return None
        whole = not entry.body or hashlib.sha256(content).hexdigest() == entry.body
        return (entry, content) if entry.url == url and whole else None

    def put(self, entry: _Entry, content: bytes | None = None) -> _Entry:
        """Keep an entry, with its bytes where they are new."""
        if content is not None:
            entry = replace(entry, body=hashlib.sha256(content).hexdigest())
            file = self._body_file(entry.body)
            if not file.is_file() or file.stat().st_size != len(content):
                _write(file, content)
        _write(self._entry_file(entry.url), json.dumps(asdict(entry)).encode())
        return entry

    def _entry_file(self, url: str) -> Path:
        name = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / "pages" / name[:2] / f"{name}.json"

    def _body_file(self, sha256: str) -> Path:
        return self._folder / "bodies" / sha256[:2] / sha256


def _write(file: Path, content: bytes) -> None:
    # Not by `memeloc.files.replacing`, which asks for the process's umask: threads write here.
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = temporary_beside(file)
    try:
        partial.write_bytes(content)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
