"""The application. In: a survey to show, the owner's token. Out: a `Starlette`, with its headers.

GET /owner?token=...    lets the owner's browser in; without the token it has to be in already
GET /owner/numbers      how far everything is, as JSON
GET /health             what a proxy asks to know whether the server is there
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memeloc.pages import fill_page, script_hash
from memeloc.studio import sheets
from memeloc.studio.serving import SurveyServer
from memeloc.studio.sheets import Rate, client_of, too_many

_HEADERS = {
    # A sheet's page says in itself what it may load; here it is only kept out of frames.
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Robots-Tag": "noindex",
    "Cache-Control": "no-store",
}
"""By name; a response that has one of its own keeps that."""

FREEING_SECONDS = 60.0
"""Seconds between two looks for places whose time is over."""

FRESH_SECONDS = 4.0
"""Seconds that the owner's numbers are shown for before they are worked out again."""

_COOKIE = "memeloc_owner"
_PAGES = Path(__file__).parent / "pages"


class Guard:
    """Refuses what a client sends too fast, and adds the headers that every response has."""

    def __init__(self, app: ASGIApp, rate: Rate) -> None:
        self.app, self._rate = app, rate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        wait = self._rate.wait(client_of(scope))
        await (too_many(wait) if wait else self.app)(scope, receive, send_with_headers)


def make_application(server: SurveyServer, owner_token: str) -> Starlette:
    """Return the application of a survey; who knows the token sees how far it is."""

    async def free_places() -> None:
        while True:
            await run_in_threadpool(server.free)
            await asyncio.sleep(FREEING_SECONDS)

    @asynccontextmanager
    async def lifespan(application: Starlette) -> AsyncIterator[None]:
        application.state.numbers_lock = asyncio.Lock()
        freeing = asyncio.create_task(free_places())
        yield
        freeing.cancel()
        with suppress(asyncio.CancelledError):
            await freeing

    owner = [Route("/owner", _owner), Route("/owner/numbers", _numbers), Route("/health", _health)]
    application = Starlette(
        routes=[*sheets.routes, *owner],
        middleware=[Middleware(Guard, rate=Rate(server.settings.requests_a_minute))],
        exception_handlers={404: sheets.not_found},
        lifespan=lifespan,
    )
    state = application.state
    state.server, state.owner_token, state.numbers = server, owner_token, (-FRESH_SECONDS, None)
    state.pictures = sheets.Pictures(server)
    state.answers = Rate(server.settings.answers_a_minute)
    state.joins = Rate(server.settings.joins_a_minute)
    return application


async def _health(_: Request) -> Response:
    return PlainTextResponse("ok")


async def _owner(request: Request) -> Response:
    """Return the owner's page, which asks for the numbers by itself."""
    token: str = request.app.state.owner_token
    typed = request.query_params.get("token", "")
    path = request.scope.get("root_path", "") + "/owner"
    if typed and hmac.compare_digest(typed.encode(), token.encode()):
        response = RedirectResponse(path, 303)  # so that the address does not hold the token
        is_https = request.url.scheme == "https"
        response.set_cookie(
            _COOKIE, _proof(token), path=path, httponly=True, samesite="lax", secure=is_https
        )
        return response
    _check(request)
    script = (_PAGES / "owner.js").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {script_hash(script)}; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    page = fill_page(
        _PAGES / "owner.html",
        survey=request.app.state.server.name,
        style=(_PAGES / "owner.css").read_text(encoding="utf-8"),
        script=script,
        numbers=f"{path}/numbers",
    )
    return HTMLResponse(page, headers={"Content-Security-Policy": policy})


async def _numbers(request: Request) -> Response:
    """Return how far everything is, worked out once in some seconds, however many look on."""
    _check(request)
    state = request.app.state
    async with state.numbers_lock:
        at, content = state.numbers
        if time.monotonic() - at > FRESH_SECONDS:
            content = await run_in_threadpool(state.server.live)
            state.numbers = (time.monotonic(), content)
    return JSONResponse(content)


def _check(request: Request) -> None:
    cookie = request.cookies.get(_COOKIE, "")
    if not hmac.compare_digest(cookie.encode(), _proof(request.app.state.owner_token).encode()):
        raise HTTPException(403, "Open the address that the server printed when it started.")


def _proof(token: str) -> str:
    """Return what the cookie holds, so that the token itself is kept nowhere."""
    return hmac.digest(token.encode(), b"memeloc owner", "sha256").hex()
