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
has what the other three ask for (X-CSRF-Token).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs

from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from memeloc.pages import fill_page, script_hash
from memeloc.studio.rates import Rate, client_of, too_many
from memeloc.survey.targets.html.target import COPYING, STYLE, Presented, sheet_page
from memeloc.workspace.serving import (
    Finish,
    Given,
    Joined,
    JoinRequest,
    Message,
    Question,
    Reply,
    ServedSurvey,
)

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
_COOKIE_SECONDS = 90 * 24 * 3600
_Body = TypeVar("_Body", bound=BaseModel)


class Pictures:
    """The pictures that pages show, by names that are the same after a restart."""

    def __init__(self, served: ServedSurvey) -> None:
        self._served = served

    @cached_property
    def names(self) -> dict[Path, str]:
        """The name of each picture by its file."""
        paths = {
            entry.picture
            for sheet in self._served.sheets.values()
            for entry in sheet.sheet.entries
            if entry.picture is not None
        }
        paths |= set(self._served.to_send.examples.values())
        return {path: self._served.tokens.picture(path.read_bytes()) for path in paths}

    @cached_property
    def _paths(self) -> dict[str, Path]:
        return {name: path for path, name in self.names.items()}

    def find(self, name: str) -> tuple[Path, str] | None:
        """Return the file of a name, and its media type."""
        path = self._paths.get(name)
        if path is None:
            return None
        with path.open("rb") as file:
            return path, _TYPES.get(file.read(2), "application/octet-stream")


async def join(request: Request) -> Response:
    served, given = _served(request), request.query_params
    names = served.settings.parameters
    values = {name: given.get(getattr(names, name), "") for name in type(names).model_fields}
    wish = JoinRequest(**values, signed=given.get("prolific_token", ""))
    return await _joined(request, lambda: served.join(wish, _cookies(request)))


async def join_by_link(request: Request) -> Response:
    served, token = _served(request), request.path_params["token"]
    sex = request.query_params.get(served.settings.parameters.sex, "")
    return await _joined(request, lambda: served.join_by_link(token, sex))


async def place(request: Request) -> Response:
    return await run_in_threadpool(_place, request)


async def open_place(request: Request) -> Response:
    """Take the code by which a person goes on in another browser."""
    served, token = _served(request), request.path_params["token"]
    if _is_rush(request):
        return _shown(served.message(None, "serve.busy"), 429)
    typed = parse_qs((await _body(request)).decode("utf-8", "replace")).get("code", [""])[0]
    return _to_place(request, token, served.open(token, typed))


async def consent(request: Request) -> Response:
    return await _taken(request, Presented, _served(request).consent)


async def answer(request: Request) -> Response:
    """Store an answer before the page gets the reply."""
    rate: Rate = request.app.state.answers
    return await _taken(request, Given, _served(request).answer, rate)


async def finish(request: Request) -> Response:
    return await _taken(request, Finish, _served(request).finish)


async def picture(request: Request) -> Response:
    """Send a picture, which may be kept as it is: another one has another name."""
    pictures: Pictures = request.app.state.pictures
    known = await run_in_threadpool(pictures.find, request.path_params["name"])
    if known is None:
        raise HTTPException(404)
    path, kind = known
    headers = {"Cache-Control": "public, max-age=31536000, immutable, no-transform"}
    return FileResponse(path, media_type=kind, headers=headers)


async def not_found(request: Request, _: Exception) -> Response:
    return _shown(_served(request).message(None, "serve.link"), 404)


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


async def _joined(request: Request, join: Callable[[], Joined | Message | Question]) -> Response:
    if _is_rush(request):
        return _shown(_served(request).message(None, "serve.busy"), 429)
    result = await run_in_threadpool(join)
    if isinstance(result, Joined):
        return _to_place(request, result.token, result.place if result.theirs else None)
    return _shown(result) if isinstance(result, Message) else _asked(request, result)


def _to_place(request: Request, token: str, place_id: str | None) -> Response:
    """Lead to a place's page, which is shown to the browser whose place it is."""
    response = RedirectResponse(_path(request, "place", token=token), status_code=303)
    if place_id is not None:
        response.set_cookie(
            _COOKIE + place_id,
            _served(request).tokens.proof("browser", place_id),
            max_age=_COOKIE_SECONDS,
            path=str(request.scope.get("root_path", "")) or "/",
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
    return response


def _cookies(request: Request) -> dict[str, str]:
    """Return what the browser holds by the place's id."""
    own = request.cookies.items()
    return {name.removeprefix(_COOKIE): text for name, text in own if name.startswith(_COOKIE)}


def _is_rush(request: Request) -> bool:
    rate: Rate = request.app.state.joins
    return bool(rate.wait(client_of(request.scope)))


def _asked(request: Request, question: Question) -> Response:
    """Ask for the sex, which goes into the address, or for the code, which does not."""
    texts, names = question.texts, _served(request).settings.parameters
    page = fill_page(
        _PAGES / "question.html",
        style=_STYLE,
        texts=texts,
        kind=question.kind,
        name=names.sex,
        answers={value: texts.get(f"serve.sex.{value}") for value in _SEXES},
        given={name: value for name, value in request.query_params.items() if name != names.sex},
    )
    return HTMLResponse(page, headers={"Content-Security-Policy": _POLICY})


def _place(request: Request) -> Response:
    token = request.path_params["token"]
    result = _served(request).page(token, _cookies(request))
    if isinstance(result, Message):
        return _shown(result)
    if isinstance(result, Question):
        return _asked(request, result)
    shown, state = result
    names = request.app.state.pictures.names
    posts = ("consent", "answer", "finish")
    addresses = {name: _path(request, name, token=token) for name in posts}
    page = sheet_page(
        shown,
        serve={**addresses, **state},
        address=lambda path: _path(request, "picture", name=names[path]),
    )
    return HTMLResponse(page)


def _shown(message: Message, status: int = 200) -> Response:
    page = fill_page(_PAGES / "message.html", style=_STYLE, message=message, script=_SCRIPT)
    return HTMLResponse(page, status, {"Content-Security-Policy": _POLICY})


async def _taken(
    request: Request,
    model: type[_Body],
    take: Callable[[str, _Body], Reply],
    rate: Rate | None = None,
) -> Response:
    """Answer what a page sends; refuse what another page sends in somebody's name."""
    token = request.path_params["token"]
    if not _served(request).tokens.is_proof(request.headers.get("x-csrf-token", ""), "csrf", token):
        raise HTTPException(403)
    try:
        content = model.model_validate_json(await _body(request))
    except ValidationError as error:
        raise HTTPException(422, "this is not what the page sends") from error
    if rate is not None and (wait := rate.wait(token)):
        return too_many(wait)
    status, reply = await run_in_threadpool(take, token, content)
    return JSONResponse(reply, status)


async def _body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BODY:
            raise HTTPException(413, "the request is too large")
    return body


def _served(request: Request) -> ServedSurvey:
    served: ServedSurvey = request.app.state.served
    return served


def _path(request: Request, route: str, **values: str) -> str:
    """Return the path of a route as browsers have it, below the address of the server."""
    return str(request.scope.get("root_path", "")) + str(request.app.url_path_for(route, **values))
