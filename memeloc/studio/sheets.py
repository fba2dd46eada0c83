"""The routes of people who annotate. In: requests. Out: places, pages, pictures, replies as JSON.

GET  /join?PROLIFIC_PID=...&sheet=...   a place by a recruiter's parameters
GET  /join/TOKEN                        a place by a personal link
GET  /place/TOKEN                       its sheet's page, in the browser that opened the place
POST /place/TOKEN                       the code that opens it in another browser
POST /place/TOKEN/consent               what the person agreed to, as JSON
POST /place/TOKEN/answer                an answer, as JSON
POST /place/TOKEN/finish                the end, as JSON
GET  /picture/NAME                      a picture

A place is its browser's by a cookie. Without it the page is not shown, and without the page nobody
has what the other three ask for (X-CSRF-Token). How often clients came is counted in this process:
the server is one process, and a restart forgets it.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs

from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from memeloc.pages import fill_page, script_hash
from memeloc.studio.serving import PageAnswer, PageEnd, Reply, Screen, SurveyServer
from memeloc.survey.serving import PageTexts
from memeloc.survey.targets.html.target import COPYING, STYLE, Presented, sheet_page

_TYPES = {b"\xff\xd8": "image/jpeg", b"\x89P": "image/png", b"GI": "image/gif", b"RI": "image/webp"}
_PAGES = Path(__file__).parent / "pages"
_SCRIPT = COPYING.read_text(encoding="utf-8")
_POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src {script_hash(_SCRIPT)}; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_STYLE = STYLE.read_text(encoding="utf-8")
_SEXES = ("female", "male", "other")
LARGEST_BODY = 64_000
"""Bytes of a request: the longest answer is some kilobytes."""

_COOKIE = "memeloc_"
_COOKIE_SECONDS = 90 * 24 * 3600  # people come back to a sheet within a survey's months
_Body = TypeVar("_Body", bound=BaseModel)


_MOST_CLIENTS = 50_000
"""Clients that are remembered; those that came longest ago are forgotten first."""


class Rate:
    """So many a minute for each name, as a bucket that holds a minute's worth; 0 for any number."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = a_minute, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what was left, and when

    def wait(self, name: str) -> float:
        """Count one; return 0.0 if it may pass, else the seconds until one may."""
        if not self._most:
            return 0.0
        now, a_second = self._clock(), self._most / 60
        left, since = self._left.pop(name, (float(self._most), now))
        left = min(self._most, left + (now - since) * a_second)
        waits = 0.0 if left >= 1 else (1 - left) / a_second
        self._left[name] = (left if waits else left - 1, now)
        if len(self._left) > _MOST_CLIENTS:
            self._left.popitem(last=False)
        return waits


def too_many(seconds: float) -> Response:
    headers = {"Retry-After": str(math.ceil(seconds))}
    return JSONResponse({"error": "too many requests"}, 429, headers)


def client_of(scope: Scope) -> str:
    """Return whom a request comes from, an IPv4 address or a /64 of IPv6; uvicorn has looked at
    what trusted proxies say."""
    client = HTTPConnection(scope).client
    host = client.host if client else ""
    try:
        is_new = ipaddress.ip_address(host).version == 6
    except ValueError:
        return host
    return str(ipaddress.ip_network((host, 64), strict=False)) if is_new else host


class Pictures:
    """The pictures that pages show, by names that are the same after a restart."""

    def __init__(self, server: SurveyServer) -> None:
        self._server = server

    @cached_property
    def names(self) -> dict[Path, str]:
        """The name of each picture by its file."""
        entries = (entry for page in self._server.sheets.values() for entry in page.sheet.entries)
        paths = {entry.picture for entry in entries if entry.picture is not None}
        paths |= set(self._server.to_send.examples.values())
        return {path: self._server.tokens.picture(path.read_bytes()) for path in paths}

    @cached_property
    def paths(self) -> dict[str, Path]:
        return {name: path for path, name in self.names.items()}


async def join(request: Request) -> Response:
    server, query = _server(request), request.query_params
    names = server.settings.parameters
    address = {name: query.get(getattr(names, name), "") for name in type(names).model_fields}
    address["signed"] = query.get("prolific_token", "")
    return await _joined(request, lambda: server.join(address, _cookies(request)))


async def join_by_link(request: Request) -> Response:
    server, token = _server(request), request.path_params["token"]
    sex = request.query_params.get(server.settings.parameters.sex, "")
    return await _joined(request, lambda: server.join_by_link(token, sex))


async def _joined(request: Request, join: Callable[[], Screen]) -> Response:
    if _is_rush(request):
        return _respond(request, _server(request).message("serve.busy"), 429)
    return _respond(request, await run_in_threadpool(join))


async def place(request: Request) -> Response:
    def shown() -> Response:
        screen = _server(request).open(request.path_params["token"], _cookies(request))
        return _respond(request, screen)

    return await run_in_threadpool(shown)


