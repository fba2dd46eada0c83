"""Imgflip's search, which needs an account. In: a word, and the environment. Out: its answer.

`POST /search_memes` takes username, password and query, belongs to Imgflip Premium and may cost
something a search (https://imgflip.com/api). The account is read from the environment only, is sent
over https only, and stands in no error.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from memeloc.collect.fetching.addresses import FetchRefused, place_of
from memeloc.errors import MissingError

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import FetchSettings

USERNAME, PASSWORD = "MEMELOC_IMGFLIP_USERNAME", "MEMELOC_IMGFLIP_PASSWORD"
"""The environment variables of the account."""


def account() -> tuple[str, str]:
    """Name and password of the account.

    Raises:
        MissingError: the environment does not name them.
    """
    name, password = os.environ.get(USERNAME, ""), os.environ.get(PASSWORD, "")
    if not name or not password:
        raise MissingError(
            "Imgflip's search needs an account with Imgflip Premium: put its name and password in "
            f"{USERNAME} and {PASSWORD}"
        )
    return name, password


def search(address: str, query: str, settings: FetchSettings) -> Any:
    """Ask for the templates that a word finds; one request, which is not sent again.

    Args:
        address: the API's, without `/search_memes`.
        query: what is searched for.
        settings: time limit, size limit and hosts that may be inside the network.

    Raises:
        MissingError: see `account`.
        FetchRefused: the server is not reached, or answers with what is no JSON.
    """
    import httpx

    from memeloc.collect.fetching.connecting import (
        InsideNetworkError,
        PublicTransport,
        UnknownNameError,
    )

    name, password = account()
    url = f"{address}/search_memes"
    parsed, place = place_of(url)
    if parsed.scheme != "https" and place.name not in settings.allow_hosts:
        raise FetchRefused(url, "not https", "a password is sent over https only")
    form = {"username": name, "password": password, "query": query}
    limit = settings.max_page_bytes
    body = b""
    try:
        with (
            httpx.Client(
                transport=PublicTransport(settings.allow_hosts),
                timeout=settings.timeout,
                follow_redirects=False,
                trust_env=False,
                headers={"User-Agent": settings.user_agent, "Accept-Encoding": "identity"},
            ) as client,
            client.stream("POST", parsed, data=form) as answer,
        ):
            if answer.status_code != 200:
                sentence = f"the server answered with status {answer.status_code}"
                raise FetchRefused(url, "status", sentence)
            for piece in answer.iter_raw(65_536):
                body += piece
                if len(body) > limit:
                    raise FetchRefused(url, "too large", f"it has over {limit / 1e6:.1f} MB")
    except InsideNetworkError as error:
        raise FetchRefused(url, "inside the network", str(error)) from error
    except (httpx.TransportError, UnknownNameError) as error:
        raise FetchRefused(url, "not reached", f"it cannot be reached ({error})") from error
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise FetchRefused(url, "not JSON", "the answer is not JSON") from None
