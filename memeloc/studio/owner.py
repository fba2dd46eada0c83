"""The routes of the owner, who looks on. In: the token. Out: a page of numbers, and the numbers.

    GET /owner?token=...    lets the browser in; without the token it has to be in already
    GET /owner/numbers      how far everything is, as JSON

Numbers are worked out once in some seconds, however many look on.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from memeloc.pages import fill_page, script_hash
from memeloc.workspace.serving import Live, ServedSurvey

COOKIE = "memeloc_owner"
FRESH_SECONDS = 4.0
"""Seconds that numbers are shown for before they are worked out again."""

_PAGES = Path(__file__).parent / "pages"
_LIVE = TypeAdapter(Live)


async def page(request: Request) -> Response:
    """The page, which asks for the numbers by itself."""
    token: str = request.app.state.owner_token
    given = request.query_params.get("token", "")
    path = request.scope.get("root_path", "") + "/owner"
    if given and hmac.compare_digest(given.encode(), token.encode()):
        response = RedirectResponse(path, 303)  # so that the address does not hold the token
        response.set_cookie(
            COOKIE,
            _proof(token),
            path=path,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return response
    _check(request)
    served: ServedSurvey = request.app.state.served
    script = (_PAGES / "owner.js").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {script_hash(script)}; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    shown = fill_page(
        _PAGES / "owner.html",
        survey=served.name,
        style=(_PAGES / "owner.css").read_text(encoding="utf-8"),
        script=script,
        numbers=f"{path}/numbers",
    )
    return HTMLResponse(shown, headers={"Content-Security-Policy": policy})


async def numbers(request: Request) -> Response:
    """How far everything is."""
    _check(request)
    state = request.app.state
    if not hasattr(state, "owner_lock"):
        state.owner_lock, state.owner_numbers = asyncio.Lock(), (-FRESH_SECONDS, None)
    async with state.owner_lock:
        at, content = state.owner_numbers
        if time.monotonic() - at > FRESH_SECONDS:
            content = await run_in_threadpool(_numbers, state.served)
            state.owner_numbers = (time.monotonic(), content)
    return JSONResponse(content)


routes = [Route("/owner", page), Route("/owner/numbers", numbers)]


def _numbers(served: ServedSurvey) -> Any:
    return _LIVE.dump_python(served.live(), mode="json")


def _check(request: Request) -> None:
    given = request.cookies.get(COOKIE, "")
    if not hmac.compare_digest(given.encode(), _proof(request.app.state.owner_token).encode()):
        raise HTTPException(403, "Open the address that the server printed when it started.")


def _proof(token: str) -> str:
    """What the cookie holds, so that the token itself is kept nowhere."""
    return hmac.digest(token.encode(), b"memeloc owner", "sha256").hex()