async def open_place(request: Request) -> Response:
    """Take the code by which a person goes on in another browser."""
    server, token = _server(request), request.path_params["token"]
    if _is_rush(request):
        return _respond(request, server.message("serve.busy"), 429)
    typed = parse_qs((await _body(request)).decode("utf-8", "replace")).get("code", [""])[0]
    found = server.find(token)
    is_right = found is not None and server.tokens.is_code(typed, found[0])
    return _to_place(request, token, found[0] if found and is_right else None)


async def consent(request: Request) -> Response:
    return await _taken(request, Presented, _server(request).consent)


async def answer(request: Request) -> Response:
    """Store an answer before the page gets the reply."""
    return await _taken(request, PageAnswer, _server(request).answer, request.app.state.answers)


async def finish(request: Request) -> Response:
    return await _taken(request, PageEnd, _server(request).finish)


async def _taken(
    request: Request,
    model: type[_Body],
    take: Callable[[str, PageTexts, _Body], Reply],
    rate: Rate | None = None,
) -> Response:
    """Answer what a page sends; refuse what another page sends in somebody's name."""
    token, server = request.path_params["token"], _server(request)
    if not server.tokens.is_proof(request.headers.get("x-csrf-token", ""), "csrf", token):
        raise HTTPException(403)
    try:
        content = model.model_validate_json(await _body(request))
    except ValidationError as error:
        raise HTTPException(422, "this is not what the page sends") from error
    if rate is not None and (wait := rate.wait(token)):
        return too_many(wait)
    if (found := server.find(token)) is None:
        return JSONResponse({}, 404)
    status, reply = await run_in_threadpool(take, *found, content)
    return JSONResponse(reply, status)


async def picture(request: Request) -> Response:
    """Send a picture, which may be kept as it is: another one has another name."""
    pictures: Pictures = request.app.state.pictures
    paths = await run_in_threadpool(lambda: pictures.paths)
    path = paths.get(request.path_params["name"])
    if path is None:
        raise HTTPException(404)
    with path.open("rb") as file:
        kind = _TYPES.get(file.read(2), "application/octet-stream")
    headers = {"Cache-Control": "public, max-age=31536000, immutable, no-transform"}
    return FileResponse(path, media_type=kind, headers=headers)


async def not_found(request: Request, _: Exception) -> Response:
    return _respond(request, _server(request).message("serve.link"), 404)


routes = [
    Route("/join", join),
    Route("/join/{token}", join_by_link, name="join_by_link"),
    Route("/place/{token}", place, name="place"),
    Route("/place/{token}", open_place, name="open_place", methods=["POST"]),
    Route("/place/{token}/consent", consent, name="consent", methods=["POST"]),
    Route("/place/{token}/answer", answer, name="answer", methods=["POST"]),
    Route("/place/{token}/finish", finish, name="finish", methods=["POST"]),
    Route("/picture/{name}", picture, name="picture"),
]


def _respond(request: Request, screen: Screen, status: int = 200) -> Response:
    """Show a screen; the sex that is asked for goes into the address, the code does not."""
    values = screen.values
    if screen.kind == "place":
        return _to_place(request, values["token"], values["place"])
    if isinstance(screen.texts, PageTexts) and screen.kind == "sheet":
        token, names = request.path_params["token"], request.app.state.pictures.names
        posts = {
            name: _path(request, name, token=token) for name in ("consent", "answer", "finish")
        }
        page = sheet_page(
            screen.texts,
            serve={**posts, **values},
            address=lambda path: _path(request, "picture", name=names[path]),
        )
        return HTMLResponse(page, status)  # which has its own policy
    name = _server(request).settings.parameters.sex
    page = fill_page(
        _PAGES / ("message.html" if screen.kind == "message" else "question.html"),
        style=_STYLE,
        script=_SCRIPT,
        texts=screen.texts,
        kind=screen.kind,
        message=values,
        name=name,
        answers={value: screen.texts.get(f"serve.sex.{value}") for value in _SEXES},
        address={key: value for key, value in request.query_params.items() if key != name},
    )
    return HTMLResponse(page, status, {"Content-Security-Policy": _POLICY})


def _to_place(request: Request, token: str, place_id: str | None) -> Response:
    """Lead to a place's page, which is shown to the browser whose place it is."""
    response = RedirectResponse(_path(request, "place", token=token), status_code=303)
    if place_id is not None:
        response.set_cookie(
            _COOKIE + place_id,
            _server(request).tokens.proof("browser", place_id),
            max_age=_COOKIE_SECONDS,
            path=str(request.scope.get("root_path", "")) or "/",
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
    return response


def _cookies(request: Request) -> dict[str, str]:
    """Return what the browser holds by the place's id."""
    cookies = request.cookies.items()
    return {name.removeprefix(_COOKIE): text for name, text in cookies if name.startswith(_COOKIE)}


def _is_rush(request: Request) -> bool:
    rate: Rate = request.app.state.joins
    return bool(rate.wait(client_of(request.scope)))


async def _body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BODY:
            raise HTTPException(413, "the request is too large")
    return body


def _server(request: Request) -> SurveyServer:
    server: SurveyServer = request.app.state.server
    return server


def _path(request: Request, route: str, **values: str) -> str:
    """Return the path of a route as browsers have it, below the address of the server."""
    return str(request.scope.get("root_path", "")) + str(request.app.url_path_for(route, **values))
