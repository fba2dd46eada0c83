"""The routes of people who annotate. In: requests. Out: places, pages, pictures, replies as JSON.

GET  /join?PROLIFIC_PID=...&sheet=...   a place by a recruiter's parameters
GET  /join/TOKEN                        a place by a personal link
GET  /place/TOKEN                       its sheet's page
POST /place/TOKEN/answer                an answer, as JSON
POST /place/TOKEN/finish                the end, as JSON
GET  /picture/NAME                      a picture
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from memeloc.pages import fill_page
from memeloc.studio.limits import Rate, too_many
from memeloc.survey.targets.html.target import STYLE, sheet_page
from memeloc.workspace.surveys.serving import ServedSurvey
from memeloc.workspace.surveys.serving.answering import Finish, Given, Reply
from memeloc.workspace.surveys.serving.joining import AskSex, Comer
from memeloc.workspace.surveys.serving.served import Message

_TYPES = {b"\xff\xd8": "image/jpeg", b"\x89P": "image/png", b"GI": "image/gif", b"RI": "image/webp"}


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
        paths |= set(self._served.pack.examples.values())
        return {path: self._served.tokens.picture(path.read_bytes()) for path in paths}

    @cached_property
    def _paths(self) -> dict[str, Path]:
        return {name: path for path, name in self.names.items()}

    def find(self, name: str) -> tuple[Path, str] | None:
        """The file of a name, and its media type."""
        path = self._paths.get(name)
        if path is None:
            return None
        with path.open("rb") as file:
            return path, _TYPES.get(file.read(2), "application/octet-stream")


_PAGES = Path(__file__).parent / "pages"
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_STYLE = STYLE.read_text(encoding="utf-8")
_SEXES = ("female", "male", "other")
_Body = TypeVar("_Body", bound=BaseModel)


async def join(request: Request) -> Response:
    """A place by a recruiter's parameters."""
    served, given = _served(request), request.query_params
    names = served.settings.parameters
    comer = Comer(
        given.get(names.participant, ""),
        given.get(names.study, ""),
        given.get(names.sheet, ""),
        given.get(names.culture, ""),
        given.get(names.sex, ""),
    )
    return _joined(request, await run_in_threadpool(served.join, comer))


async def join_by_link(request: Request) -> Response:
    """A place by a personal link."""
    served = _served(request)
    sex = request.query_params.get(served.settings.parameters.sex, "")
    token = request.path_params["token"]
    return _joined(request, await run_in_threadpool(served.join_by_link, token, sex))


async def place(request: Request) -> Response:
    """The page of a place's sheet."""
    return await run_in_threadpool(_place, request)


async def answer(request: Request) -> Response:
    """An answer, which is stored when the page gets the reply."""
    token = request.path_params["token"]
    _check_csrf(request, token)
    given = await _body(request, Given)
    rate: Rate = request.app.state.answers
    if wait := rate.wait(token):
        return too_many(wait)
    return _replied(await run_in_threadpool(_served(request).answer, token, given))


async def finish(request: Request) -> Response:
    """The end of a sheet."""
    token = request.path_params["token"]
    _check_csrf(request, token)
    ending = await _body(request, Finish)
    return _replied(await run_in_threadpool(_served(request).finish, token, ending))


async def picture(request: Request) -> Response:
    """A picture, which browsers and proxies may keep as it is: another one has another name."""
    pictures: Pictures = request.app.state.pictures
    known = await run_in_threadpool(pictures.find, request.path_params["name"])
    if known is None:
        raise HTTPException(404)
    path, kind = known
    headers = {"Cache-Control": "public, max-age=31536000, immutable, no-transform"}
    return FileResponse(path, media_type=kind, headers=headers)


async def not_found(request: Request, _: Exception) -> Response:
    """What stands at addresses where nothing is."""
    return _told(_served(request).message(None, "serve.link"), 404)


routes = [
    Route("/join", join),
    Route("/join/{token}", join_by_link, name="join_by_link"),
    Route("/place/{token}", place, name="place"),
    Route("/place/{token}/answer", answer, name="answer", methods=["POST"]),
    Route("/place/{token}/finish", finish, name="finish", methods=["POST"]),
    Route("/picture/{name}", picture, name="picture"),
]


def _joined(request: Request, result: str | Message | AskSex) -> Response:
    if isinstance(result, str):
        return RedirectResponse(_path(request, "place", token=result), status_code=303)
    if isinstance(result, Message):
        return _told(result)
    served = _served(request)
    texts = served.texts(result.culture)
    sex = served.settings.parameters.sex
    page = fill_page(
        _PAGES / "sex.html",
        style=_STYLE,
        locale=texts.locale,
        title=texts.get("title"),
        question=texts.get("serve.sex.question"),
        next=texts.get("next"),
        name=sex,
        answers={value: texts.get(f"serve.sex.{value}") for value in _SEXES},
        given={name: value for name, value in request.query_params.items() if name != sex},
    )
    return HTMLResponse(page, headers={"Content-Security-Policy": _POLICY})


def _place(request: Request) -> Response:
    token = request.path_params["token"]
    result = _served(request).page(token)
    if isinstance(result, Message):
        return _told(result)
    shown, state = result
    names = request.app.state.pictures.names
    addresses = {name: _path(request, name, token=token) for name in ("answer", "finish")}
    page = sheet_page(
        shown,
        serve={**addresses, **state},
        address=lambda path: _path(request, "picture", name=names[path]),
    )
    return HTMLResponse(page)


def _told(message: Message, status: int = 200) -> Response:
    page = fill_page(_PAGES / "message.html", style=_STYLE, message=message, locale=message.locale)
    return HTMLResponse(page, status, {"Content-Security-Policy": _POLICY})


def _replied(reply: Reply) -> Response:
    return JSONResponse(reply.content, reply.status)


def _check_csrf(request: Request, token: str) -> None:
    """Refuse what another page sends in somebody's name."""
    given = request.headers.get("x-csrf-token", "")
    if not _served(request).tokens.is_csrf(token, given):
        raise HTTPException(403)


async def _body(request: Request, model: type[_Body]) -> _Body:
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        raise HTTPException(422, "this is not what the page sends") from error


def _served(request: Request) -> ServedSurvey:
    served: ServedSurvey = request.app.state.served
    return served


def _path(request: Request, route: str, **values: str) -> str:
    """The path of a route as browsers have it, below the address of the server."""
    return str(request.scope.get("root_path", "")) + str(request.app.url_path_for(route, **values))
