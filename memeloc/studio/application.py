"""The application. In: a served survey, the owner's token. Out: a `Starlette`, with its headers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memeloc.studio import owner, sheets
from memeloc.studio.limits import BodyLimit, Rate, RateLimit
from memeloc.studio.sheets import Pictures
from memeloc.workspace.serving import ServedSurvey

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


class SecurityHeaders:
    """Adds the headers that every response has."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)


LARGEST_BODY = 64_000
"""Bytes of a request: the longest answer is some kilobytes."""

FREEING_SECONDS = 60.0
"""Seconds between two looks for places whose time is over."""


def make_application(served: ServedSurvey, owner_token: str) -> Starlette:
    """The application of a survey; who knows the token sees how far it is."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        freeing = asyncio.create_task(_free_places(served))
        yield
        freeing.cancel()
        with suppress(asyncio.CancelledError):
            await freeing

    application = Starlette(
        routes=[*sheets.routes, *owner.routes, Route("/health", _health)],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(RateLimit, rate=Rate(served.settings.requests_a_minute)),
            Middleware(BodyLimit, largest=LARGEST_BODY),
        ],
        exception_handlers={404: sheets.not_found},
        lifespan=lifespan,
    )
    application.state.served = served
    application.state.owner_token = owner_token
    application.state.pictures = Pictures(served)
    application.state.answers = Rate(served.settings.answers_a_minute)
    application.state.joins = Rate(served.settings.joins_a_minute)
    return application


async def _health(_: Request) -> Response:
    """What a proxy asks to know whether the server is there."""
    return PlainTextResponse("ok")


async def _free_places(served: ServedSurvey) -> None:
    while True:
        await run_in_threadpool(served.free)
        await asyncio.sleep(FREEING_SECONDS)
